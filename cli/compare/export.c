// SPDX-License-Identifier: MIT
/* A comparison in the forms of hyperfine, and as a table of Markdown. */
#include "cli/compare/export.h"

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/json.h"
#include "cli/compare/verdict.h"
#include "cli/compare/words.h"
#include "cli/output/csv.h"
#include "cli/output/json.h"
#include "cli/output/memory.h"
#include "cli/statistics/spread.h"

/* Times in seconds of one command; the caller ends with cli_spread_fini(). */
static struct cli_spread seconds_of(const struct cli_results *r, size_t side, const char *name)
{
	size_t metric = cli_results_find_metric(r, name), n = 0;
	struct cli_spread s = { 0 };
	double *number;

	if (metric == SIZE_MAX)
		return s;
	number = cli_side_numbers(r, side, metric, &n);
	for (size_t i = 0; i < n; i++)
		cli_spread_add(&s, number[i] / 1e9);
	free(number);
	return s;
}

/* What hyperfine tells of a command; NAN: not known. */
struct times {
	const char *command;
	double mean, stddev, median, user, system, min, max;
};

static double mean_of(const struct cli_results *r, size_t side, const char *name)
{
	struct cli_spread s = seconds_of(r, side, name);
	double mean = s.n ? s.mean : NAN;

	cli_spread_fini(&s);
	return mean;
}

static struct times times_of(const struct cli_results *r, size_t side, const struct cli_spread *s)
{
	return (struct times){
		.command = r->side[side].line,
		.mean = s->n ? s->mean : NAN,
		.stddev = s->n > 1 ? cli_spread_sd(s) : NAN,
		.median = s->n ? cli_spread_median(s) : NAN,
		.user = mean_of(r, side, CLI_METRIC_USER),
		.system = mean_of(r, side, CLI_METRIC_SYS),
		.min = s->n ? s->min : NAN,
		.max = s->n ? s->max : NAN,
	};
}

#define TIMES_COLUMNS(X)                                                                           \
	X(COMMAND, "command", CLI_OF(struct times, command, TEXT))                                 \
	X(MEAN, "mean", CLI_OF(struct times, mean, REAL))                                          \
	X(STDDEV, "stddev", CLI_OF(struct times, stddev, REAL))                                    \
	X(MEDIAN, "median", CLI_OF(struct times, median, REAL))                                    \
	X(USER, "user", CLI_OF(struct times, user, REAL))                                          \
	X(SYSTEM, "system", CLI_OF(struct times, system, REAL))                                    \
	X(MIN, "min", CLI_OF(struct times, min, REAL))                                             \
	X(MAX, "max", CLI_OF(struct times, max, REAL))

