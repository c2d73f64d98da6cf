// SPDX-License-Identifier: MIT
/*
 * A report for people: a line per counter with the metrics that belong to it, what was not counted,
 * and time(1)'s lines (times.c).
 *
 *          1,234,567     cycles         # GHz 3.21             [45% counted, ±1.20%]
 *     |<-- number -->| |unit| |<-- name -->|  |<-- comment -->|  |<-- note -->|
 *
 * Where that is wider than the terminal, comments and notes go to lines of their own.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <ntime/reason.h>

#include "base/output/clean.h"
#include "base/output/absence.h"
#include "base/output/emulated.h"
#include "base/output/memory.h"
#include "base/output/number.h"
#include "count/cli/report/brief.h"
#include "count/cli/report/functions.h"
#include "count/cli/report/report.h"
#include "count/cli/report/times.h"

#define LINE_CHARS 256
#define SENTENCE_CHARS 512
#define COMMENT_INDENT 4

/* Columns of a block of lines, found by looking at all of them. */
struct layout {
	size_t number;
	size_t unit; /* with the blank before it */
	size_t name;
	size_t comment;
	bool is_inline;
};

struct cell {
	char text[LINE_CHARS];
};

static bool is_absent(const struct cli_item *item)
{
	return item->value.flags & NTIME_ABSENT;
}

static bool has_estimate(const struct cli_report *r)
{
	for (size_t i = 0; i < r->items; i++)
		if (r->item[i].value.flags & NTIME_SCALED || r->item[i].is_unscaled)
			return true;
	return false;
}

/* The event line that shows metric @item behind it, NULL when it stands alone. */
static const struct cli_item *line_of(const struct cli_style *style, const struct cli_report *r,
				      const struct cli_item *item)
{
	if (!item->is_metric || !*item->beside)
		return NULL;
	for (size_t i = 0; i < r->items; i++) {
		const struct cli_item *line = &r->item[i];

		if (!line->is_metric && !is_absent(line) && cli_item_is_shown(style, line) &&
		    strcmp(line->name, item->beside) == 0)
			return line;
	}
	return NULL;
}

/* The row of @item in the report of who asked for nothing; NULL in others. */
static const struct cli_brief *brief_of(const struct cli_style *style, const struct cli_item *item)
{
	const struct cli_brief *row;

	for (size_t i = 0; style->brief && (row = cli_brief_at(i)); i++)
		if (strcmp(row->event, item->name) == 0 ||
		    (row->other && strcmp(row->other, item->name) == 0))
			return row;
	return NULL;
}

/* The item of line @i; NULL where it has none. */
static const struct cli_item *line_at(const struct cli_style *style, const struct cli_report *r,
				      size_t i)
{
	const struct cli_item *item;

	item = style->brief ? cli_brief_item(r, cli_brief_at(i)) : &r->item[i];
	return item && !is_absent(item) && cli_item_is_shown(style, item) &&
			       !line_of(style, r, item)
		       ? item
		       : NULL;
}

static bool has_line_at(const struct cli_style *style, const struct cli_report *r, size_t i)
{
	return style->brief ? cli_brief_at(i) != NULL : i < r->items;
}

static const char *label_of(const struct cli_style *style, const struct cli_item *item)
{
	const struct cli_brief *row = brief_of(style, item);

	return row ? row->label : item->name;
}

static const char *mark_of(const struct cli_style *style, uint32_t flags)
{
	if (flags & NTIME_IMPLAUSIBLE)
		return "?";
	if (flags & NTIME_OVERFLOWED)
		return style->look.utf8 ? "≥" : ">=";
	return flags & NTIME_SCALED ? "~" : "";
}

/*
 * A value as people read it, with ~ before an estimate, >= before a lower bound and ? before what
 * cannot be right; *@unit is what to print behind it.
 */
static struct cell number_cell(const struct cli_style *style, const struct cli_item *item,
			       const char **unit)
{
	const struct ntime_value *v = &item->value;
	struct cli_number number;
	struct cell cell;

	*unit = item->unit_text;
	if (!cli_value_is_known(v)) {
		*unit = "";
		snprintf(cell.text, sizeof(cell.text), "%s", "<not counted>");
		return cell;
	}
	if (item->is_metric)
		number = cli_number_short(v->value);
	else if (brief_of(style, item))
		number = cli_number_large(v->value);
	else if (!*item->unit_text && v->value == (double)v->count)
		number = cli_number_count(v->count);
	else
		number = cli_number_value(v->value, item->unit_text, style->look.utf8, unit);
	snprintf(cell.text, sizeof(cell.text), "%s%s", mark_of(style, v->flags), number.text);
	return cell;
}

/* The same of another number in its place. */
static struct cell other_cell(const struct cli_style *style, const struct cli_item *item,
			      double number, const char **unit)
{
	struct cli_item other = *item;

	other.value = (struct ntime_value){ .count = UINT64_MAX, .value = number };
	return number_cell(style, &other, unit);
}

