// SPDX-License-Identifier: MIT
/*
 * ntime watch for programs: the columns of a value, as CSV (a header, then a row per item of each
 * row) and as JSON (an object that says what is watched, then one a sample, each on a line).
 *
 * CSV allocates nothing: a sample may be due each millisecond.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ntime/context.h>

#include "base/output/absence.h"
#include "base/output/say.h"
#include "base/output/stamp.h"
#include "count/cli/report/outcome_json.h"
#include "count/cli/watch/watch.h"

#define SECOND 1000000000u

#define ITEM(member, kind) CLI_OF(struct cli_row_item, member, kind)
#define NOT_CSV .flags = CLI_COLUMN_NOT_CSV
#define NOT_JSON .flags = CLI_COLUMN_NOT_JSON
#define VALUE_COLUMNS(X)                                                                           \
	X(SAMPLE, "sample", NOT_JSON)                                                              \
	X(TIME_S, "time_s", NOT_JSON)                                                              \
	X(PERIOD_S, "period_s", NOT_JSON)                                                          \
	X(WHERE, "where", NOT_JSON)                                                                \
	X(NAME, "name", ITEM(name, TEXT))                                                          \
	X(VALUE, "value")                                                                          \
	X(PER_SECOND, "per_second")                                                                \
	X(COUNT, "count")                                                                          \
	X(FLAGS, "flags")                                                                          \
	X(UNIT, "unit", ITEM(info.unit_text, TEXT))                                                \
	X(UNIT_NAME, "unit_name", ITEM(info.unit, TEXT), NOT_JSON)                                 \
	X(METHOD, "method", ITEM(info.method, TEXT))                                               \
	X(ERROR, "error", NOT_JSON)                                                                \
	X(ANY_ERROR, "error", NOT_CSV)                                                             \
	X(TIME, "time", NOT_JSON)                                                                  \
	X(HOST, "host", NOT_JSON)                                                                  \
	X(REASON, "reason", NOT_CSV)

enum { VALUE_COLUMNS(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { VALUE_COLUMNS(CLI_COLUMN_ROW) };
static const struct cli_columns value_columns = { .column = columns, .n = COLUMNS };

/* What the lines of a sample have in common, and room for the flags of one. */
struct texts {
	char time[48], period[48];
	struct cli_flag_text flags;
	struct cli_stamp wall;
};

static void put(void *arg, const char *text, size_t bytes)
{
	cli_watch_put_bytes(arg, text, bytes);
}

void cli_watch_put_csv(struct cli_watch *w, const struct cli_columns *c,
		       const struct cli_cell *cell)
{
	cli_csv_row_to(c, cell, cell && w->out.is_terminal, put, &w->out);
}

static int put_json(const char *text, size_t n, void *arg)
{
	cli_watch_put_bytes(arg, text, n);
	return 0;
}

int cli_watch_put_json(struct cli_watch *w, json_t *root)
{
	cli_json_dump(root, JSON_COMPACT, put_json, &w->out);
	json_decref(root);
	cli_watch_put_bytes(&w->out, "\n", 1);
	return w->out.error;
}

static void fill(struct cli_cell *cell, const struct cli_watch *w, size_t row, size_t i,
		 struct texts *texts)
{
	const struct cli_row_item *item = &w->items.item[i];
	const struct ntime_value *v = &w->rows.value[row * w->items.n + i];

	cli_cells_fill(cell, &value_columns, item);
	if (!cli_watch_no_number(v)) {
		/* No clock vouches for more digits of what is no count. */
		cell[VALUE] = (item->info.is_metric || item->info.is_state) &&
					      v->value != (double)(int64_t)v->value
				      ? cli_rate(v->value)
				      : cli_real(v->value);
		cell[PER_SECOND] = cli_if(item->has_rate, cli_rate(cli_watch_rate(w, v)));
		cell[COUNT] = cli_if(!item->info.is_metric, cli_count(v->count));
		cell[ANY_ERROR] = cli_real(v->error);
		/* Few have one: most values are no estimates. */
		cell[ERROR] = cli_if(v->error > 0, cell[ANY_ERROR]);
	}
	cell[REASON] =
		cli_if(v->flags & (NTIME_GONE | NTIME_IMPLAUSIBLE), cli_text(item->info.reason));
	texts->flags = cli_watch_flag_words(w, row, i, UINT32_MAX);
	cell[FLAGS] = cli_words(texts->flags.text);
}

