// SPDX-License-Identifier: MIT
/* Which access method counts the events of a unit, decided for each session and unit. */
#include <errno.h>
#include <stdlib.h>

#include "count/lib/access/handle.h"
#include "count/lib/count/plan.h"
#include "count/lib/count/session.h"
#include "count/lib/count/ways.h"

const char *nti_session_method_name(enum nti_method method)
{
	return nti_method_get(method)->name;
}

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
	nti_context_log(s->ctx, "%s: cannot count %s: %s", nti_session_method_name(method),
			unit->name, why->reason);
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
			nti_session_method_name(next), unit->name,
			nti_session_method_name(*method));
	*method = next;
	return true;
}