static void add_note(struct cell *cell, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add_note(struct cell *cell, const char *format, ...)
{
	size_t used = strlen(cell->text);
	char text[LINE_CHARS];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	snprintf(cell->text + used, sizeof(cell->text) - used, "%s%s", used ? ", " : "", text);
}

/* What is possible at all. */
static void note_bounds(struct cell *cell, const struct cli_style *style,
			const struct cli_item *item)
{
	struct cell low_cell, high_cell;
	const char *low_unit, *high_unit;

	if (!item->has_bounds)
		return;
	low_cell = other_cell(style, item, item->least, &low_unit);
	high_cell = other_cell(style, item, item->most, &high_unit);
	if (isfinite(item->most))
		add_note(cell, "possible %.40s%s%.20s .. %.40s%s%.20s", low_cell.text,
			 *low_unit ? " " : "", low_unit, high_cell.text, *high_unit ? " " : "",
			 high_unit);
	else
		add_note(cell, "possible from %.40s%s%.20s on", low_cell.text, *low_unit ? " " : "",
			 low_unit);
}

/* Of a 0 that the hardware alone bounds: it was hardly looked at. */
static bool is_unbounded(const struct cli_item *item)
{
	return item->value.value == 0 && item->value.above > 0 && item->has_bounds &&
	       !(item->value.above < 0.9 * item->most);
}

static void note_interval(struct cell *cell, const struct cli_style *style,
			  const struct cli_item *item)
{
	const struct ntime_value *v = &item->value;
	double below = cli_value_is_vague(v) ? INFINITY : v->below;
	struct cell least;
	const char *unit;

	if (cli_value_has_least(v) || is_unbounded(item)) {
		least = other_cell(style, item, v->value - v->below, &unit);
		add_note(cell, "at least %.40s%s%.20s", least.text, *unit ? " " : "", unit);
	} else {
		add_note(cell, "%s",
			 cli_number_interval(below, v->above, v->value, style->look.utf8).text);
	}
}

static void note_share(struct cell *cell, const struct cli_style *style,
		       const struct cli_item *item)
{
	const struct ntime_value *v = &item->value;

	if (!item->is_metric && v->wanted_ns)
		add_note(cell, "%.3g%% counted",
			 100 * (double)v->counted_ns / (double)v->wanted_ns);
	if (item->is_unscaled)
		add_note(cell, "not scaled");
	else if (v->error > 0 || isnan(v->error))
		note_interval(cell, style, item);
	if (style->verbose && !item->is_unscaled)
		note_bounds(cell, style, item);
	if (style->verbose && item->is_alike)
		add_note(cell, "not told from the interval before");
}

/* Which part is covered: the time in which the CPUs were there, added up. */
static void note_hotplug(struct cell *cell, const struct cli_item *item)
{
	const struct ntime_value *v = &item->value;

	if (item->is_metric)
		add_note(cell, "CPUs came or went");
	else if (v->flags & NTIME_PARTIAL)
		add_note(cell, "CPUs came or went: counted for %.4g of at most %.4g CPU-s",
			 (double)v->counted_ns / 1e9, (double)v->wanted_ns / 1e9);
	else
		add_note(cell, "CPUs came or went: counted for %.4g CPU-s",
			 (double)v->counted_ns / 1e9);
}

/* What should be the same in each run, and nearly is. Whether it was noted. */
static bool note_exceptions(struct cell *cell, const struct cli_item *item)
{
	struct cli_exceptions e = cli_spread_exceptions(&item->spread);

	if (!(item->value.flags & NTIME_EMULATED) || item->is_metric || e.n == item->spread.n)
		return false;
	add_note(cell, "%zu of %zu runs differ%s, by %s%s", e.n, item->spread.n,
		 e.n == 1 ? "s" : "", e.n == 1 ? "" : "up to ", cli_number_large(e.most).text);
	return true;
}

static void note_runs(struct cell *cell, const struct cli_style *style, const struct cli_item *item)
{
	const struct cli_spread *s = &item->spread;
	struct cell low_cell, middle_cell, high_cell;
	const char *low_unit, *middle_unit, *high_unit;

	if (s->min == s->max) {
		add_note(cell, "same in all runs");
		return;
	}
	if (note_exceptions(cell, item))
		return;
	if (style->brief) {
		add_note(cell, "%s",
			 cli_number_spread(cli_spread_ci95(s), s->mean, style->look.utf8).text);
		return;
	}
	middle_cell = other_cell(style, item, cli_spread_median(s), &middle_unit);
	low_cell = other_cell(style, item, s->min, &low_unit);
	high_cell = other_cell(style, item, s->max, &high_unit);
	/* Nanoseconds may need another unit for the smallest run than for the largest. */
	if (strcmp(low_unit, high_unit) == 0)
		low_unit = "";
	if (strcmp(middle_unit, high_unit) == 0)
		middle_unit = "";
	add_note(cell, "runs %.50s, median %.30s%s%.10s, %.30s%s%.10s .. %.30s%s%.10s",
		 cli_number_spread(cli_spread_ci95(s), s->mean, style->look.utf8).text,
		 middle_cell.text, *middle_unit ? " " : "", middle_unit, low_cell.text,
		 *low_unit ? " " : "", low_unit, high_cell.text, *high_unit ? " " : "", high_unit);
}

/* Counted until the kernel took the counters off a program. */
static bool is_stripped(const struct cli_item *item)
{
	return item->value.flags & NTIME_PARTIAL && cli_value_is_known(&item->value) &&
	       item->reason_code == NTIME_REASON_PERMISSION;
}

static bool has_outlived(const struct cli_item *item)
{
	return item->value.flags & NTIME_PARTIAL && item->reason_code == NTIME_REASON_OUTLIVED;
}

/* One of several units of a card. */
static bool is_of_one_unit(const struct cli_item *item)
{
	return item->value.flags & NTIME_PARTIAL && item->reason_code == NTIME_REASON_ONE_UNIT;
}

static void note_part(struct cell *cell, const struct cli_item *item)
{
	if (item->is_incomplete)
		add_note(cell, "partial: a pass of it was not counted");
	if (is_of_one_unit(item)) {
		add_note(cell, "partial: %.182s", item->about);
	} else if (!item->is_incomplete) {
		add_note(cell, "%s",
			 has_outlived(item)  ? "partial: processes still run"
			 : is_stripped(item) ? "a part of the command is missing"
			 : item->value.flags & NTIME_EMULATED
				 ? "some programs ran outside of the emulator"
				 : "some CPUs or units are missing");
	}
}

static bool is_partial(const struct cli_item *item)
{
	return is_stripped(item) || is_of_one_unit(item);
}

/* Counted, and what was counted is no number; a metric has it from its events. */
static bool is_lost(const struct cli_item *item)
{
	return cli_value_is_lost(&item->value) && *item->reason;
}

/* What must be known to believe the number; "" for an exact one. */
static struct cell note_cell(const struct cli_style *style, const struct cli_item *item)
{
	const struct ntime_value *v = &item->value;
	struct cell cell = { "" };

	if (is_lost(item))
		add_note(&cell, "%s", item->reason);
	if (!cli_value_is_known(v))
		return cell;
	if (v->flags & NTIME_IMPLAUSIBLE)
		add_note(&cell, "implausible");
	if (v->flags & NTIME_SCALED || item->is_unscaled)
		note_share(&cell, style, item);
	if (item->is_rusage && !item->is_attached)
		add_note(&cell, "by wait4(2), from fork on");
	if (item->is_attached)
		add_note(&cell, "by /proc, without children");
	else if (style->brief && v->flags & NTIME_PROC && !item->is_metric)
		add_note(&cell, "by /proc");
	if (v->flags & NTIME_OVERFLOWED)
		add_note(&cell, "the counter wrapped and the wrap was missed");
	if (v->flags & NTIME_AT_MOST)
		add_note(&cell, "at most: signals interrupted what had been counted");
	if (v->flags & NTIME_LOST)
		add_note(&cell, "taken by another program, or its device is gone");
	if (v->flags & NTIME_USER_ONLY)
		add_note(&cell, "user mode only");
	if (v->flags & NTIME_HOTPLUG)
		note_hotplug(&cell, item);
	else if (v->flags & NTIME_PARTIAL)
		note_part(&cell, item);
	if (item->spread.n > 1)
		note_runs(&cell, style, item);
	return cell;
}

/* "# IPC 1.234 insn/cycle" */
static struct cell comment_cell(const struct cli_style *style, const struct cli_item *metric)
{
	const struct cli_spread *s = &metric->spread;
	struct cell cell, note = { "" }, number;
	const char *unit;

	number = number_cell(style, metric, &unit);
	if (cli_value_is_known(&metric->value) && (metric->value.flags & NTIME_SCALED) &&
	    metric->value.error > 0)
		note_share(&note, style, metric);
	/* The range of the events beside it says enough. */
	if (s->n > 1 && s->min < s->max)
		add_note(&note, "runs %s",
			 cli_number_spread(cli_spread_ci95(s), s->mean, style->look.utf8).text);
	snprintf(cell.text, sizeof(cell.text), "# %.60s %.60s%s%.40s%s%.80s%s", metric->name,
		 number.text, *unit ? " " : "", unit, *note.text ? " [" : "", note.text,
		 *note.text ? "]" : "");
	return cell;
}

/* The only one of a brief line. */
static struct cell brief_comment(const struct cli_style *style, const struct cli_report *r,
				 const struct cli_item *line)
{
	const struct cli_brief *row = brief_of(style, line);
	const struct cli_item *metric;
	struct cell cell = { "" };

	if (row && cli_value_is_known(&line->value)) {
		metric = row->metric ? cli_report_find(r, row->metric) : NULL;
		cli_brief_comment(r, row, metric ? mark_of(style, metric->value.flags) : "",
				  cell.text);
	}
	return cell;
}

static size_t max_of(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t indent_of(const struct layout *l)
{
	return l->is_inline ? l->number + l->unit + 2 + l->name + 2 : COMMENT_INDENT;
}

/* @prefix: columns before the number (time of an interval). */
static struct layout layout_of(const struct cli_style *style, const struct cli_report *r,
			       size_t prefix)
{
	struct layout l = { .number = style->brief ? 10 : 13,
			    .unit = style->brief ? 0 : 1,
			    .is_inline = true };
	size_t note = 0;

	for (size_t i = 0; !style->brief && i < r->items; i++)
		if (!is_absent(&r->item[i]) && cli_item_is_shown(style, &r->item[i]) &&
		    line_of(style, r, &r->item[i]))
			l.comment = max_of(l.comment,
					   cli_text_columns(comment_cell(style, &r->item[i]).text));
	for (size_t i = 0; has_line_at(style, r, i); i++) {
		const struct cli_item *item = line_at(style, r, i);
		const char *unit;

		if (!item)
			continue;
		l.comment = max_of(l.comment, cli_text_columns(brief_comment(style, r, item).text));
		l.number = max_of(l.number, cli_text_columns(number_cell(style, item, &unit).text));
		if (!style->brief)
			l.unit = max_of(l.unit, 1 + cli_text_columns(unit));
		l.name = max_of(l.name, cli_text_columns(label_of(style, item)));
		note = max_of(note, cli_text_columns(note_cell(style, item).text));
	}
	if (style->look.is_terminal &&
	    prefix + indent_of(&l) + l.comment + (note ? note + 4 : 0) > style->look.width) {
		l.is_inline = false;
		if (prefix + l.number + l.unit + 2 + l.name > style->look.width)
			l.number = l.unit = 0;
	}
	return l;
}

static void pad(FILE *f, size_t used, size_t wanted)
{
	if (used < wanted)
		fprintf(f, "%*s", (int)(wanted - used), "");
}

/*
 * Write a comment or note at its column: behind what is there when it is the first one and has
 * room, else on a new line.
 */
static void put_aside(FILE *f, const struct cli_style *style, const struct layout *l, size_t prefix,
		      size_t *column, size_t at, const char *text, enum cli_colour colour)
{
	if (!l->is_inline || *column > at) {
		fputs("\n", f);
		*column = 0;
		at = prefix + indent_of(l);
		if (!l->is_inline)
			at = COMMENT_INDENT;
	}
	pad(f, *column, at);
	fputs(cli_colour(&style->look, colour), f);
	if (l->is_inline) {
		cli_print_safe(f, text);
		*column = at + cli_text_columns(text);
	} else {
		/*
		 * Too narrow for columns: the text itself may need several lines, and cli_wrap()
		 * ends them.
		 */
		struct cli_text copy;

		cli_text_begin(&copy);
		cli_wrap(copy.f, &style->look, at, at + 2, text);
		cli_text_end(&copy);
		if (copy.bytes)
			fwrite(copy.text, 1, copy.bytes - 1, f);
		free(copy.text);
		*column = style->look.width;
	}
	fputs(cli_colour(&style->look, CLI_PLAIN), f);
}

static void put_comments(FILE *f, const struct cli_style *style, const struct cli_report *r,
			 const struct cli_item *line, const struct layout *l, size_t prefix,
			 size_t *column)
{
	struct cell note = note_cell(style, line), brief = brief_comment(style, r, line), bracket;
	size_t at = prefix + indent_of(l);
	bool is_noted = !*note.text;

	snprintf(bracket.text, sizeof(bracket.text), "[%.200s]", note.text);
	if (!is_noted && !l->is_inline) {
		put_aside(f, style, l, prefix, column, at, bracket.text, CLI_WARN);
		is_noted = true;
	}
	if (*brief.text)
		put_aside(f, style, l, prefix, column, at, brief.text, CLI_PLAIN);
	for (size_t i = 0; !style->brief && i < r->items; i++) {
		const struct cli_item *item = &r->item[i];

		if (is_absent(item) || !cli_item_is_shown(style, item) ||
		    line_of(style, r, item) != line)
			continue;
		put_aside(f, style, l, prefix, column, at, comment_cell(style, item).text, CLI_DIM);
		if (!is_noted)
			put_aside(f, style, l, prefix, column,
				  max_of(*column + 2, at + l->comment + 2), bracket.text, CLI_WARN);
		is_noted = true;
	}
	if (!is_noted)
		put_aside(f, style, l, prefix, column, l->comment ? at + l->comment + 2 : at,
			  bracket.text, CLI_WARN);
}

static void put_line(FILE *f, const struct cli_style *style, const struct cli_report *r,
		     const struct cli_item *item, const struct layout *l, size_t prefix)
{
	const char *unit;
	struct cell number = number_cell(style, item, &unit);
	size_t used = cli_text_columns(number.text), column;

	pad(f, used, l->number);
	fprintf(f, "%s%s%s", cli_colour(&style->look, CLI_BOLD), number.text,
		cli_colour(&style->look, CLI_PLAIN));
	column = prefix + max_of(used, l->number);
	if (!style->brief && (l->unit > 1 || *unit)) {
		fprintf(f, " %s", cli_clean(unit));
		pad(f, 1 + cli_text_columns(unit), l->unit);
		column += max_of(1 + cli_text_columns(unit), l->unit);
	}
	fputs("  ", f);
	cli_print_safe(f, label_of(style, item));
	column += 2 + cli_text_columns(label_of(style, item));
	put_comments(f, style, r, item, l, prefix, &column);
	putc('\n', f);
}

static void put_sentence(FILE *f, const struct cli_style *style, enum cli_colour colour,
			 const char *format, ...) __attribute__((format(printf, 4, 5)));

static void put_sentence(FILE *f, const struct cli_style *style, enum cli_colour colour,
			 const char *format, ...)
{
	char text[SENTENCE_CHARS];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fputs(cli_colour(&style->look, colour), f);
	cli_wrap(f, &style->look, 0, 0, text);
	fputs(cli_colour(&style->look, CLI_PLAIN), f);
}

struct cli_runs_text cli_drift_text(const struct cli_spread *s, const char *so)
{
	struct cli_drift drift = cli_spread_drift(s);
	struct cli_runs_text out = { "" };

	if (s->n && drift.p <= CLI_DRIFT_P)
		(void)snprintf(out.text, sizeof(out.text),
			       "The runs are not independent: their real time changed sides of its "
			       "median %zu time%s where %.3g are expected. %s",
			       drift.crossings, drift.crossings == 1 ? "" : "s", drift.expected,
			       so);
	return out;
}

/* A person reads so many. */
#define OUTLIERS_LISTED 5

struct cli_runs_text cli_outliers_text(const struct cli_spread *s)
{
	const struct cli_fences fences = cli_spread_fences(s);
	struct cli_runs_text out = { "" };
	size_t used = 0, n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (!cli_fences_are_passed(&fences, s->run[i]) || ++n > OUTLIERS_LISTED)
			continue;
		used += (size_t)snprintf(out.text + used, sizeof(out.text) - used, "%s %zu (%s s)",
					 n > 1 ? "," : "Outliers: run", i + 1,
					 cli_number_seconds(s->run[i]).text);
	}
	if (n > OUTLIERS_LISTED)
		used += (size_t)snprintf(out.text + used, sizeof(out.text) - used, " and %zu more",
					 n - OUTLIERS_LISTED);
	if (s->n && s->run[0] > fences.high && cli_fences_are_passed(&fences, s->run[0]))
		(void)snprintf(
			out.text + used, sizeof(out.text) - used,
			"; the first run was slow: ntime compare --warmup 1 keeps it from the "
			"numbers");
	return out;
}

/* Which runs are in the numbers, and how the others ended. */
static void put_runs(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	const struct cli_outcomes *out = r->left_out;
	size_t left_out = out ? out->runs : 0, i;
	struct cli_runs_text text[2];

	if (r->runs > 1)
		put_sentence(f, style, CLI_PLAIN, "Mean of %zu runs; %s is its 95 %% interval.",
			     r->runs, style->look.utf8 ? "±" : "+-");
	else if (r->runs)
		put_sentence(f, style, CLI_PLAIN, "Mean of 1 run.");
	else
		put_sentence(f, style, CLI_WARN,
			     "No run ended with status 0: the numbers are those of the last run.");
	for (i = 0; out && i < out->n; i++)
		put_sentence(f, style, CLI_WARN, "%s%zu of %zu runs: %s.",
			     r->runs ? "Not in the mean, " : "", out->of[i].runs,
			     left_out + r->runs, cli_outcome_text(&out->of[i].outcome).text);
	/* By real time: a mean tells little of runs of which one was disturbed. */
	text[0] = cli_outliers_text(&r->figure[CLI_REAL]);
	text[1] = cli_drift_text(&r->figure[CLI_REAL],
				 "The intervals are too narrow. ntime compare runs commands in "
				 "turn, so that this disturbs each of them alike.");
	for (i = 0; i < 2 && r->runs; i++)
		if (*text[i].text)
			put_sentence(f, style, CLI_WARN, "%s", text[i].text);
}

static void put_simulated(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	if (!r->is_simulated)
		return;
	put_sentence(f, style, CLI_BAD, "%s",
		     r->is_recording ? "SIMULATED: this is a recorded machine, not this one"
				     : "SIMULATED: counts of gpu0 come from a model, not from a "
				       "card");
}

static void put_emulator(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	if (r->is_in_emulator)
		put_sentence(f, style, CLI_PLAIN,
			     "EMULATED: qemu-user ran the command and counted what it executed; "
			     "times, and the kernel's events, are the emulator's with it");
}

/* The target has nothing to do with what these count. */
static void put_devices(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	for (size_t i = 0; i < r->items; i++) {
		if (!r->item[i].is_of_device || is_absent(&r->item[i]))
			continue;
		put_sentence(f, style, CLI_PLAIN,
			     "%.60s counts for every program that uses the card", r->item[i].unit);
		return;
	}
}

static void put_frames(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	if (r->n_frames > r->kept_frames)
		put_sentence(f, style, CLI_PLAIN,
			     "Counted %" PRIu64
			     " frames; ntime watch --frames %.150s shows the last "
			     "%" PRIu64 ".",
			     r->n_frames, r->frames, r->kept_frames);
	else
		put_sentence(f, style, CLI_PLAIN,
			     "Counted %" PRIu64 " frame%s; ntime watch --frames %.150s shows %s.",
			     r->n_frames, r->n_frames == 1 ? "" : "s", r->frames,
			     r->n_frames == 1 ? "it" : "them");
	if (r->passes > 1)
		put_sentence(f, style, CLI_PLAIN,
			     "%u passes took turns, one a frame: <not counted> has numbers there, "
			     "and no total.",
			     r->passes);
}

static void put_head_lines(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	put_simulated(f, style, r);
	cli_emulated_put(f, &style->look, r->emulated);
	put_emulator(f, style, r);
	if (style->quiet)
		return;
	if (*r->target)
		put_sentence(f, style, CLI_PLAIN, "Measured: %.200s", r->target);
	put_devices(f, style, r);
	if (r->by_pass && r->passes > 1)
		put_sentence(f, style, CLI_PLAIN,
			     "Counted in %u runs of the command, one per pass; nothing is scaled.",
			     r->passes);
	else if (r->passes > 1 && has_estimate(r))
		put_sentence(f, style, CLI_PLAIN,
			     "Counted in %u rotating passes; a number with ~ is an estimate, %s "
			     "its 95 %% interval.",
			     r->passes, style->look.utf8 ? "±" : "+-");
	if (r->frames)
		put_frames(f, style, r);
	if (style->by_run)
		put_runs(f, style, r);
}

/* Set off from what is above it. */
static void put_head(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	struct cli_text text;

	cli_text_begin(&text);
	put_head_lines(text.f, style, r);
	cli_text_end(&text);
	if (text.bytes) {
		putc('\n', f);
		fwrite(text.text, 1, text.bytes, f);
	}
	free(text.text);
}

/*
 * Names of all that are like @first, each once, with @between; caller frees.
 */
static char *names_of(const struct cli_absence *all, size_t n, size_t first, const char *between)
{
	struct cli_text names;

	cli_text_begin(&names);
	for (size_t i = first; i < n; i++) {
		bool is_repeated = false;

		if (!cli_absence_is_alike(&all[i], &all[first]))
			continue;
		for (size_t k = first; k < i && !is_repeated; k++)
			is_repeated = strcmp(all[k].name, all[i].name) == 0;
		/*
		 * Names of metrics may have blanks; a no-break rule would need more than the list
		 * is worth.
		 */
		if (!is_repeated)
			fprintf(names.f, "%s%s", i > first ? between : "", all[i].name);
	}
	return cli_text_end(&names);
}

static void put_absence(FILE *f, const struct cli_style *style, const struct cli_absence *all,
			size_t n, size_t first)
{
	char *names = names_of(all, n, first, " ");

	fputs("  ", f);
	cli_wrap(f, &style->look, 2, 2, names);
	free(names);
	if (style->quiet)
		return;
	fputs("    ", f);
	cli_wrap(f, &style->look, 4, 4, cli_absence_why(&all[first]));
	if (!*all[first].remedy)
		return;
	fprintf(f, "    %sremedy:%s ", cli_colour(&style->look, CLI_GOOD),
		cli_colour(&style->look, CLI_PLAIN));
	cli_wrap(f, &style->look, 12, 6, all[first].remedy);
}

/* Counted, with a number that nobody should believe; metrics have it from their events. */
static bool is_implausible(const struct cli_item *item)
{
	return item->value.flags & NTIME_IMPLAUSIBLE && cli_value_is_known(&item->value) &&
	       *item->reason;
}

/* Counted, and known to be wrong at times. */
static bool has_erratum(const struct cli_item *item)
{
	return item->reason_code == NTIME_REASON_ERRATUM && !is_absent(item);
}

/* Counted by a code of which nobody knows what it is. */
static bool is_unlisted(const struct cli_item *item)
{
	return item->reason_code == NTIME_REASON_UNKNOWN_EVENT && !is_absent(item) &&
	       !is_implausible(item);
}

static bool has_no_modes(const struct cli_item *item)
{
	return item->reason_code == NTIME_REASON_EVERY_MODE && !is_absent(item);
}

/* What a reader must know of some items, with its reasons. */
static const struct caveat {
	const char *title;
	bool (*is_meant)(const struct cli_item *item);
} caveats[] = {
	{ "Implausible (marked ?), shown as counted", is_implausible },
	{ "No number, for it cannot be right", is_lost },
	{ "Counted in part", is_partial },
	{ "Errata of this processor", has_erratum },
	{ "Unknown codes, shown as counted", is_unlisted },
	{ "Counted in every mode", has_no_modes },
	{ "Not counted here", is_absent },
};

/* How a report calls @item where it tells of reasons; NULL: it does not tell of it. */
static const char *name_of(const struct cli_style *style, const struct cli_report *r,
			   const struct cli_item *item)
{
	const struct cli_brief *row = brief_of(style, item);
	const struct cli_item *whole;

	if (!style->brief)
		return cli_item_is_shown(style, item) ? item->name : NULL;
	if (row)
		return cli_brief_item(r, row) == item ? row->kind : NULL;
	for (size_t i = 0; (row = cli_brief_at(i)); i++) {
		whole = cli_report_find(r, row->event);
		if (row->part && strcmp(row->part, item->name) == 0 && whole && !is_absent(whole))
			return item->name;
	}
	return NULL;
}

static const char *told_by(const struct cli_absence *a)
{
	return a->remedy_kind != NTIME_REMEDY_NONE ? "ntime doctor" : "ntime -v";
}

/* In one line, which says where the whole is. */
static void put_briefly(FILE *f, const struct cli_style *style, const struct caveat *caveat,
			const struct cli_absence *all, size_t n, size_t first)
{
	bool is_missing = caveat->is_meant == is_absent;
	char *names = names_of(all, n, first, ", ");
	struct cli_text text;
	char *line;

	cli_text_begin(&text);
	fprintf(text.f, "%s%s%s", is_missing ? "no " : caveat->title, is_missing ? "" : ": ",
		names);
	if (!style->quiet && is_missing)
		fprintf(text.f, ": %s", cli_absence_short(&all[first]));
	if (!style->quiet)
		fprintf(text.f, " (%s)", is_missing ? told_by(&all[first]) : "ntime -v");
	line = cli_text_end(&text);
	cli_wrap(f, &style->look, 0, 2, line);
	free(line);
	free(names);
}

/* A program's own instructions are to be had where no counter is. */
static void put_other_way(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	const struct cli_item *item = cli_report_find(r, "instructions");

	if (!style->quiet && !*r->target && !r->is_in_emulator && item && is_absent(item))
		cli_wrap(f, &style->look, 0, 2,
			 "instructions: --via emulator counts them, 4 to 16 times slower");
}

/* What is so for the same reason is told together. */
static void put_reasons(FILE *f, const struct cli_style *style, const struct cli_report *r,
			const struct caveat *caveat)
{
	struct cli_absence *all = cli_calloc(r->items + 1, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < r->items; i++) {
		const struct cli_item *item = &r->item[i];
		const char *name = caveat->is_meant(item) ? name_of(style, r, item) : NULL;

		if (!name)
			continue;
		all[n] = CLI_ABSENCE(name, item);
		/* In a few words those are alike that have the same words. */
		if (style->brief && caveat->is_meant == is_absent) {
			all[n].about = cli_absence_short(&all[n]);
			all[n].remedy = told_by(&all[n]);
		}
		n++;
	}
	if (n && !style->brief)
		fprintf(f, "\n%s:\n", caveat->title);
	for (size_t i = 0; i < n; i++) {
		if (cli_absence_was_told(all, i))
			continue;
		if (style->brief)
			put_briefly(f, style, caveat, all, n, i);
		else
			put_absence(f, style, all, n, i);
	}
	if (n && style->brief && caveat->is_meant == is_absent)
		put_other_way(f, style, r);
	free(all);
}

#define NEVER_RAN "its counter never ran: other users (perf, the NMI watchdog) held all counters,"
#define NO_CORE " or nothing ran on a core of its kind; see ntime(1)"

/* What never ran: one that is shown, and one that is an event. */
struct idle {
	bool has_one, has_event;
};

static void look_for_idle(struct idle *idle, const struct cli_style *style,
			  const struct cli_item *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!(items[i].value.flags & NTIME_NOT_COUNTED) ||
		    cli_value_is_lost(&items[i].value))
			continue;
		idle->has_one |= cli_item_is_shown(style, &items[i]) &&
				 (!style->brief || brief_of(style, &items[i]));
		idle->has_event |= !items[i].is_metric;
	}
}

