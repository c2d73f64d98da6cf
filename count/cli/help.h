/* SPDX-License-Identifier: MIT */
/* What ntime is and which subcommands it has. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

void cli_help_overview(FILE *f);

#endif
