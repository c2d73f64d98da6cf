// SPDX-License-Identifier: MIT
/*
 * Looking an address up: in each body a tree of spans tells which elements reach it, and the way
 * goes on into their copies. What decides between two that do is the order of the file, as in
 * envytools.
 */
#include "trace/lib/regdb/find.h"

#include <string.h>

/* Looks a hostile database may cost; an honest one needs a few dozen. */
#define LOOKS 20000u
/* Elements that are found in one walk; few addresses are reached by more. */
#define AT_ONCE 24u
/* Copies and spans that are looked at for the bits of a page. */
#define MARK_STEPS 20000u

struct finder {
	const struct nti_view *view;
	struct nti_found *out;
	struct nti_found_step steps[NTI_REGDB_DEPTH];
	uint32_t looks;
	uint32_t unit;
	uint32_t rest; /* bytes of the address below a unit */
};

/**
 * struct candidates - what covers an address, in the order of the file
 * @after:	those of an earlier walk come before; element and copy of the last one, plus 1
 * @has_more:	and more behind the last one
 */
struct candidates {
	uint64_t address;
	uint64_t after;
	const struct nti_body *body;
	const struct nti_span *span[AT_ONCE];
	unsigned int n;
	bool has_more;
};

static uint64_t order_of(const struct nti_span *s)
{
	return (uint64_t)s->element << 32 | s->copy;
}

/* False: the address is between the copies of a register, which is seen without going there. */
static inline bool is_reached(const struct nti_element *e, uint64_t distance)
{
	if (e->kind != NTI_ELEMENT_REG || distance < e->extent)
		return true;
	return e->stride && !e->offsets && distance % e->stride < e->extent;
}

static void add(struct candidates *c, const struct nti_span *s)
{
	uint64_t order = order_of(s);
	unsigned int i;

	if (order < c->after || !is_reached(&c->body->elements[s->element], c->address - s->first))
		return;
	if (c->n == AT_ONCE) {
		c->has_more = true;
		if (order > order_of(c->span[AT_ONCE - 1]))
			return;
		c->n--;
	}
	for (i = c->n++; i && order_of(c->span[i - 1]) > order; i--)
		c->span[i] = c->span[i - 1];
	c->span[i] = s;
}

static void look(struct finder *f, struct candidates *c, const struct nti_span *spans, size_t n)
{
	while (n && f->looks) {
		size_t middle = n / 2;
		const struct nti_span *s = &spans[middle];

		if (s->last_max < c->address)
			return;
		f->looks--;
		look(f, c, spans, middle);
		if (s->first > c->address)
			return;
		if (s->last >= c->address)
			add(c, s);
		spans += middle + 1;
		n -= middle + 1;
	}
}

static bool find_in(struct finder *f, const struct nti_body *body, uint64_t address, uint32_t depth,
		    bool is_guess);

static void keep(struct finder *f, uint32_t depth, uint64_t skew, bool is_guess)
{
	memcpy(f->out->steps, f->steps, depth * sizeof(f->steps[0]));
	f->out->depth = depth;
	f->out->skew = skew * f->unit + f->rest;
	f->out->is_guess = is_guess;
}

/* One copy of an element, @address counted from its beginning. */
static bool find_copy(struct finder *f, const struct nti_element *e, uint64_t copy,
		      uint64_t address, uint32_t depth, bool is_guess)
{
	f->steps[depth] = (struct nti_found_step){ e, copy };
	if (e->kind == NTI_ELEMENT_REG) {
		if (address >= e->extent)
			return false;
		keep(f, depth + 1, address, is_guess);
		return true;
	}
	if (find_in(f, &e->body, address, depth + 1, is_guess))
		return true;
	/* the array has the address for itself: better than nothing */
	f->steps[depth] = (struct nti_found_step){ e, copy };
	if (e->kind == NTI_ELEMENT_ARRAY && e->name && f->out->depth == 0)
		keep(f, depth + 1, address, is_guess);
	return false;
}

/* Copies of a stripe may overlap: all that reach the address, lowest first. */
static bool find_stripe(struct finder *f, const struct nti_element *e, uint64_t distance,
			uint32_t depth, bool is_guess)
{
	uint64_t last = distance / e->stride, copy = 0;

	if (e->length && last >= e->length)
		last = e->length - 1;
	if (distance >= e->extent)
		copy = (distance - e->extent) / e->stride + 1;
	for (; copy <= last && f->looks; copy++) {
		f->looks--;
		if (find_copy(f, e, copy, distance - copy * e->stride, depth, is_guess))
			return true;
	}
	return false;
}

static bool find_element(struct finder *f, const struct nti_element *e, const struct nti_span *s,
			 uint64_t address, uint32_t depth, bool is_guess)
{
	uint64_t distance = address - s->first;

	if (!nti_variants_match(e->variants, f->view, &is_guess))
		return false;
	if (e->offsets)
		return find_copy(f, e, s->copy, distance, depth, is_guess);
	if (!e->stride)
		return find_copy(f, e, 0, distance, depth, is_guess);
	if (e->kind == NTI_ELEMENT_STRIPE)
		return find_stripe(f, e, distance, depth, is_guess);
	return find_copy(f, e, distance / e->stride, distance % e->stride, depth, is_guess);
}

static bool find_in(struct finder *f, const struct nti_body *body, uint64_t address, uint32_t depth,
		    bool is_guess)
{
	struct candidates c;
	unsigned int i;

	if (depth >= NTI_REGDB_DEPTH)
		return false;
	c.address = address;
	c.after = 0;
	c.body = body;
	do {
		c.n = 0;
		c.has_more = false;
		look(f, &c, body->spans, body->span_count);
		for (i = 0; i < c.n && f->looks; i++)
			if (find_element(f, &body->elements[c.span[i]->element], c.span[i], address,
					 depth, is_guess))
				return true;
		if (c.n)
			c.after = order_of(c.span[c.n - 1]) + 1;
	} while (c.has_more && f->looks);
	return false;
}

