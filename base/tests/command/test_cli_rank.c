// SPDX-License-Identifier: MIT
/*
 * base/statistics/rank.h: intervals by ranks, beside published ones and all of the ways to count.
 */
#include <math.h>

#include "base/statistics/rank.h"
#include "base/statistics/spread.h"
#include "base/tests/tt.h"

#define MOST 16

/*
 * Hamilton depression scale of 9 patients before and after treatment (D. S. Salsburg's data in M.
 * Hollander and D. A. Wolfe, "Nonparametric Statistical Methods", 1973, pages 27 to 33; the example
 * of R's wilcox.test).
 */
static const double before[] = { 1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30 };
static const double after[] = { 0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29 };
/*
 * Permeability of the chorioamnion at term and at 12 to 26 weeks (the same book, pages 69 to 75).
 */
static const double term[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
static const double weeks[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-9 * fmax(1, fabs(b));
}

TEST(published_signed_ranks)
{
	double d[9];
	struct cli_interval r;

	for (size_t i = 0; i < 9; i++)
		d[i] = after[i] - before[i];
	r = cli_signed_rank(d, 9, 0.95);
	assert_true(r.is_known);
	/* R 4.2: wilcox.test(after, before, paired = TRUE, conf.int = TRUE) */
	assert_true(is_near(r.estimate, -0.46));
	assert_true(is_near(r.low, -0.786));
	assert_true(is_near(r.high, -0.01));
}

/* R 4.2: qbinom(0.025, n, 0.5) */
TEST(medians)
{
	static const struct {
		size_t n;
		double low, high;
	} rows[] = { { 5, 0, 0 },   { 6, 1, 6 },    { 8, 1, 8 },     { 9, 2, 8 },
		     { 20, 6, 15 }, { 60, 22, 39 }, { 100, 40, 61 }, { 1000, 469, 532 } };
	double number[1000];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cli_interval r;

		for (size_t k = 0; k < rows[i].n; k++)
			number[k] = (double)(rows[i].n - k);
		r = cli_sign(number, rows[i].n, 0.95);
		assert_true(is_near(r.estimate, ((double)rows[i].n + 1) / 2));
		assert_true(r.is_known == (rows[i].low > 0));
		if (r.is_known)
			assert_true(is_near(r.low, rows[i].low) && is_near(r.high, rows[i].high));
	}
}

