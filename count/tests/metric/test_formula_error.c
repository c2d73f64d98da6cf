// SPDX-License-Identifier: MIT
/* count/lib/metric/metric.h: sentences for bad formulas, and the propagation of errors. */
#include <errno.h>
#include <math.h>

#include "count/lib/metric/metric.h"
#include "base/tests/tt.h"

#define QUOTES " (an event that has a '/' in its name stands in 'quotes')"
#define OPERAND "expected a number, an event, '-' or '(', found "

static const struct error_row {
	int line;
	const char *text;
	const char *error;
} error_rows[] = {
	{ __LINE__, "", "column 1 of the formula '': " OPERAND "the end" },
	{ __LINE__, "  ", "column 3 of the formula '  ': " OPERAND "the end" },
	{ __LINE__, "a +", "column 4 of the formula 'a +': " OPERAND "the end" },
	{ __LINE__, "a * * b", "column 5 of the formula 'a * * b': " OPERAND "'*'" },
	{ __LINE__, "+a", "column 1 of the formula '+a': " OPERAND "'+'" },
	{ __LINE__, "a b",
	  "column 3 of the formula 'a b': expected an operator or the end, found the name b" },
	{ __LINE__, "a 'b c'",
	  "column 3 of the formula 'a 'b c'': expected an operator or the end, found the name b "
	  "c" },
	{ __LINE__, "a 2.50",
	  "column 3 of the formula 'a 2.50': expected an operator or the end, found the number "
	  "2.50" },
	{ __LINE__, "a)",
	  "column 2 of the formula 'a)': expected an operator or the end, found ')'" },
	{ __LINE__, "(a",
	  "column 3 of the formula '(a': expected an operator or ')', found the end" },
	{ __LINE__, "(a,b)",
	  "column 3 of the formula '(a,b)': expected an operator or ')', found ','" },
	{ __LINE__, "()", "column 2 of the formula '()': " OPERAND "')'" },
	{ __LINE__, "a(b)",
	  "column 2 of the formula 'a(b)': expected an operator or the end, found '('" },
	/* min and max */
	{ __LINE__, "min",
	  "column 4 of the formula 'min': expected '(' after min or max, found the end" },
	{ __LINE__, "max + 1",
	  "column 5 of the formula 'max + 1': expected '(' after min or max, found '+'" },
	{ __LINE__, "min(a)",
	  "column 6 of the formula 'min(a)': expected an operator or ',' (min and max take two "
	  "arguments), found ')'" },
	{ __LINE__, "max(a, b, c)",
	  "column 9 of the formula 'max(a, b, c)': expected an operator or ')' (min and max take "
	  "two arguments), found ','" },
	/* wanted_ns takes the name of an event, nothing else */
	{ __LINE__, "wanted_ns",
	  "column 10 of the formula 'wanted_ns': expected '(' after wanted_ns, found the end" },
	{ __LINE__, "wanted_ns(1)",
	  "column 11 of the formula 'wanted_ns(1)': expected an event, found the number 1" },
	{ __LINE__, "wanted_ns()",
	  "column 11 of the formula 'wanted_ns()': expected an event, found ')'" },
	{ __LINE__, "wanted_ns(a + b)",
	  "column 13 of the formula 'wanted_ns(a + b)': expected ')' after the event, found '+'" },
	{ __LINE__, "min(, a)", "column 5 of the formula 'min(, a)': " OPERAND "','" },
	/* events with slashes that are not quoted */
	{ __LINE__, "power/energy-pkg/ / real_ns",
	  "column 19 of the formula 'power/energy-pkg/ / real_ns': " OPERAND "'/'" QUOTES },
	{ __LINE__, "cpu/cycles/",
	  "column 12 of the formula 'cpu/cycles/': " OPERAND "the end" QUOTES },
	{ __LINE__, "cpu/event=0x3c/",
	  "column 10 of the formula 'cpu/event=0x3c/': '=' has no meaning here (an event that has "
	  "it in its name stands in 'quotes')" },
	{ __LINE__, "a / b, c",
	  "column 6 of the formula 'a / b, c': expected an operator or the end, found ','" },
	/* a '-' that could be read in two ways */
	{ __LINE__, "a -b",
	  "column 3 of the formula 'a -b': a '-' that subtracts needs a blank on both sides" },
	{ __LINE__, "a- b",
	  "column 2 of the formula 'a- b': a '-' that subtracts needs a blank on both sides" },
	{ __LINE__, "3-2",
	  "column 2 of the formula '3-2': a '-' that subtracts needs a blank on both sides" },
	{ __LINE__, "(a)-(b)",
	  "column 4 of the formula '(a)-(b)': a '-' that subtracts needs a blank on both sides" },
	{ __LINE__, "a--b",
	  "column 2 of the formula 'a--b': a '-' that subtracts needs a blank on both sides" },
	{ __LINE__, "a -", "column 4 of the formula 'a -': " OPERAND "the end" },
	/* numbers */
	{ __LINE__, "2x",
	  "column 1 of the formula '2x': a number runs into 'x' (an event that begins with a digit "
	  "stands in 'quotes')" },
	{ __LINE__, "1.2.3",
	  "column 1 of the formula '1.2.3': a number runs into '.' (an event that begins with a "
	  "digit stands in 'quotes')" },
	{ __LINE__, "1.",
	  "column 1 of the formula '1.': a number runs into '.' (an event that begins with a digit "
	  "stands in 'quotes')" },
	{ __LINE__, "a * 1e",
	  "column 5 of the formula 'a * 1e': a number runs into 'e' (an event that begins with a "
	  "digit stands in 'quotes')" },
	{ __LINE__, "0x10",
	  "column 1 of the formula '0x10': a number runs into 'x' (an event that begins with a "
	  "digit stands in 'quotes')" },
	{ __LINE__, "1234567890123456",
	  "column 1 of the formula '1234567890123456': a number has at most 15 significant "
	  "digits" },
	{ __LINE__, "1e23",
	  "column 1 of the formula '1e23': a number lies between 1e-22 and 1e22" },
	{ __LINE__, "1e-23",
	  "column 1 of the formula '1e-23': a number lies between 1e-22 and 1e22" },
	{ __LINE__, "1e99999999999999999999",
	  "column 1 of the formula '1e99999999999999999999': a number lies between 1e-22 and "
	  "1e22" },
	{ __LINE__, ".",
	  "column 1 of the formula '.': '.' has no meaning here (an event that has it in its name "
	  "stands in 'quotes')" },
	/* quotes */
	{ __LINE__, "a / 'b",
	  "column 5 of the formula 'a / 'b': the quote that begins here has no end" },
	{ __LINE__, "'b\"",
	  "column 1 of the formula ''b\"': the quote that begins here has no end" },
	{ __LINE__, "a / ''",
	  "column 5 of the formula 'a / ''': the name between the quotes is empty" },
	{ __LINE__, "'a\tb'",
	  "column 3 of the formula ''a?b'': a name has only printable ASCII characters, found the "
	  "byte 0x09" },
	{ __LINE__, "'\xc3\xa4'",
	  "column 2 of the formula ''?\?'': a name has only printable ASCII characters, found the "
	  "byte 0xc3" },
	/* characters */
	{ __LINE__, "a \xc3\x97 b",
	  "column 3 of the formula 'a ?? b': the byte 0xc3 has no meaning here" },
	{ __LINE__, "a\n/ b",
	  "column 2 of the formula 'a?/ b': the byte 0x0a has no meaning here" },
	{ __LINE__, "a ^ 2",
	  "column 3 of the formula 'a ^ 2': '^' has no meaning here (an event that has it in its "
	  "name stands in 'quotes')" },
};

