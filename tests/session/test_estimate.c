// SPDX-License-Identifier: MIT
/*
 * Error bars of events that take turns, tried on simulated programs whose truth is known: ten
 * events on four counters are three passes. Seven families of programs, more than a
 * thousand of each; the interval must hold the truth in 95 of 100, and the estimate must be nearer
 * to it than count * enabled / running of the kernel's rotation.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/session.h>

#include "lib/count/estimate.h"
#include "lib/count/turns.h"
#include "tests/tt.h"

#define PASSES 3
#define TRIALS 400
#define SPANS 512
#define TICK_NS 4e6	/* of the kernel's rotation */
#define SWITCH_NS 3000. /* between two turns nothing counts */
/* No program of the simulation has more events a nanosecond than HOT; hardware could have more. */
#define HOT 1.
#define HARD 160.
#define LEAST_BURST_NS 1e5

/* A program: HOT within the spans, .base outside. */
struct program {
	double length_ns, base;
	double begin[SPANS], end[SPANS];
	size_t spans;
};

static double uniform(uint64_t *seed, double low, double high)
{
	return low + (high - low) * ((double)(tt_random(seed) >> 11) / 9007199254740992.0);
}

static double events_between(const struct program *p, double from, double to)
{
	double sum = (to - from) * p->base;

	for (size_t i = 0; i < p->spans; i++) {
		double begin = fmax(from, p->begin[i]), end = fmin(to, p->end[i]);

		if (end > begin)
			sum += (end - begin) * (HOT - p->base);
	}
	return sum;
}

static void add_span(struct program *p, double begin, double end)
{
	if (p->spans < SPANS && begin < p->length_ns) {
		p->begin[p->spans] = begin;
		p->end[p->spans++] = fmin(end, p->length_ns);
	}
}

/*
 * Bursts with this share of the time, one in each of up to eight equal parts, at random places;
 * none is shorter than LEAST_BURST_NS.
 */
static void add_bursts(struct program *p, double share, uint64_t *seed)
{
	size_t most = (size_t)fmax(p->length_ns * share / LEAST_BURST_NS, 1);
	size_t n = 1 + tt_random(seed) % (most < 8 ? most : 8);
	double part = p->length_ns / (double)n;

	p->base = tt_random(seed) % 2 ? 0 : uniform(seed, 0, 0.1);
	for (size_t i = 0; i < n; i++) {
		double begin = part * ((double)i + uniform(seed, 0, 1 - share));

		add_span(p, begin, begin + part * share);
	}
}

static void make_steady(struct program *p, uint64_t *seed)
{
	p->base = uniform(seed, 0.01, HOT);
}

static void make_bursts_10(struct program *p, uint64_t *seed)
{
	add_bursts(p, 0.1, seed);
}

static void make_bursts_1(struct program *p, uint64_t *seed)
{
	add_bursts(p, 0.01, seed);
}

/* Hot in every third tick of the kernel's: always in the same pass. */
static void make_beats(struct program *p, uint64_t *seed)
{
	double at = uniform(seed, -PASSES * TICK_NS, 0);

	while (at < p->length_ns) {
		add_span(p, fmax(at, 0), fmax(at + TICK_NS, 0));
		at += PASSES * TICK_NS;
	}
}

static void make_spike(struct program *p, uint64_t *seed)
{
	add_span(p, 0, uniform(seed, 1e6, 3e6));
}

static void make_phases(struct program *p, uint64_t *seed)
{
	double at = 0, length = p->length_ns / uniform(seed, 3, 8);

	p->base = uniform(seed, 0, 0.3);
	while (at < p->length_ns) {
		add_span(p, at, at + length);
		at += 2 * length;
	}
}

/* Short bursts all the time: what a turn has is chance. */
static void make_noise(struct program *p, uint64_t *seed)
{
	double period = p->length_ns / 400, share = uniform(seed, 0.05, 0.5), at = 0;

	while (at < p->length_ns && p->spans < SPANS) {
		double begin = at + uniform(seed, 0, 2 * period * (1 - share));

		at = begin + uniform(seed, 0, 2 * period * share);
		add_span(p, begin, at);
	}
}

static const struct family_row {
	int line;
	const char *name;
	void (*make)(struct program *p, uint64_t *seed);
	double most; /* error beside that of the kernel's ticks */
} family_rows[] = {
	{ __LINE__, "steady", make_steady, 1 },
	{ __LINE__, "bursts, 10 %", make_bursts_10, 1 },
	{ __LINE__, "bursts, 1 %", make_bursts_1, 1 },
	{ __LINE__, "beats", make_beats, 1 },
	{ __LINE__, "spike", make_spike, 1 },
	{ __LINE__, "phases", make_phases, 1 },
	/* A seventh, which no order of turns helps: the mean of all is the best there is. */
	{ __LINE__, "noise", make_noise, 1.8 },
};

