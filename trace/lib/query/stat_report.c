// SPDX-License-Identifier: MIT
/* What a trace does to each register: rows in order, and sums. */
#include <errno.h>
#include <stdlib.h>

#include "base/common/grow.h"
#include "trace/lib/query/stat.h"

/*
 * The rows in the order of their places: what they are sorted by, and their number; NTI_NO_ROW for
 * the rest of a region.
 */
struct order {
	uint32_t place;
	uint32_t row;
	uint64_t offset;
};

static int compare(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if ((x->row == NTI_NO_ROW) != (y->row == NTI_NO_ROW))
		return x->row == NTI_NO_ROW ? 1 : -1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static struct order *sorted(const struct ntime_trace_stat *s, size_t *n)
{
	struct order *order;

	*n = s->rows.n + s->rest.n;
	order = calloc(*n + 1, sizeof(*order));
	if (!order)
		return NULL;
	for (size_t i = 0; i < s->rows.n; i++)
		order[i] =
			(struct order){ s->rows.row[i].place, (uint32_t)i, s->rows.row[i].offset };
	for (size_t i = 0; i < s->rest.n; i++)
		order[s->rows.n + i] =
			(struct order){ (uint32_t)s->rest.sum[i].key, NTI_NO_ROW, 0 };
	qsort(order, *n, sizeof(*order), compare);
	return order;
}

static void fill_rest(const struct ntime_trace_stat *s, uint32_t place,
		      struct ntime_register_stat *out)
{
	const struct nti_tally_sum *sum = nti_tally_find(&s->rest, place);

	*out = (struct ntime_register_stat){
		.size = sizeof(*out),
		.flags = NTIME_STAT_REST | (sum->is_timed ? NTIME_STAT_TIMED : 0),
		.device = place >> 8,
		.region = place & 0xff,
		.reads = sum->count[NTIME_RECORD_READ],
		.writes = sum->count[NTIME_RECORD_WRITE],
		.widths = sum->widths,
		.first_ns = sum->first_ns,
		.last_ns = sum->last_ns,
	};
}

static void fill(const struct ntime_trace_stat *s, uint32_t n, struct ntime_register_stat *out)
{
	const struct nti_stat_row *row = &s->rows.row[n];
	const struct nti_stat_masked *m = row->flags & NTI_ROW_MASKED ? &s->rows.masked[n] : NULL;

	*out = (struct ntime_register_stat){
		.size = sizeof(*out),
		.flags = (nti_values_is_full(&row->values) ? NTIME_STAT_MORE_VALUES : 0) |
			 (row->cover[0] ? NTIME_STAT_READ_VALUED : 0) |
			 (row->cover[1] ? NTIME_STAT_WRITE_VALUED : 0) |
			 (row->flags & NTI_ROW_TIMED ? NTIME_STAT_TIMED : 0),
		.offset = row->offset,
		.reads = row->count[0],
		.writes = row->count[1],
		.distinct =
			(uint64_t)nti_values_count(&row->values) + nti_values_is_full(&row->values),
		.first_read = row->first[0],
		.last_read = m ? m->last[0] : row->now[0] & nti_stat_bits[row->cover[0] >> 4],
		.first_write = row->first[1],
		.last_write = m ? m->last[1] : row->now[1] & nti_stat_bits[row->cover[1] >> 4],
		.toggled_read = row->toggled[0],
		.toggled_write = row->toggled[1],
		.first_ns = row->first_ns,
		.last_ns = row->last_ns,
		.device = row->place >> 8,
		.region = row->place & 0xff,
		.widths = row->widths,
	};
	if (!(row->flags & NTI_ROW_TIMED))
		return;
	out->gaps = row->count[0] + row->count[1] - row->without_gap - 1;
	out->gap_min_ns = out->gaps ? row->gap_min : 0;
	out->gap_max_ns = row->gap_max;
}

int ntime_trace_stat_for_each(const struct ntime_trace_stat *s,
			      int (*fn)(void *arg, const struct ntime_register_stat *row),
			      void *arg)
{
	struct ntime_register_stat out;
	struct order *order;
	size_t n;
	int ret = 0;

	order = sorted(s, &n);
	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < n && !ret; i++) {
		if (order[i].row == NTI_NO_ROW)
			fill_rest(s, order[i].place, &out);
		else
			fill(s, order[i].row, &out);
		ret = fn(arg, &out);
	}
	free(order);
	return ret ? ret : (int)n;
}

/**
 * struct adding - sums in the making, while rows go by in any order
 * @keys:	which sum a row is of: a place in @total
 */
struct adding {
	uint32_t kind;
	struct nti_tally keys;
	struct ntime_trace_total *total;
};

/* The sum of a device and region, a new one when there is none; NULL without memory. */
static struct ntime_trace_total *total_of(struct adding *a, uint32_t device, uint32_t region)
{
	size_t before = a->keys.n, n;
	struct nti_tally_sum *sum;

