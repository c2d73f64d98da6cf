/* SPDX-License-Identifier: MIT */
/*
 * What file is executed, and what it does to who is allowed to look into the process.
 */
#ifndef NTI_EXEC_FILE_H
#define NTI_EXEC_FILE_H

#include <limits.h>
#include <stdbool.h>

/*
 * Where execvp(3) finds @name: in @path. 0; -ENOENT; -EACCES: what has the name may not be
 * executed; or -errno.
 */
int nti_exec_find(const char *name, char path[PATH_MAX]);

/*
 * Does the kernel forbid others to look into the process when this user executes @name, which is
 * looked up as execvp(3) does? It does for set-uid and set-gid programs, those with capabilities of
 * their own, and those that the user cannot read; and it takes perf's counters off the process
 * then. False also where there is no such file. Linux 6.1, fs/exec.c, begin_new_exec().
 */
bool nti_exec_is_protected(const char *name);

#endif
