// SPDX-License-Identifier: MIT
/*
 * count/cli/report/rows.h and count/cli/watch/table.h: places put together, and drawn. The session
 * is a table of this file.
 */
#include <errno.h>
#include <math.h>

#include <ntime/reason.h>

#include "base/output/number.h"
#include "count/cli/watch/table.h"
#include "base/tests/tt.h"

/* Places in an odd order, as CPU lists of users may be: two sockets, cores of two threads. */
static const struct ntime_where_info places[] = {
	{ .cpu = 5, .core = 2, .package = 1, .pid = -1 },
	{ .cpu = 0, .core = 0, .package = 0, .pid = -1 },
	{ .cpu = 2, .core = 1, .package = 0, .pid = -1 },
	{ .cpu = 1, .core = 0, .package = 0, .pid = -1 },
	{ .cpu = 4, .core = 2, .package = 1, .pid = -1 },
};
#define PLACES (sizeof(places) / sizeof(places[0]))

static int place_error;

size_t ntime_session_where_count(const struct ntime_session *s)
{
	(void)s;
	return PLACES;
}

int ntime_session_where(struct ntime_session *s, size_t i, struct ntime_where_info *out)
{
	(void)s;
	if (place_error)
		return place_error;
	*out = places[i];
	return 0;
}

/* Items are a table here. */
int ntime_session_item(const struct ntime_session *s, size_t i, struct ntime_item *out)
{
	(void)s, (void)i, (void)out;
	return -ENOENT;
}

/* The last item is the first one's half. */
int ntime_session_metrics(const struct ntime_session *s, struct ntime_value *values, size_t n)
{
	(void)s;
	values[n - 1].value = values[0].value / 2;
	values[n - 1].flags = NTIME_METRIC;
	return 0;
}

enum { EVENT, ENERGY, STATE, CLOCK, BOARD, HALF, ITEMS };

static struct cli_row_item items_of_test[ITEMS] = {
	[EVENT] = { .name = "events", .is_shown = true, .has_rate = true },
	[ENERGY] = { .name = "energy",
		     .is_shown = true,
		     .has_rate = true,
		     .info = { .scope = NTIME_SCOPE_PACKAGE, .unit_text = "J" } },
	[STATE] = { .name = "headroom",
		    .is_shown = true,
		    .info = { .scope = NTIME_SCOPE_CORE,
			      .together = NTIME_MIN,
			      .is_state = 1,
			      .unit_text = "C" } },
	[CLOCK] = { .name = "tsc", .is_shown = true, .has_rate = true, .is_clock = true },
	[BOARD] = { .name = "board",
		    .is_shown = true,
		    .has_rate = true,
		    .info = { .scope = NTIME_SCOPE_MACHINE } },
	[HALF] = { .name = "half", .is_shown = true, .info = { .is_metric = 1 } },
};

static struct cli_watch_items items(void)
{
	for (size_t i = 0; i < ITEMS; i++)
		if (!items_of_test[i].info.unit_text)
			items_of_test[i].info.unit_text = "";
	return (struct cli_watch_items){ .item = items_of_test, .n = ITEMS, .shown = ITEMS };
}

/* What each place has: its CPU's number, or nothing for what another one reads. */
static void fill(struct ntime_value *values)
{
	for (size_t p = 0; p < PLACES; p++) {
		for (size_t i = 0; i < ITEMS; i++) {
			struct ntime_value *v = &values[p * ITEMS + i];

			*v = (struct ntime_value){ .count = (uint64_t)places[p].cpu + 1,
						   .value = places[p].cpu + 1,
						   .scale = 1,
						   .wanted_ns = 10,
						   .counted_ns = 10 };
			if ((i == ENERGY && places[p].cpu % 4) ||
			    (i == STATE && places[p].cpu % 2) || (i == BOARD && places[p].cpu))
				*v = (struct ntime_value){ .value = NAN, .flags = NTIME_ELSEWHERE };
			if (i == CLOCK)
				v->value = 100;
			if (i == HALF) {
				v->count = 1;
				v->flags = NTIME_METRIC | (p ? NTIME_ELSEWHERE : 0);
			}
		}
	}
}

