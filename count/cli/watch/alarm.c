// SPDX-License-Identifier: MIT
/* Alarms of ntime watch. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output/memory.h"
#include "base/output/number.h"
#include "base/output/say.h"
#include "count/cli/report/tally.h"
#include "count/cli/watch/watch.h"
#include "count/cli/watch/alarm.h"

static size_t find_item(const struct cli_watch_items *items, const char *name)
{
	for (size_t i = 0; i < items->n; i++)
		if (!items->item[i].info.is_hidden && strcmp(items->item[i].name, name) == 0)
			return i;
	return items->n;
}

static int say_unknown(const struct cli_watch_items *items, const char *name)
{
	const char *nearest = NULL;
	unsigned int least = 0;

	for (size_t i = 0; i < items->n; i++) {
		unsigned int distance = cli_word_distance(name, items->item[i].name);

		if (items->item[i].info.is_hidden || (nearest && distance >= least))
			continue;
		nearest = items->item[i].name;
		least = distance;
	}
	cli_say("--above %s: nothing of that name is watched; the nearest is %s", name,
		nearest ? nearest : "nothing");
	return -EINVAL;
}

static int find_all(struct cli_watch_alarms *a, const struct cli_watch_options *o,
		    const struct cli_watch_items *items)
{
	for (size_t i = 0; i < o->limits; i++) {
		struct cli_watch_alarm *alarm = &a->alarm[a->n];

		alarm->name = o->limit[i].name;
		alarm->limit = o->limit[i].limit;
		alarm->item = find_item(items, alarm->name);
		if (alarm->item == items->n)
			return say_unknown(items, alarm->name);
		if (items->item[alarm->item].is_missing) {
			cli_say("--above %s: it cannot be counted here: %s", alarm->name,
				items->item[alarm->item].info.reason);
			return -EINVAL;
		}
		a->n++;
	}
	return 0;
}

int cli_watch_alarms_init(struct cli_watch_alarms *a, const struct cli_watch_options *o,
			  const struct cli_watch_items *items)
{
	*a = (struct cli_watch_alarms){ .command = o->command };
	a->rings = o->limits && (o->has_bell || !o->command);
	a->alarm = cli_calloc(o->limits + 1, sizeof(*a->alarm));
	return find_all(a, o, items);
}

void cli_watch_alarms_fini(struct cli_watch_alarms *a)
{
	for (size_t i = 0; a->alarm && i < a->n; i++)
		free(a->alarm[i].is_above);
	free(a->alarm);
	*a = (struct cli_watch_alarms){ 0 };
}

void cli_watch_alarms_arrange(struct cli_watch_alarms *a, const struct cli_rows *rows)
{
	for (size_t i = 0; i < a->n; i++) {
		free(a->alarm[i].is_above);
		a->alarm[i].is_above = cli_calloc(rows->n + 1, sizeof(bool));
	}
}

/*
 * What a command is told, and nothing else of ours: a copy of the environment with four names more.
 */
struct surroundings {
	char **variable;
	char own[4][160];
};

static bool is_own(const char *variable)
{
	static const char *const names[] = { "NTIME_METRIC=", "NTIME_VALUE=", "NTIME_LIMIT=",
					     "NTIME_UNIT=" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(variable, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static void surroundings_init(struct surroundings *s, const struct cli_watch_alarm *alarm,
			      const char *row, double value)
{
	size_t n = 0, to = 0;

	while (environ[n])
		n++;
	s->variable = cli_calloc(n + 5, sizeof(*s->variable));
	snprintf(s->own[0], sizeof(s->own[0]), "NTIME_METRIC=%s", alarm->name);
	snprintf(s->own[1], sizeof(s->own[1]), "NTIME_VALUE=%s", cli_number_exact(value).text);
	snprintf(s->own[2], sizeof(s->own[2]), "NTIME_LIMIT=%s",
		 cli_number_exact(alarm->limit).text);
	snprintf(s->own[3], sizeof(s->own[3]), "NTIME_UNIT=%s", row);
	for (size_t i = 0; i < 4; i++)
		s->variable[to++] = s->own[i];
	for (size_t i = 0; i < n; i++)
		if (!is_own(environ[i]))
			s->variable[to++] = environ[i];
}

/* The command has its own group: Ctrl-C is not for it. */
static int spawn(const struct cli_watch_alarms *a, char *const variables[])
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)a->command, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t pid;
	int error;

	error = posix_spawn_file_actions_init(&actions);
	if (error)
		return -error;
	error = posix_spawnattr_init(&attributes);
	if (error) {
		posix_spawn_file_actions_destroy(&actions);
		return -error;
	}
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, a->mask);
	error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	/* Standard output is for data, and a screen for nobody else. */
	if (!error && a->is_screen)
		error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
							 O_WRONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	if (!error)
		error = posix_spawn(&pid, "/bin/sh", &actions, &attributes, argv, variables);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -error;
}

