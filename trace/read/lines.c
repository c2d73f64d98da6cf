// SPDX-License-Identifier: MIT
/* Lines of a piece, those of other origin among them. */
#include <errno.h>
#include <string.h>

#include "trace/read/lines.h"

/* A line that is nobody's. */
static void add_other(struct nti_trace_batch *b, const char *p, const char *end)
{
	struct ntime_record *r = &b->rec[b->n];
	bool is_whole = end > p && end[-1] == '\n';

	*r = (struct ntime_record){ .kind = NTIME_RECORD_OTHER, .device = NTIME_DEVICE_NONE };
	if (is_whole)
		end--;
	else
		r->value = NTI_OTHER_CUT;
	r->text = nti_trace_batch_text(b, p, (size_t)(end - p));
	b->n++;
}

ssize_t nti_trace_lines(void *state, const struct nti_trace_piece *piece,
			struct nti_trace_devices *devices, struct nti_trace_batch *b,
			nti_trace_line *parse)
{
	const char *p = piece->bytes, *end = p + piece->n, *next;
	size_t before;

	for (; p < end; p = next) {
		next = memchr(p, '\n', (size_t)(end - p));
		next = next ? next + 1 : end;
		if (nti_trace_batch_reserve(b, NTI_LINE_RECORDS) < 0)
			return -ENOMEM;
		b->lines++;
		before = b->n;
		if (parse(state, p, next, next[-1] == '\n', devices, b)) {
			if (b->n > before && nti_record_is_access(&b->rec[b->n - 1]))
				b->accesses++;
			continue;
		}
		b->torn += next[-1] != '\n';
		b->cut += next[-1] != '\n';
		b->others += next[-1] == '\n';
		if (piece->gives_others)
			add_other(b, p, next);
	}
	return (ssize_t)piece->n;
}
