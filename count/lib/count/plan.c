// SPDX-License-Identifier: MIT
/*
 * From the items of a session to passes: what the planner is asked, and what is made of its answer.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"
#include "base/common/text.h"
#include "count/lib/count/plan.h"
#include "count/lib/count/rotate.h"
#include "count/lib/count/session.h"
#include "count/lib/count/ways.h"

/*
 * A unit whose number of counters nobody tells: as many as a mask has bits, until the kernel
 * refuses.
 */
#define UNKNOWN_COUNTERS UINT32_MAX

static bool is_counted_without_counter(const struct nti_unit *unit)
{
	return unit->kind != NTI_UNIT_CORE && unit->kind != NTI_UNIT_UNCORE &&
	       unit->kind != NTI_UNIT_DEVICE;
}

/*
 * The kernel's NMI watchdog holds one counter of the core PMU for itself: cycles, so the fixed
 * cycle counter (number 1) where there are fixed ones (kernel/watchdog_hld.c,
 * arch/x86/events/intel/core.c).
 */
static uint32_t first_limit(const struct ntime_session *s, const struct nti_unit *unit)
{
	uint64_t is_on = 0;

	if (unit->kind != NTI_UNIT_CORE || !unit->counters ||
	    nti_os_u64(s->ctx->os, &is_on, "/proc/sys/kernel/nmi_watchdog") < 0 || !is_on)
		return UNKNOWN_COUNTERS;
	return UNKNOWN_COUNTERS &
	       ~((uint32_t)1 << (unit->fixed > 1 ? unit->counters + 1 : unit->counters - 1));
}

/* How many members of @g may sit on fixed counters: at most one each. */
static unsigned int count_fixed(const struct ntime_session *s, const struct nti_session_group *g)
{
	uint32_t fixed = nti_need_fixed(g->unit);
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < g->perf.count; i++)
		n += (s->plan->part[g->part[i]].part->need.counters & fixed) != 0;
	return n < g->unit->fixed ? n : g->unit->fixed;
}

bool nti_session_learn_limit(struct ntime_session *s, const struct nti_session_group *g)
{
	const struct nti_unit *unit = g->unit;
	uint32_t *limit = &s->plan->unit[unit->number].limit;
	uint32_t general = unit->counters && unit->counters < 32
				   ? ((uint32_t)1 << unit->counters) - 1
				   : ~nti_need_fixed(unit);
	uint32_t before = *limit;
	size_t fitted = g->perf.count;

	if (!fitted || is_counted_without_counter(unit) || !(*limit & general))
		return false;
	if (unit->counters) {
		/*
		 * Known counters, but one less is free than we thought: give up the last general
		 * one.
		 */
		*limit &= ~((uint32_t)1 << (31 - __builtin_clz(*limit & general)));
	} else {
		fitted -= count_fixed(s, g);
		*limit = (fitted < 32 ? ((uint32_t)1 << fitted) - 1 : UINT32_MAX >> 1) |
			 nti_need_fixed(unit);
	}
	if (!*limit || *limit == before) {
		*limit = before;
		return false;
	}
	nti_context_log(s->ctx,
			"plan: the kernel takes %zu events of %s at once; counters left %#x",
			fitted, unit->name, *limit);
	return true;
}

/*
 * User's groups keep together, and so do the parts of one event: a sum of parts that were counted
 * at different times is no count. Their groups are numbered from where user's groups never come.
 */
#define PARTS_GROUP 0x8000u

