/* SPDX-License-Identifier: MIT */
/* Sets of chips, for what a trace leaves open: bit i is nthw_nv_chips[i]. */
#ifndef NTI_TRACE_DERIVE_CHIP_H
#define NTI_TRACE_DERIVE_CHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/regs/nv50_chip.h"

/* Later ones than so many are in no set. */
#define NTI_DERIVE_CHIPS_MAX 64u

/* The field @mask of a register that holds @value. */
static inline uint32_t nti_derive_field(uint32_t value, uint32_t mask)
{
	return (value & mask) / (mask & -mask);
}

unsigned int nti_derive_chips(void);
const struct nthw_nv_chip *nti_derive_chip_at(unsigned int index);

/* All chips as a set; those of a family. */
uint64_t nti_derive_chips_all(void);
uint64_t nti_derive_chips_of(enum nthw_nv_family family);

/* Set of one by name or by what BAR0 0 gives; 0: no such chip is known. */
uint64_t nti_derive_chip_named(const char *name);
uint64_t nti_derive_chip_boot0(uint32_t boot0);

/*
 * Chips of @set that the register of enabled units (PGRAPH.UNITS) does not rule out; @set where it
 * rules out all.
 */
uint64_t nti_derive_chips_units(uint64_t set, uint32_t units);

/* Constant 0 of a domain, -1 unknown or not the same for all of @set. */
int nti_derive_zero(uint64_t set, unsigned int domain);

/* True when all, or any, of @set are of the families from @first to @last. */
bool nti_derive_all_of(uint64_t set, enum nthw_nv_family first, enum nthw_nv_family last);
bool nti_derive_any_of(uint64_t set, enum nthw_nv_family first, enum nthw_nv_family last);

#endif
