// SPDX-License-Identifier: MIT
/* The report of who asked for nothing. */
#include <string.h>

#include "base/output/number.h"
#include "count/cli/report/brief.h"

static const struct cli_brief rows[] = {
	{ "CPU-use", NULL, "% CPU use", "CPU use" },
	{ "cycles", NULL, "cycles", "cycles", .metric = "GHz", .words = " GHz" },
	{ "instructions", NULL, "instructions", "instructions", .metric = "IPC",
	  .words = " per cycle" },
	{ "branches", NULL, "branches", "branches", .part = "branch-misses",
	  .metric = "branch-miss-ratio", .words = " % mispredicted" },
	{ "cache-references", NULL, "cache accesses", "caches", .part = "cache-misses",
	  .metric = "cache-miss-ratio", .words = " % missed" },
	{ "page-faults", "proc/page-faults/", "page faults", "page faults",
	  .figure = CLI_MAJOR_FAULTS, .words = " from disk" },
	{ "context-switches", "proc/context-switches/", "switches", "switches",
	  .figure = CLI_INVOLUNTARY_SWITCHES, .words = " involuntary" },
	{ "gpu_busy_percent", NULL, "% GPU busy", "GPU", .metric = "gpu_idle_percent",
	  .words = " % idle" },
};

const struct cli_brief *cli_brief_at(size_t i)
{
	return i < sizeof(rows) / sizeof(rows[0]) ? &rows[i] : NULL;
}

const struct cli_item *cli_report_find(const struct cli_report *r, const char *name)
{
	for (size_t i = 0; i < r->items; i++)
		if (strcmp(r->item[i].name, name) == 0)
			return &r->item[i];
	return NULL;
}

const struct cli_item *cli_brief_item(const struct cli_report *r, const struct cli_brief *row)
{
	const struct cli_item *item = cli_report_find(r, row->event), *other = NULL;

	if (row->other && (!item || item->value.flags & NTIME_ABSENT))
		other = cli_report_find(r, row->other);
	return other && !(other->value.flags & NTIME_ABSENT) ? other : item;
}

/* wait4(2) counts from fork on: where its part is more than the whole, it is of another time. */
static bool is_part(const struct cli_spread *part, const struct cli_item *whole)
{
	return part->n && whole && part->mean <= whole->value.value;
}

void cli_brief_comment(const struct cli_report *r, const struct cli_brief *row, const char *mark,
		       char text[CLI_BRIEF_CHARS])
{
	const struct cli_spread *figure = &r->figure[row->figure];
	const struct cli_item *metric;

	*text = '\0';
	if (row->metric) {
		metric = cli_report_find(r, row->metric);
		if (metric && cli_value_is_known(&metric->value))
			snprintf(text, CLI_BRIEF_CHARS, "%s%.3g%s", mark, metric->value.value,
				 row->words);
	} else if (!*r->target && is_part(figure, cli_report_find(r, row->event))) {
		snprintf(text, CLI_BRIEF_CHARS, "%s%s", cli_number_grouped(figure->mean, 0).text,
			 row->words);
	}
}
