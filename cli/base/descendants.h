/* SPDX-License-Identifier: MIT */
/*
 * What a command leaves running when it ends: a daemon, `&` in a script, a linker that lets its
 * parent go. This process adopts it (prctl(2), PR_SET_CHILD_SUBREAPER), so that it can be found,
 * waited for and ended. Found by /proc/PID/task/TID/children; where the kernel has no such file
 * (CONFIG_PROC_CHILDREN) nothing is found.
 */
#ifndef CLI_BASE_DESCENDANTS_H
#define CLI_BASE_DESCENDANTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* The command exists and waits before exec: the children that there are by now are not its own. */
void cli_descendants_begin(void);
/*
 * After the end of the command: how many that it left run now. Those that have ended are reaped,
 * and their times are added to *@used, which may be NULL.
 */
size_t cli_descendants_left(struct rusage *used);
/* Wait until one of them ends, at most @timeout_ns; -EINTR: a signal came. */
int cli_descendants_wait(uint64_t timeout_ns);
/* @sig to @command (0: it has ended) and to all that it started, however deep. */
void cli_descendants_signal(pid_t command, int sig);
/* End those that the command left: SIGTERM, and SIGKILL @grace_ns later. @used as above. */
void cli_descendants_end(uint64_t grace_ns, struct rusage *used);

#endif
