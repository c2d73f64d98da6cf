// SPDX-License-Identifier: MIT
/*
 * The parts of a session's events: one for each unit that counts an event, as far as the target has
 * a place for it.
 */
#include <errno.h>
#include <stdlib.h>

#include "count/lib/count/plan.h"
#include "count/lib/count/session.h"
#include "count/lib/count/ways.h"

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
			u->limit = nti_session_first_limit(s, unit);
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
			nti_session_method_name(nti_session_method(s, p->part->unit)), item->name,
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