/* ---- CSV ---- */

static int head_csv(struct cli_watch *w)
{
	cli_watch_put_csv(w, &value_columns, NULL);
	return 0;
}

static void put_csv(struct cli_watch *w, size_t row, size_t i, struct texts *texts)
{
	struct cli_cell cell[COLUMNS];

	fill(cell, w, row, i, texts);
	if (w->emulated)
		cli_flag_text_add(&texts->flags, "emulated");
	cell[SAMPLE] = cli_count(w->sampler.number);
	cell[TIME_S] = cli_text(texts->time);
	cell[PERIOD_S] = cli_text(texts->period);
	cell[WHERE] = cli_text(w->rows.row[row].name);
	cell[TIME] = cli_text(texts->wall.text);
	cell[HOST] = cli_text(cli_host_name());
	cli_watch_put_csv(w, &value_columns, cell);
}

static int sample_csv(struct cli_watch *w)
{
	struct texts texts;

	texts.wall = cli_stamp_utc(w->wall_ns, true);
	snprintf(texts.time, sizeof(texts.time), "%" PRIu64 ".%09" PRIu64, w->at_ns / SECOND,
		 w->at_ns % SECOND);
	snprintf(texts.period, sizeof(texts.period), "%" PRIu64 ".%09" PRIu64,
		 w->period_ns / SECOND, w->period_ns % SECOND);
	for (size_t row = 0; row < w->rows.n; row++)
		for (size_t i = 0; i < w->items.n; i++)
			if (cli_rows_show(&w->rows, row, &w->items.item[i]))
				put_csv(w, row, i, &texts);
	return w->out.error;
}

const struct cli_watch_view cli_watch_csv_view = { .head = head_csv,
						   .has_head_once = true,
						   .sample = sample_csv };

/* ---- CSV of frames: a row each ---- */

static int head_wide(struct cli_watch *w)
{
	cli_watch_put_csv(w, &w->frames.wide.columns, NULL);
	return 0;
}

static int sample_wide(struct cli_watch *w)
{
	struct cli_wide *wide = &w->frames.wide;
	const struct ntime_frame frame = { .size = sizeof(frame),
					   .number = w->frames.number[0],
					   .begin_ns = w->frames.frame_begin_ns,
					   .end_ns = w->frames.frame_begin_ns + w->period_ns };

	cli_wide_fill(wide, 0, &frame, w->frames.begin_ns, w->rows.value);
	/* That a value is of another frame; the rest is told. */
	for (size_t i = 0; i < w->items.n; i++) {
		const struct cli_flag_text words = cli_watch_flag_words(w, 0, i, 0);

		if (*words.text && w->items.item[i].is_shown)
			cli_wide_flag(wide, w->items.item[i].name, words.text);
	}
	cli_watch_put_csv(w, &wide->columns, wide->cell);
	return w->out.error;
}

const struct cli_watch_view cli_watch_wide_view = { .head = head_wide,
						    .has_head_once = true,
						    .sample = sample_wide };

/* ---- JSON ---- */

static json_t *head(const struct cli_watch *w, const char *kind)
{
	json_t *root = cli_json_machine_head(ntime_version(), w->o.machine || w->items.is_simulated,
					     w->emulated);

	json_object_set_new(root, "kind", json_string(kind));
	json_object_set_new(root, "host", cli_json_text(cli_host_name()));
	return root;
}

