// SPDX-License-Identifier: MIT
/* count/lib/metric/metric.h: files of metrics and their lint. */
#include <errno.h>

#include "count/lib/metric/metric.h"
#include "base/tests/tt.h"

/* A whole entry of six lines. */
#define ENTRY(name)                                                                                \
	"metric " name "\nunit insn/cycle\nformula instructions / cycles\n"                        \
	"about Instructions per cycle.\nsource A book\n"

static int parse(const char *text, struct nti_metrics *out, struct nti_error *e)
{
	return nti_metrics_parse("x.metrics", text, strlen(text), out, e);
}

TEST(whole_entry)
{
	static const char text[] =
		"# comment\n\nmetric IPC\nunit insn/cycle\nformula instructions / cycles\n"
		"# a comment inside\nformula 'cpu/instructions/' / 'cpu/cycles/'\n"
		"beside cpu/cycles/\nabout Instructions per cycle.\nsource A book, p. 7\n"
		"\n \t\n"
		"metric\tB-2_x\n  unit \t%  \ngroup Both\nformula a/b\r\nabout \xc3\x84 b.\nsource "
		"-";
	struct nti_metrics all = { 0 };
	struct nti_error e = { 0 };
	const struct nti_metric *m;

	TT_IS(parse(text, &all, &e), 0);
	TT_IS(all.count, 2);
	m = nti_metrics_find(&all, "IPC");
	assert_ptr_equal(m, &all.metric[0]);
	TT_TEXT(m->name, "IPC");
	TT_TEXT(m->unit, "insn/cycle");
	TT_IS(m->formulas, 2);
	TT_TEXT(nti_formula_text(m->formula[0]), "instructions / cycles");
	TT_TEXT(nti_formula_text(m->formula[1]), "'cpu/instructions/' / 'cpu/cycles/'");
	TT_TEXT(m->beside, "cpu/cycles/");
	assert_null(m->group);
	TT_TEXT(m->about, "Instructions per cycle.");
	TT_TEXT(m->source, "A book, p. 7");
	m = &all.metric[1];
	TT_TEXT(m->name, "B-2_x");
	TT_TEXT(m->unit, "%");
	TT_TEXT(m->group, "Both");
	TT_TEXT(nti_formula_text(m->formula[0]), "a/b");
	assert_null(m->beside);
	TT_TEXT(m->about, "\xc3\x84 b.");
	TT_TEXT(m->source, "-");
	nti_metrics_fini(&all);
	TT_IS(all.count, 0);
	assert_null(all.metric);
}

TEST(find)
{
	struct nti_metrics all = { 0 };

	assert_null(nti_metrics_find(&all, "IPC"));
	TT_IS(parse(ENTRY("IPC"), &all, NULL), 0);
	assert_non_null(nti_metrics_find(&all, "ipc"));
	assert_null(nti_metrics_find(&all, "ip"));
	assert_null(nti_metrics_find(&all, "ipcc"));
	nti_metrics_fini(&all);
}

TEST(groups)
{
	static const char text[] = "metric A\nunit u\ngroup heat\nformula a\nabout A.\nsource b\n\n"
				   "metric B\nunit u\nformula a\nabout A.\nsource b\n\n"
				   "metric C\nunit u\ngroup HEAT\nformula a\nabout A.\nsource b\n";
	struct nti_metrics all = { 0 };

	TT_IS(nti_metrics_has_group(&all, "heat"), 0);
	TT_IS(parse(text, &all, NULL), 0);
	TT_IS(all.count, 3);
	TT_IS(nti_metrics_has_group(&all, "Heat"), 1);
	TT_IS(nti_metrics_has_group(&all, "hea"), 0);
	TT_IS(nti_metrics_has_group(&all, "A"), 0);
	TT_IS(nti_metric_is_in_group(&all.metric[0], "heat"), 1);
	TT_IS(nti_metric_is_in_group(&all.metric[1], "heat"), 0);
	TT_IS(nti_metric_is_in_group(&all.metric[2], "heat"), 1);
	nti_metrics_fini(&all);
}

TEST(nothing)
{
	static const char *const texts[] = { "", "\n", "# only a comment", "\n\n  \n#\n" };
	struct nti_metrics all = { 0 };
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		TT_IS(parse(texts[i], &all, NULL), 0);
	TT_IS(all.count, 0);
	assert_null(all.metric);
	nti_metrics_fini(&all);
}

#define KEYS "; the keys are metric, unit, group, formula, beside, about and source"

