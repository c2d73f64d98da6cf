// SPDX-License-Identifier: MIT
/*
 * A report for programs: the columns of its items, as CSV (a header, then a row per item) and as
 * JSON (one object, or with intervals one object a line).
 */
#include <math.h>
#include <string.h>

#include <ntime/reason.h>

#include "base/output/csv.h"
#include "base/output/json.h"
#include "count/cli/report/outcome_json.h"
#include "count/cli/report/report.h"

/* Columns that only some reports have. */
#define BY_INTERVAL 1u
#define BY_RUN 2u
#define BY_ROW 4u

#define ITEM(member, kind) CLI_OF(struct cli_item, member, kind)
#define SPREAD(member, kind) ITEM(spread.member, kind), .only = BY_RUN
#define NOT_CSV .flags = CLI_COLUMN_NOT_CSV
#define NOT_JSON .flags = CLI_COLUMN_NOT_JSON
#define ITEM_COLUMNS(X)                                                                            \
	X(NAME, "name", ITEM(name, TEXT))                                                          \
	X(VALUE, "value", ITEM(value.value, REAL))                                                 \
	X(UNIT, "unit", ITEM(unit_text, TEXT))                                                     \
	X(ERROR, "error", ITEM(value.error, REAL))                                                 \
	X(LOW, "low")                                                                              \
	X(HIGH, "high")                                                                            \
	X(LEAST, "least")                                                                          \
	X(MOST, "most")                                                                            \
	X(COUNT, "count", ITEM(value.count, COUNT))                                                \
	X(WANTED_NS, "wanted_ns", ITEM(value.wanted_ns, COUNT))                                    \
	X(COUNTED_NS, "counted_ns", ITEM(value.counted_ns, COUNT))                                 \
	X(PASS, "pass", ITEM(pass, COUNT), NOT_CSV)                                                \
	X(EVERY_PASS, "in_every_pass", ITEM(is_in_every_pass, BOOL), NOT_CSV)                      \
	X(FLAGS, "flags")                                                                          \
	X(UNIT_NAME, "unit_name", ITEM(unit, TEXT), .flags = CLI_COLUMN_SET)                       \
	X(METHOD, "method", ITEM(method, TEXT), .flags = CLI_COLUMN_SET)                           \
	X(REASON, "reason", ITEM(reason, TEXT), NOT_JSON)                                          \
	X(REMEDY, "remedy", ITEM(remedy, TEXT), NOT_JSON)                                          \
	X(ABSENT_REASON, "reason", "absent.reason", NOT_CSV)                                       \
	X(ABSENT_REMEDY, "remedy", "absent.remedy", NOT_CSV)                                       \
	X(ABSENT_CODE, "reason_code", "absent.reason_code", NOT_CSV)                               \
	X(ABSENT_ABOUT, "about", "absent.about", NOT_CSV)                                          \
	X(ABSENT_KIND, "remedy_kind", "absent.remedy_kind", NOT_CSV)                               \
	X(LIMITED_REASON, "reason", "limited.reason", NOT_CSV)                                     \
	X(LIMITED_REMEDY, "remedy", "limited.remedy", NOT_CSV)                                     \
	X(LIMITED_CODE, "reason_code", "limited.reason_code", NOT_CSV)                             \
	X(LIMITED_ABOUT, "about", "limited.about", NOT_CSV)                                        \
	X(LIMITED_KIND, "remedy_kind", "limited.remedy_kind", NOT_CSV)                             \
	X(WHERE, "where", NOT_JSON, .only = BY_ROW)                                                \
	X(TIME_S, "time_s", NOT_JSON, .only = BY_INTERVAL)                                         \
	X(RUNS, "runs", SPREAD(n, COUNT))                                                          \
	X(MIN, "min", SPREAD(min, REAL))                                                           \
	X(MAX, "max", SPREAD(max, REAL))                                                           \
	X(MEDIAN, "median", .only = BY_RUN)                                                        \
	X(SD, "sd", .only = BY_RUN)                                                                \
	X(CI95, "ci95", .only = BY_RUN)                                                            \
	X(LEFT_OUT, "runs_left_out", NOT_JSON, .only = BY_RUN)