/* Planner's view of a part; the counter that it takes besides goes to *@also, 0: none. */
static struct nti_plan_event need_of(const struct ntime_session *s,
				     const struct nti_session_part *p, uint32_t *also)
{
	const struct nti_session_item *item = &s->item[p->item];
	const struct nti_unit *unit = p->part->unit;
	struct nti_plan_event need = p->part->need;
	uint32_t limit = s->plan->unit[unit->number].limit;

	*also = 0;
	need.pmu = (uint16_t)unit->number;
	need.is_exclusive = p->part->attr.exclusive;
	if (nti_session_is_direct(s, unit) || unit->card)
		*also = nti_session_fill_need(s, p, &need);
	else if (is_counted_without_counter(unit))
		need.counters = 0;
	else
		need.counters = (need.counters ? need.counters : UNKNOWN_COUNTERS) & limit;
	need.is_exclusive = need.is_exclusive && need.counters;
	need.group = (uint16_t)item->group;
	/* Parts of a sum of a card's events may take turns. */
	if (!item->group && unit->card && *also)
		need.group = (uint16_t)(PARTS_GROUP + NTI_SESSION_MAX_ITEMS + (p - s->plan->part));
	else if (!item->group && !unit->card && (item->event.parts > 1 || *also))
		need.group = (uint16_t)(PARTS_GROUP + p->item);
	return need;
}

static bool is_free_of_counters(const struct ntime_session *s, const struct nti_session_part *p)
{
	if (nti_session_is_direct(s, p->part->unit) || p->part->unit->card)
		return nti_session_needs_no_counter(p);
	return is_counted_without_counter(p->part->unit);
}

static int explain_taken(struct ntime_session *s, const struct nti_session_part *p,
			 struct nti_absence *absent)
{
	if (nti_session_is_direct(s, p->part->unit))
		return nti_session_explain_taken(s, p, absent);
	return nti_absence_set(absent, NTIME_REASON_BUSY, p->part->unit->name,
			       "sysctl kernel.nmi_watchdog=0, and end other users of the PMU",
			       "every counter of %s that can count it is taken",
			       p->part->unit->name);
}

/* A counter event whose every counter is taken must not look like one that needs none. */
static int refuse_without_counter(struct ntime_session *s)
{
	struct nti_absence absent;
	uint32_t also;
	size_t i;
	int ret;

	for (i = 0; i < s->plan->parts; i++) {
		struct nti_session_part *p = &s->plan->part[i];

		if (p->is_refused || is_free_of_counters(s, p) || need_of(s, p, &also).counters)
			continue;
		absent = (struct nti_absence){ 0 };
		ret = explain_taken(s, p, &absent);
		if (ret < 0)
			return ret;
		nti_session_refuse(s, p, &absent);
	}
	return 0;
}

static const char *unit_name(const void *arg, unsigned int unit)
{
	const struct ntime_session *s = arg;

	return s->plan->unit[unit].unit->name;
}

/*
 * The extra registers of a core PMU, which count/lib/event/need.c speaks of, and those of others.
 */
static const char *resource_name(const void *arg, unsigned int unit, unsigned int resource)
{
	static const char *const core[] = { "MSR_OFFCORE_RSP_0", "MSR_OFFCORE_RSP_1",
					    "MSR_PEBS_LD_LAT", "MSR_PEBS_FRONTEND" };
	const struct ntime_session *s = arg;
	const struct nti_unit *of = s->plan->unit[unit].unit;

	if (of->kind == NTI_UNIT_CORE)
		return resource < NTI_ARRAY_SIZE(core) ? core[resource] : NULL;
	return nti_pmu_want_name(of, resource);
}

/*
 * The planner's events of one plan: one for each part, in their order, and one behind them for each
 * that takes a counter besides, in its group.
 */
struct plan_events {
	struct nti_plan_event need[NTI_PLAN_MAX_EVENTS];
	const char *name[NTI_PLAN_MAX_EVENTS];
	size_t n;
	struct nti_plan_names names;
};

/* How many of the planner's events @n parts are. */
static size_t count_events(const struct ntime_session *s, const size_t *index, size_t n)
{
	size_t i, events = n;
	uint32_t also;

	for (i = 0; i < n; i++) {
		(void)need_of(s, &s->plan->part[index[i]], &also);
		events += also != 0;
	}
	return events;
}

static void fill_events(const struct ntime_session *s, const size_t *index, size_t n,
			struct plan_events *out)
{
	size_t i;

