// SPDX-License-Identifier: MIT
/*
 * What a trace does to each register, in numbers.
 *
 * Records are cut into runs of accesses to one register. A run is looked at several times: for
 * where its register must be, for the register, for its values, and then it is counted. Between two
 * looks others are worked on while memory that is not in the cache comes.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/common/error.h"
#include "trace/lib/base/context.h"
#include "trace/lib/query/stat.h"

#define MOST_REGISTERS (1u << 24)
#define MOST_VALUES 65536u
#define MOST_THREADS 4096u
#define WINDOW 512u /* records that are worked on together */
#define AHEAD 16u   /* runs of accesses between two looks for the memory of one */

static int check(struct ntime_trace_ctx *ctx, const struct ntime_trace_stat_options *o)
{
	if (o->size != sizeof(*o) || o->flags || o->reserved[0] || o->reserved[1] ||
	    o->reserved[2] || o->reserved[3])
		return nti_error(&ctx->error, -EINVAL,
				 "options of a trace's statistics are of another version");
	if (o->registers > MOST_REGISTERS)
		return nti_error(&ctx->error, -EINVAL, "at most %u registers can be distinguished",
				 MOST_REGISTERS);
	if (o->values > MOST_VALUES)
		return nti_error(&ctx->error, -EINVAL,
				 "at most %u values of a register can be distinguished",
				 MOST_VALUES);
	return 0;
}

int ntime_trace_stat_new(struct ntime_trace_ctx *ctx,
			 const struct ntime_trace_stat_options *options,
			 struct ntime_trace_stat **out)
{
	struct ntime_trace_stat_options o = { .size = sizeof(o) };
	struct ntime_trace_stat *s;
	int ret;

