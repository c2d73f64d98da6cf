// SPDX-License-Identifier: MIT
/*
 * count/cli/compare: how often the interval of "ntime compare A B" holds the truth, and how often
 * it tells two equal commands apart. Times of runs are drawn from noise of many shapes; all that is
 * done with them is the command's own code: results.c, verdict.c, stop.c and ranks.
 *
 * Beside it the t interval of the ratio of means: means with Student's t interval, relative errors
 * added in quadrature. That is what can be computed from means and standard deviations as other
 * tools print them; once of the very same runs, and once of as many runs of the first command and
 * then of the second one, which is the order of those tools.
 *
 *     test_cli_coverage [EXPERIMENTS]
 */
#include <math.h>

#include "count/cli/compare/stop.h"
#include "count/cli/compare/verdict.h"
#include "base/statistics/spread.h"
#include "base/tests/tt.h"

/* Of each row; the limits below are of so many, and of fewer they are wider. */
#define EXPERIMENTS 10000
/* An interval of 95 % holds in so many cases; more would be wider than it need be. */
#define LEAST_HELD 0.94
#define MOST_HELD 0.97
#define MOST_FALSE 0.056
/* Standard errors by which limits are wider where fewer experiments are made. */
#define ERRORS 3

#define FACTOR 1.03
#define PRECISION 0.01
#define PI 3.14159265358979323846
/* No run takes less, as a share of what it takes without noise. */
#define SHORTEST 0.05

static size_t experiments = EXPERIMENTS;

/**
 * struct noise - of the runs of one experiment, in the order in which they are made
 * @random:	state of random numbers
 * @k:		runs so far
 * @phase:	where a slow swing begins
 * @burst:	runs that are still disturbed
 * @last:	of the run before
 */
struct noise {
	uint64_t random;
	size_t k;
	double phase;
	size_t burst;
	double last;
};

/* Above 0 and up to 1. */
static double uniform(struct noise *s)
{
	return ldexp((double)((tt_random(&s->random) >> 11) + 1), -53);
}

/* G. E. P. Box' and M. E. Muller's method. */
static double gauss(struct noise *s)
{
	double radius = sqrt(-2 * log(uniform(s)));

	return radius * cos(2 * PI * uniform(s));
}

/* Each of these is the share by which the next run takes longer than without noise. */

static double normal(struct noise *s)
{
	return 0.02 * gauss(s);
}

/* The machine gets slower, and swings. */
static double drift(struct noise *s)
{
	double k = (double)s->k;

	return 0.01 * gauss(s) + 0.1 * sin(k / 15 + s->phase) + 0.003 * k;
}

/* Now and then something else runs for a while. */
static double bursts(struct noise *s)
{
	if (s->burst)
		s->burst--;
	else if (uniform(s) < 0.05)
		s->burst = 1 + (size_t)(uniform(s) * 5);
	return 0.01 * gauss(s) + (s->burst ? 0.3 : 0);
}

/* Two ways to be laid out in memory. */
static double two_humps(struct noise *s)
{
	return 0.01 * gauss(s) + (uniform(s) < 0.5 ? 0.08 : 0);
}

/* Half of A.-L. Cauchy's distribution: without the cut it has no mean. */
static double heavy_tail(struct noise *s)
{
	return fmin(0.01 * tan(PI / 2 * (1 - uniform(s))), 5);
}

static double exponential(struct noise *s)
{
	return -0.03 * log(uniform(s));
}

static double lognormal(struct noise *s)
{
	return 0.02 * exp(gauss(s));
}

/* A run is much like the one before: an autoregressive process of first order. */
static double autocorrelated(struct noise *s)
{
	double of_last = s->k ? 0.9 : 0;

	s->last = of_last * s->last + 0.03 * sqrt(1 - of_last * of_last) * gauss(s);
	return s->last;
}

struct family {
	int line;
	const char *name;
	double (*next)(struct noise *s);
};

static const struct family families[] = {
	{ __LINE__, "normal", normal },		{ __LINE__, "drift", drift },
	{ __LINE__, "bursts", bursts },		{ __LINE__, "two humps", two_humps },
	{ __LINE__, "heavy tail", heavy_tail }, { __LINE__, "exponential", exponential },
	{ __LINE__, "lognormal", lognormal },	{ __LINE__, "autocorrelated", autocorrelated },
};

/**
 * struct plan - one row of the tables
 * @rounds:	0: until the interval is narrow enough
 * @factor:	of the second command's time
 * @is_added:	the noise is as many milliseconds for both, whatever they take
 */
struct plan {
	const struct family *of;
	size_t rounds;
	double factor;
	bool is_added;
};

/* Over experiments: how often an interval held the factor, told of a difference, and its width. */
struct sums {
	size_t held;
	size_t differs;
	double width;
};

/* The same experiments, judged in three ways. */
struct outcome {
	size_t rounds;
	struct sums ranks, t, t_in_order;
};

