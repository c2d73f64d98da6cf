// SPDX-License-Identifier: MIT
/*
 * CPUs that come and go while a session counts them.
 *
 * A group whose CPU went is off: its counters are closed and its reading stays what it is. When the
 * CPU is back the same group opens counters again, which begin at 0, and what was counted before is
 * added to them. A CPU that was never there before becomes the last one of the session, with groups
 * like those of another CPU that has the same units.
 *
 * The kernel ends counters with their CPU, and says nothing when that is back between two looks.
 * Two files of sysfs tell: uevent_seqnum, which moves with each CPU that comes or goes and is all
 * that is asked while it stands still, and a CPU's directory "topology", which is made anew each
 * time it comes and has another inode then (Linux 6.1: lib/kobject_uevent.c, drivers/base/
 * topology.c, fs/kernfs/dir.c; looked at on 6.1 and 6.12). How long a CPU was on line between two
 * looks in which one of them changed, nobody knows: no longer than that, and that is what is said.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"
#include "base/common/text.h"
#include "count/lib/count/follow.h"
#include "count/lib/count/plan.h"
#include "count/lib/count/reader.h"
#include "count/lib/count/rotate.h"
#include "count/lib/count/rows.h"
#include "count/lib/count/session.h"
#include "count/lib/count/ways.h"
#include "count/lib/machine/topology.h"

#define SENTENCE_TAIL                                                                              \
	", so this covers the time in which each CPU was on line and that had been noticed"
#define TOPOLOGY "/sys/devices/system/cpu/cpu%d/topology"
#define STATE "/sys/devices/system/cpu/cpu%d/hotplug/state"
#define EVENTS "/sys/kernel/uevent_seqnum"

bool nti_session_is_on_line(struct ntime_session *s, int cpu)
{
	char online[4096];

	return nti_context_online(s->ctx, online, sizeof(online)) < 0 ||
	       nti_text_list_has(online, (unsigned int)cpu);
}

/* What the directory of @cpu is, which is another one once it was away; 0: not known. */
static uint64_t identity_of(const struct ntime_session *s, int cpu)
{
	char path[NTI_SYSFS_PATH_BYTES];
	uint64_t identity;

	(void)snprintf(path, sizeof(path), TOPOLOGY, cpu);
	return s->ctx->os->ops->identity(s->ctx->os, path, &identity) < 0 ? 0 : identity;
}

/* How far the kernel is in taking @cpu on line; UINT64_MAX: not known. */
static uint64_t state_of(const struct ntime_session *s, int cpu)
{
	uint64_t state;

	return nti_os_u64(s->ctx->os, &state, STATE, cpu) == 0 ? state : UINT64_MAX;
}

bool nti_session_is_changing(struct ntime_session *s, int cpu)
{
	return state_of(s, cpu) < s->hotplug->settled;
}

static void note_change(struct ntime_session *s, int cpu, const char *what)
{
	s->hotplug->has_changed = true;
	(void)snprintf(s->hotplug->why_changed, sizeof(s->hotplug->why_changed),
		       "CPU %d %s" SENTENCE_TAIL, cpu, what);
	nti_context_log(s->ctx, "CPU %d %s", cpu, what);
}

const char *nti_session_why_hotplug(const struct ntime_session *s, size_t item)
{
	size_t i, k;

	for (i = 0; *s->hotplug->why_changed && i < s->groups.count; i++) {
		const struct nti_session_group *g = &s->groups.group[i];

		for (k = 0; g->hotplugs && k < g->perf.count; k++) {
			if (s->plan->part[g->part[k]].item == item)
				return s->hotplug->why_changed;
		}
	}
	return NULL;
}

/* Until @now_ns the CPU of @g may have been on line since it was seen last. */
static void miss_until(struct nti_session_group *g, uint64_t now_ns)
{
	if (now_ns <= g->seen_ns)
		return;
	g->missed_ns += now_ns - g->seen_ns;
	g->seen_ns = now_ns;
}

/* Temperatures and the like do not add up: the CPU has the one that it has now. */
static bool adds_up(const struct ntime_session *s, const struct nti_session_group *g, size_t k)
{
	const struct nti_event *event = &s->item[s->plan->part[g->part[k]].item].event;

	return !event->is_state && event->together == NTI_SUM;
}

