// SPDX-License-Identifier: MIT
/* What a trace does to each register: by hand, and against counting without a clever thought. */
#include <errno.h>
#include <stdbool.h>

#include <ntime/trace/stat.h>

#include "trace/lib/query/stat_values.h"
#include "trace/tests/lib/context.h"
#include "trace/tests/lib/records.h"

#define TIMED NTIME_RECORD_TIMED
#define VALUED NTIME_RECORD_VALUED
#define BOTH (TIMED | VALUED)

/* Rows in the order they come. */
struct rows {
	struct ntime_register_stat row[64];
	int n;
};

static int take_row(void *arg, const struct ntime_register_stat *row)
{
	struct rows *rows = arg;

	assert_true(rows->n < 64);
	rows->row[rows->n++] = *row;
	return 0;
}

struct totals {
	struct ntime_trace_total total[64];
	int n;
};

static int take_total(void *arg, const struct ntime_trace_total *total)
{
	struct totals *totals = arg;

	assert_true(totals->n < 64);
	totals->total[totals->n++] = *total;
	return 0;
}

static struct ntime_trace_stat *stat_new(uint32_t registers, uint32_t values, uint64_t value_bytes)
{
	struct ntime_trace_stat_options o = { .size = sizeof(o),
					      .registers = registers,
					      .values = values,
					      .value_bytes = value_bytes };
	struct ntime_trace_stat *s;

	assert_int_equal(ntime_trace_stat_new(tt_ctx, &o, &s), 0);
	return s;
}

static void put(struct ntime_trace_stat *s, const struct ntime_record *records, size_t n)
{
	struct ntime_trace_batch batch = { .size = sizeof(batch), .n = n, .records = records };

	assert_int_equal(ntime_trace_stat_put(s, &batch), 0);
}

static void put_text(struct ntime_trace_stat *s, const char *text)
{
	struct ntime_record records[16];

	put(s, records, tt_parse_records(text, records, 16));
}

#define NUMBER(member) TT_NUMBER(struct ntime_register_stat, member)
#define TOTAL(member) TT_NUMBER(struct ntime_trace_total, member)

static const struct tt_field row_fields[] = {
	NUMBER(flags),	    NUMBER(offset),	  NUMBER(reads),	 NUMBER(writes),
	NUMBER(distinct),   NUMBER(first_read),	  NUMBER(last_read),	 NUMBER(first_write),
	NUMBER(last_write), NUMBER(toggled_read), NUMBER(toggled_write), NUMBER(first_ns),
	NUMBER(last_ns),    NUMBER(gaps),	  NUMBER(gap_min_ns),	 NUMBER(gap_max_ns),
	NUMBER(device),	    NUMBER(region),	  NUMBER(widths),	 { 0 },
};

static const struct tt_field total_fields[] = {
	TOTAL(flags),  TOTAL(device),	 TOTAL(region), TOTAL(thread),	 TOTAL(reads),
	TOTAL(writes), TOTAL(registers), TOTAL(rest),	TOTAL(first_ns), TOTAL(last_ns),
	{ 0 },
};

/*
 * One register polled, written, and read by its upper half; answers worked out by hand. A mark, and
 * what was made up, are no accesses. Then time goes back: no gap, and what came before stays the
 * latest. One is asked for, not answered. Then another region, another device, without a time.
 */
#define BY_HAND(thread)                                                                            \
	"R10=5@100 R10=4@130" thread " W10=7@130" thread " I10:0@135 !R10=99@136 "                 \
	"R10=4@90 W10=17:1@180 R10?ff@200 %1R10=1:2 #3W10=1:8"

/*
 * Bits that only one of two accesses covers did not toggle. Of the masked write only bits 8 to 11
 * change; bits above the width are nobody's.
 */
#define COVERED                                                                                    \
	"W0=ff:1 W0=abcd00ff W0=f:1 W0=8bcd00ff W0=ffffffff&f00 R0=ffffff00000000ff:2 R0=1ff:2"

