// SPDX-License-Identifier: MIT
/*
 * What two traces do differently: by hand, line by line, and against the longest common subsequence
 * of random ones.
 */
#include <errno.h>
#include <stdbool.h>

#include <ntime/trace/diff.h>

#include "trace/tests/lib/context.h"
#include "trace/tests/lib/records.h"

static void put_records(struct ntime_trace_diff *d, uint32_t side, const struct ntime_record *r,
			size_t n)
{
	struct ntime_trace_batch batch = { .size = sizeof(batch), .n = n, .records = r };

	assert_int_equal(ntime_trace_diff_put(d, side, &batch), 0);
}

/* A trace as a text, with a record each microsecond. */
static void put(struct ntime_trace_diff *d, uint32_t side, const char *text)
{
	struct ntime_record r[16];
	size_t n = tt_parse_records(text, r, 16);

	for (size_t i = 0; i < n; i++) {
		r[i].time_ns = 1000 * (i + 1);
		r[i].flags |= NTIME_RECORD_TIMED;
		put_records(d, side, &r[i], 1);
	}
}

/*
 * Lines as a text: "@2,3" is a hunk behind two and three accesses; then " W10=5", "-R10", "+R10",
 * "~R10=5>6", with "*N" of folded loops.
 */
struct lines {
	char text[4096];
	size_t n;
};

static void put_access(struct lines *l, const struct ntime_record *r, uint64_t count)
{
	l->n += (size_t)sprintf(l->text + l->n, "%c%llx", r->kind == NTIME_RECORD_WRITE ? 'W' : 'R',
				(unsigned long long)r->offset);
	if (r->flags & NTIME_RECORD_VALUED)
		l->n += (size_t)sprintf(l->text + l->n, "=%llx", (unsigned long long)r->value);
	if (count > 1)
		l->n += (size_t)sprintf(l->text + l->n, "*%llu", (unsigned long long)count);
}

static int take(void *arg, const struct ntime_trace_change *c)
{
	static const char sign[] = "@ -+~";
	struct lines *l = arg;

	assert_true(l->n < sizeof(l->text) - 200);
	assert_int_equal(c->size, sizeof(*c));
	l->n += (size_t)sprintf(l->text + l->n, "%s%c", l->n ? "|" : "", sign[c->kind]);
	if (c->kind == NTIME_CHANGE_HUNK) {
		l->n += (size_t)sprintf(l->text + l->n, "%llu,%llu",
					(unsigned long long)c->before_a,
					(unsigned long long)c->before_b);
		return 0;
	}
	assert_int_equal(!c->a, c->kind == NTIME_CHANGE_ONLY_B);
	assert_int_equal(!c->b, c->kind == NTIME_CHANGE_ONLY_A);
	if (c->a)
		put_access(l, c->a, c->count_a);
	if (c->kind == NTIME_CHANGE_VALUE)
		l->n += (size_t)sprintf(l->text + l->n, ">");
	if (c->b && c->kind != NTIME_CHANGE_SAME)
		put_access(l, c->b, c->count_b);
	return 0;
}

static struct ntime_trace_diff *diff_new(uint32_t flags, uint32_t context)
{
	struct ntime_trace_diff_options o = { .size = sizeof(o),
					      .flags = flags,
					      .context = context };
	struct ntime_trace_diff *d;

	assert_int_equal(ntime_trace_diff_new(tt_ctx, &o, &d), 0);
	return d;
}

#define STRICT NTIME_DIFF_STRICT
#define NO_VALUES NTIME_DIFF_IGNORE_VALUES
#define NO_READ_VALUES NTIME_DIFF_IGNORE_READ_VALUES