struct tallied {
	unsigned int held, nothing, all;
	double error, naive, width;
};

/* Turns of ours, as lib/count makes them: the estimate of each pass. */
static void count_in_turns(const struct program *p, uint64_t seed, struct nti_estimated out[PASSES])
{
	struct nti_estimate e[PASSES];
	double seen[PASSES] = { 0 }, count[PASSES] = { 0 }, now = 0;
	struct nti_rates rates = { .hard = HARD };
	unsigned int order[PASSES];
	struct nti_turns turns;

	memset(e, 0, sizeof(e));
	nti_turns_init(&turns, order, PASSES, seed);
	while (now < p->length_ns) {
		uint64_t length;
		unsigned int pass = nti_turns_next(&turns, (uint64_t)now, &length);
		double end = fmin(now + (double)length, p->length_ns);

		seen[pass] += end - now;
		count[pass] += events_between(p, now, end);
		nti_estimate_step(&e[pass], end, seen[pass], count[pass]);
		now = end + SWITCH_NS;
	}
	for (size_t i = 0; i < PASSES; i++) {
		rates.seen = fmax(rates.seen, e[i].most_rate);
		rates.contrast = fmax(rates.contrast, nti_estimate_contrast(&e[i]));
	}
	for (size_t i = 0; i < PASSES; i++)
		out[i] = nti_estimate_get(&e[i], p->length_ns, seen[i], count[i], rates);
}

/*
 * A program whose work is not that of the event: it has some where the event has none, and its
 * share in what happens changes each millisecond by up to a third.
 */
static double work_between(const struct program *p, const double *share, double from, double to)
{
	double sum = 0;

	while (from < to) {
		size_t ms = (size_t)(from / 1e6);
		double end = fmin(to, (double)(ms + 1) * 1e6);

		sum += (events_between(p, from, end) + 0.02 * (end - from)) * share[ms % SPANS];
		from = end;
	}
	return sum;
}

/* As count_in_turns(), by the work of one event that counts all the time. */
static void count_by_work(const struct program *p, uint64_t seed, const double *share,
			  struct nti_estimated out[PASSES])
{
	struct nti_estimate e[PASSES];
	double seen[PASSES] = { 0 }, count[PASSES] = { 0 }, now = 0, last = 0, work = 0;
	struct nti_rates rates = { .hard = INFINITY };
	unsigned int order[PASSES];
	struct nti_turns turns;

	memset(e, 0, sizeof(e));
	nti_turns_init(&turns, order, PASSES, seed);
	while (now < p->length_ns) {
		uint64_t length;
		unsigned int pass = nti_turns_next(&turns, (uint64_t)now, &length);
		double end = fmin(now + (double)length, p->length_ns);

		seen[pass] += work_between(p, share, now, end);
		count[pass] += events_between(p, now, end);
		work += work_between(p, share, last, end);
		last = end;
		nti_estimate_step(&e[pass], work, seen[pass], count[pass]);
		now = end + SWITCH_NS;
	}
	work += work_between(p, share, last, p->length_ns);
	for (size_t i = 0; i < PASSES; i++) {
		rates.seen = fmax(rates.seen, e[i].most_rate);
		rates.contrast = fmax(rates.contrast, nti_estimate_contrast(&e[i]));
	}
	for (size_t i = 0; i < PASSES; i++)
		out[i] = nti_estimate_get(&e[i], work, seen[i], count[i], rates);
}

/* The kernel's rotation: the passes one after another, a tick each. */
static void count_in_ticks(const struct program *p, double naive[PASSES])
{
	double seen[PASSES] = { 0 }, count[PASSES] = { 0 };
	size_t pass = 0;

	for (double now = 0; now < p->length_ns; now += TICK_NS, pass = (pass + 1) % PASSES) {
		double end = fmin(now + TICK_NS, p->length_ns);

		seen[pass] += end - now;
		count[pass] += events_between(p, now, end);
	}
	for (size_t i = 0; i < PASSES; i++)
		naive[i] = seen[i] > 0 ? count[i] * p->length_ns / seen[i] : 0;
}

