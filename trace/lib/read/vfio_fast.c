// SPDX-License-Identifier: MIT
/*
 * Lines that look like those before:
 *
 *     12347@1424299207.289770:vfio_region_write  (0000:05:00.0:region0+0xa404, 0xdeadbeef, 4)
 *     |<---- head ----->|    ||<------------- body ------------->|
 *                      fraction, tail
 *
 * A guess says where each part begins; every byte is compared or decoded all the same, differences
 * are gathered in one word, and a line that differs anywhere is left to vfio.c as a whole. There
 * are few branches that depend on what the line says: whether all was right, whether the name is as
 * long as that of the line before, and whether a number has more than eight digits.
 */
#include <stddef.h>

#include "trace/lib/base/batch.h"
#include "trace/lib/read/swar.h"
#include "trace/lib/read/vfio.h"

/* Bytes that may be read behind the body of a line: numbers, and blocks that begin in them. */
#define NUMBERS_BYTES 96
/* Behind "vfio_region_read  (". */
#define READ_NAME_AT 19
/* What spreads at first, and how often another number is tried. */
#define SPREAD 0x9e3779b97f4a7c15ull
#define MAX_SPREADS 64

#define SIXTEEN(c)                                                                                 \
	{                                                                                          \
		c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c                                     \
	}

/* What reads and writes have different. */
static const struct shape {
	char middle[8], middle_mask[8]; /* what ends where the value begins */
	char end[8], end_mask[8];	/* behind the value */
	char stop[16];			/* the letter behind the value */
	uint32_t value_at;		/* from the end of the offset */
	uint32_t next_at;		/* from the end of the value */
	size_t is_width_last;		/* all ones: the width is behind the value */
} __attribute__((aligned(64))) shapes[2] = {
	/* The ',' in front of the first letter here ended the offset. */
	{ .middle = " ?) = 0x",
	  .middle_mask = "\377\0\377\377\377\377\377\377",
	  .end = "\n",
	  .end_mask = "\377",
	  .stop = SIXTEEN('\n'),
	  .value_at = 9,
	  .next_at = 1 },
	{ .middle = "????, 0x",
	  .middle_mask = "\0\0\0\0\377\377\377\377",
	  .end = ", ?)\n",
	  .end_mask = "\377\377\0\377\377",
	  .stop = SIXTEEN(','),
	  .value_at = 4,
	  .next_at = 5,
	  .is_width_last = SIZE_MAX },
};

static const char comma[16] = SIXTEEN(',');

/* Letters that are no width: all but 1, 2, 4, 8. */
static const uint8_t no_width[256] = {
#define NO_8 1, 1, 1, 1, 1, 1, 1, 1
#define NO_48 NO_8, NO_8, NO_8, NO_8, NO_8, NO_8
	NO_48, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, NO_48, NO_48, NO_48, NO_48,
};

static inline nti_block differ(const char *p, const char *text)
{
	return nti_block_load(p) ^ nti_block_kept(text);
}

static inline uint64_t differ_word(const char *p, const char *text, const char *mask)
{
	return (nti_word(p) ^ nti_word(text)) & nti_word(mask);
}

static inline size_t head_at(const char *p, uint32_t thread_at, uint64_t spread)
{
	uint64_t w = nti_word(p + thread_at);

	/* Threads differ in a letter in the middle: fold it down before it is spread. */
	return (size_t)((w ^ w >> 32) * spread >> (64 - NTI_VFIO_HEAD_BITS));
}

/*
 * Of the event at @p: the name of a read begins a letter earlier, so that reads and writes have
 * different places.
 */
static inline size_t body_at(const char *p, uint64_t spread)
{
	uint64_t first = nti_word(p + READ_NAME_AT + 1), second = nti_word(p + READ_NAME_AT + 9);

	first ^= second << 31 | second >> 33;
	first ^= first >> 32;
	return (size_t)(first * spread >> (64 - NTI_VFIO_BODY_BITS));
}

/*
 * Two that come and go by turns must not share a place: another number, as long as that may help.
 * False: it will not.
 */
static bool spread_anew(struct nti_vfio *v, uint64_t *spread)
{
	if (v->spreads >= MAX_SPREADS)
		return false;
	v->spreads++;
	*spread = *spread * 0xd1342543de82ef95ull | 1;
	return true;
}

