// SPDX-License-Identifier: MIT
/*
 * The metrics that were built in are what the parser makes of the files of count/data/metrics,
 * which are this program's arguments; and look-ups in tables that were built in.
 */
#include "count/lib/doubt/erratum.h"
#include "count/lib/metric/formula.h"
#include "base/tests/tt.h"

static char **files;

/* Parse all files; how many. */
static size_t parse_all(struct nti_metrics *out)
{
	struct nti_error e = { 0 };
	size_t bytes, room = 1 << 20;
	char **file, *text = malloc(room);

	assert_non_null(text);
	for (file = files; *file; file++) {
		FILE *in = fopen(*file, "rb");

		if (!in)
			fail_msg("%s: cannot be opened", *file);
		bytes = fread(text, 1, room, in);
		fclose(in);
		assert_true(bytes > 0 && bytes < room);
		if (nti_metrics_parse(*file, text, bytes, out, &e) < 0)
			fail_msg("%s", e.text);
	}
	free(text);
	return (size_t)(file - files);
}

/* NULL only equals NULL. */
static void same_text(const char *got, const char *want)
{
	assert_int_equal(!got, !want);
	if (want)
		assert_string_equal(got, want);
}

static void same_formula(const struct nti_formula *got, const struct nti_formula *want)
{
	size_t i;

	assert_string_equal(nti_formula_text(got), nti_formula_text(want));
	assert_int_equal(got->ops, want->ops);
	for (i = 0; i < want->ops; i++) {
		assert_int_equal(got->op[i].kind, want->op[i].kind);
		assert_int_equal(got->op[i].event, want->op[i].event);
		assert_true(got->op[i].number == want->op[i].number);
	}
	assert_int_equal(got->events, want->events);
	for (i = 0; i < want->events; i++)
		assert_string_equal(got->event[i], want->event[i]);
}

static void same_metric(const struct nti_metric *got, const struct nti_metric *want)
{
	size_t i;

	same_text(got->name, want->name);
	same_text(got->unit, want->unit);
	same_text(got->group, want->group);
	same_text(got->beside, want->beside);
	same_text(got->about, want->about);
	same_text(got->source, want->source);
	assert_int_equal(got->formulas, want->formulas);
	for (i = 0; i < want->formulas; i++)
		same_formula(got->formula[i], want->formula[i]);
}

TEST(metrics_are_those_of_the_files)
{
	const struct nti_metrics *got = &nti_metrics_built_in;
	struct nti_metrics want = { 0 };
	size_t i;

	assert_true(parse_all(&want) >= 10);
	assert_true(want.count >= 90);
	assert_null(got->base);
	assert_int_equal(got->count, want.count);
	assert_int_equal(got->groups, want.groups);
	for (i = 0; i < want.count; i++) {
		same_metric(&got->metric[i], &want.metric[i]);
		assert_int_equal(got->by_name[i], want.by_name[i]);
		assert_ptr_equal(nti_metrics_find(got, want.metric[i].name), &got->metric[i]);
	}
	for (i = 0; i < want.groups; i++)
		assert_string_equal(got->group[i], want.group[i]);
	nti_metrics_fini(&want);
}

TEST(errata_know_their_processors)
{
	static const struct nti_erratum_cpu cpus[] = {
		{ "intel", 6, { 0x2a, 0x2d }, { 0, UINT16_MAX } },
		{ "intel", 6, { 0x3c, 0x3c }, { 1, 3 } },
	};
	const struct nti_erratum e = { .cpu = cpus, .cpus = 2 };
	const struct row {
		int line;
		struct nti_erratum_cpu cpu;
		bool has;
	} rows[] = {
		{ __LINE__, { "intel", 6, { 0x2a }, { 7 } }, true },
		{ __LINE__, { "intel", 6, { 0x2d }, { 0 } }, true },
		{ __LINE__, { "intel", 6, { 0x2e }, { 0 } }, false },
		{ __LINE__, { "intel", 6, { 0x3c }, { 3 } }, true },
		{ __LINE__, { "intel", 6, { 0x3c }, { 4 } }, false },
		{ __LINE__, { "amd", 6, { 0x3c }, { 3 } }, false },
		{ __LINE__, { "intel", 15, { 0x3c }, { 3 } }, false },
	};

	TT_FOR_EACH_ROW(r, rows)
		TT_EQ(r, nti_erratum_has_cpu(&e, &r->cpu), r->has);
}

/* A user's metrics stand beside those that are built in, and may not have their names. */
TEST(users_files_go_through_the_same_checks)
{
	static const char more[] =
		"metric mine\nunit u\ngroup core\nformula a / b\nabout A.\nsource s\n";
	static const char taken[] = "metric ipc\nunit u\nformula a\nabout A.\nsource s\n";
	struct nti_metrics m = { .base = &nti_metrics_built_in };
	struct nti_error e = { 0 };

	TT_IS(nti_metrics_parse("m", taken, sizeof(taken) - 1, &m, &e), -22);
	TT_TEXT(e.text, "m:1: there is a metric ipc already");
	TT_IS(nti_metrics_parse("m", more, sizeof(more) - 1, &m, &e), 0);
	TT_IS(nti_metrics_count(&m), nti_metrics_built_in.count + 1);
	TT_TEXT(nti_metrics_get(&m, nti_metrics_built_in.count)->name, "mine");
	assert_ptr_equal(nti_metrics_get(&m, 0), &nti_metrics_built_in.metric[0]);
	assert_ptr_equal(nti_metrics_find(&m, "MINE"), &m.metric[0]);
	assert_non_null(nti_metrics_find(&m, "ipc"));
	assert_true(nti_metrics_has_group(&m, "CORE"));
	nti_metrics_fini(&m);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics_are_those_of_the_files),
		cmocka_unit_test(errata_know_their_processors),
		cmocka_unit_test(users_files_go_through_the_same_checks),
	};

	files = argv + (argc > 0);
	return TT_RUN(tests);
}