enum { TIMES_COLUMNS(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { TIMES_COLUMNS(CLI_COLUMN_ROW) };

/* What is not known is no value. */
static void fill(struct cli_cell *cell, const struct cli_columns *c, const struct times *t)
{
	cli_cells_fill(cell, c, t);
	for (size_t i = MEAN; i < COLUMNS; i++)
		if (isnan(cell[i].real))
			cell[i] = (struct cli_cell){ 0 };
}

/* ---- JSON ---- */

static json_t *result_json(const struct cli_results *r, size_t side)
{
	static const struct cli_columns c = { .column = columns, .n = COLUMNS, .has_nulls = true };
	struct cli_spread s = seconds_of(r, side, CLI_METRIC_REAL);
	struct times t = times_of(r, side, &s);
	json_t *json, *times = json_array(), *codes = json_array();
	struct cli_cell cell[COLUMNS];

	fill(cell, &c, &t);
	json = cli_json_row(&c, cell);
	for (size_t i = 0; i < s.n; i++) {
		json_array_append_new(times, cli_json_number(s.run[i]));
		/* Runs that ended otherwise are not among them. */
		json_array_append_new(codes, json_integer(0));
	}
	json_object_set_new(json, "times", times);
	json_object_set_new(json, "exit_codes", codes);
	if (r->side[side].parameters)
		json_object_set_new(json, "parameters", cli_parameters_json(&r->side[side]));
	cli_spread_fini(&s);
	return json;
}

void cli_compare_export_json(FILE *f, const struct cli_comparison *c)
{
	json_t *root = json_object(), *results = json_array();

	for (size_t i = 0; i < c->results->sides; i++)
		json_array_append_new(results, result_json(c->results, i));
	json_object_set_new(root, "results", results);
	cli_json_write(f, root, 1);
}

/* ---- CSV ---- */

/* Every parameter that a command has, once, in the order in which they come. */
static struct cli_column *all_columns(const struct cli_results *r, size_t *n)
{
	struct cli_column *all = cli_calloc(COLUMNS, sizeof(*all));

	memcpy(all, columns, sizeof(columns));
	*n = COLUMNS;
	for (size_t i = 0; i < r->sides; i++) {
		for (size_t k = 0; k < r->side[i].parameters; k++) {
			char *name = cli_format("parameter_%s", r->side[i].parameter[k].name);
			size_t at = COLUMNS;

			while (at < *n && strcmp(all[at].name, name) != 0)
				at++;
			if (at < *n) {
				free(name);
				continue;
			}
			all = cli_realloc(all, *n + 1, sizeof(*all));
			all[(*n)++] = (struct cli_column){ .name = name };
		}
	}
	return all;
}

void cli_compare_export_csv(FILE *f, const struct cli_comparison *c)
{
	const struct cli_results *r = c->results;
	struct cli_columns with = { 0 };
	struct cli_column *all;
	struct cli_cell *cell;

	all = all_columns(r, &with.n);
	with.column = all;
	cell = cli_calloc(with.n, sizeof(*cell));
	cli_csv_head(f, &with);
	for (size_t i = 0; i < r->sides; i++) {
		struct cli_spread s = seconds_of(r, i, CLI_METRIC_REAL);
		struct times t = times_of(r, i, &s);

		fill(cell, &with, &t);
		for (size_t k = COLUMNS; k < with.n; k++)
			cell[k] = cli_text(cli_side_parameter(&r->side[i],
							      all[k].name + strlen("parameter_")));
		cli_csv_row(f, &with, cell);
		cli_spread_fini(&s);
	}
	for (size_t i = COLUMNS; i < with.n; i++)
		free((char *)all[i].name);
	free(all);
	free(cell);
}

/* ---- Markdown ---- */

/* In a table a bar would end the cell, and a grave accent the code. */
static void put_code(FILE *f, const char *text)
{
	const char *quote = strchr(text, '`') ? "``" : "`";

	fputs(quote, f);
	for (; *text; text++)
		fprintf(f, "%s%c", *text == '|' ? "\\" : "", *text == '\n' ? ' ' : *text);
	fputs(quote, f);
}

static void put_change(FILE *f, const struct cli_comparison *c, size_t side)
{
	const struct cli_results *r = c->results;
	struct cli_change change;
	struct cli_saying s;

	if (r->side[side].reference == SIZE_MAX || c->by == SIZE_MAX)
		return;
	change = cli_change_of(r, side, c->by);
	s = cli_compare_say(&change, cli_metric_is_speed(r->metric[c->by].name));
	if (!change.factor.is_known)
		fputs("too few runs", f);
	else if (!change.differs)
		fprintf(f, "none of %s %% or more", cli_compare_bound(&change).text);
	else
		fprintf(f, "%s (%s)", s.what, s.range);
}

void cli_compare_export_markdown(FILE *f, const struct cli_comparison *c)
{
	const struct cli_results *r = c->results;
	size_t real = cli_results_find_metric(r, CLI_METRIC_REAL);
	bool has_by = c->by != SIZE_MAX && c->by != real;
	const char *by = c->by == SIZE_MAX ? "" : cli_compare_metric(r->metric[c->by].name);

	fprintf(f, "| Name | Command | Runs | Real time (range) |%s%s%s Difference (95 %%)%s%s |\n",
		has_by ? " " : "", has_by ? by : "", has_by ? " |" : "", *by ? ", by " : "", by);
	fprintf(f, "|:---|:---|---:|---:|%s:---|\n", has_by ? "---:|" : "");
	for (size_t i = 0; i < r->sides; i++) {
		char *times = real == SIZE_MAX ? cli_strdup("-")
					       : cli_compare_numbers(r, i, real, true, true);
		char *number = has_by ? cli_compare_numbers(r, i, c->by, false, true) : NULL;

		fputs("| ", f);
		put_code(f, r->side[i].name);
		fputs(" | ", f);
		put_code(f, r->side[i].line);
		fprintf(f, " | %zu | %s | %s%s", r->side[i].runs, times, number ? number : "",
			number ? " | " : "");
		put_change(f, c, i);
		fputs(" |\n", f);
		free(times);
		free(number);
	}
}
