// SPDX-License-Identifier: MIT
/* A table of texts that is as wide as it may be. */
#include <stdlib.h>
#include <string.h>

#include "base/output/clean.h"
#include "base/output/memory.h"
#include "base/output/number.h"
#include "base/output/table.h"

#define GAP 2u
#define SHORTEST 12u

/* Room for @bytes more. */
static void grow(struct cli_table *t, size_t bytes)
{
	size_t room = t->room ? t->room : 4096;

	while (room - t->bytes < bytes)
		room += room / 2;
	t->text = cli_realloc(t->text, room, 1);
	t->room = room;
}

/* What a cell shows to people: its own text, or @number's. */
static const char *text_of(const struct cli_table *t, const struct cli_cell *cell,
			   struct cli_number *number)
{
	const char *unit;
	size_t used;

	if (cell->shown)
		return cell->shown;
	switch (cell->kind) {
	case CLI_CELL_NONE:
	case CLI_CELL_MADE:
		break;
	case CLI_CELL_TEXT:
	case CLI_CELL_WORDS:
		return cell->text;
	case CLI_CELL_COUNT:
		*number = cli_number_count(cell->count);
		return number->text;
	case CLI_CELL_REAL:
	case CLI_CELL_RATE:
		*number = cli_number_short(cell->real);
		return number->text;
	case CLI_CELL_NS:
		*number = cli_number_value(cell->real, "ns", t->utf8, &unit);
		used = strlen(number->text);
		(void)snprintf(number->text + used, sizeof(number->text) - used, " %s", unit);
		return number->text;
	case CLI_CELL_HEX:
	case CLI_CELL_HEX64:
		*number = cli_number_hex(cell->count, cell->kind == CLI_CELL_HEX ? 1 : 16);
		return number->text;
	case CLI_CELL_BOOL:
		return cell->count ? "yes" : "no";
	}
	return "-";
}

static void put(struct cli_table *t, struct cli_table_column *column, const char *text)
{
	size_t bytes = strlen(text), width;

	if (t->room - t->bytes <= bytes)
		grow(t, bytes + 1);
	bytes = cli_clean_copy(t->text + t->bytes, text, bytes);
	t->text[t->bytes + bytes] = '\0';
	width = cli_text_columns_n(t->text + t->bytes, bytes);
	t->bytes += bytes + 1;
	t->cells++;
	if (width > column->width)
		column->width = width;
}

void cli_table_init(struct cli_table *t, const struct cli_columns *of, bool utf8)
{
	*t = (struct cli_table){ .of = of, .utf8 = utf8 };
	for (size_t i = 0; i < of->n && t->columns < CLI_TABLE_COLUMNS; i++)
		if (of->column[i].title && cli_column_is_on(of, &of->column[i]))
			t->column[t->columns++] =
				(struct cli_table_column){ .from = i, .rank = of->column[i].rank };
}

void cli_table_row(struct cli_table *t, const struct cli_cell *cell)
{
	struct cli_number number;

	for (size_t c = 0; c < t->columns; c++)
		put(t, &t->column[c], text_of(t, &cell[t->column[c].from], &number));
}

void cli_table_fini(struct cli_table *t)
{
	free(t->text);
	*t = (struct cli_table){ .of = t->of };
}

static const char *title_of(const struct cli_table *t, size_t c)
{
	return t->of->column[t->column[c].from].title;
}

/* A head may be wider than all that stands below it. */
static void measure_titles(struct cli_table *t)
{
	for (size_t c = 0; c < t->columns; c++) {
		size_t width = cli_text_columns(title_of(t, c));

		if (width > t->column[c].width)
			t->column[c].width = width;
	}
}

/* Columns of a rank up to @rank, side by side. */
static size_t width_of(const struct cli_table *t, unsigned int rank)
{
	size_t width = 0;

	for (size_t c = 0; c < t->columns; c++)
		if (t->column[c].rank <= rank)
			width += t->column[c].width + (width ? GAP : 0);
	return width;
}

/*
 * The largest rank that there is room for; where even 0 has none, or nearly, the first column is
 * cut.
 */
