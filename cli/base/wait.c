// SPDX-License-Identifier: MIT
/* Wait for the end of processes and threads that are not children. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/wait.h"
#include "cli/output/memory.h"

#define ENDED (-1)
#define NO_PIDFD (-2)
/*
 * How often a thread without pidfd is looked at; the end of a measurement is late by at most this.
 */
#define LOOK_NS 50000000ull

uint64_t cli_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * pidfd_open(2) is there since Linux 5.3 and takes thread group leaders only; everything else is
 * asked with kill(2).
 */
static int wait_for(int pid)
{
	long fd = syscall(SYS_pidfd_open, pid, 0);

	if (fd >= 0)
		return (int)fd;
	return errno == ESRCH ? ENDED : NO_PIDFD;
}

void cli_wait_init(struct cli_wait *w, const int *pid, size_t n)
{
	*w = (struct cli_wait){ .pid = pid, .n = n };
	w->fd = cli_calloc(n ? n : 1, sizeof(*w->fd));
	for (size_t i = 0; i < n; i++)
		w->fd[i] = wait_for(pid[i]);
}

void cli_wait_fini(struct cli_wait *w)
{
	for (size_t i = 0; w->fd && i < w->n; i++)
		if (w->fd[i] >= 0)
			close(w->fd[i]);
	free(w->fd);
	*w = (struct cli_wait){ 0 };
}

/*
 * Strike out who has ended; the first descriptor still to be waited for goes to @p. Returns whether
 * all have ended.
 */
static bool look(struct cli_wait *w, struct pollfd *p, bool *has_blind)
{
	bool all = w->n > 0;

	p->fd = -1;
	*has_blind = false;
	for (size_t i = 0; i < w->n; i++) {
		if (w->fd[i] >= 0) {
			struct pollfd one = { .fd = w->fd[i], .events = POLLIN };

			if (poll(&one, 1, 0) == 1) {
				close(w->fd[i]);
				w->fd[i] = ENDED;
			} else {
				p->fd = w->fd[i];
			}
		} else if (w->fd[i] == NO_PIDFD) {
			if (kill(w->pid[i], 0) && errno == ESRCH)
				w->fd[i] = ENDED;
			else
				*has_blind = true;
		}
		all = all && w->fd[i] == ENDED;
	}
	return all;
}

int cli_wait_until(struct cli_wait *w, uint64_t deadline_ns, const sigset_t *mask)
{
	for (;;) {
		struct pollfd p = { .events = POLLIN };
		uint64_t now, wait;
		struct timespec time;
		bool has_blind;

		if (look(w, &p, &has_blind))
			return 1;
		now = cli_now_ns();
		if (now >= deadline_ns)
			return 0;
		wait = deadline_ns - now;
		if (has_blind && wait > LOOK_NS)
			wait = LOOK_NS;
		time.tv_sec = (time_t)(wait / 1000000000u);
		time.tv_nsec = (long)(wait % 1000000000u);
		/* All must end, so waiting for any one of those that still run is enough. */
		if (ppoll(&p, 1, deadline_ns == UINT64_MAX && !has_blind ? NULL : &time, mask) < 0)
			return -errno;
	}
}

void cli_wait_exactly(bool is_on)
{
	/* 0 is what the thread began with: prctl(2), PR_SET_TIMERSLACK. */
	(void)prctl(PR_SET_TIMERSLACK, is_on ? 1ul : 0ul);
}
