// SPDX-License-Identifier: MIT
/* A catalog for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "count/cli/list/catalog.h"
#include "base/output/clean.h"
#include "base/output/emulated.h"
#include "base/output/memory.h"

#define NAME_COLUMNS 30

/* "  name    description", the description wrapped in its own column. */
static void put_entry(FILE *f, const struct cli_look *look, const char *mark, const char *name,
		      const char *desc)
{
	size_t column = look->width < 60 ? 6 : NAME_COLUMNS + 4;
	size_t used = 2 + cli_text_columns(mark) + cli_text_columns(name);

	fprintf(f, "  %s", mark);
	cli_print_safe(f, name);
	if (!*desc) {
		putc('\n', f);
		return;
	}
	if (used + 2 > column) {
		putc('\n', f);
		used = 0;
	}
	fprintf(f, "%*s", (int)(column - used), "");
	cli_wrap(f, look, column, column, desc);
}

static void put_hint(FILE *f, const struct cli_look *look, const char *title, const char *text)
{
	size_t indent = 6;

	if (!*text)
		return;
	fprintf(f, "%*s%s%s%s ", (int)indent, "", cli_colour(look, CLI_WARN), title,
		cli_colour(look, CLI_PLAIN));
	cli_wrap(f, look, indent + strlen(title) + 1, indent + 2, text);
}

static void put_title(FILE *f, const struct cli_look *look, bool *is_next, const char *title)
{
	if (*is_next)
		putc('\n', f);
	*is_next = true;
	fprintf(f, "%s%s%s\n", cli_colour(look, CLI_BOLD), cli_clean(title),
		cli_colour(look, CLI_PLAIN));
}

static void put_methods(FILE *f, const struct cli_catalog_style *style, const struct cli_catalog *c,
			bool *is_next)
{
	put_title(f, &style->look, is_next, "Access methods");
	for (size_t i = 0; i < c->methods; i++) {
		const struct ntime_method_info *w = &c->method[i];

		put_entry(f, &style->look, w->usable ? "" : "(not here) ", w->name, w->reaches);
		put_hint(f, &style->look, "a read costs:", w->cost);
		put_hint(f, &style->look, w->usable ? "limit:" : "reason:", w->reason);
		put_hint(f, &style->look, "remedy:", w->remedy);
	}
}

/* "core PMU (perf; CPUs 0-3; 4 counters and 3 fixed ones)" */
static void describe_unit(char *text, size_t size, const struct ntime_unit_info *u)
{
	char counters[64] = "", fixed[64] = "";

	if (u->counters)
		snprintf(counters, sizeof(counters), "; %u counters", u->counters);
	if (u->fixed)
		snprintf(fixed, sizeof(fixed), "%s%u fixed", u->counters ? " and " : "; ",
			 u->fixed);
	snprintf(text, size, "%s (%s%s%s%s%s)", u->desc,
		 *u->method ? u->method : "no access method", *u->cpus ? "; CPUs " : "", u->cpus,
		 counters, fixed);
}

static void put_units(FILE *f, const struct cli_catalog_style *style, const struct cli_catalog *c,
		      bool *is_next)
{
	put_title(f, &style->look, is_next, "Units");
	for (size_t i = 0; i < c->units; i++) {
		const struct ntime_unit_info *u = &c->unit[i];
		char text[512];

		describe_unit(text, sizeof(text), u);
		put_entry(f, &style->look, u->usable ? "" : "(not here) ", u->name, text);
		put_hint(f, &style->look, "reason:", u->reason);
		put_hint(f, &style->look, "remedy:", u->remedy);
	}
}

static const struct ntime_unit_info *unit_of(const struct cli_catalog *c, const char *name)
{
	for (size_t i = 0; i < c->all_units; i++)
		if (strcmp(c->unit[i].name, name) == 0)
			return &c->unit[i];
	return NULL;
}

/* "domain 2, 2 counters, 3 passes; PROP 0x1c, ...", the words, and who says so. */
static void put_card(FILE *f, const struct cli_look *look, const struct ntime_card_event *e)
{
	char text[1024];
	size_t n = 0;

	if (e->control)
		snprintf(text, sizeof(text),
			 "a slot of the multiprocessors, in a context; MP_PM_CONTROL[0] = "
			 "%#010" PRIx32,
			 e->control);
	else
		n = (size_t)snprintf(text, sizeof(text), "domain %u, %u counter%s, %u pass%s",
				     e->domain, e->counters, e->counters == 1 ? "" : "s", e->passes,
				     e->passes == 1 ? "" : "es");
	for (size_t i = 0; i < e->muxes && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %s = %#" PRIx64,
				      i ? "," : ";", e->mux[i].name, e->mux[i].value);
	put_hint(f, look, "takes:", text);
	put_hint(f, look, "terms:", e->terms);
	snprintf(text, sizeof(text), "%#" PRIx64, e->conflicts);
	put_hint(f, look, "conflicts:", text);
	snprintf(text, sizeof(text), "%s; %s", e->trust, e->source);
	put_hint(f, look, "trust:", text);
	for (size_t i = 0; i < e->perfkits; i++) {
		const struct ntime_card_perfkit *k = &e->perfkit[i];

		snprintf(text, sizeof(text), "%s, number %u, %s", k->name, k->id,
			 k->is_ratio ? "ratio" : "raw");
		put_hint(f, look, "NVPerfKit:", text);
	}
}

