// SPDX-License-Identifier: MIT
/* Units that we count ourselves: which counters there are, and which event may sit where. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/access/handle.h"
#include "count/lib/count/plan.h"
#include "count/lib/count/session.h"
#include "count/lib/count/ways.h"

/* Fixed counters' place in a set of core/seq. */
#define FIXED 32

/*
 * The planner numbers counters from 0 to 31. Of a core PMU fixed counters come where
 * count/lib/event/need.c has them; of a box, which has one at most, it is the last one; a card has
 * none.
 */
#define BOX_FIXED 31

static uint64_t core_counters(const struct nti_unit *unit, uint32_t mask)
{
	uint64_t counters = mask & ~nti_need_fixed(unit);
	unsigned int i;

	for (i = 0; i < unit->fixed; i++) {
		if (mask & nti_need_fixed_counter(unit, i))
			counters |= (uint64_t)1 << (FIXED + i);
	}
	return counters;
}

static uint32_t core_mask(const struct nti_unit *unit, uint64_t counters)
{
	uint32_t mask = (uint32_t)counters & ~nti_need_fixed(unit);
	unsigned int i;

	for (i = 0; i < unit->fixed && FIXED + i < 64; i++) {
		if (counters >> (FIXED + i) & 1)
			mask |= nti_need_fixed_counter(unit, i);
	}
	return mask;
}

static uint32_t mask_of(const struct nti_unit *unit, uint64_t counters)
{
	if (unit->kind == NTI_UNIT_CORE)
		return core_mask(unit, counters);
	if (unit->card)
		return (uint32_t)counters;
	return ((uint32_t)counters & ~((uint32_t)1 << BOX_FIXED)) |
	       (uint32_t)(counters >> FIXED & 1) << BOX_FIXED;
}

/*
 * Counters of its PMU instance that can count @part; 0 also for what this way cannot count at all.
 */
uint64_t nti_session_counters(const struct nti_part *part)
{
	struct nti_pmu_need need;

	if (part->unit->kind == NTI_UNIT_CORE)
		return core_counters(part->unit, part->need.counters);
	return nti_pmu_need(part, &need) == 0 ? need.counters : 0;
}

uint32_t nti_session_fill_need(const struct ntime_session *s, const struct nti_session_part *p,
			       struct nti_plan_event *need)
{
	const struct nti_unit *unit = p->part->unit;
	uint32_t limit = s->plan->unit[unit->number].limit;
	struct nti_pmu_need box;

	if (unit->kind == NTI_UNIT_CORE) {
		need->counters = p->part->need.counters & limit;
		return 0;
	}
	if (nti_pmu_need(p->part, &box) < 0) {
		/* Why it cannot be counted is told when it is added to its group. */
		need->counters = limit;
		return 0;
	}
	need->counters = box.always_runs || box.is_beside ? 0 : mask_of(unit, box.counters) & limit;
	if (!need->counters)
		return 0;
	nti_pmu_add_wants(&box, need);
	return mask_of(unit, box.also);
}

bool nti_session_needs_no_counter(const struct nti_session_part *p)
{
	struct nti_pmu_need box;

	return p->part->unit->kind != NTI_UNIT_CORE &&
	       (nti_pmu_need(p->part, &box) < 0 || box.always_runs || box.is_beside);
}

bool nti_session_is_beside(const struct ntime_session *s, const struct nti_session_part *p)
{
	struct nti_pmu_need need;

	return p->part->unit->card && !p->is_refused && nti_session_is_direct(s, p->part->unit) &&
	       nti_pmu_need(p->part, &need) == 0 && need.is_beside;
}

int nti_session_explain_taken(struct ntime_session *s, const struct nti_session_part *p,
			      struct nti_absence *absent)
{
	const struct nti_unit *unit = p->part->unit;
	uint64_t counters = nti_session_counters(p->part);
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < s->where_count; i++) {
		if (nti_session_is_unit_at(s, unit, s->where[i]))
			ret = nti_pmus_explain_taken(s->pmus, unit, (unsigned int)s->where[i].cpu,
						     counters, absent);
	}
	if (ret)
		return ret < 0 ? ret : 0;
	return nti_absence_set(absent, NTIME_REASON_NOT_SUPPORTED, unit->name, "ntime list",
			       "%s has no counter that can count it", unit->name);
}

