// SPDX-License-Identifier: MIT
/* Sessions whose events take turns, on a PMU that is made up: what the intervals of values hold. */
#include <ntime/ntime.h>

#include "count/tests/session/fake_pmu.h"
#include "base/tests/tt.h"

#define EVENTS 5
#define MS 1000000ull
#define PIECE_NS 10000ull

struct region {
	struct fake_pmu pmu;
	struct ntime_session *s;
	uint64_t begin_ns, next_ns, left_ns; /* .left_ns: of this turn */
	double instructions, references;     /* that there were */
};

static const char *others[EVENTS - 1] = { "instructions:u", "branches:u", "branch-misses:u",
					  "cache-references:u" };

/* On three counters: @first has one for itself. */
static void begin(struct region *r, const char *first)
{
	const struct ntime_target target = { .size = sizeof(target), .flags = NTIME_TURNS };

	*r = (struct region){ .s = NULL };
	fake_pmu_init(&r->pmu, 3);
	r->pmu.ctx.has_no_selftest = true;
	r->pmu.read_amounts = (struct fake_amounts){ 0 };
	TT_IS(ntime_session_new(&r->pmu.ctx, &target, &r->s), 0);
	TT_IS(ntime_session_add(r->s, first, NULL), 0);
	for (size_t i = 0; i < EVENTS - 1; i++)
		TT_IS(ntime_session_add(r->s, others[i], NULL), 0);
	TT_IS(ntime_session_open(r->s), 0);
	TT_IS(ntime_session_start(r->s), 0);
	r->begin_ns = r->pmu.now_ns;
}

static void end(struct region *r)
{
	ntime_session_free(r->s);
	fake_pmu_fini(&r->pmu);
}

/* How a program runs: instructions and misses a nanosecond, 3 cycles in it. */
struct pace {
	double instructions, misses;
};

static const struct pace misses = { 1, 0.01 }, hits = { 3, 0 };
/* Waits for memory: 0.02 instructions a cycle. */
static const struct pace slow = { 0.06, 0.1 };

static void piece(struct region *r, uint64_t ns, const struct pace *pace, uint64_t *seed)
{
	/* Waiting is steady. */
	uint64_t n = pace == &slow ? ns : ns / 2 + ns * (tt_random(seed) % 1000) / 1000;
	struct fake_amounts a = { .of = { [FAKE_USER] = { [FAKE_CYCLES] = 3 * ns } } };
	uint64_t *of = a.of[FAKE_USER];

	of[FAKE_INSTRUCTIONS] = (uint64_t)((double)n * pace->instructions);
	of[FAKE_BRANCHES] = of[FAKE_INSTRUCTIONS] / 5;
	of[FAKE_BRANCH_MISSES] = of[FAKE_INSTRUCTIONS] / 500;
	of[FAKE_MISSES] = (uint64_t)((double)n * pace->misses);
	of[FAKE_REFERENCES] = of[FAKE_MISSES] * 2;
	fake_pmu_work(&r->pmu, &a, ns);
	r->instructions += (double)of[FAKE_INSTRUCTIONS];
	r->references += (double)of[FAKE_REFERENCES];
}

static void run(struct region *r, uint64_t ns, const struct pace *pace, uint64_t *seed)
{
	uint64_t until_ns = r->pmu.now_ns + ns, one;

	while (r->pmu.now_ns < until_ns) {
		if (!r->left_ns) {
			TT_IS(ntime_session_turn(r->s, &r->next_ns) >= 0, 1);
			r->left_ns = r->next_ns ? r->next_ns : 1000;
		}
		one = r->left_ns < PIECE_NS ? r->left_ns : PIECE_NS;
		if (one > until_ns - r->pmu.now_ns)
			one = until_ns - r->pmu.now_ns;
		piece(r, one, pace, seed);
		r->left_ns -= one < r->left_ns ? one : r->left_ns;
	}
}

static bool holds(const struct ntime_value *v, double truth)
{
	return truth >= v->value - v->below && truth <= v->value + v->above;
}

static const struct first_row {
	int line;
	const char *event;
} first_rows[] = {
	{ __LINE__, "cycles:u" },
	/* Where there are none any more, the program goes on. */
	{ __LINE__, "cache-misses:u" },
};