TEST(sentences)
{
	TT_FOR_EACH_ROW(r, error_rows) {
		struct nti_error e = { 0 };
		struct nti_formula *f = (struct nti_formula *)&e;

		TT_EQ(r, nti_formula_parse(r->text, &f, &e), -EINVAL);
		TT_STR(r, e.text, r->error);
		TT_EQ(r, e.code, -EINVAL);
		TT_EQ(r, f == NULL, 1);
		/* nobody has to want the sentence */
		TT_EQ(r, nti_formula_parse(r->text, &f, NULL), -EINVAL);
	}
}

/* Of a long text the part around the column is shown. */
TEST(long_text)
{
	char text[1001], want[512];
	struct nti_error e = { 0 };
	struct nti_formula *f;

	memset(text, 'x', 1000);
	text[1000] = '\0';
	text[500] = '?';
	TT_IS(nti_formula_parse(text, &f, &e), -EINVAL);
	snprintf(want, sizeof(want),
		 "column 501 of the formula '...%.100s?%.99s...': '?' has no meaning here", text,
		 text);
	TT_HAS(e.text, want);

	text[500] = 'x';
	text[0] = '?';
	TT_IS(nti_formula_parse(text, &f, &e), -EINVAL);
	snprintf(want, sizeof(want),
		 "column 1 of the formula '?%.199s...': '?' has no meaning here", text + 1);
	TT_HAS(e.text, want);

	memset(text, 'x', 1000);
	text[2] = ' ';
	TT_IS(nti_formula_parse(text, &f, &e), -EINVAL);
	snprintf(want, sizeof(want), "found the name %.60s...", text + 3);
	TT_HAS(e.text, want);
}