	*out = NULL;
	if (options)
		o = *options;
	ret = check(ctx, &o);
	if (ret < 0)
		return ret;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->threads.most = MOST_THREADS;
	s->rest.most = SIZE_MAX;
	nti_values_init(&s->values, o.values ? o.values : 64,
			o.value_bytes ? o.value_bytes : (uint64_t)16 << 20);
	if (nti_stat_rows_init(&s->rows, o.registers ? o.registers : 65536) < 0) {
		ntime_trace_stat_free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

void ntime_trace_stat_free(struct ntime_trace_stat *s)
{
	if (!s)
		return;
	nti_stat_rows_fini(&s->rows);
	nti_values_fini(&s->values);
	nti_tally_fini(&s->threads);
	nti_tally_fini(&s->rest);
	free(s);
}

/* An access with a time that has no gap: the first one, or one whose time goes back. */
static void see_odd_time(struct nti_stat_row *row, uint64_t time_ns)
{
	if (row->flags & NTI_ROW_TIMED) {
		row->without_gap++;
		return;
	}
	row->flags |= NTI_ROW_TIMED;
	row->first_ns = row->last_ns = time_ns;
	row->gap_min = UINT64_MAX;
}

static inline void see_time(struct nti_stat_row *row, const struct ntime_record *r)
{
	uint64_t gap;

	if (!(r->flags & NTIME_RECORD_TIMED)) {
		row->without_gap++;
		return;
	}
	if (!(row->flags & NTI_ROW_TIMED) || r->time_ns < row->last_ns) {
		see_odd_time(row, r->time_ns);
		return;
	}
	gap = r->time_ns - row->last_ns;
	row->last_ns = r->time_ns;
	/* Stored always: what is shortest or longest is nothing that a processor could foresee. */
	row->gap_min = gap < row->gap_min ? gap : row->gap_min;
	row->gap_max = gap > row->gap_max ? gap : row->gap_max;
}

/* Bytes that an access covers: all where the trace does not tell the width. */
static inline uint8_t bytes_of(const struct ntime_record *r)
{
	return (uint8_t)(r->width - 1u) < 8 ? r->width : 8;
}

/* Bits of the low bytes; 0 of none. */
const uint64_t nti_stat_bits[16] = {
	0,
	0xff,
	0xffff,
	0xffffff,
	0xffffffff,
	0xffffffffff,
	0xffffffffffff,
	0xffffffffffffff,
	0xffffffffffffffff,
};

/*
 * From its first masked access on, what is known of a register is told bit by bit. NULL without
 * memory.
 */
static struct nti_stat_masked *masked_of(struct ntime_trace_stat *s, struct nti_stat_row *row)
{
	struct nti_stat_masked *m = nti_stat_rows_masked(&s->rows, row);

	if (!m)
		return NULL;
	if (row->flags & NTI_ROW_MASKED)
		return m;
	row->flags |= NTI_ROW_MASKED;
	for (unsigned int kind = 0; kind < 2; kind++) {
		m->known[kind] = nti_stat_bits[row->cover[kind] & 15];
		m->last[kind] = row->now[kind] & nti_stat_bits[row->cover[kind] >> 4];
	}
	return m;
}

/* A value of a register that has masked writes. 0 or -ENOMEM. */
static int see_masked_value(struct ntime_trace_stat *s, struct nti_stat_row *row,
			    const struct ntime_record *r)
{
	uint64_t bits = nti_stat_bits[bytes_of(r)], value = r->value & bits;
	struct nti_stat_masked *m = masked_of(s, row);
	unsigned int kind = r->kind;

	if (!m)
		return -ENOMEM;
	if (r->flags & NTIME_RECORD_MASKED)
		bits &= r->mask;
	row->toggled[kind] |= (value ^ row->now[kind]) & bits & m->known[kind];
	row->now[kind] = (row->now[kind] & ~bits) | (value & bits);
	m->known[kind] |= bits;
	m->last[kind] = value;
	if (!row->cover[kind])
		row->first[kind] = value;
	row->cover[kind] = 0x88;
	nti_values_see(&s->values, &row->values, row->few, value);
	return 0;
}

/* A value of another width than those before, or the first one. */
static void see_other_width(struct ntime_trace_stat *s, struct nti_stat_row *row,
			    const struct ntime_record *r)
{
	const unsigned int kind = r->kind, cover = row->cover[kind], bytes = bytes_of(r);
	const uint64_t bits = nti_stat_bits[bytes], value = r->value & bits, was = row->now[kind];

	if (!cover)
		row->first[kind] = value;
	row->cover[kind] = (uint8_t)(bytes << 4 | ((cover & 15) > bytes ? cover & 15 : bytes));
	row->toggled[kind] |= (value ^ was) & bits & nti_stat_bits[cover & 15];
	row->now[kind] = (was & ~bits) | value;
	if (!cover || value != (was & nti_stat_bits[cover >> 4]))
		nti_values_see(&s->values, &row->values, row->few, value);
}

/* 0 or -ENOMEM. */
static inline int see_value(struct ntime_trace_stat *s, struct nti_stat_row *row,
			    const struct ntime_record *r)
{
	const unsigned int kind = r->kind, bytes = bytes_of(r);
	uint64_t value, changed;

	if (!(r->flags & NTIME_RECORD_VALUED))
		return 0;
	if ((r->flags & NTIME_RECORD_MASKED) || (row->flags & NTI_ROW_MASKED))
		return see_masked_value(s, row, r);
	if (row->cover[kind] != bytes * 0x11) {
		see_other_width(s, row, r);
		return 0;
	}
	value = r->value & nti_stat_bits[bytes];
	changed = value ^ row->now[kind];
	row->toggled[kind] |= changed;
	row->now[kind] = value;
	if (changed)
		nti_values_see(&s->values, &row->values, row->few, value);
	return 0;
}

static uint32_t place_of(const struct ntime_record *r)
{
	return (uint32_t)r->device << 8 | r->region;
}

/* What counts: what ntime made up itself is no access of the driver. */
static inline bool is_counted(const struct ntime_record *r)
{
	return r->kind <= NTIME_RECORD_WRITE && !(r->flags & NTIME_RECORD_SYNTHETIC);
}

/**
 * struct run - accesses in a row to one register, marks among them
 * @first:	place of its first access in the window
 * @row:	of the register
 * @hash:	of its place
 */
struct run {
	uint32_t first;
	uint32_t row;
	uint64_t hash;
};

/**
 * struct window - records that are worked on together
 * @r:		@n of them
 * @run:	@runs of them, and what ends the last one
 */
struct window {
	const struct ntime_record *r;
	size_t n, runs;
	struct run run[WINDOW + 1];
};

static inline bool is_same_register(const struct ntime_record *a, const struct ntime_record *b)
{
	return ((a->offset ^ b->offset) | (uint64_t)(a->device ^ b->device) |
		(uint64_t)(a->region ^ b->region)) == 0;
}

/*
 * Count threads and marks, and find the runs. Where one ends cannot be foreseen, so nothing is
 * asked. 0 or -ENOMEM.
 */
static int cut(struct ntime_trace_stat *s, struct window *w)
{
	const struct ntime_record *r = w->r, *last = NULL;
	struct nti_tally_sum *thread = NULL;
	const uint32_t n = (uint32_t)w->n;
	size_t runs = 0;

	for (uint32_t i = 0; i < n; i++, r++) {
		if (!is_counted(r)) {
			if (!(r->flags & NTIME_RECORD_SYNTHETIC) && r->kind < NTIME_RECORD_KINDS)
				s->kinds[r->kind]++;
			continue;
		}
		if (!last || r->thread != last->thread ||
		    (r->flags ^ last->flags) & NTIME_RECORD_THREADED) {
			thread = nti_tally_at(&s->threads, r->flags & NTIME_RECORD_THREADED
								   ? r->thread
								   : NTI_NO_THREAD);
			if (!thread)
				return -ENOMEM;
		}
		nti_tally_sum_add(thread, r);
		w->run[runs].first = i;
		runs += !last || !is_same_register(r, last);
		last = r;
	}
	w->runs = runs;
	w->run[runs].first = n;
	return 0;
}

static inline const struct ntime_record *first_of(const struct window *w, size_t i)
{
	return &w->r[w->run[i].first];
}

static inline void look_for_slot(const struct ntime_trace_stat *s, struct window *w, size_t i)
{
	size_t mask = ((size_t)1 << s->rows.order) - 1;
	const struct ntime_record *r = first_of(w, i);

	w->run[i].hash = nti_stat_hash(r->offset, place_of(r));
	__builtin_prefetch(&s->rows.slot[w->run[i].hash & mask]);
}

/*
 * What stands in the first slot and has the same tag is the row nearly always; whether it is will
 * be seen when it is there.
 */
static inline void look_for_row(const struct ntime_trace_stat *s, struct run *run)
{
	size_t mask = ((size_t)1 << s->rows.order) - 1;
	const struct nti_stat_slot *slot = &s->rows.slot[run->hash & mask];

	run->row = NTI_NO_ROW;
	if (!slot->row || slot->tag != (uint32_t)(run->hash >> 32))
		return;
	run->row = slot->row - 1;
	__builtin_prefetch(&s->rows.row[run->row]);
	__builtin_prefetch((const char *)&s->rows.row[run->row] + 64);
}

/* The row for sure, also a new one. 0 or -ENOMEM. */
static inline int settle_row(struct ntime_trace_stat *s, struct window *w, size_t i)
{
	const struct ntime_record *r = first_of(w, i);
	struct run *run = &w->run[i];
	uint32_t place = place_of(r);

	if (run->row != NTI_NO_ROW && nti_stat_is_at(&s->rows.row[run->row], r->offset, place))
		return 0;
	run->row = nti_stat_rows_find(&s->rows, run->hash, r->offset, place);
	if (run->row != NTI_NO_ROW)
		return 0;
	return nti_stat_rows_add(&s->rows, r->offset, place, &run->row);
}

/* Where its values must be. */
static inline void look_for_values(const struct ntime_trace_stat *s, const struct window *w,
				   size_t i)
{
	const struct nti_stat_row *row;

	if (w->run[i].row == NTI_NO_ROW)
		return;
	row = &s->rows.row[w->run[i].row];
	if (nti_values_is_full(&row->values))
		return;
	for (uint32_t n = w->run[i].first; n < w->run[i + 1].first; n++)
		nti_values_prefetch(&s->values, &row->values, row->few, w->r[n].value);
}

static int count_rest(struct ntime_trace_stat *s, const struct window *w, size_t i)
{
	struct nti_tally_sum *sum = nti_tally_at(&s->rest, place_of(first_of(w, i)));

	if (!sum)
		return -ENOMEM;
	for (uint32_t n = w->run[i].first; n < w->run[i + 1].first; n++) {
		if (is_counted(&w->r[n]))
			nti_tally_sum_add(sum, &w->r[n]);
	}
	return 0;
}

static int count_run(struct ntime_trace_stat *s, const struct window *w, size_t i)
{
	struct nti_stat_row *row;

	if (w->run[i].row == NTI_NO_ROW)
		return count_rest(s, w, i);
	row = &s->rows.row[w->run[i].row];
	for (uint32_t n = w->run[i].first; n < w->run[i + 1].first; n++) {
		const struct ntime_record *r = &w->r[n];

		if (!is_counted(r))
			continue;
		row->count[r->kind]++;
		row->widths |= r->width ? r->width : 16;
		see_time(row, r);
		if (see_value(s, row, r) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* 0 or -ENOMEM; then the runs before the one that found no memory are counted. */
static int count_window(struct ntime_trace_stat *s, struct window *w)
{
	size_t end;
	int ret = cut(s, w);

	if (ret < 0)
		return ret;
	end = w->runs;
	for (size_t i = 0; i < end + 3 * AHEAD; i++) {
		if (i < end)
			look_for_slot(s, w, i);
		if (i >= AHEAD && i - AHEAD < end)
			look_for_row(s, &w->run[i - AHEAD]);
		if (i >= 2 * AHEAD && i - 2 * AHEAD < end) {
			if (settle_row(s, w, i - 2 * AHEAD) < 0) {
				ret = -ENOMEM;
				end = i - 2 * AHEAD;
			} else {
				look_for_values(s, w, i - 2 * AHEAD);
			}
		}
		if (i >= 3 * AHEAD && i - 3 * AHEAD < end && count_run(s, w, i - 3 * AHEAD) < 0)
			return -ENOMEM;
	}
	return ret;
}

int ntime_trace_stat_put(struct ntime_trace_stat *s, const struct ntime_trace_batch *batch)
{
	struct window w;
	int ret = 0;

	w.r = batch->records;
	for (size_t left = batch->n; left && !ret; left -= w.n, w.r += w.n) {
		w.n = left < WINDOW ? left : WINDOW;
		ret = count_window(s, &w);
	}
	return ret;
}

/* Accesses, which are counted by thread. */
static uint64_t accesses(const struct ntime_trace_stat *s, uint32_t kind)
{
	uint64_t n = s->threads.rest.count[kind];

	for (size_t i = 0; i < s->threads.n; i++)
		n += s->threads.sum[i].count[kind];
	return n;
}

uint64_t ntime_trace_stat_marks(const struct ntime_trace_stat *s, uint32_t kind)
{
	if (kind <= NTIME_RECORD_WRITE)
		return accesses(s, kind);
	return kind < NTIME_RECORD_KINDS ? s->kinds[kind] : 0;
}