void nti_session_add_before(const struct ntime_session *s, const struct nti_session_group *g,
			    const struct nti_perf_reading *r, struct nti_perf_reading *out)
{
	const struct nti_perf_reading *before = g->before;
	size_t k;

	out->members = r->members;
	out->enabled_ns = r->enabled_ns + (before ? before->enabled_ns : 0);
	out->running_ns = r->running_ns + (before ? before->running_ns : 0);
	out->overflowed = r->overflowed | (before ? before->overflowed : 0);
	out->lost = r->lost | (before ? before->lost : 0);
	out->missing = r->missing;
	for (k = 0; k < g->perf.count; k++)
		out->count[k] = r->count[k] + (before && adds_up(s, g, k) ? before->count[k] : 0);
}

/* Close what perf has open; how many members there are is known as before. */
static void close_perf(struct ntime_session *s, struct nti_session_group *g)
{
	size_t members = g->perf.count;

	if (g->direct)
		return;
	nti_perf_group_fini(s->ctx->os, &g->perf);
	g->perf.count = members;
}

/* A group that is whole is read as one: each of its members would show what the first one has. */
static int read_last(struct ntime_session *s, struct nti_session_group *g,
		     struct nti_perf_reading *out)
{
	int ret;

	/* perf says nothing of what may be lost. */
	memset(out, 0, sizeof(*out));
	ret = nti_perf_group_read(s->ctx->os, &g->perf, out);
	return ret == -ESTALE ? nti_perf_group_read_apart(s->ctx->os, &g->perf, out) : ret;
}

void nti_session_lose_group(struct ntime_session *s, size_t i)
{
	struct nti_session_group *g = &s->groups.group[i];
	struct nti_perf_reading last;
	uint64_t end_ns;

	/* Registers of a CPU that is off line cannot be read: its last reading is what there is. */
	if (g->direct)
		nti_pmu_group_set_away(g->direct);
	else if (read_last(s, g, &last) == 0)
		nti_session_add_before(s, g, &last, &s->groups.reading[i]);
	end_ns = g->begin_ns + s->groups.reading[i].enabled_ns -
		 (g->before ? g->before->enabled_ns : 0);
	/* Counters that take turns stood still before, and were seen to be well. */
	if (end_ns > g->seen_ns || !s->rotation->is_by_pass)
		g->seen_ns = end_ns;
	miss_until(g, nti_session_real_ns(s));
	close_perf(s, g);
	g->is_off = true;
	g->is_late = false;
	g->hotplugs++;
	s->hotplug->has_off = true;
	note_change(s, g->perf.where.cpu, "went off line");
}

/* ---- counters on a CPU that came ---- */

static int open_perf(struct ntime_session *s, struct nti_session_group *g)
{
	size_t k, members = g->perf.count;
	int ret = 0;

	nti_perf_group_init(&g->perf, g->perf.where);
	for (k = 0; ret == 0 && k < members; k++) {
		struct perf_event_attr attr = nti_session_attr(s, &s->plan->part[g->part[k]]);

		ret = nti_perf_group_add(s->ctx->os, &g->perf, &attr);
	}
	if (ret < 0)
		nti_perf_group_fini(s->ctx->os, &g->perf);
	g->perf.count = members;
	return ret;
}

static int open_direct(struct ntime_session *s, struct nti_session_group *g)
{
	struct nti_absence absent = { 0 };
	unsigned int cpu = (unsigned int)g->perf.where.cpu;
	uint64_t counters;
	size_t k;
	int ret = nti_pmus_take(s->pmus, g->unit, cpu, nti_session_method(s, g->unit), &counters);

	if (ret < 0)
		return ret;
	g->direct = nti_pmu_group_new(s->pmus, g->unit, cpu);
	if (!g->direct)
		return -ENOMEM;
	for (k = 0; ret == 0 && k < g->perf.count; k++) {
		const struct nti_part *part = s->plan->part[g->part[k]].part;

		ret = nti_pmu_group_add(g->direct, &s->ctx->names, part, nti_session_counters(part),
					&absent);
	}
	nti_absence_fini(&absent);
	if (ret < 0) {
		nti_pmu_group_free(g->direct);
		g->direct = NULL;
	}
	return ret;
}

/*
 * What the group of @unit on @cpu had of registers is given back, all of its groups at once: their
 * CPU was off line, and nothing counts there any more.
 */
