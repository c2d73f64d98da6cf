/* SPDX-License-Identifier: MIT */
/* Two traces of any records in a comparison: what diff and cost share. */
#ifndef FUZZ_TRACE_PAIR_H
#define FUZZ_TRACE_PAIR_H

#include <ntime/trace/diff.h>

#include "trace/tests/fuzz/trace_records.h"
#include "trace/tests/fuzz/trace_write.h"

/*
 * Second byte of the input: how much of the rest is the first trace. The second begins like it, as
 * long as its bytes are 0.
 */
static inline struct ntime_trace_diff *
fuzz_pair(struct fuzz_bytes *in, const struct ntime_trace_diff_options *o, size_t counted[2])
{
	static struct ntime_record rec[2][FUZZ_RECORDS];
	size_t share = fuzz_get(in, 1), all = (size_t)(in->end - in->at), n[2], i, k;
	const uint8_t *cut = in->at + all * share / 255;
	struct fuzz_bytes first = { in->at, cut }, second = { cut, in->end };
	static const uint8_t like[FUZZ_RECORD_BYTES];
	struct ntime_trace_diff *d;

	n[0] = fuzz_records(&first, rec[0], FUZZ_RECORDS);
	for (n[1] = 0; n[1] < n[0] && (size_t)(second.end - second.at) >= sizeof(like) &&
		       memcmp(second.at, like, sizeof(like)) == 0;
	     n[1]++, second.at += sizeof(like))
		rec[1][n[1]] = rec[0][n[1]];
	n[1] += fuzz_records(&second, rec[1] + n[1], FUZZ_RECORDS - n[1]);
	if (ntime_trace_diff_new(fuzz_context(), o, &d) < 0)
		return NULL;
	for (k = 0; k < 2; k++) {
		struct ntime_trace_batch batch = fuzz_batch(rec[k], n[k]);

		fuzz_expect(ntime_trace_diff_put(d, (uint32_t)k, &batch) == 0);
		counted[k] = 0;
		for (i = 0; i < n[k]; i++)
			counted[k] += fuzz_is_counted(&rec[k][i]);
	}
	return d;
}

#endif
