// SPDX-License-Identifier: MIT
/* Intervals by ranks. */
#include "base/statistics/rank.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/output/memory.h"
#include "base/statistics/spread.h"

/* Halvings after which two doubles of the same sign are neighbours, whatever they are. */
#define HALVINGS 200

/**
 * struct pairs - sums of one number of each of two sorted lists
 * @is_one_list: a pair is any two numbers of one list, or one number twice
 */
struct pairs {
	const double *a, *b;
	size_t n_a, n_b;
	bool is_one_list;
};

/* Pairs whose sum is at most @sum; the largest such sum in *@largest. */
static uint64_t count_pairs(const struct pairs *p, double sum, double *largest)
{
	size_t end = p->n_b;
	uint64_t n = 0;

	*largest = -INFINITY;
	for (size_t i = 0; i < p->n_a; i++) {
		size_t first = p->is_one_list ? i : 0;

		/* Before @end are those of @b that make, with the @i-th of @a, at most @sum. */
		while (end && p->a[i] + p->b[end - 1] > sum)
			end--;
		if (end <= first)
			continue;
		n += end - first;
		*largest = fmax(*largest, p->a[i] + p->b[end - 1]);
	}
	return n;
}

/* The @k-th smallest sum, from 1: halved for, as there are too many to sort. */
static double kth_sum(const struct pairs *p, uint64_t k)
{
	double low = p->a[0] + p->b[0], high = p->a[p->n_a - 1] + p->b[p->n_b - 1], largest;

	if (count_pairs(p, low, &largest) >= k)
		return largest;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			break;
		if (count_pairs(p, middle, &largest) >= k)
			high = middle;
		else
			low = middle;
	}
	(void)count_pairs(p, high, &largest);
	return largest;
}

/* The middle of all sums, and those that so many leave out at either end. */
static struct cli_interval interval_of(const struct pairs *p, uint64_t pairs, uint64_t left_out)
{
	struct cli_interval r = { .is_known = left_out > 0 };

	r.estimate = (kth_sum(p, (pairs + 1) / 2) + kth_sum(p, pairs / 2 + 1)) / 2;
	if (!r.is_known)
		return r;
	r.low = kth_sum(p, left_out);
	r.high = kth_sum(p, pairs + 1 - left_out);
	return r;
}

/*
 * How many of @n sums, of which @ways tells how often each comes, are at the end that is left out.
 */
static uint64_t exact_left_out(const double *ways, uint64_t n, double all, double level)
{
	double below = 0;
	uint64_t sum = 0;

	while (sum < n && (below += ways[sum]) / all <= (1 - level) / 2)
		sum++;
	return sum;
}

static uint64_t normal_left_out(double mean, double variance, double level)
{
	double at = mean + 0.5 - cli_normal_quantile((1 + level) / 2) * sqrt(variance);

	return at > 0 ? (uint64_t)at : 0;
}

/* In how many of the 2^n ways to give n ranks a sign the positive ones have a sum of 0, 1, ... */
static uint64_t signed_rank_left_out(size_t n, double level)
{
	uint64_t pairs = (uint64_t)n * (n + 1) / 2, out;
	double *ways;

	if (n > CLI_RANK_EXACT)
		return normal_left_out((double)pairs / 2,
				       (double)n * (double)(n + 1) * (double)(2 * n + 1) / 24,
				       level);
	ways = cli_calloc(pairs + 1, sizeof(*ways));
	ways[0] = 1;
	for (size_t rank = 1; rank <= n; rank++)
		for (uint64_t sum = (uint64_t)rank * (rank + 1) / 2; sum >= rank; sum--)
			ways[sum] += ways[sum - rank];
	out = exact_left_out(ways, pairs, ldexp(1, (int)n), level);
	free(ways);
	return out;
}

size_t cli_signed_rank_least(double level)
{
	size_t n = 1;

	while (ldexp(1, -(int)n) > (1 - level) / 2)
		n++;
	return n;
}

struct cli_interval cli_signed_rank(double *difference, size_t n, double level)
{
	struct pairs p = { difference, difference, n, n, true };
	struct cli_interval r;

	if (!n)
		return (struct cli_interval){ .estimate = NAN };
	cli_sort(difference, n);
	r = interval_of(&p, (uint64_t)n * (n + 1) / 2, signed_rank_left_out(n, level));
	r.estimate /= 2;
	r.low /= 2;
	r.high /= 2;
	return r;
}

/*
 * In how many of the ways to mix the two lists a number of @b is the larger one in 0, 1, ... pairs:
 * the coefficients of the Gaussian binomial, one factor (1 - q^(n_a + i)) / (1 - q^i) after the
 * other.
 */
static uint64_t rank_sum_left_out(size_t n_a, size_t n_b, double level)
{
	uint64_t pairs = (uint64_t)n_a * n_b, out;
	double *ways, all = 1;

	if (n_a + n_b > CLI_RANK_EXACT)
		return normal_left_out((double)pairs / 2,
				       (double)pairs * (double)(n_a + n_b + 1) / 12, level);
	ways = cli_calloc(pairs + 1, sizeof(*ways));
	ways[0] = 1;
	for (size_t i = 1; i <= n_b; i++) {
		for (uint64_t at = pairs; at >= n_a + i && at <= pairs; at--)
			ways[at] -= ways[at - n_a - i];
		for (uint64_t at = i; at <= pairs; at++)
			ways[at] += ways[at - i];
		all *= (double)(n_a + i) / (double)i;
	}
	out = exact_left_out(ways, pairs, all, level);
	free(ways);
	return out;
}

size_t cli_rank_sum_least(double level)
{
	size_t n = 0;

	while (!rank_sum_left_out(n + 1, n + 1, level))
		n++;
	return n + 1;
}

struct cli_interval cli_rank_sum(double *a, size_t n_a, double *b, size_t n_b, double level)
{
	struct pairs p = { a, b, n_a, n_b, false };
	struct cli_interval r;

	if (!n_a || !n_b)
		return (struct cli_interval){ .estimate = NAN };
	cli_sort(b, n_b);
	/*
	 * A difference is a sum with the negative numbers, which are in order the other way round.
	 */
	for (size_t i = 0; i < n_a; i++)
		a[i] = -a[i];
	cli_sort(a, n_a);
	r = interval_of(&p, (uint64_t)n_a * n_b, rank_sum_left_out(n_a, n_b, level));
	for (size_t i = 0; i < n_a; i++)
		a[i] = -a[i];
	cli_sort(a, n_a);
	return r;
}

/* In how many of the 2^n ways 0, 1, ... of n numbers are below the median. */
static uint64_t sign_left_out(size_t n, double level)
{
	double ways[CLI_RANK_EXACT + 1] = { 1 };

	if (n > CLI_RANK_EXACT)
		return normal_left_out((double)n / 2, (double)n / 4, level);
	for (size_t i = 1; i <= n; i++)
		for (size_t k = i; k; k--)
			ways[k] += ways[k - 1];
	return exact_left_out(ways, n, ldexp(1, (int)n), level);
}

struct cli_interval cli_sign(double *number, size_t n, double level)
{
	size_t out = sign_left_out(n, level);

	if (!n)
		return (struct cli_interval){ .estimate = NAN };
	cli_sort(number, n);
	return (struct cli_interval){ .estimate = cli_quantile(number, n, 0.5),
				      .low = number[out ? out - 1 : 0],
				      .high = number[n - (out ? out : 1)],
				      .is_known = out > 0 };
}
