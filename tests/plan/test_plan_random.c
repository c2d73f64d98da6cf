// SPDX-License-Identifier: MIT
/*
 * lib/plan against brute force: small random problems, the number of passes and the order of
 * events.
 */
#include <errno.h>

#include "tests/plan/brute.h"
#include "tests/plan/random_events.h"
#include "tests/tt.h"

#define ROUNDS 6000
#define MAX_EVENTS 8

static struct tt_brute brute;

static void print_events(const struct nti_plan_event *events, size_t n, const struct nti_plan *plan)
{
	for (size_t i = 0; i < n; i++) {
		print_message("# event %zu: counters %#x bank %u group %u%s -> pass %u counter %d;",
			      i, events[i].counters, events[i].bank, events[i].group,
			      events[i].is_exclusive ? " exclusive" : "", plan->pass[i],
			      plan->counter[i]);
		for (int w = 0; w < events[i].want_count; w++)
			print_message(" %u=%llu", events[i].wants[w].resource,
				      (unsigned long long)events[i].wants[w].value);
		print_message("\n");
	}
}

/*
 * Counters, banks, groups and wants in several mixtures, so that each constraint is alone in some
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
			events[i].bank = 0;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_brute_force),
	};

	return TT_RUN(tests);
}