static const struct diff_row {
	int line;
	uint32_t flags, context;
	const char *a, *b, *lines;
} diff_rows[] = {
	{ __LINE__, 0, 3, "", "", "" },
	{ __LINE__, 0, 3, "W10=1 R20=5 W30=2", "W10=1 R20=5 W30=2", "" },
	/* one more, one less */
	{ __LINE__, 0, 0, "W10=1 W30=2", "W10=1 W20=7 W30=2", "@1,1|+W20=7" },
	{ __LINE__, 0, 0, "W10=1 W20=7 W30=2", "W10=1 W30=2", "@1,1|-W20=7" },
	{ __LINE__, 0, 1, "W10=1 W30=2", "W10=1 W20=7 W30=2", "@0,0| W10=1|+W20=7| W30=2" },
	{ __LINE__, 0, 3, "", "W10=1", "@0,0|+W10=1" },
	/* the same register gets another value, reads another one */
	{ __LINE__, 0, 0, "W10=1 W20=7 W30=2", "W10=1 W20=8 W30=2", "@1,1|~W20=7>W20=8" },
	{ __LINE__, 0, 0, "W10=1 R20=7", "W10=1 R20=8", "@1,1|~R20=7>R20=8" },
	{ __LINE__, NO_READ_VALUES, 0, "W10=1 R20=7", "W10=1 R20=8", "" },
	{ __LINE__, NO_READ_VALUES, 0, "W10=1 R20=7", "W10=2 R20=8", "@0,0|~W10=1>W10=2" },
	{ __LINE__, NO_VALUES, 0, "W10=1 R20=7", "W10=2 R20=8", "" },
	/* other direction, other width: not the same */
	{ __LINE__, 0, 0, "W10=1", "R10=1", "@0,0|-W10=1|+R10=1" },
	{ __LINE__, 0, 0, "W10=1", "W10=1:2", "@0,0|-W10=1|+W10=1" },
	/* polling: not how often, but what came out */
	{ __LINE__, 0, 0, "R10=0 R10=0 R10=1 W20=1", "R10=0 R10=1 W20=1", "" },
	{ __LINE__, 0, 0, "R10=0 R10=0 R10=1 W20=1", "R10=0 R10=2 W20=1", "@0,0|~R10=1*3>R10=2*2" },
	{ __LINE__, STRICT, 0, "R10=0 R10=0 R10=1 W20=1", "R10=0 R10=1 W20=1",
	  "@1,1|~R10=0>R10=1|-R10=1" },
	/* loops of two and three reads */
	{ __LINE__, 0, 0, "R4 R8 R4 R8 R4 R8 W20=1", "R4 R8 W20=1", "" },
	{ __LINE__, 0, 0, "R4 R8 RC R4 R8 RC W20=1", "R4 R8 RC W20=1", "" },
	{ __LINE__, 0, 0, "R4 R4 R8 R4 R4 R4 R8 W20=1", "R4 R8 W20=1 W20=2", "@8,3|+W20=2" },
	/* writes are never folded */
	{ __LINE__, 0, 0, "W4=1 W4=1 W4=1", "W4=1 W4=1", "@2,2|-W4=1" },
	{ __LINE__, 0, 0, "R8 W4=1 R8 W4=1 R8 W4=1", "R8 W4=1 R8 W4=1", "@4,4|-R8|-W4=1" },
	/* what ntime made up is not there */
	{ __LINE__, 0, 0, "!R0=1 W4=1", "W4=1", "" },
	/* hunks: four steps between changes are one hunk with two steps of context, five are two */
	{ __LINE__, 0, 2, "W1=1 W0=1 W0=2 W0=3 W0=4", "W0=1 W0=2 W0=3 W0=4 W2=1",
	  "@0,0|-W1=1| W0=1| W0=2| W0=3| W0=4|+W2=1" },
	{ __LINE__, 0, 2, "W1=1 W0=1 W0=2 W0=3 W0=4 W0=5", "W0=1 W0=2 W0=3 W0=4 W0=5 W2=1",
	  "@0,0|-W1=1| W0=1| W0=2|@4,3| W0=4| W0=5|+W2=1" },
	{ __LINE__, 0, UINT32_MAX, "W1=1 W0=1 W0=2 W0=3", "W0=1 W0=2 W0=3",
	  "@0,0|-W1=1| W0=1| W0=2| W0=3" },
	/* the count in front goes on over folded loops */
	{ __LINE__, 0, 0, "R4=1 R4=1 R4=1 W8=1", "R4=1 W8=1 WC=1", "@4,2|+Wc=1" },
	/* pieces of several lines pair what goes to the same place, in order */
	{ __LINE__, 0, 0, "W0=1 W4=1 W8=1 WC=1 W0=9", "W0=1 W4=2 WC=2 W10=2 W0=9",
	  "@1,1|~W4=1>W4=2|-W8=1|~Wc=1>Wc=2|+W10=2" },
};

