// SPDX-License-Identifier: MIT
/* count/lib/metric/metric.h: formulas and their values. */
#include <errno.h>
#include <math.h>

#include "count/lib/metric/metric.h"
#include "base/tests/tt.h"

#define CHECK_EXACT(r, got, want)                                                                  \
	do {                                                                                       \
		if ((got) != (want))                                                               \
			fail_msg("%s:%d: %s is %.17g, expected %.17g", __FILE__, (r)->line, #got,  \
				 (double)(got), (double)(want));                                   \
	} while (0)

/* Events are named a, b, c ... in the tables: a is 8, b is 2, everything else 1. */
static double value_of(const char *event)
{
	if (strcmp(event, "a") == 0)
		return 8;
	if (strcmp(event, "b") == 0)
		return 2;
	if (strcmp(event, "nan") == 0)
		return NAN;
	if (strcmp(event, "inf") == 0)
		return INFINITY;
	if (strcmp(event, "huge") == 0)
		return 1e300;
	return 1;
}

static struct nti_number evaluate(const struct nti_formula *f, double real_ns)
{
	struct nti_number events[NTI_METRIC_MAX_EVENTS];
	double wanted_ns[NTI_METRIC_MAX_EVENTS];
	struct nti_formula_input in = { events, real_ns, 4, wanted_ns };
	size_t i;

	for (i = 0; i < nti_formula_count(f); i++)
		events[i] = (struct nti_number){ value_of(nti_formula_event(f, i)), 0 };
	/* Of a the time is that of the period, of others twice that. */
	for (i = 0; i < nti_formula_count(f); i++)
		wanted_ns[i] = strcmp(nti_formula_event(f, i), "a") == 0 ? 1000 : 2000;
	return nti_formula_eval(f, &in);
}

static const struct value_row {
	int line;
	const char *text;
	double value;
} value_rows[] = {
	/* precedence, grouping from the left */
	{ __LINE__, "1 + 2 * 3", 7 },
	{ __LINE__, "(1 + 2) * 3", 9 },
	{ __LINE__, "1 - 2 - 3", -4 },
	{ __LINE__, "1 - (2 - 3)", 2 },
	{ __LINE__, "8 / 4 / 2", 1 },
	{ __LINE__, "8 / 4 * 2", 4 },
	{ __LINE__, "8/(4*2)", 1 },
	{ __LINE__, "2*3+4*5", 26 },
	/* the sign belongs to the factor and may be repeated */
	{ __LINE__, "-1", -1 },
	{ __LINE__, "--1", 1 },
	{ __LINE__, "- a", -8 },
	{ __LINE__, "-a + b", -6 },
	{ __LINE__, "2 * -b", -4 },
	{ __LINE__, "2*-b", -4 },
	{ __LINE__, "a - -b", 10 },
	{ __LINE__, "-(a + b)", -10 },
	{ __LINE__, "-2 * -3", 6 },
	/* numbers, rounded as a compiler rounds them */
	{ __LINE__, "0", 0 },
	{ __LINE__, "0.1", 0.1 },
	{ __LINE__, ".5", 0.5 },
	{ __LINE__, "007", 7 },
	{ __LINE__, "1.50", 1.5 },
	{ __LINE__, "0.000", 0 },
	{ __LINE__, "0e99", 0 },
	{ __LINE__, "1e9", 1e9 },
	{ __LINE__, "1E+9", 1e9 },
	{ __LINE__, "1e-9", 1e-9 },
	{ __LINE__, "2.5e3", 2500 },
	{ __LINE__, "6.103515625e-5", 6.103515625e-5 },
	{ __LINE__, "123456789012345", 123456789012345.0 },
	{ __LINE__, "1000000000000000000000", 1e21 },
	{ __LINE__, "0.0000000000000000000001", 1e-22 },
	{ __LINE__, "1e22", 1e22 },
	{ __LINE__, "100000000000000.000", 1e14 },
	/* events, words */
	{ __LINE__, "a", 8 },
	{ __LINE__, " \ta\t/ b ", 4 },
	{ __LINE__, "a/b", 4 },
	{ __LINE__, "a / a", 1 },
	{ __LINE__, "real_ns", 1000 },
	{ __LINE__, "a / real_ns", 0.008 },
	{ __LINE__, "cpus", 4 },
	{ __LINE__, "'cpus'", 1 },
	{ __LINE__, "\"real_ns\" + real_ns", 1001 },
	{ __LINE__, "'a' + \"a\" + a", 24 },
	{ __LINE__, "min(a, b)", 2 },
	{ __LINE__, "max(a, b)", 8 },
	{ __LINE__, "min ( a , b )", 2 },
	{ __LINE__, "min(max(a, 3), min(b, 9)) * 2", 4 },
	{ __LINE__, "wanted_ns(a)", 1000 },
	{ __LINE__, "a + wanted_ns ( b ) + b", 2010 },
	{ __LINE__, "wanted_ns('b') / real_ns", 2 },
	{ __LINE__, "wanted_ns(nan)", 2000 },
	{ __LINE__, "'wanted_ns' + 'min' + 'max'", 3 },
	{ __LINE__, "minimum + maximum", 2 },
	{ __LINE__, "min(-1, -2)", -2 },
	/* what is no number stays none, whatever comes after it */
	{ __LINE__, "a / 0", NAN },
	{ __LINE__, "0 / 0", NAN },
	{ __LINE__, "a / (b - 2)", NAN },
	{ __LINE__, "a / -0", NAN },
	{ __LINE__, "1 / (a / 0)", NAN },
	{ __LINE__, "(a / 0) * 0", NAN },
	{ __LINE__, "min(1, a / 0)", NAN },
	{ __LINE__, "max(a / 0, 1)", NAN },
	{ __LINE__, "nan", NAN },
	{ __LINE__, "nan * 0", NAN },
	{ __LINE__, "min(1, nan)", NAN },
	{ __LINE__, "min(nan, 1)", NAN },
	{ __LINE__, "max(1, nan)", NAN },
	{ __LINE__, "max(nan, 1)", NAN },
	{ __LINE__, "inf", NAN },
	{ __LINE__, "1 / inf", NAN },
	{ __LINE__, "huge * huge", NAN },
	{ __LINE__, "1 / (huge * huge)", NAN },
};