/* The rows of @records, in their order. */
static const struct counts_row {
	int line;
	const char *records, *has[4];
} counts_rows[] = {
	{ __LINE__,
	  BY_HAND(""),
	  /* distinct: 5, 4, 7, 0x17; gaps: 30, 0, 50, 20; flags: both valued, timed */
	  { "offset=0x10, region=0, reads=4, writes=2, widths=5, distinct=4, flags=0x1c, "
	    "first_read=5, last_read=4, first_write=7, last_write=0x17, toggled_read=1, "
	    "toggled_write=0x10, first_ns=100, last_ns=200, gaps=4, gap_min_ns=0, gap_max_ns=50",
	    "region=1, writes=0, flags=4, gaps=0", "device=3, reads=0, widths=8" } },
	{ __LINE__,
	  COVERED,
	  /* distinct: ff abcd00ff f 8bcd00ff ffffffff 1ff */
	  { "toggled_write=0x20000ff0, toggled_read=0x100, first_read=0xff, distinct=6" } },
};

TEST(counts_by_hand)
{
	TT_FOR_EACH_ROW(r, counts_rows) {
		struct ntime_trace_stat *s = stat_new(0, 0, 0);
		struct rows rows = { .n = 0 };
		int n;

		put_text(s, r->records);
		n = ntime_trace_stat_for_each(s, take_row, &rows);
		TT_EQ(r, rows.n, n);
		for (n = 0; r->has[n]; n++)
			TT_FIELDS(r, &rows.row[n], row_fields, r->has[n]);
		TT_EQ(r, rows.n, n);
		ntime_trace_stat_free(s);
	}
}

TEST(marks_are_counted)
{
	struct ntime_trace_stat *s = stat_new(0, 0, 0);

	put_text(s, BY_HAND(""));
	TT_IS(ntime_trace_stat_marks(s, NTIME_RECORD_INTERRUPT), 1);
	TT_IS(ntime_trace_stat_marks(s, NTIME_RECORD_READ), 5);
	TT_IS(ntime_trace_stat_marks(s, 1000), 0);
	ntime_trace_stat_free(s);
}

/* Of two registers that have rows; 0 of them are of an empty trace. */
static const struct total_row {
	int line;
	const char *records;
	uint32_t kind;
	const char *has[4];
} total_rows[] = {
	{ __LINE__,
	  BY_HAND("^77"),
	  NTIME_TOTAL_ALL,
	  { "reads=5, writes=3, registers=2, rest=1, first_ns=100, last_ns=200" } },
	{ __LINE__,
	  BY_HAND("^77"),
	  NTIME_TOTAL_DEVICE,
	  { "reads=5", "device=3, registers=0, rest=1" } },
	{ __LINE__, BY_HAND("^77"), NTIME_TOTAL_REGION, { "", "region=1, reads=1", "" } },
	/* flags: timed; of a thread, too */
	{ __LINE__,
	  BY_HAND("^77"),
	  NTIME_TOTAL_THREAD,
	  { "flags=0x10, reads=4, writes=2", "flags=0x30, thread=77, reads=1, writes=1" } },
	{ __LINE__, "", NTIME_TOTAL_ALL, { "reads=0, writes=0, registers=0" } },
	{ __LINE__, "", NTIME_TOTAL_REGION, { NULL } },
};

TEST(totals_by_hand)
{
	TT_FOR_EACH_ROW(r, total_rows) {
		struct ntime_trace_stat *s = stat_new(2, 0, 0);
		struct totals t = { .n = 0 };
		int n;

		put_text(s, r->records);
		n = ntime_trace_stat_totals(s, r->kind, take_total, &t);
		TT_EQ(r, t.n, n);
		for (n = 0; r->has[n]; n++)
			TT_FIELDS(r, &t.total[n], total_fields, r->has[n]);
		TT_EQ(r, t.n, n);
		TT_EQ(r, ntime_trace_stat_totals(s, 4, take_total, &t), -EINVAL);
		ntime_trace_stat_free(s);
	}
}

