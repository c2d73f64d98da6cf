// SPDX-License-Identifier: MIT
/*
 * What tracing costs, from two traces of any records, and from any times of runs (first byte, bit
 * 0: which). No number is NaN, and quartiles are in order.
 */
#include <errno.h>
#include <math.h>

#include <ntime/trace/cost.h>

#include "trace/tests/fuzz/trace_pair.h"

#define RUNS 16

static void check(const struct ntime_trace_cost *c)
{
	const double all[] = { c->with_ns,	     c->without_ns,    c->with_spread_ns,
			       c->without_spread_ns, c->cost_ns,       c->ratio,
			       c->access_ns,	     c->access_low_ns, c->access_high_ns };

	for (size_t i = 0; i < NTI_ARRAY_SIZE(all); i++)
		fuzz_expect(isfinite(all[i]));
	fuzz_expect(c->with_spread_ns >= 0 && c->without_spread_ns >= 0);
	if (c->flags & NTIME_COST_PER_ACCESS)
		fuzz_expect(c->access_low_ns <= c->access_ns && c->access_ns <= c->access_high_ns);
}

static void try_runs(struct fuzz_bytes *in)
{
	struct ntime_trace_cost c = { .size = sizeof(c) };
	size_t n[2] = { fuzz_get(in, 1) % (RUNS + 1), fuzz_get(in, 1) % (RUNS + 1) }, i, k;
	uint64_t runs[2][RUNS], accesses = fuzz_get(in, 4);
	int ret;

	for (k = 0; k < 2; k++)
		for (i = 0; i < n[k]; i++)
			runs[k][i] = fuzz_get(in, 8);
	ret = ntime_trace_cost_runs(fuzz_context(), runs[0], n[0], runs[1], n[1], accesses, &c);
	fuzz_expect(ret == (n[0] < 2 || n[1] < 2 ? -ENODATA : 0));
	if (ret == 0)
		check(&c);
}

static void try_logs(struct fuzz_bytes *in)
{
	struct ntime_trace_diff_options o = { .size = sizeof(o), .flags = NTIME_DIFF_STRICT };
	struct ntime_trace_cost c = { .size = sizeof(c) };
	struct ntime_trace_diff *d;
	size_t counted[2];
	int ret;

	d = fuzz_pair(in, &o, counted);
	fuzz_expect(d != NULL);
	ret = ntime_trace_cost_logs(d, &c);
	fuzz_expect(ret == 0 || ret == -ENODATA);
	if (ret == 0)
		check(&c);
	ntime_trace_diff_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct fuzz_bytes in = { data, data + bytes };

	if (fuzz_get(&in, 1) & 1)
		try_runs(&in);
	else
		try_logs(&in);
	return 0;
}