static const struct lint_row {
	int line;
	const char *text;
	int ret;
	const char *error;
} lint_rows[] = {
	/* order of the keys */
	{ __LINE__, "unit x\n", -EINVAL, "x.metrics:1: an entry begins with 'metric', not 'unit'" },
	{ __LINE__, "# c\n\nmetric A\nformula a\n", -EINVAL,
	  "x.metrics:4: 'metric' is followed by 'unit', not 'formula'" },
	{ __LINE__, "metric A\nunit u\nabout x.\n", -EINVAL,
	  "x.metrics:3: 'unit' is followed by 'group' or 'formula', not 'about'" },
	{ __LINE__, "metric A\nunit u\nunit v\n", -EINVAL,
	  "x.metrics:3: 'unit' is followed by 'group' or 'formula', not 'unit'" },
	{ __LINE__, "metric A\nunit u\nformula a\nsource s\n", -EINVAL,
	  "x.metrics:4: 'formula' is followed by 'formula', 'beside' or 'about', not "
	  "'source'" },
	{ __LINE__, "metric A\nunit u\nformula a\nbeside a\nformula b\n", -EINVAL,
	  "x.metrics:5: 'beside' is followed by 'about', not 'formula'" },
	{ __LINE__, "metric A\nunit u\nformula a\nabout x.\nbeside a\n", -EINVAL,
	  "x.metrics:5: 'about' is followed by 'source', not 'beside'" },
	{ __LINE__, ENTRY("A") "metric B\n", -EINVAL,
	  "x.metrics:6: 'source' is followed by a blank line, not 'metric'" },
	/* missing keys: the line is the last one of the entry */
	{ __LINE__, "metric A\n", -EINVAL,
	  "x.metrics:1: the entry of A ends too early: 'metric' is followed by 'unit'" },
	{ __LINE__, "metric A\nunit u\n\n\nmetric B\n", -EINVAL,
	  "x.metrics:2: the entry of A ends too early: 'unit' is followed by 'group' or "
	  "'formula'" },
	{ __LINE__, "metric A\nunit u\nformula a\n# c\n\n", -EINVAL,
	  "x.metrics:3: the entry of A ends too early: 'formula' is followed by 'formula', "
	  "'beside' or 'about'" },
	{ __LINE__, "metric A\nunit u\nformula a\nabout b.", -EINVAL,
	  "x.metrics:4: the entry of A ends too early: 'about' is followed by 'source'" },
	/* keys and values */
	{ __LINE__, "metric A\nunits u\n", -EINVAL, "x.metrics:2: there is no key 'units'" KEYS },
	{ __LINE__, "METRIC A\n", -EINVAL, "x.metrics:1: there is no key 'METRIC'" KEYS },
	{ __LINE__, "metricA\n", -EINVAL, "x.metrics:1: there is no key 'metricA'" KEYS },
	{ __LINE__, "met\n", -EINVAL, "x.metrics:1: there is no key 'met'" KEYS },
	{ __LINE__, "0123456789012345678901234567890123456789x\n", -EINVAL,
	  "x.metrics:1: there is no key '0123456789012345678901234567890123456789...'" KEYS },
	{ __LINE__, "012345678901234567890123456789012345678\xc3\xa4 1\n", -EINVAL,
	  "x.metrics:1: there is no key '012345678901234567890123456789012345678...'" KEYS },
	{ __LINE__, "metric\n", -EINVAL, "x.metrics:1: 'metric' has no value" },
	{ __LINE__, "metric A\nunit  \t\r\n", -EINVAL, "x.metrics:2: 'unit' has no value" },
	{ __LINE__, "metric A\nunit 1234567890123456789012345\n", -E2BIG,
	  "x.metrics:2: the unit of a metric has at most 24 bytes, this one 25" },
	{ __LINE__, "metric A\nunit u\nformula a\nabout No stop\n", -EINVAL,
	  "x.metrics:4: 'about' is a sentence and ends with a full stop" },
	/* characters: every line is looked at, comments too */
	{ __LINE__, "# \xff\n", -EINVAL,
	  "x.metrics:1: the byte 0xff in column 3 is not printable UTF-8" },
	{ __LINE__, "metric A\nunit \x1b[m\n", -EINVAL,
	  "x.metrics:2: the byte 0x1b in column 6 is not printable UTF-8" },
	{ __LINE__, "#\x7f\n", -EINVAL,
	  "x.metrics:1: the byte 0x7f in column 2 is not printable UTF-8" },
	{ __LINE__, "#\r#\n", -EINVAL,
	  "x.metrics:1: the byte 0x0d in column 2 is not printable UTF-8" },
	{ __LINE__, "#\xc0\x80\n", -EINVAL,
	  "x.metrics:1: the byte 0xc0 in column 2 is not printable UTF-8" },
	{ __LINE__, "#\xc2\x80\n", -EINVAL,
	  "x.metrics:1: the byte 0xc2 in column 2 is not printable UTF-8" },
	{ __LINE__, "#\xe0\x9f\xbf\n", -EINVAL,
	  "x.metrics:1: the byte 0xe0 in column 2 is not printable UTF-8" },
	{ __LINE__, "#\xed\xa0\x80\n", -EINVAL,
	  "x.metrics:1: the byte 0xed in column 2 is not printable UTF-8" },
	{ __LINE__, "#\xf0\x8f\xbf\xbf\n", -EINVAL,
	  "x.metrics:1: the byte 0xf0 in column 2 is not printable UTF-8" },
	{ __LINE__, "#\xf4\x90\x80\x80\n", -EINVAL,
	  "x.metrics:1: the byte 0xf4 in column 2 is not printable UTF-8" },
	{ __LINE__, "#\xe2\x82", -EINVAL,
	  "x.metrics:1: the byte 0xe2 in column 2 is not printable UTF-8" },
	/* names */
	{ __LINE__, "metric 2x\n", -EINVAL,
	  "x.metrics:1: the name of a metric is a letter, then letters, digits, '_' and '-'; "
	  "'2x' is not" },
	{ __LINE__, "metric a b\n", -EINVAL,
	  "x.metrics:1: the name of a metric is a letter, then letters, digits, '_' and '-'; 'a "
	  "b' is not" },
	{ __LINE__, "metric a/b/\n", -EINVAL,
	  "x.metrics:1: the name of a metric is a letter, then letters, digits, '_' and '-'; "
	  "'a/b/' is not" },
	{ __LINE__, "metric abcdefghijklmnopqrstuvwxyzabcdefghijklmno\n", -E2BIG,
	  "x.metrics:1: the name of a metric has at most 40 bytes, this one 41" },
	{ __LINE__, "metric min\n", -EINVAL,
	  "x.metrics:1: 'min' has a meaning in formulas; a metric needs another name" },
	{ __LINE__, "metric CPUs\n", -EINVAL,
	  "x.metrics:1: 'CPUs' has a meaning in formulas; a metric needs another name" },
	{ __LINE__, "metric cycles\n", -EINVAL,
	  "x.metrics:1: 'cycles' is an event of perf's; a metric needs another name" },
	{ __LINE__, "metric Page-Faults\n", -EINVAL,
	  "x.metrics:1: 'Page-Faults' is an event of perf's; a metric needs another name" },
	{ __LINE__, "metric tsc\n", -EINVAL,
	  "x.metrics:1: 'tsc' is an event of perf's; a metric needs another name" },
	{ __LINE__, "metric llc-load-misses\n", -EINVAL,
	  "x.metrics:1: 'llc-load-misses' is an event of perf's; a metric needs another name" },
	{ __LINE__, "metric dTLB-prefetches\n", -EINVAL,
	  "x.metrics:1: 'dTLB-prefetches' is an event of perf's; a metric needs another name" },
	{ __LINE__, "metric race\n", -EINVAL,
	  "x.metrics:1: 'race' is an event of perf's; a metric needs another name" },
	{ __LINE__, ENTRY("A") "\nmetric A\n", -EINVAL,
	  "x.metrics:7: there is a metric A already" },
	{ __LINE__, ENTRY("Ab") "\nmetric aB\n", -EINVAL,
	  "x.metrics:7: there is a metric aB already" },
	{ __LINE__, "metric known\n", -EINVAL, "x.metrics:1: there is a metric known already" },
	/* groups: one name means one thing */
	{ __LINE__, "metric A\nunit u\ngroup g\nunit v\n", -EINVAL,
	  "x.metrics:4: 'group' is followed by 'formula', not 'unit'" },
	{ __LINE__, "metric A\ngroup g\n", -EINVAL,
	  "x.metrics:2: 'metric' is followed by 'unit', not 'group'" },
	{ __LINE__, "metric A\nunit u\nformula a\ngroup g\n", -EINVAL,
	  "x.metrics:4: 'formula' is followed by 'formula', 'beside' or 'about', not "
	  "'group'" },
	{ __LINE__, "metric A\nunit u\ngroup\n", -EINVAL, "x.metrics:3: 'group' has no value" },
	{ __LINE__, "metric A\nunit u\ngroup cycles\n", -EINVAL,
	  "x.metrics:3: 'cycles' is an event of perf's; a metric needs another name" },
	{ __LINE__, "metric A\nunit u\ngroup a\n", -EINVAL,
	  "x.metrics:3: a is the name of a metric" },
	{ __LINE__, "metric A\nunit u\ngroup known\n", -EINVAL,
	  "x.metrics:3: known is the name of a metric" },
	{ __LINE__, ENTRY("A") "\nmetric B\nunit u\ngroup a\n", -EINVAL,
	  "x.metrics:9: a is the name of a metric" },
	{ __LINE__, "metric A\nunit u\ngroup g\nformula a\nabout A.\nsource b\n\nmetric G\n",
	  -EINVAL, "x.metrics:8: G is the name of a group of metrics" },
	/* formulas */
	{ __LINE__, "metric A\nunit u\nformula a / / b\n", -EINVAL,
	  "x.metrics:3: column 5 of the formula 'a / / b': expected a number, an event, '-' or "
	  "'(', found '/'"
	  " (an event that has a '/' in its name stands in 'quotes')" },
	{ __LINE__, "metric A\nunit u\nformula a\nformula 2 * real_ns\n", -EINVAL,
	  "x.metrics:4: the formula uses no event" },
	{ __LINE__, "metric A\nunit u\nformula a\nformula b\nbeside c\n", -EINVAL,
	  "x.metrics:5: no formula of A uses the event c" },
	{ __LINE__, "metric A\nunit u\nformula 'a/b/'\nbeside 'a/b/'\n", -EINVAL,
	  "x.metrics:4: no formula of A uses the event 'a/b/'" },
};

