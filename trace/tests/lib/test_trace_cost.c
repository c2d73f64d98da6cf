// SPDX-License-Identifier: MIT
/* What tracing costs, from numbers whose answers were worked out by hand. */
#include <errno.h>
#include <math.h>

#include <ntime/trace/cost.h>

#include "base/common/compiler.h"
#include "trace/tests/lib/context.h"
#include "base/tests/tt.h"

static const struct runs_row {
	int line;
	uint64_t with[8];
	size_t n;
	uint64_t without[8];
	size_t m;
	uint64_t accesses;
	double with_ns, without_ns, with_spread, without_spread, access_ns;
	uint32_t flags;
} runs_rows[] = {
	/* median 300 and 100; of fewer than four runs the spread is the range */
	{ __LINE__,
	  { 310, 290, 300 },
	  3,
	  { 100, 105, 95 },
	  3,
	  50,
	  300,
	  100,
	  20,
	  10,
	  4,
	  NTIME_COST_PER_ACCESS },
	/* 10 apart, 20 of spread */
	{ __LINE__,
	  { 100, 120 },
	  2,
	  { 95, 105 },
	  2,
	  10,
	  110,
	  100,
	  20,
	  10,
	  1,
	  NTIME_COST_PER_ACCESS | NTIME_COST_WITHIN_SPREAD },
	/* as far apart as the spread is still within it, a little more is not */
	{ __LINE__,
	  { 110, 130 },
	  2,
	  { 100, 100 },
	  2,
	  0,
	  120,
	  100,
	  20,
	  0,
	  0,
	  NTIME_COST_WITHIN_SPREAD },
	{ __LINE__, { 112, 130 }, 2, { 100, 100 }, 2, 0, 121, 100, 18, 0, 0, 0 },
	/* faster with than without, by more than chance */
	{ __LINE__, { 50, 52 }, 2, { 100, 100 }, 2, 0, 51, 100, 2, 0, 0, 0 },
	/* from four runs on quartiles: an outlier does not count; 2 3 4 5 1000 -> 3 and 5 */
	{ __LINE__,
	  { 3, 1000, 4, 2, 5 },
	  5,
	  { 1, 1, 1, 1 },
	  4,
	  3,
	  4,
	  1,
	  2,
	  0,
	  1,
	  NTIME_COST_PER_ACCESS },
	/* quartiles between two: 0 10 20 30 -> 7.5 and 22.5 */
	{ __LINE__,
	  { 0, 10, 20, 30 },
	  4,
	  { 0, 0 },
	  2,
	  0,
	  15,
	  0,
	  15,
	  0,
	  0,
	  NTIME_COST_WITHIN_SPREAD },
};

static int is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

TEST(costs_of_runs)
{
	TT_FOR_EACH_ROW(r, runs_rows) {
		struct ntime_trace_cost c = { .size = sizeof(c) };

		TT_EQ(r,
		      ntime_trace_cost_runs(tt_ctx, r->with, r->n, r->without, r->m, r->accesses,
					    &c),
		      0);
		TT_EQ(r, is_near(c.with_ns, r->with_ns), 1);
		TT_EQ(r, is_near(c.without_ns, r->without_ns), 1);
		TT_EQ(r, is_near(c.with_spread_ns, r->with_spread), 1);
		TT_EQ(r, is_near(c.without_spread_ns, r->without_spread), 1);
		TT_EQ(r, is_near(c.cost_ns, r->with_ns - r->without_ns), 1);
		TT_EQ(r, is_near(c.access_ns, r->access_ns), 1);
		TT_EQ(r, c.flags, r->flags);
		TT_EQ(r, c.with_runs, r->n);
		TT_EQ(r, c.without_runs, r->m);
	}
}

TEST(refuses_single_runs)
{
	struct ntime_trace_cost c = { .size = sizeof(c) };
	uint64_t ns[2] = { 1, 2 };

	TT_IS(ntime_trace_cost_runs(tt_ctx, ns, 1, ns, 2, 0, &c), -ENODATA);
	TT_HAS(ntime_trace_error_text(tt_ctx), "1 run with tracing and 2 without");
	TT_IS(ntime_trace_cost_runs(tt_ctx, ns, 2, ns, 0, 0, &c), -ENODATA);
	c.size = 1;
	TT_IS(ntime_trace_cost_runs(tt_ctx, ns, 2, ns, 2, 0, &c), -EINVAL);
}

/* Accesses of a trace: time, offset; of reads 0 in front of the offset. */
struct access {
	uint64_t time_ns, offset;
};

static void put(struct ntime_trace_diff *d, uint32_t side, const struct access *a, size_t n,
		uint32_t flags)
{
	for (size_t i = 0; i < n; i++) {
		struct ntime_record r = {
			.time_ns = a[i].time_ns,
			.offset = a[i].offset,
			.width = 4,
			.kind = NTIME_RECORD_WRITE,
			.flags = (uint8_t)(NTIME_RECORD_VALUED | flags),
		};
		struct ntime_trace_batch batch = { .size = sizeof(batch), .n = 1, .records = &r };

		assert_int_equal(ntime_trace_diff_put(d, side, &batch), 0);
	}
}

static struct ntime_trace_diff *diff_new(uint32_t flags)
{
	struct ntime_trace_diff_options o = { .size = sizeof(o), .flags = flags };
	struct ntime_trace_diff *d;

	assert_int_equal(ntime_trace_diff_new(tt_ctx, &o, &d), 0);
	return d;
}

/*
 * 1, 2, 3, 4 are in both; a and b only in the traced one. Between 1 and 2 two more take 20, between
 * 2 and 3 one takes 12, between 3 and 4 none.
 */