TEST(published_rank_sums)
{
	double a[5], b[10];
	struct cli_interval r;

	memcpy(a, weeks, sizeof(weeks));
	memcpy(b, term, sizeof(term));
	r = cli_rank_sum(a, 5, b, 10, 0.95);
	assert_true(r.is_known);
	/* R 4.2: wilcox.test(term, weeks, conf.int = TRUE) */
	assert_true(is_near(r.estimate, 0.305));
	assert_true(is_near(r.low, -0.15));
	assert_true(is_near(r.high, 0.76));
	/* Both are sorted, and nothing else. */
	assert_true(a[0] == 0.74 && a[4] == 1.21 && b[0] == 0.73 && b[9] == 1.91);
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* How many of the @n sorted statistics of all ways are left out at each end. */
static size_t left_out(const size_t *sums, size_t ways, size_t most, double level)
{
	size_t at = 0;

	for (;; at++) {
		size_t below = 0;

		for (size_t i = 0; i < ways; i++)
			below += sums[i] <= at;
		if ((double)below / (double)ways > (1 - level) / 2 || at == most)
			return at;
	}
}

/* Each of the 2^n ways to sign the ranks, and each mean of two, one by one. */
static struct cli_interval signed_by_enumeration(const double *d, size_t n, double level)
{
	static size_t sums[1 << MOST];
	static double means[MOST * (MOST + 1) / 2];
	size_t pairs = 0, out;

	for (size_t way = 0; way < 1u << n; way++) {
		sums[way] = 0;
		for (size_t i = 0; i < n; i++)
			sums[way] += way >> i & 1 ? i + 1 : 0;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = i; k < n; k++)
			means[pairs++] = (d[i] + d[k]) / 2;
	qsort(means, pairs, sizeof(*means), compare);
	out = left_out(sums, 1u << n, pairs, level);
	return (struct cli_interval){ .estimate = (means[(pairs - 1) / 2] + means[pairs / 2]) / 2,
				      .low = out ? means[out - 1] : 0,
				      .high = out ? means[pairs - out] : 0,
				      .is_known = out > 0 };
}

/* Each choice of which of n_a + n_b ranks are those of @b. */
static struct cli_interval sums_by_enumeration(const double *a, size_t n_a, const double *b,
					       size_t n_b, double level)
{
	static size_t sums[1 << MOST];
	static double steps[MOST * MOST];
	size_t pairs = 0, ways = 0, out;

	for (size_t way = 0; way < 1u << (n_a + n_b); way++) {
		size_t of_a = 0, larger = 0;

		if ((size_t)__builtin_popcountl(way) != n_b)
			continue;
		for (size_t i = 0; i < n_a + n_b; i++) {
			larger += way >> i & 1 ? of_a : 0;
			of_a += !(way >> i & 1);
		}
		sums[ways++] = larger;
	}
	for (size_t i = 0; i < n_a; i++)
		for (size_t k = 0; k < n_b; k++)
			steps[pairs++] = b[k] - a[i];
	qsort(steps, pairs, sizeof(*steps), compare);
	out = left_out(sums, ways, pairs, level);
	return (struct cli_interval){ .estimate = (steps[(pairs - 1) / 2] + steps[pairs / 2]) / 2,
				      .low = out ? steps[out - 1] : 0,
				      .high = out ? steps[pairs - out] : 0,
				      .is_known = out > 0 };
}

static void check_equal(const struct cli_interval *got, const struct cli_interval *want)
{
	TT_IS(got->is_known, want->is_known);
	assert_true(is_near(got->estimate, want->estimate));
	if (!want->is_known)
		return;
	assert_true(is_near(got->low, want->low));
	assert_true(is_near(got->high, want->high));
}

static uint32_t seed = 1;

/* Few different ones, so that many are equal, or nearly none. */
static double some(unsigned int different)
{
	seed = seed * 1664525u + 1013904223u;
	return (double)(seed >> 8) / 0x1p24 * different -
	       (different < 10 ? floor(different / 2.0) : 0);
}

TEST(every_way_is_counted)
{
	static const double levels[] = { 0.8, 0.95, 0.955, 0.99 };

	for (size_t round = 0; round < 120; round++) {
		double level = levels[round % 4], a[MOST], b[MOST], sorted[MOST];
		unsigned int different = round % 3 ? 1000 : 5;
		size_t n = 1 + round % 12, n_b = 1 + round % 6, n_a = 1 + round / 7 % 6;
		struct cli_interval got, want;

		for (size_t i = 0; i < n; i++) {
			a[i] = different < 10 ? floor(some(different)) : some(different);
			b[i] = different < 10 ? floor(some(different)) : some(different);
		}
		for (size_t i = n; i < MOST; i++)
			a[i] = b[i] = some(1000);
		want = signed_by_enumeration(a, n, level);
		memcpy(sorted, a, sizeof(a));
		got = cli_signed_rank(sorted, n, level);
		check_equal(&got, &want);
		want = sums_by_enumeration(a, n_a, b, n_b, level);
		got = cli_rank_sum(a, n_a, b, n_b, level);
		check_equal(&got, &want);
	}
}

TEST(few_and_none)
{
	double one[] = { 3 }, same[] = { 7, 7, 7, 7, 7, 7 }, mixed[] = { -1, 0, 0, 0, 0, 2 };
	struct cli_interval r;

	TT_IS(cli_signed_rank_least(0.95), 6);
	TT_IS(cli_signed_rank_least(0.99), 8);
	assert_true(isnan(cli_signed_rank(one, 0, 0.95).estimate));
	assert_true(isnan(cli_rank_sum(one, 0, same, 6, 0.95).estimate));
	r = cli_signed_rank(one, 1, 0.95);
	assert_true(!r.is_known && r.estimate == 3);
	/* What is the same each time is known exactly, and 0 is exactly 0. */
	r = cli_signed_rank(same, 6, 0.95);
	assert_true(r.is_known && r.estimate == 7 && r.low == 7 && r.high == 7);
	r = cli_signed_rank(mixed, 6, 0.8);
	assert_true(r.is_known && r.estimate == 0 && r.low == -0.5 && r.high == 1);
	r = cli_signed_rank(mixed, 6, 0.1);
	assert_true(r.is_known && r.low == 0 && r.high == 0);
	/* R's wilcox.test has none of 95 % for three and three: the least p is 2 / 20. */
	TT_IS(cli_rank_sum_least(0.95), 4);
	TT_IS(cli_rank_sum_least(0.99), 5);
	/* One less than the least, for each level. */
	for (int i = 1; i <= 13; i++) {
		double level = 1 - ldexp(1, -i);
		size_t least = cli_signed_rank_least(level);
		double d[MOST] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

		assert_true(cli_signed_rank(d, least, level).is_known);
		assert_true(least == 1 || !cli_signed_rank(d, least - 1, level).is_known);
	}
}

/* Where the normal distribution takes over, the interval makes no step. */
TEST(many)
{
	static double d[2 * CLI_RANK_EXACT], e[2 * CLI_RANK_EXACT];
	struct cli_interval exact, normal;

	for (size_t i = 0; i < 2 * CLI_RANK_EXACT; i++)
		d[i] = (double)(i * 37 % 61) / 61 + (double)i * 1e-6;
	memcpy(e, d, sizeof(d));
	exact = cli_signed_rank(d, CLI_RANK_EXACT, 0.95);
	normal = cli_signed_rank(e, CLI_RANK_EXACT + 1, 0.95);
	assert_true(fabs(exact.low - normal.low) < 0.02 && fabs(exact.high - normal.high) < 0.02);
	exact = cli_rank_sum(d, CLI_RANK_EXACT / 2, e, CLI_RANK_EXACT / 2, 0.95);
	normal = cli_rank_sum(d, CLI_RANK_EXACT / 2, e, CLI_RANK_EXACT / 2 + 1, 0.95);
	assert_true(fabs(exact.low - normal.low) < 0.03 && fabs(exact.high - normal.high) < 0.03);
}

TEST(normal_quantiles)
{
	/* M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions", table 26.5 */
	assert_true(fabs(cli_normal_quantile(0.975) - 1.95996398) < 1e-8);
	assert_true(fabs(cli_normal_quantile(0.995) - 2.57582930) < 1e-8);
	assert_true(fabs(cli_normal_quantile(0.5)) < 1e-8);
	assert_true(fabs(cli_normal_quantile(0.001) + 3.09023231) < 1e-8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_signed_ranks), cmocka_unit_test(medians),
		cmocka_unit_test(published_rank_sums),	  cmocka_unit_test(every_way_is_counted),
		cmocka_unit_test(few_and_none),		  cmocka_unit_test(many),
		cmocka_unit_test(normal_quantiles),
	};

	return TT_RUN(tests);
}
