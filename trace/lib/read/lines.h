/* SPDX-License-Identifier: MIT */
/* Pieces of text cut into lines: what front ends of text other than VFIO's share. */
#ifndef NTI_TRACE_LINES_H
#define NTI_TRACE_LINES_H

#include "trace/lib/read/front.h"

/* Records that one line may become. */
#define NTI_LINE_RECORDS 2
/* Longest line that is tried again as a terminal shows it. */
#define NTI_CLEAN_BYTES 4096
#define NTI_ESCAPE '\033'

/* Does something stand in front of a line's text? */
static inline bool nti_line_has_front(const char *p)
{
	return (unsigned char)*p <= ' ' || (unsigned char)*p >= 0x80;
}

/* What became of a line: nothing, or what it was, with an event's name that goes on otherwise. */
enum nti_line { NTI_LINE_OTHER, NTI_LINE_DONE, NTI_LINE_TORN };

/*
 * The @n bytes of a line without escapes and the white space around it, each white space a blank.
 * Returns the bytes in @out, room for NTI_CLEAN_BYTES; 0: it has none around it, or is too long.
 */
size_t nti_line_clean(const char *p, size_t n, char *out);

/*
 * One line from @p to @end, which is behind its newline; @is_whole: it has one. Appends to @b,
 * which has room for NTI_LINE_RECORDS, if it is done.
 */
typedef enum nti_line nti_trace_line(void *state, const char *p, const char *end, bool is_whole,
				     struct nti_trace_devices *devices, struct nti_trace_batch *b);

/* parse() of a front end: all lines of @piece. */
ssize_t nti_trace_lines(void *state, const struct nti_trace_piece *piece,
			struct nti_trace_devices *devices, struct nti_trace_batch *b,
			nti_trace_line *parse);

#endif
