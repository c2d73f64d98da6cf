// SPDX-License-Identifier: MIT
/* Sums of what a session counts, which never fall. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/command/wait.h"
#include "base/output/memory.h"
#include "count/cli/export/sums.h"
#include "count/cli/report/tally.h"

static int read_values(struct cli_export_sums *s, struct ntime_session *session)
{
	int ret = ntime_session_read_where(session, s->now, s->items, s->where_count);

	return ret < 0 ? ret : 0;
}

/* Do both have the same CPU, core, ...: a part of the machine of @scope? */
static bool is_together(uint32_t scope, const struct ntime_where_info *a,
			const struct ntime_where_info *b)
{
	switch (scope) {
	case NTIME_SCOPE_CPU:
		return a->cpu == b->cpu;
	case NTIME_SCOPE_CORE:
		return a->core == b->core;
	case NTIME_SCOPE_L3:
		return a->l3 == b->l3;
	case NTIME_SCOPE_PACKAGE:
		return a->package == b->package;
	default:
		return true;
	}
}

static void arrange(struct cli_export_sums *s)
{
	for (uint32_t scope = 0; scope <= NTIME_SCOPE_MACHINE; scope++) {
		s->first[scope] = cli_realloc(s->first[scope], s->where_count + 1, sizeof(size_t));
		for (size_t i = 0, k; i < s->where_count; i++) {
			for (k = 0; !is_together(scope, &s->where[k], &s->where[i]); k++)
				;
			s->first[scope][i] = k;
		}
	}
}

/* Where everything is counted now. 0 or -errno. */
static int learn_places(struct cli_export_sums *s, struct ntime_session *session)
{
	for (size_t i = 0; i < s->where_count; i++) {
		struct ntime_where_info *where = &s->where[i], before = *where;
		int ret;

		*where = (struct ntime_where_info){ .size = sizeof(*where) };
		ret = ntime_session_where(session, i, where);
		if (ret < 0)
			return ret;
		/* Series keep their labels: numbers of cores change where CPUs come. */
		if (before.size && before.package >= 0) {
			before.is_off_line = where->is_off_line;
			*where = before;
		}
		if (!where->is_off_line)
			s->off_ns[i] = 0;
		else if (!s->off_ns[i])
			s->off_ns[i] = cli_now_ns();
	}
	arrange(s);
	return 0;
}

/* @n objects of @bytes, of which there were @had: the new ones are 0. */
static void *grown(void *old, size_t had, size_t n, size_t bytes)
{
	char *all = cli_realloc(old, n + 1, bytes);

	memset(all + had * bytes, 0, (n + 1 - had) * bytes);
	return all;
}

static void grow(struct cli_export_sums *s, struct ntime_session *session)
{
	size_t had = s->where_count, n = ntime_session_where_count(session);

	s->sum = grown(s->sum, had * s->items, n * s->items, sizeof(*s->sum));
	s->last = grown(s->last, had * s->items, n * s->items, sizeof(*s->last));
	s->now = grown(s->now, had * s->items, n * s->items, sizeof(*s->now));
	s->where = grown(s->where, had, n, sizeof(*s->where));
	s->off_ns = grown(s->off_ns, had, n, sizeof(*s->off_ns));
	s->where_count = n;
}

int cli_export_sums_begin(struct cli_export_sums *s, struct ntime_session *session)
{
	int ret;

	s->items = ntime_session_count(session);
	grow(s, session);
	ret = learn_places(s, session);
	if (!ret)
		ret = read_values(s, session);
	memcpy(s->last, s->now, s->items * s->where_count * sizeof(*s->last));
	return ret;
}

bool cli_export_steps_add(struct cli_export_steps *sum, uint64_t whole, double rest)
{
	rest += sum->rest;
	whole += (uint64_t)rest;
	sum->whole += whole;
	sum->rest = rest - floor(rest);
	return sum->whole >= whole;
}

/* Of what is missing, or wrong, nobody knows how much it was. */
#define OPEN                                                                                       \
	(NTIME_OVERFLOWED | NTIME_LOST | NTIME_GONE | NTIME_PARTIAL | NTIME_HOTPLUG |              \
	 NTIME_IMPLAUSIBLE)

/*
 * Add what happened between two reads. False: it was not counted meanwhile, and what is read next
 * stands for this time too.
 */
static bool add(struct cli_export_sum *sum, const struct ntime_value *v)
{
	sum->flags |= v->flags;
	sum->is_estimated |= (v->flags & (NTIME_SCALED | NTIME_BOUNDED)) == NTIME_SCALED;
	sum->is_open = sum->is_open || v->flags & OPEN || !isfinite(v->above);
	/* What the kernel took back is lost, and it goes on from there. */
	if (v->flags & NTIME_NOT_COUNTED && !cli_value_is_lost(v))
		return false;
	if (!(v->flags & NTIME_ELSEWHERE))
		sum->wanted_ns += v->wanted_ns;
	if (v->flags & (NTIME_ABSENT | NTIME_ELSEWHERE | NTIME_NOT_COUNTED))
		return true;
	sum->counted_ns += v->counted_ns;
	/* What cannot be right is told, and not added. */
	if (isnan(v->value) || v->flags & NTIME_IMPLAUSIBLE)
		return true;
	sum->has_number = true;
	for (enum cli_export_end end = 0; end < CLI_EXPORT_ENDS; end++) {
		const double side[] = { 0, -v->below, sum->is_open ? 0 : v->above };
		bool is_scaled = v->flags & NTIME_SCALED;

		if (!cli_export_steps_add(&sum->end[end], is_scaled ? 0 : v->count,
					  is_scaled ? (v->value + side[end]) / v->scale : 0))
			sum->is_open = true;
	}
	return true;
}

static void set_state(struct cli_export_sum *sum, const struct ntime_value *v)
{
	sum->flags = v->flags;
	sum->has_number = !isnan(v->value) && !(v->flags & NTIME_IMPLAUSIBLE);
	sum->state = v->value;
}

int cli_export_sums_follow(struct cli_export_sums *s, struct ntime_session *session)
{
	int ret = ntime_session_follow(session);

	if (ret <= 0)
		return ret;
	grow(s, session);
	return learn_places(s, session);
}

int cli_export_sums_read(struct cli_export_sums *s, struct ntime_session *session,
			 const struct cli_row_item *item)
{
	struct ntime_value delta;
	/* Before they are read: a CPU that was away meanwhile is to show it. */
	int ret = cli_export_sums_follow(s, session);

	if (!ret)
		ret = read_values(s, session);
	if (ret)
		return ret;
	for (size_t i = 0; i < s->where_count * s->items; i++) {
		if (item[i % s->items].info.is_state) {
			set_state(&s->sum[i], &s->now[i]);
			continue;
		}
		ntime_value_delta(&s->last[i], &s->now[i], &delta);
		if (add(&s->sum[i], &delta))
			s->last[i] = s->now[i];
	}
	return 0;
}

void cli_export_sums_fini(struct cli_export_sums *s)
{
	for (uint32_t scope = 0; scope <= NTIME_SCOPE_MACHINE; scope++)
		free(s->first[scope]);
	free(s->sum);
	free(s->last);
	free(s->now);
	free(s->where);
	free(s->off_ns);
	*s = (struct cli_export_sums){ 0 };
}
