/* SPDX-License-Identifier: MIT */
/*
 * Whether a component fits into so many passes: branch and bound over the passes open to each item.
 * Internal to count/lib/plan; count/docs/planner.md says why it is shaped so.
 */
#ifndef NTI_PLAN_SEARCH_H
#define NTI_PLAN_SEARCH_H

#include "count/lib/plan/match.h"
#include "count/lib/plan/memo.h"

enum nti_plan_answer {
	NTI_PLAN_NO,	  /* proven */
	NTI_PLAN_YES,	  /* a plan was found */
	NTI_PLAN_UNKNOWN, /* the budget ended */
};

/*
 * Domains are saved for items still open: by nti_plan_search_run() for at most 64, then by each
 * level for at most 64, 63, 62, ... because each places one at least. Putting in order saves 64,
 * run() then 63, and the levels 63, 62, ...
 */
#define NTI_PLAN_MAX_SAVED                                                                         \
	(NTI_PLAN_MAX_EVENTS + NTI_PLAN_MAX_EVENTS * (NTI_PLAN_MAX_EVENTS + 1) / 2)

struct nti_plan_search {
	const struct nti_plan_problem *pb;
	uint64_t items;	 /* of the component */
	uint64_t events; /* of those */
	uint64_t placed; /* items whose pass is decided */
	uint64_t fresh;	 /* passes without a placed item: all alike */
	uint64_t steps, step_limit;
	unsigned int passes, nodes;
	uint64_t domain[NTI_PLAN_MAX_EVENTS]; /* passes open to each item */
	uint64_t
		open_to[NTI_PLAN_MAX_EVENTS]; /* the same turned round: items with each pass open */
	uint64_t in_pass[NTI_PLAN_MAX_EVENTS]; /* placed items of each pass */
	struct nti_plan_match match;
	struct nti_plan_memo memo;
	unsigned int saved_count;
	uint64_t saved[NTI_PLAN_MAX_SAVED];
};

/* Begin with nothing placed, @passes passes open to each of @items. Keeps .nodes and .steps. */
void nti_plan_search_init(struct nti_plan_search *s, const struct nti_plan_problem *pb,
			  uint64_t items, unsigned int passes);

/*
 * Decide whether what is not yet placed fits, within @budget steps. After YES pass[] (of items) is
 * a plan. What was placed before stays, nothing else.
 */
enum nti_plan_answer nti_plan_search_run(struct nti_plan_search *s, uint64_t budget,
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