static void say(const struct cli_watch_alarms *a, const char *text, const char *detail)
{
	if (!a->is_screen)
		cli_say("%s%s", text, detail);
}

static void run(struct cli_watch_alarms *a, const struct cli_watch_alarm *alarm, const char *row,
		double value)
{
	struct surroundings s;
	int ret;

	if (a->children == CLI_ALARM_CHILDREN) {
		if (!a->was_flooded)
			say(a,
			    "64 commands of --run are still running: no more are started until one "
			    "ends",
			    "");
		a->was_flooded = true;
		return;
	}
	surroundings_init(&s, alarm, row, value);
	ret = spawn(a, s.variable);
	free(s.variable);
	if (ret)
		say(a, "cannot run the command of --run: ", strerror(-ret));
	if (ret && !a->error)
		a->error = ret;
	if (!ret)
		a->children++;
}

/* Commands that have ended. */
static void reap(struct cli_watch_alarms *a)
{
	while (a->children && waitpid(-1, NULL, WNOHANG) > 0) {
		a->children--;
		a->was_flooded = false;
	}
}

static void tell(struct cli_watch_alarms *a, const struct cli_watch_alarm *alarm,
		 const struct cli_row_item *item, const char *row, double value)
{
	const char *unit = cli_watch_unit_text(item);

	a->rang = true;
	if (!a->is_screen)
		cli_say("%s: %s is %s%s%s%s, above %s", row, alarm->name,
			cli_number_short(value).text, *unit ? " " : "", unit,
			item->has_rate ? "/s" : "", cli_number_short(alarm->limit).text);
	if (a->command)
		run(a, alarm, row, value);
}

static void check_row(struct cli_watch_alarms *a, struct cli_watch_alarm *alarm,
		      struct cli_rows *rows, const struct cli_row_item *item, size_t row,
		      uint64_t period_ns, uint64_t unsure_ns)
{
	size_t at = row * rows->items + alarm->item;
	const struct ntime_value *v = &rows->value[at];
	double value, least;

	/* No number: nobody knows whether it still is above. */
	if (!cli_rows_show(rows, row, item) || !cli_value_is_known(v))
		return;
	value = item->has_rate ? v->value * 1e9 / (double)period_ns : v->value;
	rows->has_alarm[at] = value > alarm->limit;
	/* What may be below it is no reason to act. */
	least = value * (double)period_ns / (double)(period_ns + unsure_ns);
	if (cli_rows_is_unsure(rows, item, v) && !(least > alarm->limit))
		return;
	if (!rows->has_alarm[at]) {
		alarm->is_above[row] = false;
		return;
	}
	if (!alarm->is_above[row])
		tell(a, alarm, item, rows->row[row].name, value);
	alarm->is_above[row] = true;
}

void cli_watch_alarms_check(struct cli_watch_alarms *a, struct cli_rows *rows,
			    const struct cli_watch_items *items, uint64_t period_ns,
			    uint64_t unsure_ns)
{
	a->rang = false;
	reap(a);
	if (!a->n)
		return;
	memset(rows->has_alarm, 0, rows->n * rows->items * sizeof(*rows->has_alarm));
	for (size_t i = 0; i < a->n; i++)
		for (size_t row = 0; row < rows->n; row++)
			check_row(a, &a->alarm[i], rows, &items->item[a->alarm[i].item], row,
				  period_ns, unsure_ns);
	/* A screen has its own way. */
	if (a->rang && a->rings && !a->is_screen && isatty(STDERR_FILENO))
		fputs("\a", stderr);
}