static unsigned int fit(struct cli_table *t, const struct cli_look *look)
{
	unsigned int rank = 0;
	size_t first = t->column[0].width, over;

	for (size_t c = 0; c < t->columns; c++)
		if (t->column[c].rank > rank)
			rank = t->column[c].rank;
	if (!look->is_terminal)
		return rank;
	/* A long name gives way before a column does, but some of it stays. */
	if (first > look->width / 2)
		t->column[0].width = look->width / 2 > SHORTEST ? look->width / 2 : SHORTEST;
	while (rank && width_of(t, rank) > look->width)
		rank--;
	over = width_of(t, rank);
	if (over < look->width) {
		size_t spare = look->width - over, cut = first - t->column[0].width;

		t->column[0].width += spare < cut ? spare : cut;
	} else if (over > look->width) {
		over -= look->width;
		t->column[0].width =
			t->column[0].width > over + SHORTEST ? t->column[0].width - over : SHORTEST;
	}
	return rank;
}

#define MANY_BLANKS 64

/**
 * struct line - what is printed, in pieces: the stream is asked once for many cells
 * @bytes:	of @text, behind which there is room for blanks
 * @blanks:	in front of what comes next
 */
struct line {
	FILE *f;
	size_t bytes, blanks;
	char text[1024 + MANY_BLANKS];
};

static void flush(struct line *l)
{
	fwrite(l->text, 1, l->bytes, l->f);
	l->bytes = 0;
}

static void put_blanks(struct line *l)
{
	size_t some;

	for (; l->blanks; l->blanks -= some) {
		some = l->blanks < MANY_BLANKS ? l->blanks : MANY_BLANKS;
		/* Always as many: that is few instructions. */
		memset(l->text + l->bytes, ' ', MANY_BLANKS);
		l->bytes += some;
		if (l->bytes > sizeof(l->text) - MANY_BLANKS)
			flush(l);
	}
}

static void put_text(struct line *l, const char *text, size_t bytes)
{
	size_t some;

	put_blanks(l);
	for (; bytes; bytes -= some, text += some) {
		some = sizeof(l->text) - MANY_BLANKS - l->bytes;
		some = bytes < some ? bytes : some;
		memcpy(l->text + l->bytes, text, some);
		l->bytes += some;
		if (some < bytes)
			flush(l);
	}
}

static void put_newline(struct line *l)
{
	put_blanks(l);
	l->text[l->bytes++] = '\n';
	flush(l);
}

/* What is too long for its column keeps its end, which tells registers of a block apart. */
static void print_cell(struct line *l, const struct cli_table_column *column, bool is_text,
		       const char *text, size_t bytes, bool is_last)
{
	size_t width = cli_text_columns_n(text, bytes), blanks;

	if (width > column->width) {
		size_t from = bytes - (column->width - 2);

		/* Not in the middle of a character. */
		while (((unsigned char)text[from] & 0xc0) == 0x80)
			from++;
		put_text(l, "..", 2);
		put_text(l, text + from, bytes - from);
		return;
	}
	blanks = column->width - width;
	if (!is_text)
		l->blanks += blanks;
	put_text(l, text, bytes);
	if (is_text && !is_last)
		l->blanks += blanks;
}

/* The last column of a rank up to @rank. */
static size_t last_of(const struct cli_table *t, unsigned int rank)
{
	size_t last = 0;

	for (size_t c = 0; c < t->columns; c++)
		if (t->column[c].rank <= rank)
			last = c;
	return last;
}

/* Column @c of a row. */
static void print_column(const struct cli_table *t, struct line *l, unsigned int rank, size_t c,
			 size_t last, const char *text, size_t bytes)
{
	if (t->column[c].rank > rank)
		return;
	print_cell(l, &t->column[c], t->of->column[t->column[c].from].flags & CLI_COLUMN_LEFT, text,
		   bytes, c == last);
	if (c != last)
		l->blanks += GAP;
}

void cli_table_print(struct cli_table *t, FILE *f, const struct cli_look *look)
{
	struct line l = { .f = f };
	const char *text = t->text;
	unsigned int rank;
	size_t last, at = 0, bytes;

	measure_titles(t);
	rank = fit(t, look);
	last = last_of(t, rank);
	fputs(cli_colour(look, CLI_BOLD), f);
	for (size_t c = 0; c < t->columns; c++)
		print_column(t, &l, rank, c, last, title_of(t, c), strlen(title_of(t, c)));
	flush(&l);
	fputs(cli_colour(look, CLI_PLAIN), f);
	for (size_t i = 0; i < t->cells; i++, text += bytes + 1) {
		bytes = strlen(text);
		if (at == 0)
			put_newline(&l);
		print_column(t, &l, rank, at, last, text, bytes);
		at = at + 1 < t->columns ? at + 1 : 0;
	}
	put_newline(&l);
}
