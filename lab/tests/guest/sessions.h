/* SPDX-License-Identifier: MIT */
/*
 * Sessions on the whole machine that a test opens, in a context of its own: a test that failed
 * frees none, and counters that it kept would be in the way of the next one.
 */
#ifndef LAB_SESSIONS_H
#define LAB_SESSIONS_H

#include <stddef.h>
#include <stdint.h>

#include <ntime/ntime.h>

/*
 * Before and behind each test, as cmocka wants it. Within a test: open a context and close it, with
 * all sessions.
 */
int lab_sessions_begin(void **state);
int lab_sessions_end(void **state);
#define LAB_TEST_WITH_SESSIONS(test)                                                               \
	cmocka_unit_test_setup_teardown(test, lab_sessions_begin, lab_sessions_end)

/* Fails the test with the library's sentence if @ret is negative. */
void lab_good(int ret, const char *what);

/* A session of the events of @list through @via (0: any way), opened. */
struct ntime_session *lab_opened(const char *list, uint32_t via);
void lab_session_done(struct ntime_session *s);
struct ntime_item lab_item(const struct ntime_session *s, size_t i);
/*
 * The first event of @list must be said to be in use, with the names of a counter and of its user.
 */
void lab_must_be_refused(const char *list, uint32_t via, const char *counter, const char *whose);
/* A command must say that @counter is in use by this process. */
void lab_command_must_be_refused(const char *line, const char *counter);

#endif
