/* SPDX-License-Identifier: MIT */
/* Wait for the end of processes and threads that are not children. */
#ifndef CLI_BASE_WAIT_H
#define CLI_BASE_WAIT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the end of one is seen. Its number may be another's by then: only the last asks for that. */
enum cli_waited_by {
	CLI_WAITED_ENDED,
	CLI_WAITED_PIDFD,
	CLI_WAITED_FOLDER, /* /proc/PID, which is empty then; looked at now and then */
	CLI_WAITED_NUMBER, /* kill(2), now and then */
};

struct cli_waited {
	enum cli_waited_by by;
	int fd; /* pidfd or folder, else -1 */
};

/**
 * struct cli_wait - what is waited for
 * @pid:	processes or threads, borrowed
 * @waited:	one each
 * @n:		of both; 0: nothing ends by itself
 */
struct cli_wait {
	const int *pid;
	struct cli_waited *waited;
	size_t n;
};

/* Processes that are gone already count as ended. */
void cli_wait_init(struct cli_wait *w, const int *pid, size_t n);
void cli_wait_fini(struct cli_wait *w);

/*
 * Wait until all have ended or @deadline_ns of CLOCK_MONOTONIC is reached (UINT64_MAX: never), with
 * the signals of @mask blocked during the wait. 1 all ended, 0 time is over, -EINTR a signal came.
 */
int cli_wait_until(struct cli_wait *w, uint64_t deadline_ns, const sigset_t *mask);

/*
 * The first that has ended, @n if none has. Who opens something by number asks afterwards: what was
 * opened of one that had not ended by then is its own.
 */
size_t cli_wait_find_ended(struct cli_wait *w);

/* CLOCK_MONOTONIC in ns */
uint64_t cli_now_ns(void);

/*
 * Waits of this thread end when they should, not up to 50 us later (timer slack). Commands that are
 * started meanwhile inherit it.
 */
void cli_wait_exactly(bool is_on);

#endif