/* Half of each region misses no caches. */
TEST(what_counts_all_the_time_may_stop)
{
	static struct region region;
	uint64_t seed = tt_seed();

	TT_FOR_EACH_ROW(r, first_rows) {
		unsigned int held = 0, n;

		for (n = 0; n < 60; n++) {
			struct ntime_value v[EVENTS];

			begin(&region, r->event);
			run(&region, 100 * MS, &misses, &seed);
			run(&region, 100 * MS, &hits, &seed);
			TT_EQ(r, ntime_session_stop(region.s), 0);
			TT_EQ(r, ntime_session_read(region.s, v, EVENTS), EVENTS);
			TT_EQ(r, (v[0].flags & NTIME_SCALED) != 0, 0);
			TT_EQ(r, (v[1].flags & NTIME_SCALED) != 0, 1);
			held += holds(&v[1], region.instructions);
			end(&region);
		}
		/* 57 are expected; by chance not 49 or fewer, once in some thousands. */
		if (held < 50)
			fail_msg("row of line %d: %u of 60 are held", r->line, held);
	}
}

/* The last of the time has next to none of what counts all the time, and all the misses. */
TEST(programs_that_end_slowly)
{
	static struct region region;
	uint64_t seed = tt_seed();
	unsigned int held = 0, n;

	for (n = 0; n < 600; n++) {
		uint64_t slow_ns = 10 * MS / 100 * (1 + tt_random(&seed) % 4);
		struct ntime_value v[EVENTS];

		begin(&region, "instructions:u");
		run(&region, 10 * MS - slow_ns, &hits, &seed);
		run(&region, slow_ns, &slow, &seed);
		TT_IS(ntime_session_stop(region.s), 0);
		TT_IS(ntime_session_read(region.s, v, EVENTS), EVENTS);
		held += holds(&v[EVENTS - 1], region.references);
		end(&region);
	}
	print_message("# %u of 600 are held\n", held);
	/* 570 are expected. */
	TT_IS(held >= 546, 1);
}

/* What was counted all the time, and how often item @at may be of it. */
static const struct cap_row {
	int line;
	const char *first;
	size_t at; /* in "others", and 1 */
	double most, slack;
} cap_rows[] = {
	{ __LINE__, "cycles:u", 3, 16, 1e4 },
	{ __LINE__, "cycles:u", 4, 16, 1e4 },
	{ __LINE__, "instructions:u", 2, 1, 1e4 },
	{ __LINE__, "instructions:u", 3, 1, 2e4 },
};

/* Regions of a turn or two: the hardware could have had anything in the rest of them. */
TEST(no_wider_than_what_is_beside)
{
	static struct region region;
	uint64_t seed = tt_seed();
	unsigned int estimates = 0;

	TT_FOR_EACH_ROW(r, cap_rows) {
		for (unsigned int n = 0; n < 20; n++) {
			struct ntime_value v[EVENTS], *at = &v[r->at];

			begin(&region, r->first);
			run(&region, MS / 6, &hits, &seed);
			TT_EQ(r, ntime_session_stop(region.s), 0);
			TT_EQ(r, ntime_session_read(region.s, v, EVENTS), EVENTS);
			estimates += !!(at->flags & NTIME_SCALED);
			if (at->flags & NTIME_SCALED)
				TT_EQ(r,
				      at->value + at->above <= r->most * v[0].value + r->slack + 1,
				      1);
			end(&region);
		}
	}
	assert_true(estimates > 0);
}

/* A bus, or a reference, that is faster than a core that saves power. */
TEST(other_clocks_may_be_faster_than_cycles)
{
	static const struct pace saving = { 1, 4 };
	static struct region region;
	uint64_t seed = tt_seed();
	unsigned int held = 0;

	others[EVENTS - 2] = "bus-cycles:u";
	for (unsigned int n = 0; n < 40; n++) {
		struct ntime_value v[EVENTS];

		begin(&region, "cycles:u");
		run(&region, 10 * MS, &saving, &seed);
		TT_IS(ntime_session_stop(region.s), 0);
		TT_IS(ntime_session_read(region.s, v, EVENTS), EVENTS);
		held += holds(&v[EVENTS - 1], region.references);
		end(&region);
	}
	others[EVENTS - 2] = "cache-references:u";
	/* 38 are expected. */
	assert_true(held >= 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_counts_all_the_time_may_stop),
		cmocka_unit_test(programs_that_end_slowly),
		cmocka_unit_test(no_wider_than_what_is_beside),
		cmocka_unit_test(other_clocks_may_be_faster_than_cycles),
	};

	return TT_RUN(tests);
}
