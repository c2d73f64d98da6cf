/* SPDX-License-Identifier: MIT */
/* A reader's inside: input, front end, what was learnt, what is counted. */
#ifndef NTI_TRACE_TRACE_H
#define NTI_TRACE_TRACE_H

#include <ntime/trace/trace.h>

#include "base/common/error.h"
#include "trace/lib/base/batch.h"
#include "trace/lib/read/lists.h"
#include "trace/lib/read/pieces.h"

struct nti_filter_view;
struct nti_input;
struct nti_trace_devices;
struct nti_trace_front;

/* A piece and its records. */
struct nti_lane {
	char *block;
	void *state; /* the front end's */
	struct nti_trace_batch b;
	struct nti_cut cut;
	bool is_end; /* nothing comes behind: what is kept is given */
};

/* Regions, by device and number: two that share a bit are told as one. */
#define NTI_MAPPED_BITS 4096u

/* What is counted for ntime_trace_warnings(). */
struct nti_trace_losses {
	uint8_t mapped[NTI_MAPPED_BITS / 8]; /* regions that are known to be mapped */
	uint64_t lost_marks, lost_records, torn, restarts, mmaps, ioeventfds, mirror, backwards;
	uint64_t nameless, unplaced, zeros, longs, reworded;
	uint64_t cut; /* of .torn, in the last line */
	uint64_t torn_at[NTI_TORN_LINES];
	uint64_t unvalued, unknown, unreturned;
	uint64_t asked; /* of .unvalued, in the last list that was handed in: its answer may come */
	bool is_asking, is_unanswered;
};

struct ntime_trace {
	struct ntime_trace_ctx *ctx;
	struct nti_input *in;
	struct nti_pieces pieces;
	const struct nti_trace_front *front;
	struct nti_trace_devices *devices;
	void *order; /* the front end's */
	struct nti_lists lists;
	bool has_ended_lists;
	struct nti_filter_view *filter;
	struct nti_lane lane;
	struct nti_error error; /* of the input; told when what is before it was given */
	uint32_t flags;

	uint64_t lines, records, accesses, kept, others;
	uint64_t first_ns, last_ns, newest_ns; /* newest: the latest so far */
	bool is_timed, is_ended, has_style;
	const char *style;
	uint32_t clock;
	struct nti_trace_losses losses;
};

#endif
