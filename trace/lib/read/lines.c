// SPDX-License-Identifier: MIT
/* Lines of a piece, those of other origin among them. */
#include <errno.h>
#include <string.h>

#include "trace/lib/read/lines.h"

/* Bytes of what stands at @p and is not seen, 0: none. ECMA-48 5.4 has the sequences. */
static size_t unseen(const char *p, const char *end)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */
	const char *q = p + 1;

	if ((size_t)(end - p) >= sizeof(mark) - 1 && memcmp(p, mark, sizeof(mark) - 1) == 0)
		return sizeof(mark) - 1;
	if (*p != NTI_ESCAPE || q == end)
		return *p == NTI_ESCAPE;
	if (*q == ']') {
		while (q < end && *q != '\a' && *q != NTI_ESCAPE)
			q++;
		return (size_t)(q - p) + (q < end) + (end - q > 1 && *q == NTI_ESCAPE);
	}
	for (q += *q == '['; q < end && *q >= ' ' && *q < '@';)
		q++;
	return (size_t)(q - p) + (q < end);
}

/* Bytes of the white space at @p, 0: none. */
static size_t white(const char *p, const char *end)
{
	/* What looks like a blank, in UTF-8. */
	if (end - p > 1 && p[0] == '\xc2' && p[1] == '\xa0')
		return 2;
	return *p == ' ' || (*p >= '\t' && *p <= '\r');
}

size_t nti_line_clean(const char *p, size_t n, char *out)
{
	const char *end = p + n;
	size_t bytes = 0, skip;

	if (!n || n > NTI_CLEAN_BYTES ||
	    !(unseen(p, end) || white(p, end) || white(end - 1, end) || memchr(p, NTI_ESCAPE, n)))
		return 0;
	while (p < end) {
		skip = unseen(p, end);
		if (!skip && (skip = white(p, end)) && bytes)
			out[bytes++] = ' ';
		if (!skip)
			out[bytes++] = *p;
		p += skip ? skip : 1;
	}
	while (bytes && out[bytes - 1] == ' ')
		bytes--;
	return bytes;
}

int nti_trace_lines_match(const char *head, size_t n, int (*score)(const char *p, size_t n))
{
	const char *p = head, *end = head + n, *eol;
	char shown[NTI_CLEAN_BYTES];
	int found = 0;

	for (; p < end && !found; p = eol + 1) {
		eol = memchr(p, '\n', (size_t)(end - p));
		if (!eol)
			break;
		found = score(p, (size_t)(eol - p));
		/* Something may stand in front of its text. */
		if (!found && ((unsigned char)*p <= ' ' || (unsigned char)*p >= 0x80))
			found = score(shown, nti_line_clean(p, (size_t)(eol - p), shown));
	}
	return found;
}

/* A line that is nobody's. */
static void add_other(struct nti_trace_batch *b, const char *p, const char *end)
{
	bool is_whole = end > p && end[-1] == '\n';
	struct ntime_record *r =
		nti_trace_batch_add(b, NTIME_RECORD_OTHER, p, (size_t)(end - p) - is_whole);

	if (r && !is_whole)
		r->value = NTI_OTHER_CUT;
}

/* A line that @parse does not know, as a terminal shows it; @found: what it is else. */
static enum nti_line __attribute__((noinline))
parse_shown(void *state, const char *p, const char *end, bool is_whole,
	    struct nti_trace_devices *devices, struct nti_trace_batch *b, nti_trace_line *parse,
	    enum nti_line found)
{
	char shown[NTI_CLEAN_BYTES];
	size_t n = nti_line_clean(p, (size_t)(end - p) - is_whole, shown);

	return n ? parse(state, shown, shown + n, is_whole, devices, b) : found;
}

ssize_t nti_trace_lines(void *state, const struct nti_trace_piece *piece,
			struct nti_trace_devices *devices, struct nti_trace_batch *b,
			nti_trace_line *parse)
{
	const char *p = piece->bytes, *end = p + piece->n, *next;
	enum nti_line found;
	size_t before;
	bool is_cut;

	for (; p < end; p = next) {
		next = memchr(p, '\n', (size_t)(end - p));
		next = next ? next + 1 : end;
		if (nti_trace_batch_reserve(b, NTI_LINE_RECORDS) < 0)
			return -ENOMEM;
		b->lines++;
		before = b->n;
		is_cut = next[-1] != '\n';
		found = parse(state, p, next, !is_cut, devices, b);
		if (found != NTI_LINE_DONE)
			found = parse_shown(state, p, next, !is_cut, devices, b, parse, found);
		if (found == NTI_LINE_DONE) {
			if (b->n > before && nti_record_is_access(&b->rec[b->n - 1]))
				b->accesses++;
			continue;
		}
		if (is_cut || found == NTI_LINE_TORN)
			nti_trace_batch_torn(b, is_cut);
		else
			b->others++;
		if (piece->gives_others)
			add_other(b, p, next);
	}
	return (ssize_t)piece->n;
}