bool nti_domain_find(const struct nti_domain *domain, const struct nti_view *view, uint64_t address,
		     struct nti_found *out)
{
	struct finder f = {
		.view = view,
		.out = out,
		.looks = LOOKS,
		.unit = domain->unit,
		.rest = (uint32_t)(address % domain->unit),
	};

	out->depth = 0;
	out->unit = domain->unit;
	out->skew = 0;
	out->is_guess = false;
	return find_in(&f, &domain->body, address / domain->unit, 0, false) || out->depth;
}

/**
 * struct marker - which words of a page may have something
 * @first, @last: the page, in units of the domain
 * @steps:	that may still be taken; without them all is marked
 */
struct marker {
	uint64_t first, last;
	uint32_t unit;
	uint32_t steps;
	uint64_t *bits;
};

/* a + b, or the largest number where that is more. */
static uint64_t sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static void mark_units(struct marker *m, uint64_t first, uint64_t last)
{
	uint64_t word, end;

	if (first > m->last || last < m->first)
		return;
	word = (first > m->first ? first - m->first : 0) * m->unit / 4;
	end = (last < m->last ? last - m->first : m->last - m->first) * m->unit / 4;
	for (; word <= end; word++)
		m->bits[word / 64] |= (uint64_t)1 << word % 64;
}

static void mark_spans(struct marker *m, const struct nti_body *body, const struct nti_span *spans,
		       size_t n, uint64_t base, uint32_t depth);

/* One copy that begins at @start and reaches up to @last. */
static void mark_copy(struct marker *m, const struct nti_element *e, uint64_t start, uint64_t last,
		      uint32_t depth)
{
	/* An array with a name has the addresses for itself that nothing in it has. */
	if (e->kind == NTI_ELEMENT_REG || (e->kind == NTI_ELEMENT_ARRAY && e->name))
		mark_units(m, start, last);
	else
		mark_spans(m, &e->body, e->body.spans, e->body.span_count, start, depth + 1);
}

/*
 * All copies of an element that reach the page; the first one begins at @start, and the last one
 * ends at @last.
 */
static void mark_span(struct marker *m, const struct nti_element *e, uint64_t start, uint64_t last,
		      uint32_t depth)
{
	uint64_t extent = e->extent, copy = 0;

	if (e->offsets || !e->stride) {
		mark_copy(m, e, start, last, depth);
		return;
	}
	if (e->kind == NTI_ELEMENT_ARRAY || !extent)
		extent = e->stride;
	if (m->first - start >= extent && m->first > start)
		copy = (m->first - start - extent) / e->stride + 1;
	for (; !e->length || copy < e->length; copy++) {
		uint64_t begin = start + copy * e->stride;

		if (begin > m->last || begin < start)
			return;
		if (!m->steps) {
			mark_units(m, start, last);
			return;
		}
		m->steps--;
		mark_copy(m, e, begin, sum(begin, extent - 1), depth);
	}
}

/* A part of the tree of a body whose addresses count from @base. */
static void mark_spans(struct marker *m, const struct nti_body *body, const struct nti_span *spans,
		       size_t n, uint64_t base, uint32_t depth)
{
	while (n) {
		size_t middle = n / 2;
		const struct nti_span *s = &spans[middle];
		uint64_t start = sum(base, s->first), last = sum(base, s->last);

		if (sum(base, s->last_max) < m->first)
			return;
		if (depth >= NTI_REGDB_DEPTH || !m->steps) {
			mark_units(m, base, UINT64_MAX);
			return;
		}
		m->steps--;
		mark_spans(m, body, spans, middle, base, depth);
		if (start > m->last)
			return;
		if (last >= m->first)
			mark_span(m, &body->elements[s->element], start, last, depth);
		spans += middle + 1;
		n -= middle + 1;
	}
}

void nti_domain_mark(const struct nti_domain *domain, uint64_t first, uint64_t *bits)
{
	struct marker m = { .first = first / domain->unit,
			    .last = (first + NTI_REGDB_PAGE_BYTES - 1) / domain->unit,
			    .unit = domain->unit,
			    .steps = MARK_STEPS,
			    .bits = bits };

	mark_spans(&m, &domain->body, domain->body.spans, domain->body.span_count, 0, 0);
}

struct writer {
	char *buf;
	size_t size;
	size_t used;
};

static void put(struct writer *w, const char *text, size_t n)
{
	if (n > w->size - 1 - w->used)
		n = w->size - 1 - w->used;
	memcpy(w->buf + w->used, text, n);
	w->used += n;
}

static void put_number(struct writer *w, uint64_t n)
{
	char digits[24];
	size_t at = sizeof(digits);

	digits[--at] = ']';
	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	digits[--at] = '[';
	put(w, digits + at, sizeof(digits) - at);
}

size_t nti_found_name(const struct nti_found *f, char *buf, size_t size)
{
	struct writer w = { buf, size, 0 };
	uint32_t i, k, first = 0;

	if (!size)
		return 0;
	for (i = 0; i < f->depth; i++) {
		const struct nti_element *e = f->steps[i].element;

		/* numbers of what has no name go to the next that has one */
		if (!e->name)
			continue;
		if (w.used)
			put(&w, ".", 1);
		put(&w, e->name, strlen(e->name));
		for (k = first; k <= i; k++)
			if (f->steps[k].element->length != 1)
				put_number(&w, f->steps[k].copy);
		first = i + 1;
	}
	buf[w.used] = '\0';
	return w.used;
}
