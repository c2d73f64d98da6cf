/* SPDX-License-Identifier: MIT */
/* Text of QEMU's VFIO events: the state of its parser. */
#ifndef NTI_TRACE_VFIO_H
#define NTI_TRACE_VFIO_H

#include "trace/lib/read/vfio_event.h"
#include "trace/lib/read/vfio_prefix.h"

/* Beginnings of events that a parser keeps, by the first letters of the name. */
#define NTI_VFIO_BODY_BITS 8
#define NTI_VFIO_BODIES (1 << NTI_VFIO_BODY_BITS)
/* Longest one that is kept: "vfio_region_write  (", a name, ":region"; whole blocks of 16. */
#define NTI_VFIO_BODY_BYTES 112
/* Beginnings of lines that a parser keeps, by thread. */
#define NTI_VFIO_HEAD_BITS 8
#define NTI_VFIO_HEADS (1 << NTI_VFIO_HEAD_BITS)
/* Longest prefix that is kept; whole blocks of 16. */
#define NTI_VFIO_HEAD_BYTES 112
/* Fields of a record from .device on. */
#define NTI_VFIO_TAIL_BYTES 8
/*
 * Devices of other events that a parser keeps, by the last letters of the name; bytes of such a
 * name: of a place of PCI, and more.
 */
#define NTI_VFIO_NAME_BITS 4
#define NTI_VFIO_NAMES (1 << NTI_VFIO_NAME_BITS)
#define NTI_VFIO_NAME_MIN 8
#define NTI_VFIO_NAME_MAX 24

/* What stands from the event's name to the region's number, and the last fields of its record. */
struct nti_vfio_body {
	char text[NTI_VFIO_BODY_BYTES];
	char tail[NTI_VFIO_TAIL_BYTES];
	uint32_t bytes; /* 0: free */
	uint32_t reserved;
};

/* A prefix, and what it means but for the fraction of the second. */
struct nti_vfio_head {
	char text[NTI_VFIO_HEAD_BYTES];
	uint64_t time_ns;
	uint32_t thread;
	uint32_t reserved;
};

/* A device that was asked for. */
struct nti_vfio_name {
	char text[NTI_VFIO_NAME_MAX];
	uint32_t bytes; /* 0: free */
	uint16_t number, reserved;
};

/**
 * struct nti_vfio_guess - what lines have in common
 * @prefix_bytes, @fraction_at, @fraction_bytes, @thread_at, @flags: of prefixes
 * @body_bytes:	of the last event, if it was a read
 */
struct nti_vfio_guess {
	uint32_t prefix_bytes, fraction_at, fraction_bytes, thread_at, flags;
	uint32_t body_bytes;
};

/**
 * struct nti_vfio - what a parser remembers: guesses that are checked against each line
 * @mask:	255 for each letter of a prefix that does not change from line to line
 * @head:	prefixes, by the letters where the thread stands
 * @body:	events, by the first letters of the name
 * @style:	of the last event, without NTI_STYLE_CR, which @has_cr stands for
 * @has_style:	it was told in this piece
 * @is_guessing: what follows is valid
 * @head_spread, @body_spread: odd numbers that spread heads and bodies over their places; others
 *	once two live ones share a place
 * @spreads:	how often that happened
 * @name:	devices: the table of them is everybody's, and has a lock
 *
 * Texts lie at multiples of 16 bytes from the start.
 */
struct nti_vfio {
	char mask[NTI_VFIO_HEAD_BYTES];
	struct nti_vfio_head head[NTI_VFIO_HEADS];
	struct nti_vfio_body body[NTI_VFIO_BODIES];
	char style[NTI_STYLE_BYTES];
	bool has_style, has_cr, is_guessing;
	struct nti_vfio_guess guess;
	uint64_t head_spread, body_spread;
	uint32_t spreads;
	struct nti_vfio_name name[NTI_VFIO_NAMES];
};

/*
 * Remember how an access looked: the prefix at @p of its line; the event at @p, whose record is @r.
 */
void nti_vfio_learn_prefix(struct nti_vfio *v, const char *p, const struct nti_prefix *prefix,
			   size_t bytes);
void nti_vfio_learn_body(struct nti_vfio *v, const char *p, const struct nti_vfio_event *e);

/*
 * Understand the @bytes of a prefix at @p by what was learnt of others. False: nti_prefix_parse()
 * has to.
 */
bool nti_vfio_known_prefix(const struct nti_vfio *v, const char *p, size_t bytes,
			   struct nti_prefix *out);

/*
 * Accesses at @p that look like those before, as far as there is room; returns the first line that
 * is not one. NTI_VFIO_PAD bytes behind @end can be read.
 */
#define NTI_VFIO_PAD 64
const char *nti_vfio_fast(struct nti_vfio *v, const char *p, const char *end,
			  struct nti_trace_batch *b);

#endif
