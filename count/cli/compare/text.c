// SPDX-License-Identifier: MIT
/* A comparison for people. */
#include "count/cli/compare/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/emulator.h>

#include "count/cli/compare/verdict.h"
#include "count/cli/compare/words.h"
#include "base/output/memory.h"
#include "count/cli/report/report.h"

/* Columns of the table, and blanks between them. */
enum { NAME, LINE, RUNS, REAL, BY, TABLE_COLUMNS };
#define GAP 2
#define LEAST_LINE 12
#define MOST_NAME 24

/* ---- the table ---- */

struct table {
	char **cell;
	size_t width[TABLE_COLUMNS];
};

static void fill_row(struct table *t, const struct cli_comparison *c, size_t side,
		     const struct cli_look *look)
{
	const struct cli_results *r = c->results;
	size_t real = cli_results_find_metric(r, CLI_METRIC_REAL);
	char **cell = &t->cell[side * TABLE_COLUMNS];

	cell[NAME] = cli_strdup(r->side[side].name);
	/* Nothing is said twice. */
	cell[LINE] = cli_strdup(
		strcmp(r->side[side].line, r->side[side].name) != 0 ? r->side[side].line : "");
	cell[RUNS] =
		cli_format("%zu run%s", r->side[side].runs, r->side[side].runs == 1 ? "" : "s");
	cell[REAL] = real == SIZE_MAX || r->is_in_emulator
			     ? cli_strdup("")
			     : cli_compare_numbers(r, side, real, true, look->utf8);
	cell[BY] = cli_strdup("");
	if (c->by != real && c->by != SIZE_MAX) {
		char *number = cli_compare_numbers(r, side, c->by, false, look->utf8);

		free(cell[BY]);
		cell[BY] = cli_format("%s %s", number, cli_compare_metric(r->metric[c->by].name));
		free(number);
	}
	for (int i = 0; i < TABLE_COLUMNS; i++) {
		size_t columns = cli_text_columns(cell[i]);

		t->width[i] = columns > t->width[i] ? columns : t->width[i];
	}
}

/* @text, which is cut behind @width columns; how many it takes. */
static size_t put_cell(FILE *f, const char *text, size_t width)
{
	char *cut = cli_strdup(text);
	size_t columns;

	/* Whole characters go: the bytes of one that follow its first are no columns. */
	for (size_t end = strlen(cut); cli_text_columns(cut) > width; end--)
		cut[end - 1] = '\0';
	columns = cli_text_columns(cut);
	cli_print_safe(f, cut);
	free(cut);
	return columns;
}

/* On a terminal a cell that has no room begins a line. No blanks at the end of one. */
static void put_row(FILE *f, const struct cli_look *look, const struct table *t, char *const *cell)
{
	size_t at = 0, gap = 0;

	for (int i = 0; i < TABLE_COLUMNS; i++) {
		// cppcheck-suppress objectIndex ; a row of cells, of which it is told the first
		size_t columns = cli_text_columns(cell[i]);

		if (columns > t->width[i])
			columns = t->width[i];
		if (columns && look->is_terminal && at + gap + columns > look->width) {
			fputc('\n', f);
			at = 0;
			gap = 4;
		}
		if (columns) {
			fprintf(f, "%*s", (int)gap, "");
			at += gap + put_cell(f, cell[i], columns);
			gap = 0;
		}
		gap += t->width[i] - columns + (t->width[i] ? GAP : 0);
	}
	fputc('\n', f);
}

static void put_table(FILE *f, const struct cli_look *look, const struct cli_comparison *c)
{
	size_t rows = c->results->sides, others = 0, room;
	struct table t = { .cell = cli_calloc(rows * TABLE_COLUMNS, sizeof(char *)) };

	for (size_t i = 0; i < rows; i++)
		fill_row(&t, c, i, look);
	if (look->is_terminal && t.width[NAME] > MOST_NAME)
		t.width[NAME] = MOST_NAME;
	for (int i = 0; i < TABLE_COLUMNS; i++)
		others += i == LINE ? 0 : t.width[i] + GAP;
	room = look->width > others + LEAST_LINE ? look->width - others : LEAST_LINE;
	if (look->is_terminal && t.width[LINE] > room)
		t.width[LINE] = room;
	for (size_t i = 0; i < rows; i++)
		put_row(f, look, &t, &t.cell[i * TABLE_COLUMNS]);
	for (size_t i = 0; i < rows * TABLE_COLUMNS; i++)
		free(t.cell[i]);
	free(t.cell);
}

