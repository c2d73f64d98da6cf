// SPDX-License-Identifier: MIT
/*
 * Whether a plan is one. Shares nothing with the code that makes plans: every rule is written out
 * again, straight from plan.h, without masks of events and without matching.
 */
#include <errno.h>

#include "count/lib/plan/plan.h"

static bool is_counter_right(const struct nti_plan_event *event, int counter)
{
	if (!event->counters)
		return counter == -1;
	return counter >= 0 && counter < NTI_PLAN_MAX_COUNTERS && (event->counters >> counter & 1);
}

static bool wants_agree(const struct nti_plan_event *a, const struct nti_plan_event *b)
{
	int i, j;

	for (i = 0; i < a->want_count && a->pmu == b->pmu; i++)
		for (j = 0; j < b->want_count; j++)
			if (a->wants[i].resource == b->wants[j].resource &&
			    a->wants[i].value != b->wants[j].value)
				return false;
	return true;
}

/* Two events of one pass. */
static bool can_share(const struct nti_plan_event *events, const struct nti_plan *plan, size_t i,
		      size_t j)
{
	if (!events[i].counters || !events[j].counters)
		return true;
	if (!wants_agree(&events[i], &events[j]))
		return false;
	if (events[i].pmu != events[j].pmu)
		return true;
	return !events[i].is_exclusive && !events[j].is_exclusive &&
	       plan->counter[i] != plan->counter[j];
}

static bool are_pairs_right(const struct nti_plan_event *events, size_t n,
			    const struct nti_plan *plan)
{
	size_t i, j;

	for (i = 0; i < n; i++) {
		for (j = i + 1; j < n; j++) {
			if (plan->pass[i] == plan->pass[j]) {
				if (!can_share(events, plan, i, j))
					return false;
			} else if (events[i].group && events[i].group == events[j].group) {
				return false;
			}
		}
	}
	return true;
}

/*
 * What needs nothing is in pass 0, unless its group is elsewhere because of an event that needs
 * something.
 */
static bool is_software_early(const struct nti_plan_event *events, size_t n,
			      const struct nti_plan *plan, size_t i)
{
	size_t j;

	if (events[i].counters || plan->pass[i] == 0)
		return true;
	for (j = 0; j < n; j++)
		if (events[i].group && events[j].group == events[i].group && events[j].counters)
			return true;
	return false;
}

static bool is_pass_used(size_t n, const struct nti_plan *plan, unsigned int pass)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (plan->pass[i] == pass)
			return true;
	return false;
}

static bool are_events_right(const struct nti_plan_event *events, size_t n,
			     const struct nti_plan *plan)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (plan->pass[i] >= plan->passes ||
		    !is_counter_right(&events[i], plan->counter[i]) ||
		    !is_software_early(events, n, plan, i))
			return false;
	return are_pairs_right(events, n, plan);
}

static bool is_guilty_of_counters(const struct nti_plan_event *event,
				  const struct nti_plan_reason *reason)
{
	return event->counters && event->pmu == reason->pmu &&
	       (event->counters & reason->counters) == event->counters;
}

/* More events that can use nothing but .counters than @passes passes of these counters hold. */
static bool is_counters_true(const struct nti_plan_event *events, size_t n, unsigned int passes,
			     const struct nti_plan_reason *reason)
{
	unsigned int need = 0, room = 0, bit;
	size_t i;

	for (i = 0; i < n; i++)
		need += is_guilty_of_counters(&events[i], reason) ? 1 : 0;
	for (bit = 0; bit < NTI_PLAN_MAX_COUNTERS; bit++)
		room += reason->counters >> bit & 1;
	return room > 0 && need > passes * room &&
	       is_guilty_of_counters(&events[reason->event], reason);
}

static bool does_want(const struct nti_plan_event *event, const struct nti_plan_reason *reason,
		      uint64_t *value)
{
	unsigned int i;

	for (i = 0; i < event->want_count && event->pmu == reason->pmu; i++) {
		if (event->wants[i].resource != reason->resource)
			continue;
		*value = event->wants[i].value;
		return true;
	}
	return false;
}

static bool is_value_new(const struct nti_plan_event *events, size_t i,
			 const struct nti_plan_reason *reason, uint64_t value)
{
	uint64_t other;

	while (i-- > 0)
		if (does_want(&events[i], reason, &other) && other == value)
			return false;
	return true;
}

static bool is_resource_true(const struct nti_plan_event *events, size_t n, unsigned int passes,
			     const struct nti_plan_reason *reason)
{
	unsigned int values = 0;
	uint64_t value;
	size_t i;

	for (i = 0; i < n; i++)
		if (does_want(&events[i], reason, &value) && is_value_new(events, i, reason, value))
			values++;
	return values > passes && does_want(&events[reason->event], reason, &value);
}

static bool is_exclusive_true(const struct nti_plan_event *events, size_t n, unsigned int passes,
			      const struct nti_plan_reason *reason)
{
	unsigned int alone = 0, rest = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!events[i].counters || events[i].pmu != reason->pmu)
			continue;
		if (events[i].is_exclusive)
			alone++;
		else
			rest = 1;
	}
	return alone > 0 && alone + rest > passes && events[reason->event].counters &&
	       events[reason->event].pmu == reason->pmu;
}

/* Whether the reason given for @pass forbids @pass passes, and its event really had to wait. */
static bool is_reason_true(const struct nti_plan_event *events, size_t n,
			   const struct nti_plan *plan, unsigned int pass)
{
	const struct nti_plan_reason *reason = &plan->reason[pass];

	if (pass == 0)
		return reason->limit == NTI_PLAN_LIMIT_NONE;
	if (reason->event >= n || plan->pass[reason->event] < pass)
		return false;
	switch (reason->limit) {
	case NTI_PLAN_LIMIT_COUNTERS:
		return is_counters_true(events, n, pass, reason);
	case NTI_PLAN_LIMIT_RESOURCE:
		return is_resource_true(events, n, pass, reason);
	case NTI_PLAN_LIMIT_EXCLUSIVE:
		return is_exclusive_true(events, n, pass, reason);
	case NTI_PLAN_LIMIT_MIXED:
		return true;
	case NTI_PLAN_LIMIT_NONE:
		break;
	}
	return false;
}

int nti_plan_check(const struct nti_plan_event *events, size_t n, const struct nti_plan *plan)
{
	unsigned int pass;

	if (n > NTI_PLAN_MAX_EVENTS || plan->passes > n || (plan->passes == 0) != (n == 0))
		return -EINVAL;
	if (plan->lower > plan->passes || (n > 0 && plan->lower == 0) ||
	    plan->is_minimal != (plan->lower == plan->passes))
		return -EINVAL;
	if (!are_events_right(events, n, plan))
		return -EINVAL;
	for (pass = 0; pass < plan->passes; pass++)
		if (!is_pass_used(n, plan, pass) || !is_reason_true(events, n, plan, pass))
			return -EINVAL;
	return 0;
}
