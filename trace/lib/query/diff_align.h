/* SPDX-License-Identifier: MIT */
/*
 * Aligning two sequences of numbers: what of each is not in the other, order kept. Knows nothing of
 * traces.
 */
#ifndef NTI_TRACE_DIFF_ALIGN_H
#define NTI_TRACE_DIFF_ALIGN_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct nti_sequence - one of the two
 * @id:		@n numbers; equal ones are the same thing
 * @changed:	@n bytes; nti_align() sets 1 where the other has nothing that belongs to it, else 0
 */
struct nti_sequence {
	const uint32_t *id;
	uint8_t *changed;
	size_t n;
};

/*
 * Mark what is only in @a and only in @b; what is left of both is equal, in order.
 *
 * Where the two differ in pieces of at most a few hundred numbers the marks are the fewest
 * possible. In larger pieces runs of numbers that occur once in each are taken to belong together
 * first, and searching ends where it would take too long, so that time grows with the length times
 * a bounded number of steps, and memory with the length. 0 or -ENOMEM.
 */
int nti_align(struct nti_sequence *a, struct nti_sequence *b);

#endif
