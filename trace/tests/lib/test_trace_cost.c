// SPDX-License-Identifier: MIT
/* What tracing costs, from numbers whose answers were worked out by hand. */
#include <errno.h>
#include <math.h>

#include <ntime/trace/cost.h>

#include "trace/tests/lib/context.h"
#include "trace/tests/lib/records.h"

#define PER_ACCESS NTIME_COST_PER_ACCESS
#define WITHIN_SPREAD NTIME_COST_WITHIN_SPREAD

static const struct runs_row {
	int line;
	const char *with, *without; /* ns of the runs */
	uint64_t accesses;
	double with_ns, without_ns, with_spread, without_spread, access_ns;
	uint32_t flags;
} runs_rows[] = {
	/* median 300 and 100; of fewer than four runs the spread is the range */
	{ __LINE__, "310 290 300", "100 105 95", 50, 300, 100, 20, 10, 4, PER_ACCESS },
	/* 10 apart, 20 of spread */
	{ __LINE__, "100 120", "95 105", 10, 110, 100, 20, 10, 1, PER_ACCESS | WITHIN_SPREAD },
	/* as far apart as the spread is still within it, a little more is not */
	{ __LINE__, "110 130", "100 100", 0, 120, 100, 20, 0, 0, WITHIN_SPREAD },
	{ __LINE__, "112 130", "100 100", 0, 121, 100, 18, 0, 0, 0 },
	/* faster with than without, by more than chance */
	{ __LINE__, "50 52", "100 100", 0, 51, 100, 2, 0, 0, 0 },
	/* from four runs on quartiles: an outlier does not count; 2 3 4 5 1000 -> 3 and 5 */
	{ __LINE__, "3 1000 4 2 5", "1 1 1 1", 3, 4, 1, 2, 0, 1, PER_ACCESS },
	/* quartiles between two: 0 10 20 30 -> 7.5 and 22.5 */
	{ __LINE__, "0 10 20 30", "0 0", 0, 15, 0, 15, 0, 0, WITHIN_SPREAD },
};

static size_t parse_runs(const char *text, uint64_t *ns)
{
	size_t n = 0;
	char *end;

	for (; *text; text = *end ? end + 1 : end)
		ns[n++] = strtoull(text, &end, 10);
	return n;
}

static int is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

