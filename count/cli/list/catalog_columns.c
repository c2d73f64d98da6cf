// SPDX-License-Identifier: MIT
/*
 * A catalog for programs: the columns of its parts, as CSV with one head for all of them, and as
 * JSON.
 */
#include "count/cli/list/catalog.h"
#include "base/output/absence.h"
#include "base/output/csv.h"

#define NOT_CSV (CLI_COLUMN_NOT_CSV | CLI_COLUMN_SET)
/* In CSV all parts have the columns of all. */
#define EMPTY(name)                                                                                \
	{                                                                                          \
		name, .flags = CLI_COLUMN_NOT_JSON                                                 \
	}
#define USABLE(of)                                                                                 \
	{                                                                                          \
		"usable", of(usable, BOOL), .flags = CLI_COLUMN_YES                                \
	}

#define METHOD(member, kind) CLI_OF(struct ntime_method_info, member, kind)
static const struct cli_column method_columns[] = {
	EMPTY("kind"),
	{ "name", METHOD(name, TEXT) },
	EMPTY("unit_name"),
	USABLE(METHOD),
	EMPTY("unit"),
	EMPTY("formula"),
	{ "desc", "reaches", METHOD(reaches, TEXT), .flags = CLI_COLUMN_SET },
	{ "reason", METHOD(reason, TEXT), .flags = CLI_COLUMN_SET },
	{ "remedy", METHOD(remedy, TEXT), .flags = CLI_COLUMN_SET },
	EMPTY("group"),
	{ "cost", METHOD(cost, TEXT), .flags = NOT_CSV },
	CLI_ABSENCE_COLUMNS(METHOD, struct ntime_method_info),
};

#define UNIT(member, kind) CLI_OF(struct ntime_unit_info, member, kind)
static const struct cli_column unit_columns[] = {
	EMPTY("kind"),
	{ "name", UNIT(name, TEXT) },
	{ "unit_name", UNIT(name, TEXT), .flags = CLI_COLUMN_NOT_JSON },
	USABLE(UNIT),
	EMPTY("unit"),
	EMPTY("formula"),
	{ "desc", UNIT(desc, TEXT), .flags = CLI_COLUMN_SET },
	{ "reason", UNIT(reason, TEXT), .flags = CLI_COLUMN_SET },
	{ "remedy", UNIT(remedy, TEXT), .flags = CLI_COLUMN_SET },
	EMPTY("group"),
	{ "method", UNIT(method, TEXT), .flags = NOT_CSV },
	{ "cpus", UNIT(cpus, TEXT), .flags = NOT_CSV },
	{ "counters", UNIT(counters, COUNT), .flags = NOT_CSV },
	{ "fixed", UNIT(fixed, COUNT), .flags = NOT_CSV },
	CLI_ABSENCE_COLUMNS(UNIT, struct ntime_unit_info),
};

/* Of metrics too. */
#define EVENT(member, kind) CLI_OF(struct ntime_event_info, member, kind)
static const struct cli_column event_columns[] = {
	EMPTY("kind"),
	{ "name", EVENT(name, TEXT) },
	{ "unit_name", EVENT(unit, TEXT), .flags = CLI_COLUMN_SET },
	USABLE(EVENT),
	{ "unit", EVENT(unit_text, TEXT), .flags = CLI_COLUMN_SET },
	{ "formula", EVENT(formula, TEXT), .flags = CLI_COLUMN_SET },
	{ "desc", EVENT(desc, TEXT), .flags = CLI_COLUMN_SET },
	{ "reason", EVENT(reason, TEXT), .flags = CLI_COLUMN_SET },
	{ "remedy", EVENT(remedy, TEXT), .flags = CLI_COLUMN_SET },
	{ "group", EVENT(group, TEXT), .flags = CLI_COLUMN_SET },
	{ "beside", EVENT(beside, TEXT), .flags = NOT_CSV },
	CLI_ABSENCE_COLUMNS(EVENT, struct ntime_event_info),
	{ "default", EVENT(is_default, BOOL), .flags = CLI_COLUMN_NOT_CSV, .only = CLI_METRICS },
};

#define COLUMNS(of)                                                                                \
	{                                                                                          \
		.column = (of), .n = sizeof(of) / sizeof((of)[0])                                  \
	}
static const struct cli_columns methods = COLUMNS(method_columns), units = COLUMNS(unit_columns),
				events = COLUMNS(event_columns);

static void put_csv(FILE *f, const struct cli_columns *c, const char *kind, const void *first,
		    size_t n, size_t bytes)
{
	struct cli_cell cell[CLI_COLUMNS_MAX];

	for (size_t i = 0; i < n; i++) {
		cli_cells_fill(cell, c, (const char *)first + i * bytes);
		cell[0] = cli_text(kind);
		cli_csv_row(f, c, cell);
	}
}