	device = a->kind == NTIME_TOTAL_ALL ? 0 : device;
	region = a->kind == NTIME_TOTAL_REGION ? region : 0;
	sum = nti_tally_at(&a->keys, (uint64_t)device << 8 | region);
	if (!sum)
		return NULL;
	n = (size_t)(sum - a->keys.sum);
	if (n < before)
		return &a->total[n];
	if (!nti_grow(&a->total, n))
		return NULL;
	a->total[n] = (struct ntime_trace_total){
		.size = sizeof(*a->total), .kind = a->kind, .device = device, .region = region
	};
	return &a->total[n];
}

static void add_sum(struct ntime_trace_total *t, const struct nti_tally_sum *sum)
{
	t->reads += sum->count[NTIME_RECORD_READ];
	t->writes += sum->count[NTIME_RECORD_WRITE];
	if (!sum->is_timed)
		return;
	if (!(t->flags & NTIME_STAT_TIMED) || sum->first_ns < t->first_ns)
		t->first_ns = sum->first_ns;
	if (!(t->flags & NTIME_STAT_TIMED) || sum->last_ns > t->last_ns)
		t->last_ns = sum->last_ns;
	t->flags |= NTIME_STAT_TIMED;
}

static int add_row(struct adding *a, const struct nti_stat_row *row)
{
	struct ntime_trace_total *t = total_of(a, row->place >> 8, row->place & 0xff);
	const struct nti_tally_sum sum = { .count = { row->count[0], row->count[1] },
					   .first_ns = row->first_ns,
					   .last_ns = row->last_ns,
					   .is_timed = row->flags & NTI_ROW_TIMED };

	if (!t)
		return -ENOMEM;
	t->registers++;
	add_sum(t, &sum);
	return 0;
}

static int add_rest(struct adding *a, const struct nti_tally_sum *sum)
{
	struct ntime_trace_total *t =
		total_of(a, (uint32_t)(sum->key >> 8), (uint32_t)sum->key & 0xff);

	if (!t)
		return -ENOMEM;
	t->rest += sum->count[0] + sum->count[1];
	add_sum(t, sum);
	return 0;
}

static int compare_totals(const void *a, const void *b)
{
	const struct ntime_trace_total *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->region < y->region ? -1 : x->region > y->region;
}

static int add_all(const struct ntime_trace_stat *s, struct adding *a)
{
	int ret = 0;

	/* There is one of all even without an access. */
	if (a->kind == NTIME_TOTAL_ALL && !total_of(a, 0, 0))
		return -ENOMEM;
	for (size_t i = 0; i < s->rows.n && !ret; i++)
		ret = add_row(a, &s->rows.row[i]);
	for (size_t i = 0; i < s->rest.n && !ret; i++)
		ret = add_rest(a, &s->rest.sum[i]);
	if (!ret && a->keys.n)
		qsort(a->total, a->keys.n, sizeof(*a->total), compare_totals);
	return ret;
}

static int give_totals(const struct ntime_trace_stat *s, uint32_t kind,
		       int (*fn)(void *arg, const struct ntime_trace_total *total), void *arg)
{
	struct adding a = { .kind = kind, .keys = { .most = SIZE_MAX } };
	int ret = add_all(s, &a);

	for (size_t i = 0; i < a.keys.n && !ret; i++)
		ret = fn(arg, &a.total[i]);
	if (!ret)
		ret = (int)a.keys.n;
	nti_tally_fini(&a.keys);
	free(a.total);
	return ret;
}

static struct ntime_trace_total thread_total(const struct nti_tally_sum *sum, uint32_t flags)
{
	return (struct ntime_trace_total){
		.size = sizeof(struct ntime_trace_total),
		.kind = NTIME_TOTAL_THREAD,
		.flags = flags | (sum->is_timed ? NTIME_STAT_TIMED : 0),
		.thread = flags & NTIME_STAT_THREAD ? (uint32_t)sum->key : 0,
		.reads = sum->count[NTIME_RECORD_READ],
		.writes = sum->count[NTIME_RECORD_WRITE],
		.first_ns = sum->first_ns,
		.last_ns = sum->last_ns,
	};
}

static int give_threads(const struct ntime_trace_stat *s,
			int (*fn)(void *arg, const struct ntime_trace_total *total), void *arg)
{
	const struct nti_tally_sum *rest = &s->threads.rest;
	struct ntime_trace_total total;
	int ret = 0, n = 0;

	for (size_t i = 0; i < s->threads.n && !ret; i++, n++) {
		const struct nti_tally_sum *sum = &s->threads.sum[i];

		total = thread_total(sum, sum->key == NTI_NO_THREAD ? 0 : NTIME_STAT_THREAD);
		ret = fn(arg, &total);
	}
	if (!ret && rest->count[0] + rest->count[1]) {
		total = thread_total(rest, NTIME_STAT_REST);
		ret = fn(arg, &total);
		n++;
	}
	return ret ? ret : n;
}

int ntime_trace_stat_totals(const struct ntime_trace_stat *s, uint32_t kind,
			    int (*fn)(void *arg, const struct ntime_trace_total *total), void *arg)
{
	if (kind > NTIME_TOTAL_THREAD)
		return -EINVAL;
	if (kind == NTIME_TOTAL_THREAD)
		return give_threads(s, fn, arg);
	return give_totals(s, kind, fn, arg);
}