static double time_of_run(const struct plan *p, struct noise *s, double factor)
{
	double noise = fmax(p->of->next(s), SHORTEST - 1);

	s->k++;
	return p->is_added ? factor + noise : factor * (1 + noise);
}

/* In random order, as count/cli/compare/experiment.c does. */
static void run_round(const struct plan *p, struct noise *s, struct cli_results *r, size_t round)
{
	size_t first = tt_random(&s->random) >> 63;

	for (size_t i = 0; i < 2; i++) {
		size_t side = i ^ first;
		double real = time_of_run(p, s, side ? p->factor : 1);

		cli_results_add_run(r, side, round, &real);
	}
}

static void begin(const struct plan *p, struct cli_results *r, struct cli_stop *stop)
{
	*r = (struct cli_results){ .is_interleaved = true };
	(void)cli_results_add_metric(r, CLI_METRIC_REAL, "ns", "");
	(void)cli_results_add_side(r, "A", "A");
	(void)cli_results_add_side(r, "B", "B");
	cli_stop_init(stop, r, p->rounds, PRECISION, false);
}

static struct cli_spread spread_of(const struct cli_results *r, size_t side)
{
	struct cli_spread of = { 0 };

	for (size_t i = 0; i < r->side[side].runs; i++)
		cli_spread_add(&of, r->side[side].value[i]);
	return of;
}

static void add(struct sums *sums, const struct plan *p, double low, double high)
{
	sums->held += low <= p->factor && p->factor <= high;
	sums->differs += low > 1 || high < 1;
	sums->width += high - low;
}

static void add_t(struct sums *sums, const struct plan *p, struct cli_spread *a,
		  struct cli_spread *b)
{
	double ratio = b->mean / a->mean;
	double half = ratio * hypot(cli_spread_ci95(a) / a->mean, cli_spread_ci95(b) / b->mean);

	add(sums, p, ratio - half, ratio + half);
	cli_spread_fini(a);
	cli_spread_fini(b);
}

static void judge_by_t(const struct plan *p, const struct cli_results *r, struct sums *sums)
{
	struct cli_spread a = spread_of(r, 0), b = spread_of(r, 1);

	add_t(sums, p, &a, &b);
}

static void run_in_order(const struct plan *p, struct noise s, size_t rounds, struct sums *sums)
{
	struct cli_spread spread[2] = { { 0 }, { 0 } };

	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < rounds; i++)
			cli_spread_add(&spread[side], time_of_run(p, &s, side ? p->factor : 1));
	add_t(sums, p, &spread[0], &spread[1]);
}

static void experiment(const struct plan *p, struct noise s, struct outcome *o)
{
	struct noise before = s;
	struct cli_results r;
	struct cli_stop stop;
	struct cli_change c;
	size_t rounds = 0;

	begin(p, &r, &stop);
	do
		run_round(p, &s, &r, rounds++);
	while (!cli_stop_is_over(&stop, &r, rounds, 0));
	c = cli_change_of(&r, 1, cli_results_steadiest(&r));
	assert_true(c.factor.is_known);
	o->rounds += rounds;
	add(&o->ranks, p, c.factor.low, c.factor.high);
	judge_by_t(p, &r, &o->t);
	run_in_order(p, before, rounds, &o->t_in_order);
	cli_results_fini(&r);
}

static double share(size_t n)
{
	return (double)n / (double)experiments;
}

static void print_head(void)
{
	print_message("# %zu experiments a row; per cent of them, and width in per cent\n",
		      experiments);
	print_message("# %-22s %6s  %-18s  %-18s  %s\n", "", "", "ntime compare", "t interval",
		      "t, A before B");
	print_message("# %-15s %6s %6s  %6s %6s %5s  %6s %6s %5s  %6s %6s %5s\n", "noise", "factor",
		      "rounds", "held", "differ", "width", "held", "differ", "width", "held",
		      "differ", "width");
}

static void print_sums(const struct sums *s)
{
	print_message("  %6.2f %6.2f %5.2f", 100 * share(s->held), 100 * share(s->differs),
		      100 * s->width / (double)experiments);
}

static struct outcome simulate(const struct plan *p, uint64_t *random)
{
	struct outcome o = { 0 };

	for (size_t i = 0; i < experiments; i++) {
		struct noise s = { .random = tt_random(random) };

		s.phase = 2 * PI * uniform(&s);
		experiment(p, s, &o);
	}
	print_message("# %-15s %6.2f %6.1f", p->of->name, p->factor, share(o.rounds));
	print_sums(&o.ranks);
	print_sums(&o.t);
	print_sums(&o.t_in_order);
	print_message("\n");
	return o;
}

/* How much further a share may be from @limit by chance than it may of EXPERIMENTS. */
static double chance(double limit)
{
	return experiments < EXPERIMENTS ? ERRORS * sqrt(limit * (1 - limit) / (double)experiments)
					 : 0;
}