static void put_event(FILE *f, const struct cli_catalog_style *style, const struct cli_catalog *c,
		      const struct ntime_event_info *e)
{
	const struct ntime_unit_info *unit = unit_of(c, e->unit);
	/* What holds for the whole unit is said in its title. */
	bool is_own = !e->usable && !(unit && !unit->usable);
	char text[1024];

	snprintf(text, sizeof(text), "%s%s%s%s", e->desc, *e->unit_text ? " [" : "", e->unit_text,
		 *e->unit_text ? "]" : "");
	put_entry(f, &style->look, is_own && !style->model ? "(not here) " : "", e->name, text);
	if (style->verbose && *e->formula)
		put_hint(f, &style->look, "formula:", e->formula);
	if (style->verbose && e->card)
		put_card(f, &style->look, e->card);
	if (style->verbose && is_own && !style->model) {
		put_hint(f, &style->look, "reason:", e->reason);
		put_hint(f, &style->look, "remedy:", e->remedy);
	}
}

static void put_unit_title(FILE *f, const struct cli_catalog_style *style,
			   const struct cli_catalog *c, const char *name, bool *is_next)
{
	const struct ntime_unit_info *unit = unit_of(c, name);
	char title[512];

	if (style->model)
		snprintf(title, sizeof(title), "Events of model %s", style->model);
	else if (!unit)
		snprintf(title, sizeof(title), "Events of %s", name);
	else
		snprintf(title, sizeof(title), "Events of %s: %s", name,
			 unit->usable ? *unit->method ? unit->method : "usable" : "not here");
	put_title(f, &style->look, is_next, title);
	if (unit && !unit->usable && !style->model) {
		put_hint(f, &style->look, "reason:", unit->reason);
		put_hint(f, &style->look, "remedy:", unit->remedy);
	}
}

/* Events grouped by unit, units in the order in which they come first. */
static void put_events(FILE *f, const struct cli_catalog_style *style, const struct cli_catalog *c,
		       bool *is_next)
{
	for (size_t i = 0; i < c->events; i++) {
		bool is_new = true;

		for (size_t k = i; k-- > 0 && is_new;)
			is_new = strcmp(c->event[k].unit, c->event[i].unit) != 0;
		if (!is_new)
			continue;
		put_unit_title(f, style, c, c->event[i].unit, is_next);
		for (size_t k = i; k < c->events; k++)
			if (strcmp(c->event[k].unit, c->event[i].unit) == 0)
				put_event(f, style, c, &c->event[k]);
	}
}

/* Is metric @i the first of its group? */
static bool begins_group(const struct cli_catalog *c, size_t i)
{
	for (size_t k = i; k-- > 0;)
		if (strcmp(c->metric[k].group, c->metric[i].group) == 0)
			return false;
	return true;
}

/* Metrics by group, groups in the order in which they come first. */
static void put_metrics(FILE *f, const struct cli_catalog_style *style, const struct cli_catalog *c,
			bool *is_next)
{
	for (size_t i = 0; i < c->metrics; i++) {
		const char *group = c->metric[i].group;
		char title[256];

		if (!begins_group(c, i))
			continue;
		snprintf(title, sizeof(title), "Metrics%s%s", *group ? " of group " : "", group);
		put_title(f, &style->look, is_next, title);
		for (size_t k = i; k < c->metrics; k++)
			if (strcmp(c->metric[k].group, group) == 0)
				put_event(f, style, c, &c->metric[k]);
	}
}

void cli_catalog_put_head(FILE *f, const struct cli_catalog_style *style)
{
	if (style->is_simulated)
		fprintf(f, "%sSIMULATED: this is a recorded machine, not this one%s\n",
			cli_colour(&style->look, CLI_BAD), cli_colour(&style->look, CLI_PLAIN));
	cli_emulated_put(f, &style->look, style->emulated);
}

void cli_catalog_write_text(FILE *f, const struct cli_catalog_style *style,
			    const struct cli_catalog *c)
{
	bool is_next = style->is_simulated || style->emulated;

	cli_catalog_put_head(f, style);
	if ((style->parts & CLI_METHODS) && c->methods)
		put_methods(f, style, c, &is_next);
	if ((style->parts & CLI_UNITS) && c->units)
		put_units(f, style, c, &is_next);
	if (style->parts & CLI_EVENTS)
		put_events(f, style, c, &is_next);
	if (style->parts & CLI_METRICS)
		put_metrics(f, style, c, &is_next);
}

void cli_catalog_write_names(FILE *f, const struct cli_catalog *c)
{
	for (size_t i = 0; i < c->events; i++)
		fprintf(f, "%s\n", cli_clean(c->event[i].name));
	for (size_t i = 0; i < c->metrics; i++)
		fprintf(f, "%s\n", cli_clean(c->metric[i].name));
	for (size_t i = 0; i < c->metrics; i++)
		if (*c->metric[i].group && begins_group(c, i))
			fprintf(f, "%s\n", cli_clean(c->metric[i].group));
}

static int compare_numbers(const void *a, const void *b)
{
	const struct ntime_card_perfkit *const *x = a, *const *y = b;

	return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

void cli_catalog_write_perfkit(FILE *f, const struct cli_catalog *c)
{
	const struct ntime_card_perfkit **sorted;
	size_t n = 0;

	for (size_t i = 0; i < c->events; i++)
		n += c->event[i].card ? c->event[i].card->perfkits : 0;
	sorted = cli_malloc((n + 1) * sizeof(*sorted));
	n = 0;
	for (size_t i = 0; i < c->events; i++)
		for (size_t k = 0; c->event[i].card && k < c->event[i].card->perfkits; k++)
			sorted[n++] = &c->event[i].card->perfkit[k];
	qsort(sorted, n, sizeof(*sorted), compare_numbers);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s\n", cli_clean(sorted[i]->name));
	free(sorted);
}
