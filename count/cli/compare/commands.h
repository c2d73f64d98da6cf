/* SPDX-License-Identifier: MIT */
/* The commands that are compared, ready to be run. */
#ifndef CLI_COMPARE_COMMANDS_H
#define CLI_COMPARE_COMMANDS_H

#include <stddef.h>

#include "count/cli/compare/options.h"
#include "count/cli/compare/results.h"

/**
 * struct cli_compare_command - one of them; everything is owned
 * @operand:	number of the argument that it comes from
 * @parameter:	@parameters values that stand in it
 * @setup, @prepare, @cleanup: NULL: nothing is to be done
 */
struct cli_compare_command {
	char *name;
	char *line;
	char *setup, *prepare, *cleanup;
	char **argv;
	size_t operand;
	struct cli_parameter *parameter;
	size_t parameters;
};

struct cli_compare_commands {
	struct cli_compare_command *of;
	size_t n;
};

/*
 * Replace {VAR} by the values of -L, and split command lines into words by the shell's rules for
 * quotes; what else is the shell's (pipes, redirections, variables, patterns) is refused unless
 * --shell is given. 0; -EINVAL after a sentence. In both cases
 * cli_compare_commands_fini() frees.
 */
int cli_compare_commands_make(struct cli_compare_commands *c, const struct cli_compare_options *o);
void cli_compare_commands_fini(struct cli_compare_commands *c);

#endif
