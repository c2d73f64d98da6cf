/* SPDX-License-Identifier: MIT */
/* The command line of ntime stat, understood but not yet acted upon. */
#ifndef CLI_STAT_OPTIONS_H
#define CLI_STAT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/command/command.h"
#include "count/cli/report/report.h"

/* Entry of -e or -m. */
struct cli_wish {
	const char *text;
	bool is_formula; /* NAME=FORMULA, whose commas part arguments */
};

/**
 * struct cli_stat_options - all strings are the command line's
 * @wish:	-e and -m in their order; none: the default set
 * @runs:	-r, else 1
 * @interval_ns, @timeout_ns, @delay_ns: 0: not given
 * @pid:	-p or -t
 * @per:	CLI_PER_CHOSEN: not given
 * @via:	enum ntime_via
 * @hides_output: the command reads nothing, and what it writes goes nowhere
 * @format:	--format
 * @names:	events of it, which @wish has; owned
 * @argv:	the command, NULL when there is none
 */
struct cli_stat_options {
	struct cli_wish *wish;
	size_t wishes;
	uint64_t runs;
	uint64_t interval_ns;
	uint64_t timeout_ns;
	uint64_t delay_ns;
	int *pid;
	size_t pids;
	const char *cpus;
	const char *output;
	const char *format;
	char **names;
	size_t n_names;
	const char *metrics;
	const char *machine;
	const char *model, *context;
	const char *frames;
	const char *root;
	const struct cli_writer *writer;
	unsigned int verbose;
	uint32_t via;
	enum cli_per per;
	bool all_cpus;
	bool are_threads;
	bool no_inherit;
	bool append;
	bool no_scale;
	bool by_pass;
	bool dry_run;
	bool no_self_test;
	bool quiet;
	bool has_runs;
	bool shows_output;
	bool hides_output;
	bool waits_for_all; /* also for what the command leaves running */
	char **argv;
};

extern const struct cli_option cli_stat_option_table[];
extern const struct cli_foreign cli_stat_foreign[];

/*
 * 0; -EINVAL after a sentence; -ECANCELED after --help. In every case
 * cli_stat_options_fini() frees.
 */
int cli_stat_options_parse(struct cli_stat_options *o, const struct cli_command *self, int argc,
			   char **argv);
/* As -e. 0 or -EINVAL after a sentence. */
int cli_stat_options_add(struct cli_stat_options *o, const char *list);
void cli_stat_options_fini(struct cli_stat_options *o);

#endif
