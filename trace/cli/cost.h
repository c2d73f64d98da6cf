/* SPDX-License-Identifier: MIT */
/* ntime trace cost: runs of a command with tracing and without, one after the other. */
#ifndef CLI_TRACE_COST_H
#define CLI_TRACE_COST_H

#include <ntime/trace/cost.h>

#include "trace/cli/trace.h"

/* Runs of one kind that may be given or made. */
#define CLI_COST_RUNS 1000

/* How long runs took, and how many accesses the log had behind them. */
struct cli_cost_runs {
	uint64_t ns[CLI_COST_RUNS];
	uint64_t accesses[CLI_COST_RUNS];
	size_t n;
};

/**
 * struct cli_cost_live - what is run
 * @command:	NULL-terminated; a word "{}" stands for the arguments, else they come behind the
 *		last word
 * @with, @without: arguments in one text, separated by blanks; quotes keep them together. NULL:
 *	none
 * @log:	where a traced run writes its trace, NULL: not told
 * @pairs:	how many runs of each kind
 */
struct cli_cost_live {
	char *const *command;
	const char *with, *without;
	const char *log;
	size_t pairs;
};

/* Run them. 0, or CLI_EXIT_FAILED after a sentence. */
int cli_cost_run(struct cli_trace *t, const struct cli_cost_live *live, struct cli_cost_runs *with,
		 struct cli_cost_runs *without);

/* Accesses in a log. 0, or CLI_EXIT_FAILED after a sentence. */
int cli_cost_count(struct cli_trace *t, const char *log, uint64_t *accesses);

#endif
