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

#endif