static void make(struct cli_rows *rows, const struct cli_watch_items *all, enum cli_per per)
{
	struct ntime_value values[PLACES * ITEMS];

	fill(values);
	TT_IS(cli_rows_init(rows, NULL, ITEMS), 0);
	cli_rows_arrange(rows, per, all->item);
	TT_IS(cli_rows_add_up(rows, all->item, NULL, values), 0);
}

static const struct per_row {
	int line;
	enum cli_per per;
	const char *rows;
	/*
	 * of each row: value of what stands there, in the order of the items; - where it does not
	 */
	const char *values;
} per_rows[] = {
	{ __LINE__, CLI_PER_NONE, "all CPUs;", "17 6 1 100 1 8.5;" },
	/* energy: CPU 0 has 1, CPU 4 has 5; the least headroom: CPUs 0, 2 and 4 have 1, 3 and 5 */
	{ __LINE__, CLI_PER_SOCKET, "all CPUs;socket 0;socket 1;",
	  "- - - - 1 -;6 1 1 100 - 3;11 5 5 100 - 5.5;" },
	{ __LINE__, CLI_PER_CORE, "all CPUs;socket 0;core 0;core 1;socket 1;core 2;",
	  "- - - - 1 -;- 1 - - - -;3 - 1 100 - 1.5;3 - 3 100 - 1.5;- 5 - - - -;11 - 5 100 - 5.5;" },
	{ __LINE__, CLI_PER_THREAD, "all CPUs;socket 0;CPU 0;CPU 1;CPU 2;socket 1;CPU 4;CPU 5;",
	  "- - - - 1 -;- 1 - - - -;1 - 1 100 - 0.5;2 - ? 100 - 1;3 - 3 100 - 1.5;- 5 - - - -;"
	  "5 - 5 100 - 2.5;6 - ? 100 - 3;" },
};

TEST(rows_put_places_together)
{
	TT_FOR_EACH_ROW(r, per_rows) {
		struct cli_watch_items all = items();
		struct cli_rows rows;
		char names[256] = "", values[512] = "";

		make(&rows, &all, r->per);
		for (size_t row = 0; row < rows.n; row++) {
			strcat(strcat(names, rows.row[row].name), ";");
			for (size_t i = 0; i < ITEMS; i++) {
				const struct ntime_value *v = &rows.value[row * ITEMS + i];
				char text[32];

				if (!cli_rows_show(&rows, row, &all.item[i]))
					snprintf(text, sizeof(text), "-");
				else if (v->flags & NTIME_ELSEWHERE)
					snprintf(text, sizeof(text), "?");
				else
					snprintf(text, sizeof(text), "%g", v->value);
				strcat(strcat(values, text), i + 1 < ITEMS ? " " : ";");
			}
		}
		TT_STR(r, names, r->rows);
		TT_STR(r, values, r->values);
		cli_rows_fini(&rows);
	}
}

/* Rows may be made again, and nothing of the old ones stays. */
TEST(rows_can_be_others)
{
	struct cli_watch_items all = items();
	struct cli_rows rows;
	struct ntime_value values[PLACES * ITEMS];

	fill(values);
	make(&rows, &all, CLI_PER_THREAD);
	cli_rows_arrange(&rows, CLI_PER_NONE, all.item);
	TT_IS(cli_rows_add_up(&rows, all.item, NULL, values), 0);
	TT_IS(rows.n, 1);
	TT_IS(rows.value[EVENT].value, 17);
	cli_rows_fini(&rows);
}

/*
 * Formulas may ask how many CPUs a row tells of; those that leave the events to others are of them.
 */