/* Each pass has the narrower of both, as lib/count/work.c takes it. */
static void take_narrower(struct nti_estimated got[PASSES],
			  const struct nti_estimated other[PASSES])
{
	for (size_t i = 0; i < PASSES; i++) {
		if (other[i].below + other[i].above < got[i].below + got[i].above)
			got[i] = other[i];
	}
}

static void try_one(const struct family_row *r, double length_ns, bool by_work, uint64_t *seed,
		    struct tallied *t)
{
	struct program p = { .length_ns = length_ns };
	struct nti_estimated got[PASSES], other[PASSES];
	double naive[PASSES], share[SPANS], truth;
	uint64_t turns;

	r->make(&p, seed);
	truth = events_between(&p, 0, p.length_ns);
	turns = tt_random(seed);
	count_in_turns(&p, turns, got);
	if (by_work) {
		for (size_t i = 0; i < SPANS; i++)
			share[i] = uniform(seed, 0.75, 1.25);
		count_by_work(&p, turns, share, other);
		take_narrower(got, other);
	}
	count_in_ticks(&p, naive);
	for (size_t i = 0; i < PASSES; i++) {
		double off = got[i].value - truth, slack = 1e-9 * truth;

		t->held += off <= got[i].below + slack && -off <= got[i].above + slack;
		t->nothing += got[i].value == 0 && got[i].above == 0;
		t->error += fabs(off) / truth;
		t->naive += fabs(naive[i] - truth) / truth;
		t->width += (got[i].below + got[i].above) / 2 / truth;
		t->all++;
	}
}

static struct tallied try_family(const struct family_row *r, double length_ns, bool by_work,
				 uint64_t *seed)
{
	struct tallied t = { 0 };

	for (size_t i = 0; i < TRIALS; i++)
		try_one(r, length_ns, by_work, seed, &t);
	print_message(
		"# %-12s %6.0f ms: held %6.2f %%, error %7.2f %%, by the kernel's ticks %7.2f "
		"%%, +- %8.2f %%\n",
		r->name, length_ns / 1e6, 100. * t.held / t.all, 100 * t.error / t.all,
		100 * t.naive / t.all, 100 * t.width / t.all);
	TT_EQ(r, t.nothing, 0);
	TT_EQ(r, t.held >= 0.95 * t.all, 1);
	return t;
}

TEST(intervals_hold)
{
	static const double lengths_ns[] = { 20e6, 100e6, 500e6 };
	uint64_t seed = tt_seed();

	TT_FOR_EACH_ROW(r, family_rows) {
		for (size_t i = 0; i < sizeof(lengths_ns) / sizeof(lengths_ns[0]); i++) {
			struct tallied t = try_family(r, lengths_ns[i], false, &seed);

			/* What is the same all the time is estimated exactly by both. */
			TT_EQ(r, t.error <= t.naive * r->most + 1e-9 * t.all, 1);
		}
	}
}

TEST(intervals_hold_by_work)
{
	static const double lengths_ns[] = { 20e6, 100e6 };
	uint64_t seed = tt_seed();

	TT_FOR_EACH_ROW(r, family_rows) {
		for (size_t i = 0; i < sizeof(lengths_ns) / sizeof(lengths_ns[0]); i++)
			try_family(r, lengths_ns[i], true, &seed);
	}
}

/* Hand-made: 10 and 15 are told apart while the facing sides, as squares, have less than 5. */
static const struct compare_row {
	int line;
	double a, above, b, below;
	int result;
} compare_rows[] = {
	{ __LINE__, 10, 0, 15, 0, -1 },	   { __LINE__, 15, 0, 10, 0, 1 },
	{ __LINE__, 10, 0, 10, 0, 0 },	   { __LINE__, 10, 2.9, 15, 3.9, -1 },
	{ __LINE__, 10, 3.1, 15, 4.1, 0 }, { __LINE__, NAN, 0, 15, 0, 0 },
	{ __LINE__, 10, 0, NAN, 0, 0 },	   { __LINE__, 0, INFINITY, 15, 0, 0 },
};

TEST(values_that_cannot_be_told_apart)
{
	TT_FOR_EACH_ROW(r, compare_rows) {
		/* The sides that face away from the other do not matter. */
		struct ntime_value a = { .value = r->a, .above = r->above, .below = 100 };
		struct ntime_value b = { .value = r->b, .below = r->below, .above = 100 };

		if (r->a > r->b) {
			a.below = a.above;
			b.above = b.below;
		}
		TT_EQ(r, ntime_value_compare(&a, &b), r->result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_hold),
		cmocka_unit_test(intervals_hold_by_work),
		cmocka_unit_test(values_that_cannot_be_told_apart),
	};

	return TT_RUN(tests);
}
