// SPDX-License-Identifier: MIT
/*
 * What the registers hold, as far as a trace tells.
 *
 * Two tables: places are where accesses went, with their width and the last read and write; cells
 * are aligned 8 bytes of a region, with what is known of each bit. A place knows its cells, so that
 * an access looks up but one of the tables.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/trace/state.h>

#include "base/common/error.h"
#include "trace/lib/base/context.h"
#include "trace/lib/base/batch.h"

#define MOST_REGISTERS (1u << 24)
#define CELL_BYTES 8u
#define NONE UINT32_MAX
/* A trace that does not say how wide an access is has registers of 32 bits. */
#define USUAL_WIDTH 4u

/* What both tables are searched by; @width of a cell is CELL_BYTES. */
struct key {
	uint64_t offset;
	uint32_t where; /* device << 8 | region */
	uint32_t width;
};

/**
 * struct cell - aligned 8 bytes
 * @value:	what the last access to each bit told
 * @known:	bits that hold it
 * @by_read, @by_write: what kind that access was
 * @volatile_bits, @unlike_bits: as in struct ntime_register_state
 */
struct cell {
	struct key key;
	uint64_t value, known;
	uint64_t by_read, by_write;
	uint64_t volatile_bits, unlike_bits;
};

struct last {
	uint64_t number;
	uint64_t time_ns;
	uint64_t value;
	uint32_t thread;
	uint32_t mask;
	uint32_t flags;
};

/**
 * struct place - where accesses of one width went
 * @cell:	index of its cells; the second only where it reaches into the next one
 * @count, @last: of reads and of writes
 */
struct place {
	struct key key;
	uint32_t cell[2];
	uint64_t count[2];
	struct last last[2];
};

/* A hash table of indexes of elements that begin with their key. */
struct table {
	char *element;
	size_t bytes; /* of one */
	size_t n, room;
	uint32_t *slot; /* 1 + index */
	size_t slots;	/* power of two, at least twice the elements */
};

struct ntime_trace_state {
	struct table places, cells;
	size_t most;
	uint64_t accesses, dropped;
	uint64_t lost; /* number of the last access before a loss */
	bool is_back;  /* in a list of register operations that was handed back */
	bool has_lists;
};

static uint64_t hash_of(const struct key *k)
{
	uint64_t h = (k->offset ^ (uint64_t)k->where << 40) * 0x9e3779b97f4a7c15u + k->width;

	h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
	return h ^ h >> 32;
}

static bool is_same(const struct key *a, const struct key *b)
{
	return a->offset == b->offset && a->where == b->where && a->width == b->width;
}

static struct key *key_at(const struct table *t, uint32_t i)
{
	return (struct key *)(void *)(t->element + i * t->bytes);
}

static uint32_t table_find(const struct table *t, const struct key *k)
{
	size_t i = t->slots ? (size_t)hash_of(k) & (t->slots - 1) : 0;

	for (; t->slots && t->slot[i]; i = (i + 1) & (t->slots - 1))
		if (is_same(key_at(t, t->slot[i] - 1), k))
			return t->slot[i] - 1;
	return NONE;
}

static void put_slot(struct table *t, uint32_t n)
{
	size_t i = (size_t)hash_of(key_at(t, n)) & (t->slots - 1);

	while (t->slot[i])
		i = (i + 1) & (t->slots - 1);
	t->slot[i] = n + 1;
}

static int table_grow(struct table *t)
{
	size_t room = t->room ? 2 * t->room : 256;
	uint32_t *slot = calloc(2 * room, sizeof(*slot));
	char *element = slot ? realloc(t->element, room * t->bytes) : NULL;

	if (!element) {
		free(slot);
		return -ENOMEM;
	}
	free(t->slot);
	t->element = element;
	t->slot = slot;
	t->slots = 2 * room;
	t->room = room;
	for (uint32_t i = 0; i < t->n; i++)
		put_slot(t, i);
	return 0;
}

/* A new element, zeroed but for its key; NONE without memory. */
static uint32_t table_add(struct table *t, const struct key *k)
{
	uint32_t i = (uint32_t)t->n;

	if (t->n == t->room && table_grow(t) < 0)
		return NONE;
	memset(t->element + i * t->bytes, 0, t->bytes);
	*key_at(t, i) = *k;
	t->n++;
	put_slot(t, i);
	return i;
}