TEST(metrics_know_their_cpus)
{
	struct cli_watch_items all = items();
	struct cli_rows rows;

	make(&rows, &all, CLI_PER_SOCKET);
	TT_IS(rows.value[0 * ITEMS + HALF].count, 5);
	TT_IS(rows.value[1 * ITEMS + HALF].count, 3);
	TT_IS(rows.value[2 * ITEMS + HALF].count, 2);
	TT_IS(rows.value[2 * ITEMS + HALF].wanted_ns, 10);
	cli_rows_fini(&rows);
}

/* A part that is missing does not look like 0. */
TEST(missing_parts_make_sums_partial)
{
	struct cli_watch_items all = items();
	struct ntime_value values[PLACES * ITEMS];
	struct cli_rows rows;

	fill(values);
	for (size_t p = 1; p < 3; p++)
		values[p * ITEMS + EVENT] =
			(struct ntime_value){ .value = NAN, .flags = NTIME_NOT_COUNTED };
	values[0 * ITEMS + EVENT].flags |= NTIME_LOST;
	TT_IS(cli_rows_init(&rows, NULL, ITEMS), 0);
	cli_rows_arrange(&rows, CLI_PER_SOCKET, all.item);
	TT_IS(cli_rows_add_up(&rows, all.item, NULL, values), 0);
	TT_IS(rows.value[1 * ITEMS + EVENT].flags, NTIME_PARTIAL);
	TT_IS(rows.value[1 * ITEMS + EVENT].value, 2);
	TT_IS(rows.value[2 * ITEMS + EVENT].flags, NTIME_LOST);
	cli_rows_fini(&rows);
}

TEST(without_a_topology_there_is_one_row)
{
	struct cli_watch_items all = items();
	struct cli_rows rows;

	place_error = -EIO;
	TT_IS(cli_rows_init(&rows, NULL, ITEMS), -EIO);
	place_error = 0;
	cli_rows_arrange(&rows, CLI_PER_SOCKET, all.item);
	TT_TEXT(rows.row[rows.n - 1].name, "socket ?");
	cli_rows_fini(&rows);
}

TEST(rows_that_suit)
{
	struct cli_watch_items all = items();

	TT_IS(cli_rows_choose(all.item, ITEMS), CLI_PER_CORE);
	TT_IS(cli_rows_choose(all.item, STATE), CLI_PER_SOCKET);
}

static const struct compact_row {
	int line;
	double number;
	const char *text;
} compact_rows[] = {
	{ __LINE__, 0, "0" },
	{ __LINE__, 0.0123456, "0.0123" },
	{ __LINE__, 1.23456, "1.235" },
	{ __LINE__, 999.96, "1,000" },
	{ __LINE__, 99999.4, "99,999" },
	{ __LINE__, 99999.5, "100.0k" },
	{ __LINE__, 123456, "123.5k" },
	{ __LINE__, 999949, "999.9k" },
	{ __LINE__, 999951, "1.000M" },
	{ __LINE__, 1234567890, "1.235G" },
	{ __LINE__, -1234567890.0, "-1.235G" },
	{ __LINE__, 1e21, "1e+21" },
	{ __LINE__, 9.99e20, "999.0E" },
};

TEST(numbers_are_short)
{
	TT_FOR_EACH_ROW(r, compact_rows)
		TT_STR(r, cli_watch_compact(r->number).text, r->text);
}

/* Drawn into lines of text; what would be beyond the width is a failure. */
struct paper {
	unsigned int width;
	char line[64][256];
};

static void put(void *arg, size_t line, unsigned int column, const char *text, enum cli_colour look)
{
	struct paper *paper = arg;

	(void)look;
	if (line >= 64 || column >= paper->width)
		fail_msg("'%s' at line %zu, column %u", text, line, column);
	for (; *text && column < paper->width; text++)
		paper->line[line][column++] = *text;
}

static struct paper draw(struct cli_watch *w, unsigned int width, size_t *lines)
{
	struct paper paper = { .width = width };
	struct cli_watch_table table = { .width = width, .put = put, .arg = &paper };

