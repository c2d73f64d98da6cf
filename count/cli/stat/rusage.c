// SPDX-License-Identifier: MIT
/* Events that the kernel counts for a command and for processes without a counter as well. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/output/memory.h"
#include "count/cli/stat/rusage.h"

#define NONE SIZE_MAX
#define MEMBER(name) offsetof(struct ntime_command_end, name)

/* Linux, include/linux/resource.h (struct rusage) and kernel/events/core.c: what both count. */
static const struct {
	const char *name;
	size_t first, second;
} events[] = {
	{ "task-clock", MEMBER(user_ns), MEMBER(sys_ns) },
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

bool cli_rusage_value(const char *name, const struct ntime_command_end *end, bool is_attached,
		      struct ntime_value *out)
{
	size_t i = 0;
	uint64_t count;

	while (i < sizeof(events) / sizeof(events[0]) && strcmp(events[i].name, name) != 0)
		i++;
	if (i == sizeof(events) / sizeof(events[0]) ||
	    (is_attached && events[i].first == MEMBER(voluntary_switches)))
		return false;
	count = member(end, events[i].first) + member(end, events[i].second);
	*out = (struct ntime_value){ .count = count,
				     .value = (double)count,
				     .scale = 1,
				     .wanted_ns = end->user_ns + end->sys_ns,
				     .counted_ns = end->user_ns + end->sys_ns };
	return true;
}

/* A process with all its threads, or one thread. 0 or -1. */
static int add_stat(const char *path, struct ntime_command_end *sum)
{
	const uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t minor, major, user, sys;
	char line[1024] = "";
	const char *at;
	FILE *f;

	f = cli_fopen(path, "re");
	if (!f)
		return -1;
	/* A name in parentheses may have any character; what follows is fields 3, 4, ... */
	at = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	(void)fclose(f);
	if (!at || sscanf(at,
			  ") %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64 " %*u %" SCNu64
			  " %" SCNu64,
			  &minor, &major, &user, &sys) != 4)
		return -1;
	sum->minor_faults += minor;
	sum->major_faults += major;
	sum->user_ns += user * tick_ns;
	sum->sys_ns += sys * tick_ns;
	return 0;
}

bool cli_rusage_of(const int *pid, size_t n, bool are_threads, struct ntime_command_end *sum)
{
	*sum = (struct ntime_command_end){ .size = sizeof(*sum) };
	for (size_t i = 0; i < n; i++) {
		char path[64];

		if (are_threads)
			(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid[i], pid[i]);
		else
			(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid[i]);
		if (add_stat(path, sum))
			return false;
	}
	return n > 0;
}
