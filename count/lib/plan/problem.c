// SPDX-License-Identifier: MIT
/* From the caller's events to items, dense PMUs and conflicts. */
#include <errno.h>
#include <string.h>

#include "count/lib/plan/match.h"
#include "count/lib/plan/names.h"
#include "count/lib/plan/problem.h"

static int check_wants(const struct nti_plan_event *event, unsigned int index, struct nti_error *e)
{
	unsigned int i, j;

	if (event->want_count > NTI_PLAN_MAX_WANTS)
		return nti_error(e, -EINVAL,
				 "event %u wants %u resources, the most an event can want is %u",
				 index, event->want_count, NTI_PLAN_MAX_WANTS);
	for (i = 0; i < event->want_count; i++) {
		const struct nti_plan_want *want = &event->wants[i];

		if (want->resource >= NTI_PLAN_MAX_RESOURCES)
			return nti_error(e, -EINVAL,
					 "event %u wants resource %u, the last one is %u", index,
					 want->resource, NTI_PLAN_MAX_RESOURCES - 1);
		for (j = 0; j < i; j++)
			if (event->wants[j].resource == want->resource &&
			    event->wants[j].value != want->value)
				return nti_error(e, -EINVAL,
						 "event %u wants two values of resource %u, which "
						 "has one at a time",
						 index, want->resource);
	}
	return 0;
}

static int check_event(const struct nti_plan_event *event, unsigned int index, struct nti_error *e)
{
	if (!event->counters && (event->is_exclusive || event->want_count))
		return nti_error(
			e, -EINVAL,
			"event %u names no counter that could count it, yet wants %s of PMU %u",
			index, event->is_exclusive ? "to be alone" : "resources", event->pmu);
	return check_wants(event, index, e);
}

/* The want of @a whose resource @b wants with another value, NULL: there is none. */
static const struct nti_plan_want *find_conflict(const struct nti_plan_event *a,
						 const struct nti_plan_event *b)
{
	unsigned int i, j;

	for (i = 0; i < a->want_count && a->pmu == b->pmu; i++)
		for (j = 0; j < b->want_count; j++)
			if (a->wants[i].resource == b->wants[j].resource &&
			    a->wants[i].value != b->wants[j].value)
				return &a->wants[i];
	return NULL;
}

static unsigned int find_item(const struct nti_plan_problem *pb, unsigned int event)
{
	unsigned int i;

	for (i = 0; i < event && pb->input[event].group; i++)
		if (pb->input[i].group == pb->input[event].group)
			return pb->item_of[i];
	return pb->item_count;
}

static unsigned int find_pmu(const struct nti_plan_problem *pb, unsigned int event)
{
	unsigned int pmu;

	for (pmu = 0; pmu < pb->pmu_count; pmu++)
		if (pb->input[nti_plan_low(pb->pmu_events[pmu])].pmu == pb->input[event].pmu)
			return pmu;
	return pmu;
}

static void add_event(struct nti_plan_problem *pb, unsigned int event)
{
	unsigned int item = find_item(pb, event), pmu;

	pb->item_of[event] = (uint8_t)item;
	if (item == pb->item_count)
		pb->item_count++;
	pb->items[item].members |= nti_plan_bit(event);
	if (!pb->input[event].counters)
		return;
	pmu = find_pmu(pb, event);
	if (pmu == pb->pmu_count)
		pb->pmu_count++;
	pb->pmu_of[event] = (uint8_t)pmu;
	pb->pmu_events[pmu] |= nti_plan_bit(event);
	pb->items[item].events |= nti_plan_bit(event);
	pb->items[item].pmus |= nti_plan_bit(pmu);
	pb->hardware |= nti_plan_bit(item);
}

/* The lowest @count members of @mask. */
static uint32_t keep_low(uint32_t mask, unsigned int count)
{
	uint32_t kept = 0;

	for (; mask && count; mask &= mask - 1, count--)
		kept |= mask & -mask;
	return kept;
}