/* Its PMU instances cannot be had: what they were to count is absent. */
static int refuse_unit(struct ntime_session *s, const struct nti_unit *unit, unsigned int cpu,
		       int error)
{
	size_t i;

	for (i = 0; i < s->plan->parts; i++) {
		struct nti_absence absent = { 0 };
		int ret;

		if (s->plan->part[i].is_refused || s->plan->part[i].part->unit != unit)
			continue;
		ret = nti_pmus_explain(s->pmus, unit, cpu, error, &absent);
		if (ret < 0)
			return ret;
		nti_session_refuse(s, &s->plan->part[i], &absent);
	}
	return 0;
}

static bool has_parts(const struct ntime_session *s, const struct nti_unit *unit)
{
	size_t i;

	for (i = 0; i < s->plan->parts; i++) {
		if (!s->plan->part[i].is_refused && s->plan->part[i].part->unit == unit)
			return true;
	}
	return false;
}

/* Not an errno: the unit's way has changed, take it anew. */
#define AGAIN 1

static int take_failed(struct ntime_session *s, const struct nti_unit *unit, unsigned int cpu,
		       int error)
{
	int ret;

	if (error == -ENOMEM)
		return error;
	if ((error == -EACCES || error == -EPERM) && nti_session_can_change_method(s, unit)) {
		nti_pmus_give_back(s->pmus, unit);
		return AGAIN;
	}
	ret = refuse_unit(s, unit, cpu, error);
	nti_pmus_give_back(s->pmus, unit);
	return ret;
}

/*
 * The PMU instance of @unit on each CPU of the target. What is free on all of them is what can be
 * planned.
 */
static int take_unit(struct ntime_session *s, const struct nti_unit *unit, uint32_t *limit)
{
	enum nti_method method = nti_session_method(s, unit);
	uint64_t counters, all = UINT64_MAX;
	size_t i;
	int ret;

	for (i = 0; i < s->where_count; i++) {
		unsigned int cpu = (unsigned int)s->where[i].cpu;

		if (!nti_session_is_unit_at(s, unit, s->where[i]))
			continue;
		ret = nti_context_interrupted(s->ctx);
		if (ret < 0)
			return ret;
		ret = nti_pmus_take(s->pmus, unit, cpu, method, &counters);
		if (ret < 0)
			return take_failed(s, unit, cpu, ret);
		all &= counters;
	}
	*limit = mask_of(unit, all);
	nti_context_log(s->ctx, "%s: counters of %s that are ours: %#x",
			nti_method_get(method)->name, unit->name, *limit);
	return 0;
}

int nti_session_take_pmus(struct ntime_session *s)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < s->plan->units; i++) {
		struct nti_session_unit *u = &s->plan->unit[i];

		if (u->is_taken || !nti_session_is_direct(s, u->unit) || !has_parts(s, u->unit))
			continue;
		if (!s->pmus)
			ret = nti_pmus_new(s->ctx->os, s->target.context, &s->pmus);
		if (ret < 0)
			return ret;
		do {
			ret = take_unit(s, u->unit, &u->limit);
		} while (ret == AGAIN);
		u->is_taken = true;
	}
	return ret;
}

static bool has_group(const struct ntime_session *s, const struct nti_unit *unit)
{
	size_t i;

	for (i = 0; i < s->groups.count; i++) {
		if (s->groups.group[i].unit == unit)
			return true;
	}
	return false;
}

void nti_session_give_back_pmus(struct ntime_session *s)
{
	size_t i;

	for (i = 0; i < s->plan->units; i++) {
		if (s->plan->unit[i].is_taken && !has_group(s, s->plan->unit[i].unit))
			nti_pmus_give_back(s->pmus, s->plan->unit[i].unit);
	}
}

int nti_session_add_to_pmu(struct ntime_session *s, struct nti_session_part *p,
			   struct nti_session_group *g)
{
	struct nti_absence absent = { 0 };
	int ret = nti_pmu_group_add(g->direct, &s->ctx->names, p->part,
				    nti_session_counters(p->part), &absent);

