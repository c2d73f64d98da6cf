/* SPDX-License-Identifier: MIT */
/* What the halves of the package share: counts with their reasons, and ways to count. */
#ifndef RPI_PMU_INTERNAL_H
#define RPI_PMU_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The cycle counter, and event counters 0 and 1. */
enum { RPI_CYCLES, RPI_EVENT0, RPI_EVENT1, RPI_COUNTERS };

/*
 * "scaled by 64": what the cycle counter counts, on every processor, so that a program that
 * multiplies is right on each.
 */
#define RPI_CYCLES_STEP 64

/**
 * struct rpi_event - one event of the ARM1176
 * @number:	its code
 * @name:	as print_counts() writes it
 * @other:	what libntime is asked for on this processor; NULL: nothing here counts the same
 * @note:	in what @other differs, a few words; NULL: in nothing
 */
struct rpi_event {
	int number;
	const char *name;
	const char *other;
	const char *note;
};

/* The row of an event, or NULL: the ARM1176 has no such event. */
const struct rpi_event *rpi_event_find(int number);

/**
 * struct rpi_count - what one counter counted
 * @count:	as the register or libntime has it; the cycle counter's in steps of RPI_CYCLES_STEP
 * @has_overflowed: it passed its width and is not valid
 * @note:	what is left out of it, a few words; "" when nothing is
 * @reason:	why there is no count, one sentence without final stop; "" when there is one
 */
struct rpi_count {
	uint64_t count;
	bool has_overflowed;
	const char *note;
	char reason[512];
};

/**
 * struct rpi_way - a way to count
 * @is_here:	is it for this processor?
 * @start:	@evt are rows of the two events, NULL for one that does not exist and whose .reason
 *		is set. 0, or negative: nothing is counted, and @why says why. Reasons of single
 *		counters go to @out
 * @stop:	stops and fills @out. 0, or negative with @why: no count can be used
 * @forget:	in the child of fork(2): what was started is the parent's
 */
struct rpi_method {
	bool (*is_here)(void);
	int (*start)(const struct rpi_event *const evt[2], struct rpi_count out[RPI_COUNTERS],
		     char *why, size_t size);
	int (*stop)(struct rpi_count out[RPI_COUNTERS], char *why, size_t size);
	void (*forget)(void);
};

/* The first that is here is taken; ends with NULL. */
extern const struct rpi_method *const rpi_methods[];

extern const struct rpi_method rpi_method_cp15;
extern const struct rpi_method rpi_method_session;

#endif
