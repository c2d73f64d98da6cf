/* SPDX-License-Identifier: MIT */
/* The sessions of one measurement, one per process or thread attached to, read as one. */
#ifndef CLI_STAT_SESSIONS_H
#define CLI_STAT_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <ntime/command.h>
#include <ntime/session.h>

#include "count/cli/report/report.h"
#include "count/cli/stat/options.h"

#define CLI_ALL_PASSES (-1)

struct cli_sessions {
	struct ntime_ctx *ctx;
	struct ntime_session **session;
	size_t n;
	size_t items;
	/*
	 * Of several sessions: counted once, however many processes are looked at: time, devices.
	 */
	bool *is_shared;
	struct ntime_value *part;
};

struct ntime_emulator;

/**
 * cli_sessions_new() - make the sessions that @o asks for and add what is to be counted
 * @child:	the command held just before exec; 0: the calling thread stands for it
 * @pass:	count only this pass, or CLI_ALL_PASSES
 * @emulator:	that runs the command; NULL: none
 *
 * Return: 0, or -errno after a sentence; nothing remains then.
 */
int cli_sessions_new(struct cli_sessions *ss, struct ntime_ctx *ctx,
		     const struct cli_stat_options *o, pid_t child, int pass,
		     const struct ntime_emulator *emulator);
void cli_sessions_free(struct cli_sessions *ss);

/*
 * ntime_session_open() of @n sessions with as many descriptors as may be had: whole machines need
 * thousands. The limit is as before afterwards, since commands inherit it. 0, or -errno after a
 * sentence.
 */
int cli_sessions_open(struct ntime_ctx *ctx, struct ntime_session **session, size_t n);

/* As the calls of the library, for all of them; -errno after a sentence. */
int cli_sessions_start(struct cli_sessions *ss);
int cli_sessions_take_times(struct cli_sessions *ss, const struct ntime_command *c);
int cli_sessions_stop(struct cli_sessions *ss);
/* How long they ran. */
uint64_t cli_sessions_length_ns(const struct cli_sessions *ss);
/*
 * CPUs that came since are counted from now on, those that went are no error; programs have none.
 */
int cli_sessions_follow(struct cli_sessions *ss, const struct cli_stat_options *o);
/* Rotate those whose turn it is; *@next_ns as ntime_session_turn() has it, of the first one. */
int cli_sessions_turn(struct cli_sessions *ss, uint64_t *next_ns);
/* @values: ss->items of them */
int cli_sessions_read(struct cli_sessions *ss, struct ntime_value *values);
int cli_sessions_metrics(struct cli_sessions *ss, struct ntime_value *values);
unsigned int cli_sessions_passes(const struct cli_sessions *ss);
/*
 * How long counters may go unread, so that none wraps or is full: those that no kernel counts for
 * us. UINT64_MAX: for ever.
 */
uint64_t cli_sessions_max_read_interval_ns(const struct cli_sessions *ss);

/*
 * Describe the items, for a report: strings are copies. 0 or -errno after a sentence; on
 * failure nothing remains.
 */
int cli_sessions_describe(struct cli_sessions *ss, struct cli_item **items);
void cli_items_free(struct cli_item *items, size_t n);

/* What is counted when nothing was chosen; NULL ends. */
extern const char *const cli_default_events[];

#endif
