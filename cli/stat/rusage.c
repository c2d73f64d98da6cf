// SPDX-License-Identifier: MIT
/* Events that wait4(2) counts as well. */
#include <stddef.h>
#include <string.h>

#include "cli/stat/rusage.h"

#define NONE SIZE_MAX
#define MEMBER(name) offsetof(struct ntime_command_end, name)

/* Linux, include/linux/resource.h (struct rusage) and kernel/events/core.c: what both count. */
static const struct {
	const char *name;
	size_t first, second;
} events[] = {
	{ "context-switches", MEMBER(voluntary_switches), MEMBER(involuntary_switches) },
	{ "cs", MEMBER(voluntary_switches), MEMBER(involuntary_switches) },
	{ "page-faults", MEMBER(minor_faults), MEMBER(major_faults) },
	{ "faults", MEMBER(minor_faults), MEMBER(major_faults) },
	{ "minor-faults", MEMBER(minor_faults), NONE },
	{ "major-faults", MEMBER(major_faults), NONE },
};

static uint64_t member(const struct ntime_command_end *end, size_t offset)
{
	uint64_t value = 0;

	if (offset != NONE)
		memcpy(&value, (const char *)end + offset, sizeof(value));
	return value;
}

bool cli_rusage_value(const char *name, const struct ntime_command_end *end,
		      struct ntime_value *out)
{
	size_t i = 0;
	uint64_t count;

	while (i < sizeof(events) / sizeof(events[0]) && strcmp(events[i].name, name) != 0)
		i++;
	if (i == sizeof(events) / sizeof(events[0]))
		return false;
	count = member(end, events[i].first) + member(end, events[i].second);
	*out = (struct ntime_value){ .count = count,
				     .value = (double)count,
				     .scale = 1,
				     .wanted_ns = end->user_ns + end->sys_ns,
				     .counted_ns = end->user_ns + end->sys_ns };
	return true;
}
