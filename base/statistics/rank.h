/* SPDX-License-Identifier: MIT */
/*
 * Intervals by ranks: right whatever shape the noise has, and moved little by runs that are far
 * off.
 */
#ifndef CLI_STATISTICS_RANK_H
#define CLI_STATISTICS_RANK_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct cli_interval - where the truth is
 * @estimate:	best guess
 * @low, @high:	it is between these, both included, with the level asked for at least
 * @is_known:	false: so few numbers cannot tell with that level; @estimate is still right
 */
struct cli_interval {
	double estimate;
	double low, high;
	bool is_known;
};

/*
 * The centre that @n independent differences are symmetric around: F. Wilcoxon's signed rank test,
 * turned into an interval; the estimate is that of J. L. Hodges and E. L. Lehmann, the median of
 * the means of two (both in M. Hollander and D. A. Wolfe, "Nonparametric Statistical Methods",
 * 3.1 to 3.3). Differences of runs in random order are symmetric if nothing else differs, so the
 * level holds under any noise. Exact up to CLI_RANK_EXACT differences. @difference is sorted.
 */
struct cli_interval cli_signed_rank(double *difference, size_t n, double level);

/* The fewest differences that give an interval. */
size_t cli_signed_rank_least(double level);

/*
 * How much further @b lies than @a, which are independent and spread alike: the rank sum test of
 * Wilcoxon, H. B. Mann and D. R. Whitney (the same book, 4.1 to 4.3). Both are sorted.
 */
struct cli_interval cli_rank_sum(double *a, size_t n_a, double *b, size_t n_b, double level);

/* The fewest of each that give an interval. */
size_t cli_rank_sum_least(double level);

/*
 * The median of what @n independent numbers are of, whatever its shape: the sign test, turned into
 * an interval (the same book, 3.4 to 3.6), which needs as many as cli_signed_rank(). @number is
 * sorted.
 */
struct cli_interval cli_sign(double *number, size_t n, double level);

/* Numbers up to which their ranks are counted; beyond it the normal distribution is near enough. */
#define CLI_RANK_EXACT 60

#endif
