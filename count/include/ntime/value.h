/* SPDX-License-Identifier: MIT */
/**
 * DOC: A value: a count, with its error, times and flags
 */
#ifndef NTIME_VALUE_H
#define NTIME_VALUE_H

#include <stdint.h>

/*
 * Flags of a value. 0: exact. A value with NTIME_ABSENT has no number at all; that is not a count
 * of 0.
 */
#define NTIME_ABSENT (1u << 0) /* cannot be counted here; see .reason of ntime_session_item() */
/* could be counted, but the counter never ran during the measurement */
#define NTIME_NOT_COUNTED (1u << 1)
#define NTIME_SCALED (1u << 2) /* ran only part of the time: .value is an estimate with .error */
/*
 * the counter may have wrapped and the wrap was missed: .count is a lower bound (never with perf,
 * which extends counts to 64 bits)
 */
#define NTIME_OVERFLOWED (1u << 3)
#define NTIME_SIMULATED (1u << 4) /* comes from a model, not from silicon */
#define NTIME_METRIC (1u << 5)	  /* computed from events: only .value and .error have a meaning */
#define NTIME_USER_ONLY (1u << 7) /* user mode only: this user may not count the kernel */
#define NTIME_PARTIAL (1u << 6)	  /* some of the CPUs or units asked for are missing from the sum */
/* of one CPU: counted on another CPU that shares the counter; no number */
#define NTIME_ELSEWHERE (1u << 8)
/* another program has the counter, or its device is gone: .count is what was counted before */
#define NTIME_LOST (1u << 9)
#define NTIME_STATE (1u << 10) /* a state, not a count: differences have no meaning */
/*
 * with NTIME_LOST: its device is gone; a difference has no number, see .reason of
 * ntime_session_item()
 */
#define NTIME_GONE (1u << 11)
/*
 * CPUs came on line or went off line while this was counted, .hotplugs times: the count has the
 * time in which they were on line, but for what is in .wanted_ns and not in .counted_ns; see
 * ntime_session_follow()
 */
#define NTIME_HOTPLUG (1u << 12)
/*
 * the number cannot be right, or its counter failed a test: shown as it was counted, never
 * corrected; see .reason of ntime_session_item(). With NTIME_PROC and NTIME_NOT_COUNTED: what the
 * kernel told went back or was no count; a difference of two reads has a number all the same if
 * that happened outside of them
 */
#define NTIME_IMPLAUSIBLE (1u << 13)
/*
 * told by the kernel in a file of /proc or /sys, not by a counter; a metric: one of its events is
 */
#define NTIME_PROC (1u << 14)
/*
 * of a program in an emulator: what that counts, or, of times and the kernel's events, what the
 * emulator did with it
 */
#define NTIME_EMULATED (1u << 15)
/*
 * no more than that: signals interrupted what an emulator had counted already, see struct
 * ntime_emulator_info. Of a metric: one of its events is
 */
#define NTIME_AT_MOST (1u << 16)
/*
 * with NTIME_SCALED: the interval is all that is possible, not one of 95 %, as the kernel chose
 * which part was counted, or too little was to tell. The sides of such values add up, those of
 * others in squares. Of a sum: so is that of one of its parts
 */
#define NTIME_BOUNDED (1u << 17)

/**
 * struct ntime_value - one result
 * @count:	events as counted, unscaled, in the counter's own steps (not multiplied by the
 *		event's scale); of a metric: number of CPUs that it covers, 0 for all
 * @value:	best estimate in the item's unit: @count times the event's scale, extrapolated
 *		where NTIME_SCALED is set; a metric's result. NaN when absent or not counted
 * @error:	what "+-" stands for: the larger one of @below and @above; 0 when exact
 * @scale:	factor from @count to the item's unit
 * @wanted_ns:	CLOCK_MONOTONIC time for which the count was wanted (sum over threads and CPUs, as
 *		the kernel accounts it); of a metric: length of the period, the real_ns of its
 *		formula
 * @counted_ns:	part of @wanted_ns in which the counter ran; equal to it when exact
 * @flags:	NTIME_ABSENT and so on
 * @hotplugs:	how often a CPU came or went while this was counted; 0 without NTIME_HOTPLUG
 * @below, @above: the 95 % interval is @value - @below to @value + @above, in the item's unit, or
 *		with NTIME_BOUNDED all that is possible; 0 when exact, and never both 0 with
 *		NTIME_SCALED. Covers extrapolation only, not what
 *		the hardware counts wrongly; count/docs/counting.md has the method. What is possible
 *		at all: ntime_value_bounds()
 */
struct ntime_value {
	uint64_t count;
	double value;
	double error;
	double scale;
	uint64_t wanted_ns;
	uint64_t counted_ns;
	uint32_t flags;
	uint32_t hotplugs;
	double below;
	double above;
};

#endif
