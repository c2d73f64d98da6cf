/* SPDX-License-Identifier: MIT */
/*
 * A stretch of a real program, from one of its system calls to another, counted twice: by a counter
 * while it runs freely, and one instruction at a time.
 */
#ifndef LAB_WALK_H
#define LAB_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct lab_calls - what a program had counted at each of its system calls
 * @n:		system calls; the last one does not return
 * @count:	@n + 1 counts: at exec, and after each call; last, at the program's end
 */
struct lab_calls {
	size_t n;
	uint64_t *count;
};

/**
 * lab_count_calls() - run a program freely from call to call and read the counter at each
 * @argv:	path and arguments, NULL-terminated; stdin is empty, output goes nowhere
 * @calls:	its @count is freed with free()
 *
 * The counter is instructions:u of the library. Return: 0, or -errno; -ECHILD: the program failed.
 */
int lab_count_calls(char *const argv[], struct lab_calls *calls);

/**
 * struct lab_walk - a stretch, one instruction at a time
 * @steps:	instructions
 * @repeats:	stops at which a string instruction with a REP prefix was not done yet
 * @sequences:	load-exclusive sequences that were run as one, since no single step gets out of them
 */
struct lab_walk {
	uint64_t steps, repeats, sequences;
};

/**
 * lab_walk() - run the program to its call @from, and from there to @to by single steps
 * @from:	as many calls have been made: 0 is exec
 * @to:		as @from; the number of its calls is the program's end
 *
 * Return: 0; -ENOTSUP (no single steps on this processor); -ECHILD (the program failed, or made
 * fewer calls); -errno.
 */
int lab_walk(char *const argv[], size_t from, size_t to, struct lab_walk *walk);

#endif
