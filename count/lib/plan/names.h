/* SPDX-License-Identifier: MIT */
/* What the planner's sentences call events, PMUs, resources and counters. */
#ifndef NTI_PLAN_NAMES_H
#define NTI_PLAN_NAMES_H

#include "count/lib/plan/plan.h"

/* Room for a made-up name; as large as any that a sentence needs whole. */
struct nti_plan_name {
	char text[128];
};

/*
 * The caller's name, or "event 3" and its like written to @name. @names may be NULL; @n is the
 * number of events.
 */
const char *nti_plan_event_name(const struct nti_plan_names *names, size_t n, unsigned int i,
				struct nti_plan_name *name);
const char *nti_plan_pmu_name(const struct nti_plan_names *names, unsigned int i,
			      struct nti_plan_name *name);
const char *nti_plan_resource_name(const struct nti_plan_names *names, unsigned int pmu,
				   unsigned int i, struct nti_plan_name *name);

/*
 * "counter 2", "counters 0-3,8": at most 16 ranges of 6 characters. Where @bound events want
 * @wanted of them, which are more: "5 of counters 0-3".
 */
const char *nti_plan_format_counters(unsigned int bound, unsigned int wanted, uint32_t mask,
				     struct nti_plan_name *name);
/* How many of @n are events; those behind them are further counters of these. */
size_t nti_plan_own_events(const struct nti_plan_names *names, size_t n);

#endif