/* More registers than rows: the rest is told by region, and nothing is lost. */
TEST(bounded_rows)
{
	static const struct {
		int line, row;
		const char *has;
	} want[] = {
		{ __LINE__, 2, "offset=8, reads=100" },
		/* flags: the rest, timed */
		{ __LINE__, 3, "flags=0x11, region=0, reads=100, writes=100" },
		{ __LINE__, 4, "flags=0x11, first_ns=5, last_ns=999" },
	};
	struct ntime_trace_stat *s = stat_new(3, 0, 0);
	struct rows rows = { .n = 0 };

	for (unsigned int i = 0; i < 1000; i++) {
		struct ntime_record r = { .time_ns = i,
					  .offset = i % 10 * 4,
					  .value = i,
					  .width = 4,
					  .region = (uint8_t)(i % 10 / 5),
					  .kind = i % 2,
					  .flags = BOTH };

		put(s, &r, 1);
	}
	TT_IS(ntime_trace_stat_for_each(s, take_row, &rows), 5);
	TT_FOR_EACH_ROW(r, want)
		TT_FIELDS(r, &rows.row[r->row], row_fields, r->has);
	TT_IS(rows.row[4].reads + rows.row[4].writes, 500);
	ntime_trace_stat_free(s);
}

/* Exact up to the bound, a lower bound behind it, and 0 is a value as well. */
TEST(bounded_values)
{
	static const struct {
		int line;
		uint32_t most;
		uint64_t bytes;
		uint64_t values; /* 0 to values - 1 are written */
		uint64_t distinct;
		bool is_more;
	} rows[] = {
		{ __LINE__, 4, 0, 1, 1, false },
		{ __LINE__, 4, 0, 4, 4, false },
		{ __LINE__, 4, 0, 5, 5, true },
		{ __LINE__, 4, 0, 500, 5, true },
		{ __LINE__, 0, 0, 64, 64, false },
		{ __LINE__, 0, 0, 65, 65, true },
		{ __LINE__, 65536, 0, 65536, 65536, false },
		{ __LINE__, 8, 0, 8, 8, false },
		{ __LINE__, 8, 0, 9, 9, true },
		{ __LINE__, 9, 0, 9, 9, false },
		/* eight values need no slot; of 16, one is nobody's, and 16 do not fit */
		{ __LINE__, 0, 16 * 8, 8, 8, false },
		{ __LINE__, 0, 16 * 8, 100, 9, true },
		/* 16 slots hold 12 values beside 0; 32 more hold 24, 64 more do not fit */
		{ __LINE__, 0, 64 * 8, 25, 25, false },
		{ __LINE__, 0, 64 * 8, 100, 26, true },
	};

	TT_FOR_EACH_ROW(r, rows) {
		struct ntime_trace_stat *s = stat_new(0, r->most, r->bytes);
		struct rows out = { .n = 0 };

		for (int again = 0; again < 2; again++)
			for (uint64_t i = 0; i < r->values; i++) {
				struct ntime_record one = {
					.value = i, .width = 8, .kind = 1, .flags = VALUED
				};

				put(s, &one, 1);
			}
		ntime_trace_stat_for_each(s, take_row, &out);
		TT_EQ(r, out.row[0].distinct, r->distinct);
		TT_EQ(r, out.row[0].flags & NTIME_STAT_MORE_VALUES,
		      r->is_more ? NTIME_STAT_MORE_VALUES : 0);
		ntime_trace_stat_free(s);
	}
}

TEST(refuses_options)
{
	static const struct {
		int line;
		struct ntime_trace_stat_options o;
		const char *sentence;
	} rows[] = {
		{ __LINE__, { .size = 3 }, "another version" },
		{ __LINE__, { .size = sizeof(rows[0].o), .flags = 1 }, "another version" },
		{ __LINE__, { .size = sizeof(rows[0].o), .registers = 1u << 25 }, "16777216" },
		{ __LINE__, { .size = sizeof(rows[0].o), .values = 65537 }, "65536" },
	};
	struct ntime_trace_stat *s;

	TT_FOR_EACH_ROW(r, rows) {
		TT_EQ(r, ntime_trace_stat_new(tt_ctx, &r->o, &s), -EINVAL);
		TT_HAS(ntime_trace_error_text(tt_ctx), r->sentence);
	}
	assert_int_equal(ntime_trace_stat_new(tt_ctx, NULL, &s), 0);
	ntime_trace_stat_free(s);
	ntime_trace_stat_free(NULL);
}

