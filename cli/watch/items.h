/* SPDX-License-Identifier: MIT */
/* What is watched: items of a session, and what this machine lacks. */
#ifndef CLI_WATCH_ITEMS_H
#define CLI_WATCH_ITEMS_H

#include <ntime/session.h>

#include "cli/output/absence.h"
#include "cli/watch/options.h"

/**
 * struct cli_watch_item - one item of the session
 * @name:	for people: a formula's name without the formula
 * @info:	what the session says of it; its strings live as long as the session
 * @is_clock:	time passes once, however many CPUs there are
 * @is_missing:	absent everywhere
 * @is_shown:	neither missing nor hidden
 * @has_rate:	an event: its differences have a rate
 * @is_gone:	a device that counted it was there, and is no longer
 * @is_implausible: it was said why its number cannot be right
 */
struct cli_watch_item {
	char *name;
	struct ntime_item info;
	bool is_clock, is_missing, is_shown, has_rate, is_gone, is_implausible;
};

/**
 * struct cli_watch_items - all of them
 * @is_overview: nothing was asked for: what is absent is of less weight
 * @is_simulated: something comes from a recording or a model
 */
struct cli_watch_items {
	struct cli_watch_item *item;
	size_t n;
	struct cli_absence *absence;
	size_t absences;
	size_t shown;
	bool is_overview, is_simulated;
};

/* Add what @o asks for to a new session. 0, or -errno after a sentence. */
int cli_watch_items_add(struct cli_watch_items *items, struct ntime_ctx *ctx,
			struct ntime_session *s, const struct cli_watch_options *o);

/*
 * Learn of an opened session what its items are; @values are those of a first read, a row per
 * CPU. 0, or -errno after a sentence.
 */
int cli_watch_items_describe(struct cli_watch_items *items, struct ntime_session *s,
			     const struct ntime_value *values, size_t where_count,
			     bool shows_hidden);
/*
 * A device of item @i is gone: learn why, and remember it among what is not there.
 */
void cli_watch_items_lose(struct cli_watch_items *items, const struct ntime_session *s, size_t i);
void cli_watch_items_fini(struct cli_watch_items *items);

#endif