void cli_catalog_write_csv(FILE *f, const struct cli_catalog_style *style,
			   const struct cli_catalog *c)
{
	cli_csv_head(f, &events);
	if (style->parts & CLI_METHODS)
		put_csv(f, &methods, "method", c->method, c->methods, sizeof(*c->method));
	if (style->parts & CLI_UNITS)
		put_csv(f, &units, "unit", c->unit, c->units, sizeof(*c->unit));
	if (style->parts & CLI_EVENTS)
		put_csv(f, &events, "event", c->event, c->events, sizeof(*c->event));
	if (style->parts & CLI_METRICS)
		put_csv(f, &events, "metric", c->metric, c->metrics, sizeof(*c->metric));
}

json_t *cli_catalog_methods(const struct cli_catalog *c)
{
	return cli_json_rows(&methods, c->method, c->methods, sizeof(*c->method));
}

json_t *cli_catalog_units(const struct cli_catalog *c)
{
	return cli_json_rows(&units, c->unit, c->units, sizeof(*c->unit));
}

#define WORD_DIGITS 16

/* Words of 64 bits are text: a number of JSON may have 53. */
static json_t *card_json(const struct ntime_card_event *e)
{
	json_t *card = json_object(), *muxes = json_array(), *setups = json_array(), *entry;
	json_t *perfkit = json_array();

	json_object_set_new(card, "domain", json_integer(e->domain));
	json_object_set_new(card, "counters", json_integer(e->counters));
	json_object_set_new(card, "passes", json_integer(e->passes));
	for (size_t i = 0; i < e->muxes; i++) {
		json_array_append_new(muxes, entry = json_object());
		json_object_set_new(entry, "name", cli_json_text(e->mux[i].name));
		json_object_set_new(entry, "value", json_integer((json_int_t)e->mux[i].value));
	}
	json_object_set_new(card, "multiplexers", muxes);
	for (size_t i = 0; i < e->setups; i++) {
		json_array_append_new(setups, entry = json_object());
		json_object_set_new(entry, "config", cli_json_hex(e->setup[i].config, WORD_DIGITS));
		json_object_set_new(entry, "config1",
				    cli_json_hex(e->setup[i].config1, WORD_DIGITS));
		json_object_set_new(entry, "config2",
				    cli_json_hex(e->setup[i].config2, WORD_DIGITS));
	}
	json_object_set_new(card, "setups", setups);
	json_object_set_new(card, "terms", cli_json_text(e->terms));
	if (e->control)
		json_object_set_new(card, "control", cli_json_hex(e->control, 8));
	json_object_set_new(card, "conflicts", cli_json_hex(e->conflicts, WORD_DIGITS));
	json_object_set_new(card, "trust", cli_json_text(e->trust));
	json_object_set_new(card, "source", cli_json_text(e->source));
	for (size_t i = 0; i < e->perfkits; i++) {
		json_array_append_new(perfkit, entry = json_object());
		json_object_set_new(entry, "name", cli_json_text(e->perfkit[i].name));
		json_object_set_new(entry, "number", json_integer(e->perfkit[i].id));
		json_object_set_new(entry, "domain", json_integer(e->perfkit[i].domain));
		json_object_set_new(entry, "display",
				    cli_json_text(e->perfkit[i].is_ratio ? "ratio" : "raw"));
	}
	json_object_set_new(card, "perfkit", perfkit);
	return card;
}

static json_t *events_json(const struct ntime_event_info *event, size_t n, unsigned int with)
{
	struct cli_columns some = events;
	json_t *rows;

	some.with = with;
	rows = cli_json_rows(&some, event, n, sizeof(*event));
	for (size_t i = 0; i < n; i++)
		if (event[i].card)
			json_object_set_new(json_array_get(rows, i), "card",
					    card_json(event[i].card));
	return rows;
}

void cli_catalog_write_json(FILE *f, const struct cli_catalog_style *style,
			    const struct cli_catalog *c)
{
	json_t *root = cli_json_machine_head(style->version, style->is_simulated, style->emulated);

	if (style->model)
		json_object_set_new(root, "model", cli_json_text(style->model));
	if (style->parts & CLI_METHODS)
		json_object_set_new(root, "methods", cli_catalog_methods(c));
	if (style->parts & CLI_UNITS)
		json_object_set_new(root, "units", cli_catalog_units(c));
	if (style->parts & CLI_EVENTS)
		json_object_set_new(root, "events", events_json(c->event, c->events, 0));
	if (style->parts & CLI_METRICS)
		json_object_set_new(root, "metrics",
				    events_json(c->metric, c->metrics, CLI_METRICS));
	cli_json_write(f, root, 1);
}
