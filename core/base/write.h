/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a write to a register may change: the rule that keeps us from others' bits. Driver, library
 * and sequences follow this one.
 *
 * A caller's value is merged with what the register holds: his are the bits that are settable, and
 * those that he may clear; all others stay as they are. Bits of which writing 1 does something now
 * are written as 1 only for who asked for it.
 */
#ifndef NTHW_WRITE_H
#define NTHW_WRITE_H

#include "core/base/reg.h"

/* Bits of which writing 1 does something now, instead of being kept: their value is no state. */
uint64_t nthw_write_acting(const struct nthw_reg *reg);

/* May anybody be let write the register at all? */
bool nthw_write_is_allowed(const struct nthw_reg *reg);

/*
 * Bits of @value that may not be set, where the register holds @old; 0: @value may be written, as
 * nthw_write_merge() says.
 */
uint64_t nthw_write_refuses(const struct nthw_reg *reg, uint64_t old, uint64_t value);
/* What is to be written for the caller's @value where @old is. */
uint64_t nthw_write_merge(const struct nthw_reg *reg, uint64_t old, uint64_t value);

/*
 * What is to be written so that the bits @ours hold what @saved has, where the register holds @now.
 * Others' bits stay, nothing acts: what was set by ones (NTHW_RW1S) is not given back so.
 */
uint64_t nthw_write_restore(const struct nthw_reg *reg, uint64_t ours, uint64_t saved,
			    uint64_t now);

#endif
