/* SPDX-License-Identifier: MIT */
/*
 * Chips as far as their counters differ: where units are, which wires are constant. A set of chips
 * is a mask, for what a trace leaves open.
 */
#ifndef NTI_TRACE_DERIVE_CHIP_H
#define NTI_TRACE_DERIVE_CHIP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Columns of the tables of multiplexers: chips of one column have their wires at the same places.
 */
enum nti_derive_family {
	NTI_FAMILY_G80,
	NTI_FAMILY_G84,	  /* to G98 */
	NTI_FAMILY_G200,  /* and MCP77, MCP79 */
	NTI_FAMILY_GT215, /* to GT218, and MCP89 */
	NTI_FAMILY_FERMI, /* and later: another block of counters */
	NTI_FAMILIES,
};

struct nti_derive_chip {
	const char *name;    /* of a chip of core/regs */
	uint8_t family;	     /* enum nti_derive_family */
	bool has_alternates; /* OP can take argument 2 and 3 from the clock before: from G92 on */
	uint8_t last[8];     /* last signal of each domain's trailer, 0 no such domain */
	uint8_t tpcs, parts;
};

#define NTI_DERIVE_CHIPS_MAX 64

/* The field @mask of a register that holds @value. */
static inline uint32_t nti_derive_field(uint32_t value, uint32_t mask)
{
	return (value & mask) / (mask & -mask);
}

unsigned int nti_derive_chips(void);
const struct nti_derive_chip *nti_derive_chip_at(unsigned int index);

/* All chips as a set; those of a family. */
uint64_t nti_derive_chips_all(void);
uint64_t nti_derive_chips_of(enum nti_derive_family family);

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
bool nti_derive_all_of(uint64_t set, enum nti_derive_family first, enum nti_derive_family last);
bool nti_derive_any_of(uint64_t set, enum nti_derive_family first, enum nti_derive_family last);

#endif
