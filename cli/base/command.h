/* SPDX-License-Identifier: MIT */
/* What every subcommand is. */
#ifndef CLI_BASE_COMMAND_H
#define CLI_BASE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/output/exit.h"

/**
 * struct cli_option - one option; the one place where it is described
 * @id:		its letter, or a number from 256 for options without a letter
 * @name:	long name without the dashes
 * @arg:	name of the argument, NULL when it takes none
 * @help:	what it does, one sentence without final stop
 *
 * Tables end with a NULL @name.
 */
struct cli_option {
	int id;
	const char *name;
	const char *arg;
	const char *help;
};

/**
 * struct cli_foreign - an option that people know from another program
 * @name:	a letter, or a long name
 * @answer:	what ours is called, as the end of a sentence
 *
 * Tables end with a NULL @name.
 */
struct cli_foreign {
	const char *name;
	const char *answer;
};

/**
 * struct cli_command - a subcommand: cli_NAME_command, constant
 * @name:	what the user types
 * @usage:	what follows "ntime "; several lines are separated by newlines
 * @about:	one line
 * @details:	paragraphs below the options in --help, "" for none
 * @options:	table, NULL for none
 * @foreign:	options that it does not have, NULL: none is known
 * @is_hidden:	not shown to people
 * @is_permuting: options may follow operands (they must not where a command with own options
 *	follows)
 * @for_each_action: calls @fn for each action that has options of its own, as a command called
 *	"NAME ACTION" that lives only as long as the
 *		call; ends at the first non-zero value, which it returns. NULL: there are none
 * @run:	argv[0] is the subcommand's name; the exit status of ntime
 */
struct cli_command {
	const char *name;
	const char *usage;
	const char *about;
	const char *details;
	const struct cli_option *options;
	const struct cli_foreign *foreign;
	bool is_hidden;
	bool is_permuting;
	int (*for_each_action)(int (*fn)(void *arg, const struct cli_command *action), void *arg);
	int (*run)(const struct cli_command *self, int argc, char **argv);
};

/*
 * All of them, as CLI_SUBCOMMANDS of cli/meson.build names them, then those that are hidden; NULL
 * ends. The first is what a bare "ntime PROG" means.
 */
extern const struct cli_command *const cli_commands[];

/* Exact name, or NULL. */
const struct cli_command *cli_command_find(const char *name);

#endif
