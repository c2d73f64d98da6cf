// SPDX-License-Identifier: MIT
/*
 * Front end of VFIO text: lines into records.
 *
 * Most lines look like the one before, but for numbers. vfio_fast.c takes those; here is every
 * other, one at a time, and what is learnt from it for the next.
 */
#include <errno.h>
#include <string.h>

#include "trace/lib/base/device.h"
#include "trace/lib/read/event.h"
#include "trace/lib/read/lines.h"
#include "trace/lib/read/front.h"
#include "trace/lib/read/vfio.h"

/* "vfio_region_read  (a:region0+0x0, 1) = 0x0" */
#define MIN_LINE_BYTES 42

/* What one call of parse() works with; @limit: end of the piece, or of a line that was mended. */
struct work {
	struct nti_vfio *v;
	const struct nti_trace_piece *piece;
	const char *limit;
	struct nti_trace_devices *devices;
	struct nti_trace_batch *b;
};

/* Somebody else's line. */
static void other(struct work *w, const char *p, const char *end, bool is_torn)
{
	bool is_cut = end == w->limit;
	struct ntime_record *r;

	w->b->others += !is_torn;
	if (is_torn)
		nti_trace_batch_torn(w->b, is_cut);
	if (!w->piece->gives_others)
		return;
	r = nti_trace_batch_add(w->b, NTIME_RECORD_OTHER, p, (size_t)(end - p));
	if (r && is_cut)
		r->value = NTI_OTHER_CUT;
}

/*
 * The first event of a piece tells its style, for nobody knows the piece before. @end is the end of
 * its text.
 */
static void tell_style(struct work *w, const char *style, const char *end)
{
	bool has_cr = end < w->limit && *end == '\r';
	struct nti_vfio *v = w->v;
	const size_t bytes = strlen(style);
	char text[NTI_STYLE_BYTES];

	if (v->has_style && v->has_cr == has_cr && strcmp(style, v->style) == 0)
		return;
	/* Heads of lines are of one style: what they say of the next line is void. */
	if (strcmp(style, v->style) != 0)
		v->is_guessing = false;
	memcpy(v->style, style, bytes + 1);
	v->has_style = true;
	v->has_cr = has_cr;
	memcpy(text, style, bytes);
	memcpy(text + bytes, NTI_STYLE_CR, sizeof(NTI_STYLE_CR));
	(void)nti_trace_batch_add(w->b, NTIME_RECORD_STYLE, text,
				  bytes + (has_cr ? sizeof(NTI_STYLE_CR) - 1 : 0));
	w->b->last_style = w->b->n;
}

/* Number of an event's device, of those that are kept where it is one of them. */
static uint16_t device_of(struct work *w, const struct nti_vfio_event *e)
{
	struct nti_vfio_name *k;
	uint64_t letters;

	if (e->name_bytes < NTI_VFIO_NAME_MIN || e->name_bytes > NTI_VFIO_NAME_MAX)
		return nti_trace_device_number(w->devices, e->name, e->name_bytes);
	memcpy(&letters, e->name + e->name_bytes - sizeof(letters), sizeof(letters));
	k = &w->v->name[letters * 0x9e3779b97f4a7c15u >> (64 - NTI_VFIO_NAME_BITS)];
	if (k->bytes == e->name_bytes && memcmp(k->text, e->name, e->name_bytes) == 0)
		return k->number;
	k->number = nti_trace_device_number(w->devices, e->name, e->name_bytes);
	/* Those without a number are counted each time. */
	k->bytes = k->number == NTIME_DEVICE_NONE ? 0 : (uint32_t)e->name_bytes;
	memcpy(k->text, e->name, e->name_bytes);
	return k->number;
}

static void put_event(struct work *w, const struct nti_prefix *prefix, struct nti_vfio_event *e,
		      const char *line, size_t line_bytes)
{
	const struct ntime_record with = { .time_ns = prefix->time_ns,
					   .thread = prefix->thread,
					   .flags = (uint8_t)prefix->flags };

	if (e->name_bytes)
		e->r.device = device_of(w, e);
	if (nti_event_append(w->b, e, &with, line, line_bytes))
		w->b->accesses += nti_record_is_access(&e->r);
}

