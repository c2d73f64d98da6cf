// SPDX-License-Identifier: MIT
/* What ntime doctor found, as text and as JSON. */
#include <stdlib.h>
#include <string.h>

#include "count/cli/list/catalog.h"
#include "count/cli/doctor/report.h"
#include "base/output/absence.h"
#include "base/output/clean.h"
#include "base/output/memory.h"

static void put_words(FILE *f, const struct cli_look *look, size_t indent, const char *title,
		      const char *text)
{
	fprintf(f, "%*s%s", (int)indent, "", cli_clean(title));
	cli_wrap(f, look, indent + cli_text_columns(title), indent + 2, text);
}

static void put_machine(FILE *f, const struct cli_doctor_style *style)
{
	const struct ntime_topology *t = &style->topology;
	const struct {
		unsigned int n;
		const char *what;
	} parts[] = { { t->cores, "core" }, { t->packages, "package" }, { t->nodes, "NUMA node" } };
	char line[256];
	size_t used;

	if (!style->has_topology && style->why_no_topology)
		put_words(f, &style->look, 0, "Machine: ", style->why_no_topology);
	if (!style->has_topology)
		return;
	used = (size_t)snprintf(line, sizeof(line), "%u CPU%s, %u on line", t->cpus,
				t->cpus == 1 ? "" : "s", t->online_cpus);
	/* 0: not known. */
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].n)
			used += (size_t)snprintf(line + used, sizeof(line) - used, "%s %u %s%s",
						 i ? "," : ";", parts[i].n, parts[i].what,
						 parts[i].n == 1 ? "" : "s");
	put_words(f, &style->look, 0, "Machine: ", line);
}

/* That there is none is no problem of a machine, and yet somebody may wonder. */
static void put_cards(FILE *f, const struct cli_doctor_style *style, const struct cli_catalog *c)
{
	char line[512];
	size_t cards = 0;

	for (size_t i = 0; i < c->units; i++) {
		const struct ntime_unit_info *u = &c->unit[i];

		if (strncmp(u->name, "gpu", 3) != 0)
			continue;
		if (u->usable)
			snprintf(line, sizeof(line), "%s, %s, can be counted", u->name, u->desc);
		else
			snprintf(line, sizeof(line), "%s, %s: %s; remedy: %s", u->name, u->desc,
				 u->reason, u->remedy);
		put_words(f, &style->look, 0, "Graphics cards: ", line);
		cards++;
	}
	for (size_t i = 0; i < c->methods && !cards; i++) {
		const struct ntime_method_info *w = &c->method[i];

		if (strcmp(w->name, "model") != 0)
			continue;
		snprintf(line, sizeof(line), "none: %s; remedy: %s", w->reason, w->remedy);
		put_words(f, &style->look, 0, "Graphics cards: ", line);
	}
}

/* Characters of @name before its number: 11 of "uncore_cha_27"; all of them when it has none. */
static size_t chars_before_number(const char *name)
{
	size_t n = strlen(name);

	while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	return n && name[n - 1] == '_' ? n : strlen(name);
}

static bool is_next_of(const char *name, const char *next)
{
	size_t n = chars_before_number(name);

	return name[n] && chars_before_number(next) == n && strncmp(name, next, n) == 0 &&
	       strtoul(next + n, NULL, 10) == strtoul(name + n, NULL, 10) + 1;
}

/* "cpu, uncore_cha_0..27", NULL: there is none; caller frees. */
static char *units_with(const struct cli_catalog *c, bool is_usable)
{
	const char *last = "", *name;
	size_t n = 0, in_row = 0;
	struct cli_text text;

	cli_text_begin(&text);
	for (size_t i = 0; i < c->units; i++) {
		name = c->unit[i].name;
		if (!c->unit[i].usable == is_usable ||
		    (!is_usable && c->unit[i].reason_code == NTIME_REASON_NOT_SUPPORTED))
			continue;
		/* Large machines have dozens of some kind. */
		if (is_next_of(last, name)) {
			in_row++;
		} else {
			if (in_row)
				fprintf(text.f, "..%s", last + chars_before_number(last));
			fprintf(text.f, "%s%s", n++ ? ", " : "", name);
			in_row = 0;
		}
		last = name;
	}
	if (in_row)
		fprintf(text.f, "..%s", last + chars_before_number(last));
	(void)cli_text_end(&text);
	if (!n)
		free(text.text);
	return n ? text.text : NULL;
}