TEST(costs_of_runs)
{
	TT_FOR_EACH_ROW(r, runs_rows) {
		struct ntime_trace_cost c = { .size = sizeof(c) };
		uint64_t with[8], without[8];
		size_t n = parse_runs(r->with, with), m = parse_runs(r->without, without);

		TT_EQ(r, ntime_trace_cost_runs(tt_ctx, with, n, without, m, r->accesses, &c), 0);
		TT_EQ(r, is_near(c.with_ns, r->with_ns), 1);
		TT_EQ(r, is_near(c.without_ns, r->without_ns), 1);
		TT_EQ(r, is_near(c.with_spread_ns, r->with_spread), 1);
		TT_EQ(r, is_near(c.without_spread_ns, r->without_spread), 1);
		TT_EQ(r, is_near(c.cost_ns, r->with_ns - r->without_ns), 1);
		TT_EQ(r, is_near(c.access_ns, r->access_ns), 1);
		TT_EQ(r, c.flags, r->flags);
		TT_EQ(r, c.with_runs, n);
		TT_EQ(r, c.without_runs, m);
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

static void put(struct ntime_trace_diff *d, uint32_t side, const char *text)
{
	struct ntime_record r[8];
	struct ntime_trace_batch batch = { .size = sizeof(batch), .records = r };

	batch.n = tt_parse_records(text, r, 8);
	assert_int_equal(ntime_trace_diff_put(d, side, &batch), 0);
}

/* What the accesses of @with, beside those of @without, cost. */
static int cost_of(uint32_t flags, const char *with, const char *without,
		   struct ntime_trace_cost *c)
{
	struct ntime_trace_diff_options o = { .size = sizeof(o), .flags = flags };
	struct ntime_trace_diff *d;
	int ret;

	assert_int_equal(ntime_trace_diff_new(tt_ctx, &o, &d), 0);
	put(d, 0, with);
	put(d, 1, without);
	*c = (struct ntime_trace_cost){ .size = sizeof(*c) };
	ret = ntime_trace_cost_logs(d, c);
	ntime_trace_diff_free(d);
	return ret;
}

/*
 * 1, 2, 3, 4 are in both; a and b only in the traced one. Between 1 and 2 two more take 20, between
 * 2 and 3 one takes 12, between 3 and 4 none.
 */
#define MORE "W1=0@1000 Wa=0@1010 Wb=0@1020 W2=0@1050 Wa=0@1060 W3=0@1092 W4=0@1100"
#define LESS "W1=0@500 W2=0@530 W3=0@560 W4=0@568"

TEST(costs_of_logs)
{
	struct ntime_trace_cost c;

	TT_IS(cost_of(NTIME_DIFF_STRICT, MORE, LESS, &c), 0);
	TT_IS(c.with_ns, 100);
	TT_IS(c.without_ns, 68);
	TT_IS(c.cost_ns, 32);
	TT_IS(c.accesses, 3);
	TT_IS(c.pieces, 2);
	TT_IS(is_near(c.access_ns, 11), 1); /* of 10 and 12 */
	TT_IS(is_near(c.access_low_ns, 10.5), 1);
	TT_IS(is_near(c.access_high_ns, 11.5), 1);
	TT_IS(c.flags, NTIME_COST_PER_ACCESS);
}

static const struct refused_row {
	int line;
	uint32_t flags;
	const char *with, *without;
	int ret;
	const char *sentence;
} refused_rows[] = {
	{ __LINE__, NTIME_DIFF_STRICT, "W1=0 Wa=0 Wb=0 W2=0 Wa=0 W3=0 W4=0", LESS, -ENODATA,
	  "the first trace has no times" },
	{ __LINE__, NTIME_DIFF_STRICT, MORE, "W1=0 W2=0 W3=0 W4=0", -ENODATA,
	  "the second trace has no times" },
	{ __LINE__, NTIME_DIFF_STRICT, MORE, "W1=0@500", -ENODATA, "1 access with" },
	/* the wrong way round */
	{ __LINE__, NTIME_DIFF_STRICT, LESS, MORE, -ENODATA, "3 accesses fewer" },
	{ __LINE__, 0, "", "", -EINVAL, "" },
};

TEST(refuses_logs)
{
	struct ntime_trace_cost c;

	TT_FOR_EACH_ROW(r, refused_rows) {
		TT_EQ(r, cost_of(r->flags, r->with, r->without, &c), r->ret);
		tt_has_(ntime_trace_error_text(tt_ctx), r->sentence, "error", __FILE__, r->line);
	}
}

/* One place, or places that disagree about the sign, tell nothing. */
static const struct chance_row {
	int line;
	const char *with, *without;
	uint32_t flags;
	uint64_t accesses;
	double access_ns; /* 0: not looked at */
} chance_rows[] = {
	{ __LINE__, "W1=0@0 Wa=0@5 W2=0@20", "W1=0@0 W2=0@10", PER_ACCESS | WITHIN_SPREAD, 1, 10 },
	/* 10 and -12 */
	{ __LINE__, "W1=0@0 Wa=0@5 W2=0@20 Wa=0@25 W3=0@28", "W1=0@0 W2=0@10 W3=0@30",
	  PER_ACCESS | WITHIN_SPREAD, 2, 0 },
	/* nothing more in either: no cost of an access */
	{ __LINE__, "W1=0@0 W2=0@10 W3=0@30", "W1=0@0 W2=0@10 W3=0@30", WITHIN_SPREAD, 0, 0 },
};

TEST(says_what_is_chance)
{
	struct ntime_trace_cost c;

	TT_FOR_EACH_ROW(r, chance_rows) {
		TT_EQ(r, cost_of(NTIME_DIFF_STRICT, r->with, r->without, &c), 0);
		TT_EQ(r, c.flags, r->flags);
		TT_EQ(r, c.accesses, r->accesses);
		if (r->access_ns > 0)
			TT_EQ(r, is_near(c.access_ns, r->access_ns), 1);
	}
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
