// SPDX-License-Identifier: MIT
/* How far a long reading is: bytes, rate and time left, in one line on the terminal. */
#include <stdio.h>

#include "base/command/wait.h"
#include "trace/cli/trace.h"

/* Shorter work shows nothing. */
#define FIRST_NS UINT64_C(2000000000)

void cli_trace_progress_begin(struct cli_trace_progress *p, uint64_t bytes, bool is_wanted)
{
	*p = (struct cli_trace_progress){ .bytes = bytes };
	cli_progress_init(&p->line, NULL);
	p->line.is_on = p->line.is_on && is_wanted;
	p->line.next_ns = p->line.began_ns + FIRST_NS;
}

static void put_bytes(char *out, size_t room, double bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB" };
	size_t unit = 0;

	for (; bytes >= 1000 && unit < 5; unit++)
		bytes /= 1000;
	snprintf(out, room, "%.*f %s", unit && bytes < 100 ? 1 : 0, bytes, units[unit]);
}

static void put_left(char *out, size_t room, double seconds)
{
	if (seconds >= 3600)
		snprintf(out, room, "%.0f h %02.0f min left", (double)(long)(seconds / 3600),
			 (seconds - 3600 * (double)(long)(seconds / 3600)) / 60);
	else if (seconds >= 60)
		snprintf(out, room, "%ld min %02ld s left", (long)seconds / 60, (long)seconds % 60);
	else
		snprintf(out, room, "%ld s left", (long)seconds + 1);
}

void cli_trace_progress_at(struct cli_trace_progress *p, uint64_t position)
{
	char done[32], all[32], speed[32], left[48], line[256];
	double rate;

	if (!cli_progress_is_due(&p->line))
		return;
	rate = (double)position / ((double)(cli_now_ns() - p->line.began_ns) / 1e9);
	put_bytes(done, sizeof(done), (double)position);
	put_bytes(speed, sizeof(speed), rate);
	if (p->bytes >= position && p->bytes) {
		put_bytes(all, sizeof(all), (double)p->bytes);
		put_left(left, sizeof(left), rate > 0 ? (double)(p->bytes - position) / rate : 0);
		(void)snprintf(line, sizeof(line), "%s of %s (%.0f %%), %s/s, %s", done, all,
			       100.0 * (double)position / (double)p->bytes, speed, left);
	} else {
		(void)snprintf(line, sizeof(line), "%s, %s/s", done, speed);
	}
	cli_progress_put(&p->line, line);
}
