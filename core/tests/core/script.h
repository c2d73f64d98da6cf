/* SPDX-License-Identifier: MIT */
/*
 * Sequences of core/seq as text: a line is a call with its arguments, what it returns and which
 * accesses it makes.
 *
 *     program 2 0x183: R m3c2 R m3b2 W m3b2 0
 *     start 4 ! EBUSY: reads
 *     read 2 = 0x1234567
 *
 * Without "! ERROR" the call must return 0. A value that it gives must be named. After ":" are the
 * accesses of this call alone, in order; "reads": it writes nothing; "none": it makes none. Without
 * ":" any are allowed. Numbers are as in C, addresses as in the log: a letter and hex digits.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCRIPT_ARGS 16

struct script_call {
	const char *name;
	uint64_t arg[SCRIPT_ARGS]; /* those that are not there are 0 */
	size_t args;
	uint64_t value; /* what it gives goes here */
};

/* "stuck 0" sets, "stuck = 8" compares, "lag 3 4 5 6" sets elements 3 and 5 of an array. */
struct script_variable {
	const char *name;
	void *words, *quads; /* one of them: of 32 bits, of 64 bits */
};

struct script {
	void *on;
	char *log;		  /* of accesses, a line each */
	void (*forget)(void *on); /* the log, before each call */
	int (*call)(void *on, struct script_call *call);
	const struct script_variable *variables; /* ends with one that has no name */
};

bool script_is(const struct script_call *call, const char *name);
/* @line is where the row of @text is. */
void script_play(const struct script *script, int line, const char *text);

#endif