static struct cell *cell_at(const struct ntime_trace_state *s, uint32_t i)
{
	return (struct cell *)(void *)key_at(&s->cells, i);
}

static struct place *place_at(const struct ntime_trace_state *s, uint32_t i)
{
	return (struct place *)(void *)key_at(&s->places, i);
}

static int check(struct ntime_trace_ctx *ctx, const struct ntime_trace_state_options *o)
{
	if (o->size != sizeof(*o) || o->flags || o->reserved0 || o->reserved[0] || o->reserved[1] ||
	    o->reserved[2] || o->reserved[3])
		return nti_error(&ctx->error, -EINVAL,
				 "options of the state of registers are of another version");
	if (o->registers > MOST_REGISTERS)
		return nti_error(&ctx->error, -EINVAL, "at most %u registers can be distinguished",
				 MOST_REGISTERS);
	return 0;
}

int ntime_trace_state_new(struct ntime_trace_ctx *ctx,
			  const struct ntime_trace_state_options *options,
			  struct ntime_trace_state **out)
{
	struct ntime_trace_state *s;
	int ret = options ? check(ctx, options) : 0;

	*out = NULL;
	if (ret < 0)
		return ret;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->most = options && options->registers ? options->registers : 262144;
	s->places.bytes = sizeof(struct place);
	s->cells.bytes = sizeof(struct cell);
	*out = s;
	return 0;
}

static void table_fini(struct table *t)
{
	free(t->element);
	free(t->slot);
}

void ntime_trace_state_free(struct ntime_trace_state *s)
{
	if (!s)
		return;
	table_fini(&s->places);
	table_fini(&s->cells);
	free(s);
}

