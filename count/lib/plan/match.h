/* SPDX-License-Identifier: MIT */
/*
 * Places of events in all passes at once: a place is a counter in a pass. An event may sit where
 * its item's domain (the passes still open to it) and its mask agree. When no such place exists, no
 * plan with these domains does: events that only need counters are placed by this alone. A group
 * will be in one pass and so use each counter once: this is demanded from the start, and is what
 * stops a group from taking a scarce counter in several passes. Internal to count/lib/plan.
 *
 *            pass 0   pass 1   pass 2        taken[c] = passes in which c is taken
 *     c = 0   ev 0     ev 3      -           on[c]    = events that sit on c, in whatever pass
 *     c = 1   ev 1      -       ev 4         in[p]    = events that sit in pass p
 */
#ifndef NTI_PLAN_MATCH_H
#define NTI_PLAN_MATCH_H

#include "count/lib/plan/problem.h"

struct nti_plan_match {
	const struct nti_plan_problem *pb;
	const uint64_t *domain; /* passes open to each item; the owner changes them */
	uint64_t all;		/* passes */
	uint64_t placed;	/* events */
	uint64_t in[NTI_PLAN_MAX_EVENTS];
	uint64_t taken[NTI_PLAN_MAX_CELLS];
	uint64_t on[NTI_PLAN_MAX_CELLS];
	uint8_t pass[NTI_PLAN_MAX_EVENTS];  /* of events placed */
	uint16_t cell[NTI_PLAN_MAX_EVENTS]; /* the same */
};

void nti_plan_match_init(struct nti_plan_match *m, const struct nti_plan_problem *pb,
			 unsigned int passes, const uint64_t *domain);

/* Take @events from their places. */
void nti_plan_match_drop(struct nti_plan_match *m, uint64_t events);

/*
 * Find places for those of @events that have none, moving others inside their domains; every event
 * placed must sit in its domain. False when there is none for one of them: it stays without, the
 * others keep places. *@effort counts work.
 */
bool nti_plan_match_place(struct nti_plan_match *m, uint64_t events, uint64_t *effort);

#endif
