// SPDX-License-Identifier: MIT
/* Bipartite matching of events to counters in passes. */
#include <string.h>

#include "count/lib/plan/match.h"

void nti_plan_match_init(struct nti_plan_match *m, const struct nti_plan_problem *pb,
			 uint64_t events, unsigned int passes, const uint64_t *domain)
{
	m->pb = pb;
	m->domain = domain;
	m->all = nti_plan_below(passes);
	m->matched = 0;
	while (events) {
		unsigned int pmu = pb->pmu_of[nti_plan_low(events)];
		unsigned int first = pb->pmu_first[pmu], count = pb->pmu_first[pmu + 1] - first;

		memset(&m->taken[first], 0, count * sizeof(m->taken[0]));
		memset(&m->holds[first], 0, count * sizeof(m->holds[0]));
		events &= ~pb->pmu_events[pmu];
	}
}

static void add(struct nti_plan_match *m, unsigned int event, unsigned int counter,
		unsigned int pass)
{
	m->counter[event] = (uint16_t)counter;
	m->pass[event] = (uint8_t)pass;
	m->holds[counter] |= nti_plan_bit(event);
	m->taken[counter] |= nti_plan_bit(pass);
	m->matched |= nti_plan_bit(event);
}

static void drop(struct nti_plan_match *m, unsigned int event)
{
	m->holds[m->counter[event]] &= ~nti_plan_bit(event);
	m->taken[m->counter[event]] &= ~nti_plan_bit(m->pass[event]);
	m->matched &= ~nti_plan_bit(event);
}

void nti_plan_match_drop(struct nti_plan_match *m, unsigned int item)
{
	uint64_t left = m->pb->items[item].events & m->matched;

	for (; left; left &= left - 1)
		if (!(m->domain[item] & nti_plan_bit(m->pass[nti_plan_low(left)])))
			drop(m, nti_plan_low(left));
}

/* A breadth-first search over alternating paths that begin at an event without a slot. */
struct path_search {
	unsigned int base;  /* number of the PMU's first counter; all events are of one PMU */
	unsigned int count; /* events in the queue */
	uint64_t seen;	    /* those events */
	uint32_t covered;   /* counters looked at in all passes */
	uint8_t queue[NTI_PLAN_MAX_EVENTS];
	uint8_t parent[NTI_PLAN_MAX_EVENTS]; /* of each event: which wants its slot */
};

/* Flip the path: @event takes the slot, its parent takes what becomes free, up to the first. */
static void flip(struct nti_plan_match *m, const struct path_search *s, unsigned int event,
		 unsigned int counter, unsigned int pass)
{
	while (event != s->queue[0]) {
		unsigned int freed = m->counter[event], freed_pass = m->pass[event];

		drop(m, event);
		add(m, event, counter, pass);
		event = s->parent[event];
		counter = freed;
		pass = freed_pass;
	}
	add(m, event, counter, pass);
}

/* Queue the events on @counters in passes @open: @event could have one of their slots. */
static void add_neighbours(const struct nti_plan_match *m, struct path_search *s,
			   unsigned int event, uint32_t counters, uint64_t open)
{
	uint64_t left;

	for (; counters; counters &= counters - 1) {
		for (left = m->holds[s->base + nti_plan_low(counters)] & ~s->seen; left;
		     left &= left - 1) {
			unsigned int other = nti_plan_low(left);

			if (!(open & nti_plan_bit(m->pass[other])))
				continue;
			s->seen |= nti_plan_bit(other);
			s->parent[other] = (uint8_t)event;
			s->queue[s->count++] = (uint8_t)other;
		}
	}
}

static bool augment(struct nti_plan_match *m, struct path_search *s, unsigned int first)
{
	unsigned int head = 0;

	s->base = m->pb->pmu_first[m->pb->pmu_of[first]];
	s->seen = nti_plan_bit(first);
	s->covered = 0;
	s->count = 0;
	s->queue[s->count++] = (uint8_t)first;
	while (head < s->count) {
		unsigned int event = s->queue[head++];
		uint64_t open = m->domain ? m->domain[m->pb->item_of[event]] : m->all;
		uint32_t counters = m->pb->mask[event] & ~s->covered, left;

		for (left = counters; left; left &= left - 1) {
			unsigned int counter = s->base + nti_plan_low(left);

			if (!(open & ~m->taken[counter]))
				continue;
			flip(m, s, event, counter, nti_plan_low(open & ~m->taken[counter]));
			return true;
		}
		s->covered |= open == m->all ? counters : 0;
		add_neighbours(m, s, event, counters, open);
	}
	return false;
}

bool nti_plan_match_events(struct nti_plan_match *m, uint64_t events, uint32_t *blocked,
			   uint64_t *steps)
{
	struct path_search s;

	for (events &= ~m->matched; events; events &= events - 1) {
		bool is_found = augment(m, &s, nti_plan_low(events));

		*steps += s.count;
		if (is_found)
			continue;
		if (blocked)
			*blocked = s.covered;
		return false;
	}
	return true;
}

bool nti_plan_fits(const struct nti_plan_problem *pb, uint64_t events, unsigned int passes,
		   uint32_t *blocked)
{
	struct nti_plan_match m;
	uint64_t steps = 0;

	nti_plan_match_init(&m, pb, events, passes, NULL);
	return nti_plan_match_events(&m, events, blocked, &steps);
}
