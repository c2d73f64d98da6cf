/* SPDX-License-Identifier: MIT */
/* What records tell of the trace they are in, in their order. */
#ifndef NTI_TRACE_LEARN_H
#define NTI_TRACE_LEARN_H

#include "trace/lib/read/trace.h"

/* Count and learn from a batch that is complete. */
void nti_trace_learn(struct ntime_trace *t, const struct nti_trace_batch *b);

/* The file was cut or replaced: a mark that says that something may be missing. 0 or -ENOMEM. */
int nti_trace_learn_restart(struct ntime_trace *t, struct nti_trace_batch *b);

#endif
