/* SPDX-License-Identifier: MIT */
/* Run commands in turn, in random order, until it is known how they differ. */
#ifndef CLI_COMPARE_EXPERIMENT_H
#define CLI_COMPARE_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>

#include <ntime/context.h>

#include "count/cli/compare/commands.h"
#include "count/cli/compare/options.h"
#include "count/cli/compare/results.h"
#include "count/cli/compare/stop.h"
#include "base/command/progress.h"
#include "count/cli/stat/measure.h"

/**
 * struct cli_experiment - the caller sets the first three members, the rest is 0
 * @results:	what came of it
 * @run:	per command: what it is measured with
 * @measure:	the last run
 * @rounds:	that were made
 */
struct cli_experiment {
	struct ntime_ctx *ctx;
	const struct cli_compare_options *o;
	const struct cli_compare_commands *commands;
	struct cli_results results;
	struct cli_stat_options *run;
	struct ntime_launcher *launcher;
	struct cli_measure measure;
	size_t *order;
	size_t rounds;
	bool is_bare; /* the first round showed that nothing can be counted */
	struct cli_stop stop;
	struct cli_progress progress;
};

/*
 * Set up, warm up, run, clean up. 0, or an exit status after a sentence: runs that were made are in
 * @results either way. cli_experiment_fini() frees.
 */
int cli_experiment_run(struct cli_experiment *e);
void cli_experiment_fini(struct cli_experiment *e);

#endif