/* Threads beyond the first 4096 are one sum. */
static int check_thread(void *arg, const struct ntime_trace_total *total)
{
	uint32_t *next = arg;

	TT_IS(total->flags, *next >= 4096 ? NTIME_STAT_REST : NTIME_STAT_THREAD);
	TT_IS(total->thread, *next >= 4096 ? 0 : *next);
	TT_IS(total->reads, *next >= 4096 ? 2 * (5000 - 4096) : 2);
	++*next;
	return 0;
}

TEST(bounded_threads)
{
	struct ntime_trace_stat *s = stat_new(0, 0, 0);
	uint32_t next = 0;

	for (uint32_t i = 0; i < 5000; i++) {
		struct ntime_record r[2] = {
			{ .thread = i, .width = 4, .flags = VALUED | NTIME_RECORD_THREADED },
			{ .thread = i, .width = 4, .flags = VALUED | NTIME_RECORD_THREADED },
		};

		put(s, r, 2);
	}
	TT_IS(ntime_trace_stat_totals(s, NTIME_TOTAL_THREAD, check_thread, &next), 4097);
	ntime_trace_stat_free(s);
}

/* ---- against counting without a clever thought ---- */

#define PLACES 12
#define RECORDS 4000

static void make_random(struct ntime_record *records, uint64_t *seed)
{
	static const uint8_t widths[] = { 4, 4, 4, 4, 1, 2, 8, 0 };
	unsigned int odd = 1 + tt_random(seed) % 8;
	uint64_t now = 1000;

	for (size_t i = 0; i < RECORDS; i++) {
		struct ntime_record *r = &records[i];

		*r = (struct ntime_record){ .flags = BOTH };
		r->offset = tt_random(seed) % 4 * 4;
		r->device = (uint16_t)(tt_random(seed) % 3 == 0);
		r->region = (uint8_t)(tt_random(seed) % 3 == 0);
		r->kind = tt_random(seed) % 2;
		r->width = widths[tt_random(seed) % odd];
		r->value = tt_random(seed) % 3 ? tt_random(seed) % 8 : tt_random(seed);
		now += tt_random(seed) % 50;
		r->time_ns = tt_random(seed) % 20 ? now : now - 100;
		if (tt_random(seed) % 32 == 0)
			r->flags = (uint8_t)(tt_random(seed) % 4);
		if (odd == 8 && r->kind == 1 && tt_random(seed) % 8 == 0) {
			r->flags |= NTIME_RECORD_MASKED;
			r->mask = (uint32_t)tt_random(seed);
		}
	}
}

static uint64_t bits_of(const struct ntime_record *r)
{
	uint64_t bits = UINT64_MAX;

	if (r->width && r->width < 8)
		bits = (1ull << 8 * r->width) - 1;
	return r->flags & NTIME_RECORD_MASKED ? bits & r->mask : bits;
}

static uint64_t value_of(const struct ntime_record *r)
{
	return r->width && r->width < 8 ? r->value & ((1ull << 8 * r->width) - 1) : r->value;
}

/* Bits in which any two accesses of a kind differ that both cover it. */
static uint64_t naive_toggled(const struct ntime_record **r, size_t n, unsigned int kind)
{
	uint64_t ones = 0, zeros = 0;

	for (size_t i = 0; i < n; i++) {
		if (r[i]->kind != kind || !(r[i]->flags & VALUED))
			continue;
		ones |= value_of(r[i]) & bits_of(r[i]);
		zeros |= ~value_of(r[i]) & bits_of(r[i]);
	}
	return ones & zeros;
}

static uint64_t naive_distinct(const struct ntime_record **r, size_t n)
{
	uint64_t distinct = 0;

	for (size_t i = 0; i < n; i++) {
		bool is_new = r[i]->flags & VALUED;

		for (size_t j = 0; j < i && is_new; j++)
			is_new = !(r[j]->flags & VALUED) || value_of(r[j]) != value_of(r[i]);
		distinct += is_new;
	}
	return distinct;
}

