// SPDX-License-Identifier: MIT
/* Where and when something was measured. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/output/stamp.h"

#define SECOND 1000000000u

const char *cli_host_name(void)
{
	static struct utsname machine;

	if (!*machine.nodename && uname(&machine))
		return "";
	return machine.nodename;
}

uint64_t cli_wall_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static struct tm local(uint64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / SECOND);
	struct tm t = { 0 };

	(void)localtime_r(&seconds, &t);
	return t;
}

/* Milliseconds, if wanted, and @end behind what is there. */
static void add(struct cli_stamp *out, uint64_t wall_ns, bool has_ms, const char *end)
{
	size_t n = strlen(out->text);

	if (has_ms)
		n += (size_t)snprintf(out->text + n, sizeof(out->text) - n, ".%03u",
				      (unsigned int)(wall_ns % SECOND / 1000000));
	snprintf(out->text + n, sizeof(out->text) - n, "%s", end);
}

struct cli_stamp cli_stamp_utc(uint64_t wall_ns, bool has_ms)
{
	time_t seconds = (time_t)(wall_ns / SECOND);
	struct cli_stamp out = { "" };
	struct tm t = { 0 };

	(void)gmtime_r(&seconds, &t);
	(void)strftime(out.text, sizeof(out.text), "%Y-%m-%dT%H:%M:%S", &t);
	add(&out, wall_ns, has_ms, "Z");
	return out;
}

struct cli_stamp cli_stamp_clock(uint64_t wall_ns, bool has_ms)
{
	struct tm t = local(wall_ns);
	struct cli_stamp out = { "" };

	(void)strftime(out.text, sizeof(out.text), "%H:%M:%S", &t);
	add(&out, wall_ns, has_ms, "");
	return out;
}

struct cli_stamp cli_stamp_day(uint64_t wall_ns)
{
	struct tm t = local(wall_ns);
	struct cli_stamp out = { "" };

	(void)strftime(out.text, sizeof(out.text), "%Y-%m-%d %z", &t);
	return out;
}
