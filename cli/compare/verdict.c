// SPDX-License-Identifier: MIT
/* What results say. */
#include "cli/compare/verdict.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output/memory.h"
#include "cli/statistics/spread.h"

/*
 * Share of real time that a command computes, so that its instructions and CPU time are its speed.
 */
#define BUSY_LEAST 0.5
#define BUSY_MOST 1.25

/* So that all intervals hold at once (C. Bonferroni). */
static double level_of(const struct cli_results *r)
{
	double confidence =
		r->has_stopped ? CLI_COMPARE_STOPPED_CONFIDENCE : CLI_COMPARE_CONFIDENCE;
	size_t compared = 0;

	for (size_t i = 0; i < r->sides; i++)
		compared += r->side[i].reference != SIZE_MAX;
	return 1 - (1 - confidence) / (double)(compared ? compared : 1);
}

size_t cli_least_rounds(const struct cli_results *r)
{
	return r->is_interleaved ? cli_signed_rank_least(level_of(r))
				 : cli_rank_sum_least(level_of(r));
}

/* Logarithms of the ratios of runs of the same round; *@n of them. */
static double *ratios(const struct cli_results *r, size_t side, size_t metric, size_t *n)
{
	const struct cli_side *b = &r->side[side], *a = &r->side[b->reference];
	double *ratio = cli_calloc(a->runs + 1, sizeof(*ratio));

	*n = 0;
	for (size_t i = 0, k = 0; i < a->runs; i++) {
		double of_a = a->value[i * r->metrics + metric], of_b;

		while (k < b->runs && b->round[k] < a->round[i])
			k++;
		if (k == b->runs || b->round[k] != a->round[i])
			continue;
		of_b = b->value[k * r->metrics + metric];
		if (!isnan(of_a) && !isnan(of_b))
			ratio[(*n)++] = log(of_b / of_a);
	}
	return ratio;
}

static struct cli_interval by_rounds(const struct cli_results *r, size_t side, size_t metric,
				     double level)
{
	struct cli_interval of;
	double *ratio;
	size_t n;

	ratio = ratios(r, side, metric, &n);
	of = cli_signed_rank(ratio, n, level);
	free(ratio);
	return of;
}

static struct cli_interval by_runs(double *a, size_t n_a, double *b, size_t n_b, double level)
{
	for (size_t i = 0; i < n_a; i++)
		a[i] = log(a[i]);
	for (size_t i = 0; i < n_b; i++)
		b[i] = log(b[i]);
	return cli_rank_sum(a, n_a, b, n_b, level);
}

/* Of both lists; both are not empty. */
static void find_ends(const double *a, size_t n_a, const double *b, size_t n_b, double *least,
		      double *most)
{
	*least = *most = a[0];
	for (size_t i = 0; i < n_a + n_b; i++) {
		double number = i < n_a ? a[i] : b[i - n_a];

		*least = fmin(*least, number);
		*most = fmax(*most, number);
	}
}

struct cli_change cli_change_of(const struct cli_results *r, size_t side, size_t metric)
{
	struct cli_change c = { .factor.estimate = NAN };
	double level = level_of(r), least, most;
	double *a, *b;
	size_t n_a, n_b;

	a = cli_side_numbers(r, r->side[side].reference, metric, &n_a);
	b = cli_side_numbers(r, side, metric, &n_b);
	if (n_a && n_b) {
		find_ends(a, n_a, b, n_b, &least, &most);
		c.is_equal = least == most;
		/* Nothing has a ratio to 0, but that 0 is as much as 0 is known. */
		if (least > 0)
			c.factor = r->is_interleaved ? by_rounds(r, side, metric, level)
						     : by_runs(a, n_a, b, n_b, level);
		else if (c.is_equal)
			c.factor = (struct cli_interval){ .is_known = true };
	}
	free(a);
	free(b);
	c.factor.estimate = exp(c.factor.estimate);
	c.factor.low = exp(c.factor.low);
	c.factor.high = exp(c.factor.high);
	c.differs = c.factor.is_known && (c.factor.low > 1 || c.factor.high < 1);
	return c;
}

/* Half of the numbers are within so much of each other, as a share of the median; NAN: unknown. */
static double unsteadiness(const struct cli_results *r, size_t side, size_t metric)
{
	double *number, share = NAN;
	size_t n;

	number = cli_side_numbers(r, side, metric, &n);
	cli_sort(number, n);
	if (n && number[0] > 0)
		share = (cli_quantile(number, n, 0.75) - cli_quantile(number, n, 0.25)) /
			cli_quantile(number, n, 0.5);
	free(number);
	return share;
}

static double median_of(const struct cli_results *r, size_t side, size_t metric)
{
	double *number, median = NAN;
	size_t n;

	number = cli_side_numbers(r, side, metric, &n);
	cli_sort(number, n);
	if (n)
		median = cli_quantile(number, n, 0.5);
	free(number);
	return median;
}

/* Does @metric, a time, take about all of real time, in each command? */
static bool is_busy(const struct cli_results *r, size_t metric)
{
	size_t real = cli_results_find_metric(r, CLI_METRIC_REAL);

	for (size_t i = 0; i < r->sides; i++) {
		double share;

		if (metric == SIZE_MAX || real == SIZE_MAX)
			return false;
		share = median_of(r, i, metric) / median_of(r, i, real);
		/* NAN is no share either. */
		if (!(share >= BUSY_LEAST && share <= BUSY_MOST))
			return false;
	}
	return true;
}

size_t cli_results_steadiest(const struct cli_results *r)
{
	/* Each with the time that must be busy for it to tell of speed. */
	static const char *const candidate[][2] = {
		{ CLI_METRIC_INSTRUCTIONS, CLI_METRIC_USER },
		{ CLI_METRIC_USER, CLI_METRIC_USER },
		{ CLI_METRIC_CPU, CLI_METRIC_CPU },
		{ CLI_METRIC_REAL, CLI_METRIC_REAL },
	};
	size_t best = SIZE_MAX;
	double best_share = INFINITY;

	for (size_t i = 0; i < sizeof(candidate) / sizeof(candidate[0]); i++) {
		size_t metric = cli_results_find_metric(r, candidate[i][0]);
		double share = 0;

		if (metric == SIZE_MAX || !is_busy(r, cli_results_find_metric(r, candidate[i][1])))
			continue;
		for (size_t k = 0; k < r->sides; k++) {
			double of = unsteadiness(r, k, metric);

			share = of <= share ? share : isnan(of) ? INFINITY : of;
		}
		if (share < best_share) {
			best = metric;
			best_share = share;
		}
	}
	return best;
}

static bool has_all(const struct cli_results *r, size_t metric)
{
	bool has = metric != SIZE_MAX;

	for (size_t i = 0; i < r->sides && has; i++) {
		size_t n;

		free(cli_side_numbers(r, i, metric, &n));
		has = n > 0;
	}
	return has;
}

size_t cli_results_decider(const struct cli_results *r)
{
	size_t by = r->by ? cli_results_find_metric(r, r->by) : cli_results_steadiest(r);

	return has_all(r, by) ? by : SIZE_MAX;
}

bool cli_metric_is_speed(const char *name)
{
	static const char *const speeds[] = { CLI_METRIC_REAL, CLI_METRIC_USER, CLI_METRIC_SYS,
					      CLI_METRIC_CPU,  "instructions",	"cycles",
					      "task-clock",    "cpu-clock" };

	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		size_t chars = strlen(speeds[i]);

		if (strncmp(name, speeds[i], chars) == 0 && (!name[chars] || name[chars] == ':'))
			return true;
	}
	return false;
}