	out->n = n;
	for (i = 0; i < n; i++) {
		const struct nti_session_part *p = &s->plan->part[index[i]];
		uint32_t also;

		out->need[i] = need_of(s, p, &also);
		out->name[i] = s->item[p->item].name;
		if (!also)
			continue;
		out->need[out->n] = (struct nti_plan_event){ .counters = also,
							     .pmu = out->need[i].pmu,
							     .group = out->need[i].group };
		out->name[out->n++] = out->name[i];
	}
	out->names = (struct nti_plan_names){ .events = out->name,
					      .event_count = n,
					      .pmu = unit_name,
					      .resource = resource_name,
					      .arg = s };
}

/*
 * Sentences for the passes of @plan, the first of which is pass @base of the session; a sentence
 * that is there stays.
 */
static int name_reasons(struct ntime_session *s, const struct plan_events *events,
			const struct nti_plan *plan, unsigned int base)
{
	char text[NTI_ERROR_TEXT_BYTES];
	unsigned int pass;

	for (pass = 0; pass < plan->passes; pass++) {
		if (s->plan->pass_text[base + pass] || (!pass && !base))
			continue;
		if (nti_plan_reason_text(events->need, events->n, plan, pass, &events->names, text,
					 sizeof(text)) < 0 ||
		    !*text)
			(void)snprintf(text, sizeof(text),
				       "more than %d events of one unit are planned in slices",
				       NTI_PLAN_MAX_EVENTS);
		s->plan->pass_text[base + pass] = strdup(text);
		if (!s->plan->pass_text[base + pass])
			return -ENOMEM;
	}
	return 0;
}

static int grow_passes(struct ntime_session *s, unsigned int passes)
{
	while (s->plan->passes < passes) {
		if (!nti_grow(&s->plan->pass_text, s->plan->passes))
			return -ENOMEM;
		s->plan->pass_text[s->plan->passes++] = NULL;
	}
	return 0;
}

/*
 * Events with a counter to themselves count all the time while the others take turns: their values
 * are exact, and the others' are measured by them (estimates.c). Units that we program ourselves
 * share out their counters anew for each pass.
 */
static void find_constants(const struct ntime_session *s, const size_t *index, size_t n,
			   struct plan_events *events, struct nti_plan *plan)
{
	bool is_constant[NTI_PLAN_MAX_EVENTS] = { false };
	size_t i;

	for (i = 0; i < n; i++) {
		const struct nti_session_part *p = &s->plan->part[index[i]];

		is_constant[i] = !p->part->attr.pinned && !nti_session_is_direct(s, p->part->unit);
	}
	nti_plan_find_constants(events->need, events->n, is_constant, plan);
	for (i = 0; i < n; i++)
		s->item[s->plan->part[index[i]].item].is_constant = is_constant[i];
}

/*
 * Plan the @n parts numbered in @index, which are all of their units if @is_whole; their passes
 * begin at @base. Returns the number of passes.
 */
static int plan_some(struct ntime_session *s, const size_t *index, size_t n, unsigned int base,
		     bool is_whole)
{
	struct plan_events events;
	struct nti_plan plan;
	size_t i;
	int ret;

	fill_events(s, index, n, &events);
	ret = nti_plan_make(events.need, events.n, &events.names, &plan, &s->ctx->error);
	if (ret < 0)
		return ret;
	if (s->target.flags & NTIME_TURNS && is_whole)
		find_constants(s, index, n, &events, &plan);
	ret = grow_passes(s, base + plan.passes);
	if (ret == 0)
		ret = name_reasons(s, &events, &plan, base);
	for (i = 0; i < n; i++) {
		s->plan->part[index[i]].pass = base + plan.pass[i];
		s->plan->part[index[i]].needs_counter =
			events.need[i].counters || s->plan->part[index[i]].is_beside;
	}
	return ret < 0 ? ret : (int)plan.passes;
}

/* Are both the same set-up of a card? One counter counts them where they are in one pass. */
static bool are_alike(const struct nti_session_part *a, const struct nti_session_part *b)
{
	const struct perf_event_attr *x = &a->part->attr, *y = &b->part->attr;

	return a->part->unit == b->part->unit && !a->is_refused && x->config == y->config &&
	       x->config1 == y->config1 && x->config2 == y->config2 && x->exclusive == y->exclusive;
}