static void forget_direct(struct ntime_session *s, const struct nti_unit *unit, int cpu)
{
	bool had_any = false;
	size_t i;

	for (i = 0; i < s->groups.count; i++) {
		struct nti_session_group *g = &s->groups.group[i];

		if (g->unit != unit || g->perf.where.cpu != cpu || !g->direct)
			continue;
		nti_pmu_group_free(g->direct);
		g->direct = NULL;
		had_any = true;
	}
	if (had_any)
		nti_pmus_forget(s->pmus, unit, (unsigned int)cpu);
}

/* What was counted so far is kept apart: the new counters begin at 0. 0 or -ENOMEM. */
static int keep_before(struct nti_session_group *g, const struct nti_perf_reading *reading)
{
	if (!g->before)
		g->before = malloc(sizeof(*g->before));
	if (!g->before)
		return -ENOMEM;
	*g->before = *reading;
	return 0;
}

/* What open_perf() or open_direct() has opened is started. 0 or -errno: then it is closed. */
static int begin_group(struct ntime_session *s, struct nti_session_group *g)
{
	int ret = s->clock.is_running && nti_session_is_current(s, g)
			  ? nti_session_group_enable(s, g)
			  : 0;

	if (ret == 0)
		return 0;
	close_perf(s, g);
	nti_pmu_group_free(g->direct);
	g->direct = NULL;
	return ret;
}

/* 0: its counters count; -ENOMEM; 1: they cannot be had, which may change. */
static int open_group(struct ntime_session *s, size_t i)
{
	struct nti_session_group *g = &s->groups.group[i];
	int ret = keep_before(g, &s->groups.reading[i]);

	/* Before: should the CPU go now, it is another one afterwards. */
	s->hotplug->identity[g->at] = identity_of(s, g->perf.where.cpu);
	if (ret == 0)
		ret = nti_session_is_direct(s, g->unit) ? open_direct(s, g) : open_perf(s, g);
	if (ret == 0)
		ret = begin_group(s, g);
	if (ret < 0) {
		/* Somebody else has its counters, or the CPU goes already: the sum lacks them. */
		g->is_late = true;
		return ret == -ENOMEM ? ret : 1;
	}
	g->is_off = g->is_late = g->was_off_line = g->has_last = false;
	g->begin_ns = nti_session_real_ns(s);
	miss_until(g, g->begin_ns);
	g->hotplugs++;
	note_change(s, g->perf.where.cpu, "came on line");
	return 0;
}

static bool is_here(const struct ntime_session *s, const struct nti_session_group *g)
{
	return g->perf.where.cpu < 0 ||
	       nti_set_has(&s->hotplug->online, (unsigned int)g->perf.where.cpu);
}

/* Groups that are off and whose CPU is there count again. 0 or -ENOMEM. */
static int open_groups(struct ntime_session *s)
{
	bool has_off = false;
	size_t i;
	int ret;

	for (i = 0; s->hotplug->has_off && i < s->groups.count; i++) {
		struct nti_session_group *g = &s->groups.group[i];

		if (g->is_off && g->direct && is_here(s, g) &&
		    !nti_session_is_changing(s, g->perf.where.cpu))
			forget_direct(s, g->unit, g->perf.where.cpu);
	}
	for (i = 0; s->hotplug->has_off && i < s->groups.count; i++) {
		if (!s->groups.group[i].is_off)
			continue;
		/* What is opened on a CPU that goes just now would stay in its registers. */
		ret = is_here(s, &s->groups.group[i]) &&
				      !nti_session_is_changing(s, s->groups.group[i].perf.where.cpu)
			      ? open_group(s, i)
			      : 1;
		if (ret < 0)
			return ret;
		has_off = has_off || ret;
	}
	s->hotplug->has_off = has_off;
	return 0;
}

/* ---- CPUs that were never there before ---- */

struct new_cpus {
	struct ntime_session *s;
	struct nti_set known;
	bool has_new;
};