/* Is it how lines looked before? */
static bool is_as_before(const struct nti_vfio *v, const struct nti_prefix *prefix, size_t bytes)
{
	const struct nti_vfio_guess *g = &v->guess;

	return v->is_guessing && g->prefix_bytes == bytes &&
	       g->fraction_at == prefix->fraction_at &&
	       g->fraction_bytes == prefix->fraction_bytes && g->thread_at == prefix->thread_at &&
	       g->flags == prefix->flags;
}

static void guess_anew(struct nti_vfio *v, const struct nti_prefix *prefix, size_t bytes)
{
	struct nti_vfio_guess *g = &v->guess;

	/* What is forgotten is like no line, for none begins with a NUL. */
	memset(v->head, 0, sizeof(v->head));
	/* Their records have the flags. */
	if (!v->is_guessing || g->flags != prefix->flags)
		memset(v->body, 0, sizeof(v->body));
	if (!v->head_spread)
		v->head_spread = v->body_spread = SPREAD;
	v->is_guessing = true;
	g->prefix_bytes = (uint32_t)bytes;
	g->fraction_at = prefix->fraction_at;
	g->fraction_bytes = prefix->fraction_bytes;
	g->thread_at = prefix->thread_at;
	g->flags = prefix->flags;
	memset(v->mask, 0, sizeof(v->mask));
	memset(v->mask, 255, bytes);
	memset(v->mask + g->fraction_at, 0, g->fraction_bytes);
}

void nti_vfio_learn_prefix(struct nti_vfio *v, const char *p, const struct nti_prefix *prefix,
			   size_t bytes)
{
	struct nti_vfio_head *h;

	/* GLib leaves out a fraction of 0 now and then: not what most lines look like. */
	if (v->is_guessing && v->guess.fraction_bytes && !prefix->fraction_bytes &&
	    prefix->flags & NTIME_RECORD_TIMED)
		return;
	if (bytes > NTI_VFIO_HEAD_BYTES) {
		v->is_guessing = false;
		return;
	}
	if (!is_as_before(v, prefix, bytes))
		guess_anew(v, prefix, bytes);
	h = &v->head[head_at(p, v->guess.thread_at, v->head_spread)];
	if (h->text[0] && h->thread != prefix->thread && spread_anew(v, &v->head_spread)) {
		memset(v->head, 0, sizeof(v->head));
		h = &v->head[head_at(p, v->guess.thread_at, v->head_spread)];
	}
	h->time_ns = prefix->time_ns - (prefix->fraction_bytes ? prefix->fraction_ns : 0);
	h->thread = prefix->thread;
	memset(h->text, 0, sizeof(h->text));
	memcpy(h->text, p, bytes);
}

/* Does @p begin with what @e says, in the one way of writing it? */
static bool is_body(const char *p, const struct nti_vfio_event *e, size_t bytes)
{
	static const char read[] = "vfio_region_read  (", write[] = "vfio_region_write  (";
	static const char behind[] = ":region";
	bool is_write = e->r.kind == NTIME_RECORD_WRITE;

	return e->name == p + READ_NAME_AT + is_write &&
	       memcmp(p, is_write ? write : read, (size_t)(e->name - p)) == 0 &&
	       memcmp(p + bytes - (sizeof(behind) - 1), behind, sizeof(behind) - 1) == 0;
}

void nti_vfio_learn_body(struct nti_vfio *v, const char *p, const struct nti_vfio_event *e)
{
	size_t bytes = (size_t)(e->name - p) + e->name_bytes + 7;
	struct nti_vfio_body *body;
	struct ntime_record r = { .device = e->r.device, .kind = e->r.kind };

	if (!v->is_guessing || bytes > NTI_VFIO_BODY_BYTES || !is_body(p, e, bytes))
		return;
	body = &v->body[body_at(p, v->body_spread)];
	if (body->bytes && (body->bytes != bytes || memcmp(body->text, p, bytes) != 0) &&
	    spread_anew(v, &v->body_spread)) {
		memset(v->body, 0, sizeof(v->body));
		body = &v->body[body_at(p, v->body_spread)];
	}
	r.flags = (uint8_t)(v->guess.flags | NTIME_RECORD_VALUED);
	memset(body, 0, sizeof(*body));
	body->bytes = (uint32_t)bytes;
	memcpy(body->text, p, bytes);
	memcpy(body->tail, (const char *)&r + offsetof(struct ntime_record, device),
	       sizeof(body->tail));
	if (!v->guess.body_bytes)
		v->guess.body_bytes = body->bytes - (e->r.kind == NTIME_RECORD_WRITE);
}

