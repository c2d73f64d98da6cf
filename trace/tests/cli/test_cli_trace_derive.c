// SPDX-License-Identifier: MIT
/* trace/cli/derive.h: each way to print prints all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/cli/derive.h"
#include "base/tests/tt.h"

/* Of the file that is not linked here. */
const char *cli_derive_device(const struct cli_derive_row *r)
{
	(void)r;
	return "0000:05:00.0";
}

static const uint64_t values[] = { 5, 7 };
static const uint64_t clocks[] = { 1000, 1001 };
static const uint64_t half_clocks[] = { NTIME_DERIVED_NO_CLOCKS, 1001 };
static const uint64_t no_clocks[] = { NTIME_DERIVED_NO_CLOCKS, NTIME_DERIVED_NO_CLOCKS };

static struct ntime_derived derived(const char *event, const char *logic)
{
	return (struct ntime_derived){
		.size = sizeof(struct ntime_derived),
		.n_values = 2,
		.values = values,
		.clocks = no_clocks,
		.reads = 2,
		.chip = "GT218",
		.event = event,
		.part = "-",
		.unit = "PCOUNTER",
		.instance = "",
		.mode = "SIMPLE",
		.counter = "EVENT",
		.start_src = "-",
		.start_op = "-",
		.event_src = "0x00000021",
		.event_op = "0x0000aaaa",
		.group_sel = "-",
		.extra = "-",
		.mux = "-",
		.relative = "-",
		.logic = logic,
		.key = logic,
		.notes = "-",
		.origin = "",
		.windows_text = "1",
	};
}

enum { TABLE, PARAGRAPHS, GROUPS, COLUMNS };

/* What stands in the file after it; the caller frees. */
static char *print(int way, const struct cli_derive *d)
{
	const struct cli_look wide = { .width = 80 }, narrow = { .width = 20, .is_terminal = true };
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	if (way == GROUPS)
		cli_derive_print_groups(f, d);
	else if (way == COLUMNS)
		cli_derive_print_columns(f, d, '\t');
	else
		cli_derive_print_table(f, way == TABLE ? &wide : &narrow, d);
	TT_IS(fclose(f), 0);
	return text;
}

/* A row in 20 columns, which have no room for a table. */
#define HEAD "WINDOW 1; DOMAIN 0;\n    MODE SIMPLE;\n    COUNTER EVENT;\n"
#define PARAGRAPH(event, counts, same)                                                             \
	HEAD "    EVENT " event ";\n"                                                              \
	     "    COUNTS " counts "; MUX -;\n"                                                     \
	     "    VALUES 5, 7;\n"                                                                  \
	     "    SAME " same "\n"

static const struct print_row {
	int line;
	int way;
	const char *text;
} print_rows[] = {
	{ __LINE__, TABLE,
	  "a: chip GT218\n"
	  "WINDOW  DOMAIN  MODE    COUNTER  EVENT  COUNTS  MUX  VALUES  SAME\n"
	  "1       0       SIMPLE  EVENT    one    A       -    5, 7    2\n"
	  "1       0       SIMPLE  EVENT    two    B       -    5, 7    1\n"
	  "\n"
	  "b: chip GT218\n"
	  "WINDOW  DOMAIN  MODE    COUNTER  EVENT  COUNTS  MUX  VALUES  SAME\n"
	  "1       0       SIMPLE  EVENT    two    B       -    5, 7    1\n"
	  "1       0       SIMPLE  EVENT    -      ?       -    5, 7    0\n" },
	{ __LINE__, PARAGRAPHS,
	  "a: chip GT218\n" PARAGRAPH("one", "A", "2")
		  PARAGRAPH("two", "B", "1") "\nb: chip GT218\n" PARAGRAPH("two", "B", "1") HEAD
	  "    EVENT -; COUNTS\n"
	  "    ?; MUX -; VALUES\n"
	  "    5, 7; SAME 0\n" },
	{ __LINE__, GROUPS,
	  "1: SIMPLE, B: equal in all traces (2 rows)\n"
	  "    a: window 1, domain 0, EVENT 0x00000021/0x0000aaaa: two\n"
	  "    b: window 1, domain 0, EVENT 0x00000021/0x0000aaaa: two\n"
	  "2: SIMPLE, A: only in a\n"
	  "    a: window 1, domain 0, EVENT 0x00000021/0x0000aaaa: one\n"
	  "not comparable, the trace lacks its set-up:\n"
	  "    b: window 1, domain 0, EVENT 0x00000021/0x0000aaaa: -\n" },
};

TEST(all_is_printed)
{
	struct cli_derive_trace traces[] = { { .path = "a" }, { .path = "b" } };
	struct cli_derive_row rows[] = {
		{ .d = derived("one", "A"), .trace = &traces[0], .same = 2 },
		{ .d = derived("two", "B"), .trace = &traces[0], .same = 1 },
		{ .d = derived("two", "B"), .trace = &traces[1], .same = 1 },
		{ .d = derived("", "?"), .trace = &traces[1] },
	};
	const struct cli_derive d = {
		.trace = traces, .traces = 2, .row = rows, .n = 4, .groups = 2
	};

	rows[3].d.role = NTIME_DERIVED_UNKNOWN;
	TT_FOR_EACH_ROW(r, print_rows) {
		char *text = print(r->way, &d);

		TT_STR(r, text, r->text);
		free(text);
	}
}

/* A value and the clocks of another one make a wrong rate. */
TEST(each_value_has_its_clocks)
{
	struct cli_derive_trace trace = { .path = "a" };
	struct cli_derive_row rows[] = {
		{ .d = derived("one", "A"), .trace = &trace, .same = 1 },
		{ .d = derived("two", "B"), .trace = &trace, .same = 2 },
		{ .d = derived("few", "C"), .trace = &trace, .same = 3 },
	};
	const struct cli_derive d = { .trace = &trace, .traces = 1, .row = rows, .n = 3 };
	char *text;

	rows[0].d.clocks = clocks;
	rows[1].d.clocks = half_clocks;
	rows[2].d.clocks = clocks;
	rows[2].d.reads = 9;
	rows[2].d.last = 8;
	for (unsigned int i = 0; i < 3; i++) {
		rows[i].d.is_cycles_read = 1;
		rows[i].d.cycles = 1001;
	}
	text = print(TABLE, &d);
	TT_HAS(text, " 5 of 1000, 7 of 1001 clocks\n");
	TT_HAS(text, " 5 of ?, 7 of 1001 clocks\n");
	TT_HAS(text, " 5 of 1000, 7 of 1001 ... 8 of 1001 clocks (9 reads)\n");
	free(text);
	text = print(COLUMNS, &d);
	TT_HAS(text, "\t5;7\t1000;1001\t1\tA");
	TT_HAS(text, "\t5;7\t-;1001\t2\tB");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_printed),
		cmocka_unit_test(each_value_has_its_clocks),
	};

	return TT_RUN(tests);
}