/* The unit of the kernel's counts on @cpu by now: its list of CPUs has changed with them. */
static int look_at_list(struct ntime_session *s, const struct nti_unit *unit, unsigned int cpu)
{
	bool is_core = unit->kind == NTI_UNIT_CORE;
	struct nti_set now = { 0 };
	size_t i, live = 0, listed = 0;
	char *list;
	int ret = nti_os_dup(s->ctx->os, &list, NTI_SYSFS_DEVICES "/%s/%s", unit->name,
			     is_core ? "cpus" : "cpumask");

	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	ret = nti_set_add_list(&now, list, NTI_CPU_LIMIT);
	free(list);
	for (i = 0; i < NTI_CPU_LIMIT; i++)
		listed += nti_set_has(&now, (unsigned int)i);
	for (i = 0; i < s->where_count; i++)
		live += s->where[i].cpu >= 0 &&
			nti_set_has(&s->hotplug->online, (unsigned int)s->where[i].cpu) &&
			nti_session_is_unit_at(s, unit, s->where[i]);
	/*
	 * A box whose CPU went is read on another one of its package, in the same counters: only
	 * where there are more than before is one of them new.
	 */
	if (ret == 0 && nti_set_has(&now, cpu) && (is_core || listed > live))
		ret = nti_set_add(&s->plan->unit[unit->number].cpus, cpu);
	nti_set_fini(&now);
	return ret == -ENOMEM ? ret : 0;
}

static int learn_units(struct ntime_session *s, unsigned int cpu)
{
	const struct nti_perf_where where = { .pid = -1, .cpu = (int)cpu };
	const struct nti_unit *last = NULL;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < s->plan->parts; i++) {
		const struct nti_unit *unit = s->plan->part[i].part->unit;

		if (unit == last || s->plan->part[i].is_refused || !unit->cpus ||
		    nti_session_is_unit_at(s, unit, where))
			continue;
		last = unit;
		ret = look_at_list(s, unit, cpu);
	}
	return ret;
}

/* The first CPU with groups of @unit has them all; its groups are models for those of others. */
static bool is_model(const struct ntime_session *s, const struct nti_session_group *g)
{
	size_t i;

	for (i = 0; i < s->groups.count && s->groups.group[i].unit != g->unit; i++)
		;
	return i < s->groups.count && s->groups.group[i].at == g->at;
}

static int add_like(struct ntime_session *s, size_t model, size_t at)
{
	struct nti_session_group *g;
	struct nti_perf_reading *readings;
	size_t *part;

	readings = realloc(s->groups.reading, (s->groups.count + 2) * sizeof(*readings));
	if (!readings)
		return -ENOMEM;
	s->groups.reading = readings;
	if (!nti_grow(&s->groups.group, s->groups.count))
		return -ENOMEM;
	part = malloc(NTI_PERF_GROUP_MAX * sizeof(*part));
	if (!part)
		return -ENOMEM;
	memcpy(part, s->groups.group[model].part, NTI_PERF_GROUP_MAX * sizeof(*part));
	memset(&readings[s->groups.count], 0, sizeof(*readings));
	g = &s->groups.group[s->groups.count++];
	*g = (struct nti_session_group){ .unit = s->groups.group[model].unit,
					 .pass = s->groups.group[model].pass,
					 .is_in_every_pass =
						 s->groups.group[model].is_in_every_pass,
					 .had_turn = s->groups.group[model].had_turn,
					 .at = at,
					 .part = part,
					 .seen_ns = s->hotplug->looked_ns,
					 .is_off = true };
	nti_perf_group_init(&g->perf, s->where[at]);
	g->perf.count = s->groups.group[model].perf.count;
	s->hotplug->has_off = true;
	return 0;
}

/* One more place, with groups that are off: open_groups() opens them. */
static int add_cpu(struct ntime_session *s, unsigned int cpu)
{
	uint64_t *enabled_ns, *identity;
	size_t i, at = s->where_count, groups = s->groups.count;
	int ret;

	if (!nti_grow(&s->where, at))
		return -ENOMEM;
	enabled_ns = realloc(s->groups.pass_enabled_ns, (at + 2) * sizeof(*enabled_ns));
	if (!enabled_ns)
		return -ENOMEM;
	s->groups.pass_enabled_ns = enabled_ns;
	identity = realloc(s->hotplug->identity, (at + 1) * sizeof(*identity));
	if (!identity)
		return -ENOMEM;
	s->hotplug->identity = identity;
	identity[at] = identity_of(s, (int)cpu);
	ret = learn_units(s, cpu);
	if (ret < 0)
		return ret;
	s->where[at] = (struct nti_perf_where){ .pid = -1, .cpu = (int)cpu };
	s->where_count++;
	for (i = 0; ret == 0 && i < groups; i++) {
		if (is_model(s, &s->groups.group[i]) &&
		    nti_session_is_unit_at(s, s->groups.group[i].unit, s->where[at]))
			ret = add_like(s, i, at);
	}
	/* A CPU that has some of its groups would count too little; the next call tries again. */
	if (ret < 0) {
		while (s->groups.count > groups)
			free(s->groups.group[--s->groups.count].part);
		s->where_count--;
	}
	return ret;
}

