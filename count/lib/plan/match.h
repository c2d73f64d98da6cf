/* SPDX-License-Identifier: MIT */
/*
 * Bipartite matching of events to slots, by augmenting paths: a slot is a counter in a pass, and an
 * event can have those on which its mask and its item's domain (the passes open to it) agree. When
 * an event finds none, no plan with these domains exists. Internal to count/lib/plan.
 *
 *                 pass 0   pass 1   pass 2        taken[c] = passes in which c is taken
 *     counter 0    ev 0     ev 3      -           holds[c] = events on c, in whatever pass
 *     counter 1    ev 1      -       ev 4
 */
#ifndef NTI_PLAN_MATCH_H
#define NTI_PLAN_MATCH_H

#include "count/lib/plan/problem.h"

struct nti_plan_match {
	const struct nti_plan_problem *pb;
	const uint64_t *domain; /* of each item; the owner changes them. NULL: all passes */
	uint64_t all;		/* passes */
	uint64_t matched;	/* events */
	uint64_t taken[NTI_PLAN_ALL_COUNTERS];
	uint64_t holds[NTI_PLAN_ALL_COUNTERS];
	uint16_t counter[NTI_PLAN_MAX_EVENTS]; /* of events matched, numbered through */
	uint8_t pass[NTI_PLAN_MAX_EVENTS];     /* the same */
};

/* Begin with no event of @events matched; later calls may name no others. */
void nti_plan_match_init(struct nti_plan_match *m, const struct nti_plan_problem *pb,
			 uint64_t events, unsigned int passes, const uint64_t *domain);

/* Free the slots of those events of @item that are not in its domain any more. */
void nti_plan_match_drop(struct nti_plan_match *m, unsigned int item);

/*
 * Match those of @events that have no slot, moving others; every event matched must be in its
 * domain. False when one finds none: it stays without, the others keep slots. Then *@blocked, if
 * not NULL, is the counters of its PMU (bits as in .mask) that were looked at in all passes:
 * without domains a set that is too small, as more events than it has slots can use no other
 * counter (Hall's theorem). *@steps counts work.
 */
bool nti_plan_match_events(struct nti_plan_match *m, uint64_t events, uint32_t *blocked,
			   uint64_t *steps);

/*
 * True when each of @events, of any PMUs, finds a counter and no counter takes more than @passes of
 * them. If not, *@blocked, if not NULL, is as above.
 */
bool nti_plan_fits(const struct nti_plan_problem *pb, uint64_t events, unsigned int passes,
		   uint32_t *blocked);

#endif
