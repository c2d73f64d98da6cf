// SPDX-License-Identifier: MIT
/* A catalog on one screen: what can be counted, and where the rest is. */
#include <stdlib.h>
#include <string.h>

#include <ntime/reason.h>

#include "count/cli/list/catalog.h"
#include "base/output/absence.h"
#include "base/output/clean.h"
#include "base/output/emulated.h"
#include "base/output/memory.h"

#define EVENTS_SHOWN 14
/* So many of one unit, where others have some as well. */
#define EVENTS_OF_UNIT 10
#define UNITS_NAMED 4
#define DESC_COLUMNS 30 /* less room is none */

/* The usable events of a unit. */
struct share {
	const struct ntime_unit_info *unit;
	size_t usable;
	size_t shown;
};

static bool is_of(const struct ntime_event_info *e, const struct ntime_unit_info *unit)
{
	return e->usable && strcmp(e->unit, unit->name) == 0;
}

/* How many of each unit are shown: up to EVENTS_OF_UNIT, and more where there is room left. */
static void share_out(struct share *share, size_t n)
{
	size_t left = EVENTS_SHOWN;

	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < n; i++) {
			size_t more = share[i].usable;

			if (!round && more > EVENTS_OF_UNIT)
				more = EVENTS_OF_UNIT;

			more = more > share[i].shown ? more - share[i].shown : 0;
			more = more > left ? left : more;
			share[i].shown += more;
			left -= more;
		}
	}
}

static size_t name_columns(const struct cli_catalog *c, const struct share *share, size_t n)
{
	size_t columns = 0;

	for (size_t i = 0; i < n; i++) {
		size_t shown = 0;

		for (size_t k = 0; k < c->events && shown < share[i].shown; k++) {
			size_t used = cli_text_columns(c->event[k].name);

			if (!is_of(&c->event[k], share[i].unit))
				continue;
			shown++;
			columns = used > columns ? used : columns;
		}
	}
	return columns;
}

/* To @columns, the last three of which then say so. */
static void cut(char *text, size_t columns)
{
	size_t bytes = 0;

	if (cli_text_columns(text) <= columns)
		return;
	while (text[bytes] && cli_text_columns_n(text, bytes + 1) <= columns - 3)
		bytes++;
	memcpy(text + bytes, "...", 4);
}

/* On one line. */
static void put_event(FILE *f, const struct cli_look *look, const struct ntime_event_info *e,
		      size_t columns)
{
	size_t used = 2 + columns + 2;
	char text[512];

	snprintf(text, sizeof(text), "%s%s%s%s", e->desc, *e->unit_text ? " [" : "", e->unit_text,
		 *e->unit_text ? "]" : "");
	fprintf(f, "  %s", cli_clean(e->name));
	if (look->width >= used + DESC_COLUMNS) {
		fprintf(f, "%*s", (int)(columns + 2 - cli_text_columns(e->name)), "");
		cut(text, look->width - used);
		fputs(cli_clean(text), f);
	}
	putc('\n', f);
}

static void put_shown(FILE *f, const struct cli_look *look, const struct cli_catalog *c,
		      const struct share *share, size_t n)
{
	size_t columns = name_columns(c, share, n);

	for (size_t i = 0; i < n; i++) {
		size_t shown = 0;

		for (size_t k = 0; k < c->events && shown < share[i].shown; k++) {
			if (!is_of(&c->event[k], share[i].unit))
				continue;
			put_event(f, look, &c->event[k], columns);
			shown++;
		}
	}
}

/* "More: 26 of cpu, 1,200 of uncore_imc and 8 other units: ntime list UNIT" */
static void put_more(FILE *f, const struct cli_look *look, const struct share *share, size_t n)
{
	size_t units = 0, first = 0;
	struct cli_text text;
	char *line;

	cli_text_begin(&text);
	for (size_t i = 0; i < n; i++) {
		size_t more = share[i].usable - share[i].shown;

		if (!more || units++ >= UNITS_NAMED)
			continue;
		first = units == 1 ? i : first;
		fprintf(text.f, "%s%zu of %s", units > 1 ? ", " : "More: ", more,
			share[i].unit->name);
	}
	if (units > UNITS_NAMED)
		fprintf(text.f, " and of %zu other units", units - UNITS_NAMED);
	if (units)
		fprintf(text.f, " (ntime list %s)", share[first].unit->name);
	line = cli_text_end(&text);
	if (text.bytes)
		cli_wrap(f, look, 0, 6, line);
	free(line);
}

/* Units of which nothing can be counted, each reason once. */
static void put_missing(FILE *f, const struct cli_look *look, const struct cli_catalog *c)
{
	for (size_t i = 0; i < c->all_units; i++) {
		const struct ntime_unit_info *unit = &c->unit[i];
		const struct cli_absence absence = { .reason_code = unit->reason_code,
						     .cause = unit->reason };
		size_t events = 0;
		char line[512];

		for (size_t k = 0; k < c->events; k++)
			events += strcmp(c->event[k].unit, unit->name) == 0;
		if (unit->usable || !events)
			continue;
		snprintf(line, sizeof(line), "Not here: %zu of %s, %s (ntime doctor)", events,
			 unit->name, cli_absence_short(&absence));
		cli_wrap(f, look, 0, 6, line);
	}
}

void cli_catalog_write_overview(FILE *f, const struct cli_catalog_style *style,
				const struct cli_catalog *c)
{
	size_t usable = cli_catalog_usable(c->event, c->events);
	size_t metrics = cli_catalog_usable(c->metric, c->metrics);
	struct share *share = cli_calloc(c->all_units + 1, sizeof(*share));
	size_t n = 0;

	cli_catalog_put_head(f, style);
	for (size_t i = 0; i < c->all_units; i++) {
		share[n].unit = &c->unit[i];
		share[n].usable = 0;
		for (size_t k = 0; k < c->events; k++)
			share[n].usable += is_of(&c->event[k], &c->unit[i]);
		n += share[n].usable > 0;
	}
	share_out(share, n);
	fprintf(f, "%s%zu %s can be counted here%s\n", cli_colour(&style->look, CLI_BOLD), usable,
		usable == 1 ? "event" : "events", cli_colour(&style->look, CLI_PLAIN));
	put_shown(f, &style->look, c, share, n);
	put_more(f, &style->look, share, n);
	fprintf(f, "Metrics: %zu of %zu (ntime list --metrics)\n", metrics, c->metrics);
	put_missing(f, &style->look, c);
	fprintf(f, "Everything, with reasons: ntime list --all\n");
	free(share);
}
