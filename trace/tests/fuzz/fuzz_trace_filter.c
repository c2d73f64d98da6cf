// SPDX-License-Identifier: MIT
/*
 * The input as terms of a filter, one a line, "!" in front of those that are negated. What is
 * accepted is applied to a few records: what comes through is a part of them, in their order, and
 * all that is not an access where all marks are wanted.
 *
 * Names of registers are looked for among all of ntime's own rows, which takes a hundred times as
 * long as all else: one input in NAME_INPUTS does so, for the others there is no register.
 */
#include <ntime/trace/filter.h>

#include "trace/tests/fuzz/trace_records.h"
#include "trace/tests/fuzz/trace_write.h"
#include "trace/lib/filter/filter.h"

#define TERM_LINES 8
#define NAME_INPUTS 64

static const struct ntime_regdb *rows(void)
{
	static struct ntime_regdb *db;

	if (!db)
		fuzz_expect(ntime_regdb_new(fuzz_context(), &db) == 0);
	return db;
}

static const struct ntime_record *records(size_t *n)
{
	static struct ntime_record rec[FUZZ_RECORDS];
	static size_t made;
	uint8_t bytes[32 * FUZZ_RECORD_BYTES];
	struct fuzz_bytes in = { bytes, bytes + sizeof(bytes) };

	for (size_t i = 0; !made && i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 167 ^ i >> 3);
	if (!made)
		made = fuzz_records(&in, rec, FUZZ_RECORDS);
	*n = made;
	return rec;
}

static void apply(const struct ntime_trace_filter *f, bool all_marks)
{
	static struct nti_trace_devices *devices;
	static struct nti_trace_batch b;
	struct nti_filter_view *v;
	const struct ntime_record *rec;
	size_t n, i, k = 0;

	if (!devices)
		devices = fuzz_make_devices();
	rec = records(&n);
	nti_trace_batch_clear(&b);
	fuzz_expect(nti_trace_batch_reserve(&b, n) == 0);
	memcpy(b.rec, rec, n * sizeof(*rec));
	b.n = n;
	v = nti_filter_view_new(f, devices, all_marks);
	fuzz_expect(v != NULL);
	nti_filter_apply(v, &b, rec[0].time_ns);
	fuzz_expect(b.n <= n && nti_filter_accesses(v) <= b.n);
	for (i = 0; i < n; i++) {
		if (k < b.n && memcmp(&b.rec[k], &rec[i], sizeof(*rec)) == 0)
			k++;
		else
			fuzz_expect(!all_marks || rec[i].kind < NTIME_RECORD_MARK);
	}
	fuzz_expect(k == b.n);
	nti_filter_view_free(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = fuzz_text(data, bytes), *rest = text, *line;
	const struct ntime_regdb *db = fuzz_is_chosen(data, bytes, NAME_INPUTS) ? rows() : NULL;
	struct ntime_trace_filter *f;
	int n = 0, ret;

	fuzz_expect(ntime_trace_filter_new(fuzz_context(), &f) == 0);
	while (n < TERM_LINES && (line = strsep(&rest, "\n"))) {
		ret = ntime_trace_filter_add(f, line + (*line == '!'), *line == '!', db);
		fuzz_expect(ret <= 0 && (ret == 0 || ntime_trace_error_text(fuzz_context())[0]));
		n += ret == 0;
	}
	if (n)
		apply(f, bytes & 1);
	ntime_trace_filter_free(f);
	free(text);
	return 0;
}
