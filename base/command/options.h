/* SPDX-License-Identifier: MIT */
/* Command lines, driven by the option table of a subcommand. */
#ifndef CLI_BASE_OPTIONS_H
#define CLI_BASE_OPTIONS_H

#include <stdint.h>

#include "base/command/command.h"

#define CLI_OPTIONS_MAX 64
/* Every table has --help; it is taken care of here. */
#define CLI_OPTION_HELP                                                                            \
	{                                                                                          \
		'h', "help", NULL, "print this help and exit"                                      \
	}
#define CLI_OPTION_END                                                                             \
	{                                                                                          \
		0, NULL, NULL, NULL                                                                \
	}

/**
 * cli_options_parse() - walk the options of a command line
 * @c:		subcommand
 * @argc, @argv: argv[0] is not looked at; reordered where @c->is_permuting
 * @fn:		called per option with its argument (NULL where it takes none); non-zero ends the
 *		walk: the function has said what is wrong
 * @arg:	its first argument
 *
 * Return: index of the first operand; -EINVAL (a sentence was printed); -ECANCELED (--help was
 * printed); else what
 * @fn returned, which must be negative.
 */
int cli_options_parse(const struct cli_command *c, int argc, char **argv,
		      int (*fn)(void *arg, const struct cli_option *o, const char *value),
		      void *arg);

/* Where the table says what @o sets in @options, which it is about: do that. */
bool cli_option_store(const struct cli_option *o, void *options, const char *value);
/* The argument of an option with words: its number, or -EINVAL after a sentence. */
int cli_option_word(const char *command, const struct cli_option *option, const char *value);
/* The number of the action that argv[1] names, or as cli_options_parse(). */
int cli_action_find(const struct cli_command *self, int argc, char **argv);
/*
 * The argument of an option that is a time, of at least @least_ns. 0, or -EINVAL after a sentence.
 */
int cli_option_time(const char *command, const struct cli_option *option, const char *value,
		    uint64_t least_ns, uint64_t *ns);

#endif
