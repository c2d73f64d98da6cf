// SPDX-License-Identifier: MIT
/* One context for all tests of a program. */
#include <stddef.h>

#include "trace/tests/lib/context.h"

struct ntime_trace_ctx *tt_ctx;

int tt_open_context(void **state)
{
	(void)state;
	return ntime_trace_ctx_new(&tt_ctx, NULL);
}

int tt_close_context(void **state)
{
	(void)state;
	ntime_trace_ctx_free(tt_ctx);
	return 0;
}
