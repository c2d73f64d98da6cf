// SPDX-License-Identifier: MIT
/*
 * cli/trace/derive.h: each way to print says so when memory is short, wherever that is, and else
 * prints all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace/derive.h"
#include "tests/tt.h"

/* Allocations go through these by the linker's --wrap: number @fail_at from now fails. */
void *__real_calloc(size_t n, size_t bytes);
char *__real_strdup(const char *text);
FILE *__real_open_memstream(char **text, size_t *bytes);
void *__wrap_calloc(size_t n, size_t bytes);
char *__wrap_strdup(const char *text);
FILE *__wrap_open_memstream(char **text, size_t *bytes);

static unsigned int fail_at;

static bool fails(void)
{
	return fail_at && !--fail_at;
}

void *__wrap_calloc(size_t n, size_t bytes)
{
	return fails() ? NULL : __real_calloc(n, bytes);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

FILE *__wrap_open_memstream(char **text, size_t *bytes)
{
	return fails() ? NULL : __real_open_memstream(text, bytes);
}

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

enum { TABLE, PARAGRAPHS, GROUPS };

/* What stands in the file after it; the caller frees. */
static char *print(int way, const struct cli_derive *d, unsigned int fail, int *ret)
{
	const struct cli_look wide = { .width = 80 }, narrow = { .width = 20, .is_terminal = true };
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = __real_open_memstream(&text, &bytes);

	fail_at = fail;
	if (way == GROUPS)
		*ret = cli_derive_print_groups(f, d);
	else
		*ret = cli_derive_print_table(f, way == TABLE ? &wide : &narrow, d);
	fail_at = 0;
	TT_IS(fclose(f), 0);
	return text;
}

static const struct print_row {
	int line;
	int way;
	unsigned int allocations; /* at least so many, each of which may fail */
	const char *text;
} print_rows[] = {
	{ __LINE__, TABLE, 18,
	  "a: chip GT218\n"
	  "WINDOW  DOMAIN  MODE    COUNTER  EVENT  COUNTS  MUX  VALUES  SAME\n"
	  "1       0       SIMPLE  EVENT    one    A       -    5, 7    2\n"
	  "1       0       SIMPLE  EVENT    two    B       -    5, 7    1\n"
	  "\n"
	  "b: chip GT218\n"
	  "WINDOW  DOMAIN  MODE    COUNTER  EVENT  COUNTS  MUX  VALUES  SAME\n"
	  "1       0       SIMPLE  EVENT    two    B       -    5, 7    1\n"
	  "1       0       SIMPLE  EVENT    -      ?       -    5, 7    0\n" },
	{ __LINE__, PARAGRAPHS, 18, NULL },
	{ __LINE__, GROUPS, 6,
	  "1: SIMPLE, B: equal in all traces (2 rows)\n"
	  "    a: window 1, domain 0, EVENT 0x00000021/0x0000aaaa: two\n"
	  "    b: window 1, domain 0, EVENT 0x00000021/0x0000aaaa: two\n"
	  "2: SIMPLE, A: only in a\n"
	  "    a: window 1, domain 0, EVENT 0x00000021/0x0000aaaa: one\n"
	  "not comparable, the trace lacks its set-up:\n"
	  "    b: window 1, domain 0, EVENT 0x00000021/0x0000aaaa: -\n" },
};

TEST(memory_that_is_short_is_told)
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
		unsigned int fail = 1;
		char *whole, *text;
		int ret;

		whole = print(r->way, &d, 0, &ret);
		TT_EQ(r, ret, 0);
		if (r->text)
			TT_STR(r, whole, r->text);
		for (;; fail++) {
			text = print(r->way, &d, fail, &ret);
			if (!ret)
				break;
			TT_EQ(r, ret, -ENOMEM);
			free(text);
		}
		/* None was left that could fail. */
		TT_STR(r, text, whole);
		TT_EQ(r, fail > r->allocations, 1);
		free(text);
		free(whole);
	}
}

static char *columns_text(const struct cli_derive *d)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = __real_open_memstream(&text, &bytes);

	cli_derive_print_columns(f, d, '\t');
	TT_IS(fclose(f), 0);
	return text;
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
	int ret;

	rows[0].d.clocks = clocks;
	rows[1].d.clocks = half_clocks;
	rows[2].d.clocks = clocks;
	rows[2].d.reads = 9;
	rows[2].d.last = 8;
	for (unsigned int i = 0; i < 3; i++) {
		rows[i].d.is_cycles_read = 1;
		rows[i].d.cycles = 1001;
	}
	text = print(TABLE, &d, 0, &ret);
	TT_HAS(text, " 5 of 1000, 7 of 1001 clocks\n");
	TT_HAS(text, " 5 of ?, 7 of 1001 clocks\n");
	TT_HAS(text, " 5 of 1000, 7 of 1001 ... 8 of 1001 clocks (9 reads)\n");
	free(text);
	text = columns_text(&d);
	TT_HAS(text, "\t5;7\t1000;1001\t1\tA");
	TT_HAS(text, "\t5;7\t-;1001\t2\tB");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_that_is_short_is_told),
		cmocka_unit_test(each_value_has_its_clocks),
	};

	return TT_RUN(tests);
}
