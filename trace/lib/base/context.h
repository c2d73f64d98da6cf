/* SPDX-License-Identifier: MIT */
/*
 * The context's inside: the last error, the log, and the operating system that trace/lib/vfio looks
 * at.
 */
#ifndef NTI_TRACE_CONTEXT_H
#define NTI_TRACE_CONTEXT_H

#include <ntime/trace/context.h>

#include "base/common/error.h"
#include "base/os/os.h"

struct ntime_trace_ctx {
	struct nti_error error;
	struct nti_os *os;
	void (*log)(void *arg, const char *line);
	void *log_arg;
};

/* One line to the context's log, if it has one: "regdb: ...". */
void nti_trace_log(struct ntime_trace_ctx *ctx, const char *format, ...) NTI_PRINTF(2, 3);

#endif
