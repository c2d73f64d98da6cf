// SPDX-License-Identifier: MIT
/* A comparison in the forms of hyperfine, and as a table of Markdown. */
#include "count/cli/compare/export.h"

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "count/cli/compare/json.h"
#include "count/cli/compare/verdict.h"
#include "count/cli/compare/words.h"
#include "base/output/csv.h"
#include "base/output/json.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "base/statistics/spread.h"

/* The next run of a command, whether or not it failed: hyperfine has both in its numbers. */
struct walk {
	size_t run, failed;
	const double *value;
	const struct cli_outcome *outcome; /* NULL: it ended well */
};

static bool next_run(const struct cli_results *r, const struct cli_side *s, struct walk *w)
{
	bool has_run = w->run < s->runs, has_failed = w->failed < s->n_failed;

	if (has_failed && (!has_run || s->failed[w->failed].round < s->round[w->run])) {
		w->value = s->failed[w->failed].value;
		w->outcome = &s->failed[w->failed++].outcome;
		return true;
	}
	w->outcome = NULL;
	w->value = has_run ? &s->value[w->run++ * r->metrics] : NULL;
	return has_run;
}

/* Numbers of all runs of one command, over @scale; the caller ends with cli_spread_fini(). */
static struct cli_spread spread_of(const struct cli_results *r, size_t side, const char *name,
				   double scale)
{
	size_t metric = cli_results_find_metric(r, name);
	struct cli_spread s = { 0 };
	struct walk w = { 0 };

	while (metric != SIZE_MAX && next_run(r, &r->side[side], &w))
		if (!isnan(w.value[metric]))
			cli_spread_add(&s, w.value[metric] / scale);
	return s;
}

static struct cli_spread seconds_of(const struct cli_results *r, size_t side, const char *name)
{
	return spread_of(r, side, name, 1e9);
}

/* What hyperfine tells of a command; NAN: not known. */
struct times {
	const char *command;
	double mean, stddev, median, user, system, min, max;
};

static double mean_of(const struct cli_results *r, size_t side, enum cli_figure_id id)
{
	struct cli_spread s = seconds_of(r, side, cli_figure_forms[id].name);
	double mean = s.n ? s.mean : r->side[side].mean[id] / 1e9;

	cli_spread_fini(&s);
	return mean;
}

static struct times times_of(const struct cli_results *r, size_t side, const struct cli_spread *s)
{
	return (struct times){
		/* hyperfine has the name there, where the user gave one. */
		.command = r->side[side].is_named ? r->side[side].name : r->side[side].line,
		.mean = s->n ? s->mean : NAN,
		.stddev = s->n > 1 ? cli_spread_sd(s) : NAN,
		.median = s->n ? cli_spread_median(s) : NAN,
		.user = mean_of(r, side, CLI_USER),
		.system = mean_of(r, side, CLI_SYS),
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

/* null: a signal ended it, or ntime by one. */
static json_t *code_json(const struct cli_outcome *o)
{
	if (!o)
		return json_integer(0);
	return o->was_killed || o->timed_out || !WIFEXITED(o->status)
		       ? json_null()
		       : json_integer(WEXITSTATUS(o->status));
}

/* Of the runs that have a time. */
static json_t *codes_json(const struct cli_results *r, const struct cli_side *s)
{
	size_t real = cli_results_find_metric(r, CLI_METRIC_REAL);
	json_t *codes = json_array();
	struct walk w = { 0 };

	while (real != SIZE_MAX && next_run(r, s, &w))
		if (!isnan(w.value[real]))
			json_array_append_new(codes, code_json(w.outcome));
	return codes;
}

static json_t *numbers_json(const struct cli_spread *s)
{
	json_t *numbers = json_array();

	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(numbers, cli_json_number(s->run[i]));
	return numbers;
}

/* @s: its times. */
static json_t *result_json(const struct cli_results *r, size_t side, const struct cli_spread *s)
{
	static const struct cli_columns c = { .column = columns, .n = COLUMNS, .has_nulls = true };
	struct cli_spread rss = spread_of(r, side, cli_figure_forms[CLI_MAX_RSS].name, 1);
	struct times t = times_of(r, side, s);
	struct cli_cell cell[COLUMNS];
	json_t *json;

	fill(cell, &c, &t);
	json = cli_json_row(&c, cell);
	json_object_set_new(json, "times", numbers_json(s));
	/* A list that lacks a run would be of others. */
	if (rss.n == s->n)
		json_object_set_new(json, "memory_usage_byte", numbers_json(&rss));
	json_object_set_new(json, "exit_codes", codes_json(r, &r->side[side]));
	if (r->side[side].parameters)
		json_object_set_new(json, "parameters", cli_parameters_json(&r->side[side]));
	cli_spread_fini(&rss);
	return json;
}

/* Programs that read it end with an error where a command has no times. */
void cli_compare_export_json(FILE *f, const struct cli_comparison *c)
{
	json_t *root = json_object(), *results = json_array();

	for (size_t i = 0; i < c->results->sides; i++) {
		struct cli_spread s = seconds_of(c->results, i, CLI_METRIC_REAL);

		if (s.n)
			json_array_append_new(results, result_json(c->results, i, &s));
		else
			cli_say("--export-json leaves out %s, which has no times",
				c->results->side[i].name);
		cli_spread_fini(&s);
	}
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
		fputs(change.drifts ? "runs drift" : "too few runs", f);
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
