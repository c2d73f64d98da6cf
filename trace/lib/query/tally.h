/* SPDX-License-Identifier: MIT */
/* Sums by a number, few of them: accesses by thread, accesses of a region that found no row. */
#ifndef NTI_TRACE_TALLY_H
#define NTI_TRACE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/trace/trace.h>

#include "trace/lib/query/slots.h"

/**
 * struct nti_tally_sum - one sum
 * @key:	of what
 * @count:	reads, writes
 * @first_ns, @last_ns: of the first with a time, and the latest; valid when @is_timed
 * @widths:	or of the widths, 16 for unknown ones
 */
struct nti_tally_sum {
	uint64_t key;
	uint64_t count[2];
	uint64_t first_ns, last_ns;
	uint32_t widths;
	bool is_timed;
};

/**
 * struct nti_tally - the sums, in the order they were first seen
 * @sum:	@n of them, at most @most
 * @rest:	what came when there were @most
 * @slots:	by key
 */
struct nti_tally {
	struct nti_tally_sum *sum;
	size_t n, most;
	struct nti_tally_sum rest;
	struct nti_slots slots;
};

void nti_tally_fini(struct nti_tally *t);

/*
 * The sum of @key, a new one if there is none, or the rest; valid until the next call. NULL without
 * memory.
 */
struct nti_tally_sum *nti_tally_at(struct nti_tally *t, uint64_t key);
/* The same without making one; NULL when there is none. */
const struct nti_tally_sum *nti_tally_find(const struct nti_tally *t, uint64_t key);

/* One access more. */
static inline void nti_tally_sum_add(struct nti_tally_sum *sum, const struct ntime_record *r)
{
	sum->count[r->kind]++;
	sum->widths |= r->width ? r->width : 16u;
	if (!(r->flags & NTIME_RECORD_TIMED))
		return;
	if (!sum->is_timed) {
		sum->first_ns = sum->last_ns = r->time_ns;
		sum->is_timed = true;
	}
	sum->last_ns = r->time_ns > sum->last_ns ? r->time_ns : sum->last_ns;
}

#endif
