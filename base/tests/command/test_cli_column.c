// SPDX-License-Identifier: MIT
/* base/output/column.h: one description of columns, printed in three forms; no value is never 0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/csv.h"
#include "base/output/json.h"
#include "base/output/table.h"
#include "base/tests/tt.h"

#define IS_KNOWN 2u

struct sample {
	uint32_t flags;
	uint8_t small;
	uint16_t middle;
	uint64_t large;
	double real;
	const char *text;
};

#define AT(member, kind) CLI_OF(struct sample, member, kind)
#define COLUMNS_OF_SAMPLE(X)                                                                       \
	X(NAME, "name", AT(text, TEXT), .title = "NAME", .flags = CLI_COLUMN_LEFT)                 \
	X(SMALL, "small", "in.small", AT(small, COUNT), .title = "SMALL")                          \
	X(MIDDLE, "middle", "in.middle", AT(middle, COUNT), .flags = CLI_COLUMN_SET)               \
	X(LARGE, "large", AT(large, HEX), CLI_IF(struct sample, flags, IS_KNOWN),                  \
	  .title = "LARGE")                                                                        \
	X(REAL, "real", AT(real, REAL), .flags = CLI_COLUMN_OMIT | CLI_COLUMN_SET)                 \
	X(KNOWN, "known", AT(flags, BOOL), .if_flag = IS_KNOWN, .flags = CLI_COLUMN_YES)           \
	X(WORDS, "words")                                                                          \
	X(LIST, "list", .flags = CLI_COLUMN_NOT_CSV)                                               \
	X(NS, "ns", .title = "TIME", .only = 1)

enum { COLUMNS_OF_SAMPLE(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { COLUMNS_OF_SAMPLE(CLI_COLUMN_ROW) };

static json_t *make_list(const void *of)
{
	const struct sample *s = of;

	return json_pack("[i]", (int)s->small);
}

static void fill(struct cli_cell *cell, const struct cli_columns *c, const struct sample *s)
{
	cli_cells_fill(cell, c, s);
	cell[WORDS] = cli_words(s->large ? "scaled lost" : "");
	cell[LIST] = cli_made(make_list, s, "");
	cell[NS] = cli_if(s->large, cli_ns(1500000));
}

static const struct sample samples[] = {
	{ .flags = IS_KNOWN,
	  .small = 7,
	  .middle = 513,
	  .large = 0xdeadbeef12,
	  .real = 0.1,
	  .text = "a,\"b" },
	{ .flags = IS_KNOWN, .text = "zero" },
	{ .text = "none" },
};

static const struct print_row {
	int line;
	struct cli_columns c;
	const char *csv, *json, *table;
} print_rows[] = {
	{ __LINE__,
	  { .column = columns, .n = COLUMNS, .with = 1, .has_nulls = true },
	  "name,small,middle,large,real,known,words,ns\n"
	  "\"a,\"\"b\",7,513,0xdeadbeef12,0.1,yes,scaled lost,1500000\n"
	  "zero,0,,0x0,,yes,,\n"
	  "none,0,,,,no,,\n",
	  "{\"name\":\"a,\\\"b\",\"in\":{\"small\":7,\"middle\":513},\"large\":\"0xdeadbeef12\","
	  "\"real\":0.1,\"known\":true,"
	  "\"words\":[\"scaled\",\"lost\"],\"list\":[7],\"ns\":1500000}\n"
	  "{\"name\":\"zero\",\"in\":{\"small\":0,\"middle\":null},\"large\":\"0x0\",\"known\":"
	  "true,\"words\":[],\"list\":[0],\"ns\":null}\n"
	  "{\"name\":\"none\",\"in\":{\"small\":0,\"middle\":null},\"large\":null,\"known\":false,"
	  "\"words\":[],\"list\":[0],\"ns\":null}\n",
	  "NAME  SMALL         LARGE      TIME\n"
	  "a,\"b      7  0xdeadbeef12  1.500 ms\n"
	  "zero      0           0x0         -\n"
	  "none      0             -         -\n" },
	{ __LINE__,
	  { .column = columns, .n = COLUMNS, .separator = '\t', .none = "-" },
	  "name\tsmall\tmiddle\tlarge\treal\tknown\twords\n"
	  "a,\"b\t7\t513\t0xdeadbeef12\t0.1\t"
	  "yes\tscaled lost\n"
	  "zero\t0\t-\t0x0\t-\t"
	  "yes\t-\n"
	  "none\t0\t-\t-\t-\tno\t-\n",
	  "{\"name\":\"a,\\\"b\",\"in\":{\"small\":7,\"middle\":513},\"large\":\"0xdeadbeef12\","
	  "\"real\":0.1,\"known\":true,"
	  "\"words\":[\"scaled\",\"lost\"],\"list\":[7]}\n"
	  "{\"name\":\"zero\",\"in\":{\"small\":0},\"large\":\"0x0\",\"known\":true,\"words\":[],"
	  "\"list\":[0]}\n"
	  "{\"name\":\"none\",\"in\":{\"small\":0},\"known\":false,\"words\":[],\"list\":[0]}\n",
	  "NAME  SMALL         LARGE\n"
	  "a,\"b      7  0xdeadbeef12\n"
	  "zero      0           0x0\n"
	  "none      0             -\n" },
};

static void print_table(FILE *f, const struct cli_columns *c)
{
	struct cli_look look = { .width = 80 };
	struct cli_cell cell[COLUMNS];
	struct cli_table t;

	cli_table_init(&t, c, false);
	for (size_t i = 0; i < 3; i++) {
		fill(cell, c, &samples[i]);
		cli_table_row(&t, cell);
	}
	cli_table_print(&t, f, &look);
	cli_table_fini(&t);
}

enum { CSV, JSON, TABLE };

/* The caller frees. */
static char *print(int form, const struct cli_columns *c)
{
	struct cli_cell cell[COLUMNS];
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	if (form == CSV)
		cli_csv_head(f, c);
	for (size_t i = 0; i < 3 && form != TABLE; i++) {
		fill(cell, c, &samples[i]);
		if (form == CSV)
			cli_csv_row(f, c, cell);
		else
			TT_IS(cli_json_write(f, cli_json_row(c, cell), 0), 0);
	}
	if (form == TABLE)
		print_table(f, c);
	fclose(f);
	return text;
}

TEST(columns_have_three_forms)
{
	TT_FOR_EACH_ROW(r, print_rows) {
		const char *const wanted[] = { r->csv, r->json, r->table };

		for (int form = CSV; form <= TABLE; form++) {
			char *text = print(form, &r->c);

			TT_STR(r, text, wanted[form]);
			free(text);
		}
	}
}

/* Longer than the printer's own room: nothing is lost, and fields stay in order. */
TEST(long_fields_arrive_whole)
{
	static const struct cli_column two[] = { { "a" }, { "b" } };
	static const struct cli_columns c = { .column = two, .n = 2 };
	char text[3000], *out = NULL;
	struct cli_cell cell[2];
	size_t bytes;
	FILE *f = open_memstream(&out, &bytes);

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	cell[0] = cli_text(text);
	cell[1] = cli_count(5);
	cli_csv_row(f, &c, cell);
	text[1500] = '"';
	cli_csv_row(f, &c, cell);
	fclose(f);
	TT_IS(bytes, 2999 + 3 + 2999 + 3 + 3);
	TT_IS(strncmp(out + 2999, ",5\n\"xx", 6), 0);
	TT_IS(strcmp(out + bytes - 5, "x\",5\n"), 0);
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_have_three_forms),
		cmocka_unit_test(long_fields_arrive_whole),
	};

	return TT_RUN(tests);
}