TEST(values)
{
	TT_FOR_EACH_ROW(r, value_rows) {
		struct nti_error e = { 0 };
		struct nti_formula *f;
		struct nti_number got;

		TT_EQ(r, nti_formula_parse(r->text, &f, &e), 0);
		got = evaluate(f, 1000);
		if (isnan(r->value)) {
			TT_EQ(r, isnan(got.value) && isnan(got.error), 1);
		} else {
			CHECK_EXACT(r, got.value, r->value);
			CHECK_EXACT(r, got.error, 0.0);
		}
		nti_formula_free(f);
	}
}

TEST(no_wall_time)
{
	struct nti_formula *f;

	TT_IS(nti_formula_parse("a / real_ns", &f, NULL), 0);
	TT_IS(isnan(evaluate(f, NAN).value), 1);
	TT_IS(isnan(evaluate(f, 0).value), 1);
	nti_formula_free(f);
}

static const struct name_row {
	int line;
	const char *text;
	const char *events; /* each followed by a newline */
} name_rows[] = {
	{ __LINE__, "1", "" },
	{ __LINE__, "real_ns * cpus + min(1, 2)", "" },
	{ __LINE__, "cache-misses / cache-references", "cache-misses\ncache-references\n" },
	{ __LINE__, "b / a + b", "b\na\n" },
	{ __LINE__, "skx::INST_RETIRED:ANY_P / cycles:u", "skx::INST_RETIRED:ANY_P\ncycles:u\n" },
	{ __LINE__, "'cpu/event=0x3c,umask=0/' / 1", "cpu/event=0x3c,umask=0/\n" },
	{ __LINE__, "\"power/energy-pkg/\"/'it''s'", NULL },
	{ __LINE__, "'a b' / \"c'd\"", "a b\nc'd\n" },
	{ __LINE__, "a-b", "a-b\n" },
	{ __LINE__, "a-1", "a-1\n" },
	{ __LINE__, "L1-dcache-loads", "L1-dcache-loads\n" },
	{ __LINE__, "sched:sched_switch / _x.y", "sched:sched_switch\n_x.y\n" },
	{ __LINE__, "'a' + a + \"a\"", "a\n" },
	{ __LINE__, "A + a", "A\na\n" },
	{ __LINE__, "'1' + 1", "1\n" },
	{ __LINE__, "r01c0 / e5", "r01c0\ne5\n" },
	{ __LINE__, "Min + MAX", "Min\nMAX\n" },
	{ __LINE__, "b / wanted_ns(a) / wanted_ns(b)", "b\na\n" },
	{ __LINE__, "wanted_ns(\"c/d/\")", "c/d/\n" },
};

TEST(names)
{
	TT_FOR_EACH_ROW(r, name_rows) {
		char seen[256] = "";
		struct nti_formula *f;
		size_t i;

		TT_EQ(r, nti_formula_parse(r->text, &f, NULL), r->events ? 0 : -EINVAL);
		if (!r->events) {
			TT_EQ(r, f == NULL, 1);
			continue;
		}
		for (i = 0; i < nti_formula_count(f); i++)
			snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%s\n",
				 nti_formula_event(f, i));
		TT_STR(r, seen, r->events);
		TT_EQ(r, nti_formula_event(f, nti_formula_count(f)) == NULL, 1);
		nti_formula_free(f);
	}
}

/* @n times @open, then @inside, then @n times @close, as one formula. */
static char *nest(const char *open, const char *inside, const char *close, size_t n)
{
	size_t room = n * (strlen(open) + strlen(close)) + strlen(inside) + 1, i;
	char *text = malloc(room);

	assert_non_null(text);
	text[0] = '\0';
	for (i = 0; i < n; i++)
		strcat(text, open);
	strcat(text, inside);
	for (i = 0; i < n; i++)
		strcat(text, close);
	return text;
}

