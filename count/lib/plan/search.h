/* SPDX-License-Identifier: MIT */
/*
 * Whether a component fits into so many passes: depth first over the passes open to each item, for
 * a limited number of steps. Internal to count/lib/plan; count/docs/planner.md says what is proven.
 */
#ifndef NTI_PLAN_SEARCH_H
#define NTI_PLAN_SEARCH_H

#include "count/lib/plan/match.h"

enum nti_plan_answer {
	NTI_PLAN_NO,	  /* proven */
	NTI_PLAN_YES,	  /* a plan was found */
	NTI_PLAN_UNKNOWN, /* the budget ended */
};

struct nti_plan_search {
	const struct nti_plan_problem *pb;
	uint64_t open;	 /* items without a pass */
	uint64_t events; /* of all items, with and without */
	uint64_t steps, step_limit;
	unsigned int nodes;
	unsigned int used; /* passes with an item: the first ones; the others are all alike */
	uint64_t domain[NTI_PLAN_MAX_EVENTS];  /* passes open to each item */
	uint64_t in_pass[NTI_PLAN_MAX_EVENTS]; /* events of each pass */
	struct nti_plan_match match;	       /* of all events, kept up while domains change */
};

/*
 * Decide whether @items fit into @passes passes, within @budget steps. After YES pass[] (of items)
 * is a plan. Keeps .nodes and .steps.
 */
enum nti_plan_answer nti_plan_search_run(struct nti_plan_search *s,
					 const struct nti_plan_problem *pb, uint64_t items,
					 unsigned int passes, uint64_t budget,
					 uint8_t pass[NTI_PLAN_MAX_EVENTS]);

/*
 * Change a plan of @items in @passes passes so that each item, in the order given, sits in the
 * earliest pass it can have without moving one in front of it; ends early when @budget steps are
 * used. @pass is always a plan.
 */
void nti_plan_search_order(struct nti_plan_search *s, const struct nti_plan_problem *pb,
			   uint64_t items, unsigned int passes, uint64_t budget,
			   uint8_t pass[NTI_PLAN_MAX_EVENTS]);

#endif
