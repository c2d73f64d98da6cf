// SPDX-License-Identifier: MIT
/*
 * The threads or CPUs of an open session: where each lies in the machine, which groups count there,
 * and which events are counted there or only on another one that shares the core, the cache or
 * the package with it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/count/doubt.h"
#include "count/lib/count/follow.h"
#include "count/lib/count/plan.h"
#include "count/lib/count/rows.h"
#include "count/lib/count/session.h"
#include "count/lib/machine/topology.h"

static void describe(const struct nti_topology *t, struct nti_perf_where where,
		     struct ntime_where_info *out)
{
	const struct nti_cpu *cpu =
		t && where.cpu >= 0 ? nti_topology_cpu(t, (unsigned int)where.cpu) : NULL;

	*out = (struct ntime_where_info){
		.size = sizeof(*out),
		.pid = where.pid,
		.cpu = where.cpu,
		.core = cpu ? cpu->core : -1,
		.l3 = cpu ? cpu->l3 : -1,
		.package = cpu ? cpu->package : -1,
		.node = cpu ? cpu->node : -1,
	};
}

/* Groups were opened in that order. */
static void find_groups(const struct ntime_session *s, struct nti_session_rows *rows)
{
	size_t at, i = 0;

	for (at = 0; at < s->where_count; at++) {
		while (i < s->groups.count && s->groups.group[i].at < at)
			i++;
		rows->first[at] = i;
	}
	rows->first[s->where_count] = s->groups.count;
}

/* State of marking where one unit counts. */
struct where_walk {
	const struct ntime_session *s;
	const struct nti_topology *topology;
	unsigned char *has_unit; /* per domain, of which there are at most as many as CPUs */
};

/* The core, cache or package of @at that one instance of @unit is for; -1: not known. */
static int domain_of(const struct where_walk *w, const struct nti_unit *unit, size_t at)
{
	int cpu = w->s->where[at].cpu, domain;
	const struct nti_cpu *info =
		w->topology && cpu >= 0 ? nti_topology_cpu(w->topology, (unsigned int)cpu) : NULL;

	if (!info)
		return -1;
	domain = nti_topology_domain(info, unit->scope);
	return (uint32_t)domain < w->topology->total.cpus ? domain : -1;
}

