/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Count with the counters inside the multiprocessors (MPs) of G84 to GT21x. Each MP has four slots.
 * They are state of a context: what a channel's methods set up counts while that context runs, so
 * two programs on one card each have counts of their own. core/regs/nv50_methods.h has the methods.
 *
 * A channel is reached through struct nthw_io with NTHW_SPACE_CHANNEL, where .unit is its number: a
 * write submits a method, a read takes a word of the memory that its readings go to.
 */
#ifndef NTHW_NV50_MP_H
#define NTHW_NV50_MP_H

#include "core/base/io.h"
#include "core/regs/nv50_chip.h"
#include "core/regs/nv50_methods.h"

/* What a slot counts: a signal of one of the MP's units. */
struct nthw_nv_mp_event {
	uint32_t signal, unit;
	uint32_t is_pulse; /* each time that it becomes 1; else clocks in which it is 1 */
};

/* The word with which @slot counts @event. Its function is "this slot's signal". */
uint32_t nthw_nv_mp_control(const struct nthw_nv_mp_event *event, uint32_t slot);

struct nthw_nv_mp {
	struct nthw_io *io;
	unsigned int channel;
	uint32_t number; /* of the reading that was asked for last */
};

struct nthw_nv_mp_reading {
	/* for which the context ran: with 2^32 between two, counters may have wrapped */
	uint64_t clocks;
	uint64_t count[NTHW_NV_MP_SLOTS];
};

/*
 * All return 0 or as .io; a channel that is gone is what .io says of it.
 *
 * Let @slot count @event from 0 on, in MP @mp - 1, or in all where @mp is 0; of @event NULL let it
 * stop. Two methods more than a stop.
 */
int nthw_nv_mp_program(const struct nthw_nv_mp *m, uint32_t slot,
		       const struct nthw_nv_mp_event *event, uint32_t mp);
/* Ask for a reading, whose number is .number then. Nothing is waited for. */
int nthw_nv_mp_ask(struct nthw_nv_mp *m);
/*
 * The reading of @number. NTHW_ENODATA: it has not come yet. NTHW_ESTALE: later ones have taken its
 * place. Thirteen reads.
 */
int nthw_nv_mp_take(const struct nthw_nv_mp *m, uint32_t number, struct nthw_nv_mp_reading *out);

#endif
