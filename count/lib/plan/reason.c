// SPDX-License-Identifier: MIT
/* Which constraint makes each pass necessary, and the sentence that says so. */
#include <errno.h>
#include <stdio.h>

#include "count/lib/plan/match.h"
#include "count/lib/plan/names.h"
#include "count/lib/plan/problem.h"

/*
 * One of @events that sits in @pass, else in the first later pass: more than @pass passes are
 * needed for them.
 */
static uint8_t pushed_out(const struct nti_plan *plan, uint64_t events, unsigned int pass)
{
	unsigned int best = nti_plan_low(events), event;

	for (; events; events &= events - 1) {
		event = nti_plan_low(events);
		if (plan->pass[event] >= pass &&
		    (plan->pass[best] < pass || plan->pass[event] < plan->pass[best]))
			best = event;
	}
	return (uint8_t)best;
}

static bool blame_counters(const struct nti_plan_problem *pb, const struct nti_plan *plan,
			   unsigned int pass, unsigned int pmu, struct nti_plan_reason *reason)
{
	uint64_t guilty = 0, left;
	uint32_t blocked = 0;

	if (nti_plan_fits(pb, pb->pmu_events[pmu], pass, &blocked))
		return false;
	for (left = pb->pmu_events[pmu]; left; left &= left - 1)
		if (!(pb->mask[nti_plan_low(left)] & ~blocked))
			guilty |= left & -left;
	reason->limit = NTI_PLAN_LIMIT_COUNTERS;
	reason->pmu = pb->input[nti_plan_low(guilty)].pmu;
	reason->event = pushed_out(plan, guilty, pass);
	for (; blocked; blocked &= blocked - 1)
		reason->counters |= UINT32_C(1)
				    << pb->number[pb->pmu_first[pmu] + nti_plan_low(blocked)];
	return true;
}

/* Those of @events that want it. */
static uint64_t wanting(const struct nti_plan_problem *pb, uint64_t events, unsigned int resource)
{
	uint64_t found = 0;

	for (; events; events &= events - 1) {
		const struct nti_plan_event *event = &pb->input[nti_plan_low(events)];
		unsigned int i;

		for (i = 0; i < event->want_count; i++)
			if (event->wants[i].resource == resource)
				found |= nti_plan_bit(nti_plan_low(events));
	}
	return found;
}

static unsigned int add_value(uint64_t value[NTI_PLAN_MAX_EVENTS], unsigned int n, uint64_t one)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (value[i] == one)
			return n;
	value[n] = one;
	return n + 1;
}

/* The different values wanted of the resource of @reason, in the order given; how many. */
static unsigned int find_values(const struct nti_plan_event *events, size_t n,
				const struct nti_plan_reason *reason,
				uint64_t value[NTI_PLAN_MAX_EVENTS])
{
	unsigned int found = 0, k;
	size_t i;

	for (i = 0; i < n; i++)
		for (k = 0; k < events[i].want_count && events[i].pmu == reason->pmu; k++)
			if (events[i].wants[k].resource == reason->resource)
				found = add_value(value, found, events[i].wants[k].value);
	return found;
}

static bool blame_resource(const struct nti_plan_problem *pb, const struct nti_plan *plan,
			   unsigned int pass, unsigned int pmu, unsigned int resource,
			   struct nti_plan_reason *reason)
{
	uint64_t events = wanting(pb, pb->pmu_events[pmu], resource), value[NTI_PLAN_MAX_EVENTS];

	struct nti_plan_reason found = {
		.limit = NTI_PLAN_LIMIT_RESOURCE,
		.pmu = pb->input[nti_plan_low(pb->pmu_events[pmu])].pmu,
		.resource = (uint8_t)resource,
	};

	if (find_values(pb->input, pb->event_count, &found, value) <= pass)
		return false;
	found.event = pushed_out(plan, events, pass);
	*reason = found;
	return true;
}

static uint64_t find_exclusive(const struct nti_plan_problem *pb, uint64_t events)
{
	uint64_t found = 0;

	for (; events; events &= events - 1)
		if (pb->input[nti_plan_low(events)].is_exclusive)
			found |= events & -events;
	return found;
}

static bool blame_exclusive(const struct nti_plan_problem *pb, const struct nti_plan *plan,
			    unsigned int pass, unsigned int pmu, struct nti_plan_reason *reason)
{
	uint64_t events = pb->pmu_events[pmu], alone = find_exclusive(pb, events);

	if (!alone || nti_plan_count(alone) + (alone != events) <= pass)
		return false;
	reason->limit = NTI_PLAN_LIMIT_EXCLUSIVE;
	reason->pmu = pb->input[nti_plan_low(events)].pmu;
	reason->event = pushed_out(plan, alone, pass);
	if (plan->pass[reason->event] < pass)
		reason->event = pushed_out(plan, events, pass);
	return true;
}

static void find_reason(const struct nti_plan_problem *pb, const struct nti_plan *plan,
			unsigned int pass, struct nti_plan_reason *reason)
{
	unsigned int i, k;

	for (i = 0; i < pb->pmu_count; i++)
		if (blame_counters(pb, plan, pass, i, reason))
			return;
	for (i = 0; i < pb->pmu_count; i++)
		for (k = 0; k < NTI_PLAN_MAX_RESOURCES; k++)
			if (blame_resource(pb, plan, pass, i, k, reason))
				return;
	for (i = 0; i < pb->pmu_count; i++)
		if (blame_exclusive(pb, plan, pass, i, reason))
			return;
	reason->limit = NTI_PLAN_LIMIT_MIXED;
	reason->event = pushed_out(plan, nti_plan_below(pb->event_count), pass);
}