static void naive(const struct ntime_record **r, size_t n, struct ntime_register_stat *out)
{
	bool is_timed = false;

	out->distinct = naive_distinct(r, n);
	out->toggled_read = naive_toggled(r, n, 0);
	out->toggled_write = naive_toggled(r, n, 1);
	for (size_t i = 0; i < n; i++) {
		out->reads += r[i]->kind == 0;
		out->writes += r[i]->kind == 1;
		if (!(r[i]->flags & TIMED))
			continue;
		if (!is_timed) {
			out->first_ns = out->last_ns = r[i]->time_ns;
			out->gap_min_ns = UINT64_MAX;
			is_timed = true;
			continue;
		}
		if (r[i]->time_ns < out->last_ns)
			continue;
		out->gaps++;
		if (r[i]->time_ns - out->last_ns < out->gap_min_ns)
			out->gap_min_ns = r[i]->time_ns - out->last_ns;
		if (r[i]->time_ns - out->last_ns > out->gap_max_ns)
			out->gap_max_ns = r[i]->time_ns - out->last_ns;
		out->last_ns = r[i]->time_ns;
	}
	if (!out->gaps)
		out->gap_min_ns = 0;
}

static void compare_row(const struct ntime_record *records, const struct ntime_register_stat *row)
{
	static const struct ntime_record *mine[RECORDS];
	struct ntime_register_stat want = { .size = sizeof(want) };
	size_t n = 0;

	for (size_t i = 0; i < RECORDS; i++)
		if (records[i].offset == row->offset && records[i].device == row->device &&
		    records[i].region == row->region)
			mine[n++] = &records[i];
	naive(mine, n, &want);
	TT_IS(row->reads, want.reads);
	TT_IS(row->writes, want.writes);
	TT_IS(row->distinct, want.distinct);
	TT_IS(row->toggled_read, want.toggled_read);
	TT_IS(row->toggled_write, want.toggled_write);
	TT_IS(row->first_ns, want.first_ns);
	TT_IS(row->last_ns, want.last_ns);
	TT_IS(row->gaps, want.gaps);
	TT_IS(row->gap_min_ns, want.gap_min_ns);
	TT_IS(row->gap_max_ns, want.gap_max_ns);
}

TEST(counts_as_a_naive_one)
{
	static struct ntime_record records[RECORDS];
	uint64_t seed = tt_seed();

	for (int round = 0; round < 20; round++) {
		struct ntime_trace_stat *s = stat_new(0, 4096, 0);
		struct rows rows = { .n = 0 };
		size_t done = 0;

		make_random(records, &seed);
		while (done < RECORDS) {
			size_t n = 1 + tt_random(&seed) % 100;

			if (n > RECORDS - done)
				n = RECORDS - done;
			put(s, records + done, n);
			done += n;
		}
		TT_IS(ntime_trace_stat_for_each(s, take_row, &rows), 16);
		for (int i = 0; i < rows.n; i++)
			compare_row(records, &rows.row[i]);
		ntime_trace_stat_free(s);
	}
}

/* So many registers that rows and hash table grow again and again. */
static int check_many(void *arg, const struct ntime_register_stat *row)
{
	uint64_t *next = arg;

	TT_IS(row->offset, *next * 8);
	TT_IS(row->reads, 2);
	TT_IS(row->first_read, *next);
	TT_IS(row->last_read, *next + 1);
	TT_IS(row->distinct, 2);
	++*next;
	return 0;
}

TEST(grows)
{
	struct ntime_trace_stat *s = stat_new(100000, 0, 0);
	uint64_t next = 0;

	for (int again = 0; again < 2; again++)
		for (uint64_t i = 0; i < 50000; i++) {
			uint64_t at = i * 7919 % 50000;
			struct ntime_record r = {
				.offset = at * 8, .value = at + again, .width = 4, .flags = VALUED
			};

			put(s, &r, 1);
		}
	TT_IS(ntime_trace_stat_for_each(s, check_many, &next), 50000);
	ntime_trace_stat_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_by_hand),  cmocka_unit_test(marks_are_counted),
		cmocka_unit_test(totals_by_hand),  cmocka_unit_test(bounded_rows),
		cmocka_unit_test(bounded_values),  cmocka_unit_test(bounded_threads),
		cmocka_unit_test(refuses_options), cmocka_unit_test(counts_as_a_naive_one),
		cmocka_unit_test(grows),
	};

	return cmocka_run_group_tests(tests, tt_open_context, tt_close_context) ? 1 : 0;
}