/* End of the line at @p: its newline, or the end of the piece. */
static const char *line_end(const struct nti_trace_piece *piece, const char *p)
{
	const char *end = piece->bytes + piece->n;
	const char *newline = memchr(p, '\n', (size_t)(end - p));

	return newline ? newline : end;
}

/*
 * Where a line that ends at @end has its text's end: what passed through Windows has a carriage
 * return there.
 */
static const char *without_cr(const char *p, const char *end, const char *limit)
{
	return end < limit && end > p && end[-1] == '\r' ? end - 1 : end;
}

/* The second line of an event, if it is there: it begins with two blanks and a word. */
static const char *second_line(struct work *w, const char *end)
{
	static const char begins[] = "  size: 0x";
	const char *limit = w->limit;
	const char *second = end + 1 + (end < limit && *end == '\r');

	if (end >= limit || second > limit || (size_t)(limit - second) < sizeof(begins) - 1 ||
	    memcmp(second, begins, sizeof(begins) - 1) != 0)
		return NULL;
	return without_cr(second, line_end(w->piece, second), limit);
}

/* The events of a tracer that are not VFIO's: their prefix alone tells them. */
static bool foreign_event(struct work *w, const char *p, const char *end)
{
	size_t n = nti_prefix_classic(p, (size_t)(end - p));
	struct nti_prefix prefix;
	struct nti_vfio_event e;

	if (!n || n == (size_t)(end - p) || p[n] < 'a' || p[n] > 'z' ||
	    !nti_prefix_parse(p, n, &prefix))
		return false;
	if (nti_vfio_event_parse(p + n, (size_t)(end - p) - n, false, &e) != NTI_VFIO_DONE)
		return false;
	tell_style(w, prefix.style, end);
	put_event(w, &prefix, &e, p + n, (size_t)(end - p) - n);
	return true;
}

/*
 * One event with its prefix at @at of the line. Returns what became of it; *@end moves behind a
 * second line.
 */
static enum nti_vfio_result one_event(struct work *w, const char *p, size_t at, const char **end)
{
	const char *event = p + at, *limit = w->limit;
	enum nti_vfio_result result;
	struct nti_prefix prefix;
	const char *second;
	struct nti_vfio_event e;
	size_t n = (size_t)(*end - event);

	if (!nti_vfio_known_prefix(w->v, p, at, &prefix) && !nti_prefix_parse(p, at, &prefix))
		return NTI_VFIO_NONE;
	result = nti_vfio_event_parse(event, n, *end == limit, &e);
	if (result == NTI_VFIO_TWO_LINES) {
		second = second_line(w, *end);
		if (!second)
			return NTI_VFIO_BROKEN;
		n = (size_t)(second - event);
		result = nti_vfio_event_parse(event, n, second == limit, &e);
		if (result != NTI_VFIO_DONE)
			return result;
		w->b->lines++;
		*end = second;
	}
	if (result != NTI_VFIO_DONE)
		return result;
	tell_style(w, e.is_before_23 ? "vfio: " : prefix.style, *end);
	put_event(w, &prefix, &e, event, n);
	w->b->reworded += nti_style_is_lttng(prefix.style);
	if (nti_record_is_access(&e.r) && !e.text && !e.is_before_23 && e.name_bytes &&
	    !nti_style_is_lttng(prefix.style)) {
		nti_vfio_learn_prefix(w->v, p, &prefix, at);
		nti_vfio_learn_body(w->v, event, &e);
	}
	return result;
}

/* The first event of a line that is one; *@end moves behind a second line. */
static enum nti_vfio_result any_event(struct work *w, const char *p, const char **end)
{
	const size_t n = (size_t)(*end - p);
	enum nti_vfio_result result = NTI_VFIO_NONE;
	int at = nti_vfio_event_find(p, n, 0);

