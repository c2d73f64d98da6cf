// SPDX-License-Identifier: MIT
/*
 * Two traces of any records compared. First byte: flags and context. The lines that are given are
 * those of the summary, no access is lost, and a second run gives the same.
 */
#include "trace/tests/fuzz/trace_pair.h"

struct lines {
	uint64_t same, only_a, only_b, values, hunks;
	uint64_t last_a, last_b;
};

static int count(void *arg, const struct ntime_trace_change *c)
{
	struct lines *l = arg;
	uint64_t *const kinds[] = { [NTIME_CHANGE_HUNK] = &l->hunks,
				    [NTIME_CHANGE_SAME] = &l->same,
				    [NTIME_CHANGE_ONLY_A] = &l->only_a,
				    [NTIME_CHANGE_ONLY_B] = &l->only_b,
				    [NTIME_CHANGE_VALUE] = &l->values };

	fuzz_expect(c->kind <= NTIME_CHANGE_VALUE);
	++*kinds[c->kind];
	fuzz_expect(c->before_a >= l->last_a && c->before_b >= l->last_b);
	l->last_a = c->before_a;
	l->last_b = c->before_b;
	if (c->kind == NTIME_CHANGE_HUNK)
		return 0;
	fuzz_expect(!c->a == (c->kind == NTIME_CHANGE_ONLY_B));
	fuzz_expect(!c->b == (c->kind == NTIME_CHANGE_ONLY_A));
	return 0;
}

static void check(struct ntime_trace_diff *d, const size_t counted[2], bool gives_all)
{
	struct ntime_trace_diff_summary s = { .size = sizeof(s) }, again = { .size = sizeof(s) };
	struct lines l = { 0 };
	int ret = ntime_trace_diff_run(d, count, &l, &s);

	fuzz_expect(ret == (s.only_a || s.only_b || s.values));
	fuzz_expect(s.accesses_a == counted[0] && s.accesses_b == counted[1]);
	fuzz_expect(s.steps_a <= s.accesses_a && s.steps_b <= s.accesses_b);
	fuzz_expect(s.same + s.only_a + s.values == s.steps_a);
	fuzz_expect(s.same + s.only_b + s.values == s.steps_b);
	fuzz_expect(l.only_a == s.only_a && l.only_b == s.only_b && l.values == s.values);
	fuzz_expect(l.hunks == s.hunks &&
		    (gives_all && s.hunks ? l.same == s.same : l.same <= s.same));
	fuzz_expect(ntime_trace_diff_run(d, NULL, NULL, &again) == ret);
	fuzz_expect(memcmp(&s, &again, sizeof(s)) == 0);
}

static void check_minus(struct ntime_trace_diff *d)
{
	struct ntime_trace_diff_summary s = { .size = sizeof(s) };
	struct lines l = { 0 };

	fuzz_expect(ntime_trace_diff_minus(d, count, &l, &s) >= 0);
	fuzz_expect(l.only_a == s.only_a && !l.only_b && !l.values && !l.same);
	fuzz_expect(s.beginning + s.also + s.only_a == s.steps_a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct fuzz_bytes in = { data, data + bytes };
	uint8_t how = (uint8_t)fuzz_get(&in, 1);
	struct ntime_trace_diff_options o = { .size = sizeof(o),
					      .flags = how & 7,
					      .context = how & 0x80 ? UINT32_MAX : how >> 3 & 3 };
	struct ntime_trace_diff *d;
	size_t counted[2];

	d = fuzz_pair(&in, &o, counted);
	if (!d)
		return 0;
	check(d, counted, how & 0x80);
	check_minus(d);
	ntime_trace_diff_free(d);
	return 0;
}
