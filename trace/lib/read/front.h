/* SPDX-License-Identifier: MIT */
/*
 * Front ends: one way of writing a trace each, turned into records.
 *
 * Reading has two steps. parse() looks at a piece of the input alone; what it cannot know from the
 * piece (which region a physical address is in, the second line of an event whose first one was in
 * the piece before) it leaves as it stands. settle() goes over the batches and completes them; it
 * must be cheap where there is nothing to do. The filter is applied behind settle(), or by
 * the parser itself where the front end has no settle().
 *
 * So that VFIO text can be written again as it was read (trace/lib/write/to_vfio.c):
 * - A mark whose event the fields do not tell whole (INTERRUPT, MMAP, MMAP_SWITCH, IOEVENTFD,
 *   QUIRK_*, EVENT, and whatever differs from what QEMU 2.6 and later write) has in .text the event
 *   from its name on, as it stood, the lines of one event with '\n' between. An access in another
 *   form ("memory_region_ops_write ...") does the same. REGION has the region's name; where the
 *   line says more than region_setup with the offset region << 40, an EVENT with the line comes
 *   first and the REGION is NTIME_RECORD_SYNTHETIC.
 * - Records with NTIME_RECORD_SYNTHETIC and lines of STYLE are not written.
 * - STYLE's .text is what stands in front of the events from here on: letters as they are, and "%t"
 *   thread, "%s" seconds, "%u" six digits of microseconds, "%f" nine of nanoseconds in place of
 *   them, "%n" nanoseconds of the whole time, "%i" ISO 8601 in UTC with "Z" (the fraction, six
 *   digits, only when it is not 0), "%%"; at its end "%r", a carriage return in front of the
 *   newline of each event. "vfio: " alone means the form of QEMU before 2.3 ("vfio:
 *   vfio_bar_write(DEV:BAR2+0x74, 0x1f000, 4)"). The first STYLE comes before the first event; a
 *   trace without one is written plain.
 * - OTHER has the line as it stood, without its newline.
 */
#ifndef NTI_TRACE_FRONT_H
#define NTI_TRACE_FRONT_H

#include <sys/types.h>

#include "trace/lib/base/batch.h"

struct nti_trace_devices;
struct nti_trace_filter_view;

/**
 * struct nti_trace_piece - a part of the input
 * @bytes, @n:	whole lines, or whatever is there of a binary form; 64 readable bytes follow
 *		behind @n
 * @is_last:	the input ends here: what is not complete will not become so
 * @gives_others: lines of other origin become records
 */
struct nti_trace_piece {
	const char *bytes;
	size_t n;
	bool is_last;
	bool gives_others;
};

/**
 * struct nti_trace_front - one form
 * @form:	enum ntime_trace_form
 * @name:	for people
 * @clock:	enum ntime_trace_clock that its times are of, unless a style says otherwise
 * @has_lists:	records may be of lists of operations that come twice
 * @is_text:	pieces may be cut behind any newline and be parsed apart from each other
 * @state_bytes: memory that parse() keeps from piece to piece (guesses that make it fast; for forms
 *		that are not text, the state of the whole), zeroed at the start
 * @order_bytes: memory of settle(), one a trace, zeroed at the start
 * @match:	how sure it is that input beginning with these bytes is of this form: 0 no, 100
 *		certain
 * @refuse:	why input that begins so is of this form but not read: part of a sentence, NULL: it
 *		is read; the member may be NULL
 * @parse:	append to @b; returns the bytes used of @piece (all of them for text), or -EBADMSG
 *		(of binary forms: damaged). Takes device names through @devices; where settle() does
 *		so, parse() does not, for numbers follow the trace
 * @settle:	complete @b; NULL: nothing to do
 * @end:	free what @state holds; NULL: nothing
 */
struct nti_trace_front {
	uint32_t form;
	const char *name;
	uint32_t clock;
	bool is_text;
	bool has_lists;
	size_t state_bytes;
	size_t order_bytes;
	int (*match)(const char *head, size_t n);
	const char *(*refuse)(const char *head, size_t n);
	ssize_t (*parse)(void *state, const struct nti_trace_piece *piece,
			 struct nti_trace_devices *devices, struct nti_trace_batch *b);
	int (*settle)(void *order, struct nti_trace_devices *devices, struct nti_trace_batch *b);
	void (*end)(void *state);
};

extern const struct nti_trace_front nti_trace_vfio;
extern const struct nti_trace_front nti_trace_simple;
extern const struct nti_trace_front nti_trace_mmiotrace;
extern const struct nti_trace_front nti_trace_demmt;
extern const struct nti_trace_front nti_trace_binary;

#endif