static void mark(struct where_walk *w, const struct nti_session_part *p, uint8_t *where)
{
	const struct nti_unit *unit = p->part->unit;
	size_t at, n = w->s->items;
	int domain;

	if (w->topology)
		memset(w->has_unit, 0, w->topology->total.cpus);
	for (at = 0; at < w->s->where_count; at++) {
		if (!nti_session_is_unit_at(w->s, unit, w->s->where[at]))
			continue;
		where[at * n + p->item] = NTI_HERE;
		domain = domain_of(w, unit, at);
		if (domain >= 0)
			w->has_unit[domain] = 1;
	}
	for (at = 0; at < w->s->where_count; at++) {
		domain = domain_of(w, unit, at);
		if (domain >= 0 && w->has_unit[domain] && !where[at * n + p->item])
			where[at * n + p->item] = NTI_ELSEWHERE;
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
	for (i = 0; i < s->plan->parts; i++) {
		if (!s->plan->part[i].is_refused)
			mark(&walk, &s->plan->part[i], rows->where);
	}
	free(walk.has_unit);
	return 0;
}

static void rows_free(struct nti_session_rows *rows)
{
	if (!rows)
		return;
	free(rows->info);
	free(rows->first);
	free(rows->where);
	free(rows->estimate);
	free(rows->seen);
	free(rows->moved);
	free(rows);
}

static bool is_off_line(const struct ntime_session *s, const struct nti_session_rows *rows,
			size_t at)
{
	size_t i;

	for (i = rows->first[at]; i < rows->first[at + 1]; i++)
		if (!s->groups.group[i].is_off)
			return false;
	return rows->first[at] < rows->first[at + 1];
}

static int rows_new(struct ntime_session *s, const struct nti_topology *t,
		    struct nti_session_rows **out)
{
	struct nti_session_rows *rows = calloc(1, sizeof(*rows));
	size_t i, cells = s->where_count * s->items;
	int ret = -ENOMEM;

	if (!rows)
		return -ENOMEM;
	rows->info = calloc(s->where_count + 1, sizeof(*rows->info));
	rows->first = calloc(s->where_count + 1, sizeof(*rows->first));
	rows->where = calloc(cells + 1, sizeof(*rows->where));
	rows->estimate = calloc(cells + 1, sizeof(*rows->estimate));
	rows->seen = calloc(cells + 1, sizeof(*rows->seen));
	rows->moved = calloc(s->where_count * s->doubts->checks + 1, sizeof(*rows->moved));
	if (rows->info && rows->first && rows->where && rows->estimate && rows->seen && rows->moved)
		ret = find_where(s, t, rows);
	if (ret < 0) {
		rows_free(rows);
		return ret;
	}
	rows->count = s->where_count;
	find_groups(s, rows);
	for (i = 0; i < s->where_count; i++)
		describe(t, s->where[i], &rows->info[i]);
	*out = rows;
	return 0;
}

static int rows_make(struct ntime_session *s, struct nti_session_rows **out)
{
	const struct nti_topology *t = NULL;
	int ret = 0;

	if (s->target.kind == NTIME_TARGET_CPUS || s->target.kind == NTIME_TARGET_MACHINE) {
		ret = nti_context_scopes(s->ctx);
		if (ret == 0)
			ret = nti_context_topology(s->ctx, &t);
	}
	return ret < 0 ? ret : rows_new(s, t, out);
}

static void copy_past(struct ntime_session *s, const struct nti_session_rows *old)
{
	struct nti_session_rows *rows = s->rows;

	memcpy(rows->estimate, old->estimate, old->count * s->items * sizeof(*old->estimate));
	memcpy(rows->seen, old->seen, old->count * s->items * sizeof(*old->seen));
	memcpy(rows->moved, old->moved, old->count * s->doubts->checks * sizeof(*old->moved));
}

/* Rows of fewer CPUs than the session has are of no use: they could not be made anew before. */
int nti_session_rows_get(struct ntime_session *s, const struct nti_session_rows **out)
{
	struct nti_session_rows *old = s->rows;
	int ret;

	if (!old || old->count != s->where_count) {
		ret = rows_make(s, &s->rows);
		if (ret < 0)
			return ret;
		/* What was learned of the old ones, which come first, stays. */
		if (old)
			copy_past(s, old);
		rows_free(old);
	}
	*out = s->rows;
	return 0;
}

int nti_session_rows_grow(struct ntime_session *s)
{
	const struct nti_session_rows *rows;

	return s->rows ? nti_session_rows_get(s, &rows) : 0;
}

void nti_session_rows_fini(struct ntime_session *s)
{
	rows_free(s->rows);
	s->rows = NULL;
}

size_t ntime_session_where_count(const struct ntime_session *s)
{
	return s->is_open ? s->where_count : 0;
}

int ntime_session_where(struct ntime_session *s, size_t i, struct ntime_where_info *out)
{
	const struct nti_session_rows *rows;
	int ret = nti_error_check_size(&s->ctx->error, "struct ntime_where_info", out->size,
				       sizeof(*out));

	if (ret < 0)
		return ret;
	if (!s->is_open || i >= s->where_count)
		return nti_error(&s->ctx->error, -EINVAL,
				 "open the session first; pass the number of one of its threads or "
				 "CPUs");
	ret = nti_session_rows_get(s, &rows);
	if (ret == 0)
		*out = rows->info[i];
	if (ret == 0 && s->hotplug->has_off)
		out->is_off_line = is_off_line(s, rows, i);
	return ret;
}
