/* SPDX-License-Identifier: MIT */
/* Arithmetic on values: sums over targets, means over runs. */
#ifndef CLI_REPORT_TALLY_H
#define CLI_REPORT_TALLY_H

#include <stdbool.h>
#include <stddef.h>

#include <ntime/value.h>

#include "base/statistics/spread.h"

/* True when @v has a number at all. */
bool cli_value_is_known(const struct ntime_value *v);
/* As much again and more may have been missed: nothing is known then but the lower end. */
static inline bool cli_value_has_least(const struct ntime_value *v)
{
	return v->value > 0 && v->above > v->value && v->below <= v->value;
}
/* Nor that: no ratio of counts is below 0. */
static inline bool cli_value_is_vague(const struct ntime_value *v)
{
	return v->value > 0 && v->below > v->value;
}
/* A counter of /proc went back, or was no number: nor has a sum with it a number. */
bool cli_value_is_lost(const struct ntime_value *v);

/*
 * Add what another target counted. Errors are independent, so their squares add up. A part that is
 * missing makes the sum NTIME_PARTIAL; a sum of nothing but missing parts is missing.
 */
void cli_value_add(struct ntime_value *sum, const struct ntime_value *v);

/*
 * What was really counted, without extrapolation: .value becomes .count times @scale, .error 0 and
 * NTIME_SCALED goes away. Returns true when the value was an estimate before. Metrics stay as they
 * are.
 */
bool cli_value_unscale(struct ntime_value *v, double scale);

/**
 * struct cli_tally - one item over several runs
 * @spread:	of .value
 * @count, @counted_ns: sums over the runs that gave a number, at most UINT64_MAX
 * @wanted_ns:	sum over all runs
 * @scale:	of the item
 * @below, @above: sums of these of bounded values; @below2, @above2: of the squares of others
 * @flags:	of all runs together
 * @runs:	runs seen, with or without a number
 */
struct cli_tally {
	struct cli_spread spread;
	uint64_t count;
	uint64_t wanted_ns;
	uint64_t counted_ns;
	double below, above, below2, above2;
	double scale;
	uint32_t flags;
	uint32_t missing_flags;
	size_t runs;
};

void cli_tally_add(struct cli_tally *t, const struct ntime_value *v);
void cli_tally_fini(struct cli_tally *t);
/* The mean of the runs that gave a number; exactly the value added when it was one. */
void cli_tally_mean(const struct cli_tally *t, struct ntime_value *out);

#endif
