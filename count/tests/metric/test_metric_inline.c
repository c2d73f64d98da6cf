// SPDX-License-Identifier: MIT
/* count/lib/metric/metric.h: metrics that a command line gives. */
#include <errno.h>

#include "count/lib/metric/metric.h"
#include "base/tests/tt.h"

static const struct good_row {
	int line;
	const char *text;
	const char *name, *unit, *formula;
} good_rows[] = {
	{ __LINE__, "x=a", "x", "", "a" },
	{ __LINE__, "IPC=instructions / cycles", "IPC", "", "instructions / cycles" },
	{ __LINE__, "my-ipc_2[insn/cycle]=instructions/cycles", "my-ipc_2", "insn/cycle",
	  "instructions/cycles" },
	{ __LINE__, " x [ \xc2\xb5s ] = a / b", "x", "\xc2\xb5s", "a / b" },
	{ __LINE__, "W[W]='power/energy-pkg/' / real_ns * 1e9", "W", "W",
	  "'power/energy-pkg/' / real_ns * 1e9" },
	{ __LINE__, "x='cpu/event=0x3c/'", "x", "", "'cpu/event=0x3c/'" },
	{ __LINE__, "x[[]=a", "x", "[", "a" },
};

TEST(good)
{
	TT_FOR_EACH_ROW(r, good_rows) {
		struct nti_error e = { 0 };
		struct nti_metric m;

		TT_EQ(r, nti_metric_is_inline(r->text), 1);
		TT_EQ(r, nti_metric_parse_inline(r->text, &m, &e), 0);
		TT_STR(r, m.name, r->name);
		TT_STR(r, m.unit, r->unit);
		TT_EQ(r, m.formulas, 1);
		TT_STR(r, nti_formula_text(m.formula[0]), r->formula);
		TT_STR(r, m.about, "Computed by a formula that the user gave.");
		TT_STR(r, m.source, "");
		TT_EQ(r, m.beside == NULL, 1);
		nti_metric_fini(&m);
		TT_EQ(r, m.name == NULL && m.formulas == 0, 1);
		nti_metric_fini(&m);
	}
}

/* Events with '=' in them must not be taken for metrics. */
static const char *const events[] = {
	"",
	"cycles",
	"cycles:u",
	"cpu/event=0x3c/",
	"cpu/cycles,period=1/u",
	"skx::INST_RETIRED:c=1",
	"INST_RETIRED:ANY_P:c=1:i",
	"sched:sched_switch",
	"uncore_imc_0/cas_count_read/",
	"r01c0",
	"=a",
	"[u]=a",
	"1x=a",
	"a b=c",
	"{a,b=c}",
};

TEST(events_are_not_inline)
{
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct nti_error e = { 0 };
		struct nti_metric m;

		if (nti_metric_is_inline(events[i]))
			fail_msg("\"%s\" is taken for a metric", events[i]);
		TT_IS(nti_metric_parse_inline(events[i], &m, &e), -EINVAL);
		TT_HAS(e.text, "a metric is written NAME=FORMULA or NAME[unit]=FORMULA, not '");
	}
}

static const struct bad_row {
	int line;
	const char *text;
	int ret;
	const char *error;
} bad_rows[] = {
	{ __LINE__, "x=", -EINVAL,
	  "metric x: column 1 of the formula '': expected a number, an event, '-' or '(', found "
	  "the end" },
	{ __LINE__, "x=a /", -EINVAL,
	  "metric x: column 4 of the formula 'a /': expected a number, an event, '-' or '(', found "
	  "the end"
	  " (an event that has a '/' in its name stands in 'quotes')" },
	{ __LINE__, "x==a", -EINVAL,
	  "metric x: column 1 of the formula '=a': '=' has no meaning here (an event that has it "
	  "in its name stands in 'quotes')" },
	{ __LINE__, "x=1 + 2", -EINVAL, "metric x: the formula uses no event" },
	{ __LINE__, "x[u", -EINVAL, "metric x: the unit that begins with '[' has no ']'" },
	{ __LINE__, "x[]=a", -EINVAL, "metric x: the unit between '[' and ']' is empty" },
	{ __LINE__, "x[ \t]=a", -EINVAL, "metric x: the unit between '[' and ']' is empty" },
	{ __LINE__, "x[u]", -EINVAL, "metric x: expected '=' and a formula after the unit" },
	{ __LINE__, "x[u]a=b", -EINVAL, "metric x: expected '=' and a formula after the unit" },
	{ __LINE__, "x[\xff]=a", -EINVAL,
	  "metric x: the byte 0xff in column 1 is not printable UTF-8" },
	{ __LINE__, "x[1234567890123456789012345]=a", -E2BIG,
	  "metric x: the unit of a metric has at most 24 bytes, this one 25" },
	{ __LINE__, "cycles=a", -EINVAL,
	  "'cycles' is an event of perf's; a metric needs another name" },
	{ __LINE__, "real_ns=a", -EINVAL,
	  "'real_ns' has a meaning in formulas; a metric needs another name" },
	{ __LINE__, "abcdefghijklmnopqrstuvwxyzabcdefghijklmno=a", -E2BIG,
	  "the name of a metric has at most 40 bytes, this one 41" },
};

TEST(bad)
{
	TT_FOR_EACH_ROW(r, bad_rows) {
		struct nti_error e = { 0 };
		struct nti_metric m;

		memset(&m, 0xa5, sizeof(m));
		TT_EQ(r, nti_metric_is_inline(r->text), 1);
		TT_EQ(r, nti_metric_parse_inline(r->text, &m, &e), r->ret);
		TT_STR(r, e.text, r->error);
		TT_EQ(r, m.name == NULL && m.unit == NULL && m.formulas == 0, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(events_are_not_inline),
		cmocka_unit_test(bad),
	};

	return TT_RUN(tests);
}
