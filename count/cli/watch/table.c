// SPDX-License-Identifier: MIT
/* The table of the full screen. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/output/absence.h"
#include "base/output/number.h"
#include "count/cli/watch/table.h"

#define CELL 12u
#define LEAST_NAME 7u
#define TEXT_BYTES 256

struct cli_number cli_watch_compact(double number)
{
	static const char *const units[] = { "", "k", "M", "G", "T", "P", "E" };
	double size = fabs(number);
	struct cli_number n;
	size_t unit = 0;

	if (!isfinite(number) || size >= 9.9995e20) {
		snprintf(n.text, sizeof(n.text), "%.3g", number);
		return n;
	}
	if (size < 99999.5)
		return cli_number_short(number);
	while (size >= 999.95 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		size /= 1000;
		unit++;
	}
	snprintf(n.text, sizeof(n.text), "%s%.*f%s", number < 0 ? "-" : "",
		 size >= 99.995	  ? 1
		 : size >= 9.9995 ? 2
				  : 3,
		 size, units[unit]);
	return n;
}

/* One drawing in progress: where the next line goes. */
struct drawing {
	const struct cli_watch_table *t;
	const struct cli_watch *w;
	size_t line;
	unsigned int name;
};

static void put(const struct drawing *d, unsigned int column, const char *text,
		enum cli_colour look)
{
	if (column < d->t->width)
		d->t->put(d->t->arg, d->line, column, text, look);
}

/* Nanoseconds per second would be nine digits: milliseconds are enough for a screen. */
static bool is_time(const struct cli_row_item *item)
{
	return strcmp(item->info.unit_text, "ns") == 0;
}

/* "IPC insn/cycle", "context-switches /s", "headroom C now" */
static void item_text(const struct drawing *d, const struct cli_row_item *item, char *text,
		      size_t size)
{
	const char *unit = is_time(item) ? "ms" : cli_watch_unit_text(item);
	const char *rate = item->has_rate && !d->t->shows_counts ? "/s" : "";

	snprintf(text, size, "%s%s%s%s%s", item->name, *unit || *rate ? " " : "", unit, rate,
		 item->info.is_state ? " now" : "");
}

/* Cut to @columns; what is cut away leaves a mark. */
static void fit(char *text, unsigned int columns)
{
	if (strlen(text) <= columns)
		return;
	text[columns] = '\0';
	text[columns - 1] = '~';
}

static unsigned int name_columns(const struct cli_watch_table *t, const struct cli_watch *w)
{
	struct drawing d = { .t = t, .w = w };
	unsigned int most = LEAST_NAME, room = t->width > CELL ? t->width - CELL : LEAST_NAME;
	char text[TEXT_BYTES];

	for (size_t i = 0; i < w->items.n; i++) {
		if (!w->items.item[i].is_shown)
			continue;
		item_text(&d, &w->items.item[i], text, sizeof(text));
		if (strlen(text) > most)
			most = (unsigned int)strlen(text);
	}
	/* Two columns of numbers are worth more than the end of a long name. */
	if (most > t->width / 2 && t->width >= 40)
		room = t->width / 2;
	return most < room ? most : room;
}

static struct cli_number compact(const struct cli_row_item *item, double number)
{
	return cli_watch_is_whole(item, number) && number < 99999.5 ? cli_number_grouped(number, 0)
								    : cli_watch_compact(number);
}

/*
 * Doubts are signs beside the number: ~ estimated, > at least, + some CPUs are missing, ! no longer
 * ours, ? not sure, # cannot be right.
 */
static void number_text(const struct drawing *d, const struct cli_row_item *item,
			const struct ntime_value *v, char *text, size_t size)
{
	bool is_rate = item->has_rate && !d->t->shows_counts;
	double number = is_rate ? cli_watch_rate(d->w, v) : v->value;
	bool is_unsure =
		(is_rate || item->info.is_metric) && cli_rows_is_unsure(&d->w->rows, item, v);
	const char *word = cli_watch_yes_or_no(item, v);

	if (is_time(item))
		number /= 1e6;
	snprintf(text, size, "%s%s%s%s%s%s%s%s", v->flags & NTIME_SCALED ? "~" : "",
		 v->flags & NTIME_OVERFLOWED ? ">" : "", word ? word : compact(item, number).text,
		 v->flags & NTIME_PARTIAL ? "+" : "", v->flags & NTIME_LOST ? "!" : "",
		 v->flags & NTIME_HOTPLUG ? "*" : "", is_unsure ? "?" : "",
		 v->flags & NTIME_IMPLAUSIBLE ? "#" : "");
}

