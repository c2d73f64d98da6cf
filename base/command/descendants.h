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

/* Before anything is started: who starts ntime by exec may have children, which are not ours. */
void cli_descendants_look(void);
/*
 * @command exists and waits before exec: the children that there are by now are not its own. From
 * now on those that it leaves are adopted, and reaped when they end. Where a child of before
 * cli_descendants_look() is still there nothing is adopted: what that one leaves would look alike.
 */
void cli_descendants_begin(pid_t command);
/* Nothing is adopted any more. */
void cli_descendants_finish(void);
/*
 * After the end of the command: how many that it left run now. The times of those that have ended
 * are added to *@used, which may be NULL.
 */
size_t cli_descendants_left(struct rusage *used);
/* Wait until one of them ends or a signal comes, at most @timeout_ns. */
void cli_descendants_wait(uint64_t timeout_ns);
/* @sig to @command (0: it has ended) and to all that it started, however deep. */
void cli_descendants_signal(pid_t command, int sig);
/* End those that the command left: SIGTERM, and SIGKILL @grace_ns later. @used as above. */
void cli_descendants_end(uint64_t grace_ns, struct rusage *used);

#endif
