/* SPDX-License-Identifier: MIT */
/*
 * States that search refuted: which items sit together, whatever the passes are called and
 * whichever twin is meant. Entries hold the whole state, not only a hash of it, so that a state is
 * never taken for another one: what the planner calls proven must be. Internal to count/lib/plan.
 */
#ifndef NTI_PLAN_MEMO_H
#define NTI_PLAN_MEMO_H

#include "count/lib/plan/problem.h"

#define NTI_PLAN_MEMO_ENTRIES 384
#define NTI_PLAN_MEMO_MAX_PASSES 15 /* a pass is 4 bits of a key, 0 means not placed */

struct nti_plan_memo_key {
	uint64_t words[NTI_PLAN_MAX_EVENTS / 16];
};

struct nti_plan_memo {
	struct nti_plan_memo_key keys[NTI_PLAN_MEMO_ENTRIES]; /* all zero = empty */
	uint32_t cost[NTI_PLAN_MEMO_ENTRIES];		      /* nodes that the refutation took */
};

void nti_plan_memo_init(struct nti_plan_memo *memo);

/*
 * The key of a state: in_pass[] are the items placed in each of @passes passes, at most
 * NTI_PLAN_MEMO_MAX_PASSES.
 */
void nti_plan_memo_key(const struct nti_plan_problem *pb, const uint64_t *in_pass,
		       unsigned int passes, struct nti_plan_memo_key *key);

bool nti_plan_memo_find(const struct nti_plan_memo *memo, const struct nti_plan_memo_key *key);

/* Remember @key unless its place is taken by a state that was dearer to refute. */
void nti_plan_memo_add(struct nti_plan_memo *memo, const struct nti_plan_memo_key *key,
		       uint32_t cost);

#endif