static const struct access more[] = {
	{ 1000, 1 },  { 1010, 10 }, { 1020, 11 }, { 1050, 2 },
	{ 1060, 10 }, { 1092, 3 },  { 1100, 4 },
};
static const struct access less[] = { { 500, 1 }, { 530, 2 }, { 560, 3 }, { 568, 4 } };

TEST(costs_of_logs)
{
	struct ntime_trace_diff *d = diff_new(NTIME_DIFF_STRICT);
	struct ntime_trace_cost c = { .size = sizeof(c) };

	put(d, 0, more, NTI_ARRAY_SIZE(more), NTIME_RECORD_TIMED);
	put(d, 1, less, NTI_ARRAY_SIZE(less), NTIME_RECORD_TIMED);
	TT_IS(ntime_trace_cost_logs(d, &c), 0);
	TT_IS(c.with_ns, 100);
	TT_IS(c.without_ns, 68);
	TT_IS(c.cost_ns, 32);
	TT_IS(c.accesses, 3);
	TT_IS(c.pieces, 2);
	TT_IS(is_near(c.access_ns, 11), 1); /* of 10 and 12 */
	TT_IS(is_near(c.access_low_ns, 10.5), 1);
	TT_IS(is_near(c.access_high_ns, 11.5), 1);
	TT_IS(c.flags, NTIME_COST_PER_ACCESS);
	ntime_trace_diff_free(d);
}

TEST(refuses_logs)
{
	static const struct {
		int line;
		size_t a, b;
		uint32_t flags[2];
		const char *sentence;
	} rows[] = {
		{ __LINE__, 7, 4, { 0, NTIME_RECORD_TIMED }, "the first trace has no times" },
		{ __LINE__, 7, 4, { NTIME_RECORD_TIMED, 0 }, "the second trace has no times" },
		{ __LINE__, 7, 1, { NTIME_RECORD_TIMED, NTIME_RECORD_TIMED }, "1 access with" },
	};
	struct ntime_trace_cost c = { .size = sizeof(c) };
	struct ntime_trace_diff *d;

	TT_FOR_EACH_ROW(r, rows) {
		d = diff_new(NTIME_DIFF_STRICT);
		put(d, 0, more, r->a, r->flags[0]);
		put(d, 1, less, r->b, r->flags[1]);
		TT_EQ(r, ntime_trace_cost_logs(d, &c), -ENODATA);
		TT_HAS(ntime_trace_error_text(tt_ctx), r->sentence);
		ntime_trace_diff_free(d);
	}
	/* the wrong way round */
	d = diff_new(NTIME_DIFF_STRICT);
	put(d, 0, less, 4, NTIME_RECORD_TIMED);
	put(d, 1, more, 7, NTIME_RECORD_TIMED);
	TT_IS(ntime_trace_cost_logs(d, &c), -ENODATA);
	TT_HAS(ntime_trace_error_text(tt_ctx), "3 accesses fewer");
	ntime_trace_diff_free(d);
	d = diff_new(0);
	TT_IS(ntime_trace_cost_logs(d, &c), -EINVAL);
	ntime_trace_diff_free(d);
}

/* One place, or places that disagree about the sign, tell nothing. */
TEST(says_what_is_chance)
{
	static const struct access one[] = { { 0, 1 }, { 5, 10 }, { 20, 2 } };
	static const struct access other[] = { { 0, 1 }, { 10, 2 } };
	static const struct access split[] = {
		{ 0, 1 }, { 5, 10 }, { 20, 2 }, { 25, 10 }, { 28, 3 }
	};
	static const struct access whole[] = { { 0, 1 }, { 10, 2 }, { 30, 3 } };
	struct ntime_trace_cost c = { .size = sizeof(c) };
	struct ntime_trace_diff *d = diff_new(NTIME_DIFF_STRICT);

	put(d, 0, one, 3, NTIME_RECORD_TIMED);
	put(d, 1, other, 2, NTIME_RECORD_TIMED);
	TT_IS(ntime_trace_cost_logs(d, &c), 0);
	TT_IS(c.flags, NTIME_COST_PER_ACCESS | NTIME_COST_WITHIN_SPREAD);
	TT_IS(is_near(c.access_ns, 10), 1);
	ntime_trace_diff_free(d);
	d = diff_new(NTIME_DIFF_STRICT);
	put(d, 0, split, 5, NTIME_RECORD_TIMED);
	put(d, 1, whole, 3, NTIME_RECORD_TIMED);
	TT_IS(ntime_trace_cost_logs(d, &c), 0);
	TT_IS(c.flags, NTIME_COST_PER_ACCESS | NTIME_COST_WITHIN_SPREAD); /* 10 and -12 */
	ntime_trace_diff_free(d);
	/* nothing more in either: no cost of an access */
	d = diff_new(NTIME_DIFF_STRICT);
	put(d, 0, whole, 3, NTIME_RECORD_TIMED);
	put(d, 1, whole, 3, NTIME_RECORD_TIMED);
	TT_IS(ntime_trace_cost_logs(d, &c), 0);
	TT_IS(c.flags, NTIME_COST_WITHIN_SPREAD);
	TT_IS(c.accesses, 0);
	ntime_trace_diff_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_of_runs),       cmocka_unit_test(refuses_single_runs),
		cmocka_unit_test(costs_of_logs),       cmocka_unit_test(refuses_logs),
		cmocka_unit_test(says_what_is_chance),
	};

	return cmocka_run_group_tests(tests, tt_open_context, tt_close_context) ? 1 : 0;
}