/* ---- verdicts ---- */

static void put(FILE *f, const struct cli_look *look, enum cli_colour colour, size_t indent,
		char *sentence)
{
	fprintf(f, "%s%*s", cli_colour(look, colour), (int)indent, "");
	cli_wrap(f, look, indent, indent + 2, sentence);
	fputs(cli_colour(look, CLI_PLAIN), f);
	free(sentence);
}

/* Of @who, with what belongs to it. */
static char *nothing(const struct cli_change *change, const char *who, const char *link,
		     const char *more)
{
	return cli_format("%s%s%s: no difference found (a difference of %s %% would have shown)",
			  who, link, more, cli_compare_bound(change).text);
}

/* What the metric that decides says: @change. */
static char *decision(const struct cli_comparison *c, size_t side, const struct cli_change *change)
{
	const struct cli_results *r = c->results;
	const char *metric = cli_compare_metric(r->metric[c->by].name), *name = r->side[side].name,
		   *first = r->side[r->side[side].reference].name;
	struct cli_saying s = cli_compare_say(change, cli_metric_is_speed(r->metric[c->by].name));

	if (isnan(change->factor.estimate))
		return cli_format(
			"%s and %s: no verdict: %s is 0 in a run, and nothing has a ratio "
			"to 0",
			first, name, metric);
	if (change->drifts)
		return cli_format(
			"%s and %s: no verdict: the runs of one of them drift, and so may "
			"what is between the two",
			first, name);
	if (!change->factor.is_known)
		return cli_format("%s and %s: no verdict: 95 %% needs at least %zu runs of each",
				  first, name, change->least);
	if (change->is_equal)
		return cli_format("%s and %s: no difference: %s is the same in every run", first,
				  name, metric);
	if (change->differs && !cli_metric_is_speed(r->metric[c->by].name))
		return cli_format("%s has %s %s than %s (95 %%: %s)", name, s.what, metric, first,
				  s.range);
	if (change->differs)
		return cli_format("%s is %s than %s (95 %%: %s), by %s", name, s.what, first,
				  s.range, metric);
	return nothing(change, name, ", ", metric);
}

/* What one of @lines others says, beside the one that decides; @by is what that says. */
static char *opinion(const struct cli_comparison *c, size_t side, size_t metric, size_t lines,
		     const struct cli_change *by)
{
	const struct cli_results *r = c->results;
	const char *name = cli_compare_metric(r->metric[metric].name);
	bool is_speed = cli_metric_is_speed(r->metric[metric].name);
	struct cli_change change = cli_change_beside(r, side, metric, lines);
	struct cli_saying s = cli_compare_say(&change, is_speed);
	bool are_speeds = is_speed && cli_metric_is_speed(r->metric[c->by].name);
	const char *agrees = "";

	if (*r->metric[metric].reason)
		return cli_format("%s: %s", name, r->metric[metric].reason);
	if (isnan(change.factor.estimate))
		return cli_format("%s: no ratio: a run has no number of it, or 0", name);
	if (change.drifts)
		return cli_format("%s: no verdict: runs drift", name);
	if (!change.factor.is_known)
		return cli_format("%s: no verdict of fewer than %zu runs of each", name,
				  change.least);
	if (change.is_equal)
		return cli_format("%s is the same in every run", name);
	if (are_speeds && cli_changes_contradict(&change, by))
		agrees = " disagrees";
	else if (are_speeds && by->differs && change.differs)
		agrees = " agrees";
	if (!change.differs)
		return nothing(&change, name, agrees, "");
	return cli_format("%s%s: %s (%s)", name, agrees, s.what, s.range);
}

