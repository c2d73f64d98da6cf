// SPDX-License-Identifier: MIT
/* Which way in counts the events of a unit, decided for each session and unit. */
#include <errno.h>
#include <stdlib.h>

#include "lib/access/lender.h"
#include "lib/count/session.h"

/* In the order of trying: the kernel knows who else counts, the driver keeps others away and puts all back, claims are only advice. */
static const enum nti_way order[] = { NTI_WAY_PERF, NTI_WAY_NTIMEFS, NTI_WAY_MSR, NTI_WAY_PCI };

static const struct way_row {
	const char *name;
	uint32_t via; /* enum ntime_via that asks for it; NTIME_VIA_AUTO: none */
} way_rows[] = {
	[NTI_WAY_PERF] = { "perf", NTIME_VIA_PERF },
	[NTI_WAY_CLOCK] = { "clock", NTIME_VIA_AUTO },
	[NTI_WAY_NTIMEFS] = { "ntimefs", NTIME_VIA_NTIMEFS },
	[NTI_WAY_MSR] = { "msr", NTIME_VIA_MSR },
	[NTI_WAY_PCI] = { "pci", NTIME_VIA_PCI },
};

const char *nti_session_way_name(enum nti_way way)
{
	return way_rows[way].name;
}

static bool reaches(const struct ntime_session *s, const struct nti_unit *unit, enum nti_way way)
{
	if (way == NTI_WAY_PERF)
		return unit->way == NTI_WAY_PERF;
	return nti_unit_is_reached(s->ctx->os, unit, way);
}

/* perf is tried by opening: what it says of each event counts. */
static bool is_usable(const struct ntime_session *s, const struct nti_unit *unit, enum nti_way way)
{
	const char *reason, *remedy;

	if (!reaches(s, unit, way))
		return false;
	if (way == NTI_WAY_PERF || nti_lender_probe(s->ctx->os, way, &reason, &remedy) == 0)
		return true;
	nti_context_log(s->ctx, "%s: cannot count %s: %s", nti_session_way_name(way), unit->name,
			reason);
	return false;
}

/* The first of the ways behind @after that can be used; without one the first that reaches it at all, which then says why not. */
static bool next_way(const struct ntime_session *s, const struct nti_unit *unit, size_t after,
		     enum nti_way *way)
{
	size_t i;

	for (i = after; i < NTI_ARRAY_SIZE(order); i++) {
		if (is_usable(s, unit, order[i])) {
			*way = order[i];
			return true;
		}
	}
	return false;
}

static enum nti_way first_reaching(const struct ntime_session *s, const struct nti_unit *unit)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(order); i++) {
		if (reaches(s, unit, order[i]))
			return order[i];
	}
	return unit->way;
}

static enum nti_way decide(const struct ntime_session *s, const struct nti_unit *unit)
{
	enum nti_way way;
	size_t i;

	/* Registers count CPUs, and those of this machine. */
	if (unit->way == NTI_WAY_CLOCK || s->target.kind < NTIME_TARGET_CPUS ||
	    s->ctx->os->is_replay)
		return unit->way;
	for (i = 0; i < NTI_ARRAY_SIZE(order); i++) {
		if (s->target.via == way_rows[order[i]].via && reaches(s, unit, order[i]))
			return order[i];
	}
	return next_way(s, unit, 0, &way) ? way : first_reaching(s, unit);
}

static size_t index_of(const struct ntime_session *s, const struct nti_unit *unit)
{
	return (size_t)(unit - s->ctx->units.unit);
}

enum nti_way nti_session_way(const struct ntime_session *s, const struct nti_unit *unit)
{
	return s->way ? s->way[index_of(s, unit)] : decide(s, unit);
}

bool nti_session_is_own(const struct ntime_session *s, const struct nti_unit *unit)
{
	return unit && s->way && nti_session_way(s, unit) >= NTI_WAY_NTIMEFS;
}

static bool has_parts(const struct ntime_session *s, const struct nti_unit *unit)
{
	size_t i;

	for (i = 0; i < s->parts; i++) {
		if (s->part[i].part->unit == unit)
			return true;
	}
	return false;
}

int nti_session_decide_ways(struct ntime_session *s)
{
	size_t i, n = s->ctx->units.count;

	if (s->way)
		return 0;
	s->way = calloc(n + 1, sizeof(*s->way));
	if (!s->way)
		return -ENOMEM;
	/* Only where something is to be counted: looking at what can be used is not free. */
	for (i = 0; i < n; i++) {
		const struct nti_unit *unit = &s->ctx->units.unit[i];

		s->way[i] = has_parts(s, unit) ? decide(s, unit) : unit->way;
	}
	return 0;
}

bool nti_session_can_change_way(struct ntime_session *s, const struct nti_unit *unit)
{
	enum nti_way *way = &s->way[index_of(s, unit)], next;
	size_t at = 0;

	if (s->target.via != NTIME_VIA_AUTO || s->target.kind < NTIME_TARGET_CPUS)
		return false;
	while (order[at] != *way)
		at++;
	if (!next_way(s, unit, at + 1, &next))
		return false;
	nti_context_log(s->ctx, "%s: counts the events of %s: %s does not let this user",
			nti_session_way_name(next), unit->name, nti_session_way_name(*way));
	*way = next;
	return true;
}
