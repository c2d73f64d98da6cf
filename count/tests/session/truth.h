/* SPDX-License-Identifier: MIT */
/*
 * Frames whose counts are known: what happens in frame n follows from n alone, and differs from
 * frame to frame in each event. On the made-up PMU with one counter each event is a pass.
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <ntime/ntime.h>

#include "count/tests/session/fake_pmu.h"
#include "base/tests/tt.h"

#define TRUTH_EVENTS 8
#define TRUTH_NS 500000u

static const struct truth_event {
	const char *name;
	int mode;
	enum fake_code code;
	/*
	 * so much at least, that no limit of count/lib/doubt is broken: no more misses than
	 * references
	 */
	uint64_t least;
} truth_events[TRUTH_EVENTS] = {
	{ "instructions:u", FAKE_USER, FAKE_INSTRUCTIONS, 100000 },
	{ "instructions:k", FAKE_KERNEL, FAKE_INSTRUCTIONS, 100000 },
	{ "branches:u", FAKE_USER, FAKE_BRANCHES, 50000 },
	{ "branches:k", FAKE_KERNEL, FAKE_BRANCHES, 50000 },
	{ "branch-misses:u", FAKE_USER, FAKE_BRANCH_MISSES, 1 },
	{ "cache-references:u", FAKE_USER, FAKE_REFERENCES, 50000 },
	{ "cache-misses:u", FAKE_USER, FAKE_MISSES, 1 },
	{ "cycles:u", FAKE_USER, FAKE_CYCLES, 200000 },
};

/*
 * A hash, so that neighbouring frames differ (Stafford's variant 13 of MurmurHash3's finalizer).
 */
static inline uint64_t truth_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* What event @i counts in frame @n. */
static inline uint64_t truth_of(size_t i, uint64_t n)
{
	return truth_events[i].least + truth_mix(8 * n + i + 1) % 40000;
}

static inline void truth_work(struct fake_pmu *p, uint64_t n)
{
	struct fake_amounts a = { 0 };
	size_t i;

	for (i = 0; i < TRUTH_EVENTS; i++)
		a.of[truth_events[i].mode][truth_events[i].code] = truth_of(i, n);
	fake_pmu_work(p, &a, TRUTH_NS);
}

/* The first @n of them, by pass, started. */
static inline struct ntime_session *truth_session(struct fake_pmu *p, size_t n)
{
	const struct ntime_target target = { .size = sizeof(target), .flags = NTIME_BY_PASS };
	struct ntime_session *s;
	size_t i;

	TT_IS(ntime_session_new(&p->ctx, &target, &s), 0);
	for (i = 0; i < n; i++)
		TT_IS(ntime_session_add(s, truth_events[i].name, NULL), 0);
	TT_IS(ntime_session_start(s), 0);
	/* The PMU was tested: from here on readings take time, and else nothing. */
	p->read_amounts = (struct fake_amounts){ 0 };
	return s;
}

#endif
