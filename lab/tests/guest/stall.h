/* SPDX-License-Identifier: MIT */
/*
 * Memory that comes when a stranger likes: pages of a file of a file system that is a program of
 * his (FUSE). Whoever touches one is held in the kernel, in the middle of whatever he does.
 */
#ifndef LAB_STALL_H
#define LAB_STALL_H

#include <stdbool.h>

#include "lab/tests/guest/driver.h"

#define LAB_STALLS 32 /* programs that can be held at a time */

/* What one of them does, given a page of such memory. Nothing of cmocka may be called in @fn. */
struct lab_stalled {
	const char *what;
	const struct lab_user *user; /* as whom */
	long (*fn)(void *page, void *arg);
	void *arg;
	long ret; /* what @fn returned, when it was let go */
	/* The rest is lab_stall_begin()'s. */
	pid_t pid;
};

/*
 * Start all of them, and wait until each is held. Ends the test where one ends instead, and skips
 * it where a stranger cannot have such memory. To be ended by lab_stall_end(), whatever happened
 * meanwhile.
 */
void lab_stall_begin(struct lab_stalled *stalled, size_t count);
/*
 * The same memory, LAB_STALLS pages of it, for whoever maps the file that is returned: each touch
 * of a page that nobody has read is held for @turns (at least 1) times 10 ms at most. -ENODEV:
 * nobody can have such memory here. To be ended by lab_stall_end().
 */
int lab_stall_lend(unsigned int turns);
/* Let them go, and have what they returned. */
void lab_stall_end(void);
/* Is this process one of them, or the stranger's program? */
bool lab_stall_has(pid_t pid);

/*
 * Do @fn in a child while others are held. What it returned; -ETIMEDOUT: it did not end, and is
 * told with where it waits. Nothing of cmocka may be called in @fn.
 */
long lab_stall_try(const char *what, const struct lab_user *user, long (*fn)(void *arg), void *arg);
/* How many processes wait without end (state D) that are none of those; each is told. */
unsigned int lab_stall_stuck(void);

#endif