/* Squeeze the bits of @mask that are in @used together. */
static uint32_t squeeze(uint32_t mask, uint32_t used)
{
	uint32_t out = 0, to = 1;

	for (; used; used &= used - 1, to <<= 1)
		if (mask & used & -used)
			out |= to;
	return out;
}

/* Number the counters of @pmu that matter; see NTI_PLAN_ALL_COUNTERS. */
static void number_counters(struct nti_plan_problem *pb, unsigned int pmu)
{
	unsigned int count = nti_plan_count(pb->pmu_events[pmu]), counter = pb->pmu_first[pmu];
	uint32_t used = 0, bits;
	uint64_t left;

	for (left = pb->pmu_events[pmu]; left; left &= left - 1) {
		unsigned int event = nti_plan_low(left);

		pb->mask[event] = keep_low(pb->input[event].counters, count);
		used |= pb->mask[event];
	}
	for (left = pb->pmu_events[pmu]; left; left &= left - 1)
		pb->mask[nti_plan_low(left)] = squeeze(pb->mask[nti_plan_low(left)], used);
	for (bits = used; bits; bits &= bits - 1)
		pb->number[counter++] = (uint8_t)nti_plan_low(bits);
	pb->pmu_first[pmu + 1] = (uint16_t)counter;
}

static int refuse_pair(const struct nti_plan_problem *pb, unsigned int a, unsigned int b,
		       struct nti_error *e)
{
	const struct nti_plan_event *ea = &pb->input[a], *eb = &pb->input[b];
	const struct nti_plan_want *want = find_conflict(ea, eb);
	struct nti_plan_name na, nb, what;
	const char *event_a = nti_plan_event_name(pb->names, pb->event_count, a, &na);
	const char *event_b = nti_plan_event_name(pb->names, pb->event_count, b, &nb);

	if (want)
		return nti_error(
			e, -ENOSPC,
			"%s cannot be in one group with %s: both want %s, with different values; "
			"take one of them out of the group",
			event_b, event_a,
			nti_plan_resource_name(pb->names, ea->pmu, want->resource, &what));
	if (ea->pmu == eb->pmu && (ea->is_exclusive || eb->is_exclusive))
		return nti_error(
			e, -ENOSPC,
			"%s cannot be in one group with %s: %s must be alone on %s; take it "
			"out of the group",
			event_b, event_a, ea->is_exclusive ? event_a : event_b,
			nti_plan_pmu_name(pb->names, ea->pmu, &what));
	return 0;
}

static int refuse_pairs(const struct nti_plan_problem *pb, uint64_t events, struct nti_error *e)
{
	uint64_t left, before;
	int ret;

	for (left = events; left; left &= left - 1) {
		unsigned int b = nti_plan_low(left);

		for (before = events & nti_plan_below(b); before; before &= before - 1) {
			ret = refuse_pair(pb, nti_plan_low(before), b, e);
			if (ret < 0)
				return ret;
		}
	}
	return 0;
}

/*
 * @events of one PMU do not fit into one pass: @blocked is the set of counters that is too small.
 */
static int refuse_counters(const struct nti_plan_problem *pb, uint64_t events, uint32_t blocked,
			   struct nti_error *e)
{
	unsigned int pmu = pb->pmu_of[nti_plan_low(events)], last = 0, count = 0, bound = 0;
	size_t own = nti_plan_own_events(pb->names, pb->event_count);
	struct nti_plan_name event, counters = { "" }, what;
	uint32_t mask = 0;
	uint64_t left;

	for (left = events; left; left &= left - 1) {
		if (pb->mask[nti_plan_low(left)] & ~blocked)
			continue;
		last = nti_plan_low(left);
		bound += last < own;
		count++;
	}
	for (; blocked; blocked &= blocked - 1)
		mask |= UINT32_C(1) << pb->number[pb->pmu_first[pmu] + nti_plan_low(blocked)];
	return nti_error(e, -ENOSPC,
			 "%s does not fit into its group: %u events of the group need %s of %s; "
			 "make the group smaller",
			 nti_plan_event_name(pb->names, pb->event_count, last, &event), bound,
			 nti_plan_format_counters(bound, count, mask, &counters),
			 nti_plan_pmu_name(pb->names, pb->input[last].pmu, &what));
}

