// SPDX-License-Identifier: MIT
/* count/cli/report/tally.h: sums over targets, means over runs. */
#include <math.h>

#include "count/cli/report/tally.h"
#include "base/tests/tt.h"

static struct ntime_value value(uint64_t count, uint32_t flags)
{
	struct ntime_value v = { .count = count,
				 .value = (double)count,
				 .wanted_ns = 10,
				 .counted_ns = 10,
				 .flags = flags };

	if (flags & (NTIME_ABSENT | NTIME_NOT_COUNTED))
		v.value = NAN;
	return v;
}

#define LOST (NTIME_PROC | NTIME_NOT_COUNTED | NTIME_IMPLAUSIBLE)

static const struct sum_row {
	int line;
	uint32_t a, b; /* flags; counts are 3 and 4 */
	uint64_t count;
	uint32_t flags;
	bool is_known;
} sum_rows[] = {
	{ __LINE__, 0, 0, 7, 0, true },
	{ __LINE__, 0, NTIME_SCALED, 7, NTIME_SCALED, true },
	/* a part that is missing must not look like a part that is 0 */
	{ __LINE__, 0, NTIME_ABSENT, 3, NTIME_PARTIAL, true },
	{ __LINE__, NTIME_ABSENT, 0, 4, NTIME_PARTIAL, true },
	{ __LINE__, NTIME_NOT_COUNTED, 0, 4, NTIME_PARTIAL, true },
	{ __LINE__, NTIME_ABSENT, NTIME_ABSENT, 3, NTIME_ABSENT, false },
	{ __LINE__, NTIME_ABSENT, NTIME_NOT_COUNTED, 4, NTIME_NOT_COUNTED, false },
	/* nor has a part that went back a number beside one that did not */
	{ __LINE__, NTIME_PROC, LOST, 4, LOST, false },
	{ __LINE__, LOST, NTIME_PROC, 3, LOST, false },
};

TEST(sums)
{
	TT_FOR_EACH_ROW(r, sum_rows) {
		struct ntime_value sum = value(3, r->a), more = value(4, r->b);

		cli_value_add(&sum, &more);
		TT_EQ(r, sum.count, r->count);
		TT_EQ(r, sum.flags, r->flags);
		TT_EQ(r, cli_value_is_known(&sum), r->is_known);
		if (r->is_known)
			TT_EQ(r, sum.value, r->count);
	}
}

TEST(errors_add_as_squares)
{
	struct ntime_value a = value(100, NTIME_SCALED), b = value(100, NTIME_SCALED);

	a.below = 3;
	b.below = 4;
	a.above = 5;
	b.above = 12;
	cli_value_add(&a, &b);
	TT_IS(a.below, 5);
	TT_IS(a.above, 13);
	TT_IS(a.error, 13);
	TT_IS(a.wanted_ns, 20);
	/* What is all that is possible is so of each. */
	a.flags |= NTIME_BOUNDED;
	b.flags |= NTIME_BOUNDED;
	cli_value_add(&a, &b);
	TT_IS(a.below, 9);
	TT_IS(a.above, 25);
	TT_IS(a.flags, NTIME_SCALED | NTIME_BOUNDED);
	b.flags = NTIME_SCALED;
	cli_value_add(&a, &b);
	cli_value_add(&a, &b);
	TT_IS(a.below, 17);
}

TEST(counts_do_not_wrap)
{
	struct ntime_value a = value(UINT64_MAX - 1, 0), b = value(5, 0);

	cli_value_add(&a, &b);
	assert_true(a.count == UINT64_MAX);
}

TEST(unscaling)
{
	struct ntime_value v = { .count = 10,
				 .value = 40,
				 .error = 2,
				 .below = 2,
				 .above = 1,
				 .flags = NTIME_SCALED | NTIME_PARTIAL };
	struct ntime_value metric = { .value = 2, .flags = NTIME_SCALED | NTIME_METRIC };

	assert_true(cli_value_unscale(&v, 0.5));
	TT_IS(v.value, 5);
	TT_IS(v.error, 0);
	TT_IS(v.below + v.above, 0);
	TT_IS(v.flags, NTIME_PARTIAL);
	assert_false(cli_value_unscale(&v, 0.5));
	assert_false(cli_value_unscale(&metric, 1));
	TT_IS(metric.value, 2);
}

