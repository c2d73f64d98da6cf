/* SPDX-License-Identifier: MIT */
/* What is watched: items of a session, and what this machine lacks. */
#ifndef CLI_WATCH_ITEMS_H
#define CLI_WATCH_ITEMS_H

#include <ntime/frame.h>
#include <ntime/session.h>

#include "base/output/absence.h"
#include "count/cli/report/rows.h"
#include "count/cli/watch/options.h"

/* CPUs that the control group may use. */
#define CLI_WATCH_QUOTA "proc/cgroup-quota/"

/**
 * struct cli_watch_items - all of them
 * @is_overview: nothing was asked for: what is absent is of less weight
 * @is_simulated: something comes from a recording or a model
 */
struct cli_watch_items {
	struct cli_row_item *item;
	size_t n;
	struct cli_absence *absence;
	size_t absences;
	size_t shown;
	bool is_overview, is_simulated;
};

/*
 * Add the @n items of @wish to a new session; of none, the overview. 0, or -errno after a sentence.
 */
int cli_watch_items_add(struct cli_watch_items *items, struct ntime_ctx *ctx,
			struct ntime_session *s, const struct cli_watch_wish *wish, size_t n);

/* Say what is absent: of the overview, which nobody asked for in detail, in one line. */
void cli_watch_items_tell(const struct cli_watch_items *items, const char *command,
			  bool is_verbose);
/* 0; -ENOENT after sentences where of all that only @n = 0 can be counted. */
int cli_watch_items_check(const struct cli_watch_items *items, size_t n);

/*
 * Learn of an opened session what its items are; @values are those of a first read, a row per
 * CPU. 0, or -errno after a sentence.
 */
int cli_watch_items_describe(struct cli_watch_items *items, struct ntime_session *s,
			     const struct ntime_value *values, size_t where_count,
			     bool shows_hidden);
/* The same of a ring of frames, @values of one of which show what is absent. 0 or -errno. */
int cli_watch_items_of_ring(struct cli_watch_items *items, const struct ntime_frame_ring *ring,
			    const struct ntime_value *values, size_t n, bool shows_hidden);
/*
 * A device of item @i is gone: learn why, and remember it among what is not there.
 */
void cli_watch_items_lose(struct cli_watch_items *items, const struct ntime_session *s, size_t i);
void cli_watch_items_fini(struct cli_watch_items *items);

#endif
