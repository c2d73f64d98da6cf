// SPDX-License-Identifier: MIT
/* ntime watch --per cgroup, unit or process: who uses this machine, from files of the kernel. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <ntime/context.h>

#include "base/command/signals.h"
#include "base/command/wait.h"
#include "base/output/number.h"
#include "base/output/say.h"
#include "base/output/stamp.h"
#include "base/output/table.h"
#include "count/cli/shared/users.h"
#include "count/cli/watch/watch.h"

#define LEFT .flags = CLI_COLUMN_LEFT
#define USER_COLUMNS(X)                                                                            \
	X(SAMPLE, "sample")                                                                        \
	X(TIME_S, "time_s")                                                                        \
	X(PERIOD_S, "period_s")                                                                    \
	X(WHO, "who", .title = "who", LEFT)                                                        \
	X(CPU, "cpu_percent", .title = "CPU %")                                                    \
	X(SYSTEM, "system_percent", .title = "system %", .rank = 3)                                \
	X(THROTTLED, "throttled_percent", .title = "throttled %", .rank = 2)                       \
	X(WAITS, "cpu_pressure_percent", .title = "waits %", .rank = 2)                            \
	X(MEMORY, "memory_bytes", .title = "memory", .rank = 1)                                    \
	X(FAULTS, "faults_per_second", .title = "faults/s", .rank = 4)                             \
	X(READ, "read_bytes_per_second", .title = "read/s", .rank = 3)                             \
	X(WRITTEN, "written_bytes_per_second", .title = "written/s", .rank = 3)                    \
	X(TASKS, "tasks", .title = "tasks", .rank = 5)                                             \
	X(TIME, "time")                                                                            \
	X(HOST, "host")

enum { USER_COLUMNS(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { USER_COLUMNS(CLI_COLUMN_ROW) };
static const struct cli_columns user_columns = { .column = columns, .n = COLUMNS };

/* Which use a column has: @factor times it, for each second unless it is a state. */
static const struct {
	int column;
	enum cli_use use;
	double factor;
} uses[] = {
	{ CPU, CLI_USE_CPU, 100 },
	{ SYSTEM, CLI_USE_SYSTEM, 100 },
	{ THROTTLED, CLI_USE_THROTTLED, 100 },
	{ WAITS, CLI_USE_CPU_PRESSURE, 100 },
	{ MEMORY, CLI_USE_MEMORY, 1 },
	{ FAULTS, CLI_USE_FAULTS, 1 },
	{ READ, CLI_USE_READ, 1 },
	{ WRITTEN, CLI_USE_WRITTEN, 1 },
	{ TASKS, CLI_USE_TASKS, 1 },
};
#define USES (sizeof(uses) / sizeof(uses[0]))

static double use_of(const struct cli_watch *w, const struct cli_user *u, size_t i)
{
	double now = u->value[uses[i].use];

	if (cli_user_families[uses[i].use].is_state)
		return now * uses[i].factor;
	return (now - u->last[uses[i].use]) * uses[i].factor / ((double)w->period_ns / 1e9);
}

/* Twice read, and one of those that are asked for: of groups of units those of the units. */
static bool is_shown(const struct cli_watch *w, const struct cli_user *u)
{
	const char *name = strrchr(u->path, '/');

	if (!u->is_there || u->reads < 2)
		return false;
	return w->o.per != CLI_PER_UNIT ||
	       (name && name[1] && strcmp(cli_cgroup_names(name).unit, name + 1) == 0 &&
		!strstr(name, ".slice"));
}

static int by_use(const void *a, const void *b)
{
	const struct cli_user *one = *(const struct cli_user *const *)a;
	const struct cli_user *other = *(const struct cli_user *const *)b;
	double x = one->value[CLI_USE_CPU] - one->last[CLI_USE_CPU];
	double y = other->value[CLI_USE_CPU] - other->last[CLI_USE_CPU];

	return x < y ? 1 : x > y ? -1 : strcmp(one->path, other->path);
}

struct texts {
	char text[USES][CLI_NUMBER_CHARS];
	char time[32], period[32];
	struct cli_stamp wall;
};

static void fill(struct cli_cell *cell, const struct cli_watch *w, const struct cli_user *u,
		 struct texts *texts)
{
	const char *who = w->o.per == CLI_PER_UNIT ? strrchr(u->path, '/') + 1 : u->path;

	memset(cell, 0, COLUMNS * sizeof(*cell));
	cell[SAMPLE] = cli_count(w->sampler.number);
	cell[TIME_S] = cli_text(texts->time);
	cell[PERIOD_S] = cli_text(texts->period);
	cell[WHO] = cli_text(who);
	cell[TIME] = cli_text(texts->wall.text);
	cell[HOST] = cli_text(cli_host_name());
	for (size_t i = 0; i < USES; i++) {
		int column = uses[i].column;
		double value = use_of(w, u, i);
		struct cli_number shown = column == MEMORY || column == READ || column == WRITTEN
						  ? cli_number_bytes(value)
					  : column == TASKS ? cli_number_count((uint64_t)value)
							    : cli_number_short(value);

		/* What went back is of another one of that name. */
		if (!u->has[uses[i].use] || value < 0)
			continue;
		memcpy(texts->text[i], shown.text, sizeof(texts->text[i]));
		cell[column] = cli_rate(value);
		cell[column].shown = texts->text[i];
	}
}

