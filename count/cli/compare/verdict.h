/* SPDX-License-Identifier: MIT */
/*
 * What results say: which metric is the steadiest, and by how much a command differs from another.
 */
#ifndef CLI_COMPARE_VERDICT_H
#define CLI_COMPARE_VERDICT_H

#include "count/cli/compare/results.h"
#include "base/statistics/rank.h"

/* What all intervals of one comparison hold with at once, as reports say. */
#define CLI_COMPARE_CONFIDENCE 0.95

/*
 * What they are computed with. An interval that runs were made for until it was narrow enough is
 * too narrow by chance more often than others are, and holds with 95 % by this. Of fixed runs ranks
 * have no level of just 95 %, and it makes one of 95.6 to 96.9 %. By simulation:
 * count/tests/cli/test_cli_coverage.c.
 */
#define CLI_COMPARE_LEVEL 0.955

/*
 * How often one of the other intervals of a report may err, all of them together: what is left for
 * them of CLI_COMPARE_CONFIDENCE. Each printed line is a verdict, so that with a chance of its own
 * each would make it likelier that one of them is wrong.
 */
#define CLI_COMPARE_BESIDE (CLI_COMPARE_LEVEL - CLI_COMPARE_CONFIDENCE)

/**
 * struct cli_change - a metric of one command, as a factor of that of its reference
 * @factor:	1.1: 10 % more; NAN in .estimate where the two have no ratio: no run gave a number,
 *		or one of them was 0
 * @least:	.is_known is false: runs of each command from which on it is true
 * @differs:	.is_known, and 1 is outside of the interval
 * @is_equal:	all runs of both have the same number
 * @drifts:	.is_known is false because the runs of a side drift, and were not interleaved
 */
struct cli_change {
	struct cli_interval factor;
	size_t least;
	bool differs;
	bool is_equal;
	bool drifts;
};

/*
 * Of a metric that decides: over rounds where results are interleaved, so that what disturbs the
 * machine for a while disturbs both; else over all runs, and wider by what quarters of the runs of
 * a side differ from each other: count/docs/compare.md, "Of two days". @side has a reference.
 */
struct cli_change cli_change_of(const struct cli_results *r, size_t side, size_t metric);

/* Of one of @lines metrics that a report has beside the one that decides. */
struct cli_change cli_change_beside(const struct cli_results *r, size_t side, size_t metric,
				    size_t lines);

/*
 * The median of @metric of @side, which is compared with nothing. @lines: 0 of a metric that
 * decides, else as for cli_change_beside().
 */
struct cli_interval cli_median_of(const struct cli_results *r, size_t side, size_t metric,
				  size_t lines);

/* Student's t for a difference of a quarter, by the deviation of all four: 95 %, 3 degrees. */
#define CLI_PART_T 3.182

/*
 * By how much the quarters of @n numbers in their order deviate from each other, by their medians,
 * and whether the numbers drift.
 */
double cli_deviation_of_parts(const double *number, size_t n, bool *drifts);

/* The fewest runs of each side that make an interval. */
size_t cli_least_rounds(const struct cli_results *r);

/* Both are known, and they have no factor in common. */
bool cli_changes_contradict(const struct cli_change *a, const struct cli_change *b);

/*
 * The steadiest metric: of instructions:u, user time, CPU time and real time the one that changed
 * least from round to round. CPU time tells of speed only where the commands kept about one CPU
 * busy, and what is of user mode where they spent it there; elsewhere it is real time. SIZE_MAX:
 * there is none of them.
 */
size_t cli_results_steadiest(const struct cli_results *r);

/*
 * What decides: the metric that the user wants, else the steadiest, else real time where that is
 * certain of something else. SIZE_MAX: a side has no number of it.
 */
size_t cli_results_decider(const struct cli_results *r);

/* True where more of the metric means that the command is slower. */
bool cli_metric_is_speed(const char *name);

#endif
