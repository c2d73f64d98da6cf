/* SPDX-License-Identifier: MIT */
/* Pieces of text cut into lines: what front ends of text other than VFIO's share. */
#ifndef NTI_TRACE_LINES_H
#define NTI_TRACE_LINES_H

#include "trace/read/front.h"

/* Records that one line may become. */
#define NTI_LINE_RECORDS 2

/*
 * One line from @p to @end, which is behind its newline; @is_whole: it has one. Appends to @b,
 * which has room for NTI_LINE_RECORDS. False: the line is nobody's, or torn, and nothing was
 * appended.
 */
typedef bool nti_trace_line(void *state, const char *p, const char *end, bool is_whole,
			    struct nti_trace_devices *devices, struct nti_trace_batch *b);

/* parse() of a front end: all lines of @piece. */
ssize_t nti_trace_lines(void *state, const struct nti_trace_piece *piece,
			struct nti_trace_devices *devices, struct nti_trace_batch *b,
			nti_trace_line *parse);

#endif
