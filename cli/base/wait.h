/* SPDX-License-Identifier: MIT */
/* Wait for the end of processes and threads that are not children. */
#ifndef CLI_BASE_WAIT_H
#define CLI_BASE_WAIT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct cli_wait - what is waited for
 * @pid:	processes or threads, borrowed
 * @fd:		a pidfd each; -1: ended, -2: cannot be polled, is looked at now and then
 * @n:		of both; 0: nothing ends by itself
 */
struct cli_wait {
	const int *pid;
	int *fd;
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

/* CLOCK_MONOTONIC in ns */
uint64_t cli_now_ns(void);

/*
 * Waits of this thread end when they should, not up to 50 us later (timer slack). Commands that are
 * started meanwhile inherit it.
 */
void cli_wait_exactly(bool is_on);

#endif
