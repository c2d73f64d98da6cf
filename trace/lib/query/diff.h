/* SPDX-License-Identifier: MIT */
/* Two traces that are compared, inside: what the cost of tracing is worked out from as well. */
#ifndef NTI_TRACE_DIFF_H
#define NTI_TRACE_DIFF_H

#include <ntime/trace/diff.h>

#include "trace/lib/query/diff_log.h"

/* What was told of a device. */
struct nti_diff_device {
	char *name; /* NULL: nothing */
	bool is_pci;
	uint32_t domain, bus_devfn;
};

/**
 * struct nti_diff_side - one of the two
 * @log:	its steps
 * @device:	@devices of them
 */
struct nti_diff_side {
	struct nti_diff_log log;
	struct nti_diff_device *device;
	size_t devices;
};

/*
 * Values of changed[] beside 0 and 1 of nti_align(): the step belongs to one that has another
 * value.
 */
#define NTI_STEP_SAME 0
#define NTI_STEP_ONLY 1
#define NTI_STEP_VALUE 2

/**
 * struct ntime_trace_diff - the comparison
 * @side:	both traces
 * @is_joined:	both number accesses as the first one does
 * @is_aligned:	changed[] of both is filled
 * @in_b:	by number of an access: 1 + the number it had in the second trace alone, 0 if it is
 *		not there
 */
struct ntime_trace_diff {
	struct ntime_trace_ctx *ctx;
	struct ntime_trace_diff_options o;
	struct nti_diff_side side[2];
	bool is_joined, is_aligned;
	uint32_t *in_b;
};

/* Give the accesses of both traces the same numbers. 0 or -ENOMEM. */
int nti_diff_join(struct ntime_trace_diff *d);
/* Fill changed[] of both. 0 or -ENOMEM. */
int nti_diff_align(struct ntime_trace_diff *d);

#endif
