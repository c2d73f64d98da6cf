// SPDX-License-Identifier: MIT
/* Results as CSV. */
#include <string.h>
#include <unistd.h>

#include "base/output/clean.h"
#include "base/output/csv.h"
#include "base/output/number.h"

/* Longer texts are cut where they are cleaned. */
#define CLEAN_BYTES 4096

/* What is printed, in pieces: the receiver is asked once for many fields. */
struct line {
	bool is_terminal;
	void (*put)(void *arg, const char *text, size_t bytes);
	void *arg;
	size_t used;
	char text[1024];
};

/* The text need not be zeroed. */
static void begin(struct line *l, bool is_terminal,
		  void (*put)(void *arg, const char *text, size_t bytes), void *arg)
{
	l->is_terminal = is_terminal;
	l->put = put;
	l->arg = arg;
	l->used = 0;
}

static void flush(struct line *l)
{
	l->put(l->arg, l->text, l->used);
	l->used = 0;
}

static void put_char(struct line *l, char c)
{
	if (l->used == sizeof(l->text))
		flush(l);
	l->text[l->used++] = c;
}

static void put_bytes(struct line *l, const char *text, size_t bytes)
{
	if (bytes > sizeof(l->text) - l->used)
		flush(l);
	if (bytes > sizeof(l->text)) {
		l->put(l->arg, text, bytes);
		return;
	}
	memcpy(l->text + l->used, text, bytes);
	l->used += bytes;
}

static void put_quoted(struct line *l, const char *text)
{
	size_t bytes = strcspn(text, ",\"\r\n");

	if (!text[bytes]) {
		put_bytes(l, text, bytes);
		return;
	}
	put_char(l, '"');
	for (; *text; text++) {
		if (*text == '"')
			put_char(l, '"');
		put_char(l, *text);
	}
	put_char(l, '"');
}

/* Between tabs nothing is quoted. */
static void put_text(struct line *l, const struct cli_columns *c, const char *text)
{
	char clean[CLEAN_BYTES];

	text = *text || !c->none ? text : c->none;
	if (l->is_terminal || c->separator == '\t') {
		clean[cli_clean_copy(clean, text, strnlen(text, CLEAN_BYTES - 1))] = '\0';
		text = clean;
	}
	if (c->separator != '\t')
		put_quoted(l, text);
	else
		put_bytes(l, text, strlen(text));
}

static void put_number(struct line *l, struct cli_number number)
{
	put_bytes(l, number.text, strlen(number.text));
}

static void put_cell(struct line *l, const struct cli_columns *c, const struct cli_column *column,
		     const struct cli_cell *cell)
{
	switch (cell->kind) {
	case CLI_CELL_NONE:
		break;
	case CLI_CELL_TEXT:
	case CLI_CELL_WORDS:
		put_text(l, c, cell->text);
		return;
	case CLI_CELL_MADE:
		put_text(l, c, cell->shown);
		return;
	case CLI_CELL_COUNT:
		put_number(l, cli_number_digits(cell->count));
		return;
	case CLI_CELL_REAL:
	case CLI_CELL_NS:
		put_number(l, cli_number_exact(cell->real));
		return;
	case CLI_CELL_RATE:
		put_number(l, cli_number_rate(cell->real));
		return;
	case CLI_CELL_HEX:
	case CLI_CELL_HEX64:
		put_number(l, cli_number_hex(cell->count, cell->kind == CLI_CELL_HEX ? 1 : 16));
		return;
	case CLI_CELL_BOOL:
		if (column->flags & CLI_COLUMN_YES)
			put_text(l, c, cell->count ? "yes" : "no");
		else
			put_char(l, cell->count ? '1' : '0');
		return;
	}
	put_text(l, c, "");
}

/* @cell: NULL for the head. */
static void put_line(struct line *l, const struct cli_columns *c, const struct cli_cell *cell)
{
	char separator = c->separator ? c->separator : ',';
	bool is_first = true;

	for (size_t i = 0; i < c->n; i++) {
		const struct cli_column *column = &c->column[i];

		if (!column->name || column->flags & CLI_COLUMN_NOT_CSV ||
		    !cli_column_is_on(c, column))
			continue;
		if (!is_first)
			put_char(l, separator);
		is_first = false;
		if (cell)
			put_cell(l, c, column, &cell[i]);
		else
			put_text(l, c, column->name);
	}
	put_char(l, '\n');
	flush(l);
}

static void put_to_file(void *arg, const char *text, size_t bytes)
{
	fwrite(text, 1, bytes, arg);
}

void cli_csv_head(FILE *f, const struct cli_columns *c)
{
	cli_csv_row(f, c, NULL);
}

void cli_csv_row(FILE *f, const struct cli_columns *c, const struct cli_cell *cell)
{
	/* Asked each time: that is less than a row takes. */
	cli_csv_row_to(c, cell, isatty(fileno(f)), put_to_file, f);
}

void cli_csv_row_to(const struct cli_columns *c, const struct cli_cell *cell, bool is_terminal,
		    void (*put)(void *arg, const char *text, size_t bytes), void *arg)
{
	struct line l;

	begin(&l, is_terminal, put, arg);
	put_line(&l, c, cell);
}
