/* SPDX-License-Identifier: MIT */
/*
 * Whose turn it is, and for how long: the order of passes of a session that rotates by itself.
 *
 * Each round has every pass once, in random order, so that nothing in the program keeps step with
 * them, and each pass gets its share soon. Turns have a random length around one that grows with
 * the time that was counted: at the start all is looked at within a tenth of a millisecond, and
 * later turns cost nothing that could be seen.
 */
#ifndef NTI_TURNS_H
#define NTI_TURNS_H

#include <stdint.h>

/*
 * Turns grow with the time before them, from the shortest to the longest, so that no gap is longer
 * than a hundredth of the time: between two turns of a pass are up to 2 (passes - 1) others.
 */
#define NTI_TURNS_SHARE(passes) (400 * (passes))
/* With this that holds from 10 ms on, for three passes; what changes cost may make turns longer. */
#define NTI_TURNS_LEAST_NS 16000
#define NTI_TURNS_MOST_NS 4000000

struct nti_turns {
	unsigned int *order; /* of this round; caller's, .passes entries */
	unsigned int passes, at;
	uint64_t state; /* of the random numbers, never 0 */
};

/* @order: room for @passes numbers that lives as long as @t */
void nti_turns_init(struct nti_turns *t, unsigned int *order, unsigned int passes, uint64_t seed);

/* The pass of the next turn, and its length when @elapsed_ns were counted before it. */
unsigned int nti_turns_next(struct nti_turns *t, uint64_t elapsed_ns, uint64_t *length_ns);

#endif
