/* SPDX-License-Identifier: MIT */
/* From an address to the register that is there, in one layer. */
#ifndef NTI_REGDB_FIND_H
#define NTI_REGDB_FIND_H

#include "trace/lib/regdb/model.h"

/* One step of the way down: an element and which copy of it. */
struct nti_found_step {
	const struct nti_element *element;
	uint64_t copy;
};

/**
 * struct nti_found - what is at an address
 * @steps, @depth: the way to it, outermost first; @depth 0: nothing
 * @unit:	bytes of one address of its domain
 * @skew:	bytes behind the beginning of the last step
 * @is_guess:	it depends on which chip it is, and nobody knows
 */
struct nti_found {
	struct nti_found_step steps[NTI_REGDB_DEPTH];
	uint32_t depth;
	uint32_t unit;
	uint64_t skew;
	bool is_guess;
};

/*
 * What is at byte @address of @domain. A register, of those that fit the first in the order of the
 * file; else the array that has the address to itself. False, and @out->depth of 0, when nothing
 * is.
 */
bool nti_domain_find(const struct nti_domain *domain, const struct nti_view *view, uint64_t address,
		     struct nti_found *out);

#define NTI_REGDB_PAGE_BYTES 4096u
#define NTI_REGDB_PAGE_WORDS (NTI_REGDB_PAGE_BYTES / 4 / 64)

/*
 * Set the bits of those words of 32 bits in the page at @first that may have something, for any
 * chip.
 */
void nti_domain_mark(const struct nti_domain *domain, uint64_t first, uint64_t *bits);

/* The last step is a register. */
static inline bool nti_found_is_register(const struct nti_found *f)
{
	return f->depth && f->steps[f->depth - 1].element->kind == NTI_ELEMENT_REG;
}

/*
 * Name with the numbers of all copies, "PGRAPH.TPC[1].MPC.PM_GROUP_SEL", cut where it is too long.
 * Returns its length.
 */
size_t nti_found_name(const struct nti_found *f, char *buf, size_t size);

#endif
