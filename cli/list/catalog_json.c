// SPDX-License-Identifier: MIT
/* A catalog as JSON. */
#include "cli/list/catalog_json.h"
#include "cli/base/command.h"

static void set_text(json_t *json, const char *key, const char *text)
{
	if (*text)
		json_object_set_new(json, key, cli_json_text(text));
}

static json_t *entry(const char *name, uint32_t usable, const char *reason, const char *remedy)
{
	json_t *json = json_object();

	json_object_set_new(json, "name", cli_json_text(name));
	json_object_set_new(json, "usable", json_boolean(usable));
	set_text(json, "reason", reason);
	set_text(json, "remedy", remedy);
	return json;
}

json_t *cli_catalog_methods(const struct cli_catalog *c)
{
	json_t *array = json_array();

	for (size_t i = 0; i < c->methods; i++) {
		const struct ntime_method_info *w = &c->method[i];
		json_t *json = entry(w->name, w->usable, w->reason, w->remedy);

		set_text(json, "reaches", w->reaches);
		set_text(json, "cost", w->cost);
		json_array_append_new(array, json);
	}
	return array;
}

json_t *cli_catalog_units(const struct cli_catalog *c)
{
	json_t *array = json_array();

	for (size_t i = 0; i < c->units; i++) {
		const struct ntime_unit_info *u = &c->unit[i];
		json_t *json = entry(u->name, u->usable, u->reason, u->remedy);

		set_text(json, "desc", u->desc);
		set_text(json, "method", u->method);
		set_text(json, "cpus", u->cpus);
		if (u->counters)
			json_object_set_new(json, "counters", json_integer(u->counters));
		if (u->fixed)
			json_object_set_new(json, "fixed", json_integer(u->fixed));
		json_array_append_new(array, json);
	}
	return array;
}

static json_t *events(const struct ntime_event_info *event, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct ntime_event_info *e = &event[i];
		json_t *json = entry(e->name, e->usable, e->reason, e->remedy);

		set_text(json, "unit_name", e->unit);
		set_text(json, "desc", e->desc);
		set_text(json, "unit", e->unit_text);
		set_text(json, "formula", e->formula);
		set_text(json, "beside", e->beside);
		set_text(json, "group", e->group);
		if (*e->formula)
			json_object_set_new(json, "default", json_boolean(e->is_default));
		json_array_append_new(array, json);
	}
	return array;
}

json_t *cli_catalog_head(const char *version, bool is_simulated, const char *emulated)
{
	json_t *root = json_object();

	json_object_set_new(root, "ntime", json_string(version));
	json_object_set_new(root, "schema", json_integer(CLI_SCHEMA));
	json_object_set_new(root, "simulated", json_boolean(is_simulated));
	json_object_set_new(root, "emulated", emulated ? json_string(emulated) : json_null());
	return root;
}

void cli_catalog_write_json(FILE *f, const struct cli_catalog_style *style,
			    const struct cli_catalog *c)
{
	json_t *root = cli_catalog_head(style->version, style->is_simulated, style->emulated);

	if (style->model)
		json_object_set_new(root, "model", cli_json_text(style->model));
	if (style->parts & CLI_WAYS)
		json_object_set_new(root, "ways", cli_catalog_methods(c));
	if (style->parts & CLI_UNITS)
		json_object_set_new(root, "units", cli_catalog_units(c));
	if (style->parts & CLI_EVENTS)
		json_object_set_new(root, "events", events(c->event, c->events));
	if (style->parts & CLI_METRICS)
		json_object_set_new(root, "metrics", events(c->metric, c->metrics));
	cli_json_write(f, root, 1);
}