/* Nine digits, a whole fraction of a second. */
static inline uint64_t nanoseconds(const char *p, nti_block *diff, uint64_t *bad)
{
	uint64_t first = (unsigned char)(p[0] - '0');

	*bad |= first > 9;
	return first * 100000000 + nti_decimal8(p + 1, diff);
}

/* Prefix of the line at @p into @r; *@diff and *@bad get bits where it is not as guessed. */
static inline void __attribute__((always_inline))
prefix(const struct nti_vfio *v, const struct nti_vfio_guess *g, const char *p,
       struct ntime_record *r, nti_block *diff, uint64_t *bad)
{
	const struct nti_vfio_head *h = &v->head[head_at(p, g->thread_at, v->head_spread)];
	uint64_t ns = h->time_ns;
	uint32_t i;

	*diff |= differ(p, h->text) & nti_block_kept(v->mask);
	if (g->prefix_bytes > 16)
		*diff |= differ(p + 16, h->text + 16) & nti_block_kept(v->mask + 16);
	for (i = 32; i < g->prefix_bytes; i += 16)
		*diff |= differ(p + i, h->text + i) & nti_block_kept(v->mask + i);
	if (g->fraction_bytes == 6)
		ns += nti_decimal6(p + g->fraction_at, diff) * 1000ull;
	else if (g->fraction_bytes)
		ns += nanoseconds(p + g->fraction_at, diff, bad);
	r->thread = h->thread;
	r->time_ns = ns;
}

bool nti_vfio_known_prefix(const struct nti_vfio *v, const char *p, size_t bytes,
			   struct nti_prefix *out)
{
	const struct nti_vfio_guess *g = &v->guess;
	char line[NTI_VFIO_HEAD_BYTES + 16] = "";
	struct ntime_record r;
	nti_block diff = { 0 };
	uint64_t bad = 0;

	if (!v->is_guessing || !bytes || bytes != g->prefix_bytes)
		return false;
	/* Whole blocks are read. */
	memcpy(line, p, bytes);
	prefix(v, g, line, &r, &diff, &bad);
	if (bad | nti_block_any(diff))
		return false;
	memcpy(out->style, v->style, strlen(v->style) + 1);
	out->time_ns = r.time_ns;
	out->fraction_ns = g->fraction_bytes ? r.time_ns % 1000000000 : 0;
	out->thread = r.thread;
	out->flags = g->flags;
	out->fraction_at = g->fraction_at;
	out->fraction_bytes = g->fraction_bytes;
	out->thread_at = g->thread_at;
	return true;
}

/*
 * Whole blocks, the last one over the one before; no body is shorter than one. As many for reads as
 * for writes, which are a letter longer.
 */
static inline nti_block body_differs(const char *p, const struct nti_vfio_body *body,
				     uint32_t read_bytes, size_t is_write)
{
	size_t last = read_bytes + is_write - 16, i;
	nti_block diff = nti_block_load(p + last) ^ nti_block_load(body->text + last);

	diff |= differ(p, body->text);
	/* Names of 6 letters and more. */
	if (read_bytes >= 32)
		diff |= differ(p + 16, body->text + 16);
	for (i = 32; i + 16 <= read_bytes; i += 16)
		diff |= differ(p + i, body->text + i);
	return diff;
}

/*
 * Numbers of which one has more than eight digits. True when there is more or less than digits in
 * them.
 */
static bool __attribute__((noinline))
wide_numbers(struct nti_digits offset, struct nti_digits value, struct ntime_record *r)
{
	nti_block diff = { 0 };

	if (offset.n > 16 || value.n > 16)
		return true;
	nti_hex(offset, value, &r->offset, &r->value, &diff);
	return nti_block_any(diff) != 0;
}

/*
 * One line at @p into @r. What stands behind it, NULL when it is not as guessed; *@body_bytes is
 * changed when that may be all that is wrong.
 */
