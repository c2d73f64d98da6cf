// SPDX-License-Identifier: MIT
/* A catalog as CSV: a row per way, unit, event and metric. */
#include "cli/list/catalog.h"
#include "cli/output/csv.h"

static void put_row(FILE *f, const char *const *fields, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			putc(',', f);
		cli_csv_put(f, fields[i]);
	}
	putc('\n', f);
}

#define PUT(f, ...) put_row(f, (const char *const[]){ __VA_ARGS__ }, 10)

static const char *word(uint32_t usable)
{
	return usable ? "yes" : "no";
}

void cli_catalog_write_csv(FILE *f, const struct cli_catalog_style *style,
			   const struct cli_catalog *c)
{
	PUT(f, "kind", "name", "unit_name", "usable", "unit", "formula", "desc", "reason", "remedy",
	    "group");
	for (size_t i = 0; (style->parts & CLI_WAYS) && i < c->methods; i++)
		PUT(f, "method", c->method[i].name, "", word(c->method[i].usable), "", "",
		    c->method[i].reaches, c->method[i].reason, c->method[i].remedy, "");
	for (size_t i = 0; (style->parts & CLI_UNITS) && i < c->units; i++)
		PUT(f, "unit", c->unit[i].name, c->unit[i].name, word(c->unit[i].usable), "", "",
		    c->unit[i].desc, c->unit[i].reason, c->unit[i].remedy, "");
	for (size_t i = 0; (style->parts & CLI_EVENTS) && i < c->events; i++)
		PUT(f, "event", c->event[i].name, c->event[i].unit, word(c->event[i].usable),
		    c->event[i].unit_text, "", c->event[i].desc, c->event[i].reason,
		    c->event[i].remedy, "");
	for (size_t i = 0; (style->parts & CLI_METRICS) && i < c->metrics; i++)
		PUT(f, "metric", c->metric[i].name, "", word(c->metric[i].usable),
		    c->metric[i].unit_text, c->metric[i].formula, c->metric[i].desc,
		    c->metric[i].reason, c->metric[i].remedy, c->metric[i].group);
}