/*
 * What "<not counted>" can mean here. That an event had no turn is possible only where they take
 * turns; a metric of events that were all counted has no value where it divides by 0.
 */
static void put_why_none_ran(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	struct idle idle = { false, false };

	look_for_idle(&idle, style, r->item, r->items);
	for (size_t i = 0; i < r->rows; i++)
		look_for_idle(&idle, style, r->row[i].item, r->items);
	/* What has no total has its number frame by frame, as was said above. */
	if (!idle.has_one || style->quiet || (r->frames && r->passes > 1))
		return;
	putc('\n', f);
	put_sentence(f, style, CLI_PLAIN, "<not counted>: %s",
		     !idle.has_event ? "the formula divides by 0"
		     : r->is_in_emulator
			     ? "the emulator ended before the command began; it may have said "
			       "above why"
		     : r->is_too_early
			     ? "the measurement ended before the --delay did; choose a shorter one"
		     : r->passes > 1 ? NEVER_RAN
			     " the command ended before the event's pass," NO_CORE
				     : NEVER_RAN NO_CORE);
}

/* Lines with the same words in front. */
static void put_prefixed(FILE *f, const struct cli_style *style, const struct cli_report *r,
			 const char *prefix, const struct layout *l)
{
	for (size_t i = 0; has_line_at(style, r, i); i++) {
		const struct cli_item *item = line_at(style, r, i);

		if (!item)
			continue;
		fputs(prefix, f);
		put_line(f, style, r, item, l, strlen(prefix));
	}
}

