// SPDX-License-Identifier: MIT
/*
 * Events that can count in every pass, on a counter that nobody else needs.
 *
 * An event is tried with the counter that the fewest others can use, mostly a fixed one: without
 * both the rest must still have a plan of as few passes. What has one stays so, and the next event
 * is tried.
 */
#include "count/lib/plan/plan.h"

/* Each try is a plan; processors have far fewer counters that could be left over. */
#define MOST_TRIES 32

/* A problem that is changed step by step: what of it is left to plan. */
struct rest {
	struct nti_plan_event *events;
	size_t n;
};

static unsigned int users_of(const struct rest *r, uint16_t pmu, uint32_t counter)
{
	unsigned int users = 0;
	size_t i;

	for (i = 0; i < r->n; i++)
		users += r->events[i].pmu == pmu && r->events[i].counters & counter;
	return users;
}

/* Of those that event @at can use, the one that the fewest can; the lowest of several. */
static uint32_t least_used(const struct rest *r, size_t at)
{
	uint32_t left = r->events[at].counters, best = left & -left;

	for (; left; left &= left - 1) {
		uint32_t counter = left & -left;

		if (users_of(r, r->events[at].pmu, counter) < users_of(r, r->events[at].pmu, best))
			best = counter;
	}
	return best;
}

static bool is_pmu_shared(const struct rest *r, uint16_t pmu)
{
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (r->events[i].pmu == pmu && r->events[i].is_exclusive)
			return false;
	}
	return true;
}

/* Are there places for the others of its PMU without it and its counter? */
static bool is_room(const struct rest *r, size_t at, unsigned int passes)
{
	uint32_t counters = 0;
	size_t i, others = 0;

	for (i = 0; i < r->n; i++) {
		if (r->events[i].pmu != r->events[at].pmu || !r->events[i].counters)
			continue;
		counters |= r->events[i].counters;
		others += i != at;
	}
	return others <= passes * (size_t)(__builtin_popcount(counters) - 1);
}

/* Does the rest of @r have a plan of @out->passes, when event @at has @counter in all of them? */
static bool try_one(struct rest *r, size_t at, uint32_t counter, struct nti_plan *out)
{
	struct nti_plan_event changed[NTI_PLAN_MAX_EVENTS];
	struct nti_plan plan;
	size_t i;

	for (i = 0; i < r->n; i++) {
		changed[i] = r->events[i];
		if (changed[i].pmu == r->events[at].pmu && changed[i].counters) {
			changed[i].counters &= ~counter;
			if (!changed[i].counters && i != at)
				return false;
		}
	}
	changed[at].counters = 0;
	if (nti_plan_make(changed, r->n, NULL, &plan, NULL) < 0 || plan.passes > out->passes)
		return false;
	for (i = 0; i < r->n; i++)
		r->events[i] = changed[i];
	*out = plan;
	return true;
}

void nti_plan_find_constants(struct nti_plan_event *events, size_t n, bool *is_constant,
			     struct nti_plan *plan)
{
	struct rest r = { .events = events, .n = n };
	unsigned int tries = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct nti_plan_event *e = &events[i];
		bool may = is_constant[i];

		is_constant[i] = may && plan->passes > 1 && e->counters && !e->group &&
				 !e->want_count && is_pmu_shared(&r, e->pmu) &&
				 is_room(&r, i, plan->passes) && tries++ < MOST_TRIES &&
				 try_one(&r, i, least_used(&r, i), plan);
	}
}
