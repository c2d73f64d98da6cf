// SPDX-License-Identifier: MIT
/* ntime watch as JSON: an object that tells what is watched, then one a sample, each on a line. */
#include <errno.h>

#include <ntime/context.h>

#include "cli/base/command.h"
#include "cli/output/json.h"
#include "cli/stat/report.h"
#include "cli/output/say.h"
#include "cli/watch/watch.h"

static int write_part(const char *text, size_t n, void *arg)
{
	cli_watch_put_bytes(arg, text, n);
	return 0;
}

/* A line; @root is freed. */
static int put_line(struct cli_watch *w, json_t *root)
{
	int failed = !root || cli_json_dump(root, JSON_COMPACT, write_part, &w->out);

	json_decref(root);
	if (failed)
		return -ENOMEM;
	cli_watch_put_bytes(&w->out, "\n", 1);
	return w->out.error;
}

static json_t *head(const struct cli_watch *w, const char *kind)
{
	json_t *root = json_object();

	json_object_set_new(root, "ntime", json_string(ntime_version()));
	json_object_set_new(root, "schema", json_integer(CLI_SCHEMA));
	json_object_set_new(root, "kind", json_string(kind));
	json_object_set_new(root, "simulated", json_boolean(w->o.machine != NULL));
	json_object_set_new(root, "emulated", w->emulated ? json_string(w->emulated) : json_null());
	return root;
}

static const char *scope_word(uint32_t scope)
{
	static const char *const words[] = {
		[NTIME_SCOPE_CPU] = "thread",	   [NTIME_SCOPE_CORE] = "core",
		[NTIME_SCOPE_L3] = "l3",	   [NTIME_SCOPE_PACKAGE] = "socket",
		[NTIME_SCOPE_MACHINE] = "machine",
	};

	return scope < sizeof(words) / sizeof(words[0]) ? words[scope] : "";
}

static json_t *items_json(const struct cli_watch *w)
{
	json_t *all = json_array();

	for (size_t i = 0; i < w->items.n; i++) {
		const struct cli_watch_item *item = &w->items.item[i];
		json_t *json;

		if (!item->is_shown)
			continue;
		json = json_object();
		json_object_set_new(json, "name", cli_json_text(item->name));
		json_object_set_new(json, "unit", cli_json_text(item->info.unit_text));
		json_object_set_new(json, "unit_name", cli_json_text(item->info.unit));
		json_object_set_new(json, "method", cli_json_text(item->info.method));
		json_object_set_new(json, "scope", json_string(scope_word(item->info.scope)));
		json_object_set_new(json, "metric", json_boolean(item->info.is_metric));
		json_object_set_new(json, "state", json_boolean(item->info.is_state));
		json_array_append_new(all, json);
	}
	return all;
}

static json_t *absences_json(const struct cli_watch *w)
{
	json_t *all = json_array();

	for (size_t i = 0; i < w->items.absences; i++) {
		const struct cli_absence *absence = &w->items.absence[i];
		json_t *json = json_object();

		json_object_set_new(json, "name", cli_json_text(absence->name));
		json_object_set_new(json, "reason", cli_json_text(absence->reason));
		json_object_set_new(json, "remedy", cli_json_text(absence->remedy));
		json_array_append_new(all, json);
	}
	return all;
}

static int begin(struct cli_watch *w)
{
	json_t *root = head(w, "watch");

	json_object_set_new(root, "interval_s", cli_json_number((double)w->o.interval_ns / 1e9));
	json_object_set_new(root, "per", json_string(cli_watch_per_word(w->rows.per)));
	json_object_set_new(root, "items", items_json(w));
	json_object_set_new(root, "absent", absences_json(w));
	if (put_line(w, root) != -ENOMEM)
		return 0;
	cli_say_no_memory();
	return -ENOMEM;
}

static void add_word(void *arg, const char *word)
{
	json_array_append_new(arg, json_string(word));
}

static json_t *value_json(const struct cli_watch *w, size_t row, size_t i)
{
	const struct cli_watch_item *item = &w->items.item[i];
	const struct ntime_value *v = &w->rows.value[row * w->items.n + i];
	bool is_known = !cli_watch_no_number(v);
	json_t *json = json_object(), *flags = json_array();

	json_object_set_new(json, "name", cli_json_text(item->name));
	if (is_known) {
		json_object_set_new(json, "value", cli_json_number(v->value));
		json_object_set_new(json, "error", cli_json_number(v->error));
	}
	if (is_known && !item->info.is_metric)
		json_object_set_new(json, "count", cli_json_count(v->count));
	if (is_known && item->has_rate)
		json_object_set_new(json, "per_second", cli_json_number(cli_watch_rate(w, v)));
	if (v->flags & NTIME_GONE)
		json_object_set_new(json, "reason", cli_json_text(item->info.reason));
	json_object_set_new(json, "unit", cli_json_text(item->info.unit_text));
	cli_watch_words_for_each(w, row, i, UINT32_MAX, add_word, flags);
	json_object_set_new(json, "flags", flags);
	json_object_set_new(json, "method", cli_json_text(item->info.method));
	return json;
}

static json_t *row_json(const struct cli_watch *w, size_t row)
{
	const struct cli_watch_row *r = &w->rows.row[row];
	json_t *json = json_object(), *items = json_array();

	json_object_set_new(json, "where", json_string(r->name));
	if (r->package >= 0)
		json_object_set_new(json, "socket", json_integer(r->package));
	if (r->core >= 0)
		json_object_set_new(json, "core", json_integer(r->core));
	if (r->cpu >= 0)
		json_object_set_new(json, "cpu", json_integer(r->cpu));
	for (size_t i = 0; i < w->items.n; i++)
		if (cli_watch_rows_show(&w->rows, row, &w->items.item[i]))
			json_array_append_new(items, value_json(w, row, i));
	json_object_set_new(json, "items", items);
	return json;
}

static int sample(struct cli_watch *w)
{
	json_t *root = head(w, "sample"), *rows = json_array();

	json_object_set_new(root, "sample", cli_json_count(w->sampler.number));
	json_object_set_new(root, "missed", cli_json_count(w->missed));
	json_object_set_new(root, "time_s", json_real((double)w->at_ns / 1e9));
	json_object_set_new(root, "period_s", json_real((double)w->period_ns / 1e9));
	json_object_set_new(root, "period_error_s", json_real((double)w->unsure_ns / 1e9));
	for (size_t row = 0; row < w->rows.n; row++)
		json_array_append_new(rows, row_json(w, row));
	json_object_set_new(root, "rows", rows);
	return put_line(w, root);
}

const struct cli_watch_view cli_watch_json_view = { .begin = begin, .sample = sample };
