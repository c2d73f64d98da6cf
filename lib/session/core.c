// SPDX-License-Identifier: MIT
/* Core PMUs through ntimefs: when, which counters there are, and which event may sit where. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/backend/ntimefs.h"
#include "lib/event/code.h"
#include "lib/session/session.h"

/* Fixed counters' place in a set of core/seq. */
#define FIXED 32

bool nti_session_is_through_core(const struct ntime_session *s, const struct nti_unit *unit)
{
	return s->is_via_ntimefs && unit && unit->kind == NTI_UNIT_CORE;
}

bool nti_session_can_change_way(struct ntime_session *s, const struct nti_unit *unit)
{
	const char *reason, *remedy;

	if (s->target.via != NTIME_VIA_AUTO || s->is_via_ntimefs ||
	    s->target.kind < NTIME_TARGET_CPUS || unit->kind != NTI_UNIT_CORE)
		return false;
	if (nti_ntimefs_probe(s->ctx->os, &reason, &remedy) < 0) {
		nti_context_log(s->ctx, "ntimefs: cannot count in perf's place: %s", reason);
		return false;
	}
	nti_context_log(s->ctx,
			"ntimefs: counts the events of %s: perf does not let this user count CPUs",
			unit->name);
	s->is_via_ntimefs = true;
	return true;
}

/* Counters as the planner numbers them, made a set of core/seq. */
static uint64_t seats_of(const struct nti_unit *unit, uint32_t counters)
{
	uint64_t seats = counters & ~nti_need_fixed(unit);
	unsigned int i;

	for (i = 0; i < unit->fixed; i++) {
		if (counters & nti_need_fixed_counter(unit, i))
			seats |= (uint64_t)1 << (FIXED + i);
	}
	return seats;
}

static uint32_t counters_of(const struct nti_unit *unit, uint64_t seats)
{
	uint32_t counters = (uint32_t)seats & ~nti_need_fixed(unit);
	unsigned int i;

	for (i = 0; i < unit->fixed && FIXED + i < 64; i++) {
		if (seats >> (FIXED + i) & 1)
			counters |= nti_need_fixed_counter(unit, i);
	}
	return counters;
}

/* The core PMUs cannot be had: what they were to count is absent. */
static int refuse_core(struct ntime_session *s, const struct nti_unit *unit, unsigned int cpu,
		       int error)
{
	size_t i;

	for (i = 0; i < s->parts; i++) {
		struct nti_absence absent = { 0 };
		int ret;

		if (s->part[i].is_refused || s->part[i].part->unit != unit)
			continue;
		ret = nti_core_explain(s->core, cpu, error, &absent);
		if (ret < 0)
			return ret;
		nti_session_refuse(s, &s->part[i], &absent);
	}
	return 0;
}

static bool has_parts(const struct ntime_session *s, const struct nti_unit *unit)
{
	size_t i;

	for (i = 0; i < s->parts; i++) {
		if (!s->part[i].is_refused && s->part[i].part->unit == unit)
			return true;
	}
	return false;
}

/* The PMU of @unit on each CPU of the target. What is free on all of them is what can be planned. */
static int take_unit(struct ntime_session *s, const struct nti_unit *unit, uint32_t *limit)
{
	uint64_t seats, all = UINT64_MAX;
	size_t i;
	int ret;

	for (i = 0; i < s->places; i++) {
		unsigned int cpu = (unsigned int)s->place[i].cpu;

		if (!nti_session_is_unit_at(unit, s->place[i]))
			continue;
		ret = nti_core_take(s->core, unit, cpu, &seats);
		if (ret == -ENOMEM)
			return ret;
		if (ret < 0)
			return refuse_core(s, unit, cpu, ret);
		all &= seats;
	}
	*limit = counters_of(unit, all);
	nti_context_log(s->ctx, "ntimefs: counters of %s that are ours: %#x", unit->name, *limit);
	return 0;
}

int nti_session_take_core(struct ntime_session *s)
{
	size_t i;
	int ret = 0;

	if (!s->is_via_ntimefs || s->core)
		return 0;
	ret = nti_core_new(s->ctx->os, &s->core);
	if (ret == 0)
		ret = nti_session_make_limits(s);
	for (i = 0; ret == 0 && i < s->ctx->units.count; i++) {
		const struct nti_unit *unit = &s->ctx->units.unit[i];

		if (unit->kind == NTI_UNIT_CORE && has_parts(s, unit))
			ret = take_unit(s, unit, &s->limit[i]);
	}
	return ret;
}

static int no_seat(const struct nti_session_group *g, struct nti_absence *absent)
{
	return nti_absence_set(absent, "count fewer events at once",
			       "no counter of %s that can count it is free", g->unit->name);
}

int nti_session_add_to_core(struct ntime_session *s, struct nti_session_part *p,
			    struct nti_session_group *g)
{
	struct nti_absence absent = { 0 };
	struct nti_code code;
	int ret = nti_code_of(&s->ctx->names, p->part, &code, &absent);

	if (ret == 0)
		ret = nti_core_group_add(g->core, &code, seats_of(g->unit, p->part->need.counters));
	if (ret == 0) {
		g->perf.count++;
		return 0;
	}
	if (ret == -ENOSPC && no_seat(g, &absent) < 0)
		ret = -ENOMEM;
	if (ret != -ENOTSUP && ret != -ENOSPC) {
		nti_absence_fini(&absent);
		return ret;
	}
	nti_session_refuse(s, p, &absent);
	return 1;
}