static int check_item(const struct nti_plan_problem *pb, uint64_t events, struct nti_error *e)
{
	uint32_t blocked = 0;
	uint64_t left = events;
	int ret = refuse_pairs(pb, events, e);

	if (ret < 0)
		return ret;
	while (left) {
		uint64_t pmu = pb->pmu_events[pb->pmu_of[nti_plan_low(left)]];

		if (!nti_plan_fits(pb, events & pmu, 1, &blocked))
			return refuse_counters(pb, events & pmu, blocked, e);
		left &= ~pmu;
	}
	return 0;
}

bool nti_plan_are_apart(const struct nti_plan_event *a, const struct nti_plan_event *b)
{
	return (a->pmu == b->pmu && (a->is_exclusive || b->is_exclusive)) || find_conflict(a, b);
}

static bool are_items_apart(const struct nti_plan_problem *pb, uint64_t a, uint64_t b)
{
	uint64_t left, other;

	for (left = a; left; left &= left - 1)
		for (other = b; other; other &= other - 1)
			if (nti_plan_are_apart(&pb->input[nti_plan_low(left)],
					       &pb->input[nti_plan_low(other)]))
				return true;
	return false;
}

/* Items that want different values, or one of which must be alone where the other is. */
static void find_conflicts(struct nti_plan_problem *pb)
{
	unsigned int a, b;

	for (a = 0; a < pb->item_count; a++) {
		for (b = 0; b < a; b++) {
			if (!are_items_apart(pb, pb->items[a].events, pb->items[b].events))
				continue;
			pb->items[a].conflicts |= nti_plan_bit(b);
			pb->items[b].conflicts |= nti_plan_bit(a);
		}
	}
}

int nti_plan_problem_init(struct nti_plan_problem *pb, const struct nti_plan_event *events,
			  size_t n, const struct nti_plan_names *names, struct nti_error *e)
{
	unsigned int i;
	int ret;

	memset(pb, 0, sizeof(*pb));
	if (n > NTI_PLAN_MAX_EVENTS)
		return nti_error(
			e, -E2BIG,
			"%zu events are too many to plan at once, the most is %u; ask for fewer", n,
			NTI_PLAN_MAX_EVENTS);
	pb->input = events;
	pb->names = names;
	pb->event_count = (unsigned int)n;
	for (i = 0; i < n; i++) {
		ret = check_event(&events[i], i, e);
		if (ret < 0)
			return ret;
		add_event(pb, i);
	}
	for (i = 0; i < pb->pmu_count; i++)
		number_counters(pb, i);
	for (i = 0; i < pb->item_count; i++) {
		ret = check_item(pb, pb->items[i].events, e);
		if (ret < 0)
			return ret;
	}
	find_conflicts(pb);
	return 0;
}

uint64_t nti_plan_events_of(const struct nti_plan_problem *pb, uint64_t items)
{
	uint64_t events = 0;

	for (; items; items &= items - 1)
		events |= pb->items[nti_plan_low(items)].events;
	return events;
}

uint64_t nti_plan_component(const struct nti_plan_problem *pb, unsigned int item)
{
	uint64_t found = nti_plan_bit(item), open = found;

	while (open) {
		uint64_t pmus = pb->items[nti_plan_low(open)].pmus, news = 0;

		for (; pmus; pmus &= pmus - 1) {
			uint64_t left = pb->pmu_events[nti_plan_low(pmus)];

			for (; left; left &= left - 1)
				news |= nti_plan_bit(pb->item_of[nti_plan_low(left)]);
		}
		open &= open - 1;
		open |= news & ~found;
		found |= news;
	}
	return found;
}