	for (; at >= 0; at = nti_vfio_event_find(p, n, (size_t)at + 1)) {
		result = one_event(w, p, (size_t)at, end);
		if (result == NTI_VFIO_DONE)
			break;
	}
	/* Another one began before it, and was broken off. */
	if (result == NTI_VFIO_DONE && nti_vfio_event_is_named(p, (size_t)at))
		nti_trace_batch_torn(w->b, false);
	return result;
}

/* Is more in the line than is seen? */
static bool has_unseen(const char *p, size_t n)
{
	return memchr(p, NTI_ESCAPE, n) || (n && *p == '\xef');
}

/*
 * The line @p with the white space that it should have; bytes in @out, room for 2 * NTI_CLEAN_BYTES
 * + 5. 0: it is too long.
 */
static size_t mend(const char *p, size_t n, char *out)
{
	char clean[NTI_CLEAN_BYTES];
	size_t bytes = nti_line_clean(p, n, clean);
	int at;

	if (bytes) {
		p = clean;
		n = bytes;
	}
	if (n > NTI_CLEAN_BYTES)
		return 0;
	at = nti_vfio_event_find(p, n, 0);
	at = at < 0 ? (int)n : at;
	memcpy(out, p, (size_t)at);
	bytes = (size_t)at + nti_vfio_event_respace(p + at, n - (size_t)at, out + at);
	return bytes;
}

/* An event that has other white space than QEMU writes, or colours. @is_torn: it has no newline. */
static enum nti_vfio_result mended_event(struct work *w, const char *p, size_t n, bool is_torn)
{
	char line[2 * NTI_CLEAN_BYTES + 5];
	size_t bytes = mend(p, n, line);
	const char *limit = w->limit, *end = line + bytes;
	enum nti_vfio_result result;

	if (!bytes)
		return NTI_VFIO_NONE;
	if (!is_torn)
		line[bytes] = p[n];
	w->limit = end + !is_torn;
	result = any_event(w, line, &end);
	w->limit = limit;
	w->b->reworded += result == NTI_VFIO_DONE;
	if (result == NTI_VFIO_DONE)
		return result;
	return nti_vfio_event_is_named(line, bytes) ? NTI_VFIO_BROKEN : NTI_VFIO_NONE;
}

/* One line (or two of one event); returns what stands behind. */
static const char *one_line(struct work *w, const char *p)
{
	const char *limit = w->limit, *end = line_end(w->piece, p);
	const char *text_end = without_cr(p, end, limit), *behind = text_end;
	const size_t n = (size_t)(text_end - p);
	enum nti_vfio_result result = NTI_VFIO_NONE;
	bool is_torn = end == limit, is_named, has_more = has_unseen(p, n);

	w->b->lines++;
	if (!has_more)
		result = any_event(w, p, &behind);
	if (result == NTI_VFIO_DONE) {
		end = line_end(w->piece, behind);
		return end + (end < limit);
	}
	if (result == NTI_VFIO_NONE && !is_torn && foreign_event(w, p, text_end))
		return end + 1;
	is_named = nti_vfio_event_is_named(p, n);
	if (is_named || has_more)
		result = mended_event(w, p, n, is_torn);
	if (result != NTI_VFIO_DONE)
		other(w, p, end, is_torn || is_named || (has_more && result == NTI_VFIO_BROKEN));
	return end + (end < limit);
}

static ssize_t vfio_parse(void *state, const struct nti_trace_piece *piece,
			  struct nti_trace_devices *devices, struct nti_trace_batch *b)
{
	struct work w = { state, piece, piece->bytes + piece->n, devices, b };
	const char *p = piece->bytes, *end = piece->bytes + piece->n;