/*
 * Errors of results. Events of the tables: a is 8 +- 0.4, b is 2 +- 0.3, c is 5 and exact, g and h
 * are bounded and else as a and b, u has an unknown error.
 */

static struct nti_number number_of(const char *event)
{
	switch (event[0]) {
	case 'a':
		return (struct nti_number){ 8, 0.4 };
	case 'b':
		return (struct nti_number){ 2, 0.3 };
	case 'g':
		return (struct nti_number){ 8, 0.4, .is_bounded = true };
	case 'h':
		return (struct nti_number){ 2, 0.3, .is_bounded = true };
	case 'u':
		return (struct nti_number){ 3, NAN };
	case 'n':
		return (struct nti_number){ NAN, 0.1 };
	case 't':
		return (struct nti_number){ 1e-300, 0.1 };
	default:
		return (struct nti_number){ 5, 0 };
	}
}

static struct nti_number evaluate(const struct nti_formula *f)
{
	struct nti_number events[NTI_METRIC_MAX_EVENTS];
	struct nti_formula_input in = { events, 10, 4 };
	size_t i;

	for (i = 0; i < nti_formula_count(f); i++)
		events[i] = number_of(nti_formula_event(f, i));
	return nti_formula_eval(f, &in);
}

static const struct spread_row {
	int line;
	const char *text;
	double value, error;
} spread_rows[] = {
	{ __LINE__, "c", 5, 0 },
	{ __LINE__, "a", 8, 0.4 },
	{ __LINE__, "-a", -8, 0.4 },
	{ __LINE__, "a * 3", 24, 1.2 },
	{ __LINE__, "a / real_ns", 0.8, 0.04 },
	{ __LINE__, "a / cpus", 2, 0.1 },
	/* different events are independent: squares add up */
	{ __LINE__, "a + b", 10, 0.5 },
	{ __LINE__, "a - b", 6, 0.5 },
	/* bounds may be reached at one time */
	{ __LINE__, "g + h", 10, 0.7 },
	{ __LINE__, "g - 2 * h", 4, 1 },
	{ __LINE__, "a + b + h", 12, 0.8 },
	{ __LINE__, "h + b + a", 12, 0.8 },
	/* relative squares add up: 0.05, 0.15 */
	{ __LINE__, "a * b", 16, 16 * 0.15811388300841897 },
	{ __LINE__, "a / b", 4, 4 * 0.15811388300841897 },
	/* the same event is correlated with itself */
	{ __LINE__, "a - a", 0, 0 },
	{ __LINE__, "a / a", 1, 0 },
	{ __LINE__, "a + a", 16, 0.8 },
	{ __LINE__, "a * a", 64, 6.4 },
	{ __LINE__, "a / (a + c)", 8.0 / 13, 5.0 / 169 * 0.4 },
	{ __LINE__, "a / (a + b)", 0.8,
	  0.025298221281347035 }, /* sqrt((b*ea)^2 + (a*eb)^2) / (a+b)^2 */
	{ __LINE__, "'a' - \"a\"", 0, 0 },
	/* the side that is chosen counts; on equality the one that is less certain */
	{ __LINE__, "min(a, b)", 2, 0.3 },
	{ __LINE__, "max(a, b)", 8, 0.4 },
	{ __LINE__, "max(a, 8)", 8, 0.4 },
	{ __LINE__, "max(8, a)", 8, 0.4 },
	{ __LINE__, "min(3 * a, 24 + a - a)", 24, 1.2 },
	{ __LINE__, "min(c, a)", 5, 0 },
	/* an error nobody knows spoils the result unless the event has no influence */
	{ __LINE__, "u", 3, NAN },
	{ __LINE__, "u + a", 3 + 8, NAN },
	{ __LINE__, "u - u + a", 8, 0.4 },
	{ __LINE__, "u * 0 + a", 8, 0.4 },
	{ __LINE__, "max(u, a)", 8, 0.4 },
	/* no value, no error */
	{ __LINE__, "n", NAN, NAN },
	{ __LINE__, "a / (b - 2)", NAN, NAN },
	/* a slope beyond what a double holds is no error, either */
	{ __LINE__, "t / (t * t)", NAN, NAN },
	{ __LINE__, "1 / t", 1e300, NAN },
};