TEST(tells_differences)
{
	TT_FOR_EACH_ROW(r, diff_rows) {
		struct ntime_trace_diff *d = diff_new(r->flags, r->context);
		struct ntime_trace_diff_summary sum = { .size = sizeof(sum) };
		struct lines lines = { .n = 0 };

		put(d, 0, r->a);
		put(d, 1, r->b);
		TT_EQ(r, ntime_trace_diff_run(d, take, &lines, &sum), *r->lines != '\0');
		TT_STR(r, lines.text, r->lines);
		/* again the same, and only the summary */
		lines = (struct lines){ .n = 0 };
		TT_EQ(r, ntime_trace_diff_run(d, take, &lines, NULL), *r->lines != '\0');
		TT_STR(r, lines.text, r->lines);
		TT_EQ(r, ntime_trace_diff_run(d, NULL, NULL, &sum), *r->lines != '\0');
		TT_EQ(r, sum.same + sum.only_a + sum.values, sum.steps_a);
		TT_EQ(r, sum.same + sum.only_b + sum.values, sum.steps_b);
		ntime_trace_diff_free(d);
	}
}

#define NUMBER(member) TT_NUMBER(struct ntime_trace_diff_summary, member)

TEST(sums_up)
{
	static const struct tt_field fields[] = {
		NUMBER(accesses_a), NUMBER(accesses_b), NUMBER(steps_a), NUMBER(steps_b),
		NUMBER(same),	    NUMBER(only_a),	NUMBER(only_b),	 NUMBER(values),
		NUMBER(hunks),	    NUMBER(beginning),	{ 0 },
	};
	struct ntime_trace_diff *d = diff_new(0, 1);
	struct ntime_trace_diff_summary sum = { .size = sizeof(sum) };

	put(d, 0, "W0=1 W4=1 R8=1 R8=1 R8=2 WC=1 W10=1 W14=1 W18=1 W1C=1");
	put(d, 1, "W0=1 W4=1 R8=1 WC=1 W10=1 W14=1 W18=1 W20=1");
	TT_IS(ntime_trace_diff_run(d, NULL, NULL, &sum), 1);
	tt_fields_(&sum, fields,
		   "accesses_a=10, accesses_b=8, steps_a=8, steps_b=8, same=6, only_a=1, only_b=1, "
		   "values=1, hunks=2, beginning=7",
		   __FILE__, __LINE__);
	sum.size = 1;
	TT_IS(ntime_trace_diff_run(d, NULL, NULL, &sum), -EINVAL);
	ntime_trace_diff_free(d);
}

/* ---- devices ---- */

/* One whose name is an address is a function of PCI: bus 1, device and function 0. */
static void tell(struct ntime_trace_diff *d, uint32_t side, size_t index, const char *name)
{
	bool is_pci = strstr(name, "01:00.0");
	struct ntime_trace_device device = { .size = sizeof(device),
					     .name = name,
					     .is_pci = is_pci,
					     .bus_devfn = is_pci ? 256 : 0 };

	assert_int_equal(ntime_trace_diff_device(d, side, index, &device), 0);
}

static const struct device_row {
	int line;
	const char *name[2][2]; /* of devices 0 and 1 of both traces */
	const char *a, *b;
	int differs;
} device_rows[] = {
	/* by name, whatever the number */
	{ __LINE__, { { "x", "y" }, { "y", "x" } }, "W0=1 #1W0=2", "#1W0=1 W0=2", 0 },
	{ __LINE__, { { "x", "y" }, { "x", "y" } }, "W0=1 #1W0=2", "#1W0=1 W0=2", 1 },
	/* by place */
	{ __LINE__,
	  { { "0000:01:00.0", "y" }, { "z", "01:00.0" } },
	  "W0=1 #1W0=2 W0=3",
	  "#1W0=1 #1W0=3",
	  1 },
	{ __LINE__,
	  { { "0000:01:00.0", "y" }, { "y", "01:00.0" } },
	  "W0=1 #1W0=2",
	  "#1W0=1 W0=2",
	  0 },
	/* the only ones */
	{ __LINE__, { { "x", "y" }, { "z", "w" } }, "#1W0=1", "W0=1", 0 },
	/* several, and nobody's name: strangers */
	{ __LINE__, { { "x", "y" }, { "z", "w" } }, "W0=1 #1W0=1", "W0=1 #1W0=1", 1 },
	/* nothing is told */
	{ __LINE__, { { NULL } }, "W0=1 #1W0=2", "W0=1 #1W0=2", 0 },
};

TEST(pairs_devices)
{
	TT_FOR_EACH_ROW(r, device_rows) {
		struct ntime_trace_diff *d = diff_new(0, 0);

		for (uint32_t side = 0; side < 2; side++)
			for (size_t i = 0; i < 2; i++)
				if (r->name[side][i])
					tell(d, side, i, r->name[side][i]);
		put(d, 0, r->a);
		put(d, 1, r->b);
		TT_EQ(r, ntime_trace_diff_run(d, NULL, NULL, NULL), r->differs);
		ntime_trace_diff_free(d);
	}
}

