/* SPDX-License-Identifier: MIT */
/* One context for all tests of a program. */
#ifndef TESTS_TRACE_CONTEXT_H
#define TESTS_TRACE_CONTEXT_H

#include <ntime/trace/context.h>

extern struct ntime_trace_ctx *tt_ctx;

/* For cmocka_run_group_tests(). */
int tt_open_context(void **state);
int tt_close_context(void **state);

#endif
