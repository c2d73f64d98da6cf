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

/* What became of a line: nothing, or what it was, with an event's name that goes on otherwise. */
enum nti_line { NTI_LINE_OTHER, NTI_LINE_DONE, NTI_LINE_TORN };

/*
 * The @n bytes of a line without escapes and the white space around it, each white space a blank.
 * Returns the bytes in @out, room for NTI_CLEAN_BYTES; 0: it has none around it, or is too long.
 */
size_t nti_line_clean(const char *p, size_t n, char *out);

/*
 * match() of a front end: what @score gives for the first line of a head, as it stands or as a
 * terminal shows it, that it does not give 0 for. The head may end in a part of a line.
 */
int nti_trace_lines_match(const char *head, size_t n, int (*score)(const char *p, size_t n));

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
