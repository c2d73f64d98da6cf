/* SPDX-License-Identifier: MIT */
/* Volleys of fast reads between two read(2)s of the same event, and what is wrong with them. */
#ifndef LAB_FIRE_H
#define LAB_FIRE_H

#include <stdbool.h>
#include <stdint.h>

#include <ntime/ntime.h>

#define LAB_VOLLEY 32

/**
 * struct lab_fire - reads of one counter, and how they went
 * @name:	for messages
 * @r:		its reader
 * @read_call:	read(2) of the same event; ntime_read_call() if NULL
 * @arg:	first argument of @read_call
 * @reads:	all reads but those by read(2)
 * @tried:	reads that asked for the instruction alone
 * @fast:	of these, those for which it did
 * @wraps:	how often the raw counter was lower than the time before
 * @uneven:	steps between two reads that are longer than undisturbed ones
 * @wrong:	values that cannot be
 */
struct lab_fire {
	const char *name;
	struct ntime_reader r;
	uint64_t (*read_call)(void *arg);
	void *arg;
	unsigned long reads, tried, fast, wraps, uneven, wrong;
	uint64_t raw;
};

/* Reads of all volleys of the program. */
extern unsigned long lab_all_reads;

/* This thread's counter for @events, of which only the first is read; runs. */
struct lab_fire lab_fire_open(const char *name, const char *events);

/**
 * lab_fire_learn() - measure the steps between the reads of an undisturbed volley; later steps may
 * be longer, but never shorter
 *
 * Where the guest does not count exactly there is nothing to learn, and only order is
 * checked. Return: whether it was learned.
 */
bool lab_fire_learn(struct lab_fire *f);

/** lab_fire() - one volley: read(2), LAB_VOLLEY reads, read(2); all in order, all exact */
void lab_fire(struct lab_fire *f);

/**
 * lab_fire_look() - look at the counter's register itself; it counts as a wrap if it was higher
 * before. Each volley ends with that
 */
void lab_fire_look(struct lab_fire *f);

/** lab_fire_at() - one more value that must lie between two read(2)s */
void lab_fire_at(struct lab_fire *f, uint64_t before, uint64_t value, uint64_t after);

/**
 * lab_fire_close() - say how it went, free the session; the test fails if a value was wrong, or if
 * no read was fast
 */
void lab_fire_close(struct lab_fire *f);

/* 99 of 100 reads must have been by the instruction. */
void lab_fire_must_be_fast(const struct lab_fire *f);

#endif
