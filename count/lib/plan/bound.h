/* SPDX-License-Identifier: MIT */
/*
 * How many passes a component needs at least, and how many are enough. Internal to count/lib/plan.
 */
#ifndef NTI_PLAN_BOUND_H
#define NTI_PLAN_BOUND_H

#include "count/lib/plan/match.h"

/*
 * Passes without which the tied items @items cannot be planned: as many as the counters of each PMU
 * demand, and as many as there are items in pairwise conflict. Not always the truth.
 */
unsigned int nti_plan_lower(const struct nti_plan_problem *pb, uint64_t items);

/* Whether @item finds counters beside the events @placed in a pass. Looks at counters only. */
bool nti_plan_is_room(const struct nti_plan_problem *pb, unsigned int item, uint64_t placed);

/*
 * Put each of @items, in the order given, into the first pass that takes it; pass[] is of items.
 * Returns the passes. This is the order people expect; no plan with any number of passes has an
 * earlier pass for an item without a later one for an item in front of it.
 */
unsigned int nti_plan_first_fit(const struct nti_plan_problem *pb, uint64_t items,
				uint8_t pass[NTI_PLAN_MAX_EVENTS]);

#endif
