// SPDX-License-Identifier: MIT
/*
 * The input as a formula, as an inline metric and as a metric file. What parses is evaluated, with
 * numbers made of the input's own bytes, and must keep what metric.h promises; everything else is
 * left to the sanitizers.
 */
#include <math.h>

#include "count/lib/metric/metric.h"
#include "base/tests/fuzz/fuzz.h"

/* A few shapes of numbers, NaN and infinity among them; the choice depends on @seed and @i. */
static double number(uint32_t seed, size_t i)
{
	static const double shapes[] = { 0, 1, 3.5, -2, 1e19, 1e-300, 1e300, NAN, INFINITY, 42 };
	uint32_t mixed = (seed + (uint32_t)i) * 2654435761u;

	return shapes[(mixed >> 16) % (sizeof(shapes) / sizeof(shapes[0]))];
}

static bool is_same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static void evaluate(const struct nti_formula *f, uint32_t seed)
{
	struct nti_number events[NTI_METRIC_MAX_EVENTS], with, without;
	double wanted_ns[NTI_METRIC_MAX_EVENTS];
	struct nti_formula_input in = { events, number(seed, 101), number(seed, 102), wanted_ns };
	size_t i;

	fuzz_expect(nti_formula_count(f) <= NTI_METRIC_MAX_EVENTS);
	for (i = 0; i < nti_formula_count(f); i++) {
		fuzz_expect(nti_formula_event(f, i)[0] != '\0');
		events[i] = (struct nti_number){ number(seed, i), number(seed, i + 50) };
		wanted_ns[i] = number(seed, i + 200);
	}
	with = nti_formula_eval(f, &in);
	fuzz_expect(!isinf(with.value) && !isinf(with.error) && !(with.error < 0));
	fuzz_expect(!isnan(with.value) || isnan(with.error));
	for (i = 0; i < nti_formula_count(f); i++)
		events[i].error = 0;
	without = nti_formula_eval(f, &in);
	fuzz_expect(is_same(with.value, without.value));
	fuzz_expect(isnan(without.value) || without.error == 0);
}

static void try_formula(const char *text, uint32_t seed)
{
	struct nti_error e = { 0 };
	struct nti_formula *f;
	int ret = nti_formula_parse(text, &f, &e);

	fuzz_expect((ret == 0) == (f != NULL));
	fuzz_expect(ret == 0 || (e.code == ret && e.text[0] && !strchr(e.text, '\n')));
	if (!f)
		return;
	evaluate(f, seed);
	evaluate(f, ~seed);
	nti_formula_free(f);
}

static void try_inline(const char *text, uint32_t seed)
{
	struct nti_metric m;
	int ret = nti_metric_parse_inline(text, &m, NULL);

	fuzz_expect(ret != 0 || nti_metric_is_inline(text));
	fuzz_expect((ret == 0) == (m.name != NULL));
	if (ret == 0)
		try_formula(nti_formula_text(m.formula[0]), seed);
	nti_metric_fini(&m);
}

static void try_file(const char *text, size_t bytes, uint32_t seed)
{
	struct nti_metrics all = { 0 };
	struct nti_error e = { 0 };
	int ret = nti_metrics_parse("f", text, bytes, &all, &e);
	size_t i, count = all.count;

	fuzz_expect(ret == 0 || (count == 0 && strncmp(e.text, "f:", 2) == 0));
	for (i = 0; i < count; i++) {
		fuzz_expect(nti_metrics_find(&all, all.metric[i].name) == &all.metric[i]);
		fuzz_expect(all.metric[i].formulas > 0);
		try_formula(nti_formula_text(all.metric[i].formula[0]), seed);
	}
	/* The names are taken now; the set must stay as it is. */
	if (count)
		fuzz_expect(nti_metrics_parse("f", text, bytes, &all, NULL) < 0 &&
			    all.count == count);
	nti_metrics_fini(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = fuzz_text(data, bytes);
	uint32_t seed = 0;
	size_t i;

	for (i = 0; i < bytes; i++)
		seed = seed * 31 + data[i];
	try_formula(text, seed);
	try_inline(text, seed);
	try_file(text, bytes, seed);
	free(text);
	return 0;
}