static inline const char *__attribute__((always_inline))
fast_line(const struct nti_vfio *v, const struct nti_vfio_guess *g, const char *p,
	  struct ntime_record *r, uint32_t *body_bytes)
{
	const char *q = p + g->prefix_bytes, *middle;
	const struct nti_vfio_body *body;
	struct nti_digits offset, value;
	const uint32_t read_bytes = *body_bytes;
	uint64_t bad = 0, region;
	size_t is_write;
	const struct shape *s;
	nti_block diff = { 0 };
	unsigned char width;

	if (g->prefix_bytes) {
		prefix(v, g, p, r, &diff, &bad);
	} else {
		r->time_ns = 0;
		r->thread = 0;
	}
	is_write = nti_word(q + 8) >> 34 & 1; /* of the letter 12: 'w' is 0x77, 'r' 0x72 */
	s = &shapes[is_write];
	body = &v->body[body_at(q, v->body_spread)];
	/* A branch that is foreseen: what follows need not wait for the body. */
	if (__builtin_expect(body->bytes != read_bytes + is_write, 0)) {
		if (body->bytes)
			*body_bytes = body->bytes - (uint32_t)is_write;
		return NULL;
	}
	diff |= body_differs(q, body, read_bytes, is_write);
	q += read_bytes + is_write;

	/* "N+0x" and the offset. */
	region = (uint32_t)nti_word(q) ^ 0x78302b30u; /* "0+0x" */
	bad |= (region + 6) >> 4;
	q += 4;
	offset.n = nti_find16(q + 1, comma) + 1;
	offset.end = middle = q + offset.n;

	q = middle + s->value_at;
	bad |= differ_word(q - 8, s->middle, s->middle_mask);
	value.n = nti_find16(q + 1, s->stop) + 1;
	value.end = q += value.n;
	bad |= differ_word(q, s->end, s->end_mask);
	if (__builtin_expect(((offset.n - 1) | (value.n - 1)) > 7, 0))
		bad |= wide_numbers(offset, value, r);
	else
		nti_hex8(offset, value, &r->offset, &r->value, &diff);

	/* Behind the value, or behind the offset: without a branch. */
	width = (unsigned char)middle[((size_t)(q - middle) & s->is_width_last) + 2];
	bad |= no_width[width];
	r->mask = 0;
	r->source = 0;
	r->text = 0;
	memcpy((char *)r + offsetof(struct ntime_record, device), body->tail, sizeof(body->tail));
	r->region = (uint8_t)region;
	r->width = width ^ '0';
	return bad | nti_block_any(diff) ? NULL : q + s->next_at;
}

/*
 * As nti_vfio_fast(), lines whose names are as long as *@body_bytes says; that is changed when
 * others follow.
 */
static inline const char *fast_lines(const struct nti_vfio *v, const struct nti_vfio_guess *g,
				     const char *p, const char *end, struct nti_trace_batch *b,
				     uint32_t *body_bytes)
{
	const size_t needed = g->prefix_bytes + *body_bytes + NUMBERS_BYTES - NTI_VFIO_PAD;
	struct ntime_record *r = b->rec + b->n, *last = b->rec + b->room;
	const char *next, *before = p, *limit;

	if ((size_t)(end - p) < needed)
		return p;
	limit = end - needed;
	while (p <= limit && r < last) {
		next = fast_line(v, g, p, r, body_bytes);
		if (!next)
			break;
		before = p;
		p = next;
		r++;
	}
	/* What stands behind the end is no line. */
	if (p > end) {
		p = before;
		r--;
	}
	b->n = (size_t)(r - b->rec);
	return p;
}

const char *nti_vfio_fast(struct nti_vfio *v, const char *p, const char *end,
			  struct nti_trace_batch *b)
{
	struct nti_vfio_guess g = v->guess;
	size_t n = b->n;
	uint32_t tried;

	if (!v->is_guessing || !v->has_style || !g.body_bytes)
		return p;
	do {
		tried = g.body_bytes;
		p = fast_lines(v, &g, p, end, b, &g.body_bytes);
	} while (g.body_bytes != tried);
	v->guess.body_bytes = g.body_bytes;
	b->lines += b->n - n;
	b->accesses += b->n - n;
	return p;
}