static uint64_t ones(unsigned int bytes)
{
	return bytes >= CELL_BYTES ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

/* The cell that has @offset, a new one if there is none. */
static uint32_t cell_for(struct ntime_trace_state *s, uint32_t where, uint64_t offset)
{
	struct key k = { offset & ~(uint64_t)(CELL_BYTES - 1), where, CELL_BYTES };
	uint32_t i = table_find(&s->cells, &k);

	return i == NONE ? table_add(&s->cells, &k) : i;
}

static bool is_crossing(const struct key *k)
{
	return (k->offset & (CELL_BYTES - 1)) + k->width > CELL_BYTES;
}

/* The place of an access. 0; -ENOSPC (there is no room for a new one), -ENOMEM. */
static int find_place(struct ntime_trace_state *s, const struct key *k, uint32_t *out)
{
	uint32_t cell[2] = { NONE, NONE };

	*out = table_find(&s->places, k);
	if (*out != NONE)
		return 0;
	if (s->places.n >= s->most)
		return -ENOSPC;
	cell[0] = cell_for(s, k->where, k->offset);
	if (is_crossing(k))
		cell[1] = cell_for(s, k->where, k->offset + k->width - 1);
	if (cell[0] == NONE || (is_crossing(k) && cell[1] == NONE))
		return -ENOMEM;
	*out = table_add(&s->places, k);
	if (*out == NONE)
		return -ENOMEM;
	memcpy(place_at(s, *out)->cell, cell, sizeof(cell));
	return 0;
}

/* A read gave @value in the bits of @mask. */
static void cell_read(struct cell *c, uint64_t value, uint64_t mask)
{
	uint64_t other = (c->value ^ value) & mask;

	c->volatile_bits |= other & c->by_read;
	c->unlike_bits |= other & c->by_write;
	c->value = (c->value & ~mask) | (value & mask);
	c->known |= mask;
	c->by_read |= mask;
	c->by_write &= ~mask;
}

static void cell_write(struct cell *c, uint64_t value, uint64_t mask)
{
	c->value = (c->value & ~mask) | (value & mask);
	c->known = (c->known | mask) & ~(c->unlike_bits & mask);
	c->by_write |= mask;
	c->by_read &= ~mask;
}

static void cell_access(struct cell *c, bool is_write, uint64_t value, uint64_t mask)
{
	if (is_write)
		cell_write(c, value, mask);
	else
		cell_read(c, value, mask);
}

static void learn(struct ntime_trace_state *s, const struct place *p, const struct ntime_record *r)
{
	unsigned int shift = 8 * (unsigned int)(p->key.offset & (CELL_BYTES - 1));
	bool is_write = r->kind == NTIME_RECORD_WRITE;
	uint64_t mask = ones(p->key.width);

	if (is_write && r->flags & NTIME_RECORD_MASKED)
		mask &= r->mask;
	cell_access(cell_at(s, p->cell[0]), is_write, r->value << shift, mask << shift);
	if (p->cell[1] != NONE)
		cell_access(cell_at(s, p->cell[1]), is_write, r->value >> (64 - shift),
			    mask >> (64 - shift));
}

static void remember(struct ntime_trace_state *s, struct place *p, const struct ntime_record *r)
{
	p->count[r->kind]++;
	p->last[r->kind] = (struct last){
		.number = s->accesses,
		.time_ns = r->time_ns,
		.value = r->value & ones(p->key.width),
		.thread = r->thread,
		.mask = r->mask,
		.flags = r->flags & (NTIME_RECORD_TIMED | NTIME_RECORD_VALUED |
				     NTIME_RECORD_MASKED | NTIME_RECORD_THREADED),
	};
}

static int put_access(struct ntime_trace_state *s, const struct ntime_record *r)
{
	uint32_t width = r->width && r->width <= CELL_BYTES ? r->width : USUAL_WIDTH;
	struct key k = { r->offset, (uint32_t)r->device << 8 | r->region, width };
	uint32_t i;
	int ret;

	/*
	 * In a list that comes back the writes are those that were handed in; before it came back
	 * nothing was read.
	 */
	if (s->has_lists && (r->kind == NTIME_RECORD_WRITE) == s->is_back)
		return 0;
	s->accesses++;
	ret = find_place(s, &k, &i);
	if (ret == -ENOSPC) {
		s->dropped++;
		return 0;
	}
	if (ret < 0)
		return ret;
	if (r->flags & NTIME_RECORD_VALUED)
		learn(s, place_at(s, i), r);
	remember(s, place_at(s, i), r);
	return 0;
}

int ntime_trace_state_put(struct ntime_trace_state *s, const struct ntime_record *records, size_t n)
{
	for (const struct ntime_record *r = records; r < records + n; r++) {
		int ret = 0;

		if (r->flags & NTIME_RECORD_SYNTHETIC)
			continue;
		if (nti_record_is_access(r))
			ret = put_access(s, r);
		else if (r->kind == NTIME_RECORD_LOST)
			s->lost = s->accesses;
		else if (r->kind == NTIME_RECORD_LIST) {
			/* Where requests are left out, what comes back is all there is. */
			s->is_back = r->value == 1;
			s->has_lists |= !r->value;
		}
		if (ret < 0)
			return ret;
	}
	return 0;
}

uint64_t ntime_trace_state_accesses(const struct ntime_trace_state *s)
{
	return s->accesses;
}

uint64_t ntime_trace_state_dropped(const struct ntime_trace_state *s)
{
	return s->dropped;
}

/* ---- asking ---- */

/* @width bytes of what @field of the cells has, from @offset on. */
static uint64_t gather(const struct cell *low, const struct cell *high, size_t field,
		       const struct key *k)
{
	unsigned int shift = 8 * (unsigned int)(k->offset & (CELL_BYTES - 1));
	uint64_t bits = 0, part;

	if (low) {
		memcpy(&part, (const char *)low + field, sizeof(part));
		bits = part >> shift;
	}
	if (high && shift) {
		memcpy(&part, (const char *)high + field, sizeof(part));
		bits |= part << (64 - shift);
	}
	return bits & ones(k->width);
}

static const struct cell *find_cell(const struct ntime_trace_state *s, uint32_t where,
				    uint64_t offset)
{
	struct key k = { offset & ~(uint64_t)(CELL_BYTES - 1), where, CELL_BYTES };
	uint32_t i = table_find(&s->cells, &k);

	return i == NONE ? NULL : cell_at(s, i);
}

static void fill_bits(const struct ntime_trace_state *s, const struct key *k,
		      struct ntime_register_state *out)
{
	const struct cell *low = find_cell(s, k->where, k->offset), *high = NULL;

	if (is_crossing(k))
		high = find_cell(s, k->where, k->offset + k->width - 1);
	out->known = gather(low, high, offsetof(struct cell, known), k);
	out->value = gather(low, high, offsetof(struct cell, value), k) & out->known;
	out->volatile_bits = gather(low, high, offsetof(struct cell, volatile_bits), k);
	out->unlike_bits = gather(low, high, offsetof(struct cell, unlike_bits), k);
}

static void merge_last(struct ntime_state_access *to, const struct place *p, unsigned int kind)
{
	const struct last *l = &p->last[kind];

	if (l->number <= to->number)
		return;
	*to = (struct ntime_state_access){
		.number = l->number,
		.time_ns = l->time_ns,
		.value = l->value,
		.offset = p->key.offset,
		.thread = l->thread,
		.mask = l->mask,
		.width = p->key.width,
		.flags = l->flags,
	};
}

/* Accesses that went to @p, which lies in the register. */
static void merge(struct ntime_register_state *out, const struct place *p)
{
	out->reads += p->count[NTIME_RECORD_READ];
	out->writes += p->count[NTIME_RECORD_WRITE];
	merge_last(&out->last_read, p, NTIME_RECORD_READ);
	merge_last(&out->last_write, p, NTIME_RECORD_WRITE);
}

static void begin(const struct ntime_trace_state *s, const struct key *k,
		  struct ntime_register_state *out)
{
	*out = (struct ntime_register_state){ .size = sizeof(*out),
					      .offset = k->offset,
					      .device = k->where >> 8,
					      .region = k->where & 0xff,
					      .width = k->width };
	fill_bits(s, k, out);
}

static void end(const struct ntime_trace_state *s, struct ntime_register_state *out)
{
	uint64_t last = out->last_read.number > out->last_write.number ? out->last_read.number
								       : out->last_write.number;

	if (last <= s->lost && s->lost)
		out->flags |= NTIME_STATE_BEFORE_LOSS;
}

int ntime_trace_state_find(const struct ntime_trace_state *s, uint32_t device, uint32_t region,
			   uint64_t offset, uint32_t width, struct ntime_register_state *out)
{
	struct key k = { offset, device << 8 | region, width };

	if (out->size != sizeof(*out) || !width || width > 8 || (width & (width - 1)) ||
	    device > 0xffff || region > 0xff)
		return -EINVAL;
	begin(s, &k, out);
	for (uint32_t w = 1; w <= width; w++) {
		for (uint32_t at = 0; at + w <= width; at++) {
			struct key part = { offset + at, k.where, w };
			uint32_t i = table_find(&s->places, &part);

			if (i != NONE)
				merge(out, place_at(s, i));
		}
	}
	end(s, out);
	return out->known || out->reads || out->writes;
}

/* Widest first, so that what lies inside of it follows. */
static int compare(const void *a, const void *b)
{
	const struct key *x = *(const struct key *const *)a, *y = *(const struct key *const *)b;

	if (x->where != y->where)
		return x->where < y->where ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->width < y->width) - (x->width > y->width);
}

static bool is_inside(const struct key *k, const struct key *in)
{
	return k->where == in->where && k->offset >= in->offset &&
	       k->offset - in->offset + k->width <= in->width;
}

int ntime_trace_state_for_each(const struct ntime_trace_state *s,
			       int (*fn)(void *arg, const struct ntime_register_state *state),
			       void *arg)
{
	const struct key **order = calloc(s->places.n + 1, sizeof(*order));
	struct ntime_register_state state;
	int ret = 0, count = 0;
	size_t i = 0;

	if (!order)
		return -ENOMEM;
	for (uint32_t p = 0; p < s->places.n; p++)
		order[p] = key_at(&s->places, p);
	qsort(order, s->places.n, sizeof(const struct key *), compare);
	while (i < s->places.n && !ret) {
		const struct key *widest = order[i];

		begin(s, widest, &state);
		for (; i < s->places.n && is_inside(order[i], widest); i++)
			merge(&state, (const struct place *)(const void *)order[i]);
		end(s, &state);
		count++;
		ret = fn(arg, &state);
	}
	free(order);
	return ret ? ret : count;
}
