/* SPDX-License-Identifier: MIT */
/*
 * How many passes a component needs at least, and how many are enough. Internal to count/lib/plan.
 */
#ifndef NTI_PLAN_BOUND_H
#define NTI_PLAN_BOUND_H

#include "count/lib/plan/problem.h"

/*
 * Passes without which the tied items @items cannot be planned: the best of several proofs, not
 * always the truth.
 */
unsigned int nti_plan_lower(const struct nti_plan_problem *pb, uint64_t items);

/*
 * Put each of @items, in the order given, into the first pass that takes it; pass[] is of items.
 * Returns the passes. This is the order people expect; no plan with any number of passes has an
 * earlier pass for an item without a later one for an item in front of it.
 */
unsigned int nti_plan_first_fit(const struct nti_plan_problem *pb, uint64_t items,
				uint8_t pass[NTI_PLAN_MAX_EVENTS]);

/* Different values of @resource wanted by @events of one PMU. */
unsigned int nti_plan_value_count(const struct nti_plan_problem *pb, uint64_t events,
				  unsigned int resource);

/* Events of @events that must be alone. */
uint64_t nti_plan_exclusive(const struct nti_plan_problem *pb, uint64_t events);

#endif
