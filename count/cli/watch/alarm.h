/* SPDX-License-Identifier: MIT */
/* Alarms of ntime watch: a value that rises above its limit in a row. */
#ifndef CLI_WATCH_ALARM_H
#define CLI_WATCH_ALARM_H

#include <signal.h>

#include "count/cli/report/rows.h"
#include "count/cli/watch/items.h"

/* Commands that run at a time; more would be a flood. */
#define CLI_ALARM_CHILDREN 64

/**
 * struct cli_watch_alarm - one limit
 * @item:	that it is of
 * @is_above:	of each row: it was above the last time
 */
struct cli_watch_alarm {
	const char *name;
	double limit;
	size_t item;
	bool *is_above;
};

/**
 * struct cli_watch_alarms - all of them
 * @command:	for sh -c, NULL for none
 * @mask:	signals that are blocked in the command, borrowed
 * @is_screen:	the terminal is ours: neither words nor what commands say may go there
 * @rings:	the bell is to be rung
 * @rang:	there was a new alarm in this sample
 * @children:	commands that run
 * @error:	-errno of the first that could not be started, 0
 */
struct cli_watch_alarms {
	struct cli_watch_alarm *alarm;
	size_t n;
	const char *command;
	const sigset_t *mask;
	bool is_screen, rings, rang, was_flooded;
	unsigned int children;
	int error;
};

/*
 * Find the items that the limits are of. 0; -EINVAL after a sentence (no such item; the nearest
 * name).
 */
int cli_watch_alarms_init(struct cli_watch_alarms *a, const struct cli_watch_options *o,
			  const struct cli_watch_items *items);
void cli_watch_alarms_fini(struct cli_watch_alarms *a);

/* The rows are new ones. */
void cli_watch_alarms_arrange(struct cli_watch_alarms *a, const struct cli_rows *rows);

/*
 * Look at the rows of a sample of @period_ns, give or take @unsure_ns: mark values above their
 * limits, tell of new ones, run the command.
 */
void cli_watch_alarms_check(struct cli_watch_alarms *a, struct cli_rows *rows,
			    const struct cli_watch_items *items, uint64_t period_ns,
			    uint64_t unsure_ns);

#endif
