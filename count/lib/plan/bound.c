// SPDX-License-Identifier: MIT
/* How many passes a component needs at least, and how many are enough. */
#include "count/lib/plan/bound.h"

static unsigned int max(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

/*
 * Grow a set of items in pairwise conflict from @item, most conflicts among the candidates first.
 */
static unsigned int grow_clique(const struct nti_plan_problem *pb, uint64_t items,
				unsigned int item)
{
	uint64_t open = pb->items[item].conflicts & items, left;
	unsigned int size = 1;

	while (open) {
		unsigned int best = nti_plan_low(open), most = 0;

		for (left = open; left; left &= left - 1) {
			unsigned int other = nti_plan_low(left);
			unsigned int count = nti_plan_count(pb->items[other].conflicts & open);

			if (count <= most)
				continue;
			most = count;
			best = other;
		}
		open &= pb->items[best].conflicts;
		size++;
	}
	return size;
}

static unsigned int clique_bound(const struct nti_plan_problem *pb, uint64_t items)
{
	unsigned int best = 0;
	uint64_t left;

	for (left = items; left; left &= left - 1)
		if (nti_plan_count(pb->items[nti_plan_low(left)].conflicts & items) >= best)
			best = max(best, grow_clique(pb, items, nti_plan_low(left)));
	return best;
}

unsigned int nti_plan_lower(const struct nti_plan_problem *pb, uint64_t items)
{
	uint64_t events = nti_plan_events_of(pb, items);
	unsigned int passes = clique_bound(pb, items);

	while (!nti_plan_fits(pb, events, passes, NULL))
		passes++;
	return passes;
}

bool nti_plan_is_room(const struct nti_plan_problem *pb, unsigned int item, uint64_t placed)
{
	const struct nti_plan_item *it = &pb->items[item];
	uint64_t pmus;

	for (pmus = it->pmus; pmus; pmus &= pmus - 1) {
		uint64_t pmu = pb->pmu_events[nti_plan_low(pmus)];
		uint64_t both = (placed | it->events) & pmu;

		/* The common case, without a matching: one event that can use as many counters. */
		if (nti_plan_count(it->events & pmu) == 1 &&
		    nti_plan_count(pb->mask[nti_plan_low(it->events & pmu)]) >=
			    nti_plan_count(both))
			continue;
		if (!nti_plan_fits(pb, both, 1, NULL))
			return false;
	}
	return true;
}

unsigned int nti_plan_first_fit(const struct nti_plan_problem *pb, uint64_t items,
				uint8_t pass[NTI_PLAN_MAX_EVENTS])
{
	uint64_t in_pass[NTI_PLAN_MAX_EVENTS] = { 0 }, events[NTI_PLAN_MAX_EVENTS] = { 0 };
	unsigned int passes = 0;

	for (; items; items &= items - 1) {
		unsigned int item = nti_plan_low(items), p = 0;

		while ((in_pass[p] & pb->items[item].conflicts) ||
		       !nti_plan_is_room(pb, item, events[p]))
			p++;
		in_pass[p] |= nti_plan_bit(item);
		events[p] |= pb->items[item].events;
		pass[item] = (uint8_t)p;
		passes = max(passes, p + 1);
	}
	return passes;
}