static const char *scope_word(uint32_t scope)
{
	static const char *const words[] = {
		[NTIME_SCOPE_CPU] = "thread",	   [NTIME_SCOPE_CORE] = "core",
		[NTIME_SCOPE_L3] = "l3",	   [NTIME_SCOPE_PACKAGE] = "socket",
		[NTIME_SCOPE_MACHINE] = "machine", [NTIME_SCOPE_DEVICE] = "device",
	};

	return scope < sizeof(words) / sizeof(words[0]) ? words[scope] : "";
}

static const struct cli_column item_columns[] = {
	{ "name", ITEM(name, TEXT) },
	{ "unit", ITEM(info.unit_text, TEXT) },
	{ "unit_name", ITEM(info.unit, TEXT) },
	{ "method", ITEM(info.method, TEXT) },
	{ "scope" },
	{ "metric", ITEM(info.is_metric, BOOL) },
	{ "state", ITEM(info.is_state, BOOL) },
};

static json_t *items_json(const struct cli_watch *w)
{
	static const struct cli_columns c = { .column = item_columns, .n = 7 };
	struct cli_cell cell[7];
	json_t *all = json_array();

	for (size_t i = 0; i < w->items.n; i++) {
		if (!w->items.item[i].is_shown)
			continue;
		cli_cells_fill(cell, &c, &w->items.item[i]);
		cell[4] = cli_text(scope_word(w->items.item[i].info.scope));
		json_array_append_new(all, cli_json_row(&c, cell));
	}
	return all;
}

#define ABSENCE(member, kind) CLI_OF(struct cli_absence, member, kind)
static const struct cli_column absence_columns[] = {
	{ "name", ABSENCE(name, TEXT) },
	{ "reason", ABSENCE(reason, TEXT) },
	{ "remedy", ABSENCE(remedy, TEXT) },
	CLI_ABSENCE_COLUMNS(ABSENCE, struct cli_absence),
};

static int head_json(struct cli_watch *w)
{
	static const struct cli_columns absences = {
		.column = absence_columns, .n = sizeof(absence_columns) / sizeof(absence_columns[0])
	};
	json_t *root = head(w, "watch");

	json_object_set_new(root, "interval_s", cli_json_number((double)w->o.interval_ns / 1e9));
	json_object_set_new(root, "per", json_string(cli_per_word(w->rows.per)));
	json_object_set_new(root, "items", items_json(w));
	json_object_set_new(root, "absent",
			    cli_json_rows(&absences, w->items.absence, w->items.absences,
					  sizeof(*w->items.absence)));
	return cli_watch_put_json(w, root);
}

static json_t *row_json(const struct cli_watch *w, size_t row)
{
	json_t *json = cli_row_json(&w->rows.row[row]), *items = json_array();
	struct cli_cell cell[COLUMNS];
	struct texts texts;

	for (size_t i = 0; i < w->items.n; i++) {
		if (!cli_rows_show(&w->rows, row, &w->items.item[i]))
			continue;
		fill(cell, w, row, i, &texts);
		json_array_append_new(items, cli_json_row(&value_columns, cell));
	}
	json_object_set_new(json, "items", items);
	return json;
}

static int sample_json(struct cli_watch *w)
{
	json_t *root = head(w, "sample"), *rows = json_array();

	json_object_set_new(root, "sample", cli_json_count(w->sampler.number));
	json_object_set_new(root, "missed", cli_json_count(w->missed));
	json_object_set_new(root, "time", json_string(cli_stamp_utc(w->wall_ns, true).text));
	json_object_set_new(root, "time_s", json_real((double)w->at_ns / 1e9));
	json_object_set_new(root, "period_s", json_real((double)w->period_ns / 1e9));
	json_object_set_new(root, "period_error_s", json_real((double)w->unsure_ns / 1e9));
	for (size_t row = 0; row < w->rows.n; row++)
		json_array_append_new(rows, row_json(w, row));
	json_object_set_new(root, "rows", rows);
	return cli_watch_put_json(w, root);
}

const struct cli_watch_view cli_watch_json_view = { .head = head_json, .sample = sample_json };