static void check(const struct plan *p, const struct sums *sums)
{
	double held = share(sums->held);

	TT_EQ(p->of, held >= LEAST_HELD - chance(LEAST_HELD), true);
	TT_EQ(p->of, held <= MOST_HELD + chance(MOST_HELD), true);
	if (p->factor == 1)
		TT_EQ(p->of, share(sums->differs) <= MOST_FALSE + chance(MOST_FALSE), true);
}

static void check_all(const size_t *rounds, size_t n, const double *factors, size_t n_factors)
{
	uint64_t random = tt_seed();

	print_head();
	for (size_t i = 0; i < n * n_factors; i++) {
		TT_FOR_EACH_ROW(of, families) {
			struct plan p = { of, rounds[i / n_factors], factors[i % n_factors],
					  false };
			struct outcome o = simulate(&p, &random);

			check(&p, &o.ranks);
		}
	}
}

TEST(fixed_rounds_hold)
{
	static const size_t rounds[] = { 8, 12, 20 };
	static const double factors[] = { FACTOR, 1 };

	check_all(rounds, 3, factors, 2);
}

/* A large factor need not be known that well, so there the estimate has a say in when to stop. */
TEST(stopped_rounds_hold)
{
	static const size_t rounds[] = { 0 };
	static const double factors[] = { FACTOR, 1, 1.5 };

	check_all(rounds, 1, factors, 3);
}

/*
 * Where both are disturbed by the same time and not by the same share, the ratios of rounds are not
 * quite symmetric, and what takes time of its own on average makes the true factor smaller:
 * printed, and promised nowhere.
 */
TEST(noise_that_is_added)
{
	static const size_t rounds[] = { 20, 0 };
	uint64_t random = tt_seed();

	print_head();
	for (size_t i = 0; i < 2; i++) {
		TT_FOR_EACH_ROW(of, families) {
			struct plan p = { of, rounds[i], FACTOR, true };

			(void)simulate(&p, &random);
		}
	}
}

/* Metrics that are all equally good to decide by; each has noise of its own. */
static const char *const metrics[] = { CLI_METRIC_REAL, CLI_METRIC_USER, CLI_METRIC_CPU };
#define METRICS (sizeof(metrics) / sizeof(metrics[0]))
/* User time is most of CPU time. */
static const double metric_size[METRICS] = { 1, 0.9, 1 };

/* The metric that decides, and any line of a report of all of them. */
struct alarms {
	size_t decider, any;
};

static void add_alarms(const struct cli_results *r, struct alarms *alarms)
{
	size_t by = cli_results_decider(r);
	bool differs = cli_change_of(r, 1, by).differs;

	alarms->decider += differs;
	for (size_t i = 0; i < METRICS; i++)
		differs |= i != by && cli_change_beside(r, 1, i, METRICS - 1).differs;
	alarms->any += differs;
}

static void compare_alike(size_t rounds, struct noise *s, struct alarms *alarms)
{
	struct cli_results r = { .is_interleaved = true };
	struct cli_stop stop;
	size_t made = 0;

	for (size_t i = 0; i < METRICS; i++)
		(void)cli_results_add_metric(&r, metrics[i], "ns", "");
	(void)cli_results_add_side(&r, "A", "A");
	(void)cli_results_add_side(&r, "B", "B");
	cli_stop_init(&stop, &r, rounds, PRECISION, false);
	do {
		for (size_t side = 0; side < 2; side++) {
			double value[METRICS];

			for (size_t i = 0; i < METRICS; i++)
				value[i] = metric_size[i] * (1 + 0.02 * normal(s));
			cli_results_add_run(&r, side, made, value);
		}
	} while (!cli_stop_is_over(&stop, &r, ++made, 0));
	add_alarms(&r, alarms);
	cli_results_fini(&r);
}

/*
 * That the steadiest of several metrics decides must not make it more often one that errs, and
 * neither must what is printed below it.
 */
TEST(choice_does_no_harm)
{
	static const size_t rounds[] = { 8, 10, 20, 0 };
	uint64_t random = tt_seed();

	for (size_t i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
		struct noise s = { .random = tt_random(&random) };
		struct alarms differ = { 0 };

		for (size_t k = 0; k < experiments; k++)
			compare_alike(rounds[i], &s, &differ);
		print_message("# the steadiest of %zu, %zu rounds: %.2f %% differ by chance, in "
			      "any line %.2f %%\n",
			      METRICS, rounds[i], 100 * share(differ.decider),
			      100 * share(differ.any));
		assert_true(share(differ.any) <= MOST_FALSE + chance(MOST_FALSE));
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_rounds_hold),
		cmocka_unit_test(stopped_rounds_hold),
		cmocka_unit_test(noise_that_is_added),
		cmocka_unit_test(choice_does_no_harm),
	};

	if (argc > 1)
		experiments = strtoul(argv[1], NULL, 10);
	if (!experiments)
		return 1;
	return TT_RUN(tests);
}
