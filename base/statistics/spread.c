// SPDX-License-Identifier: MIT
/* How a number spreads over the runs of a command. */
#include "base/statistics/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/memory.h"

/* Interquartile ranges; and runs of which some may be far from the others. */
#define FAR 3
#define FAR_RUNS 5

void cli_spread_add(struct cli_spread *s, double number)
{
	double step = number - s->mean;

	cli_grow(&s->run, s->n);
	s->run[s->n++] = number;
	s->mean += step / (double)s->n;
	s->m2 += step * (number - s->mean);
	if (s->n == 1 || number < s->min)
		s->min = number;
	if (s->n == 1 || number > s->max)
		s->max = number;
}

void cli_spread_join(struct cli_spread *s, const struct cli_spread *more)
{
	for (size_t i = 0; i < more->n; i++)
		cli_spread_add(s, more->run[i]);
}

void cli_spread_fini(struct cli_spread *s)
{
	free(s->run);
	*s = (struct cli_spread){ 0 };
}

double cli_normal_quantile(double p)
{
	double low = -40, high = 40;

	while (high - low > 1e-12) {
		double z = (low + high) / 2;

		if (erfc(-z / M_SQRT2) / 2 < p)
			low = z;
		else
			high = z;
	}
	return (low + high) / 2;
}

/*
 * The 0.975 quantile of Student's t: a table, and from three degrees of freedom on Cornish and
 * Fisher's expansion, which is good to 1 % (M. Abramowitz, I. Stegun, "Handbook of Mathematical
 * Functions", 26.7.5).
 */
static double quantile(size_t freedom)
{
	const double z = 1.959964, n = (double)freedom;
	const double z3 = z * z * z, z5 = z3 * z * z;

	if (freedom < 3)
		return freedom < 2 ? 12.706 : 4.303;
	return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
	       (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

double cli_spread_ci95(const struct cli_spread *s)
{
	if (s->n < 2)
		return 0;
	return quantile(s->n - 1) * sqrt(s->m2 / (double)(s->n - 1) / (double)s->n);
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

void cli_sort(double *number, size_t n)
{
	qsort(number, n, sizeof(*number), compare);
}

/* The runs in order; the caller frees. */
static double *sorted(const struct cli_spread *s)
{
	double *run = cli_calloc(s->n, sizeof(*run));

	memcpy(run, s->run, s->n * sizeof(*run));
	cli_sort(run, s->n);
	return run;
}

double cli_quantile(const double *number, size_t n, double share)
{
	double at = share * (double)(n - 1), value;
	size_t below = (size_t)at;

	value = number[below];
	if (below + 1 < n)
		value += (at - (double)below) * (number[below + 1] - value);
	return value;
}

double cli_spread_median(const struct cli_spread *s)
{
	double *run, median;

	if (!s->n)
		return 0;
	run = sorted(s);
	median = cli_quantile(run, s->n, 0.5);
	free(run);
	return median;
}

double cli_spread_sd(const struct cli_spread *s)
{
	return s->n < 2 ? 0 : sqrt(s->m2 / (double)(s->n - 1));
}

/* A number that more than half of them have is in the middle. */
struct cli_exceptions cli_spread_exceptions(const struct cli_spread *s)
{
	struct cli_exceptions e = { .number = cli_spread_median(s) };
	size_t i;

	for (i = 0; i < s->n; i++) {
		double distance = fabs(s->run[i] - e.number);

		e.n += distance > 0;
		e.most = fmax(e.most, distance);
	}
	if (2 * e.n >= s->n)
		e.n = s->n;
	return e;
}

struct cli_fences cli_spread_fences(const struct cli_spread *s)
{
	double *run, first, third, far;

	if (s->n < FAR_RUNS)
		return (struct cli_fences){ -INFINITY, INFINITY };
	run = sorted(s);
	first = cli_quantile(run, s->n, 0.25);
	third = cli_quantile(run, s->n, 0.75);
	far = FAR * (third - first);
	free(run);
	return (struct cli_fences){ first - far, third + far };
}

bool cli_fences_are_passed(const struct cli_fences *f, double number)
{
	return number < f->low || number > f->high;
}

static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* Ways to part @n things into @k parts in a row, none empty, as a share of exp(@log_all). */
static double ways(double n, double k, double m, double l, double log_all)
{
	if (k < 1 || l < 1 || k > n || l > m)
		return 0;
	return exp(log_choose(n - 1, k - 1) + log_choose(m - 1, l - 1) - log_all);
}

/* That @high and @low numbers in random order stand in at most @stretches stretches of a side. */
static double probability(double high, double low, size_t stretches)
{
	double log_all = log_choose(high + low, high), p = 0;

	for (size_t r = 2; r <= stretches; r++) {
		size_t less = r / 2;
		double half = (double)less, more = (double)(r - less);

		p += ways(high, more, low, half, log_all) + ways(high, half, low, more, log_all);
	}
	return fmin(p, 1);
}

struct cli_drift cli_spread_drift(const struct cli_spread *s)
{
	struct cli_drift drift = { .p = 1 };
	double median = cli_spread_median(s), high = 0, low = 0;
	bool was_high = false;

	for (size_t i = 0; i < s->n; i++) {
		bool is_high = s->run[i] > median;

		if (s->run[i] == median)
			continue;
		drift.crossings += high + low > 0 && is_high != was_high;
		was_high = is_high;
		high += is_high;
		low += !is_high;
	}
	if (!high || !low)
		return drift;
	drift.expected = 2 * high * low / (high + low);
	drift.p = probability(high, low, drift.crossings + 1);
	return drift;
}
