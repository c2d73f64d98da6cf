// SPDX-License-Identifier: MIT
/* Frames of the program: what people and programs are told of them. */
#include "gl/cli/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/output/csv.h"
#include "base/output/file.h"
#include "base/output/json.h"
#include "base/output/memory.h"
#include "base/output/number.h"
#include "base/output/say.h"
#include "base/output/table.h"
#include "count/cli/report/wide.h"
#include "base/statistics/spread.h"

/* Drawables that have a table on the screen. */
#define MOST_TABLES 4

struct cli_gl_summary cli_gl_summarize(const struct cli_gl_series *s, size_t item)
{
	double *number = cli_calloc(s->n + 1, sizeof(*number));
	struct cli_gl_summary sum = { .mean = 0 };

	for (size_t i = 0; i < s->n; i++) {
		double of = cli_gl_number(s, i, item);

		if (!s->frame[i].number || isnan(of))
			continue;
		if (!sum.n || of > sum.max) {
			sum.max = of;
			sum.worst = s->frame[i].number;
		}
		sum.mean += of;
		number[sum.n++] = of;
	}
	cli_sort(number, sum.n);
	if (sum.n) {
		sum.mean /= (double)sum.n;
		sum.min = number[0];
		sum.median = cli_quantile(number, sum.n, 0.5);
		sum.p99 = cli_quantile(number, sum.n, 0.99);
	}
	free(number);
	return sum;
}

int cli_gl_status(const struct cli_gl_run *run)
{
	return WIFEXITED(run->end.status) ? WEXITSTATUS(run->end.status)
					  : 128 + WTERMSIG(run->end.status);
}

#define COLUMNS(X)                                                                                 \
	X(NAME, "name", .title = "", .flags = CLI_COLUMN_LEFT)                                     \
	X(MEDIAN, "median", .title = "MEDIAN")                                                     \
	X(P99, "p99", .title = "99 %")                                                             \
	X(WORST, "max", .title = "WORST")                                                          \
	X(FRAME, "worst_frame", .title = "IN FRAME", .rank = 2)

enum { COLUMNS(CLI_COLUMN_ID) N_COLUMNS };
static const struct cli_column column[] = { COLUMNS(CLI_COLUMN_ROW) };
static const struct cli_columns columns = { .column = column, .n = N_COLUMNS };

static char *text_of(double value, const char *unit, bool utf8)
{
	const char *shown;
	struct cli_number n = cli_number_value(value, unit, utf8, &shown);

	return cli_format("%s%s%s", n.text, *shown ? " " : "", shown);
}

/* The program's own figures stand for the default events. */
static const char *name_for_people(const struct cli_gl_series *s, size_t item)
{
	const char *name = item == SIZE_MAX ? "frame time" : s->item[item].name;

	return strcmp(name, "task-clock") == 0	  ? "CPU time"
	       : strcmp(name, "page-faults") == 0 ? "page faults"
						  : name;
}

static const char *unit_of(const struct cli_gl_series *s, size_t item)
{
	return item == SIZE_MAX ? "ns" : s->item[item].unit_text;
}

static void put_row(struct cli_table *t, const struct cli_gl_series *s, size_t item)
{
	struct cli_gl_summary sum = cli_gl_summarize(s, item);
	const double value[] = { sum.median, sum.p99, sum.max };
	struct cli_cell cell[N_COLUMNS] = { [NAME] = cli_text(name_for_people(s, item)) };
	char *text[3] = { NULL };

	for (size_t i = 0; i < 3 && sum.n; i++) {
		text[i] = text_of(value[i], unit_of(s, item), t->utf8);
		cell[MEDIAN + i] = cli_text(text[i]);
		cell[FRAME] = cli_count(sum.worst);
	}
	cli_table_row(t, cell);
	for (size_t i = 0; i < 3; i++)
		free(text[i]);
}

static size_t number_of(const struct cli_gl_run *run, const struct cli_gl_series *s)
{
	return (size_t)(s - run->frames.series) + 1;
}

