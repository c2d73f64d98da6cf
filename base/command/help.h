/* SPDX-License-Identifier: MIT */
/* Help texts, and what completion asks for, made from the table of a subcommand. */
#ifndef CLI_BASE_HELP_H
#define CLI_BASE_HELP_H

#include <stdio.h>

#include "base/command/command.h"
#include "base/output/term.h"

/* Usage, options and details of one subcommand. */
void cli_help_print(FILE *f, const struct cli_command *c);

/* The screen, but lines of 100 characters at most; and options on it. */
struct cli_look cli_help_look(FILE *f);
void cli_help_print_options(FILE *f, const struct cli_look *look, const struct cli_option *o);

/* "ntime help NAME ACTION"; an exit status. */
int cli_help_action(const struct cli_command *c, const char *name);

/*
 * A line an option, of those of actions too:
 * "NAME[ ACTION]<TAB>--long<TAB>-s<TAB>ARG<TAB>help"; empty where there is no letter or argument.
 */
void cli_help_options(FILE *f, const struct cli_command *c);

/*
 * What may stand behind @argc words of a command line, argv[0] the subcommand, where that is one of
 * a closed set: behind a subcommand its actions, behind an option its arguments. An exit status.
 */
int cli_help_words(const struct cli_command *c, int argc, char **argv);

#endif
