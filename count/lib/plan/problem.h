/* SPDX-License-Identifier: MIT */
/*
 * The planner's own view of the events: what must stay together is one item, counters nobody can
 * use are gone, and everything else is bits. Internal to count/lib/plan.
 *
 *     caller's events   0 1 2 3 4 5      bits of "events" sets
 *     items             A A B - C A      A is a group; 3 needs nothing and belongs to no hardware
 *                                        item
 *     counters          PMU 0: 0 1 2 | PMU 1: 3 4 ...   numbered through, see pmu_first
 *
 * A set of items, events or passes is a 64-bit mask.
 */
#ifndef NTI_PLAN_PROBLEM_H
#define NTI_PLAN_PROBLEM_H

#include "count/lib/plan/plan.h"

/*
 * An event that could use as many counters as its PMU has events always finds one, so it keeps
 * only that many. A PMU of m events then has at most min(32, m * m) counters; 64 events have the
 * most, 338, as 9 PMUs of 6 and 2 of 5.
 */
#define NTI_PLAN_ALL_COUNTERS 344

struct nti_plan_item {
	uint64_t members;   /* all its events */
	uint64_t events;    /* those that need a counter */
	uint64_t pmus;	    /* where those sit */
	uint64_t conflicts; /* items that can never share a pass with it */
};

struct nti_plan_problem {
	const struct nti_plan_event *input;
	const struct nti_plan_names *names; /* for sentences, may be NULL */
	unsigned int event_count, item_count, pmu_count;
	struct nti_plan_item items[NTI_PLAN_MAX_EVENTS];
	uint64_t hardware; /* items that need counters */
	uint8_t item_of[NTI_PLAN_MAX_EVENTS];
	uint8_t pmu_of[NTI_PLAN_MAX_EVENTS];	  /* dense number; of hardware events */
	uint32_t mask[NTI_PLAN_MAX_EVENTS];	  /* bit i is counter pmu_first[PMU] + i */
	uint64_t pmu_events[NTI_PLAN_MAX_EVENTS]; /* of each dense PMU */
	uint16_t pmu_first[NTI_PLAN_MAX_EVENTS + 1];
	uint8_t number[NTI_PLAN_ALL_COUNTERS]; /* the hardware's number of each counter */
};

static inline uint64_t nti_plan_bit(unsigned int i)
{
	return UINT64_C(1) << i;
}

/* The lowest member of a set that is not empty. */
static inline unsigned int nti_plan_low(uint64_t set)
{
	return (unsigned int)__builtin_ctzll(set);
}

/*
 * By halves: without a machine's own instruction the compiler would call a function, and search
 * counts a lot.
 */
static inline unsigned int nti_plan_count(uint64_t set)
{
	set -= set >> 1 & UINT64_C(0x5555555555555555);
	set = (set & UINT64_C(0x3333333333333333)) + (set >> 2 & UINT64_C(0x3333333333333333));
	set = (set + (set >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned int)(set * UINT64_C(0x0101010101010101) >> 56);
}

/* The set of the numbers below @n, @n up to 64. */
static inline uint64_t nti_plan_below(unsigned int n)
{
	return n < 64 ? nti_plan_bit(n) - 1 : UINT64_MAX;
}

/* Fill @pb from events; the errors of nti_plan_make(). @events must outlive @pb. */
int nti_plan_problem_init(struct nti_plan_problem *pb, const struct nti_plan_event *events,
			  size_t n, const struct nti_plan_names *names, struct nti_error *e);

/*
 * Items tied to @item through PMUs, directly or not: what can be planned without looking at the
 * rest, as conflicts are of one PMU, too.
 */
uint64_t nti_plan_component(const struct nti_plan_problem *pb, unsigned int item);

/* Events of @items that need a counter. */
uint64_t nti_plan_events_of(const struct nti_plan_problem *pb, uint64_t items);

/*
 * reason.c: fill .reason of @plan, whose passes are set. A constraint is named only if it alone
 * forbids fewer passes.
 */
void nti_plan_find_reasons(const struct nti_plan_problem *pb, struct nti_plan *plan);

#endif