static int check_device(void *arg, const struct ntime_trace_change *c)
{
	int *seen = arg;

	if (c->kind == NTIME_CHANGE_SAME) {
		TT_IS(c->a->device, 0);
		TT_IS(c->b->device, 1);
		++*seen;
	}
	if (c->kind == NTIME_CHANGE_ONLY_B) {
		TT_IS(c->b->device, 0);
		++*seen;
	}
	return 0;
}

/* Lines have each trace's own numbers. */
TEST(keeps_device_numbers)
{
	struct ntime_trace_diff *d = diff_new(0, 5);
	int seen = 0;

	tell(d, 0, 0, "x");
	tell(d, 1, 0, "y");
	tell(d, 1, 1, "x");
	put(d, 0, "W0=1");
	put(d, 1, "#1W0=1 W4=1");
	TT_IS(ntime_trace_diff_run(d, check_device, &seen, NULL), 1);
	TT_IS(seen, 2);
	ntime_trace_diff_free(d);
}

/* ---- what remains without a start-up ---- */

static const struct minus_row {
	int line;
	const char *a, *b, *lines;
	unsigned int beginning, also;
} minus_rows[] = {
	{ __LINE__, "W0=1 W4=1 W8=1", "W0=1 W4=1", "-W8=1", 2, 0 },
	{ __LINE__, "W0=1 W4=1", "W0=1 W4=1 W8=1", "", 2, 0 },
	/* behind the beginning it does not matter where, or how often, the other one does it */
	{ __LINE__, "W0=1 W4=1 WC=1 W4=1 W0=1 W8=2 W4=1", "W0=1 W4=1 W8=1", "-Wc=1|-W8=2", 2, 3 },
	/* reads answer what they like */
	{ __LINE__, "R0=1 W8=1 R0=2", "R0=5", "-W8=1", 1, 1 },
	{ __LINE__, "W0=1", "R0=1", "-W0=1", 0, 0 },
	{ __LINE__, "", "R0=1", "", 0, 0 },
};

TEST(takes_away_a_start)
{
	TT_FOR_EACH_ROW(r, minus_rows) {
		struct ntime_trace_diff *d = diff_new(0, 0);
		struct ntime_trace_diff_summary sum = { .size = sizeof(sum) };
		struct lines lines = { .n = 0 };

		put(d, 0, r->a);
		put(d, 1, r->b);
		TT_EQ(r, ntime_trace_diff_minus(d, take, &lines, &sum), *r->lines != '\0');
		TT_STR(r, lines.text, r->lines);
		TT_EQ(r, sum.beginning, r->beginning);
		TT_EQ(r, sum.also, r->also);
		TT_EQ(r, sum.beginning + sum.also + sum.only_a, sum.steps_a);
		ntime_trace_diff_free(d);
	}
}

/* ---- bounds and misuse ---- */

TEST(refuses)
{
	struct ntime_trace_diff_options o = { .size = sizeof(o), .flags = 0x100 };
	struct ntime_record r[200] = { { 0 } };
	struct ntime_trace_batch batch = { .size = sizeof(batch), .n = 200, .records = r };
	struct ntime_trace_device device = { .size = sizeof(device), .name = "x" };
	struct ntime_trace_diff *d;

	TT_IS(ntime_trace_diff_new(tt_ctx, &o, &d), -EINVAL);
	TT_HAS(ntime_trace_error_text(tt_ctx), "another version");
	for (unsigned int i = 0; i < 200; i++)
		r[i] = (struct ntime_record){ .offset = i, .kind = 1, .flags = 2, .width = 4 };
	o.flags = 0;
	o.memory_bytes = 8192;
	assert_int_equal(ntime_trace_diff_new(tt_ctx, &o, &d), 0);
	TT_IS(ntime_trace_diff_put(d, 2, &batch), -EINVAL);
	TT_IS(ntime_trace_diff_put(d, 0, &batch), -E2BIG);
	TT_HAS(ntime_trace_error_text(tt_ctx), "more than the 86 steps");
	TT_IS(ntime_trace_diff_device(d, 2, 0, &device), -EINVAL);
	TT_IS(ntime_trace_diff_device(d, 0, 0, &device), 0);
	TT_IS(ntime_trace_diff_device(d, 0, 0, &device), 0);
	TT_IS(ntime_trace_diff_run(d, NULL, NULL, NULL), 1);
	TT_IS(ntime_trace_diff_put(d, 0, &batch), -EINVAL);
	ntime_trace_diff_free(d);
	ntime_trace_diff_free(NULL);
}

