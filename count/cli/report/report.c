// SPDX-License-Identifier: MIT
/* What all writers of a report share. */
#include <stdio.h>
#include <string.h>

#include <ntime/reason.h>

#include "count/cli/report/report.h"

const struct cli_figure_form cli_figure_forms[CLI_FIGURES] = {
	[CLI_REAL] = { "real", "real_ns", NULL, "ns" },
	[CLI_USER] = { "user", "user_ns", NULL, "ns" },
	[CLI_SYS] = { "sys", "sys_ns", NULL, "ns" },
	[CLI_MAX_RSS] = { "max-rss", "max_rss_bytes", "max_rss_bytes_at_most", "bytes" },
	[CLI_MINOR_FAULTS] = { "rusage-minor-faults", "minor_faults", NULL, "" },
	[CLI_MAJOR_FAULTS] = { "rusage-major-faults", "major_faults", NULL, "" },
	[CLI_VOLUNTARY_SWITCHES] = { "rusage-voluntary-switches", "voluntary_switches", NULL, "" },
	[CLI_INVOLUNTARY_SWITCHES] = { "rusage-involuntary-switches", "involuntary_switches", NULL,
				       "" },
	[CLI_IN_BLOCKS] = { "rusage-in-blocks", "in_blocks", NULL, "" },
	[CLI_OUT_BLOCKS] = { "rusage-out-blocks", "out_blocks", NULL, "" },
};

static const struct flag_word {
	uint32_t flag;
	const char *word;
} flag_words[] = {
	{ NTIME_ABSENT, "absent" },	  { NTIME_NOT_COUNTED, "not-counted" },
	{ NTIME_SCALED, "scaled" },	  { NTIME_OVERFLOWED, "overflowed" },
	{ NTIME_SIMULATED, "simulated" }, { NTIME_METRIC, "metric" },
	{ NTIME_PARTIAL, "partial" },	  { NTIME_USER_ONLY, "user-only" },
	{ NTIME_ELSEWHERE, "elsewhere" }, { NTIME_LOST, "lost" },
	{ NTIME_STATE, "state" },	  { NTIME_GONE, "gone" },
	{ NTIME_HOTPLUG, "hotplug" },	  { NTIME_IMPLAUSIBLE, "implausible" },
	{ NTIME_PROC, "proc" },		  { NTIME_EMULATED, "emulated" },
	{ NTIME_AT_MOST, "at-most" },	  { NTIME_BOUNDED, "bounded" },
};

void cli_flag_words_for_each(uint32_t flags, void (*fn)(void *arg, const char *word), void *arg)
{
	for (size_t i = 0; i < sizeof(flag_words) / sizeof(flag_words[0]); i++)
		if (flags & flag_words[i].flag)
			fn(arg, flag_words[i].word);
}

void cli_flag_text_add(void *arg, const char *word)
{
	struct cli_flag_text *flags = arg;
	size_t used = strlen(flags->text);

	(void)snprintf(flags->text + used, sizeof(flags->text) - used, "%s%s", used ? " " : "",
		       word);
}

void cli_flags_for_each(const struct cli_item *item, void (*fn)(void *arg, const char *word),
			void *arg)
{
	cli_flag_words_for_each(item->value.flags | (item->is_metric ? NTIME_METRIC : 0), fn, arg);
	if (item->is_unscaled)
		fn(arg, "unscaled");
	if (item->is_rusage)
		fn(arg, "rusage");
	if (item->is_incomplete)
		fn(arg, "incomplete");
	if (item->is_hidden)
		fn(arg, "hidden");
}

bool cli_item_is_noted(const struct cli_item *item)
{
	switch (item->reason_code) {
	case NTIME_REASON_IMPLAUSIBLE:
	case NTIME_REASON_ERRATUM:
	case NTIME_REASON_EVERY_MODE:
	case NTIME_REASON_ONE_UNIT:
	case NTIME_REASON_OUTLIVED:
		return true;
	case NTIME_REASON_UNKNOWN_EVENT:
		return !item->is_metric;
	default:
		return false;
	}
}

bool cli_item_is_shown(const struct cli_style *style, const struct cli_item *item)
{
	return !item->is_elsewhere && (!item->is_hidden || style->verbose);
}
