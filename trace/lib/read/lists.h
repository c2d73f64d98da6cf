/* SPDX-License-Identifier: MIT */
/*
 * Lists of register operations stand in a trace twice: as the driver handed them in and as they
 * came back. Both are the same accesses, so the first is kept here until the second has come, and
 * what of it came back is forgotten. What never comes back is given at the end of the list behind,
 * or of the trace.
 */
#ifndef NTI_TRACE_LISTS_H
#define NTI_TRACE_LISTS_H

#include "trace/lib/base/batch.h"

/* .value of NTIME_RECORD_LIST */
enum { NTI_LIST_IN = 0, NTI_LIST_BACK = 1, NTI_LIST_NEVER_BACK = 2 };

/**
 * struct nti_lists - zeroed at first
 * @held:	the list that was handed in, its mark first
 * @out:	a batch in the making
 * @back:	accesses of it that came back
 * @is_request, @is_return: what the list is that we are in
 */
struct nti_lists {
	struct nti_trace_batch held, out;
	size_t back;
	bool is_request, is_return;
};

/* Take lists that come back out of @b. 0 or -ENOMEM. */
int nti_lists_settle(struct nti_lists *l, struct nti_trace_batch *b);

/* The trace has ended: what never came back is put behind the records of @b. 0 or -ENOMEM. */
int nti_lists_end(struct nti_lists *l, struct nti_trace_batch *b);

void nti_lists_fini(struct nti_lists *l);

#endif
