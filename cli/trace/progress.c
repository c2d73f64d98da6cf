// SPDX-License-Identifier: MIT
/* How far a long reading is: bytes, rate and time left, in one line on the terminal. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/trace/trace.h"

/* Shorter work shows nothing. */
#define FIRST_NS UINT64_C(2000000000)
#define AGAIN_NS UINT64_C(250000000)

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void cli_progress_begin(struct cli_progress *p, const char *path, uint64_t bytes, bool is_wanted)
{
	*p = (struct cli_progress){ .path = path, .bytes = bytes, .start_ns = now_ns() };
	p->is_wanted = is_wanted && isatty(STDERR_FILENO);
	p->next_ns = p->start_ns + FIRST_NS;
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

static void show(struct cli_progress *p, uint64_t position, uint64_t now)
{
	double seconds = (double)(now - p->start_ns) / 1e9, rate = (double)position / seconds;
	char done[32], all[32], speed[32], left[48], line[256];
	struct cli_look look = cli_look_at(STDERR_FILENO);
	int n;

	put_bytes(done, sizeof(done), (double)position);
	put_bytes(speed, sizeof(speed), rate);
	if (p->bytes >= position && p->bytes) {
		put_bytes(all, sizeof(all), (double)p->bytes);
		put_left(left, sizeof(left), rate > 0 ? (double)(p->bytes - position) / rate : 0);
		n = snprintf(line, sizeof(line), "%s of %s (%.0f %%), %s/s, %s", done, all,
			     100.0 * (double)position / (double)p->bytes, speed, left);
	} else {
		n = snprintf(line, sizeof(line), "%s, %s/s", done, speed);
	}
	/* A line that is broken by the terminal could not be written over. */
	if (n >= (int)look.width)
		n = (int)look.width - 1;
	fprintf(stderr, "\r%.*s\033[K", n, line);
	p->is_shown = true;
}

void cli_progress_at(struct cli_progress *p, uint64_t position)
{
	uint64_t now;

	if (!p->is_wanted)
		return;
	now = now_ns();
	if (now < p->next_ns)
		return;
	p->next_ns = now + AGAIN_NS;
	show(p, position, now);
}

void cli_progress_end(struct cli_progress *p)
{
	if (p->is_shown)
		fputs("\r\033[K", stderr);
	p->is_shown = false;
}
