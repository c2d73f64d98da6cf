/* SPDX-License-Identifier: MIT */
/* The machine that a subcommand looks at: a context of the library, opened from options. */
#ifndef CLI_SHARED_MACHINE_H
#define CLI_SHARED_MACHINE_H

#include <stdbool.h>

#include <ntime/context.h>

#include "base/command/command.h"

/**
 * struct cli_machine - which one; strings of the command line, NULL for this machine and the
 * built-in metrics
 * @model:	socket of a graphics card that is a model; NULL: none
 * @verbose: from 2 on the library's decisions are printed
 * @no_self_test: counters are not tested when they are first used
 * @tests_anew:	they are tested again, whatever is remembered
 * @runs_command: this process starts a program, which cli_confine() would forbid
 * @counts:	something will be counted, not only asked
 */
struct cli_machine {
	const char *root;
	const char *recording;
	const char *model;
	const char *metrics;
	unsigned int verbose;
	bool no_self_test;
	bool tests_anew;
	bool runs_command;
	bool counts;
};

/* Not but in tests, which simulate a kernel: count/tests/sim. */
bool cli_machine_recordings_count(void);

/*
 * 0; -errno after a sentence, *@ctx is NULL then. Who reads a recording needs nothing of this
 * machine any more and is confined, unless it runs a command.
 */
int cli_machine_open(const struct cli_machine *m, struct ntime_ctx **ctx);

/*
 * Print the library's sentence for its last error; when it has none, what @ret means. Returns
 * CLI_EXIT_FAILED.
 */
int cli_machine_say(const struct ntime_ctx *ctx, int ret);
/* 0 where @ret is none of the library's errors; else @ret, after that sentence. */
int cli_machine_check(const struct ntime_ctx *ctx, int ret);
/* Something was not found: name the libraries that cannot be loaded, which might have known it. */
void cli_machine_say_libraries(struct ntime_ctx *ctx);

/*
 * The argument of --via of subcommand @command: an NTIME_VIA_* in *@via. 0, or -EINVAL after a
 * sentence.
 */
int cli_option_via(const char *command, const char *value, uint32_t *via);
/* The words of --via. */
cli_word_fn cli_via_word;

#endif