	for (size_t i = 0; i < 64; i++)
		memset(paper.line[i], ' ', sizeof(paper.line[i]) - 1);
	*lines = cli_watch_table_draw(&table, w);
	for (size_t i = 0; i < 64; i++) {
		char *end = paper.line[i] + strlen(paper.line[i]);

		while (end > paper.line[i] && end[-1] == ' ')
			*--end = '\0';
	}
	return paper;
}

TEST(table_fits_its_width)
{
	struct cli_watch w = { .items = items(), .period_ns = 500000000, .shown = 1 };
	struct paper paper;
	size_t lines;

	make(&w.rows, &w.items, CLI_PER_SOCKET);
	w.rows.value[1 * ITEMS + EVENT].flags = NTIME_SCALED | NTIME_LOST;
	paper = draw(&w, 80, &lines);
	TT_TEXT(paper.line[0], "                  all CPUs");
	TT_TEXT(paper.line[1], "board /s                 2");
	TT_TEXT(paper.line[3], "                  socket 0    socket 1");
	TT_TEXT(paper.line[4], "events /s             ~12!          22");
	TT_TEXT(paper.line[5], "energy J/s           2.000       10.00");
	TT_TEXT(paper.line[6], "headroom C now       1.000       5.000");
	TT_TEXT(paper.line[8], "half                 3.000       5.500");
	TT_IS(lines, 10);
	/* One socket below the other. */
	paper = draw(&w, 30, &lines);
	TT_TEXT(paper.line[3], "                  socket 0");
	TT_HAS(paper.line[10], "socket 1");
	TT_IS(lines, 17);
	w.rows.value[1 * ITEMS + EVENT].flags = NTIME_IMPLAUSIBLE;
	paper = draw(&w, 80, &lines);
	TT_TEXT(paper.line[4], "events /s              12#          22");
	for (unsigned int width = 1; width < 200; width++)
		draw(&w, width, &lines);
	cli_rows_fini(&w.rows);
}

TEST(missing_things_share_their_reason)
{
	struct cli_absence absence[] = {
		{ "a", "needs x: no unit", "none", "u", "no unit", NTIME_REASON_NO_HARDWARE,
		  NTIME_REMEDY_NONE },
		{ "b", "locked", "unlock", "u", "locked", NTIME_REASON_LOCKDOWN,
		  NTIME_REMEDY_HERE },
		/* Other words, but the same code about the same thing. */
		{ "c", "needs y: u is missing", "none", "u", "u is missing",
		  NTIME_REASON_NO_HARDWARE, NTIME_REMEDY_NONE },
		/* The same words about another thing. */
		{ "d", "no unit", "none", "v", "no unit", NTIME_REASON_NO_HARDWARE,
		  NTIME_REMEDY_NONE },
	};
	struct cli_watch w = { .items = items(), .period_ns = 1000000000 };
	struct paper paper;
	size_t lines;

	w.items.absence = absence;
	w.items.absences = 4;
	paper = draw(&w, 80, &lines);
	TT_TEXT(paper.line[0], "Not here:");
	TT_TEXT(paper.line[1], "a, c: no unit");
	TT_TEXT(paper.line[2], "b: locked (unlock)");
	TT_TEXT(paper.line[3], "d: no unit");
	TT_IS(lines, 4);
	paper = draw(&w, 12, &lines);
	TT_TEXT(paper.line[1], "a, c: no");
	TT_TEXT(paper.line[2], "  unit");
	w.items.is_overview = true;
	paper = draw(&w, 80, &lines);
	TT_TEXT(paper.line[1], "a, b, c, d");
	w.o.is_quiet = true;
	draw(&w, 80, &lines);
	TT_IS(lines, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_put_places_together),
		cmocka_unit_test(rows_can_be_others),
		cmocka_unit_test(metrics_know_their_cpus),
		cmocka_unit_test(missing_parts_make_sums_partial),
		cmocka_unit_test(without_a_topology_there_is_one_row),
		cmocka_unit_test(rows_that_suit),
		cmocka_unit_test(numbers_are_short),
		cmocka_unit_test(table_fits_its_width),
		cmocka_unit_test(missing_things_share_their_reason),
	};

	return TT_RUN(tests);
}