/* A bad text leaves the set as it was, with everything that stood before the error in that text. */
TEST(lint)
{
	TT_FOR_EACH_ROW(r, lint_rows) {
		struct nti_metrics all = { 0 };
		struct nti_error e = { 0 };

		TT_EQ(r, parse(ENTRY("Known"), &all, &e), 0);
		TT_EQ(r, parse(r->text, &all, &e), r->ret);
		TT_STR(r, e.text, r->error);
		TT_EQ(r, all.count, 1);
		TT_STR(r, all.metric[0].name, "Known");
		nti_metrics_fini(&all);
	}
}

/* Names that are close to events but none, and the longest ones. */
TEST(good_names)
{
	static const char *const names[] = { "cycle",
					     "LLC-load",
					     "dTLB-misses",
					     "dTLB-load-miss-ratio",
					     "r",
					     "rate",
					     "r01234567890abcdef",
					     "minimum",
					     "abcdefghijklmnopqrstuvwxyzabcdefghijklmn" };
	char text[512];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct nti_metrics all = { 0 };
		struct nti_error e = { 0 };

		snprintf(text, sizeof(text), "metric %s\nunit u\nformula a\nabout A.\nsource b\n",
			 names[i]);
		if (parse(text, &all, &e) < 0)
			fail_msg("%s: %s", names[i], e.text);
		nti_metrics_fini(&all);
	}
}