/* Of a command that is compared with nothing, by one of @lines beside the one that decides. */
static char *median(const struct cli_comparison *c, size_t metric, size_t lines, bool utf8)
{
	const struct cli_results *r = c->results;
	const char *name = cli_compare_metric(r->metric[metric].name);
	struct cli_interval of = cli_median_of(r, 0, metric, lines);
	char *number, *text;

	if (isnan(of.estimate))
		return cli_format("%s: %s", name,
				  *r->metric[metric].reason ? r->metric[metric].reason
							    : "no run has a number of it");
	if (of.is_known)
		number = cli_compare_interval(&of, r->metric[metric].unit, utf8);
	else
		number = cli_compare_value(of.estimate, r->metric[metric].unit, utf8);
	text = cli_format("%s is %s%s", name, number,
			  of.is_known ? "" : "; so few runs have no interval of 95 %");
	free(number);
	return text;
}

/* What decides in the emulator has two names: "instructions" and "instructions:u". */
static bool is_same_count(const struct cli_comparison *c, const char *name)
{
	int event = ntime_emulator_event(name);

	return event >= 0 && c->by != SIZE_MAX &&
	       event == ntime_emulator_event(c->results->metric[c->by].name);
}

static bool is_of_interest(const struct cli_comparison *c, size_t metric)
{
	const struct cli_metric *m = &c->results->metric[metric];

	/* Times would be the emulator's. */
	if (c->results->is_in_emulator && (metric <= CLI_FIGURES || is_same_count(c, m->name)))
		return false;
	/* Of what was asked for twice the first is enough. */
	return metric != c->by && cli_results_find_metric(c->results, m->name) == metric &&
	       (c->is_verbose || m->is_wanted || strcmp(m->name, CLI_METRIC_REAL) == 0 ||
		(c->results->sides == 1 && (metric == CLI_USER || metric == CLI_SYS)));
}

static void put_verdict(FILE *f, const struct cli_look *look, const struct cli_comparison *c,
			size_t side)
{
	bool is_alone = c->results->sides == 1;
	struct cli_change by = { .differs = false };
	size_t lines = 0;

	if (!is_alone)
		by = cli_change_of(c->results, side, c->by);
	for (size_t i = 0; i < c->results->metrics; i++)
		lines += is_of_interest(c, i);
	put(f, look, CLI_BOLD, 0,
	    is_alone ? median(c, c->by, 0, look->utf8) : decision(c, side, &by));
	for (size_t i = 0; i < c->results->metrics; i++)
		if (is_of_interest(c, i))
			put(f, look, CLI_PLAIN, 2,
			    is_alone ? median(c, i, lines, look->utf8)
				     : opinion(c, side, i, lines, &by));
}

static void put_left_out(FILE *f, const struct cli_look *look, const struct cli_side *s)
{
	for (size_t i = 0; i < s->left_out.n; i++) {
		const struct cli_outcome_count *of = &s->left_out.of[i];

		put(f, look, CLI_WARN, 0,
		    cli_format("%s: not in the numbers, %zu of %zu runs: %s", s->name, of->runs,
			       s->runs + s->left_out.runs, cli_outcome_text(&of->outcome).text));
	}
	if (s->outlived)
		put(f, look, CLI_WARN, 0,
		    cli_format("%s: processes of %zu of %zu runs ran on, beside the runs that "
			       "followed; only real time, until then, is known (--wait-all waits "
			       "for them)",
			       s->name, s->outlived, s->runs));
}

/* What files have of all runs of a command together tells nothing of a difference. */
static void put_means(FILE *f, const struct cli_look *look, const struct cli_side *s)
{
	for (int i = 0; i < CLI_FIGURES; i++) {
		char *mean;

		if (isnan(s->mean[i]))
			continue;
		mean = cli_compare_value(s->mean[i], cli_figure_forms[i].unit, look->utf8);
		put(f, look, CLI_DIM, 0,
		    cli_format("%s: %s is %s in the mean; the file has no number of each run",
			       s->name, cli_compare_metric(cli_figure_forms[i].name), mean));
		free(mean);
	}
}

