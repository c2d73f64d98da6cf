// SPDX-License-Identifier: MIT
/* What results say. */
#include "count/cli/compare/verdict.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/memory.h"
#include "base/statistics/spread.h"

/* Share of real time that a command computes, so that its CPU time is its speed. */
#define BUSY_LEAST 0.5
#define BUSY_MOST 1.25
/* Share of CPU time that is in user mode, so that this part is its speed. */
#define USER_LEAST 0.8

/*
 * So that all intervals hold at once (C. Bonferroni): of each command, where one of @lines may err
 * so often.
 */
static double level_of(const struct cli_results *r, double error, size_t lines)
{
	size_t compared = 0;

	for (size_t i = 0; i < r->sides; i++)
		compared += r->side[i].reference != SIZE_MAX;
	return 1 - error / (double)((compared ? compared : 1) * (lines ? lines : 1));
}

static double level_of_decider(const struct cli_results *r)
{
	return level_of(r, 1 - CLI_COMPARE_LEVEL, 1);
}

static size_t least_rounds(const struct cli_results *r, double level)
{
	return r->is_interleaved ? cli_signed_rank_least(level) : cli_rank_sum_least(level);
}

size_t cli_least_rounds(const struct cli_results *r)
{
	return least_rounds(r, level_of_decider(r));
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

/* Parts of the runs of a side that are held against each other, one after the other. */
#define PARTS 4

double cli_deviation_of_parts(const double *number, size_t n, bool *drifts)
{
	struct cli_spread all = { 0 }, parts = { 0 };
	double deviation;

	for (size_t i = 0; i < n; i++)
		cli_spread_add(&all, number[i]);
	for (size_t part = 0; part < PARTS && n >= PARTS; part++) {
		struct cli_spread of = { 0 };

		for (size_t i = n * part / PARTS; i < n * (part + 1) / PARTS; i++)
			cli_spread_add(&of, all.run[i]);
		cli_spread_add(&parts, cli_spread_median(&of));
		cli_spread_fini(&of);
	}
	deviation = cli_spread_sd(&parts);
	*drifts = n && cli_spread_drift(&all).p <= CLI_DRIFT_P;
	cli_spread_fini(&all);
	cli_spread_fini(&parts);
	return deviation;
}

static double deviation_of_logarithms(const double *number, size_t n, bool *drifts)
{
	double *logarithm = cli_calloc(n + 1, sizeof(*logarithm)), deviation;

	for (size_t i = 0; i < n; i++)
		logarithm[i] = log(number[i]);
	deviation = cli_deviation_of_parts(logarithm, n, drifts);
	free(logarithm);
	return deviation;
}

/*
 * By how much runs of another time may differ though nothing else did, a logarithm of a factor.
 * INFINITY: they drift.
 */
static double drift_of(const double *number, size_t n)
{
	bool drifts;
	double deviation = deviation_of_logarithms(number, n, &drifts);

	return drifts ? INFINITY : CLI_PART_T * deviation;
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

static struct cli_change change_at(const struct cli_results *r, size_t side, size_t metric,
				   double level)
{
	struct cli_change c = { .factor.estimate = NAN };
	double least, most, drift = 0;
	double *a, *b;
	size_t n_a, n_b;

	a = cli_side_numbers(r, r->side[side].reference, metric, &n_a);
	b = cli_side_numbers(r, side, metric, &n_b);
	if (n_a && n_b) {
		find_ends(a, n_a, b, n_b, &least, &most);
		c.is_equal = least == most;
		if (!r->is_interleaved && least > 0)
			drift = fmax(drift_of(a, n_a), drift_of(b, n_b));
		/* Nothing has a ratio to 0, but that 0 is as much as 0 is known. */
		if (least > 0)
			c.factor = r->is_interleaved ? by_rounds(r, side, metric, level)
						     : by_runs(a, n_a, b, n_b, level);
		else if (c.is_equal)
			c.factor = (struct cli_interval){ .is_known = true };
	}
	free(a);
	free(b);
	c.drifts = c.factor.is_known && isinf(drift);
	c.factor.is_known &= !c.drifts;
	c.factor.estimate = exp(c.factor.estimate);
	c.factor.low = exp(c.factor.low - drift);
	c.factor.high = exp(c.factor.high + drift);
	c.least = c.factor.is_known ? 0 : least_rounds(r, level);
	c.differs = c.factor.is_known && (c.factor.low > 1 || c.factor.high < 1);
	return c;
}

struct cli_change cli_change_of(const struct cli_results *r, size_t side, size_t metric)
{
	return change_at(r, side, metric, level_of_decider(r));
}

struct cli_change cli_change_beside(const struct cli_results *r, size_t side, size_t metric,
				    size_t lines)
{
	return change_at(r, side, metric, level_of(r, CLI_COMPARE_BESIDE, lines));
}

struct cli_interval cli_median_of(const struct cli_results *r, size_t side, size_t metric,
				  size_t lines)
{
	bool has_ratio = true, drifts = false;
	double deviation = 0, wider;
	double *number,
		level = lines ? level_of(r, CLI_COMPARE_BESIDE, lines) : level_of_decider(r);
	struct cli_interval of;
	size_t n;

	number = cli_side_numbers(r, side, metric, &n);
	for (size_t i = 0; i < n; i++)
		has_ratio &= number[i] > 0;
	if (has_ratio)
		deviation = deviation_of_logarithms(number, n, &drifts);
	of = cli_sign(number, n, level);
	/* Runs that depend on the one before are fewer than they seem: the mean of four parts. */
	if (drifts) {
		wider = CLI_PART_T * deviation / sqrt(PARTS);
		of.low = fmin(of.low, of.estimate * exp(-wider));
		of.high = fmax(of.high, of.estimate * exp(wider));
	}
	free(number);
	return of;
}

/*
 * Sum of the logarithms of all sides in each round that all have a number of; *@n of them. None
 * where one of them is 0, which has no ratio.
 */
static double *round_sums(const struct cli_results *r, size_t metric, size_t *n)
{
	const struct cli_side *first = &r->side[0];
	double *sum = cli_calloc(first->runs + 1, sizeof(*sum));
	size_t *at = cli_calloc(r->sides, sizeof(*at));
	bool has_zero = false;

	*n = 0;
	for (size_t i = 0; i < first->runs; i++) {
		double of_round = 0;

		for (size_t k = 0; k < r->sides; k++) {
			const struct cli_side *s = &r->side[k];

			while (at[k] < s->runs && s->round[at[k]] < first->round[i])
				at[k]++;
			of_round += at[k] < s->runs && s->round[at[k]] == first->round[i]
					    ? log(s->value[at[k] * r->metrics + metric])
					    : NAN;
		}
		has_zero |= isinf(of_round);
		if (isfinite(of_round))
			sum[(*n)++] = of_round;
	}
	*n = has_zero ? 0 : *n;
	free(at);
	return sum;
}

static double *logarithms(const struct cli_results *r, size_t side, size_t metric, size_t *n)
{
	double *number;

	number = cli_side_numbers(r, side, metric, n);
	for (size_t i = 0; i < *n; i++)
		number[i] = log(number[i]);
	return number;
}

/* The median of what lies between two that follow each other; NAN: unknown. Frees @number. */
static double median_step(double *number, size_t n)
{
	double median = NAN;

	for (size_t i = 0; i + 1 < n; i++)
		number[i] = fabs(number[i + 1] - number[i]);
	if (n > 1) {
		cli_sort(number, n - 1);
		median = cli_quantile(number, n - 1, 0.5);
	}
	free(number);
	return median;
}

/*
 * How much @metric varies: a logarithm of a factor; NAN: unknown. Of rounds by what does not change
 * where two commands change places in one: a metric that was chosen because both commands were
 * steady in these runs would more often be one in which they differ by chance (5.8 % of 3,000
 * comparisons of a program with itself).
 */
static double step_of(const struct cli_results *r, size_t metric)
{
	double most = 0, *number;
	size_t n;

	if (r->is_interleaved) {
		number = round_sums(r, metric, &n);
		return median_step(number, n);
	}
	for (size_t i = 0; i < r->sides; i++) {
		double step;

		number = logarithms(r, i, metric, &n);
		step = median_step(number, n);
		most = step <= most ? most : step;
		if (isnan(step))
			return NAN;
	}
	return most;
}

/* What is known in whole microseconds (getrusage(2)) is not steadier than one of them. */
static double resolution(const struct cli_results *r, size_t metric)
{
	const char *name = r->metric[metric].name;
	double most = 0;

	if (strcmp(name, CLI_METRIC_USER) != 0 && strcmp(name, CLI_METRIC_CPU) != 0)
		return 0;
	for (size_t i = 0; i < r->sides; i++)
		most = fmax(most, 1000 / cli_side_median(r, i, metric));
	return most;
}

static bool has_all(const struct cli_results *r, size_t metric)
{
	if (metric == SIZE_MAX)
		return false;
	for (size_t i = 0; i < r->sides; i++)
		if (!cli_side_has_number(r, i, metric))
			return false;
	return true;
}

/* Nothing has a ratio to 0, be it in a run that others have no partner of. */
static bool has_zero(const struct cli_results *r, size_t metric)
{
	for (size_t side = 0; side < r->sides; side++)
		for (size_t i = 0; i < r->side[side].runs; i++)
			if (r->side[side].value[i * r->metrics + metric] <= 0)
				return true;
	return false;
}

/* Is @part at least @least and at most @most of @whole, in each command? NAN is no share. */
static bool is_share(const struct cli_results *r, const char *part, const char *whole, double least,
		     double most)
{
	size_t of = cli_results_find_metric(r, part), all = cli_results_find_metric(r, whole);

	for (size_t i = 0; i < r->sides; i++) {
		double share;

		if (of == SIZE_MAX || all == SIZE_MAX)
			return false;
		share = cli_side_median(r, i, of) / cli_side_median(r, i, all);
		if (!(share >= least && share <= most))
			return false;
	}
	return true;
}

/* The metrics that tell of speed here, the best first; how many. */
static size_t find_candidates(const struct cli_results *r, const char **candidate)
{
	size_t n = 0;

	if (is_share(r, CLI_METRIC_CPU, CLI_METRIC_REAL, BUSY_LEAST, BUSY_MOST)) {
		if (is_share(r, CLI_METRIC_USER, CLI_METRIC_CPU, USER_LEAST, 1)) {
			candidate[n++] = CLI_METRIC_INSTRUCTIONS;
			candidate[n++] = CLI_METRIC_USER;
		}
		candidate[n++] = CLI_METRIC_CPU;
	}
	candidate[n++] = CLI_METRIC_REAL;
	return n;
}

size_t cli_results_steadiest(const struct cli_results *r)
{
	const char *candidate[4];
	size_t best = SIZE_MAX, n = find_candidates(r, candidate);
	double least = INFINITY;

	for (size_t i = 0; i < n; i++) {
		size_t metric = cli_results_find_metric(r, candidate[i]);
		double of;

		if (!has_all(r, metric))
			continue;
		of = step_of(r, metric);
		of = isnan(of) || has_zero(r, metric) ? INFINITY : fmax(of, resolution(r, metric));
		/* Without a second run the first candidate is as good as the others. */
		if (best == SIZE_MAX || of < least) {
			best = metric;
			least = of;
		}
	}
	return best;
}

bool cli_changes_contradict(const struct cli_change *a, const struct cli_change *b)
{
	return a->factor.is_known && b->factor.is_known &&
	       (a->factor.high < b->factor.low || a->factor.low > b->factor.high);
}

/*
 * Real time is certain of something that @metric excludes, which then is no measure of speed. As
 * certain as a report's second line, else a metric that never errs would be given up for one that
 * errs in 5 %.
 */
static bool is_contradicted(const struct cli_results *r, size_t metric)
{
	size_t real = cli_results_find_metric(r, CLI_METRIC_REAL);

	for (size_t i = 0; i < r->sides && real != SIZE_MAX && real != metric; i++) {
		struct cli_change by, time;

		if (r->side[i].reference == SIZE_MAX)
			continue;
		by = cli_change_of(r, i, metric);
		time = cli_change_beside(r, i, real, 1);
		if (cli_changes_contradict(&by, &time))
			return true;
	}
	return false;
}

size_t cli_results_decider(const struct cli_results *r)
{
	size_t by;

	if (r->by) {
		by = cli_results_find_metric(r, r->by);
		return has_all(r, by) ? by : SIZE_MAX;
	}
	if (r->is_in_emulator) {
		by = cli_results_find_metric(r, CLI_METRIC_EMULATED);
		return has_all(r, by) ? by : SIZE_MAX;
	}
	if (r->sides == 1)
		return cli_results_find_metric(r, CLI_METRIC_REAL);
	by = cli_results_steadiest(r);
	if (by != SIZE_MAX && is_contradicted(r, by))
		by = cli_results_find_metric(r, CLI_METRIC_REAL);
	return by;
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