void nti_plan_find_reasons(const struct nti_plan_problem *pb, struct nti_plan *plan)
{
	unsigned int pass;

	for (pass = 1; pass < plan->passes; pass++)
		find_reason(pb, plan, pass, &plan->reason[pass]);
}

static unsigned int count_bound_events(const struct nti_plan_event *events, size_t n,
				       const struct nti_plan_reason *reason)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (events[i].counters && events[i].pmu == reason->pmu &&
		    !(events[i].counters & ~reason->counters))
			count++;
	return count;
}

static void say_counters(const struct nti_plan_event *events, size_t n,
			 const struct nti_plan_reason *reason, unsigned int pass,
			 const struct nti_plan_names *names, char *text, size_t bytes)
{
	unsigned int wanted = count_bound_events(events, n, reason);
	unsigned int bound = count_bound_events(events, nti_plan_own_events(names, n), reason);
	struct nti_plan_name counters = { "" }, pmu, event;

	(void)snprintf(text, bytes,
		       "%u event%s need%s %s of %s, where %u pass%s room for %u, so %s waits",
		       bound, bound == 1 ? "" : "s", bound == 1 ? "s" : "",
		       nti_plan_format_counters(bound, wanted, reason->counters, &counters),
		       nti_plan_pmu_name(names, reason->pmu, &pmu), pass,
		       pass == 1 ? " has" : "es have", pass * nti_plan_count(reason->counters),
		       nti_plan_event_name(names, n, reason->event, &event));
}

static void say_exclusive(const struct nti_plan_event *events, size_t n,
			  const struct nti_plan_reason *reason, const struct nti_plan_names *names,
			  char *text, size_t bytes)
{
	struct nti_plan_name pmu, event;

	(void)snprintf(text, bytes,
		       events[reason->event].is_exclusive
			       ? "%s must be alone on %s"
			       : "%s waits because another event must be alone on %s",
		       nti_plan_event_name(names, n, reason->event, &event),
		       nti_plan_pmu_name(names, reason->pmu, &pmu));
}

static void say_mixed(const struct nti_plan *plan, unsigned int pass, char *text, size_t bytes)
{
	const char *plural = pass == 1 ? "" : "es";

	if (pass < plan->lower)
		(void)snprintf(
			text, bytes,
			"counters, shared registers, groups and events that must be alone, taken "
			"together, do not fit into %u pass%s",
			pass, plural);
	else
		(void)snprintf(text, bytes,
			       "no way to count all in %u pass%s was found before the search "
			       "ended; it is not "
			       "proven that there is none",
			       pass, plural);
}

#define SHOWN_VALUES 3

/* "VFETCH of gpu0 is wanted as 1 and as 0, so EVENT waits" */
static void say_resource(const struct nti_plan_event *events, size_t n,
			 const struct nti_plan_reason *reason, const struct nti_plan_names *names,
			 char *text, size_t bytes)
{
	struct nti_plan_name resource, pmu, event;
	uint64_t value[NTI_PLAN_MAX_EVENTS];
	unsigned int found = find_values(events, n, reason, value), i;
	char list[128];
	int used = 0;

	for (i = 0; i < found && i < SHOWN_VALUES; i++)
		used += snprintf(list + used, sizeof(list) - (size_t)used, "%sas %s%jx",
				 !i		  ? ""
				 : i + 1 == found ? " and "
						  : ", ",
				 value[i] > 9 ? "0x" : "", (uintmax_t)value[i]);
	if (found > SHOWN_VALUES)
		(void)snprintf(list + used, sizeof(list) - (size_t)used, " and as %u more",
			       found - SHOWN_VALUES);
	(void)snprintf(text, bytes, "%s of %s is wanted %s, so %s waits",
		       nti_plan_resource_name(names, reason->pmu, reason->resource, &resource),
		       nti_plan_pmu_name(names, reason->pmu, &pmu), list,
		       nti_plan_event_name(names, n, reason->event, &event));
}

int nti_plan_reason_text(const struct nti_plan_event *events, size_t n, const struct nti_plan *plan,
			 unsigned int pass, const struct nti_plan_names *names, char *text,
			 size_t bytes)
{
	const struct nti_plan_reason *reason;

	if (!bytes || pass >= plan->passes)
		return -EINVAL;
	reason = &plan->reason[pass];
	text[0] = '\0';
	switch (reason->limit) {
	case NTI_PLAN_LIMIT_NONE:
		break;
	case NTI_PLAN_LIMIT_COUNTERS:
		say_counters(events, n, reason, pass, names, text, bytes);
		break;
	case NTI_PLAN_LIMIT_RESOURCE:
		say_resource(events, n, reason, names, text, bytes);
		break;
	case NTI_PLAN_LIMIT_EXCLUSIVE:
		say_exclusive(events, n, reason, names, text, bytes);
		break;
	case NTI_PLAN_LIMIT_MIXED:
		say_mixed(plan, pass, text, bytes);
		break;
	}
	return 0;
}
