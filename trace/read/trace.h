/* SPDX-License-Identifier: MIT */
/* A reader's inside: input, front end, what was learnt, what is counted. */
#ifndef NTI_TRACE_TRACE_H
#define NTI_TRACE_TRACE_H

#include <ntime/trace/trace.h>

#include "lib/base/error.h"
#include "trace/base/batch.h"
#include "trace/read/lists.h"
#include "trace/read/pieces.h"

struct nti_filter_view;
struct nti_input;
struct nti_pool;
struct nti_trace_devices;
struct nti_trace_front;

/* What one thread needs to turn a piece into records. */
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
	struct nti_pool
		*pool; /* once ntime_trace_next() was called of a reader with several threads */
	struct nti_error error; /* of the input, which another thread may read */
	uint32_t flags, threads;

	uint64_t lines, records, accesses, kept, others;
	uint64_t first_ns, last_ns, newest_ns; /* newest: the latest so far */
	bool is_timed, is_ended, has_style;
	const char *style;
	uint32_t clock;
	struct nti_trace_losses losses;
};

int nti_lane_init(struct nti_lane *l, const struct nti_trace_front *front);
void nti_lane_fini(struct nti_lane *l, const struct nti_trace_front *front);

/*
 * The three steps of reading. take: the next piece, one thread at a time in turn: 1, 0 at the end,
 * -errno. make: its records, any thread. order: in the order of the pieces, one thread at a time:
 * what records tell is learnt, what is not wanted taken out.
 */
int nti_trace_take(struct ntime_trace *t, struct nti_lane *l);
int nti_trace_make(struct ntime_trace *t, struct nti_lane *l);
int nti_trace_order(struct ntime_trace *t, struct nti_lane *l);

/* May several threads read it? */
bool nti_trace_is_shared(const struct ntime_trace *t);

/* The sentence of the input's error becomes the context's. Returns @code. */
int nti_trace_fail(struct ntime_trace *t, int code);

#endif