static void draw_cell(const struct drawing *d, unsigned int column, size_t row, size_t i)
{
	const struct cli_row_item *item = &d->w->items.item[i];
	size_t at = row * d->w->items.n + i;
	const struct ntime_value *v = &d->w->rows.value[at];
	const char *no_number = cli_watch_no_number(v);
	enum cli_colour look = CLI_PLAIN;
	char text[96], cell[112];

	if (!cli_rows_show(&d->w->rows, row, item))
		return;
	if (no_number) {
		snprintf(text, sizeof(text), "%s", no_number);
		look = CLI_DIM;
	} else {
		number_text(d, item, v, text, sizeof(text));
	}
	if (d->w->frames.ring && d->w->frames.value[at].last != d->w->frames.number[row])
		look = CLI_DIM;
	if (v->flags & (NTIME_LOST | NTIME_OVERFLOWED | NTIME_IMPLAUSIBLE))
		look = CLI_WARN;
	snprintf(cell, sizeof(cell), "%*s", (int)CELL, text);
	put(d, column, cell, look);
}

static bool stands_in(const struct drawing *d, const size_t *row, size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++)
		if (cli_rows_show(&d->w->rows, row[k], &d->w->items.item[i]))
			return true;
	return false;
}

static void draw_line(const struct drawing *d, const size_t *row, size_t n, size_t i)
{
	char text[TEXT_BYTES];

	item_text(d, &d->w->items.item[i], text, sizeof(text));
	fit(text, d->name);
	put(d, 0, text, CLI_PLAIN);
	for (size_t k = 0; k < n; k++)
		draw_cell(d, d->name + (unsigned int)k * CELL, row[k], i);
}

/* Some rows beside each other. */
static void draw_panel(struct drawing *d, const size_t *row, size_t n)
{
	char cell[80];

	for (size_t k = 0; k < n; k++) {
		snprintf(cell, sizeof(cell), "%*s", (int)CELL, d->w->rows.row[row[k]].name);
		put(d, d->name + (unsigned int)k * CELL, cell, CLI_BOLD);
	}
	d->line++;
	for (size_t i = 0; i < d->w->items.n; i++) {
		if (!stands_in(d, row, n, i))
			continue;
		draw_line(d, row, n, i);
		d->line++;
	}
	d->line++;
}

static bool is_empty(const struct cli_watch *w, size_t row)
{
	for (size_t i = 0; i < w->items.n; i++)
		if (cli_rows_show(&w->rows, row, &w->items.item[i]))
			return false;
	return true;
}

/* The rows of one kind, as many beside each other as fit. */
static void draw_kind(struct drawing *d, enum cli_row_kind kind)
{
	size_t row[64], n = 0, most = (d->t->width - d->name) / CELL;

	if (most > sizeof(row) / sizeof(row[0]))
		most = sizeof(row) / sizeof(row[0]);
	for (size_t i = 0; i < d->w->rows.n; i++) {
		if (d->w->rows.row[i].kind != kind || is_empty(d->w, i))
			continue;
		row[n++] = i;
		if (n < (most ? most : 1))
			continue;
		draw_panel(d, row, n);
		n = 0;
	}
	if (n)
		draw_panel(d, row, n);
}

/* Words in lines that fit. */
static void draw_text(struct drawing *d, const char *text, enum cli_colour look)
{
	unsigned int column = 0;

	while (*text) {
		unsigned int bytes = (unsigned int)strcspn(text, " ");
		char word[TEXT_BYTES];

		if (column && column + 1 + bytes > d->t->width) {
			d->line++;
			column = 2;
		} else if (column) {
			column++;
		}
		snprintf(word, sizeof(word), "%.*s", (int)bytes, text);
		put(d, column, word, look);
		column += bytes;
		text += bytes;
		text += strspn(text, " ");
	}
	d->line++;
}

static void draw_absence(void *arg, const char *sentence)
{
	draw_text(arg, sentence, CLI_PLAIN);
}

static void draw_absences(struct drawing *d)
{
	bool is_brief = d->w->items.is_overview && !d->w->o.verbose;

	if (!d->w->items.absences || d->w->o.is_quiet)
		return;
	draw_text(d, is_brief ? "Not here ('ntime watch -v' prints why):" : "Not here:", CLI_BOLD);
	cli_absences_tell(d->w->items.absence, d->w->items.absences, is_brief, draw_absence, d);
}

size_t cli_watch_table_draw(const struct cli_watch_table *t, const struct cli_watch *w)
{
	struct drawing d = { .t = t, .w = w };
	char quota[TEXT_BYTES];

	d.name = name_columns(t, w);
	for (int kind = CLI_ROW_MACHINE; kind <= CLI_ROW_DEVICE; kind++)
		draw_kind(&d, (enum cli_row_kind)kind);
	cli_watch_quota_text(w, quota, sizeof(quota));
	if (*quota && !w->o.is_quiet)
		draw_text(&d, quota, CLI_PLAIN);
	draw_absences(&d);
	return d.line;
}
