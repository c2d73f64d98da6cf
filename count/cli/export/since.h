/* SPDX-License-Identifier: MIT */
/*
 * What happened since the answer before: metrics and intervals are of a time, and do not add up as
 * counts do.
 */
#ifndef CLI_EXPORT_SINCE_H
#define CLI_EXPORT_SINCE_H

#include "count/cli/export/sums.h"

/**
 * struct cli_export_since - the time between two answers
 * @rows:	values of it, metrics computed
 * @before:	as read for the answer before, @places rows of items
 * @delta:	what happened since then, in the same rows
 */
struct cli_export_since {
	struct cli_rows rows;
	struct ntime_value *before, *delta;
	size_t places;
};

/* Up to the last read of @sums, in rows of @per; the next time begins there. 0 or -errno. */
int cli_export_since_take(struct cli_export_since *since, const struct cli_export_sums *sums,
			  struct ntime_session *s, const struct cli_row_item *item,
			  enum cli_per per);
/* Event @i of all places together. */
struct ntime_value cli_export_since_all(const struct cli_export_since *since, size_t i);
void cli_export_since_fini(struct cli_export_since *since);

#endif