static int stop(void *arg, const struct ntime_trace_change *c)
{
	(void)arg;
	return c->kind == NTIME_CHANGE_ONLY_B ? -ECANCELED : 0;
}

TEST(stops)
{
	struct ntime_trace_diff *d = diff_new(0, 0);

	put(d, 1, "W0=1");
	TT_IS(ntime_trace_diff_run(d, stop, NULL, NULL), -ECANCELED);
	ntime_trace_diff_free(d);
}

/* ---- against the longest common subsequence ---- */

#define MOST 60

struct random_trace {
	struct ntime_record r[MOST];
	size_t n;
};

static void make_random(struct random_trace *t, uint64_t *seed)
{
	t->n = tt_random(seed) % MOST;
	for (size_t i = 0; i < t->n; i++)
		t->r[i] = (struct ntime_record){
			.offset = tt_random(seed) % 3 * 4,
			.value = tt_random(seed) % 2,
			.kind = tt_random(seed) % 2,
			.width = 4,
			.flags = NTIME_RECORD_VALUED,
		};
}

static bool is_same(const struct ntime_record *a, const struct ntime_record *b)
{
	return a->offset == b->offset && a->kind == b->kind &&
	       (a->kind == NTIME_RECORD_READ || a->value == b->value);
}

static size_t common(const struct random_trace *a, const struct random_trace *b)
{
	static size_t best[MOST + 1][MOST + 1];

	memset(best, 0, sizeof(best));
	for (size_t i = 1; i <= a->n; i++)
		for (size_t j = 1; j <= b->n; j++) {
			best[i][j] =
				best[i - 1][j] > best[i][j - 1] ? best[i - 1][j] : best[i][j - 1];
			if (is_same(&a->r[i - 1], &b->r[j - 1]) &&
			    best[i - 1][j - 1] + 1 > best[i][j])
				best[i][j] = best[i - 1][j - 1] + 1;
		}
	return best[a->n][b->n];
}

/* Both traces come out again, in order, and what is the same is as much as can be. */
struct replay {
	const struct random_trace *a, *b;
	size_t i, j, same;
};

static int replay(void *arg, const struct ntime_trace_change *c)
{
	struct replay *p = arg;
	bool in_both;

	if (c->kind == NTIME_CHANGE_HUNK)
		return 0;
	if (c->a) {
		assert_true(is_same(c->a, &p->a->r[p->i]));
		assert_int_equal(c->a->value, p->a->r[p->i].value);
		assert_int_equal(c->before_a, p->i);
		p->i++;
	}
	if (c->b) {
		assert_true(is_same(c->b, &p->b->r[p->j]));
		assert_int_equal(c->before_b, p->j);
		p->j++;
	}
	in_both = c->a && c->b && is_same(c->a, c->b);
	p->same += in_both;
	if (c->kind == NTIME_CHANGE_SAME)
		assert_true(in_both && c->a->value == c->b->value);
	return 0;
}

TEST(as_much_in_common_as_can_be)
{
	uint64_t seed = tt_seed();

	for (int round = 0; round < 3000; round++) {
		struct ntime_trace_diff *d = diff_new(NTIME_DIFF_STRICT, UINT32_MAX);
		struct ntime_trace_diff_summary sum = { .size = sizeof(sum) };
		struct random_trace a, b;
		struct replay p = { .a = &a, .b = &b };

		make_random(&a, &seed);
		make_random(&b, &seed);
		put_records(d, 0, a.r, a.n);
		put_records(d, 1, b.r, b.n);
		assert_true(ntime_trace_diff_run(d, replay, &p, &sum) >= 0);
		if (sum.only_a || sum.only_b || sum.values) {
			assert_int_equal(p.i, a.n);
			assert_int_equal(p.j, b.n);
			assert_true(p.same >= common(&a, &b));
		} else {
			assert_int_equal(a.n, b.n);
			assert_int_equal(common(&a, &b), a.n);
		}
		ntime_trace_diff_free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_differences),
		cmocka_unit_test(sums_up),
		cmocka_unit_test(pairs_devices),
		cmocka_unit_test(keeps_device_numbers),
		cmocka_unit_test(takes_away_a_start),
		cmocka_unit_test(refuses),
		cmocka_unit_test(stops),
		cmocka_unit_test(as_much_in_common_as_can_be),
	};

	return cmocka_run_group_tests(tests, tt_open_context, tt_close_context) ? 1 : 0;
}
