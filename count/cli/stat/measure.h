/* SPDX-License-Identifier: MIT */
/* One measurement: a run of the command, or a look at something that runs already. */
#ifndef CLI_STAT_MEASURE_H
#define CLI_STAT_MEASURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include <ntime/command.h>
#include <ntime/emulator.h>

#include "count/cli/stat/frames.h"
#include "count/cli/stat/sessions.h"
#include "base/command/wait.h"
#include "base/output/memory.h"

/**
 * struct cli_measure - state of one
 * @launcher:	to start the command of options with, which is its number @launched; may be NULL
 * @is_bare:	there are no counters: what the kernel says at the end of the command is all
 * @on_open:	called once the counters are open; non-zero ends the measurement with that; may be
 *	NULL
 * @on_interval: called at the end of each interval with its values; non-zero ends a measurement
 *	without command
 * @arg:	first argument of both
 * @values:	what was counted in all, valid after cli_measure_run()
 * @end:	of the command
 * @attached:	with @is_attached what processes that ran already did meanwhile, of /proc
 * @real_ns:	length of the measurement
 * @has_failed:	counting failed in the middle; the command was left to run to its end
 * @was_stopped: a signal asked for the end before the command was started
 * @is_running:	the command was started and its end not yet seen
 * @left:	processes of the command that ran on when the measurement ended; all but real time
 *	lacks what they do, and values are NTIME_PARTIAL
 * @used:	of such processes that have ended
 */
struct cli_measure {
	struct ntime_ctx *ctx;
	const struct cli_stat_options *options;
	struct ntime_launcher *launcher;
	size_t launched;
	bool is_bare;
	int pass;
	int (*on_open)(void *arg, struct cli_measure *m);
	int (*on_interval)(void *arg, struct cli_measure *m, const struct ntime_value *values,
			   double time_s);
	void *arg;

	struct cli_sessions sessions;
	struct ntime_command *command;
	struct ntime_emulator *emulator; /* --via emulator: it runs the command */
	struct cli_frames frames;
	struct cli_undo undo;
	struct cli_wait wait;
	struct ntime_value *values;
	struct ntime_value *last;
	struct ntime_value *delta;
	struct ntime_command_end end, before, attached;
	sigset_t mask;
	uint64_t begin_ns;
	uint64_t count_ns;
	uint64_t delay_at_ns;
	uint64_t interval_at_ns;
	uint64_t glance_at_ns;
	uint64_t glance_ns;
	uint64_t follow_at_ns;
	uint64_t turn_at_ns;
	uint64_t timeout_at_ns;
	uint64_t kill_at_ns;
	uint64_t real_ns;
	bool is_counting;
	bool is_attached;
	bool timed_out;
	bool has_failed;
	bool is_output_gone;
	bool has_beaten; /* an interval ended before the end */
	bool was_stopped;
	bool is_running;
	bool has_ended;	 /* the command */
	bool has_waited; /* for what it left */
	bool was_cut;	 /* waiting for that, by a signal */
	size_t left;
	struct rusage used;
};

/* From SIGTERM to SIGKILL, for what has to end. */
#define CLI_GRACE_NS 2000000000ull

/*
 * Run it from beginning to end; the first eight members are set by the caller, the rest is 0. 0 or
 * the exit status of ntime after a sentence. In both cases cli_measure_fini() frees; until then the
 * sessions can be asked.
 */
int cli_measure_run(struct cli_measure *m);
/* The counters are the command's, not those of what runs beside it. */
bool cli_measure_is_of_command(const struct cli_measure *m);
/* CLI_FIGURES numbers into @figure; how many of them are known. */
int cli_measure_figures(const struct cli_measure *m, double *figure);
/* The memory may have been ntime's own. */
bool cli_measure_rss_is_at_most(const struct cli_measure *m);
/* How the command ended; what was not started here ends as it should. */
struct cli_outcome cli_measure_outcome(const struct cli_measure *m);
void cli_measure_fini(struct cli_measure *m);
/*
 * For runs of the commands of @n options again and again: their launcher, NULL where there is none
 * or none can be had. 0 or the exit status of ntime after a sentence. To be freed by the caller.
 */
int cli_measure_launcher(struct ntime_ctx *ctx, const struct cli_stat_options *o, size_t n,
			 struct ntime_launcher **out);

#endif