enum { ITEM_COLUMNS(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { ITEM_COLUMNS(CLI_COLUMN_ROW) };

static struct cli_columns columns_of(const struct cli_style *style)
{
	return (struct cli_columns){ .column = columns,
				     .n = COLUMNS,
				     .with = (style->by_interval ? BY_INTERVAL : 0) |
					     (style->by_run ? BY_RUN : 0) |
					     (style->by_row ? BY_ROW : 0) };
}

/* Where no run ended well, @s is of one that did not. */
static void fill_spread(struct cli_cell *cell, const struct cli_report *r,
			const struct cli_spread *s)
{
	cell[RUNS] = cli_count(r->runs ? s->n : 0);
	cell[LEFT_OUT] = cli_count(r->left_out ? r->left_out->runs : 0);
	if (!r->runs || !s->n)
		return;
	cell[MIN] = cli_real(s->min);
	cell[MAX] = cli_real(s->max);
	cell[MEDIAN] = cli_real(cli_spread_median(s));
	cell[SD] = cli_real(cli_spread_sd(s));
	cell[CI95] = cli_real(cli_spread_ci95(s));
}

/* The five columns of an absence, or of what is left out. */
static void fill_absence(struct cli_cell *cell, const struct cli_item *item)
{
	cell[0] = cli_text(item->reason);
	cell[1] = cli_text(item->remedy);
	cell[2] = cli_text(ntime_reason_name(item->reason_code));
	cell[3] = cli_text(item->about);
	cell[4] = cli_text(ntime_remedy_kind_name(item->remedy_kind));
}

/* Where the truth is with 95 %, and where it can be at all; not where it is the value. */
static void fill_interval(struct cli_cell *cell, const struct cli_item *item)
{
	const struct ntime_value *v = &item->value;

	if (!(v->flags & NTIME_SCALED))
		return;
	cell[LOW] = cli_real(v->value - v->below);
	cell[HIGH] = cli_real(v->value + v->above);
	cell[LEAST] = cli_if(item->has_bounds, cli_real(item->least));
	cell[MOST] = cli_if(item->has_bounds && isfinite(item->most), cli_real(item->most));
}

static void forget(struct cli_cell *cell, size_t first, size_t last)
{
	memset(cell + first, 0, (last - first + 1) * sizeof(*cell));
}

/* It has a number, which is not the whole truth. */
static bool is_limited(const struct cli_item *item)
{
	return item->value.flags &
		       (NTIME_USER_ONLY | NTIME_HOTPLUG | NTIME_IMPLAUSIBLE | NTIME_PARTIAL) ||
	       cli_item_is_noted(item) || item->is_rusage;
}

/* @flags: room for their words. */
static void fill(struct cli_cell *cell, const struct cli_columns *c, const struct cli_report *r,
		 const struct cli_item *item, struct cli_flag_text *flags)
{
	const struct ntime_value *v = &item->value;
	bool is_known = cli_value_is_known(v), is_absent = v->flags & NTIME_ABSENT;

	cli_cells_fill(cell, c, item);
	if (is_known)
		fill_interval(cell, item);
	else
		cell[VALUE] = cell[ERROR] = (struct cli_cell){ 0 };
	if (!is_known || item->is_metric)
		forget(cell, COUNT, COUNT);
	if (is_absent || item->is_metric)
		forget(cell, WANTED_NS, EVERY_PASS);
	if (!item->is_in_every_pass || r->passes < 2)
		forget(cell, EVERY_PASS, EVERY_PASS);
	if (item->is_rusage) {
		cell[UNIT_NAME] = cli_text(item->is_attached ? "process" : "command");
		cell[METHOD] = cli_text(item->is_attached ? "proc" : "wait4");
	}
	flags->text[0] = '\0';
	cli_flags_for_each(item, cli_flag_text_add, flags);
	cell[FLAGS] = cli_words(flags->text);
	/* Its reason is that of another interval. */
	if (item->reason_code == NTIME_REASON_IMPLAUSIBLE && is_known &&
	    !(v->flags & NTIME_IMPLAUSIBLE))
		forget(cell, REASON, REMEDY);
	else if (is_absent)
		fill_absence(&cell[ABSENT_REASON], item);
	else if (*item->reason && is_limited(item))
		fill_absence(&cell[LIMITED_REASON], item);
	fill_spread(cell, r, &item->spread);
}

/* ---- CSV ---- */

static void begin_csv(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	const struct cli_columns c = columns_of(style);

	(void)r;
	cli_csv_head(f, &c);
}

static void put_items(FILE *f, const struct cli_style *style, const struct cli_report *r,
		      const struct cli_item *item, const char *time, const char *where)
{
	const struct cli_columns c = columns_of(style);
	struct cli_cell cell[COLUMNS];
	struct cli_flag_text flags;

	for (size_t i = 0; i < r->items; i++) {
		if (!cli_item_is_shown(style, &item[i]))
			continue;
		fill(cell, &c, r, &item[i], &flags);
		if (r->emulated)
			cli_flag_text_add(&flags, "emulated");
		cell[TIME_S] = cli_text(time);
		cell[WHERE] = cli_text(where);
		cli_csv_row(f, &c, cell);
	}
}

static void interval_csv(FILE *f, const struct cli_style *style, const struct cli_report *r,
			 double time_s)
{
	char time[32];

	snprintf(time, sizeof(time), "%.9f", time_s);
	put_items(f, style, r, r->item, time, "");
}

static void put_figure(FILE *f, const struct cli_columns *c, const struct cli_report *r, int i)
{
	const struct cli_spread *s = &r->figure[i];
	struct cli_cell cell[COLUMNS] = { 0 };
	struct cli_flag_text flags = { "" };

	if (r->at_most[i])
		cli_flag_text_add(&flags, "at-most");
	if (r->left && i != CLI_REAL) {
		cli_flag_text_add(&flags, "partial");
		cell[REASON] = cli_text(r->left_reason);
		cell[REMEDY] = cli_text(CLI_LEFT_REMEDY);
	}
	if (r->emulated)
		cli_flag_text_add(&flags, "emulated");
	cell[NAME] = cli_text(cli_figure_forms[i].name);
	cell[VALUE] = cli_real(s->mean);
	cell[UNIT] = cli_text(cli_figure_forms[i].unit);
	cell[ERROR] = cli_real(0);
	cell[COUNT] = cli_count((uint64_t)nearbyint(s->mean));
	cell[FLAGS] = cli_words(flags.text);
	cell[UNIT_NAME] = cli_text("command");
	cell[METHOD] = cli_text("wait4");
	fill_spread(cell, r, s);
	cli_csv_row(f, c, cell);
}

static void summary_csv(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	const struct cli_columns c = columns_of(style);

	/* Behind interval rows a sum would be taken for one more interval. */
	if (style->by_interval)
		return;
	for (int i = 0; i < CLI_FIGURES; i++)
		if (r->figure[i].n)
			put_figure(f, &c, r, i);
	put_items(f, style, r, r->item, "", "");
	for (size_t i = 0; i < r->rows; i++)
		put_items(f, style, r, r->row[i].item, "", r->row[i].where);
}

const struct cli_writer cli_csv_writer = {
	.begin = begin_csv, .interval = interval_csv, .summary = summary_csv, .has_head = true
};

/* ---- JSON ---- */

static json_t *head_json(const struct cli_report *r, const char *kind)
{
	json_t *root = cli_json_machine_head(r->version, r->is_simulated, r->emulated);

	json_object_set_new(root, "kind", json_string(kind));
	return root;
}

/* Of each run, and the numbers of those that are far from the others, from 1. */
static void set_runs(json_t *row, const struct cli_spread *s)
{
	const struct cli_fences fences = cli_spread_fences(s);
	json_t *values = json_array(), *far = json_array();

	for (size_t i = 0; i < s->n; i++) {
		json_array_append_new(values, cli_json_number(s->run[i]));
		if (cli_fences_are_passed(&fences, s->run[i]))
			json_array_append_new(far, json_integer((json_int_t)i + 1));
	}
	json_object_set_new(row, "values", values);
	json_object_set_new(row, "outliers", far);
}

static void set_items(json_t *root, const struct cli_style *style, const struct cli_report *r,
		      const struct cli_item *item)
{
	const struct cli_columns c = columns_of(style);
	struct cli_cell cell[COLUMNS];
	json_t *items = json_array(), *row;
	struct cli_flag_text flags;

	for (size_t i = 0; i < r->items; i++) {
		if (!cli_item_is_shown(style, &item[i]))
			continue;
		fill(cell, &c, r, &item[i], &flags);
		row = cli_json_row(&c, cell);
		if (style->by_run && r->runs)
			set_runs(row, &item[i].spread);
		json_array_append_new(items, row);
	}
	json_object_set_new(root, "items", items);
}

static json_t *row_json(const struct cli_report_row *row)
{
	json_t *json;

	if (row->place)
		return cli_row_json(row->place);
	json = json_object();
	json_object_set_new(json, "where", cli_json_text(row->where));
	json_object_set_new(json, "function",
			    row->function->name ? cli_json_text(row->function->name) : json_null());
	json_object_set_new(json, "file",
			    row->function->file ? cli_json_text(row->function->file) : json_null());
	return json;
}

static json_t *rows_json(const struct cli_style *style, const struct cli_report *r)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < r->rows; i++) {
		json_t *row = row_json(&r->row[i]);

		set_items(row, style, r, r->row[i].item);
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *command_json(char *const *argv)
{
	json_t *json = json_array();

	for (; *argv; argv++)
		json_array_append_new(json, cli_json_text(*argv));
	return json;
}

/* How a figure spread over the runs, as its columns say it. */
static json_t *spread_json(const struct cli_report *r, const struct cli_spread *s)
{
	static const struct cli_columns c = { .column = columns + RUNS,
					      .n = COLUMNS - RUNS,
					      .with = BY_RUN };
	struct cli_cell cell[COLUMNS] = { 0 };
	json_t *row;

	fill_spread(cell, r, s);
	row = cli_json_row(&c, cell + RUNS);
	if (r->runs)
		set_runs(row, s);
	return row;
}

/* Of real time: a small p says that runs are not independent. */
static json_t *drift_json(const struct cli_spread *s)
{
	struct cli_drift drift = cli_spread_drift(s);
	json_t *json = json_object();

	json_object_set_new(json, "crossings", json_integer((json_int_t)drift.crossings));
	json_object_set_new(json, "expected", cli_json_number(drift.expected));
	json_object_set_new(json, "p", cli_json_number(drift.p));
	return json;
}

static json_t *time_json(const struct cli_style *style, const struct cli_report *r)
{
	json_t *json = json_object(), *runs = json_object();

	for (int i = 0; i < CLI_FIGURES; i++) {
		const struct cli_figure_form *form = &cli_figure_forms[i];
		const char *key = r->at_most[i] ? form->key_at_most : form->key;

		if (!r->figure[i].n)
			continue;
		json_object_set_new(json, key, cli_json_number(r->figure[i].mean));
		json_object_set_new(runs, key, spread_json(r, &r->figure[i]));
	}
	if (style->by_run)
		json_object_set(json, "over_runs", runs);
	json_decref(runs);
	return json;
}

static void interval_json(FILE *f, const struct cli_style *style, const struct cli_report *r,
			  double time_s)
{
	json_t *root = head_json(r, "interval");

	json_object_set_new(root, "time_s", cli_json_number(time_s));
	set_items(root, style, r, r->item);
	cli_json_write(f, root, 0);
}

static void summary_json(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	json_t *root = head_json(r, "summary"), *notes = json_array();

	if (!r->is_recording)
		cli_json_put_where(root);
	if (r->argv)
		json_object_set_new(root, "command", command_json(r->argv));
	if (*r->target)
		json_object_set_new(root, "target", cli_json_text(r->target));
	if (r->has_ended)
		json_object_set_new(root, "exit", cli_exit_json(r->status, r->timed_out));
	json_object_set_new(root, "time", time_json(style, r));
	if (r->left)
		json_object_set_new(root, "left_running", cli_json_count(r->left));
	json_object_set_new(root, "runs", json_integer((json_int_t)r->runs));
	if (style->by_run)
		json_object_set_new(root, "drift", drift_json(&r->figure[CLI_REAL]));
	if (style->by_run && r->left_out)
		json_object_set_new(root, "runs_left_out", cli_outcomes_json(r->left_out));
	json_object_set_new(root, "passes", json_integer(r->passes));
	json_object_set_new(root, "by_pass", json_boolean(r->by_pass));
	json_object_set_new(root, "in_emulator", json_boolean(r->is_in_emulator));
	if (r->frames)
		json_object_set_new(root, "frames", cli_json_count(r->n_frames));
	set_items(root, style, r, r->item);
	if (style->by_row)
		json_object_set_new(root, "rows", rows_json(style, r));
	for (size_t i = 0; i < r->notes; i++)
		json_array_append_new(notes, cli_json_text(r->note[i]));
	if (r->notes)
		json_object_set(root, "notes", notes);
	json_decref(notes);
	cli_json_write(f, root, !style->by_interval);
}

const struct cli_writer cli_json_writer = { .interval = interval_json, .summary = summary_json };
