/* SPDX-License-Identifier: MIT */
/*
 * A process that starts the same commands again and again. It is forked once; what it starts shares
 * its memory until exec (CLONE_VFORK), so that no run pays for a copy of this process, and is a
 * child of this process all the same (CLONE_PARENT). Commands that are compared have one launcher:
 * with one each, the CPU and the memory of a launcher were a difference between them.
 */
#ifndef NTI_LAUNCHER_H
#define NTI_LAUNCHER_H

#include <stddef.h>
#include <stdint.h>

#include "base/os/clock.h"

struct nti_launcher;
struct nti_process;

/*
 * Environment, working directory, signal mask and open files of all runs are those of this moment.
 * 0; -EOPNOTSUPP: there is no such clone(2) here (emulators, sandboxes); -errno.
 */
int nti_launcher_new(char *const *const argv[], size_t commands, struct nti_launcher **out);
/*
 * As nti_process_fork(), of argv[@which]. The launcher must outlive the process. -EBUSY: the last
 * one was not waited for; -EPIPE: the launcher was killed.
 */
int nti_launcher_fork(struct nti_launcher *l, size_t which, struct nti_process *p);
/*
 * Of nti_process_release(): let it exec; 0 or -errno of exec. Once a command has come through, the
 * end of each further run of it tells: it saves a switch to this process in the middle of its
 * beginning.
 */
int nti_launcher_release(struct nti_launcher *l);
/* Of a process that has ended: 0 or -errno of exec; @exec->ns is 0 where nothing was said of it. */
int nti_launcher_end(struct nti_launcher *l, struct nti_moment *exec);
/* End it. NULL is accepted. */
void nti_launcher_free(struct nti_launcher *l);

#endif
