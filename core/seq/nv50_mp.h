/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Count with the counters inside the multiprocessors (MPs) of G84 to GT21x. Each MP has four slots.
 * They are state of a context: what a channel's methods set up counts while that context runs, so
 * two programs on one card each have counts of their own.
 *
 * A channel is reached through struct nthw_io with NTHW_SPACE_CHANNEL, where .unit is its number: a
 * write submits a method, a read takes a word of the memory that its readings go to. Methods of the
 * compute class are hardware's (envytools' rnndb and Mesa's queries; words as in push buffers of
 * G200 under CUPTI; trust: measured). Those from NTHW_NV_MP_CONFIGURE on are software's, in the
 * manner of the prototypes for nouveau of 2014, of which only the idea was published: numbers and
 * layout are made up.
 */
#ifndef NTHW_NV50_MP_H
#define NTHW_NV50_MP_H

#include "core/base/io.h"
#include "core/regs/nv50_chip.h"

#define NTHW_NV_MP_SLOTS 4

/* Methods; those of slots are 4 apart. */
#define NTHW_NV_MP_SET 0x2d0u	  /* the slot's count */
#define NTHW_NV_MP_CONTROL 0x2e0u /* what it counts: nthw_nv_mp_control() */
/* of which MP readings are: its number + 1; 0: the sum of all */
#define NTHW_NV_MP_CONFIGURE 0x600u
#define NTHW_NV_MP_SAMPLE 0x610u /* take the counts now */
/* what was taken last becomes the reading of this number, not 0 */
#define NTHW_NV_MP_READ_OUT 0x614u

/*
 * Words of a channel's memory. Readings follow one another from NTHW_NV_MP_RING on,
 * NTHW_NV_MP_DEPTH of them: that of number n at place n modulo the depth.
 */
#define NTHW_NV_MP_LATEST 0u /* the number of the reading that came last; 0: none has */
#define NTHW_NV_MP_DEPTH 4u
#define NTHW_NV_MP_RING 8u
/* Of a reading: */
#define NTHW_NV_MP_NUMBER 0u /* 0 while it is written */
#define NTHW_NV_MP_CLOCKS 4u /* for which the context ran, modulo 2^32 */
#define NTHW_NV_MP_COUNT 8u  /* of slots, 4 apart, modulo 2^32 */
#define NTHW_NV_MP_READING_BYTES 24u

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
	uint32_t clocks;
	uint32_t count[NTHW_NV_MP_SLOTS];
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
 * place. Seven reads.
 */
int nthw_nv_mp_take(const struct nthw_nv_mp *m, uint32_t number, struct nthw_nv_mp_reading *out);

#endif
