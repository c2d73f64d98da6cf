/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A context on a card with a chip of G84 to GT21x, as far as the counters inside its
 * multiprocessors (MPs) go: what methods set up, what counts while the context runs, and the memory
 * to which readings go. core/regs/nv50_methods.h has the methods and the layout.
 */
#ifndef NTM_NV50_MP_H
#define NTM_NV50_MP_H

#include "core/models/ntm.h"
#include "core/models/nv50_card.h"
#include "core/regs/nv50_methods.h"

#define NTM_MPS_MAX 32 /* of a die */
#define NTM_MP_DEPTH 8
#define NTM_MP_MEMORY_BYTES (NTHW_NV_MP_RING + NTM_MP_DEPTH * NTHW_NV_MP_READING_BYTES)
/* Signals that are 1 at one time. */
#define NTM_MP_SIGNALS 8

/* A signal of a unit in MP .mp of the die, or in all: .mp NTM_MPS_MAX. */
struct ntm_mp_signal {
	uint8_t mp, unit, signal;
};
struct ntm_mp_signals {
	struct ntm_mp_signal of[NTM_MP_SIGNALS];
	size_t count;
};

/* Begins as zeros, with .mps: those that the board has, a bit each. */
struct ntm_nv50_context {
	uint32_t mps;
	uint32_t control[NTHW_NV_MP_SLOTS];
	uint32_t count[NTM_MPS_MAX][NTHW_NV_MP_SLOTS];
	uint8_t was_high[NTM_MPS_MAX]; /* functions that were 1 in the last clock, a bit each */
	uint64_t clocks;
};

/* What submits methods to a context; several may. Begins as zeros but for .context. */
struct ntm_nv50_channel {
	struct ntm_nv50_context *context;
	uint32_t configured[NTHW_NV_MP_SLOTS]; /* the MP's number + 1; 0: all */
	uint32_t last[NTM_MPS_MAX][NTHW_NV_MP_SLOTS];
	uint64_t taken[1 + NTHW_NV_MP_SLOTS]; /* clocks of the last sample, and sums up to it */
	uint32_t memory[NTM_MP_MEMORY_BYTES / 4];
};

/* MPs of a board, as nthw_nv_all_mps() has them. */
uint32_t ntm_nv50_mps_of(const struct ntm_nv50_card *card);

/* NTM_NOT_MINE: there is no such method, or a slot would count in an MP that is not there. */
int ntm_nv50_channel_method(struct ntm_nv50_channel *c, uint32_t method, uint32_t value);
/* A word of the memory. NTM_NOT_MINE: it has none there. */
int ntm_nv50_channel_read(const struct ntm_nv50_channel *c, uint32_t address, uint32_t *value);
/* The context runs for @clocks clocks with these signals. */
void ntm_nv50_context_advance(struct ntm_nv50_context *c, const struct ntm_mp_signals *signals,
			      uint64_t clocks);
/*
 * Functions of slots that are 1 in MP @mp with these signals, a bit each: wires of group MPx_FUNC.
 */
uint32_t ntm_nv50_context_slots(const struct ntm_nv50_context *c,
				const struct ntm_mp_signals *signals, uint32_t mp);

/*
 * What the model made up: a method is done at once, whether or not the context runs; counters wrap.
 * What it does not model: traps at an overflow, signals that a unit has only on some chips (all are
 * there and 0), special registers pm0 to pm3 of shader programs, registers of MPs in BAR 0.
 */

#endif
