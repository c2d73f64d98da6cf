// SPDX-License-Identifier: MIT
/*
 * count/lib/plan against brute force: small random problems, the number of passes and the order of
 * events.
 */
#include <errno.h>

#include "count/tests/plan/brute.h"
#include "count/tests/plan/random_events.h"
#include "base/tests/tt.h"

#define ROUNDS 6000
#define MAX_EVENTS 8

static struct tt_brute brute;

static void print_events(const struct nti_plan_event *events, size_t n, const struct nti_plan *plan)
{
	for (size_t i = 0; i < n; i++) {
		print_message("# event %zu: counters %#x PMU %u group %u%s -> pass %u counter %d;",
			      i, events[i].counters, events[i].pmu, events[i].group,
			      events[i].is_exclusive ? " exclusive" : "", plan->pass[i],
			      plan->counter[i]);
		for (int w = 0; w < events[i].want_count; w++)
			print_message(" %u=%llu", events[i].wants[w].resource,
				      (unsigned long long)events[i].wants[w].value);
		print_message("\n");
	}
}

/*
 * Counters, PMUs, groups and wants in several mixtures, so that each constraint is alone in some
 * rounds.
 */
static size_t make_events(uint64_t *seed, struct nti_plan_event *events)
{
	size_t n = tt_random(seed) % (MAX_EVENTS + 1);
	uint32_t kind = (uint32_t)(tt_random(seed) >> 20), width = 1 + (kind >> 8) % 6;
	uint8_t bytes[TT_EVENT_BYTES];

	for (size_t i = 0; i < n; i++) {
		uint64_t word = tt_random(seed);

		memcpy(bytes, &word, sizeof(bytes));
		tt_event_from_bytes(bytes, 0, &events[i]);
		events[i].counters &= (1u << width) - 1;
		if (kind & 1)
			events[i].counters |= (kind & 2) ? 1u << (i % width) : (1u << width) - 1;
		if (kind & 4)
			events[i].pmu = 0;
		if (kind & 8 || word % 3 == 0)
			events[i].group = 0;
		if (kind & 16)
			events[i].want_count = 0;
		if (kind & 32)
			events[i].is_exclusive = false;
		for (int w = 0; w < events[i].want_count; w++)
			for (int v = 0; v < w; v++)
				if (events[i].wants[v].resource == events[i].wants[w].resource)
					events[i].wants[w].value = events[i].wants[v].value;
		if (!events[i].counters) {
			events[i].is_exclusive = false;
			events[i].want_count = 0;
		}
	}
	return n;
}

static bool is_order_right(size_t n, const struct nti_plan *plan)
{
	unsigned int in_pass[MAX_EVENTS] = { 0 };
	uint8_t pass[MAX_EVENTS];

	return tt_brute_order(&brute, plan->passes, 0, in_pass, pass) &&
	       memcmp(pass, plan->pass, n) == 0;
}

static bool is_right(const struct nti_plan_event *events, size_t n, struct nti_plan *plan,
		     unsigned int *seen)
{
	unsigned int want = tt_brute_make(&brute, events, n);
	struct nti_error e = { 0 };
	int ret = nti_plan_make(events, n, NULL, plan, &e);

	if (ret == -ENOSPC) {
		seen[0]++;
		return want == 0 && n > 0 && strstr(e.text, "event ") == e.text;
	}
	seen[plan->passes]++;
	return ret == 0 && plan->is_minimal && plan->passes == want && plan->lower == want &&
	       nti_plan_check(events, n, plan) == 0 && is_order_right(n, plan);
}

TEST(agrees_with_brute_force)
{
	struct nti_plan_event events[MAX_EVENTS];
	unsigned int seen[MAX_EVENTS + 1] = { 0 };
	uint64_t seed = tt_seed() | 1;
	struct nti_plan plan;

	for (int round = 0; round < ROUNDS; round++) {
		size_t n = make_events(&seed, events);

		if (is_right(events, n, &plan, seen))
			continue;
		print_message("# round %d: brute force says %u passes, the planner %u\n", round,
			      brute.passes[(1u << n) - 1], plan.passes);
		print_events(events, n, &plan);
		fail();
	}
	/*
	 * A generator that makes only trivial problems would pass as well: refusals and 1 to 6
	 * passes must occur.
	 */
	for (unsigned int i = 0; i <= 6; i++)
		assert_true(seen[i] > 20);
}

