/* SPDX-License-Identifier: MIT */
/*
 * Sums of what a session counts, which never fall: differences of its reads, added up where they
 * are counted. A multiplexed count by itself may fall, when its estimate becomes another one.
 */
#ifndef CLI_EXPORT_SUMS_H
#define CLI_EXPORT_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/session.h>

#include "count/cli/report/rows.h"

/* In the counter's own steps; of an estimate the whole ones, with @rest of one to come. */
struct cli_export_steps {
	uint64_t whole;
	double rest;
};

/* What is summed up: counts, and both ends of their intervals. */
enum cli_export_end { CLI_EXPORT_VALUE, CLI_EXPORT_LOWER, CLI_EXPORT_UPPER, CLI_EXPORT_ENDS };

/**
 * struct cli_export_sum - of one item at one place (a CPU, or where devices count)
 * @end:	each end; @is_open: nobody knows the upper one
 * @state:	of a state: the last one, in the item's unit
 * @wanted_ns, @counted_ns: as in struct ntime_value, summed
 * @flags:	all that the differences had; of a state what it has now
 * @has_number:	it was counted; @is_estimated: with an interval of 95 %
 */
struct cli_export_sum {
	struct cli_export_steps end[CLI_EXPORT_ENDS];
	double state;
	uint64_t wanted_ns, counted_ns;
	uint32_t flags;
	bool has_number, is_open, is_estimated;
};

/**
 * struct cli_export_sums - all of them
 * @sum:	@where_count rows of @items
 * @now:	all as read last
 * @last:	the same, but of what was not counted then what was read before
 * @where:	the places, as the session has them
 * @off_ns:	since when each is off line, CLOCK_MONOTONIC; 0: it is not
 * @first:	for each scope up to NTIME_SCOPE_MACHINE: of each place the first one that it shares
 *		its core, cache, ... with
 */
struct cli_export_sums {
	size_t items, where_count;
	struct cli_export_sum *sum;
	struct ntime_value *last, *now;
	struct ntime_where_info *where;
	uint64_t *off_ns;
	size_t *first[NTIME_SCOPE_MACHINE + 1];
};

/*
 * Begin at 0 with @session, which was started. 0 or -errno; cli_export_sums_fini() in either case.
 */
int cli_export_sums_begin(struct cli_export_sums *s, struct ntime_session *session);
/* CPUs that came are counted from now on. 0 or -errno. */
int cli_export_sums_follow(struct cli_export_sums *s, struct ntime_session *session);
/* The same, and what was counted until now is added. 0 or -errno. */
int cli_export_sums_read(struct cli_export_sums *s, struct ntime_session *session,
			 const struct cli_row_item *item);
/* False: it is more than 64 bits hold. */
bool cli_export_steps_add(struct cli_export_steps *sum, uint64_t whole, double rest);
void cli_export_sums_fini(struct cli_export_sums *s);

#endif