	w.v->has_style = false;
	/* The first line tells its style; from the second on it is as it was. */
	while (p < end) {
		p = one_line(&w, p);
		/* Records of the lines to come: none is shorter than MIN_LINE_BYTES. */
		if (nti_trace_batch_reserve(b, (size_t)(end - p) / MIN_LINE_BYTES + 1) < 0)
			return -ENOMEM;
		/* Those of before would end otherwise. */
		if (!w.v->has_cr)
			p = nti_vfio_fast(w.v, p, end, b);
	}
	return (ssize_t)piece->n;
}

/*
 * What settle() remembers: the style of the batch before; the day of times that tell the time of
 * the day only, and the one before.
 */
struct order {
	char style[NTI_STYLE_BYTES];
	uint64_t day_ns, last_ns;
};

#define DAY_NS (86400ull * 1000000000)

/* Behind midnight the time of the day begins anew; a little back is another thread's. */
static void add_days(struct order *o, struct nti_trace_batch *b, bool is_clock)
{
	size_t i;

	for (i = 0; i < b->n; i++) {
		struct ntime_record *r = &b->rec[i];

		if (r->kind == NTIME_RECORD_STYLE)
			is_clock = nti_style_is_lttng(nti_trace_text(b->text, r));
		if (!is_clock || !(r->flags & NTIME_RECORD_TIMED))
			continue;
		if (r->time_ns + DAY_NS / 2 < o->last_ns)
			o->day_ns += DAY_NS;
		o->last_ns = r->time_ns;
		r->time_ns += o->day_ns;
	}
}

/* A piece tells its style whether or not it is the same as that of the piece before. */
static int vfio_settle(void *order, struct nti_trace_devices *devices, struct nti_trace_batch *b)
{
	struct order *o = order;
	const char *last =
		b->last_style ? nti_trace_text(b->text, &b->rec[b->last_style - 1]) : o->style;
	size_t first;

	(void)devices;
	/* A batch that tells no style goes on in that of before. */
	if (nti_style_is_lttng(o->style) || nti_style_is_lttng(last))
		add_days(o, b, nti_style_is_lttng(o->style));
	if (!b->last_style)
		return 0;
	for (first = 0; b->rec[first].kind == NTIME_RECORD_OTHER; first++)
		;
	if (b->rec[first].kind == NTIME_RECORD_STYLE &&
	    strcmp(nti_trace_text(b->text, &b->rec[first]), o->style) == 0) {
		memmove(b->rec + 1, b->rec, first * sizeof(*b->rec));
		nti_trace_batch_drop(b);
	}
	memcpy(o->style, last, strlen(last) + 1);
	return 0;
}

static bool is_event(const char *p, size_t n)
{
	struct nti_prefix prefix;
	struct nti_vfio_event e;
	int at;

	for (at = nti_vfio_event_find(p, n, 0); at >= 0;
	     at = nti_vfio_event_find(p, n, (size_t)at + 1)) {
		if (nti_prefix_parse(p, (size_t)at, &prefix) &&
		    nti_vfio_event_parse(p + at, n - (size_t)at, false, &e) == NTI_VFIO_DONE)
			return true;
	}
	return false;
}

static bool is_ours(const char *p, size_t n)
{
	char line[2 * NTI_CLEAN_BYTES + 5];

	return is_event(p, n) || ((nti_vfio_event_is_named(p, n) || has_unseen(p, n)) &&
				  is_event(line, mend(p, n, line)));
}

static int vfio_match(const char *head, size_t n)
{
	const char *p = head, *end = head + n, *newline;

	while (p < end) {
		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			newline = end;
		if (is_ours(p, (size_t)(newline - p) - (newline > p && newline[-1] == '\r')))
			return 90;
		p = newline + 1;
	}
	return 0;
}

const struct nti_trace_front nti_trace_vfio = {
	.form = NTIME_TRACE_VFIO,
	.name = "VFIO events of QEMU",
	.clock = NTIME_CLOCK_NONE,
	.is_text = true,
	.state_bytes = sizeof(struct nti_vfio),
	.order_bytes = sizeof(struct order),
	.match = vfio_match,
	.parse = vfio_parse,
	.settle = vfio_settle,
};