/* Has each constant event from @at on a counter that nobody else has? @taken: of each PMU. */
static bool have_counters(const struct nti_plan_event *was, const struct nti_plan_event *now,
			  size_t n, size_t at, const bool *is_constant, uint32_t *taken)
{
	uint32_t left;

	if (at == n)
		return true;
	if (!is_constant[at])
		return have_counters(was, now, n, at + 1, is_constant, taken);
	left = was[at].counters & ~taken[was[at].pmu];
	for (size_t i = 0; i < n; i++) {
		if (now[i].pmu == was[at].pmu)
			left &= ~now[i].counters;
	}
	for (; left; left &= left - 1) {
		taken[was[at].pmu] ^= left & -left;
		if (have_counters(was, now, n, at + 1, is_constant, taken))
			return true;
		taken[was[at].pmu] ^= left & -left;
	}
	return false;
}

/*
 * What nti_plan_find_constants() promises: as many passes, a right plan for the rest, and for each
 * constant event a counter that is nobody else's. Returns how many there are; -1: not so.
 */
static int count_constants(const struct nti_plan_event *was, size_t n, struct nti_plan plan)
{
	struct nti_plan_event now[MAX_EVENTS];
	bool is_constant[MAX_EVENTS];
	uint32_t taken[4] = { 0 };
	unsigned int passes = plan.passes;
	int found = 0;

	memcpy(now, was, sizeof(now));
	for (size_t i = 0; i < n; i++)
		is_constant[i] = i % 5 != 4;
	nti_plan_find_constants(now, n, is_constant, &plan);
	if (plan.passes != passes || nti_plan_check(now, n, &plan) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (is_constant[i] && (i % 5 == 4 || was[i].group || now[i].counters))
			return -1;
		found += is_constant[i];
	}
	if (!have_counters(was, now, n, 0, is_constant, taken))
		return -1;
	return found;
}

TEST(constant_events_take_nothing_from_the_others)
{
	struct nti_plan_event events[MAX_EVENTS];
	unsigned int seen[MAX_EVENTS + 1] = { 0 };
	uint64_t seed = tt_seed() | 1;
	struct nti_plan plan;

	for (int round = 0; round < ROUNDS; round++) {
		size_t n = make_events(&seed, events);
		struct nti_error e = { 0 };
		int found;

		if (nti_plan_make(events, n, NULL, &plan, &e) < 0 || plan.passes < 2)
			continue;
		found = count_constants(events, n, plan);
		if (found >= 0) {
			seen[found]++;
			continue;
		}
		print_message("# round %d\n", round);
		print_events(events, n, &plan);
		fail();
	}
	for (unsigned int i = 0; i <= 3; i++)
		assert_true(seen[i] > 20);
}

/* The first events may be constant, .constant is which are: bits of their numbers. */
static const struct constant_row {
	int line;
	uint32_t counters[6];
	unsigned int passes, constant;
	bool is_exclusive; /* the last one */
} constant_rows[] = {
	/* The first one on a fixed counter, and five in six places: one is left over. */
	{ __LINE__, { 0x17, 7, 7, 7, 7, 7 }, 2, 0x03, false },
	{ __LINE__, { 0x17, 7, 7, 7, 0, 0 }, 1, 0, false },
	/* Each place is taken. */
	{ __LINE__, { 7, 7, 7, 7, 7, 7 }, 2, 0, false },
	/* One place is left over. */
	{ __LINE__, { 7, 7, 7, 7, 7, 0 }, 2, 0x01, false },
	/* A fixed counter each; of four in six places two can have one each, and two take turns. */
	{ __LINE__, { 0x17, 0x27, 7, 7, 7, 7 }, 2, 0x0f, false },
	/* Who must be alone suffers nobody beside it. */
	{ __LINE__, { 0x17, 7, 7, 0, 0, 7 }, 2, 0, true },
};

TEST(constant_events_by_hand)
{
	TT_FOR_EACH_ROW(r, constant_rows) {
		bool is_constant[6] = { true, true, true, true, true, true };
		struct nti_plan_event events[6];
		struct nti_error e = { 0 };
		struct nti_plan plan;
		unsigned int got = 0;

		memset(events, 0, sizeof(events));
		for (size_t i = 0; i < 6; i++)
			events[i].counters = r->counters[i];
		events[5].is_exclusive = r->is_exclusive;
		TT_EQ(r, nti_plan_make(events, 6, NULL, &plan, &e), 0);
		TT_EQ(r, plan.passes, r->passes);
		nti_plan_find_constants(events, 6, is_constant, &plan);
		for (size_t i = 0; i < 6; i++)
			got |= (unsigned int)is_constant[i] << i;
		TT_EQ(r, got, r->constant);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constant_events_by_hand),
		cmocka_unit_test(constant_events_take_nothing_from_the_others),
		cmocka_unit_test(agrees_with_brute_force),
	};

	return TT_RUN(tests);
}