TEST(spread_of_known_numbers)
{
	/*
	 * 2 4 4 4 5 5 7 9: mean 5, squared differences 32, so the standard deviation of the mean is
	 * sqrt(32 / 7 / 8), and 95 % are within 2.3646 of it (tables of Student's t, 7 degrees)
	 */
	static const double numbers[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct cli_spread s = { 0 };

	TT_IS(cli_spread_ci95(&s) == 0, 1);
	for (size_t i = 0; i < 8; i++)
		cli_spread_add(&s, numbers[i]);
	TT_IS(s.n, 8);
	TT_IS(s.min, 2);
	TT_IS(s.max, 9);
	assert_true(fabs(s.mean - 5) < 1e-12);
	assert_true(fabs(cli_spread_ci95(&s) / (2.3646 * sqrt(32.0 / 7 / 8)) - 1) < 1e-3);
	assert_true(cli_spread_median(&s) == 4.5);
	cli_spread_add(&s, 100);
	assert_true(cli_spread_median(&s) == 5);
	cli_spread_fini(&s);
	assert_true(cli_spread_median(&s) == 0);
}

TEST(spreads_are_joined)
{
	static const double numbers[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	size_t i, split;

	for (split = 0; split <= 8; split++) {
		struct cli_spread s = { 0 }, more = { 0 };

		for (i = 0; i < 8; i++)
			cli_spread_add(i < split ? &s : &more, numbers[i]);
		cli_spread_join(&s, &more);
		TT_IS(s.n, 8);
		TT_IS(s.min == 2 && s.max == 9, 1);
		assert_true(fabs(s.mean - 5) < 1e-12);
		assert_true(fabs(s.m2 - 32) < 1e-12);
		cli_spread_fini(&s);
		cli_spread_fini(&more);
	}
}

static struct cli_drift drift_of(const char *sides)
{
	struct cli_spread s = { 0 };
	struct cli_drift drift;

	for (; *sides; sides++)
		cli_spread_add(&s, *sides == 'h' ? 3 : *sides == 'l' ? 1 : 2);
	drift = cli_spread_drift(&s);
	cli_spread_fini(&s);
	return drift;
}

static const struct drift_row {
	int line;
	const char *sides; /* of the median: high, low or m */
	size_t crossings;
	double expected, p;
} drift_rows[] = {
	{ __LINE__, "", 0, 0, 1 },
	{ __LINE__, "mmmm", 0, 0, 1 },
	{ __LINE__, "hl", 1, 1, 1 },
	/* of six ways two have one crossing, two have two */
	{ __LINE__, "llhh", 1, 2, 2.0 / 6 },
	{ __LINE__, "lhhl", 2, 2, 4.0 / 6 },
	{ __LINE__, "lhlh", 3, 2, 1 },
	{ __LINE__, "lmlmhmh", 1, 2, 2.0 / 6 },
	/* of 252 ways two */
	{ __LINE__, "lllllhhhhh", 1, 5, 2.0 / 252 },
};

TEST(drift_of_known_runs)
{
	TT_FOR_EACH_ROW(r, drift_rows) {
		struct cli_drift drift = drift_of(r->sides);

		TT_EQ(r, drift.crossings, r->crossings);
		TT_EQ(r, drift.expected * 1e6, r->expected * 1e6);
		TT_EQ(r, fabs(drift.p - r->p) < 1e-9, 1);
	}
}

/* Over all orders of four low and four high numbers and one that is the median. */
TEST(drift_is_as_rare_as_it_says)
{
	double share[9] = { 0 }, p[9], sum = 0;
	size_t all = 0;

	for (unsigned int bits = 0; bits < 1 << 8; bits++) {
		char sides[10] = "mmmmmmmmm";
		struct cli_drift drift;

		if (__builtin_popcount(bits) != 4)
			continue;
		for (unsigned int i = 0; i < 8; i++)
			sides[i < 4 ? i : i + 1] = bits >> i & 1 ? 'h' : 'l';
		drift = drift_of(sides);
		share[drift.crossings]++;
		p[drift.crossings] = drift.p;
		all++;
	}
	TT_IS(all, 70);
	for (size_t i = 1; i < 8; i++) {
		sum += share[i];
		assert_true(fabs(p[i] - sum / 70) < 1e-9);
	}
}

TEST(spread_of_negative_numbers)
{
	struct cli_spread s = { 0 };

	cli_spread_add(&s, -5);
	cli_spread_add(&s, -3);
	TT_IS(s.min, -5);
	TT_IS(s.max, -3);
	cli_spread_fini(&s);
}

TEST(one_run_is_passed_on_exactly)
{
	struct ntime_value v = { .count = (1ull << 63) + 1,
				 .value = 9.25,
				 .error = 0.5,
				 .below = 0.25,
				 .above = 0.5,
				 .wanted_ns = 7,
				 .counted_ns = 3,
				 .flags = NTIME_SCALED };
	struct cli_tally t = { 0 };
	struct ntime_value mean;

	cli_tally_add(&t, &v);
	cli_tally_mean(&t, &mean);
	assert_memory_equal(&mean, &v, sizeof(v));
	cli_tally_fini(&t);
}

TEST(mean_of_runs)
{
	struct ntime_value a = value(10, 0), b = value(21, NTIME_SCALED),
			   c = value(0, NTIME_NOT_COUNTED);
	struct cli_tally t = { 0 };
	struct ntime_value mean;

	b.below = 2;
	b.above = 4;
	cli_tally_add(&t, &a);
	cli_tally_add(&t, &b);
	/* a run without a number is no run with 0 */
	cli_tally_add(&t, &c);
	cli_tally_mean(&t, &mean);
	assert_true(fabs(mean.value - 15.5) < 1e-12);
	TT_IS(mean.count, 16);
	TT_IS(mean.error, 2);
	TT_IS(mean.flags, NTIME_SCALED);
	TT_IS(t.runs, 3);
	TT_IS(t.spread.n, 2);
	cli_tally_fini(&t);
}

TEST(mean_of_nothing)
{
	struct ntime_value a = value(0, NTIME_ABSENT), b = value(0, NTIME_NOT_COUNTED), mean;
	struct cli_tally t = { 0 };

	cli_tally_add(&t, &a);
	cli_tally_mean(&t, &mean);
	TT_IS(mean.flags, NTIME_ABSENT);
	assert_true(isnan(mean.value));
	cli_tally_add(&t, &b);
	cli_tally_mean(&t, &mean);
	TT_IS(mean.flags, NTIME_NOT_COUNTED);
}

#define RUNS_MOST 6

static const struct exception_row {
	int line;
	size_t runs;
	double run[RUNS_MOST];
	size_t n;
	double number, most;
} exception_rows[] = {
	{ __LINE__, 1, { 5 }, 0, 5, 0 },
	{ __LINE__, 3, { 5, 5, 5 }, 0, 5, 0 },
	{ __LINE__, 3, { 5, 17, 5 }, 1, 5, 12 },
	{ __LINE__, 5, { 4, 5, 5, 5, 17 }, 2, 5, 12 },
	/* Half of them is not most of them. */
	{ __LINE__, 4, { 5, 5, 6, 7 }, 4, 5.5, 1.5 },
	{ __LINE__, 2, { 5, 6 }, 2, 5.5, 0.5 },
	{ __LINE__, 6, { 1, 2, 3, 4, 5, 6 }, 6, 3.5, 2.5 },
};

TEST(runs_that_are_not_like_most)
{
	TT_FOR_EACH_ROW(r, exception_rows) {
		struct cli_spread s = { 0 };
		struct cli_exceptions e;

		for (size_t i = 0; i < r->runs; i++)
			cli_spread_add(&s, r->run[i]);
		e = cli_spread_exceptions(&s);
		TT_EQ(r, e.n, r->n);
		TT_EQ(r, e.number == r->number, true);
		TT_EQ(r, e.most == r->most, true);
		cli_spread_fini(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums),
		cmocka_unit_test(runs_that_are_not_like_most),
		cmocka_unit_test(errors_add_as_squares),
		cmocka_unit_test(counts_do_not_wrap),
		cmocka_unit_test(unscaling),
		cmocka_unit_test(spread_of_known_numbers),
		cmocka_unit_test(spreads_are_joined),
		cmocka_unit_test(drift_of_known_runs),
		cmocka_unit_test(drift_is_as_rare_as_it_says),
		cmocka_unit_test(spread_of_negative_numbers),
		cmocka_unit_test(one_run_is_passed_on_exactly),
		cmocka_unit_test(mean_of_runs),
		cmocka_unit_test(mean_of_nothing),
	};

	return TT_RUN(tests);
}
