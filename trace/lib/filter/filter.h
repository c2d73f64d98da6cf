/* SPDX-License-Identifier: MIT */
/* A filter as readers use it: made for one trace, whose devices it asks once each. */
#ifndef NTI_TRACE_FILTER_H
#define NTI_TRACE_FILTER_H

#include <ntime/trace/filter.h>

#include "trace/lib/base/batch.h"

struct nti_filter_view;
struct nti_trace_devices;

/* The view of @f on a trace; one thread's. NULL without memory. */
struct nti_filter_view *nti_filter_view_new(const struct ntime_trace_filter *f,
					    struct nti_trace_devices *devices, bool all_marks);
void nti_filter_view_free(struct nti_filter_view *v);

/*
 * Take out of @b what is not wanted. @first_ns: of the first record of the trace that has a time,
 * UINT64_MAX when there is none yet.
 */
void nti_filter_apply(struct nti_filter_view *v, struct nti_trace_batch *b, uint64_t first_ns);

/* Accesses that came through so far. */
uint64_t nti_filter_accesses(const struct nti_filter_view *v);

#endif