/*
 * The part that the planner has in place of part @i, which may be that one itself: the first one of
 * its user's group that is alike; of one without a group any group's, else the first one.
 */
static size_t twin_of(const struct ntime_session *s, size_t i)
{
	const struct nti_session_part *part = s->plan->part;
	unsigned int group = s->item[part[i].item].group;
	size_t k, first = i;

	for (k = 0; part[i].part->unit->card && k < s->plan->parts; k++) {
		unsigned int other = s->item[part[k].item].group;

		if (!are_alike(&part[k], &part[i]) || (group && other != group))
			continue;
		if (other)
			return k;
		first = k < first ? k : first;
	}
	return first;
}

/*
 * Is it the planner's? What needs no counter counts in each pass; only of a user's group, whose
 * values are of one pass, it goes with those that need one.
 */
static bool is_planned(const struct ntime_session *s, const struct nti_session_part *p)
{
	unsigned int group = s->item[p->item].group;
	bool is_planned = !p->is_refused && !is_free_of_counters(s, p);
	size_t i;

	for (i = 0; group && !p->is_refused && !is_planned && i < s->plan->parts; i++) {
		const struct nti_session_part *other = &s->plan->part[i];

		is_planned = s->item[other->item].group == group && !other->is_refused &&
			     !is_free_of_counters(s, other);
	}
	return is_planned;
}

/* Those of @unit (all units when NULL); returns how many, @index has room for all. */
static size_t collect(const struct ntime_session *s, const struct nti_unit *unit, size_t *index)
{
	size_t i, n = 0;

	for (i = 0; i < s->plan->parts; i++) {
		if ((!unit || s->plan->part[i].part->unit == unit) &&
		    is_planned(s, &s->plan->part[i]) && twin_of(s, i) == i)
			index[n++] = i;
	}
	return n;
}

/*
 * How many of @n parts the planner takes at once without cutting a user's group in two; 0: a group
 * is too large.
 */
static size_t slice_of(const struct ntime_session *s, const size_t *index, size_t n)
{
	size_t some = n < NTI_PLAN_MAX_EVENTS ? n : NTI_PLAN_MAX_EVENTS;
	unsigned int group;

	while (count_events(s, index, some) > NTI_PLAN_MAX_EVENTS)
		some--;
	while (some && some < n) {
		group = s->item[s->plan->part[index[some]].item].group;
		if (!group || s->item[s->plan->part[index[some - 1]].item].group != group)
			break;
		some--;
	}
	return some;
}

/* Planned unit by unit, a user's group over several units may have fallen apart. */
static int check_groups(struct ntime_session *s)
{
	size_t i, k;

	for (i = 0; i < s->plan->parts; i++) {
		const struct nti_session_part *a = &s->plan->part[i];
		unsigned int group = s->item[a->item].group;

		for (k = i + 1; group && k < s->plan->parts; k++) {
			const struct nti_session_part *b = &s->plan->part[k];

			if (s->item[b->item].group == group && a->needs_counter &&
			    b->needs_counter && !a->is_refused && !b->is_refused &&
			    a->pass != b->pass)
				return nti_error(
					&s->ctx->error, -ENOSPC,
					"%s and %s cannot be kept in one pass beside so many other "
					"events; ask for fewer",
					s->item[a->item].name, s->item[b->item].name);
		}
	}
	return 0;
}

/* A sum of a card's set-ups may need them in turns. */
static int check_sums(struct ntime_session *s)
{
	size_t i;

	for (i = 0; i < s->items; i++) {
		const struct nti_event *event = &s->item[i].event;

		if (s->item[i].group && event->parts > 1 && event->part[0].unit->card)
			return nti_error(
				&s->ctx->error, -ENOSPC,
				"%s is a sum of %zu set-ups, which take turns: take it out "
				"of the group",
				s->item[i].name, event->parts);
	}
	return 0;
}

