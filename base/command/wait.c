// SPDX-License-Identifier: MIT
/* Wait for the end of processes and threads that are not children. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/command/wait.h"
#include "base/output/memory.h"

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
 * pidfd_open(2) is there since Linux 5.3, and for threads that lead no group since 6.9. Else the
 * folder of procfs is held, which stays that of the one it was opened for, and where there is none
 * its number is asked for by kill(2).
 */
static struct cli_waited wait_for(int pid)
{
	char path[32];
	long fd = syscall(SYS_pidfd_open, pid, 0);

	if (fd >= 0)
		return (struct cli_waited){ CLI_WAITED_PIDFD, (int)fd };
	if (errno == ESRCH)
		return (struct cli_waited){ CLI_WAITED_ENDED, -1 };
	(void)snprintf(path, sizeof(path), "/proc/%d", pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return (struct cli_waited){ fd < 0 ? CLI_WAITED_NUMBER : CLI_WAITED_FOLDER, (int)fd };
}

void cli_wait_init(struct cli_wait *w, const int *pid, size_t n)
{
	*w = (struct cli_wait){ .pid = pid, .n = n };
	w->waited = cli_calloc(n ? n : 1, sizeof(*w->waited));
	for (size_t i = 0; i < n; i++)
		w->waited[i] = wait_for(pid[i]);
}

static void set_ended(struct cli_waited *one)
{
	if (one->fd >= 0)
		close(one->fd);
	*one = (struct cli_waited){ CLI_WAITED_ENDED, -1 };
}

void cli_wait_fini(struct cli_wait *w)
{
	for (size_t i = 0; w->waited && i < w->n; i++)
		set_ended(&w->waited[i]);
	free(w->waited);
	*w = (struct cli_wait){ 0 };
}

static bool has_ended(struct cli_waited *one, int pid)
{
	struct pollfd p = { .fd = one->fd, .events = POLLIN };
	bool is_over = false;

	if (one->by == CLI_WAITED_ENDED)
		return true;
	if (one->by == CLI_WAITED_PIDFD)
		is_over = poll(&p, 1, 0) == 1;
	else if (one->by == CLI_WAITED_FOLDER)
		is_over =
			faccessat(one->fd, "stat", F_OK, 0) && (errno == ENOENT || errno == ESRCH);
	else
		is_over = kill(pid, 0) && errno == ESRCH;
	if (is_over)
		set_ended(one);
	return is_over;
}

size_t cli_wait_find_ended(struct cli_wait *w)
{
	size_t i = 0;

	while (i < w->n && !has_ended(&w->waited[i], w->pid[i]))
		i++;
	return i;
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
		if (has_ended(&w->waited[i], w->pid[i]))
			continue;
		all = false;
		if (w->waited[i].by == CLI_WAITED_PIDFD)
			p->fd = w->waited[i].fd;
		else
			*has_blind = true;
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
