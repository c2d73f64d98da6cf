// SPDX-License-Identifier: MIT
/* Functions of a command in the emulator, as a table for people. */
#include <math.h>
#include <string.h>

#include "base/output/clean.h"
#include "base/output/number.h"
#include "count/cli/report/functions.h"

/* A function with less of the first column, and of all others, has no line, unless asked for. */
#define LEAST_PART 0.001
#define LEAST_PART_OF_OTHERS 0.01
#define COLUMN_CHARS 11
#define SHARE_CHARS 8

static bool is_column(const struct cli_style *style, const struct cli_report *r, size_t i)
{
	return !r->row[0].item[i].is_elsewhere && cli_item_is_shown(style, &r->item[i]);
}

size_t cli_functions_first(const struct cli_style *style, const struct cli_report *r)
{
	size_t i = 0;

	while (i < r->items && (!r->rows || r->item[i].is_metric || !is_column(style, r, i)))
		i++;
	return i;
}

static bool is_worth_a_line(const struct cli_style *style, const struct cli_report *r, size_t row,
			    size_t first)
{
	for (size_t i = 0; i < r->items; i++) {
		double least = i == first ? LEAST_PART : LEAST_PART_OF_OTHERS;

		if (!r->item[i].is_metric && is_column(style, r, i) &&
		    r->row[row].item[i].value.value > least * r->item[i].value.value)
			return true;
	}
	return style->verbose;
}

static int width_of(const struct cli_item *item)
{
	int chars = (int)cli_text_columns(item->name);

	return chars > COLUMN_CHARS ? chars : COLUMN_CHARS;
}

/* "deflate_fast  libz.so.1.2.13": the folder matters to few. */
static void put_name(FILE *f, const struct ntime_function *function)
{
	const char *file = function->file ? strrchr(function->file, '/') : NULL;

	fputs("  ", f);
	cli_print_safe(f, function->name ? function->name : "[unknown]");
	fputs("  ", f);
	cli_print_safe(f, file ? file + 1 : "[no file]");
	putc('\n', f);
}

static void put_cell(FILE *f, const struct cli_item *item)
{
	struct cli_number n = item->is_metric ? cli_number_short(item->value.value)
					      : cli_number_large(item->value.value);

	fprintf(f, " %*s", width_of(item), isnan(item->value.value) ? "-" : n.text);
}

static void put_share(FILE *f, double part, double whole)
{
	char text[CLI_NUMBER_CHARS];

	snprintf(text, sizeof(text), "%.1f %%", whole > 0 ? 100 * part / whole : 0.0);
	fprintf(f, " %*s", SHARE_CHARS, text);
}

static void put_head(FILE *f, const struct cli_style *style, const struct cli_report *r,
		     size_t first)
{
	fputs(cli_colour(&style->look, CLI_BOLD), f);
	for (size_t i = 0; i < r->items; i++) {
		if (!is_column(style, r, i))
			continue;
		fprintf(f, " %*s", width_of(&r->item[i]), cli_clean(r->item[i].name));
		if (i == first)
			fprintf(f, " %*s", SHARE_CHARS, "");
	}
	fprintf(f, "  function and file%s\n", cli_colour(&style->look, CLI_PLAIN));
}

static void put_line(FILE *f, const struct cli_style *style, const struct cli_report *r, size_t row,
		     size_t first)
{
	for (size_t i = 0; i < r->items; i++) {
		if (!is_column(style, r, i))
			continue;
		put_cell(f, &r->row[row].item[i]);
		if (i == first)
			put_share(f, r->row[row].item[i].value.value, r->item[i].value.value);
	}
	put_name(f, r->row[row].function);
}

void cli_functions_put(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	size_t few = 0, first = cli_functions_first(style, r);
	double rest = 0;

	if (first == r->items)
		return;
	putc('\n', f);
	put_head(f, style, r, first);
	for (size_t row = 0; row < r->rows; row++) {
		if (is_worth_a_line(style, r, row, first)) {
			put_line(f, style, r, row, first);
			continue;
		}
		few++;
		rest += r->row[row].item[first].value.value;
	}
	if (!few)
		return;
	fprintf(f, " %*s", width_of(&r->item[first]), cli_number_large(rest).text);
	put_share(f, rest, r->item[first].value.value);
	fprintf(f, "  in %zu others (-v)\n", few);
}
