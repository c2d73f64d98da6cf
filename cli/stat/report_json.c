// SPDX-License-Identifier: MIT
/* A report as JSON: one object, or with intervals one object a line. */
#include <sys/wait.h>

#include "cli/base/command.h"
#include "cli/output/json.h"
#include "cli/stat/report.h"

static void add_word(void *arg, const char *word)
{
	json_array_append_new(arg, json_string(word));
}

static json_t *absence(const struct cli_item *item)
{
	json_t *json = json_object();

	json_object_set_new(json, "reason", cli_json_text(item->reason));
	json_object_set_new(json, "remedy", cli_json_text(item->remedy));
	return json;
}

static void set_spread(json_t *json, const struct cli_spread *s)
{
	json_object_set_new(json, "runs", json_integer((json_int_t)s->n));
	if (!s->n)
		return;
	json_object_set_new(json, "min", cli_json_number(s->min));
	json_object_set_new(json, "max", cli_json_number(s->max));
	json_object_set_new(json, "spread", cli_json_number(cli_spread_error(s)));
}

static json_t *item_json(const struct cli_style *style, const struct cli_item *item)
{
	const struct ntime_value *v = &item->value;
	bool is_known = cli_value_is_known(v), is_absent = v->flags & NTIME_ABSENT;
	json_t *json = json_object(), *flags = json_array();

	json_object_set_new(json, "name", cli_json_text(item->name));
	if (is_known) {
		json_object_set_new(json, "value", cli_json_number(v->value));
		json_object_set_new(json, "error", cli_json_number(v->error));
	}
	json_object_set_new(json, "unit", cli_json_text(item->unit_text));
	if (is_known && !item->is_metric)
		json_object_set_new(json, "count", cli_json_count(v->count));
	if (!is_absent && !item->is_metric) {
		json_object_set_new(json, "wanted_ns", cli_json_count(v->wanted_ns));
		json_object_set_new(json, "counted_ns", cli_json_count(v->counted_ns));
		json_object_set_new(json, "pass", json_integer(item->pass));
	}
	cli_flags_for_each(item, add_word, flags);
	json_object_set_new(json, "flags", flags);
	if (*item->unit)
		json_object_set_new(json, "unit_name", cli_json_text(item->unit));
	if (*item->method)
		json_object_set_new(json, "method", cli_json_text(item->method));
	if (is_absent)
		json_object_set_new(json, "absent", absence(item));
	else if (v->flags & NTIME_USER_ONLY && *item->reason)
		json_object_set_new(json, "limited", absence(item));
	if (style->by_run)
		set_spread(json, &item->spread);
	return json;
}

static void set_head(json_t *root, const struct cli_report *r, const char *kind)
{
	json_object_set_new(root, "ntime", json_string(r->version));
	json_object_set_new(root, "schema", json_integer(CLI_SCHEMA));
	json_object_set_new(root, "kind", json_string(kind));
	json_object_set_new(root, "simulated", json_boolean(r->is_simulated));
	json_object_set_new(root, "emulated", r->emulated ? json_string(r->emulated) : json_null());
}

static void set_items(json_t *root, const struct cli_style *style, const struct cli_report *r)
{
	json_t *items = json_array();

	for (size_t i = 0; i < r->items; i++)
		if (cli_item_is_shown(style, &r->item[i]))
			json_array_append_new(items, item_json(style, &r->item[i]));
	json_object_set_new(root, "items", items);
}

static json_t *command_json(char *const *argv)
{
	json_t *json = json_array();

	for (; *argv; argv++)
		json_array_append_new(json, cli_json_text(*argv));
	return json;
}

/* {"status": N} or {"signal": N}; "timeout" when ntime ended the command. */
static json_t *exit_json(const struct cli_report *r)
{
	json_t *json = json_object();

	if (WIFSIGNALED(r->status))
		json_object_set_new(json, "signal", json_integer(WTERMSIG(r->status)));
	else
		json_object_set_new(json, "status", json_integer(WEXITSTATUS(r->status)));
	json_object_set_new(json, "timeout", json_boolean(r->timed_out));
	return json;
}

static json_t *time_json(const struct cli_style *style, const struct cli_report *r)
{
	json_t *json = json_object(), *runs = json_object();

	for (int i = 0; i < CLI_FIGURES; i++) {
		const struct cli_figure_form *form = &cli_figure_forms[i];
		const char *key = r->at_most[i] ? form->key_at_most : form->key;
		json_t *one;

		if (!r->figure[i].n)
			continue;
		json_object_set_new(json, key, cli_json_number(r->figure[i].mean));
		if (!style->by_run)
			continue;
		one = json_object();
		set_spread(one, &r->figure[i]);
		json_object_set_new(runs, key, one);
	}
	if (style->by_run)
		json_object_set_new(json, "over_runs", runs);
	else
		json_decref(runs);
	return json;
}

static void interval(FILE *f, const struct cli_style *style, const struct cli_report *r,
		     double time_s)
{
	json_t *root = json_object();

	set_head(root, r, "interval");
	json_object_set_new(root, "time_s", cli_json_number(time_s));
	set_items(root, style, r);
	cli_json_write(f, root, 0);
}

static void summary(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	json_t *root = json_object();

	set_head(root, r, "summary");
	if (r->argv)
		json_object_set_new(root, "command", command_json(r->argv));
	if (*r->target)
		json_object_set_new(root, "target", cli_json_text(r->target));
	if (r->has_ended)
		json_object_set_new(root, "exit", exit_json(r));
	json_object_set_new(root, "time", time_json(style, r));
	json_object_set_new(root, "runs", json_integer((json_int_t)r->runs));
	json_object_set_new(root, "passes", json_integer(r->passes));
	json_object_set_new(root, "by_pass", json_boolean(r->by_pass));
	set_items(root, style, r);
	if (r->notes) {
		json_t *notes = json_array();

		for (size_t i = 0; i < r->notes; i++)
			json_array_append_new(notes, cli_json_text(r->note[i]));
		json_object_set_new(root, "notes", notes);
	}
	cli_json_write(f, root, !style->by_interval);
}

const struct cli_writer cli_json_writer = { .interval = interval, .summary = summary };