static void write_series(FILE *f, const struct cli_look *look, const struct cli_gl_run *run,
			 const struct cli_gl_series *s)
{
	struct cli_gl_summary length = cli_gl_summarize(s, SIZE_MAX);
	double ns = length.mean * (double)length.n;
	char *time = text_of(ns, "ns", look->utf8);
	struct cli_table table;

	fputs("\n ", f);
	cli_print_safe(f, run->name);
	if (run->frames.n > 1)
		fprintf(f, ", drawable %zu", number_of(run, s));
	fprintf(f, ": %s frames", cli_number_count(length.n).text);
	if (length.n)
		fprintf(f, " in %s, %s a second", time,
			cli_number_short((double)length.n / ns * 1e9).text);
	fputs(" (frame 0 is left out)\n\n", f);
	free(time);
	cli_table_init(&table, &columns, look->utf8);
	CLI_GL_FOR_EACH_ITEM(i, s)
	put_row(&table, s, i);
	cli_table_print(&table, f, look);
	cli_table_fini(&table);
	if (s->lost)
		fprintf(f, " %s frames were overwritten before they could be copied\n",
			cli_number_count(s->lost).text);
	if (s->failed_at != UINT64_MAX)
		fprintf(f, " frame %llu could not be swapped: the context or the surface is lost\n",
			(unsigned long long)s->failed_at);
}

void cli_gl_write_text(FILE *f, const struct cli_gl_run *run)
{
	struct cli_look look = cli_look_at(fileno(f));
	size_t tables = 0, more = 0;
	bool has_failed = false;

	for (size_t i = 0; i < run->frames.n; i++) {
		const struct cli_gl_series *s = &run->frames.series[i];

		has_failed |= !s->ring;
		if (!s->n && s->failed_at == UINT64_MAX)
			continue;
		if (tables++ < MOST_TABLES)
			write_series(f, &look, run, s);
		else
			more++;
	}
	fputs("\n ", f);
	if (!tables) {
		cli_print_safe(f, run->name);
		fputs(has_failed || run->frames.has_stranger
			      ? ": no frame was counted\n "
			      : ": no frame: it swapped no buffers of OpenGL\n ",
		      f);
	}
	if (run->frames.has_stranger)
		fputs("frames of a process that runs as another user are not counted\n ", f);
	if (run->frames.is_full)
		fputs("of so many drawables the last ones are not counted\n ", f);
	if (more)
		fprintf(f, "%zu more drawables had frames: --csv has them all\n ", more);
	fprintf(f, "%s s real, %s s CPU, %s page faults, in all\n\n",
		cli_number_seconds((double)run->end.real_ns).text,
		cli_number_seconds((double)(run->end.user_ns + run->end.sys_ns)).text,
		cli_number_count(run->end.minor_faults + run->end.major_faults).text);
}

/* NOLINTBEGIN(bugprone-macro-parentheses) the name of a variable cannot have any */
#define FOR_EACH_SERIES(s, run)                                                                    \
	for (const struct cli_gl_series *s = (run)->frames.series;                                 \
	     s < (run)->frames.series + (run)->frames.n; s++)                                      \
		if (s->n)
/* NOLINTEND(bugprone-macro-parentheses) */

static void fill(struct cli_wide *w, const struct cli_gl_run *run, const struct cli_gl_series *s,
		 size_t i)
{
	cli_wide_fill(w, number_of(run, s), &s->frame[i], s->frame[0].begin_ns,
		      &s->value[i * s->items]);
}

void cli_gl_write_csv(FILE *f, const struct cli_gl_run *run)
{
	struct cli_wide w;
	bool has_head = false;

	/* All drawables have the same counters. */
	FOR_EACH_SERIES(s, run)
	{
		cli_wide_init(&w, s->item, s->items);
		if (!has_head)
			cli_csv_head(f, &w.columns);
		has_head = true;
		for (size_t i = 0; i < s->n; i++) {
			fill(&w, run, s, i);
			cli_csv_row(f, &w.columns, w.cell);
		}
		cli_wide_fini(&w);
	}
	if (has_head)
		return;
	cli_wide_init(&w, NULL, 0);
	cli_csv_head(f, &w.columns);
	cli_wide_fini(&w);
}

