/* SPDX-License-Identifier: MIT */
/* Which constraint makes each pass necessary. Internal to count/lib/plan. */
#ifndef NTI_PLAN_REASON_H
#define NTI_PLAN_REASON_H

#include "count/lib/plan/problem.h"

/*
 * Fill .reason of @plan, whose passes are set. A constraint is named only if it alone forbids fewer
 * passes.
 */
void nti_plan_find_reasons(const struct nti_plan_problem *pb, struct nti_plan *plan);

#endif
