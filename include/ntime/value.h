/* SPDX-License-Identifier: MIT */
/**
 * DOC: A value: a count with everything that must be known to believe it
 */
#ifndef NTIME_VALUE_H
#define NTIME_VALUE_H

#include <stdint.h>

/* Flags of a value. 0: exact. A value with NTIME_ABSENT has no number at all; that is not a count of 0. */
#define NTIME_ABSENT (1u << 0) /* cannot be counted here; ntime_session_item() tells why */
#define NTIME_NOT_COUNTED                                                                          \
	(1u << 1)	       /* could be counted, but the counter never ran in the time wanted */
#define NTIME_SCALED (1u << 2) /* ran only part of the time: .value is an estimate with .error */
#define NTIME_OVERFLOWED                                                                           \
	(1u                                                                                        \
	 << 3) /* the counter may have wrapped unseen: .count is only a lower bound (never with perf, which extends to 64 bits) */
#define NTIME_SIMULATED (1u << 4) /* comes from a recording or model, not from silicon */
#define NTIME_METRIC (1u << 5)	  /* computed from events: only .value and .error have a meaning */
#define NTIME_USER_ONLY (1u << 7) /* user mode only: the kernel is closed to this user */
#define NTIME_PARTIAL (1u << 6)	  /* some of the CPUs or units asked for are missing from the sum */
#define NTIME_ELSEWHERE                                                                            \
	(1u                                                                                        \
	 << 8) /* of one place: counted at another one, which shares it with this one; no number */
#define NTIME_LOST                                                                                 \
	(1u                                                                                        \
	 << 9) /* somebody else has the counter, or its device is gone: .count is what was seen before */
#define NTIME_STATE (1u << 10) /* how things are, not what happened: differences have no meaning */
#define NTIME_GONE                                                                                 \
	(1u                                                                                        \
	 << 11) /* with NTIME_LOST: its device is gone; a difference has no number, ntime_session_item() tells why */

/**
 * struct ntime_value - one result
 * @count:	events as counted, unscaled, in the counter's own steps (not multiplied by the event's scale); of a metric: number of CPUs
 *		that it tells of, 0 for all
 * @value:	best estimate in the item's unit: @count times the event's scale, extrapolated by @wanted_ns / @counted_ns where
 *		NTIME_SCALED is set; a metric's result. NaN when absent or not counted
 * @error:	one standard error of @value in the same unit; 0 when exact. Covers extrapolation only, not what
 *		the hardware counts wrongly; docs/counting.md tells how it is estimated
 * @scale:	factor from @count to the item's unit
 * @wanted_ns:	CLOCK_MONOTONIC time for which the count was wanted (sum over threads and CPUs, as the kernel accounts it); of a
 *		metric: length of the period, the real_ns of its formula
 * @counted_ns:	part of @wanted_ns in which the counter ran; equal to it when exact
 * @flags:	NTIME_ABSENT and so on
 * @reserved:	0
 */
struct ntime_value {
	uint64_t count;
	double value;
	double error;
	double scale;
	uint64_t wanted_ns;
	uint64_t counted_ns;
	uint32_t flags;
	uint32_t reserved;
};

#endif
