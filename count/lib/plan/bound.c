// SPDX-License-Identifier: MIT
/* How many passes a component needs at least, and how many are enough. */
#include <string.h>

#include "count/lib/plan/bound.h"
#include "count/lib/plan/hall.h"

static unsigned int max(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

static const struct nti_plan_want *find_want(const struct nti_plan_event *event,
					     unsigned int resource)
{
	unsigned int i;

	for (i = 0; i < event->want_count; i++)
		if (event->wants[i].resource == resource)
			return &event->wants[i];
	return NULL;
}

/*
 * Events of @events that want the same value of @resource as the first that wants any; 0 when none
 * does.
 */
static uint64_t first_value(const struct nti_plan_problem *pb, uint64_t events,
			    unsigned int resource)
{
	const struct nti_plan_want *first = NULL, *want;
	uint64_t same = 0;

	for (; events; events &= events - 1) {
		want = find_want(&pb->input[nti_plan_low(events)], resource);
		if (want && !first)
			first = want;
		if (want && want->value == first->value)
			same |= nti_plan_bit(nti_plan_low(events));
	}
	return same;
}

unsigned int nti_plan_value_count(const struct nti_plan_problem *pb, uint64_t events,
				  unsigned int resource)
{
	unsigned int count = 0;
	uint64_t same;

	while ((same = first_value(pb, events, resource))) {
		events &= ~same;
		count++;
	}
	return count;
}

uint64_t nti_plan_exclusive(const struct nti_plan_problem *pb, uint64_t events)
{
	uint64_t found = 0;

	for (; events; events &= events - 1)
		if (pb->input[nti_plan_low(events)].is_exclusive)
			found |= nti_plan_bit(nti_plan_low(events));
	return found;
}

/*
 * Each value of a resource needs passes of its own, as many as the counters make its events take.
 * @events are of one PMU.
 */
static unsigned int resource_bound(const struct nti_plan_problem *pb, uint64_t events)
{
	unsigned int best = 0, resource, passes;
	uint64_t left, same;

	for (resource = 0; resource < NTI_PLAN_MAX_RESOURCES; resource++) {
		left = events;
		passes = 0;
		while ((same = first_value(pb, left, resource))) {
			left &= ~same;
			passes += nti_plan_counter_passes(pb, same);
		}
		best = max(best, passes);
	}
	return best;
}

/*
 * Each event that must be alone needs a pass of its PMU; the others share what is left. The same
 * of values.
 */
static unsigned int pmu_bound(const struct nti_plan_problem *pb, uint64_t events)
{
	unsigned int best = 0;

	while (events) {
		uint64_t pmu = events & pb->pmu_events[pb->pmu_of[nti_plan_low(events)]];
		uint64_t alone = nti_plan_exclusive(pb, pmu);

		best = max(best, resource_bound(pb, pmu));
		best = max(best, nti_plan_count(alone) + nti_plan_counter_passes(pb, pmu & ~alone));
		events &= ~pmu;
	}
	return best;
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

	for (left = items & ~pb->simple; left; left &= left - 1)
		if (nti_plan_count(pb->items[nti_plan_low(left)].conflicts & items) >= best)
			best = max(best, grow_clique(pb, items, nti_plan_low(left)));
	return best;
}

unsigned int nti_plan_lower(const struct nti_plan_problem *pb, uint64_t items)
{
	uint64_t events = nti_plan_events_of(pb, items);
	unsigned int best = pmu_bound(pb, events);

	return max(best, clique_bound(pb, items));
}

static bool is_room(const struct nti_plan_problem *pb, uint64_t in_pass, unsigned int item)
{
	uint64_t events = nti_plan_events_of(pb, in_pass & ~pb->items[item].conflicts), pmus = 0,
		 left;

	if (in_pass & pb->items[item].conflicts)
		return false;
	for (left = pb->items[item].pmus; left; left &= left - 1)
		pmus |= pb->pmu_events[nti_plan_low(left)];
	return nti_plan_fits(pb, (events & pmus) | pb->items[item].events);
}

unsigned int nti_plan_first_fit(const struct nti_plan_problem *pb, uint64_t items,
				uint8_t pass[NTI_PLAN_MAX_EVENTS])
{
	uint64_t in_pass[NTI_PLAN_MAX_EVENTS], left;
	unsigned int passes = 0;

	memset(in_pass, 0, sizeof(in_pass));
	for (left = items; left; left &= left - 1) {
		unsigned int item = nti_plan_low(left), p = 0;

		while (!is_room(pb, in_pass[p], item))
			p++;
		in_pass[p] |= nti_plan_bit(item);
		pass[item] = (uint8_t)p;
		passes = max(passes, p + 1);
	}
	return passes;
}
