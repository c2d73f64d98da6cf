// SPDX-License-Identifier: MIT
/*
 * Any records put into what ntime trace state knows of registers, in two parts, then in one: both
 * must come to the same. What is listed is found again by its place, and what is not known is 0.
 */
#include <ntime/trace/state.h>

#include "trace/tests/fuzz/trace_records.h"
#include "trace/tests/fuzz/trace_write.h"

struct check {
	const struct ntime_trace_state *s;
	uint64_t accesses, sum;
};

static int look(void *arg, const struct ntime_register_state *r)
{
	struct ntime_register_state again = { .size = sizeof(again) };
	struct check *c = arg;

	fuzz_expect(r->width <= 8 && (r->value & ~r->known) == 0);
	fuzz_expect(r->last_read.number <= c->accesses && r->last_write.number <= c->accesses);
	fuzz_expect(!r->reads == !r->last_read.number && !r->writes == !r->last_write.number);
	fuzz_expect(ntime_trace_state_find(c->s, r->device, r->region, r->offset, r->width,
					   &again) > 0);
	c->sum = c->sum * 31 + r->value + r->known + r->volatile_bits + r->unlike_bits + r->reads +
		 r->writes + r->offset;
	return 0;
}

static uint64_t sum_of(const struct ntime_trace_state_options *o, const struct ntime_record *rec,
		       size_t n, size_t cut)
{
	struct check c = { 0 };
	struct ntime_trace_state *s;

	fuzz_expect(ntime_trace_state_new(fuzz_context(), o, &s) == 0);
	fuzz_expect(ntime_trace_state_put(s, rec, cut) == 0);
	fuzz_expect(ntime_trace_state_put(s, rec + cut, n - cut) == 0);
	c.s = s;
	c.accesses = ntime_trace_state_accesses(s);
	fuzz_expect(c.accesses <= n && ntime_trace_state_dropped(s) <= n);
	fuzz_expect(ntime_trace_state_for_each(s, look, &c) >= 0);
	ntime_trace_state_free(s);
	return c.sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct fuzz_bytes in = { data, data + bytes };
	struct ntime_trace_state_options o = { .size = sizeof(o),
					       .registers = 1u << (fuzz_get(&in, 1) & 7) };
	struct ntime_record rec[FUZZ_RECORDS];
	size_t n = fuzz_records(&in, rec, FUZZ_RECORDS);

	fuzz_expect(sum_of(&o, rec, n, n / 2) == sum_of(&o, rec, n, 0));
	return 0;
}