/* As many as fit into the window, those that use most; all of them elsewhere. */
static size_t fitting(const struct cli_watch *w, size_t n)
{
	struct winsize size;

	if (!w->out.is_terminal || ioctl(w->out.fd, TIOCGWINSZ, &size) || size.ws_row < 4)
		return n;
	return n < size.ws_row - 3u ? n : size.ws_row - 3u;
}

static void put_table(struct cli_watch *w, struct cli_user **user, size_t n, struct texts *texts)
{
	struct cli_look look = cli_look_at(w->out.fd);
	struct cli_cell cell[COLUMNS];
	struct cli_text text;
	struct cli_table table;

	cli_table_init(&table, &user_columns, look.utf8);
	for (size_t i = 0; i < fitting(w, n); i++) {
		fill(cell, w, user[i], texts);
		cli_table_row(&table, cell);
	}
	cli_text_begin(&text);
	/* In place on a terminal: home, and what was there goes. */
	if (w->out.is_terminal && !w->o.form)
		fputs("\033[H\033[2J", text.f);
	fprintf(text.f, "# %s %s  %zu that have a use of their own\n", cli_host_name(),
		cli_stamp_clock(w->wall_ns, false).text, n);
	cli_table_print(&table, text.f, &look);
	cli_table_fini(&table);
	text.text = cli_text_end(&text);
	cli_watch_put_bytes(&w->out, text.text, text.bytes);
	free(text.text);
}

static void put_sample(struct cli_watch *w, struct cli_users *c)
{
	struct cli_user **user = cli_calloc(c->n + 1, sizeof(struct cli_user *));
	struct texts texts = { .wall = cli_stamp_utc(w->wall_ns, true) };
	struct cli_cell cell[COLUMNS];
	size_t n = 0;

	(void)snprintf(texts.time, sizeof(texts.time), "%.6f", (double)w->at_ns / 1e9);
	(void)snprintf(texts.period, sizeof(texts.period), "%.6f", (double)w->period_ns / 1e9);
	for (size_t i = 0; i < c->n; i++)
		if (is_shown(w, &c->user[i]))
			user[n++] = &c->user[i];
	qsort(user, n, sizeof(struct cli_user *), by_use);
	if (w->o.form != CLI_WATCH_CSV && w->o.form != CLI_WATCH_JSON)
		put_table(w, user, n, &texts);
	else
		for (size_t i = 0; i < n; i++) {
			fill(cell, w, user[i], &texts);
			if (w->o.form == CLI_WATCH_CSV)
				cli_watch_put_csv(w, &user_columns, cell);
			else
				(void)cli_watch_put_json(w, cli_json_row(&user_columns, cell));
		}
	free(user);
}

static void read_users(struct cli_watch *w, struct cli_users *c)
{
	uint64_t now = cli_now_ns();

	(void)cli_users_read(c);
	w->period_ns = now - w->last_ns;
	w->last_ns = now;
	w->at_ns = now - w->sampler.start_ns;
	w->wall_ns = cli_wall_ns();
}

int cli_watch_users_run(struct cli_watch *w)
{
	struct cli_users c;
	int ret = cli_watch_out_open(&w->out, w->o.output, w->o.is_append);

	if (ret)
		return ret;
	cli_users_init(&c, "/", 100, SIZE_MAX);
	c.is_processes = w->o.per == CLI_PER_PROCESS;
	read_users(w, &c);
	if (!c.n) {
		cli_say("no control groups are mounted below /sys/fs/cgroup (mount -t cgroup2 "
			"cgroup2 "
			"/sys/fs/cgroup)");
		cli_users_fini(&c);
		return -ENOENT;
	}
	cli_watch_sampler_init(&w->sampler, w->last_ns, w->o.interval_ns, UINT64_MAX);
	if (w->o.form == CLI_WATCH_CSV)
		cli_watch_put_csv(w, &user_columns, NULL);
	if (w->o.form == CLI_WATCH_CSV && w->out.is_append)
		ret = cli_watch_out_put_head(&w->out, true);
	while (!ret && !cli_signals_stop() && (!w->o.samples || w->shown < w->o.samples)) {
		uint64_t missed;

		ret = cli_watch_pause(w, cli_watch_sampler_next(&w->sampler));
		if (ret ||
		    cli_watch_sampler_due(&w->sampler, cli_now_ns(), &missed) != CLI_DUE_SAMPLE)
			continue;
		read_users(w, &c);
		put_sample(w, &c);
		w->shown++;
		ret = cli_watch_out_flush(&w->out);
	}
	cli_users_fini(&c);
	return ret < 0 ? ret : 0;
}