#define SUMMARY(member) CLI_OF(struct cli_gl_summary, member, REAL)
static const struct cli_column summary_column[] = {
	{ "mean", SUMMARY(mean) }, { "median", SUMMARY(median) }, { "p99", SUMMARY(p99) },
	{ "min", SUMMARY(min) },   { "max", SUMMARY(max) },
};
static const struct cli_columns summary_columns = { .column = summary_column, .n = 5 };

static json_t *summary_json(const struct cli_gl_series *s, size_t item)
{
	struct cli_gl_summary sum = cli_gl_summarize(s, item);
	json_t *json = sum.n ? cli_json_struct(&summary_columns, &sum) : json_object();
	const char *name = item == SIZE_MAX ? "frame-time" : s->item[item].name;

	json_object_set_new(json, "name", cli_json_text(name));
	json_object_set_new(json, "unit", cli_json_text(unit_of(s, item)));
	json_object_set_new(json, "frames", cli_json_count(sum.n));
	if (sum.n)
		json_object_set_new(json, "max_frame", cli_json_count(sum.worst));
	return json;
}

static json_t *series_json(const struct cli_gl_run *run, const struct cli_gl_series *s)
{
	json_t *json = json_object(), *items = json_array(), *frames = json_array();
	struct cli_wide w;

	cli_wide_init(&w, s->item, s->items);
	CLI_GL_FOR_EACH_ITEM(i, s)
	json_array_append_new(items, summary_json(s, i));
	for (size_t i = 0; i < s->n; i++) {
		fill(&w, run, s, i);
		json_array_append_new(frames, cli_json_row(&w.columns, w.cell));
	}
	cli_wide_fini(&w);
	json_object_set_new(json, "drawable", cli_json_count(number_of(run, s)));
	json_object_set_new(json, "pid", json_integer(s->hello.pid));
	json_object_set_new(json, "lost", cli_json_count(s->lost));
	json_object_set_new(json, "items", items);
	json_object_set_new(json, "frames", frames);
	return json;
}

void cli_gl_write_json(FILE *f, const struct cli_gl_run *run)
{
	json_t *root = cli_json_head(ntime_version()), *words = json_array(), *all = json_array();

	cli_json_put_where(root);
	json_object_set_new(root, "kind", json_string("frames"));
	for (char **word = run->argv; *word; word++)
		json_array_append_new(words, cli_json_text(*word));
	json_object_set_new(root, "command", words);
	json_object_set_new(root, "status", json_integer(cli_gl_status(run)));
	FOR_EACH_SERIES(s, run)
	json_array_append_new(all, series_json(run, s));
	json_object_set_new(root, "drawables", all);
	cli_json_write(f, root, 0);
}

static int write_counter(const char *folder, const struct cli_gl_series *s, size_t item,
			 size_t drawable)
{
	char *name = cli_strdup(s->item[item].name), *path;
	struct cli_output out;
	int ret;

	for (char *at = name; *at; at++)
		if (*at == '/')
			*at = '_';
	path = drawable ? cli_format("%s/%s.%zu", folder, name, drawable)
			: cli_format("%s/%s", folder, name);
	ret = cli_output_open(&out, path, false);
	for (size_t i = 0; i < s->n && !ret; i++) {
		double of = cli_gl_number(s, i, item);

		if (s->frame[i].number)
			fprintf(out.f, "%s\n", isnan(of) ? "nan" : cli_number_exact(of).text);
	}
	if (!ret)
		ret = cli_output_close(&out);
	free(path);
	free(name);
	return ret;
}

int cli_gl_write_hud(const char *folder, const struct cli_gl_run *run)
{
	size_t drawables = 0;
	int ret = 0;

	FOR_EACH_SERIES(s, run)
	drawables++;
	FOR_EACH_SERIES(s, run)
	for (size_t i = 0; i < s->items && !ret; i++)
		if (!s->item[i].is_hidden)
			ret = write_counter(folder, s, i, drawables > 1 ? number_of(run, s) : 0);
	return ret;
}
