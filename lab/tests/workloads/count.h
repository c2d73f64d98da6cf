/* SPDX-License-Identifier: MIT */
/*
 * The truth: user mode instructions of each workload from _start to the exit's system call,
 * children and threads included, by adding up the lines of its .S file (words.inc: a line is an
 * instruction). test_workloads counts them again, by single steps.
 */
#ifndef LAB_COUNT_H
#define LAB_COUNT_H

#include <stdint.h>

#define LAB_CHILD_TURNS 1000u
#define LAB_STRAIGHT 65536u

/* void lab_turns(unsigned long) of turns.S */
void lab_turns(unsigned long turns);
#define LAB_TURN 2u /* instructions of one turn */

static inline uint64_t lab_digits(uint64_t n)
{
	uint64_t digits = 1;

	while (n /= 10)
		digits++;
	return digits;
}

/* read_number, the comparison with 0, end_with */
static inline uint64_t lab_count_frame(uint64_t n)
{
	return 5 + 10 * lab_digits(n) + 2 + 3;
}

/* From the system call that made it: comparison and jump, the turns' number, turns, end_with. */
static inline uint64_t lab_count_child(void)
{
	return 2 + 1 + LAB_TURN * LAB_CHILD_TURNS + 3;
}

static inline uint64_t lab_count_loop(uint64_t n)
{
	return lab_count_frame(n) + LAB_TURN * n;
}

static inline uint64_t lab_count_straight(uint64_t n)
{
	/* The last time there is no jump back. */
	return lab_count_frame(n) + n * (LAB_STRAIGHT + 3) - (n > 0);
}

static inline uint64_t lab_count_forks(uint64_t n)
{
	return lab_count_frame(n) + n * (7 + 8 + 2 + lab_count_child());
}

static inline uint64_t lab_count_threads(uint64_t n)
{
	/* three for the flags of clone(2) */
	return lab_count_frame(n) + 3 + n * (7 + 2 + lab_count_child());
}

static inline uint64_t lab_count_switches(uint64_t n)
{
	if (!n)
		return lab_count_frame(0);
	/*
	 * two pipes, fork, rounds of the parent, waiting; the child's way in, its rounds, its end
	 */
	return lab_count_frame(n) + 2 * 6 + 7 + n * 18 + 8 + (2 + n * 18 + 3);
}

#endif
