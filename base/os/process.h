/* SPDX-License-Identifier: MIT */
/*
 * A child process that waits before exec until it is released. Processes are always real, also
 * below another root.
 */
#ifndef NTI_PROCESS_H
#define NTI_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/os/clock.h"

struct nti_launcher;

struct nti_process {
	pid_t pid; /* 0 = none, or reaped */
	int pidfd; /* readable when the child has ended */
	int door;  /* our end: writing releases the child, closing makes it end */
	int news;  /* read end: the moment of exec, then the errno of a failed one or end of file */
	bool is_unheard; /* released, and not a word of exec: it was killed, or ran nothing */
	struct nti_launcher *launcher; /* in place of door and news; NULL once it is reaped */
	/* The child called exec; until it did, or a launcher's has ended: release, or fork. */
	struct nti_moment begin;
	struct nti_moment end;	      /* we learned that it has ended */
	uint64_t max_rss_floor_bytes; /* see struct nti_process_end */
};

/* How it ended. */
struct nti_process_end {
	int status;	  /* wait(2)'s */
	uint64_t real_ns; /* from begin to end */
	/*
	 * Most that was resident of the child before exec, a copy of this process: usage.ru_maxrss
	 * is never below it, whatever the command needed. 0: not known.
	 */
	uint64_t max_rss_floor_bytes;
	struct rusage usage;
};

/* What tells one process from all others that ever were. */
struct nti_process_identity {
	pid_t pid;
	uint64_t started_ticks; /* since boot, as /proc/PID/stat has it; 0: not known */
	char boot[40];		/* /proc/sys/kernel/random/boot_id; "-": not known */
	char command[64];	/* command line, cut; anything but printable ASCII is '?' */
};

/* Number of the calling process. */
pid_t nti_process_self(void);
/* The calling one. */
void nti_process_identify(struct nti_process_identity *out);
/* When process @pid was started, in ticks since boot; 0: there is none, or it is not known. */
uint64_t nti_process_started_ticks(pid_t pid);

/*
 * Fork a child that will exec @argv (argv[0] looked up in PATH); it has none of our signal handlers
 * from the start. 0 or -errno; on failure nothing is left.
 */
int nti_process_fork(struct nti_process *p, char *const argv[]);
/* Let it exec. 0, or -errno of exec(3), after which the child is reaped. */
int nti_process_release(struct nti_process *p);
/*
 * 1 ended (and reaped), 0 @timeout_ns is over (UINT64_MAX: never), -EINTR, -ECHILD; -EPIPE: it did
 * not come to exec and could not say why; of a launcher's also -errno of exec.
 */
int nti_process_wait(struct nti_process *p, uint64_t timeout_ns, struct nti_process_end *end);
int nti_process_kill(const struct nti_process *p, int sig);
/* Is there a process or thread of this number, ours or anybody's? */
bool nti_process_exists(pid_t pid);
/*
 * Let the calling thread run on @cpu alone, if it may run there; *@before is then its affinity so
 * far, for nti_process_unpin(). 0; -EPERM: its affinity lacks that CPU; -errno.
 */
int nti_process_pin(unsigned int cpu, void **before);
/* Give the thread its affinity back where @is_undone, and free what was kept of it. */
void nti_process_unpin(void *before, bool is_undone);
/* A byte through a socket; false and errno; EPIPE: the other end is closed. Async-signal-safe. */
bool nti_process_put(int fd, unsigned char byte);
bool nti_process_get(int fd, unsigned char *byte);
/*
 * For a launcher: what exec would do with the caller's handlers, done in the child at once;
 * async-signal-safe. To take over a new child of ours: its pid is set, and if 0 is not returned it
 * is killed; -ENOSYS: pidfd_open(2) is refused. Most that was resident of process @pid, 0: not
 * known.
 */
void nti_process_drop_handlers(void);
int nti_process_hold(struct nti_process *p);
uint64_t nti_process_resident_bytes(pid_t pid);
/* Kill and reap what still runs, close everything. */
void nti_process_fini(struct nti_process *p);

#endif