/* "You can count 14 of 56 events, of software, clock; you cannot count cpu: 1, 2." */
static void put_verdict(FILE *f, const struct cli_doctor_style *style, const struct cli_catalog *c)
{
	char *can = units_with(c, true), *cannot = units_with(c, false), *line;
	struct cli_text text;

	cli_text_begin(&text);
	fprintf(text.f, "You can count %zu of %zu events", cli_catalog_usable(c->event, c->events),
		c->events);
	if (can)
		fprintf(text.f, ", of %s", can);
	if (cannot)
		fprintf(text.f, "; you cannot count %s", cannot);
	else if (c->problems)
		fputs("; you cannot read all that is here", text.f);
	for (size_t i = 0; i < c->problems; i++)
		fprintf(text.f, "%s%zu", i ? ", " : ": ", i + 1);
	fputs(".", text.f);
	line = cli_text_end(&text);
	put_words(f, &style->look, 0, "", line);
	free(line);
	free(can);
	free(cannot);
}

static void put_problems(FILE *f, const struct cli_doctor_style *style, const struct cli_catalog *c)
{
	char title[32];

	if (!c->problems) {
		fprintf(f, "\n%sNo problems found.%s\n", cli_colour(&style->look, CLI_GOOD),
			cli_colour(&style->look, CLI_PLAIN));
		return;
	}
	putc('\n', f);
	fputs("Problems:\n", f);
	for (size_t i = 0; i < c->problems; i++) {
		const struct ntime_problem *o = &c->problem[i];

		snprintf(title, sizeof(title), "%zu. ", i + 1);
		put_words(f, &style->look, 2, title, o->what);
		put_words(f, &style->look, 5, "", o->reason);
		put_words(f, &style->look, 5,
			  o->remedy_kind == NTIME_REMEDY_ELSEWHERE
				  ? "remedy (outside of this machine): "
				  : "remedy: ",
			  o->remedy);
	}
}

void cli_doctor_write_text(FILE *f, const struct cli_doctor_style *style,
			   const struct cli_catalog *c)
{
	struct cli_catalog_style all = {
		.look = style->look,
		.parts = CLI_METHODS | CLI_UNITS,
		.verbose = style->verbose,
		.version = style->version,
		.emulated = style->emulated,
		.is_simulated = style->is_simulated,
	};

	cli_catalog_put_head(f, &all);
	all.emulated = NULL;
	all.is_simulated = false;
	put_verdict(f, style, c);
	put_machine(f, style);
	if (!style->is_simulated)
		put_cards(f, style, c);
	if (style->verbose) {
		putc('\n', f);
		cli_catalog_write_text(f, &all, c);
	}
	put_problems(f, style, c);
}

#define OBSTACLE(member, kind) CLI_OF(struct ntime_problem, member, kind)
static const struct cli_column problem_columns[] = {
	{ "what", OBSTACLE(what, TEXT) },
	{ "reason", OBSTACLE(reason, TEXT) },
	{ "remedy", OBSTACLE(remedy, TEXT) },
	CLI_ABSENCE_COLUMNS(OBSTACLE, struct ntime_problem),
};

#define TOPOLOGY(member) CLI_OF(struct ntime_topology, member, COUNT)
static const struct cli_column topology_columns[] = {
	{ "cpus", TOPOLOGY(cpus) },   { "online_cpus", TOPOLOGY(online_cpus) },
	{ "cores", TOPOLOGY(cores) }, { "packages", TOPOLOGY(packages) },
	{ "nodes", TOPOLOGY(nodes) },
};

void cli_doctor_write_json(FILE *f, const struct cli_doctor_style *style,
			   const struct cli_catalog *c)
{
	static const struct cli_columns problems = {
		.column = problem_columns, .n = sizeof(problem_columns) / sizeof(problem_columns[0])
	};
	static const struct cli_columns topology = { .column = topology_columns, .n = 5 };
	json_t *root = cli_json_machine_head(style->version, style->is_simulated, style->emulated);

	if (style->has_topology)
		json_object_set_new(root, "topology", cli_json_struct(&topology, &style->topology));
	json_object_set_new(root, "events", cli_json_count(c->events));
	json_object_set_new(root, "usable_events",
			    cli_json_count(cli_catalog_usable(c->event, c->events)));
	json_object_set_new(root, "methods", cli_catalog_methods(c));
	json_object_set_new(root, "units", cli_catalog_units(c));
	json_object_set_new(root, "problems",
			    cli_json_rows(&problems, c->problem, c->problems, sizeof(*c->problem)));
	cli_json_write(f, root, 1);
}