static int add_if_new(void *arg, unsigned int cpu)
{
	struct new_cpus *n = arg;

	if (nti_set_has(&n->known, cpu))
		return 0;
	n->has_new = true;
	return add_cpu(n->s, cpu);
}

/* CPUs of @online that the session has never had. 0 or -errno. */
static int add_new_cpus(struct ntime_session *s, const char *online)
{
	struct new_cpus n = { .s = s };
	size_t i, where_count = s->where_count;
	int ret = 0;

	for (i = 0; ret == 0 && i < where_count; i++) {
		if (s->where[i].cpu >= 0)
			ret = nti_set_add(&n.known, (unsigned int)s->where[i].cpu);
	}
	if (ret == 0)
		ret = nti_text_for_each_in_list(online, NTI_CPU_LIMIT, add_if_new, &n);
	nti_set_fini(&n.known);
	if (!n.has_new)
		return ret;
	/* Also after a failure: what was added is there. */
	nti_session_settle_items(s);
	/* Numbers of cores and packages are those of the CPUs that there are. */
	nti_topology_free(s->ctx->topology);
	s->ctx->topology = NULL;
	if (ret == 0)
		ret = nti_session_rows_grow(s);
	return ret;
}

/* ---- what happened ---- */

/* The CPU of place @at is there, and was away since the last look. */
static bool was_away(struct ntime_session *s, size_t at)
{
	int cpu = s->where[at].cpu;
	uint64_t last = s->hotplug->identity[at];

	if (s->hotplug->is_calm || cpu < 0 || !nti_set_has(&s->hotplug->online, (unsigned int)cpu))
		return false;
	s->hotplug->identity[at] = identity_of(s, cpu);
	return last && s->hotplug->identity[at] != last;
}

/* @g, whose CPU is not there or may not be, at the look of @now_ns. */
static void judge_time(struct ntime_session *s, struct nti_session_group *g, uint64_t now_ns)
{
	if (g->perf.where.cpu < 0)
		return;
	if (g->is_off && !is_here(s, g))
		g->is_late = false;
	if (g->is_off && (is_here(s, g) || !s->hotplug->is_calm))
		miss_until(g, now_ns);
	else if (g->is_off || !g->direct) /* of registers only what was read is known */
		g->seen_ns = now_ns;
}

/*
 * Groups of CPUs that are gone, or were, end now, before a reader stumbles over them. Boxes that
 * perf counts go on, on another CPU of their package; where there is none, reading them finds out.
 */
static void lose_groups(struct ntime_session *s, uint64_t now_ns)
{
	bool is_away = false;
	size_t i, at = SIZE_MAX;

	for (i = 0; i < s->groups.count; i++) {
		struct nti_session_group *g = &s->groups.group[i];

		if (g->at != at)
			is_away = was_away(s, g->at);
		at = g->at;
		if (!g->is_off && (is_away || !is_here(s, g)) &&
		    (g->direct || g->unit->kind != NTI_UNIT_UNCORE))
			nti_session_lose_group(s, i);
		judge_time(s, g, now_ns);
	}
}

int nti_session_hotplug_begin(struct ntime_session *s)
{
	struct nti_hotplug *h = s->hotplug;
	uint64_t state;
	size_t i;

	if (s->target.kind < NTIME_TARGET_CPUS)
		return 0;
	free(h->identity);
	h->identity = calloc(s->where_count + 1, sizeof(*h->identity));
	if (!h->identity)
		return -ENOMEM;
	(void)nti_os_u64(s->ctx->os, &h->events, EVENTS);
	h->settled = h->looked_ns = 0;
	for (i = 0; i < s->where_count; i++) {
		if (s->where[i].cpu < 0)
			continue;
		h->identity[i] = identity_of(s, s->where[i].cpu);
		/* All that are on line have the same one, and but one can be on its way. */
		if (i < 2) {
			state = state_of(s, s->where[i].cpu);
			h->settled = state != UINT64_MAX && state > h->settled ? state : h->settled;
		}
	}
	return 0;
}