static bool has_lines(const struct cli_style *style, const struct cli_report *r)
{
	for (size_t i = 0; has_line_at(style, r, i); i++)
		if (line_at(style, r, i))
			return true;
	return false;
}

static void put_lines(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	struct layout l = layout_of(style, r, 0);

	if (!has_lines(style, r))
		return;
	putc('\n', f);
	put_prefixed(f, style, r, "", &l);
}

static void put_notes(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	for (size_t i = 0; i < r->notes; i++) {
		fputs("  ", f);
		cli_wrap(f, &style->look, 2, 4, r->note[i]);
	}
}

static void begin(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	if (!style->by_interval)
		return;
	/* The summary says it again, but intervals come first and may go on for days. */
	put_simulated(f, style, r);
	cli_emulated_put(f, &style->look, r->emulated);
	fputs("#    time_s         number  event\n", f);
}

static void interval(FILE *f, const struct cli_style *style, const struct cli_report *r,
		     double time_s)
{
	struct cli_style full = *style;
	char prefix[LINE_CHARS];
	struct layout l;

	snprintf(prefix, sizeof(prefix), "%11.6f ", time_s);
	full.brief = false;
	l = layout_of(&full, r, strlen(prefix));
	put_prefixed(f, &full, r, prefix, &l);
}