static int is_near(double got, double want)
{
	return (isnan(got) && isnan(want)) || fabs(got - want) <= 1e-14 * fabs(want);
}

TEST(spreads)
{
	TT_FOR_EACH_ROW(r, spread_rows) {
		struct nti_formula *f;
		struct nti_number got;

		TT_EQ(r, nti_formula_parse(r->text, &f, NULL), 0);
		got = evaluate(f);
		nti_formula_free(f);
		if (!is_near(got.value, r->value) || !is_near(got.error, r->error))
			fail_msg("%s:%d: %s gives %.17g +- %.17g, expected %.17g +- %.17g",
				 __FILE__, r->line, r->text, got.value, got.error, r->value,
				 r->error);
	}
}

/*
 * Monte Carlo: draw the events from normal distributions, evaluate without errors, compare the
 * spread of the results with what was propagated. With N draws the standard deviation itself is
 * known to 1 / sqrt(2 N), 0.35 % here; second-order terms add about the square of the relative
 * errors (at most 3 %, so 0.1 %). A bound of 3 % can be missed only by a wrong formula.
 */
#define DRAWS 40000

static const char *const drawn_formulas[] = {
	"a / b",
	"a * b / c",
	"a / (a + b)",
	"(a - b) / (a + b) * 100",
	"a * a - 3 * a * b + b / c",
	"-a / (b - c / 20) + min(a, 100 * b) * max(c, a / 7)",
	"real_ns / a * cpus + 2e-3 * c",
	"a / b - a / b + a",
	"max(min(a, b), max(c, d)) / (a + d)",
};

/* Box and Muller's transform of two uniform numbers. */
static double draw_normal(uint64_t *state)
{
	double u = ((double)(tt_random(state) >> 11) + 1) / 9007199254740993.0;
	double v = (double)(tt_random(state) >> 11) / 9007199254740992.0;

	return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

static struct nti_number drawn_event(const char *name)
{
	static const struct nti_number events[] = {
		{ 900, 20 }, { 400, 12 }, { 70, 1.5 }, { 1500, 40 }
	};

	assert_in_range(name[0], 'a', 'd');
	return events[name[0] - 'a'];
}

static void check_by_drawing(const char *text, uint64_t *state)
{
	struct nti_number mean[NTI_METRIC_MAX_EVENTS], drawn[NTI_METRIC_MAX_EVENTS], told, got;
	struct nti_formula_input in = { mean, 1e6, 4 };
	double sum = 0, squares = 0, spread;
	struct nti_formula *f;
	size_t n, i;

	TT_IS(nti_formula_parse(text, &f, NULL), 0);
	for (i = 0; i < nti_formula_count(f); i++)
		mean[i] = drawn_event(nti_formula_event(f, i));
	told = nti_formula_eval(f, &in);
	in.events = drawn;
	for (n = 0; n < DRAWS; n++) {
		for (i = 0; i < nti_formula_count(f); i++)
			drawn[i] = (struct nti_number){
				mean[i].value + mean[i].error * draw_normal(state), 0
			};
		got = nti_formula_eval(f, &in);
		/* relative to the expected value, so that the squares do not cancel */
		sum += got.value - told.value;
		squares += (got.value - told.value) * (got.value - told.value);
	}
	nti_formula_free(f);
	spread = sqrt((squares - sum * sum / DRAWS) / (DRAWS - 1));
	if (!(told.error > 0) || fabs(spread / told.error - 1) > 0.03)
		fail_msg("%s: propagated error %g, but drawn values spread by %g", text, told.error,
			 spread);
}

TEST(spreads_as_drawn)
{
	uint64_t seed = tt_seed();
	size_t i;

	for (i = 0; i < sizeof(drawn_formulas) / sizeof(drawn_formulas[0]); i++)
		check_by_drawing(drawn_formulas[i], &seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sentences),
		cmocka_unit_test(long_text),
		cmocka_unit_test(spreads),
		cmocka_unit_test(spreads_as_drawn),
	};

	return TT_RUN(tests);
}
