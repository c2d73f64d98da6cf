// SPDX-License-Identifier: MIT
/*
 * Places of an open session, one by one: where each lies in the machine, which groups count there,
 * and which events are counted there or only at another place that shares the core, the cache or
 * the package with it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/machine/topology.h"
#include "lib/count/session.h"

static bool is_of_cpus(const struct ntime_session *s)
{
	return s->target.kind == NTIME_TARGET_CPUS || s->target.kind == NTIME_TARGET_MACHINE;
}

static void describe_place(const struct nti_topology *t, struct nti_perf_where place,
			   struct ntime_where_info *out)
{
	const struct ntime_cpu_info *cpu =
		t && place.cpu >= 0 ? nti_topology_cpu(t, (unsigned int)place.cpu) : NULL;

	*out = (struct ntime_where_info){
		.size = sizeof(*out),
		.pid = place.pid,
		.cpu = place.cpu,
		.core = cpu ? cpu->core : -1,
		.l3 = cpu ? cpu->l3 : -1,
		.package = cpu ? cpu->package : -1,
		.node = cpu ? cpu->node : -1,
	};
}

/* Groups were opened place after place. */
static void find_groups(const struct ntime_session *s, struct nti_session_rows *rows)
{
	size_t place, i = 0;

	for (place = 0; place < s->places; place++) {
		while (i < s->groups && s->group[i].place < place)
			i++;
		rows->first[place] = i;
	}
	rows->first[s->places] = s->groups;
}

/* State of marking one unit's places. */
struct where_walk {
	const struct ntime_session *s;
	const struct nti_topology *topology;
	unsigned char *has_unit; /* per domain, of which there are at most as many as CPUs */
};

/* The core, cache or package of @place that one instance of @unit is for; -1: not known. */
static int domain_of(const struct where_walk *w, const struct nti_unit *unit, size_t place)
{
	int cpu = w->s->place[place].cpu, domain;
	const struct ntime_cpu_info *info =
		w->topology && cpu >= 0 ? nti_topology_cpu(w->topology, (unsigned int)cpu) : NULL;

	if (!info)
		return -1;
	domain = nti_topology_domain(info, unit->scope);
	return (uint32_t)domain < w->topology->total.cpus ? domain : -1;
}

static void mark_places(struct where_walk *w, const struct nti_session_part *p, uint8_t *where)
{
	const struct nti_unit *unit = p->part->unit;
	size_t place, n = w->s->items;
	int domain;

	if (w->topology)
		memset(w->has_unit, 0, w->topology->total.cpus);
	for (place = 0; place < w->s->places; place++) {
		if (!nti_session_is_unit_at(unit, w->s->place[place]))
			continue;
		where[place * n + p->item] = NTI_HERE;
		domain = domain_of(w, unit, place);
		if (domain >= 0)
			w->has_unit[domain] = 1;
	}
	for (place = 0; place < w->s->places; place++) {
		domain = domain_of(w, unit, place);
		if (domain >= 0 && w->has_unit[domain] && !where[place * n + p->item])
			where[place * n + p->item] = NTI_ELSEWHERE;
	}
}

static int find_where(const struct ntime_session *s, const struct nti_topology *t,
		      struct nti_session_rows *rows)
{
	struct where_walk walk = { .s = s, .topology = t };
	size_t i;

	walk.has_unit = calloc(t ? t->total.cpus : 1, 1);
	if (!walk.has_unit)
		return -ENOMEM;
	for (i = 0; i < s->parts; i++) {
		if (!s->part[i].is_refused)
			mark_places(&walk, &s->part[i], rows->where);
	}
	free(walk.has_unit);
	return 0;
}

static void rows_free(struct nti_session_rows *rows)
{
	if (!rows)
		return;
	free(rows->place);
	free(rows->first);
	free(rows->where);
	free(rows->estimate);
	free(rows);
}

static int rows_new(struct ntime_session *s, const struct nti_topology *t,
		    struct nti_session_rows **out)
{
	struct nti_session_rows *rows = calloc(1, sizeof(*rows));
	size_t i, cells = s->places * s->items;
	int ret = -ENOMEM;

	if (!rows)
		return -ENOMEM;
	rows->place = calloc(s->places + 1, sizeof(*rows->place));
	rows->first = calloc(s->places + 1, sizeof(*rows->first));
	rows->where = calloc(cells + 1, sizeof(*rows->where));
	rows->estimate = calloc(cells + 1, sizeof(*rows->estimate));
	if (rows->place && rows->first && rows->where && rows->estimate)
		ret = find_where(s, t, rows);
	if (ret < 0) {
		rows_free(rows);
		return ret;
	}
	find_groups(s, rows);
	for (i = 0; i < s->places; i++)
		describe_place(t, s->place[i], &rows->place[i]);
	*out = rows;
	return 0;
}

int nti_session_rows_get(struct ntime_session *s, const struct nti_session_rows **out)
{
	const struct nti_topology *t = NULL;
	int ret = 0;

	if (!s->rows) {
		if (is_of_cpus(s)) {
			ret = nti_context_scopes(s->ctx);
			if (ret == 0)
				ret = nti_context_topology(s->ctx, &t);
		}
		if (ret == 0)
			ret = rows_new(s, t, &s->rows);
		if (ret < 0)
			return ret;
	}
	*out = s->rows;
	return 0;
}

void nti_session_rows_fini(struct ntime_session *s)
{
	rows_free(s->rows);
	s->rows = NULL;
}

size_t ntime_session_where_count(const struct ntime_session *s)
{
	return s->is_open ? s->places : 0;
}

int ntime_session_where(struct ntime_session *s, size_t i, struct ntime_where_info *out)
{
	const struct nti_session_rows *rows;
	int ret;

	if (!s->is_open || i >= s->places || out->size != sizeof(*out))
		return nti_error(&s->ctx->error, -EINVAL,
				 "a place is described after the session was opened, by its "
				 "number, in a struct ntime_where_info of this library's size");
	ret = nti_session_rows_get(s, &rows);
	if (ret == 0)
		*out = rows->place[i];
	return ret;
}
