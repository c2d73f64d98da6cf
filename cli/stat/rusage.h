/* SPDX-License-Identifier: MIT */
/* Events that wait4(2) counts as well: its figure stands in where the counter is refused. */
#ifndef CLI_STAT_RUSAGE_H
#define CLI_STAT_RUSAGE_H

#include <stdbool.h>

#include <ntime/command.h>
#include <ntime/value.h>

/*
 * What the kernel's account of the command has of event @name. True if it has it; *@out is then a
 * value of its own. The account begins at fork, not at exec: docs/counting.md, "What wait4(2)
 * adds".
 */
bool cli_rusage_value(const char *name, const struct ntime_command_end *end,
		      struct ntime_value *out);

#endif
