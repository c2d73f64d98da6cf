/* SPDX-License-Identifier: MIT */
/* Which subcommands there are; main.c has the table. */
#ifndef CLI_SHARED_COMMANDS_H
#define CLI_SHARED_COMMANDS_H

#include "base/command/command.h"

/*
 * All of them, as CLI_SUBCOMMANDS of count/cli/meson.build names them, then those that are hidden;
 * NULL ends. The first is what a bare "ntime PROG" means.
 */
extern const struct cli_command *const cli_commands[];

/* Exact name, or NULL. */
const struct cli_command *cli_command_find(const char *name);

#endif