/* Does what one of them takes say anything of where the other one can sit? */
static bool are_tied(const struct nti_plan_event *a, const struct nti_plan_event *b)
{
	return a->counters & b->counters || (a->group && a->group == b->group) ||
	       nti_plan_are_apart(a, b);
}

/*
 * Of the @n parts in @index, of one unit, those that part *index is tied to, also by others, come
 * first, in their order. Returns how many, that part included.
 */
static size_t put_tied_first(const struct nti_plan_event *need, size_t *index, size_t n)
{
	size_t tied = 1, seen, i, moved;

	for (seen = 0; seen < tied; seen++)
		for (i = tied; i < n; i++) {
			if (!are_tied(&need[index[seen]], &need[index[i]]))
				continue;
			moved = index[i];
			memmove(&index[tied + 1], &index[tied], (i - tied) * sizeof(*index));
			index[tied++] = moved;
		}
	/* Members of a group stay beside each other. */
	for (seen = 1; seen < tied; seen++)
		for (i = seen; i && index[i] < index[i - 1]; i--) {
			moved = index[i];
			index[i] = index[i - 1];
			index[i - 1] = moved;
		}
	return tied;
}

/* More than the planner takes at once, of one unit: in slices, pass after pass. */
static int plan_in_slices(struct ntime_session *s, const size_t *index, size_t n, bool is_whole)
{
	unsigned int base = 0;
	size_t at, some;
	int ret = 0;

	for (at = 0; at < n; at += some, base += (unsigned int)ret) {
		some = slice_of(s, index + at, n - at);
		if (!some)
			return nti_error(&s->ctx->error, -ENOSPC,
					 "a group of more than %d events of one unit cannot be "
					 "counted at once",
					 NTI_PLAN_MAX_EVENTS);
		ret = plan_some(s, index + at, some, base, is_whole && some == n);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/*
 * More parts than the planner takes at once: unit by unit, and of a unit those by themselves that
 * have nothing to do with the others, as the domains of a card.
 */
static int plan_by_unit(struct ntime_session *s, size_t *index)
{
	struct nti_plan_event *need = calloc(s->plan->parts + 1, sizeof(*need));
	size_t u, i, n, at, some;
	uint32_t also;
	int ret = need ? 0 : -ENOMEM;

	for (i = 0; ret == 0 && i < s->plan->parts; i++) {
		need[i] = need_of(s, &s->plan->part[i], &also);
		need[i].counters |= also;
	}
	for (u = 0; ret == 0 && u < s->plan->units; u++) {
		n = s->plan->unit[u].unit ? collect(s, s->plan->unit[u].unit, index) : 0;
		for (at = 0; ret == 0 && at < n; at += some) {
			some = put_tied_first(need, index + at, n - at);
			ret = plan_in_slices(s, index + at, some, some == n);
		}
	}
	free(need);
	return ret < 0 ? ret : check_groups(s);
}

/* Has a part of the item before that one the same pass? */
static bool has_pass_before(const struct ntime_session *s, size_t part)
{
	const struct nti_session_part *p = &s->plan->part[part];
	size_t i;

	for (i = 0; i < part; i++)
		if (s->plan->part[i].item == p->item && s->plan->part[i].pass == p->pass &&
		    !s->plan->part[i].is_refused)
			return true;
	return false;
}

static void passes_of_items(struct ntime_session *s)
{
	size_t i, k;

	for (i = 0; i < s->items; i++) {
		s->item[i].pass = s->item[i].turns = 0;
		s->item[i].is_in_every_pass = s->item[i].event.parts;
	}
	for (i = 0; i < s->plan->parts; i++) {
		struct nti_session_item *item = &s->item[s->plan->part[i].item];

		if (s->plan->part[i].is_refused)
			continue;
		item->is_in_every_pass = item->is_in_every_pass &&
					 (s->plan->passes < 2 || !s->plan->part[i].needs_counter);
		if (s->plan->part[i].pass > item->pass)
			item->pass = s->plan->part[i].pass;
		item->turns += item->event.parts < 2 || !has_pass_before(s, i);
	}
	for (i = 0; i < s->items; i++) {
		struct nti_session_item *item = &s->item[i];
		unsigned int turns = 0;

		for (k = 0; k < item->inputs; k++) {
			const struct nti_session_item *input = &s->item[item->input[k]];

			if (input->is_in_every_pass)
				continue;
			turns += !turns || input->pass != item->pass || input->turns > 1;
			if (input->pass > item->pass)
				item->pass = input->pass;
		}
		item->turns = item->formula ? turns : item->turns;
	}
}

void nti_session_forget_plan(struct ntime_session *s)
{
	unsigned int pass;
	size_t i;

	for (pass = 0; pass < s->plan->passes; pass++)
		free(s->plan->pass_text[pass]);
	free(s->plan->pass_text);
	s->plan->pass_text = NULL;
	s->plan->passes = 0;
	for (i = 0; i < s->items; i++)
		s->item[i].is_constant = false;
}

static int refuse_turn(struct ntime_session *s, struct nti_session_part *p)
{
	const char *name = p->part->unit->name, *why = s->plan->pass_text[p->pass];
	struct nti_absence absent = { 0 };
	int ret = nti_absence_set(&absent, NTIME_REASON_LIMIT, name,
				  "fewer events at a time, or a run of a command for each pass: "
				  "ntime stat --passes",
				  "%s; turns go by the clock, and the time of a model (%s) by its "
				  "frames",
				  why ? why : "all that is asked for does not fit into one run",
				  name);

	if (ret < 0)
		return ret;
	nti_session_refuse(s, p, &absent);
	return 1;
}

/*
 * A model does not take part in turns: what it has in the first pass counts in all of them, and the
 * rest not at all. 1: something was refused; 0; -ENOMEM.
 */
static int refuse_turns(struct ntime_session *s)
{
	int ret, refused = 0;
	size_t i;

	if (s->target.flags & (NTIME_BY_PASS | NTIME_PASS_ALONE))
		return 0;
	for (i = 0; i < s->plan->parts; i++) {
		const struct nti_session_part *p = &s->plan->part[i];

		if (p->pass && p->part->unit->is_simulated && s->item[p->item].is_of_pattern)
			return nti_error(&s->ctx->error, -ENOSPC,
					 "what was asked for of %s does not fit into one run: "
					 "turns go by the clock, and the time of a model by its "
					 "frames; name fewer events, or count them in %u runs of a "
					 "command: ntime stat --passes",
					 p->part->unit->name, s->plan->passes);
	}
	for (i = 0; i < s->plan->parts; i++) {
		struct nti_session_part *p = &s->plan->part[i];

		if (p->is_refused || !p->part->unit->is_simulated)
			continue;
		ret = p->pass ? refuse_turn(s, p) : 0;
		if (ret < 0)
			return ret;
		refused |= ret;
		p->needs_counter = false;
	}
	return refused;
}

/* What needs a counter is put into passes, the rest counts in each. Returns 0 or more; -errno. */
static int plan_parts(struct ntime_session *s)
{
	size_t *index = calloc(s->plan->parts + 1, sizeof(*index));
	size_t i, n;
	int ret = 0;

	if (!index)
		return -ENOMEM;
	for (i = 0; i < s->plan->parts; i++) {
		s->plan->part[i].pass = 0;
		s->plan->part[i].needs_counter = false;
		s->plan->part[i].is_beside = nti_session_is_beside(s, &s->plan->part[i]);
	}
	n = collect(s, NULL, index);
	if (n)
		ret = count_events(s, index, n) <= NTI_PLAN_MAX_EVENTS
			      ? plan_some(s, index, n, 0, true)
			      : plan_by_unit(s, index);
	free(index);
	if (ret < 0)
		return ret;
	for (i = 0; i < s->plan->parts; i++) {
		const struct nti_session_part *twin = &s->plan->part[twin_of(s, i)];

		s->plan->part[i].pass = twin->pass;
		s->plan->part[i].needs_counter = twin->needs_counter;
	}
	return s->plan->passes > 1 ? refuse_turns(s) : 0;
}

/* Of @unit, a card. 0 or -ENOMEM. */
static int place_groups_of(struct ntime_session *s, const struct nti_unit *unit)
{
	struct nti_part **part = calloc(s->plan->parts + 1, sizeof(*part));
	unsigned int *group = calloc(s->plan->parts + 1, sizeof(*group));
	int ret = part && group ? 0 : -ENOMEM;
	size_t i, n = 0;

	for (i = 0; ret == 0 && i < s->plan->parts; i++) {
		const struct nti_session_part *p = &s->plan->part[i];
		struct nti_event *event = &s->item[p->item].event;

		if (p->part->unit != unit || p->is_refused)
			continue;
		group[n] = s->item[p->item].group;
		part[n++] = &event->part[p->part - event->part];
	}
	if (n)
		nti_card_place_groups(part, group, n);
	free(part);
	free(group);
	return ret;
}

static int place_groups(struct ntime_session *s)
{
	size_t u;
	int ret = 0;

	for (u = 0; ret == 0 && u < s->plan->units; u++) {
		const struct nti_unit *unit = s->plan->unit[u].unit;

		if (unit && unit->card)
			ret = place_groups_of(s, unit);
	}
	return ret;
}

int nti_session_make_plan(struct ntime_session *s)
{
	int ret;

	nti_session_forget_plan(s);
	ret = place_groups(s);
	if (ret == 0)
		ret = refuse_without_counter(s);
	if (ret == 0)
		ret = check_sums(s);
	if (ret == 0)
		ret = grow_passes(s, 1);
	if (ret == 0)
		ret = plan_parts(s);
	if (ret > 0)
		return nti_session_make_plan(s);
	if (ret < 0)
		return ret;
	s->rotation->is_turning = s->target.flags & NTIME_TURNS && s->plan->passes > 1;
	s->rotation->is_by_pass =
		s->target.flags & (NTIME_BY_PASS | NTIME_PASS_ALONE) || s->rotation->is_turning;
	passes_of_items(s);
	nti_context_log(s->ctx, "plan: %zu parts of events in %u passes", s->plan->parts,
			s->plan->passes);
	return 0;
}

/*
 * The parts of a session's events: one for each unit that counts an event, as far as the target has
 * a place for it.
 */

/*
 * Does @unit count there? Tasks: every unit that is not tied to CPUs. CPUs: those of the unit's
 * mask, if it has one. A device counts in a place of its own, whatever the target is.
 */
bool nti_session_is_unit_at(const struct ntime_session *s, const struct nti_unit *unit,
			    struct nti_perf_where where)
{
	if (unit->kind == NTI_UNIT_DEVICE || nti_session_is_device_place(where))
		return unit->kind == NTI_UNIT_DEVICE && nti_session_is_device_place(where);
	if (where.pid != -1)
		return unit->kind != NTI_UNIT_UNCORE || !unit->cpus;
	return !unit->cpus ||
	       nti_set_has(&s->plan->unit[unit->number].cpus, (unsigned int)where.cpu);
}

/* Of units with parts: looking at what can be used is not free. 0 or -ENOMEM. */
static int make_units(struct ntime_session *s)
{
	size_t i, n = s->ctx->units.count;
	struct nti_session_unit *units = calloc(n + 1, sizeof(*units)), *u;

	if (!units)
		return -ENOMEM;
	for (i = 0; i < s->plan->parts; i++) {
		const struct nti_unit *unit = s->plan->part[i].part->unit;

		u = &units[unit->number];
		if (!u->unit) {
			u->unit = unit;
			u->limit = first_limit(s, unit);
			u->method = nti_session_method(s, unit);
		}
	}
	s->plan->unit = units;
	s->plan->units = n;
	/* Each CPU of the target is looked for in them. */
	for (u = units; u < units + n; u++) {
		if (u->unit && u->unit->cpus &&
		    nti_set_add_list(&u->cpus, u->unit->cpus, NTI_CPU_LIMIT) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

static bool is_unit_anywhere(const struct ntime_session *s, const struct nti_unit *unit)
{
	size_t i;

	for (i = 0; i < s->where_count; i++) {
		if (nti_session_is_unit_at(s, unit, s->where[i]))
			return true;
	}
	return false;
}

static int explain_no_place(const struct ntime_session *s, const struct nti_unit *unit,
			    struct nti_absence *out)
{
	if (nti_session_is_of_tasks(s))
		return nti_absence_set(
			out, NTIME_REASON_SCOPE, unit->name, "count the whole machine: -a",
			"%s counts for everything that runs, not for one program", unit->name);
	return nti_absence_set(out, NTIME_REASON_SCOPE, unit->name,
			       "add one of these CPUs, or count the whole machine: -a",
			       "%s is read on CPU %s only", unit->name, unit->cpus);
}

void nti_session_refuse(struct ntime_session *s, struct nti_session_part *p,
			const struct nti_absence *absent)
{
	struct nti_session_item *item = &s->item[p->item];

	p->is_refused = true;
	item->is_limited = false;
	nti_absence_fini(&item->absent);
	item->absent = *absent;
	nti_context_log(s->ctx, "%s: %s: %s",
			nti_method_get(nti_session_method(s, p->part->unit))->name, item->name,
			absent->reason);
}

static bool has_other_place(const struct ntime_session *s, size_t item)
{
	size_t i;

	for (i = 0; i < s->plan->parts; i++) {
		if (s->plan->part[i].item == item &&
		    is_unit_anywhere(s, s->plan->part[i].part->unit))
			return true;
	}
	return false;
}

/*
 * An event of several units counts on those that the target has: performance cores only, when only
 * their CPUs were asked for.
 */
static int refuse_what_has_no_place(struct ntime_session *s)
{
	struct nti_absence absent;
	size_t i;
	int ret;

	for (i = 0; i < s->plan->parts; i++) {
		struct nti_session_part *p = &s->plan->part[i];

		if (p->is_refused || is_unit_anywhere(s, p->part->unit))
			continue;
		p->is_refused = true;
		/* Of many boxes the first one speaks for all. */
		if (has_other_place(s, p->item) || nti_session_item_is_absent(&s->item[p->item]))
			continue;
		absent = (struct nti_absence){ 0 };
		ret = explain_no_place(s, p->part->unit, &absent);
		if (ret < 0)
			return ret;
		nti_session_refuse(s, p, &absent);
	}
	return 0;
}

static int make_parts(struct ntime_session *s)
{
	bool has_device = false;
	size_t i, k, n = 0;

	for (i = 0; i < s->items; i++)
		n += s->item[i].event.parts;
	s->plan->parts = 0;
	s->plan->part = calloc(n + 1, sizeof(*s->plan->part));
	if (!s->plan->part)
		return -ENOMEM;
	for (i = 0; i < s->items; i++) {
		struct nti_session_item *item = &s->item[i];

		if (nti_session_item_is_absent(item) || nti_session_item_is_free(item) ||
		    item->is_metric)
			continue;
		for (k = 0; k < item->event.parts; k++) {
			const struct nti_part *part = &item->event.part[k];

			has_device = has_device || part->unit->kind == NTI_UNIT_DEVICE;
			s->plan->part[s->plan->parts++] =
				(struct nti_session_part){ .part = part, .item = i };
		}
	}
	return has_device ? nti_session_add_device_place(s) : 0;
}

int nti_session_make_parts(struct ntime_session *s)
{
	int ret = make_parts(s);

	if (ret == 0)
		ret = make_units(s);
	return ret < 0 ? ret : refuse_what_has_no_place(s);
}

void nti_session_parts_fini(struct ntime_session *s)
{
	struct nti_session_plan *plan = s->plan;
	size_t i;

	for (i = 0; i < plan->units; i++)
		nti_set_fini(&plan->unit[i].cpus);
	free(plan->unit);
	free(plan->part);
	plan->unit = NULL;
	plan->part = NULL;
	plan->units = plan->parts = 0;
}
