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
#include "trace/lib/query/slots.h"

#define MOST_REGISTERS (1u << 24)
#define CELL_BYTES 8u
#define NONE NTI_NO_SLOT
/* A trace that does not say how wide an access is has registers of 32 bits. */
#define USUAL_WIDTH 4u

/* What both tables are searched by; @width of a cell is CELL_BYTES. Without padding. */
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

struct ntime_trace_state {
	struct place *place;
	struct cell *cell;
	size_t places, cells, most;
	struct nti_slots place_slots, cell_slots;
	uint64_t accesses, dropped;
	uint64_t lost; /* number of the last access before a loss */
	bool is_back;  /* in a list of register operations that was handed back */
	bool has_lists;
};

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
	*out = s;
	return 0;
}

void ntime_trace_state_free(struct ntime_trace_state *s)
{
	if (!s)
		return;
	free(s->place);
	free(s->place_slots.slot);
	free(s->cell);
	free(s->cell_slots.slot);
	free(s);
}

/* The cell that has @offset, a new one if there is none; NONE without memory. */
static uint32_t cell_for(struct ntime_trace_state *s, uint32_t where, uint64_t offset)
{
	struct key k = { offset & ~(uint64_t)(CELL_BYTES - 1), where, CELL_BYTES };
	uint32_t i = nti_slots_find(&s->cell_slots, s->cell, &k);

	return i != NONE ? i : nti_slots_new(&s->cell_slots, &s->cell, &s->cells, &k);
}

static bool is_crossing(const struct key *k)
{
	return (k->offset & (CELL_BYTES - 1)) + k->width > CELL_BYTES;
}

/* The place of an access. 0; -ENOSPC (there is no room for a new one), -ENOMEM. */
static int find_place(struct ntime_trace_state *s, const struct key *k, uint32_t *out)
{
	uint32_t cell[2] = { NONE, NONE };

	*out = nti_slots_find(&s->place_slots, s->place, k);
	if (*out != NONE)
		return 0;
	if (s->places >= s->most)
		return -ENOSPC;
	cell[0] = cell_for(s, k->where, k->offset);
	if (is_crossing(k))
		cell[1] = cell_for(s, k->where, k->offset + k->width - 1);
	if (cell[0] == NONE || (is_crossing(k) && cell[1] == NONE))
		return -ENOMEM;
	*out = nti_slots_new(&s->place_slots, &s->place, &s->places, k);
	if (*out == NONE)
		return -ENOMEM;
	memcpy(s->place[*out].cell, cell, sizeof(cell));
	return 0;
}

/* @value was read or written in the bits of @mask. */
static void cell_access(struct cell *c, bool is_write, uint64_t value, uint64_t mask)
{
	uint64_t other = (c->value ^ value) & mask;

	c->value ^= other;
	c->known |= mask;
	if (is_write) {
		c->known &= ~(c->unlike_bits & mask);
		c->by_write |= mask;
		c->by_read &= ~mask;
		return;
	}
	c->volatile_bits |= other & c->by_read;
	c->unlike_bits |= other & c->by_write;
	c->by_read |= mask;
	c->by_write &= ~mask;
}

static void learn(struct ntime_trace_state *s, const struct place *p, const struct ntime_record *r)
{
	unsigned int shift = 8 * (unsigned int)(p->key.offset & (CELL_BYTES - 1));
	bool is_write = r->kind == NTIME_RECORD_WRITE;
	uint64_t mask = nti_width_mask((uint8_t)p->key.width);

	if (is_write && r->flags & NTIME_RECORD_MASKED)
		mask &= r->mask;
	cell_access(&s->cell[p->cell[0]], is_write, r->value << shift, mask << shift);
	if (p->cell[1] != NONE)
		cell_access(&s->cell[p->cell[1]], is_write, r->value >> (64 - shift),
			    mask >> (64 - shift));
}

static void remember(struct ntime_trace_state *s, struct place *p, const struct ntime_record *r)
{
	p->count[r->kind]++;
	p->last[r->kind] = (struct last){
		.number = s->accesses,
		.time_ns = r->time_ns,
		.value = r->value & nti_width_mask((uint8_t)p->key.width),
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
		learn(s, &s->place[i], r);
	remember(s, &s->place[i], r);
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
	return bits & nti_width_mask((uint8_t)k->width);
}

static const struct cell *find_cell(const struct ntime_trace_state *s, uint32_t where,
				    uint64_t offset)
{
	struct key k = { offset & ~(uint64_t)(CELL_BYTES - 1), where, CELL_BYTES };
	uint32_t i = nti_slots_find(&s->cell_slots, s->cell, &k);

	return i == NONE ? NULL : &s->cell[i];
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
			uint32_t i = nti_slots_find(&s->place_slots, s->place, &part);

			if (i != NONE)
				merge(out, &s->place[i]);
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
	const struct key **order = calloc(s->places + 1, sizeof(*order));
	struct ntime_register_state state;
	int ret = 0, count = 0;
	size_t i = 0;

	if (!order)
		return -ENOMEM;
	for (uint32_t p = 0; p < s->places; p++)
		order[p] = &s->place[p].key;
	qsort(order, s->places, sizeof(const struct key *), compare);
	while (i < s->places && !ret) {
		const struct key *widest = order[i];

		begin(s, widest, &state);
		for (; i < s->places && is_inside(order[i], widest); i++)
			merge(&state, (const struct place *)(const void *)order[i]);
		end(s, &state);
		count++;
		ret = fn(arg, &state);
	}
	free(order);
	return ret ? ret : count;
}