static const struct depth_row {
	int line;
	const char *open, *inside, *close;
	double value; /* at the greatest depth */
} depth_rows[] = {
	{ __LINE__, "(", "a", ")", 8 },
	{ __LINE__, "-", "a", "", 8 },
	{ __LINE__, "min(9, ", "a", ")", 8 },
	{ __LINE__, "max(", "a", ", 1)", 8 },
	/* holds the most values at once: three a level */
	{ __LINE__, "0 + 1 * max(1, ", "0 + 1 * a", ")", 8 },
};

TEST(depth)
{
	TT_FOR_EACH_ROW(r, depth_rows) {
		char *deep = nest(r->open, r->inside, r->close, NTI_METRIC_MAX_DEPTH);
		char *deeper = nest(r->open, r->inside, r->close, NTI_METRIC_MAX_DEPTH + 1);
		struct nti_error e = { 0 };
		struct nti_formula *f;

		TT_EQ(r, nti_formula_parse(deep, &f, &e), 0);
		CHECK_EXACT(r, evaluate(f, 1).value, r->value);
		nti_formula_free(f);
		TT_EQ(r, nti_formula_parse(deeper, &f, &e), -E2BIG);
		TT_EQ(r, f == NULL, 1);
		TT_HAS(e.text, "a formula is nested at most 64 deep");
		free(deep);
		free(deeper);
	}
}

/* What was left is no longer counted: siblings do not add up. */
TEST(depth_is_left_again)
{
	char text[1024] = "(a)";
	struct nti_formula *f;
	int i;

	for (i = 0; i < 2 * NTI_METRIC_MAX_DEPTH; i++)
		strcat(text, i % 2 ? "+(a)" : "+-a");
	TT_IS(nti_formula_parse(text, &f, NULL), 0);
	nti_formula_free(f);
}

static void sum_of(char *text, int events)
{
	int i;

	text[0] = '\0';
	for (i = 0; i < events; i++)
		sprintf(text + strlen(text), "%se%d", i ? " + " : "", i);
}

TEST(many_events)
{
	char text[512];
	struct nti_error e = { 0 };
	struct nti_formula *f;

	sum_of(text, 32);
	strcat(text, " + e0 + e31");
	TT_IS(nti_formula_parse(text, &f, &e), 0);
	TT_IS(nti_formula_count(f), 32);
	TT_TEXT(nti_formula_event(f, 31), "e31");
	assert_true(evaluate(f, 1).value == 34);
	nti_formula_free(f);

	sum_of(text, 33);
	TT_IS(nti_formula_parse(text, &f, &e), -E2BIG);
	TT_HAS(e.text, "column 183 of the formula '");
	TT_HAS(e.text, ": a formula uses at most 32 different events");
}

TEST(long_names)
{
	char text[NTI_METRIC_MAX_FORMULA_BYTES + 2];
	struct nti_error e = { 0 };
	struct nti_formula *f;

	memset(text, 'n', sizeof(text));
	text[NTI_METRIC_MAX_FORMULA_BYTES] = '\0';
	TT_IS(nti_formula_parse(text, &f, &e), 0);
	TT_TEXT(nti_formula_event(f, 0), text);
	nti_formula_free(f);

	text[NTI_METRIC_MAX_FORMULA_BYTES] = 'n';
	text[NTI_METRIC_MAX_FORMULA_BYTES + 1] = '\0';
	TT_IS(nti_formula_parse(text, &f, &e), -E2BIG);
	TT_TEXT(e.text, "a formula has at most 4096 bytes, this one 4097");
	TT_IS(f == NULL, 1);
}

/* Who has no times gets no number from a formula that asks for them. */
TEST(no_times)
{
	struct nti_number one = { 1, 0 };
	struct nti_formula_input in = { &one, 1000, 4 };
	struct nti_formula *f;

	TT_IS(nti_formula_parse("a / wanted_ns(a)", &f, NULL), 0);
	TT_IS(isnan(nti_formula_eval(f, &in).value), 1);
	nti_formula_free(f);
}

/* A level of nesting is used up and given back. */
TEST(depth_of_times)
{
	char text[2048] = "wanted_ns(a)";
	struct nti_formula *f;
	int i;

	for (i = 0; i < 2 * NTI_METRIC_MAX_DEPTH; i++)
		strcat(text, " + wanted_ns(a)");
	TT_IS(nti_formula_parse(text, &f, NULL), 0);
	TT_IS(nti_formula_count(f), 1);
	nti_formula_free(f);
}

TEST(nothing_to_free)
{
	nti_formula_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(no_wall_time),
		cmocka_unit_test(names),
		cmocka_unit_test(depth),
		cmocka_unit_test(depth_is_left_again),
		cmocka_unit_test(many_events),
		cmocka_unit_test(long_names),
		cmocka_unit_test(no_times),
		cmocka_unit_test(depth_of_times),
		cmocka_unit_test(nothing_to_free),
	};

	return TT_RUN(tests);
}
