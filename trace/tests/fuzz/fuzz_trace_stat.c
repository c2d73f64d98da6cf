// SPDX-License-Identifier: MIT
/*
 * Any records in the table of ntime trace stat. First byte: how many registers and values have
 * room. No access may be lost: rows, and totals of each kind, add up to what went in.
 */
#include <ntime/trace/stat.h>

#include "trace/tests/fuzz/trace_records.h"
#include "trace/tests/fuzz/trace_write.h"

struct sum {
	uint64_t reads, writes;
};

static int add_row(void *arg, const struct ntime_register_stat *row)
{
	struct sum *s = arg;

	s->reads += row->reads;
	s->writes += row->writes;
	fuzz_expect(row->reads || row->writes);
	fuzz_expect(row->gap_min_ns <= row->gap_max_ns || !row->gaps);
	fuzz_expect(row->distinct <= row->reads + row->writes);
	return 0;
}

static int add_total(void *arg, const struct ntime_trace_total *total)
{
	struct sum *s = arg;

	s->reads += total->reads;
	s->writes += total->writes;
	return 0;
}

static void check(const struct ntime_trace_stat *s, const struct ntime_record *rec, size_t n)
{
	struct sum want = { 0 }, got = { 0 };

	for (size_t i = 0; i < n; i++)
		if (fuzz_is_counted(&rec[i]))
			*(rec[i].kind == NTIME_RECORD_WRITE ? &want.writes : &want.reads) += 1;
	fuzz_expect(ntime_trace_stat_for_each(s, add_row, &got) >= 0);
	fuzz_expect(got.reads == want.reads && got.writes == want.writes);
	for (uint32_t kind = NTIME_TOTAL_ALL; kind <= NTIME_TOTAL_THREAD; kind++) {
		got = (struct sum){ 0 };
		fuzz_expect(ntime_trace_stat_totals(s, kind, add_total, &got) >= 0);
		fuzz_expect(got.reads == want.reads && got.writes == want.writes);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct fuzz_bytes in = { data, data + bytes };
	uint8_t room = (uint8_t)fuzz_get(&in, 1);
	struct ntime_trace_stat_options o = { .size = sizeof(o),
					      .registers = 1u << (room & 7),
					      .values = room >> 3 & 7,
					      .value_bytes = room & 0x40 ? 1024 : 0 };
	struct ntime_record rec[FUZZ_RECORDS];
	size_t n = fuzz_records(&in, rec, FUZZ_RECORDS);
	struct ntime_trace_batch first = fuzz_batch(rec, n / 2);
	struct ntime_trace_batch second = fuzz_batch(rec + n / 2, n - n / 2);
	struct ntime_trace_stat *s;

	if (ntime_trace_stat_new(fuzz_context(), &o, &s) < 0)
		return 0;
	fuzz_expect(ntime_trace_stat_put(s, &first) == 0);
	fuzz_expect(ntime_trace_stat_put(s, &second) == 0);
	check(s, rec, n);
	ntime_trace_stat_free(s);
	return 0;
}