/* The CPUs that are on line into .online, and the same as text; is .is_calm? */
static int look(struct ntime_session *s, char *online, size_t size)
{
	struct nti_hotplug *h = s->hotplug;
	uint64_t events;
	/* Asked first: what changes from here on is seen by the next look. */
	bool is_known = nti_os_u64(s->ctx->os, &events, EVENTS) == 0;
	int ret = nti_context_online(s->ctx, online, size);

	if (ret < 0)
		return ret;
	h->is_calm = is_known && events == h->events;
	h->events = is_known ? events : 0;
	nti_set_fini(&s->hotplug->online);
	ret = nti_set_add_list(&s->hotplug->online, online, NTI_CPU_LIMIT);
	return ret == -EINVAL || ret == -ERANGE
		       ? nti_error(&s->ctx->error, -EINVAL, "'%s' is not a list of CPUs", online)
		       : ret;
}

int ntime_session_follow(struct ntime_session *s)
{
	char online[4096];
	uint64_t now_ns;
	int ret;

	if (!s->is_open || s->target.kind < NTIME_TARGET_CPUS)
		return nti_error(&s->ctx->error, -EINVAL,
				 "only an open session of CPUs can follow them");
	s->hotplug->is_following = true;
	ret = look(s, online, sizeof(online));
	if (ret < 0)
		return ret;
	now_ns = nti_session_real_ns(s);
	lose_groups(s, now_ns);
	if (s->target.kind == NTIME_TARGET_MACHINE)
		ret = add_new_cpus(s, online);
	s->hotplug->looked_ns = now_ns;
	if (ret == 0)
		ret = open_groups(s);
	if (ret < 0)
		return ret;
	ret = s->hotplug->has_changed;
	s->hotplug->has_changed = false;
	if (ret)
		nti_session_readers_update(s);
	return ret;
}

void nti_session_hotplug_fini(struct ntime_session *s)
{
	nti_set_fini(&s->hotplug->online);
	free(s->hotplug->identity);
	s->hotplug->identity = NULL;
	s->hotplug->is_following = s->hotplug->has_changed = s->hotplug->has_off = false;
}

/*
 * Counters that the kernel took off a command.
 *
 * When a process executes a program that changes its user or that it may not read, the kernel takes
 * its counters off without a word (Linux 6.1, fs/exec.c, begin_new_exec(): perf_event_exit_task()
 * if others may not look into the process), and what it starts from then on has none either. Of the
 * command itself its file tells; of what it starts only the kernel's account of its CPU time does.
 */

/*
 * The account has what the counters have not: the time before exec, and of the tearing down of
 * memory at the end.
 */
#define USUAL_NS 20000000u
#define USUAL_SHARE 5

void nti_session_expect_cpu_time(struct ntime_session *s, uint64_t cpu_ns, bool is_protected)
{
	/* CPUs are counted whatever runs on them. */
	if (s->target.kind >= NTIME_TARGET_CPUS)
		return;
	s->stripped->expected_ns = cpu_ns;
	s->stripped->is_protected = is_protected;
}

/* Counted by the kernel along with the thread: neither of a CPU, nor by others. */
static bool is_of_task(const struct nti_session_item *item)
{
	return !item->is_metric && !nti_session_item_is_free(item);
}

static bool is_watched(const struct nti_session_item *item, const struct ntime_value *v)
{
	return is_of_task(item) && !(v->flags & (NTIME_ABSENT | NTIME_STATE));
}

void nti_session_check_stripped(struct ntime_session *s, struct ntime_value *values)
{
	/* For how long the command was on a CPU with its counters. */
	uint64_t watched = 0, all = s->stripped->expected_ns;
	size_t i;

	for (i = 0; i < s->items; i++) {
		if (is_watched(&s->item[i], &values[i]) && values[i].wanted_ns > watched)
			watched = values[i].wanted_ns;
	}
	s->stripped->why[0] = '\0';
	if (!s->stripped->is_protected &&
	    (!(s->target.flags & NTIME_CHILDREN) || !(s->target.flags & NTIME_ON_EXEC) ||
	     all < watched + USUAL_NS + all / USUAL_SHARE))
		return;
	(void)nti_text_print(
		s->stripped->why, sizeof(s->stripped->why),
		"a program that changes its user, or may not be read, has no counters: "
		"%.1f of %.1f ms of CPU time were counted",
		(double)watched / 1e6, (double)all / 1e6);
	for (i = 0; i < s->items; i++) {
		if (is_watched(&s->item[i], &values[i]))
			values[i].flags |= NTIME_PARTIAL;
	}
}

const char *nti_session_why_stripped(const struct ntime_session *s, size_t i)
{
	return *s->stripped->why && is_of_task(&s->item[i]) ? s->stripped->why : NULL;
}
