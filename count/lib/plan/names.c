// SPDX-License-Identifier: MIT
/* What the planner's sentences call events, PMUs, resources and counters. */
#include <stdio.h>

#include "count/lib/plan/names.h"
#include "count/lib/plan/problem.h"

static const char *name_of(const char *known, unsigned int i, const char *kind,
			   struct nti_plan_name *name)
{
	if (known)
		return known;
	(void)snprintf(name->text, sizeof(name->text), "%s %u", kind, i);
	return name->text;
}

const char *nti_plan_event_name(const struct nti_plan_names *names, size_t n, unsigned int i,
				struct nti_plan_name *name)
{
	return name_of(names && names->events && i < n ? names->events[i] : NULL, i, "event", name);
}

const char *nti_plan_pmu_name(const struct nti_plan_names *names, unsigned int i,
			      struct nti_plan_name *name)
{
	return name_of(names && names->pmu ? names->pmu(names->arg, i) : NULL, i, "PMU", name);
}

const char *nti_plan_resource_name(const struct nti_plan_names *names, unsigned int pmu,
				   unsigned int i, struct nti_plan_name *name)
{
	return name_of(names && names->resource ? names->resource(names->arg, pmu, i) : NULL, i,
		       "resource", name);
}

size_t nti_plan_own_events(const struct nti_plan_names *names, size_t n)
{
	return names && names->event_count ? names->event_count : n;
}

const char *nti_plan_format_counters(unsigned int bound, unsigned int wanted, uint32_t mask,
				     struct nti_plan_name *name)
{
	int used = 0;
	const char *comma = "";

	if (bound < wanted)
		used = snprintf(name->text, sizeof(name->text), "%u of ", wanted);
	used += snprintf(name->text + used, sizeof(name->text) - (size_t)used, "counter%s ",
			 nti_plan_count(mask) > 1 ? "s" : "");
	while (mask) {
		unsigned int first = nti_plan_low(mask), last = first;

		while (last < 31 && (mask >> (last + 1) & 1))
			last++;
		mask &= ~(uint32_t)nti_plan_below(last + 1);
		used += snprintf(name->text + used, sizeof(name->text) - (size_t)used,
				 first == last ? "%s%u" : "%s%u-%u", comma, first, last);
		comma = ",";
	}
	return name->text;
}
