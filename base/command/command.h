/* SPDX-License-Identifier: MIT */
/* What every subcommand is. */
#ifndef CLI_BASE_COMMAND_H
#define CLI_BASE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/output/exit.h"

/* A closed set of words, one after the other: number @i, NULL behind the last. */
typedef const char *cli_word_fn(size_t i);

/* What an option does by itself with a member of the subcommand's options. */
enum cli_option_sets {
	CLI_SETS_NOTHING,
	CLI_SETS_FLAG,	/* bool: true */
	CLI_SETS_TEXT,	/* const char *: the argument */
	CLI_SETS_COUNT, /* unsigned int: one more */
};
/* The end of a row: the member, of that type, of @options. */
#define CLI_FLAG(options, member) CLI_SETS(FLAG, bool, options, member)
#define CLI_TEXT(options, member) CLI_SETS(TEXT, const char *, options, member)
#define CLI_COUNT(options, member) CLI_SETS(COUNT, unsigned int, options, member)
#define CLI_SETS(KIND, type, options, member)                                                      \
	.sets = CLI_SETS_##KIND,                                                                   \
	.at = offsetof(options, member) + 0 * sizeof((type *)0 == &((options *)0)->member)

/**
 * struct cli_option - one option; the one place where it is described
 * @id:		its letter; 0, or a number from 256 that the subcommand knows it by, for options
 *		without a letter
 * @name:	long name without the dashes
 * @arg:	name of the argument, NULL when it takes none
 * @help:	what it does, one sentence without final stop
 * @sets, @at:	CLI_FLAG(), CLI_TEXT() or CLI_COUNT(): all that it does; cli_option_store()
 * @word:	the words that it takes, for cli_option_word() and completion; NULL: others as well
 *
 * Tables end with a NULL @name.
 */
struct cli_option {
	int id;
	const char *name;
	const char *arg;
	const char *help;
	enum cli_option_sets sets;
	size_t at;
	cli_word_fn *word;
};

static inline bool cli_option_has_letter(const struct cli_option *o)
{
	return o->id > 0 && o->id < 256;
}

/**
 * struct cli_foreign - an option that people know from another program
 * @name:	a letter, or a long name
 * @answer:	what ours is called, as the end of a sentence
 * @means:	it is understood as our option of that long name; "": as what we do anyway; NULL:
 *		only answered
 * @value:	the argument of ours; NULL: what is written behind @name, where ours takes one
 * @mark:	its own argument, where it needs one and ours does not; another is answered
 *
 * Tables end with a NULL @name.
 */
struct cli_foreign {
	const char *name;
	const char *answer;
	const char *means, *value, *mark;
};

/**
 * struct cli_command - a subcommand: cli_NAME_command, constant
 * @name:	what the user types
 * @usage:	what follows "ntime "; several lines are separated by newlines
 * @about:	one line
 * @details:	paragraphs below the options in --help, "" for none
 * @options:	table, NULL for none
 * @foreign:	options that it does not have, NULL: none is known
 * @is_default: a bare "ntime PROG" means it
 * @is_hidden:	not shown to people
 * @is_permuting: options may follow operands (they must not where a command with own options
 *	follows)
 * @for_each_action: calls @fn for each action that has options of its own, as a command called
 *	"NAME ACTION" that lives only as long as the
 *		call; ends at the first non-zero value, which it returns. NULL: there are none
 * @action:	names of its actions, for cli_action_find() and completion; NULL: there are none
 * @words:	of one whose words are not in these tables: print what may follow those from
 *		argv[0], its name, on, for completion; an exit status. NULL: all are here
 * @program:	it is another program, of which only @name and @about are here; NULL: it is not
 * @run:	argv[0] is the subcommand's name; the exit status of ntime
 */
struct cli_command {
	const char *name;
	const char *usage;
	const char *about;
	const char *details;
	const struct cli_option *options;
	const struct cli_foreign *foreign;
	bool is_default;
	bool is_hidden;
	bool is_permuting;
	int (*for_each_action)(int (*fn)(void *arg, const struct cli_command *action), void *arg);
	cli_word_fn *action;
	int (*words)(const struct cli_command *self, int argc, char **argv);
	const struct cli_program *program;
	int (*run)(const struct cli_command *self, int argc, char **argv);
};

/* Exit status where the command line was not parsed, with what that returned: of --help 0. */
int cli_options_end(int ret);

#endif
