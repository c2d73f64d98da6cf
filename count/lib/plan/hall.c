// SPDX-License-Identifier: MIT
/* Whether events of one PMU find counters. */
#include <string.h>

#include "count/lib/plan/hall.h"

struct hall {
	const struct nti_plan_problem *pb;
	unsigned int room;
	uint32_t full;			       /* counters that take no more */
	uint64_t holds[NTI_PLAN_MAX_COUNTERS]; /* events on each counter */
	uint8_t at[NTI_PLAN_MAX_EVENTS];       /* counter of each event placed */
};

static void place(struct hall *h, unsigned int event, unsigned int counter)
{
	h->at[event] = (uint8_t)counter;
	h->holds[counter] |= nti_plan_bit(event);
	if (nti_plan_count(h->holds[counter]) >= h->room)
		h->full |= UINT32_C(1) << counter;
}

/* Walk the path back: @event takes @counter, its parent takes the counter that becomes free. */
static void shift(struct hall *h, const uint8_t *parent, unsigned int first, unsigned int event,
		  unsigned int counter)
{
	while (event != first) {
		unsigned int freed = h->at[event];

		h->holds[freed] &= ~nti_plan_bit(event);
		h->full &= ~(UINT32_C(1) << freed);
		place(h, event, counter);
		event = parent[event];
		counter = freed;
	}
	place(h, event, counter);
}

/* Breadth first over events that could move away; *@reached are the counters looked at. */
static bool augment(struct hall *h, unsigned int first, uint32_t *reached)
{
	uint8_t queue[NTI_PLAN_MAX_EVENTS], parent[NTI_PLAN_MAX_EVENTS];
	unsigned int head = 0, tail = 0;

	*reached = 0;
	queue[tail++] = (uint8_t)first;
	while (head < tail) {
		unsigned int event = queue[head++];
		uint32_t news = h->pb->mask[event] & ~*reached;

		if (news & ~h->full) {
			shift(h, parent, first, event, nti_plan_low(news & ~h->full));
			return true;
		}
		*reached |= news;
		for (; news; news &= news - 1) {
			uint64_t left = h->holds[nti_plan_low(news)];

			for (; left; left &= left - 1) {
				parent[nti_plan_low(left)] = (uint8_t)event;
				queue[tail++] = (uint8_t)nti_plan_low(left);
			}
		}
	}
	return false;
}

bool nti_plan_hall(const struct nti_plan_problem *pb, uint64_t events, unsigned int room,
		   uint8_t *cell, uint32_t *blocked)
{
	struct hall h;
	uint32_t reached;
	uint64_t left;

	h.pb = pb;
	h.room = room;
	h.full = 0;
	memset(h.holds, 0, sizeof(h.holds));
	for (left = events; left; left &= left - 1) {
		if (augment(&h, nti_plan_low(left), &reached))
			continue;
		if (blocked)
			*blocked = reached;
		return false;
	}
	for (left = events; cell && left; left &= left - 1)
		cell[nti_plan_low(left)] = h.at[nti_plan_low(left)];
	return true;
}

bool nti_plan_fits(const struct nti_plan_problem *pb, uint64_t events)
{
	while (events) {
		uint64_t pmu = pb->pmu_events[pb->pmu_of[nti_plan_low(events)]];

		if (!nti_plan_hall(pb, events & pmu, 1, NULL, NULL))
			return false;
		events &= ~pmu;
	}
	return true;
}

unsigned int nti_plan_counter_passes(const struct nti_plan_problem *pb, uint64_t events)
{
	unsigned int passes = events ? 1 : 0;

	while (events) {
		uint64_t pmu = pb->pmu_events[pb->pmu_of[nti_plan_low(events)]];

		while (!nti_plan_hall(pb, events & pmu, passes, NULL, NULL))
			passes++;
		events &= ~pmu;
	}
	return passes;
}
