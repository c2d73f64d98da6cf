/* SPDX-License-Identifier: MIT */
/*
 * Events that the kernel counts for processes without a counter as well: its figure stands in where
 * the counter is refused.
 */
#ifndef CLI_STAT_RUSAGE_H
#define CLI_STAT_RUSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <ntime/command.h>
#include <ntime/value.h>

/*
 * What the kernel's account has of event @name. True if it has it; *@out is then a value of its
 * own. That of a command, wait4(2)'s, begins at fork, not at exec: count/docs/counting.md, "What
 * wait4(2) adds". @is_attached: @end is a difference of two cli_rusage_of().
 */
bool cli_rusage_value(const char *name, const struct ntime_command_end *end, bool is_attached,
		      struct ntime_value *out);

/*
 * CPU time, in steps of 10 ms (proc(5), stat), and page faults so far of processes, or of threads,
 * that run. False where one of them cannot be read.
 */
bool cli_rusage_of(const int *pid, size_t n, bool are_threads, struct ntime_command_end *sum);

#endif
