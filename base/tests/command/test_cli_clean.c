// SPDX-License-Identifier: MIT
/* base/output/clean.h: nothing of others steers a terminal, in text or in JSON. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/output/clean.h"
#include "base/output/json.h"
#include "base/output/say.h"
#include "base/output/table.h"
#include "base/tests/tt.h"

static const struct clean_row {
	int line;
	const char *text, *clean;
} clean_rows[] = {
	{ __LINE__, "", "" },
	{ __LINE__, "L1-dcache-loads, 5 % of \xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80", NULL },
	{ __LINE__, "\x1b[31mred\x1b[0m", "?[31mred?[0m" },
	{ __LINE__, "a\nb\rc\td\x7f", "a?b?c?d?" },
	{ __LINE__, "\x01\x1f", "??" },
	/* C1: U+009B begins a sequence as ESC [ does. */
	{ __LINE__,
	  "a\xc2\x9b"
	  "31m",
	  "a?31m" },
	{ __LINE__, "\xc2\x80\xc2\x9f\xc2\xa0", "??\xc2\xa0" },
	/* bidirectional, and their neighbours */
	{ __LINE__, "\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xa9\xe2\x80\xaf",
	  "??\xe2\x80\xa9\xe2\x80\xaf" },
	{ __LINE__, "\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xa5\xe2\x81\xaa",
	  "??\xe2\x81\xa5\xe2\x81\xaa" },
	/* no UTF-8: alone, overlong, surrogate, above U+10FFFF, cut */
	{ __LINE__,
	  "\x9b"
	  "31m",
	  "?31m" },
	{ __LINE__, "\xc0\xaf", "??" },
	{ __LINE__, "\xed\xa0\x80", "???" },
	{ __LINE__, "\xf4\x90\x80\x80", "????" },
	{ __LINE__, "x\xe2\x82", "x??" },
	{ __LINE__, "\xff", "?" },
};

static const char *wanted(const struct clean_row *r)
{
	return r->clean ? r->clean : r->text;
}

TEST(texts)
{
	TT_FOR_EACH_ROW(r, clean_rows) {
		char *exact = strdup(r->text), copy[64], printed[64] = "";
		FILE *f = fmemopen(printed, sizeof(printed), "w");
		size_t n = cli_clean_copy(copy, exact, strlen(exact));

		copy[n] = '\0';
		TT_STR(r, copy, wanted(r));
		TT_STR(r, cli_clean(exact), wanted(r));
		/* What is clean is not copied. */
		TT_EQ(r, cli_clean(exact) == exact, !r->clean || !*r->text);
		cli_clean_print(f, exact, strlen(exact));
		fclose(f);
		TT_STR(r, printed, wanted(r));
		/* in its place */
		n = cli_clean_copy(exact, exact, strlen(exact));
		exact[n] = '\0';
		TT_STR(r, exact, wanted(r));
		free(exact);
	}
}

TEST(a_sentence_is_a_line)
{
	if (fcntl(STDERR_FILENO, F_GETFD) < 0)
		TT_SKIP("standard error is closed");
	TT_FOR_EACH_ROW(r, clean_rows) {
		char said[128] = "", line[128];
		int saved = dup(STDERR_FILENO), ends[2];
		ssize_t n;

		TT_EQ(r, pipe(ends), 0);
		dup2(ends[1], STDERR_FILENO);
		cli_say("%s", r->text);
		dup2(saved, STDERR_FILENO);
		n = read(ends[0], said, sizeof(said) - 1);
		said[n > 0 ? n : 0] = '\0';
		snprintf(line, sizeof(line), "ntime: %s\n", wanted(r));
		TT_STR(r, said, line);
		close(ends[0]);
		close(ends[1]);
		close(saved);
	}
}

TEST(cells_of_tables)
{
	static const struct cli_column column[] = {
		{ .name = "name", .title = "NAME", .flags = CLI_COLUMN_LEFT },
		{ .name = "n", .title = "N" },
	};
	const struct cli_columns columns = { .column = column, .n = 2 };
	const struct cli_look look = { .width = 80 };

	TT_FOR_EACH_ROW(r, clean_rows) {
		struct cli_cell cell[2] = { cli_text(r->text), cli_count(7) };
		struct cli_table t;
		char printed[256] = "", line[160];
		FILE *f = fmemopen(printed, sizeof(printed), "w");

		cli_table_init(&t, &columns, true);
		cli_table_row(&t, cell);
		cli_table_print(&t, f, &look);
		cli_table_fini(&t);
		fclose(f);
		/*
		 * The number stands where the title of its column does: widths are those of what is
		 * seen.
		 */
		snprintf(line, sizeof(line), "%s%*s7\n", wanted(r),
			 (int)((cli_text_columns(wanted(r)) < 4 ? 4 - cli_text_columns(wanted(r))
								: 0) +
			       2),
			 "");
		TT_STR(r, strchr(printed, '\n') + 1, line);
	}
}

static int put(const char *text, size_t n, void *arg)
{
	return fwrite(text, 1, n, arg) == n ? 0 : -1;
}

TEST(json_is_exact_and_harmless)
{
	TT_FOR_EACH_ROW(r, clean_rows) {
		char text[256] = "", clean[256];
		FILE *f = fmemopen(text, sizeof(text), "w");
		json_t *json = json_object(), *back;

		/* As a value and as a key, with a number behind. */
		json_object_set_new(json, "text", cli_json_text(r->text));
		json_object_set_new(json, json_string_value(json_object_get(json, "text")),
				    json_real(0.2));
		TT_EQ(r, cli_json_dump(json, JSON_COMPACT, put, f), 0);
		fclose(f);
		clean[cli_clean_copy(clean, text, strlen(text))] = '\0';
		TT_STR(r, text, clean);
		back = json_loads(text, 0, NULL);
		TT_EQ(r, json_equal(json, back), 1);
		json_decref(json);
		json_decref(back);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(a_sentence_is_a_line),
		cmocka_unit_test(cells_of_tables),
		cmocka_unit_test(json_is_exact_and_harmless),
	};

	return TT_RUN(tests);
}