/* A run that was disturbed is in the numbers, and moves the interval little. */
static void put_outliers(FILE *f, const struct cli_look *look, const struct cli_results *r,
			 size_t side)
{
	size_t real = cli_results_find_metric(r, CLI_METRIC_REAL), n = 0;
	struct cli_runs_text text;
	struct cli_spread s = { 0 };
	double *number;

	if (real == SIZE_MAX)
		return;
	number = cli_side_numbers(r, side, real, &n);
	for (size_t i = 0; i < n; i++)
		cli_spread_add(&s, number[i]);
	text = cli_outliers_text(&s);
	if (*text.text)
		put(f, look, CLI_WARN, 0, cli_format("%s: %s", r->side[side].name, text.text));
	text = cli_drift_text(&s, "The intervals are wider for that.");
	if (*text.text && r->sides == 1)
		put(f, look, CLI_WARN, 0, cli_strdup(text.text));
	cli_spread_fini(&s);
	free(number);
}

/* The steadiest that there could be is not there: that is worth knowing. */
static void put_absence(FILE *f, const struct cli_look *look, const struct cli_comparison *c)
{
	size_t at = cli_results_find_metric(c->results, CLI_METRIC_INSTRUCTIONS);

	if (at == SIZE_MAX || c->results->sides == 1 || !*c->results->metric[at].reason ||
	    c->is_verbose || c->results->metric[at].is_wanted)
		return;
	put(f, look, CLI_DIM, 0,
	    cli_format(
		    "%s, which would be steadier, cannot be counted here: ntime doctor says why; "
		    "--via emulator counts instructions",
		    CLI_METRIC_INSTRUCTIONS));
}

static void put_emulator(FILE *f, const struct cli_look *look, const struct cli_comparison *c)
{
	if (c->results->is_in_emulator)
		put(f, look, CLI_PLAIN, 0,
		    cli_strdup("EMULATED: qemu-user ran the commands and counted what they "
			       "executed; times would be its own"));
}

/* With another one, or another one with it. */
static bool is_compared(const struct cli_results *r, size_t side)
{
	bool is = r->side[side].reference != SIZE_MAX;

	for (size_t i = 0; i < r->sides; i++)
		is |= r->side[i].reference == side;
	return is;
}

void cli_compare_write_text(FILE *f, const struct cli_look *look, const struct cli_comparison *c)
{
	const struct cli_results *r = c->results;
	const char *wanted = r->by || !r->is_in_emulator ? r->by : CLI_METRIC_EMULATED;

	put_table(f, look, c);
	put_emulator(f, look, c);
	for (size_t i = 0; i < r->sides; i++)
		put_left_out(f, look, &r->side[i]);
	for (size_t i = 0; i < r->sides; i++)
		put_outliers(f, look, r, i);
	for (size_t i = 0; i < r->sides && c->is_verbose; i++)
		put_means(f, look, &r->side[i]);
	for (size_t i = 0; i < r->sides; i++) {
		bool is_alone = r->sides == 1;

		if ((r->side[i].reference != SIZE_MAX || is_alone) && c->by != SIZE_MAX)
			put_verdict(f, look, c, i);
		else if (!is_compared(r, i) && !is_alone)
			put(f, look, CLI_WARN, 0,
			    cli_format("%s is in one file only: not compared", r->side[i].name));
	}
	if (c->by == SIZE_MAX)
		put(f, look, CLI_WARN, 0,
		    cli_format("no verdict: there is a command of which no run %s%s",
			       wanted ? "has a number of " : "ended with status 0",
			       wanted ? wanted : ""));
	put_absence(f, look, c);
	if (!r->is_interleaved && r->sides > 1)
		put(f, look, CLI_WARN, 0,
		    cli_format(
			    "the runs were not interleaved: intervals are wider by what quarters "
			    "of the runs differ, and what changed %s for longer is in the "
			    "differences",
			    r->has_other_host ? "from machine to machine and" : "on the machine"));
	if (!r->is_finished)
		put(f, look, CLI_WARN, 0,
		    cli_strdup("unfinished: fewer runs were made than were wanted"));
}
