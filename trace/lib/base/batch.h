/* SPDX-License-Identifier: MIT */
/* Records in the making: what a front end fills. */
#ifndef NTI_TRACE_BATCH_H
#define NTI_TRACE_BATCH_H

#include <stdbool.h>

#include <ntime/trace/trace.h>

/**
 * struct nti_trace_batch - records and their texts
 * @base:	where the memory begins
 * @rec:	room for @room records, of which @n are filled; behind @base when settle() took some
 *		away at the front
 * @text:	texts with a NUL behind each, @text_bytes used of @text_room; a record's .text is 1
 *		+ its place here
 * @lines, @accesses, @others, @torn: what was seen while this was filled
 * @unplaced:	devices and regions that settle() had no room for
 * @torn_at:	which of @lines the first of @torn are, without @cut
 * @cut:	those of @torn that the input ends in, for they have no newline
 * @last_style:	1 + place of the last NTIME_RECORD_STYLE as the parser left it; 0: there is none
 * @reworded:	events whose lines are not kept: they will be written in other words
 * @longs:	lines that are longer than a block, of which only the beginning is known
 * @bad_at:	where a binary form is damaged: bytes of the piece in front of that
 * @zeros:	texts with a zero byte in them, which ends them for whoever reads them
 * @error:	-ENOMEM once a text had no room; the records are whole all the same
 */
#define NTI_TORN_LINES 4

struct nti_trace_batch {
	struct ntime_record *base, *rec;
	size_t n, room;
	char *text;
	size_t text_bytes, text_room;
	uint64_t unplaced;
	uint64_t lines, accesses, others, torn, cut;
	uint64_t torn_at[NTI_TORN_LINES];
	uint64_t unreturned; /* lists of operations */
	uint64_t position;
	size_t last_style;
	uint64_t zeros, longs, reworded;
	size_t bad_at;
	int error;
};

int nti_trace_batch_init(struct nti_trace_batch *b, size_t room);
void nti_trace_batch_fini(struct nti_trace_batch *b);
void nti_trace_batch_clear(struct nti_trace_batch *b);

/* Make sure there is room for @n records more. 0 or -ENOMEM. */
int nti_trace_batch_reserve(struct nti_trace_batch *b, size_t n);

/*
 * Keep a text; what .text of a record gets. 0 (no text) when memory is short, and b->error tells.
 */
uint32_t nti_trace_batch_text(struct nti_trace_batch *b, const char *text, size_t bytes);

/*
 * A record more that has nothing but a kind and a text, NULL: none. NULL when memory is short, and
 * b->error tells.
 */
struct ntime_record *nti_trace_batch_add(struct nti_trace_batch *b, uint8_t kind, const char *text,
					 size_t bytes);

/* A copy of a record, whose text is in @text. 0 or -ENOMEM. */
int nti_trace_batch_copy(struct nti_trace_batch *b, const struct ntime_record *r, const char *text);

/* The line that was begun last has an event's name and cannot be read; @is_cut: the input ends. */
static inline void nti_trace_batch_torn(struct nti_trace_batch *b, bool is_cut)
{
	if (!is_cut && b->torn - b->cut < NTI_TORN_LINES)
		b->torn_at[b->torn - b->cut] = b->lines;
	b->torn++;
	b->cut += is_cut;
}

/* Take the first record away. */
static inline void nti_trace_batch_drop(struct nti_trace_batch *b)
{
	b->rec++;
	b->n--;
	b->room--;
}

/* Text of a record, "" without one. */
static inline const char *nti_trace_text(const char *text, const struct ntime_record *r)
{
	return r->text ? text + r->text - 1 : "";
}

/* .value of NTIME_RECORD_OTHER: no newline is behind it, for the trace ends there. */
#define NTI_OTHER_CUT 1

/* Bits of an access by its width. */
static inline uint64_t nti_width_mask(uint8_t width)
{
	return width && width < 8 ? ((uint64_t)1 << 8 * width) - 1 : UINT64_MAX;
}

static inline bool nti_record_is_access(const struct ntime_record *r)
{
	return r->kind <= NTIME_RECORD_WRITE;
}

#endif