/* In the columns of the whole. Sockets are set off from each other. */
static void put_rows(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	const struct cli_row *last = NULL;
	char prefix[LINE_CHARS];
	size_t widest = 0;
	struct layout l;

	for (size_t i = 0; i < r->rows; i++)
		if (strlen(r->row[i].place->name) > widest)
			widest = strlen(r->row[i].place->name);
	l = layout_of(style, r, widest + 1);
	for (size_t i = 0; i < r->rows; i++) {
		struct cli_report row = *r;

		row.item = r->row[i].item;
		if (!has_lines(style, &row))
			continue;
		if (!last || r->row[i].place->package != last->package)
			putc('\n', f);
		last = r->row[i].place;
		snprintf(prefix, sizeof(prefix), "%-*s ", (int)widest,
			 cli_clean(r->row[i].place->name));
		put_prefixed(f, style, &row, prefix, &l);
	}
}

/* --dry-run */
static void put_plan(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	put_head(f, style, r);
	put_sentence(f, style, CLI_PLAIN, "Nothing was run. It would be counted as follows:");
	put_notes(f, style, r);
	put_reasons(f, style, r, &caveats[sizeof(caveats) / sizeof(caveats[0]) - 1]);
}

static void summary(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	if (style->plan_only) {
		put_plan(f, style, r);
		return;
	}
	put_head(f, style, r);
	put_lines(f, style, r);
	if (style->by_function)
		cli_functions_put(f, style, r);
	else
		put_rows(f, style, r);
	put_why_none_ran(f, style, r);
	for (size_t i = 0; i < sizeof(caveats) / sizeof(caveats[0]); i++)
		put_reasons(f, style, r, &caveats[i]);
	if (r->notes)
		fputs("\nHow it was counted:\n", f);
	put_notes(f, style, r);
	cli_times_put(f, style, r);
}

const struct cli_writer cli_text_writer = { .begin = begin,
					    .interval = interval,
					    .summary = summary };