/* A zero byte is refused like any other control character, and does not end the text. */
TEST(zero_byte)
{
	static const char text[] = "#\n#\0\nmetric";
	struct nti_metrics all = { 0 };
	struct nti_error e = { 0 };

	TT_IS(nti_metrics_parse("z", text, sizeof(text) - 1, &all, &e), -EINVAL);
	TT_TEXT(e.text, "z:2: the byte 0x00 in column 2 is not printable UTF-8");
}

/* The text need not be followed by a zero byte; the sanitizer sees any access behind it. */
TEST(text_is_not_a_string)
{
	static const char entry[] = ENTRY("A");
	size_t bytes = sizeof(entry) - 2;
	char *text = malloc(bytes);
	struct nti_metrics all = { 0 };

	assert_non_null(text);
	memcpy(text, entry, bytes);
	TT_IS(nti_metrics_parse("x", text, bytes, &all, NULL), 0);
	TT_TEXT(all.metric[0].source, "A book");
	free(text);
	nti_metrics_fini(&all);
}

TEST(too_many)
{
	struct nti_metrics all = { 0 };
	struct nti_error e = { 0 };
	char *text = malloc(NTI_METRIC_MAX_COUNT * 64), *at = text;
	int i;

	assert_non_null(text);
	for (i = 0; i < NTI_METRIC_MAX_COUNT; i++)
		at += sprintf(at, "metric m%d\nunit u\nformula a\nabout A.\nsource b\n\n", i);
	TT_IS(parse(text, &all, &e), 0);
	TT_IS(all.count, NTI_METRIC_MAX_COUNT);
	TT_IS(parse(ENTRY("more"), &all, &e), -E2BIG);
	TT_TEXT(e.text, "x.metrics:1: more than 1024 metrics");
	TT_IS(all.count, NTI_METRIC_MAX_COUNT);
	nti_metrics_fini(&all);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_entry), cmocka_unit_test(find),
		cmocka_unit_test(groups),      cmocka_unit_test(nothing),
		cmocka_unit_test(lint),	       cmocka_unit_test(good_names),
		cmocka_unit_test(zero_byte),   cmocka_unit_test(text_is_not_a_string),
		cmocka_unit_test(too_many),
	};

	return TT_RUN(tests);
}
