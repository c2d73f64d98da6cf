// SPDX-License-Identifier: MIT
/* Which constraint makes each pass necessary, and the sentence that says so. */
#include <errno.h>
#include <stdio.h>

#include "lib/plan/bound.h"
#include "lib/plan/hall.h"
#include "lib/plan/names.h"
#include "lib/plan/reason.h"

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
			   unsigned int pass, unsigned int bank, struct nti_plan_reason *reason)
{
	uint64_t guilty = 0, left;
	uint32_t blocked = 0;

	if (nti_plan_hall(pb, pb->bank_events[bank], pass, NULL, &blocked))
		return false;
	for (left = pb->bank_events[bank]; left; left &= left - 1)
		if (!(pb->mask[nti_plan_low(left)] & ~blocked))
			guilty |= left & -left;
	reason->limit = NTI_PLAN_LIMIT_COUNTERS;
	reason->bank = pb->input[nti_plan_low(guilty)].bank;
	reason->event = pushed_out(plan, guilty, pass);
	for (; blocked; blocked &= blocked - 1)
		reason->counters |= UINT32_C(1)
				    << pb->number[pb->bank_first[bank] + nti_plan_low(blocked)];
	return true;
}

static uint64_t wanting(const struct nti_plan_problem *pb, unsigned int resource)
{
	unsigned int event, i;
	uint64_t found = 0;

	for (event = 0; event < pb->event_count; event++)
		for (i = 0; i < pb->input[event].want_count; i++)
			if (pb->input[event].wants[i].resource == resource)
				found |= nti_plan_bit(event);
	return found;
}

static bool blame_resource(const struct nti_plan_problem *pb, const struct nti_plan *plan,
			   unsigned int pass, unsigned int resource, struct nti_plan_reason *reason)
{
	uint64_t events = wanting(pb, resource);

	if (nti_plan_value_count(pb, events, resource) <= pass)
		return false;
	reason->limit = NTI_PLAN_LIMIT_RESOURCE;
	reason->resource = (uint8_t)resource;
	reason->event = pushed_out(plan, events, pass);
	return true;
}

static bool blame_exclusive(const struct nti_plan_problem *pb, const struct nti_plan *plan,
			    unsigned int pass, unsigned int bank, struct nti_plan_reason *reason)
{
	uint64_t events = pb->bank_events[bank], alone = nti_plan_exclusive(pb, events);

	if (!alone || nti_plan_count(alone) + (alone != events) <= pass)
		return false;
	reason->limit = NTI_PLAN_LIMIT_EXCLUSIVE;
	reason->bank = pb->input[nti_plan_low(events)].bank;
	reason->event = pushed_out(plan, alone, pass);
	if (plan->pass[reason->event] < pass)
		reason->event = pushed_out(plan, events, pass);
	return true;
}

static void find_reason(const struct nti_plan_problem *pb, const struct nti_plan *plan,
			unsigned int pass, struct nti_plan_reason *reason)
{
	unsigned int i;

	for (i = 0; i < pb->bank_count; i++)
		if (blame_counters(pb, plan, pass, i, reason))
			return;
	for (i = 0; i < NTI_PLAN_MAX_RESOURCES; i++)
		if (blame_resource(pb, plan, pass, i, reason))
			return;
	for (i = 0; i < pb->bank_count; i++)
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
		if (events[i].counters && events[i].bank == reason->bank &&
		    !(events[i].counters & ~reason->counters))
			count++;
	return count;
}

static void say_counters(const struct nti_plan_event *events, size_t n,
			 const struct nti_plan_reason *reason, unsigned int pass,
			 const struct nti_plan_names *names, char *text, size_t bytes)
{
	struct nti_plan_name counters = { "" }, bank, event;

	(void)snprintf(text, bytes,
		       "%u events need %s of %s, where %u pass%s room for %u, so %s waits",
		       count_bound_events(events, n, reason),
		       nti_plan_format_counters(reason->counters, &counters),
		       nti_plan_pmu_name(names, reason->bank, &bank), pass,
		       pass == 1 ? " has" : "es have", pass * nti_plan_count(reason->counters),
		       nti_plan_event_name(names, n, reason->event, &event));
}

static void say_exclusive(const struct nti_plan_event *events, size_t n,
			  const struct nti_plan_reason *reason, const struct nti_plan_names *names,
			  char *text, size_t bytes)
{
	struct nti_plan_name bank, event;

	(void)snprintf(text, bytes,
		       events[reason->event].is_exclusive
			       ? "%s must be alone on %s"
			       : "%s waits because another event must be alone on %s",
		       nti_plan_event_name(names, n, reason->event, &event),
		       nti_plan_pmu_name(names, reason->bank, &bank));
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

int nti_plan_reason_text(const struct nti_plan_event *events, size_t n, const struct nti_plan *plan,
			 unsigned int pass, const struct nti_plan_names *names, char *text,
			 size_t bytes)
{
	const struct nti_plan_reason *reason;
	struct nti_plan_name resource, event;

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
		(void)snprintf(
			text, bytes,
			"%s has one value at a time, but more than %u are wanted, so %s waits",
			nti_plan_resource_name(names, reason->resource, &resource), pass,
			nti_plan_event_name(names, n, reason->event, &event));
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
