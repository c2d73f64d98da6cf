/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Between box_kind.c, which only looks, and box.c, which counts. */
#ifndef NTHW_BOX_PLACE_H
#define NTHW_BOX_PLACE_H

#include "core/seq/box.h"

/* Where one counter is, and its slot in the arrays of the state. */
struct nthw_box_place {
	const struct nthw_reg *select, *counter;
	uint32_t index, slot;
	uint32_t width;
	uint64_t run_bit;
	uint64_t bit;
};

/* Counters that the kind has room for. */
uint64_t nthw_box_all(const struct nthw_box_kind *kind);
/* False where there is no such counter that is programmed. */
bool nthw_box_find_place(const struct nthw_box_kind *kind, uint32_t counter,
			 struct nthw_box_place *p);
/* Of @counters, those that are enabled. */
int nthw_box_find_enabled(const struct nthw_box *box, uint64_t counters, uint64_t *enabled);

static inline uint64_t nthw_box_ones(uint32_t bits)
{
	return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

static inline uint64_t nthw_box_bit(uint32_t counter)
{
	return counter < 64 ? (uint64_t)1 << counter : 0;
}

static inline int nthw_box_get(const struct nthw_box *box, const struct nthw_reg *reg,
			       uint32_t index, uint64_t *value)
{
	return box->io->read(box->io, reg->space, box->unit, nthw_box_address(box, reg, index),
			     value);
}

static inline int nthw_box_put(const struct nthw_box *box, const struct nthw_reg *reg,
			       uint32_t index, uint64_t value)
{
	return box->io->write(box->io, reg->space, box->unit, nthw_box_address(box, reg, index),
			      value);
}

#endif
