/* SPDX-License-Identifier: MIT */
/* Help texts made from the tables of the subcommands. */
#ifndef CLI_BASE_HELP_H
#define CLI_BASE_HELP_H

#include <stdio.h>

#include "cli/base/command.h"

/* Usage, options and details of one subcommand. */
void cli_help_print(FILE *f, const struct cli_command *c);

/* What ntime is and which subcommands it has. */
void cli_help_overview(FILE *f);

/*
 * One line per option, of actions with "subcommand action" in front:
 * "subcommand<TAB>--long<TAB>-s<TAB>ARG<TAB>help"; empty where there is no letter or argument.
 */
void cli_help_complete(FILE *f);

#endif