	if (ret == 0) {
		g->perf.count++;
		return 0;
	}
	if (ret == -ENOSPC &&
	    nti_absence_set(&absent, NTIME_REASON_LIMIT, g->unit->name,
			    "count fewer events at once",
			    "no counter of %s that can count it is free", g->unit->name) < 0)
		ret = -ENOMEM;
	if (ret != -ENOTSUP && ret != -ENOSPC) {
		nti_absence_fini(&absent);
		return ret;
	}
	nti_session_refuse(s, p, &absent);
	return 1;
}

/* Which access method counts the events of a unit, decided for each session and unit. */

static bool reaches(const struct ntime_session *s, const struct nti_unit *unit,
		    enum nti_method method)
{
	if (method == NTI_METHOD_PERF)
		return unit->method == NTI_METHOD_PERF;
	return nti_unit_is_reached(s->ctx->os, unit, method);
}

/* perf is tried by opening: what it says of each event counts. */
static bool is_usable(const struct ntime_session *s, const struct nti_unit *unit,
		      enum nti_method method)
{
	const struct nti_why *why;

	if (!reaches(s, unit, method))
		return false;
	if (method == NTI_METHOD_PERF || nti_method_probe(s->ctx->os, method, &why) == 0)
		return true;
	nti_context_log(s->ctx, "%s: cannot count %s: %s", nti_method_get(method)->name, unit->name,
			why->reason);
	return false;
}

/*
 * The first method after @after that can be used; without one the first that reaches it at all,
 * which then says why not.
 */
static bool next_method(const struct ntime_session *s, const struct nti_unit *unit,
			enum nti_method after, enum nti_method *method)
{
	enum nti_method i;

	for (i = after; i < NTI_METHOD_COUNT; i++) {
		if (is_usable(s, unit, i)) {
			*method = i;
			return true;
		}
	}
	return false;
}

static enum nti_method first_reaching(const struct ntime_session *s, const struct nti_unit *unit)
{
	enum nti_method i;

	for (i = NTI_METHOD_PERF; i < NTI_METHOD_COUNT; i++) {
		if (reaches(s, unit, i))
			return i;
	}
	return unit->method;
}

static enum nti_method decide(const struct ntime_session *s, const struct nti_unit *unit)
{
	enum nti_method method, asked = nti_method_of_via(s->target.via);

	/* A device has one method, and counts itself whatever the target is. */
	if (unit->kind == NTI_UNIT_DEVICE)
		return unit->method;
	/* Registers count CPUs, and those of this machine. */
	if (unit->kind == NTI_UNIT_CLOCK || unit->kind == NTI_UNIT_PROC ||
	    s->target.kind < NTIME_TARGET_CPUS || s->ctx->os->is_simulated)
		return unit->method;
	if (asked < NTI_METHOD_COUNT && reaches(s, unit, asked))
		return asked;
	return next_method(s, unit, NTI_METHOD_PERF, &method) ? method : first_reaching(s, unit);
}

enum nti_method nti_session_method(const struct ntime_session *s, const struct nti_unit *unit)
{
	const struct nti_session_unit *u = s->plan->unit;

	if (!u)
		return decide(s, unit);
	return u[unit->number].unit ? u[unit->number].method : unit->method;
}

bool nti_session_is_direct(const struct ntime_session *s, const struct nti_unit *unit)
{
	return unit && s->plan->unit && nti_method_get(nti_session_method(s, unit))->ops;
}

bool nti_session_can_change_method(struct ntime_session *s, const struct nti_unit *unit)
{
	enum nti_method *method = &s->plan->unit[unit->number].method, next;

	if (s->target.via != NTIME_VIA_AUTO || s->target.kind < NTIME_TARGET_CPUS)
		return false;
	if (!next_method(s, unit, *method + 1, &next))
		return false;
	nti_context_log(s->ctx, "%s: counts the events of %s: %s does not let this user",
			nti_method_get(next)->name, unit->name, nti_method_get(*method)->name);
	*method = next;
	return true;
}
