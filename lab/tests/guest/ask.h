/* SPDX-License-Identifier: MIT */
/*
 * One event, counted by the library in a process of its own, which may be another user's or may be
 * forbidden a system call.
 */
#ifndef LAB_ASK_H
#define LAB_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include <ntime/ntime.h>

/* Turns of lab_spin() that are counted. */
#define LAB_ASK_TURNS 100000

/**
 * struct lab_question - how to count what
 * @event:	as in ntime_session_add()
 * @cpus:	these CPUs; NULL: the asking thread
 * @as_user:	as an ordinary user, uid 1000
 * @tested:	with self-tests, which otherwise are not what is asked for
 * @deny:	perf_event_open(2) fails with this errno, as in a container; 0: it is allowed
 */
struct lab_question {
	const char *event, *cpus;
	bool as_user, tested;
	int deny;
};

/**
 * struct lab_answer - what came of it
 * @ret:	first failure of the library's calls from ntime_open() to ntime_session_read(), or 0
 * @error:	ntime_error_text() then
 * @value:	as read, when @ret is 0
 * @reason, @remedy: of the item
 */
struct lab_answer {
	int ret;
	char error[512];
	struct ntime_value value;
	char reason[256], remedy[256];
};

/* 0, or -errno when nobody could be asked. */
int lab_ask(const struct lab_question *question, struct lab_answer *answer);

/* How sysfs calls the core PMU, where it can count in modes of their own; NULL: there is none. */
const char *lab_core_pmu(void);

/* Was perf put into this guest (ntime lab run --with perf)? */
bool lab_has_perf(void);

#endif
