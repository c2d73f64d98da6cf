/* SPDX-License-Identifier: MIT */
/* The command line of ntime watch, understood but not yet acted upon. */
#ifndef CLI_WATCH_OPTIONS_H
#define CLI_WATCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/command/command.h"
#include "count/cli/report/rows.h"

enum cli_watch_form { CLI_WATCH_SCREEN, CLI_WATCH_PLAIN, CLI_WATCH_CSV, CLI_WATCH_JSON };

/* What is to be watched, in the order of the command line. */
struct cli_watch_wish {
	enum { CLI_WISH_OPERAND, CLI_WISH_LIST, CLI_WISH_METRIC } kind;
	const char *text;
};

/* One more of @kind behind the @n of *@wish. 0, or -EINVAL after a sentence of @command. */
int cli_watch_wish_add(const char *command, struct cli_watch_wish **wish, size_t *n, int kind,
		       const char *text);

/**
 * struct cli_watch_options - strings are the command line's
 * @wish:	none: the overview
 * @interval_ns: 1 s unless given, of frames 0.1 s
 * @samples:	-n, 0: until it is stopped
 * @form:	CLI_WATCH_SCREEN unless chosen; it becomes plain lines where there is no terminal
 * @via:	enum ntime_via
 */
struct cli_watch_options {
	struct cli_watch_wish *wish;
	size_t wishes;
	uint64_t interval_ns;
	uint64_t samples;
	enum cli_per per;
	enum cli_watch_form form;
	uint32_t via;
	unsigned int verbose;
	const char *cpus, *output, *machine, *model, *context, *metrics, *frames;
	bool is_append;
	bool is_quiet, clears_log, no_self_test;
};

extern const struct cli_option cli_watch_option_table[];
extern const struct cli_foreign cli_watch_foreign[];

/* Below this a sample costs a share of what is watched that shows. */
#define CLI_WATCH_DEAR_NS 10000000u

/*
 * 0; -EINVAL after a sentence; -ECANCELED after --help. In every case
 * cli_watch_options_fini() frees.
 */
int cli_watch_options_parse(struct cli_watch_options *o, const struct cli_command *self, int argc,
			    char **argv);
void cli_watch_options_fini(struct cli_watch_options *o);

#endif
