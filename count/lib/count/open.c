// SPDX-License-Identifier: MIT
/*
 * From a plan to groups of counters. The kernel has the last word: what it refuses becomes absent
 * with its reason; when it takes fewer events of a unit at once than we believed, that is learned
 * and the plan is made again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"
#include "base/common/text.h"
#include "count/lib/count/doubt.h"
#include "count/lib/count/estimates.h"
#include "count/lib/count/follow.h"
#include "count/lib/count/plan.h"
#include "count/lib/count/procs.h"
#include "count/lib/count/reader.h"
#include "count/lib/count/rotate.h"
#include "count/lib/count/session.h"
#include "count/lib/count/ways.h"
#include "count/lib/perf/permission.h"
#include "count/lib/perf/refusal.h"

/*
 * A group of a session, whichever way it is counted: perf's, or one of core counters that we
 * program ourselves.
 */

int nti_session_group_enable(struct ntime_session *s, const struct nti_session_group *g)
{
	return g->direct ? nti_pmu_group_enable(g->direct)
			 : nti_perf_group_enable(s->ctx->os, &g->perf);
}

int nti_session_group_disable(struct ntime_session *s, const struct nti_session_group *g)
{
	return g->direct ? nti_pmu_group_disable(g->direct)
			 : nti_perf_group_disable(s->ctx->os, &g->perf);
}

/* Close it; the session forgets it. */
static void group_fini(struct ntime_session *s, struct nti_session_group *g)
{
	if (g->direct)
		nti_pmu_group_free(g->direct);
	else if (!g->is_off)
		nti_perf_group_fini(s->ctx->os, &g->perf);
	free(g->before);
	free(g->part);
}

const char *nti_session_words_for(const struct ntime_session *s, const struct nti_session_group *g,
				  int error)
{
	return g->direct ? nti_pmus_error(s->pmus, error) : strerror(-error);
}

/* Not an errno: the session was changed, plan and open again. */
#define AGAIN 1
/* So often a CPU may have come and gone while counters were opened. */
#define MOST_TRIES 100

static void fini_groups(struct ntime_session *s)
{
	size_t i;

	for (i = 0; i < s->groups.count; i++)
		group_fini(s, &s->groups.group[i]);
	s->groups.count = 0;
}

static struct nti_session_group *add_group(struct ntime_session *s,
					   const struct nti_session_part *p, size_t at)
{
	struct nti_session_group *g;

	if (!nti_grow(&s->groups.group, s->groups.count))
		return NULL;
	g = &s->groups.group[s->groups.count];
	*g = (struct nti_session_group){
		.unit = p->part->unit,
		.pass = p->pass,
		.is_in_every_pass = !p->needs_counter,
		.had_turn = !p->needs_counter || !(s->target.flags & NTIME_BY_PASS) ||
			    p->pass <= s->rotation->pass_reached,
		.at = at,
		.part = calloc(NTI_PERF_GROUP_MAX, sizeof(size_t)),
	};
	if (!g->part)
		return NULL;
	nti_perf_group_init(&g->perf, s->where[at]);
	if (g->unit->cpus)
		g->perf.where.device_cpu = (int)strtol(g->unit->cpus, NULL, 10);
	if (nti_session_is_direct(s, g->unit)) {
		g->direct = nti_pmu_group_new(s->pmus, g->unit, (unsigned int)s->where[at].cpu);
		if (!g->direct) {
			free(g->part);
			return NULL;
		}
	}
	s->groups.count++;
	return g;
}

/* Pinned and exclusive events lead groups of their own: it is the leader that makes a group so. */
static bool is_alone(const struct ntime_session *s, const struct nti_session_group *g,
		     const struct nti_session_part *p)
{
	const struct perf_event_attr *leader = &s->plan->part[g->part[0]].part->attr;

	if (g->direct)
		return false;
	return leader->pinned || leader->exclusive || p->part->attr.pinned ||
	       p->part->attr.exclusive;
}

/* The group at @at that @p belongs into: same unit, same pass. */
static struct nti_session_group *
group_for(struct ntime_session *s, const struct nti_session_part *p, size_t at, size_t first)
{
	size_t i;

	for (i = first; i < s->groups.count; i++) {
		struct nti_session_group *g = &s->groups.group[i];

		if (g->unit == p->part->unit && g->pass == p->pass &&
		    g->is_in_every_pass == !p->needs_counter &&
		    (g->direct || g->perf.count < NTI_PERF_GROUP_MAX) &&
		    !(g->perf.count && is_alone(s, g, p)))
			return g;
	}
	return add_group(s, p, at);
}

static bool is_kernel_only(const struct perf_event_attr *attr)
{
	/*
	 * What happens in the kernel alone counts nothing, not less, when the kernel is left out
	 * (perf_swevent_event()).
	 */
	return attr->exclude_user || attr->type == PERF_TYPE_TRACEPOINT ||
	       (attr->type == PERF_TYPE_SOFTWARE &&
		(attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		 attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		 attr->config == PERF_COUNT_SW_CGROUP_SWITCHES));
}

struct perf_event_attr nti_session_attr(const struct ntime_session *s,
					const struct nti_session_part *p)
{
	struct perf_event_attr attr = nti_part_attr(p->part);
	const struct nti_session_item *item = &s->item[p->item];

	/* Whatever the target is. */
	if (p->part->unit->kind == NTI_UNIT_DEVICE)
		return attr;
	attr.inherit = nti_session_is_of_tasks(s) && s->target.flags & NTIME_CHILDREN;
	attr.enable_on_exec =
		s->target.flags & NTIME_ON_EXEC &&
		(!p->needs_counter || !s->rotation->is_by_pass || p->pass == s->rotation->pass);
	if (item->is_limited || p->is_user_only) {
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
	}
	if (p->part->unit->has_rdpmc_term && !attr.inherit &&
	    s->target.kind == NTIME_TARGET_THREAD && !s->target.pid)
		attr.config1 |= NTI_ARM_USER_ACCESS;
	return attr;
}

/* What does the kernel say to this event if it is alone? 0 or -errno. */
static int try_alone(struct ntime_session *s, const struct perf_event_attr *attr,
		     struct nti_perf_where where)
{
	struct nti_perf_group alone;
	int ret;

	nti_perf_group_init(&alone, where);
	ret = nti_perf_group_add(s->ctx->os, &alone, attr);
	nti_perf_group_fini(s->ctx->os, &alone);
	return ret;
}

/* An ordinary user may count his own programs in user mode when the kernel is closed to him. */
static int limit_to_user_mode(struct ntime_session *s, struct nti_session_part *p)
{
	struct nti_session_item *item = &s->item[p->item];
	int level = nti_perf_paranoid(s->ctx->os);
	int ret = 0;

	p->is_user_only = true;
	if (!nti_attr_is_clock(&p->part->attr) && !item->is_limited) {
		ret = nti_perf_explain_user_only(s->ctx->os, level, &item->absent);
		item->is_limited = ret == 0;
	}
	return ret;
}

/*
 * One event was refused with @error. 0: it is absent now; AGAIN: plan anew; or the session cannot
 * be opened at all.
 */
static int handle_refusal(struct ntime_session *s, struct nti_session_part *p,
			  struct nti_session_group *g, const struct perf_event_attr *attr,
			  int error)
{
	struct nti_absence absent = { 0 };
	int ret;

	if (error == -ENOMEM)
		return error;
	if (error == -EINVAL && g->perf.count && try_alone(s, attr, g->perf.where) == 0 &&
	    nti_session_learn_limit(s, g))
		return AGAIN;
	ret = nti_perf_explain(s->ctx->os, g->unit, attr, g->perf.where, error, &absent);
	if (ret < 0)
		return ret;
	nti_session_refuse(s, p, &absent);
	s->groups.was_denied = s->groups.was_denied || error == -EACCES || error == -EPERM ||
			       error == -ENOSYS || absent.code == NTIME_REASON_FILTERED;
	/*
	 * Counters of this event that are already open elsewhere would give a sum that lacks a
	 * part.
	 */
	return g->at ? AGAIN : 0;
}

/*
 * Has the kernel opened a group that can never count? Arm's core PMU drivers leave a leader that
 * waits disabled out of their account, unless it waits for exec (Linux, drivers/perf/arm_pmu.c,
 * validate_event()): one event too many gets in. So the same group is opened once more with such a
 * leader, and closed.
 */
static bool is_group_too_big(struct ntime_session *s, const struct nti_session_group *g)
{
	const char *arch = s->ctx->os->ops->arch(s->ctx->os);
	struct nti_perf_group again;
	struct perf_event_attr attr;
	size_t i;
	int ret = 0;

	if (g->perf.count < 2 || g->unit->kind != NTI_UNIT_CORE ||
	    (strncmp(arch, "arm", 3) != 0 && strcmp(arch, "aarch64") != 0))
		return false;
	nti_perf_group_init(&again, g->perf.where);
	for (i = 0; ret == 0 && i < g->perf.count; i++) {
		attr = nti_session_attr(s, &s->plan->part[g->part[i]]);
		attr.enable_on_exec = 1;
		ret = nti_perf_group_add(s->ctx->os, &again, &attr);
	}
	nti_perf_group_fini(s->ctx->os, &again);
	return ret == -EINVAL;
}

static int open_own_part(struct ntime_session *s, size_t index, struct nti_session_group *g)
{
	int ret = nti_session_add_to_pmu(s, &s->plan->part[index], g);

	if (ret == 0)
		g->part[g->perf.count - 1] = index;
	/*
	 * As with perf: counters of this event on CPUs before this one would give a sum that lacks
	 * a part.
	 */
	return ret > 0 && g->at ? AGAIN : ret < 0 ? ret : 0;
}

static int open_part(struct ntime_session *s, size_t index, struct nti_session_group *g, size_t at)
{
	struct nti_session_part *p = &s->plan->part[index];
	struct perf_event_attr attr;
	int ret, user_mode;

	if (!g)
		return -ENOMEM;
	if (g->direct)
		return open_own_part(s, index, g);
	attr = nti_session_attr(s, p);
	ret = nti_perf_group_add(s->ctx->os, &g->perf, &attr);
	if ((ret == -EACCES || ret == -EPERM) && nti_session_is_of_tasks(s) &&
	    !attr.exclude_kernel && !is_kernel_only(&attr) && g->unit->kind != NTI_UNIT_UNCORE &&
	    !g->unit->is_mode_blind) {
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
		user_mode = try_alone(s, &attr, s->where[at]);
		if (user_mode == 0)
			return limit_to_user_mode(s, p) < 0 ? -ENOMEM : AGAIN;
		/*
		 * Permission is asked for first: an event that does not exist at all is told only
		 * now.
		 */
		if (user_mode != -EACCES && user_mode != -EPERM)
			ret = user_mode;
	}
	if (ret == 0) {
		g->part[g->perf.count - 1] = index;
		if (!is_group_too_big(s, g))
			return 0;
		nti_perf_group_drop(s->ctx->os, &g->perf);
		ret = -EINVAL;
	}
	if ((ret == -EACCES || ret == -EPERM) && nti_session_can_change_method(s, g->unit))
		return AGAIN;
	if (ret == -EMFILE && !nti_refusal_is_filtered(s->ctx->os))
		return nti_error(&s->ctx->error, ret,
				 "too many open files: raise the limit (ulimit -n) or count fewer "
				 "events on fewer CPUs");
	if (ret == -ENODEV && s->where[at].cpu >= 0) {
		if (!nti_session_is_on_line(s, s->where[at].cpu))
			return -ESTALE;
		/* It is back already. */
		if (s->hotplug->tries++ < MOST_TRIES && try_alone(s, &attr, s->where[at]) == 0)
			return AGAIN;
	}
	return ret == -ESRCH ? ret : handle_refusal(s, p, g, &attr, ret);
}

/* A group whose first event was refused has nobody in it. */
static void drop_empty_groups(struct ntime_session *s)
{
	size_t i, kept = 0;

	for (i = 0; i < s->groups.count; i++) {
		if (s->groups.group[i].perf.count)
			s->groups.group[kept++] = s->groups.group[i];
		else
			group_fini(s, &s->groups.group[i]);
	}
	s->groups.count = kept;
}

/*
 * Threads end and CPUs go off line while counters are opened: where others are left the session
 * goes on without place @at. Of all CPUs this one is a new one when it is back.
 */
static bool can_drop_place(struct ntime_session *s, size_t at)
{
	size_t places = s->where_count;

	if (places && nti_session_is_device_place(s->where[places - 1]))
		places--;
	if (places < 2 ||
	    (s->target.kind != NTIME_TARGET_PROCESS && s->target.kind != NTIME_TARGET_MACHINE))
		return false;
	memmove(&s->where[at], &s->where[at + 1], (s->where_count - at - 1) * sizeof(*s->where));
	s->where_count--;
	return true;
}

static int thread_is_gone(struct ntime_session *s, size_t at)
{
	if (can_drop_place(s, at))
		return AGAIN;
	return nti_error(&s->ctx->error, -ESRCH, "there is no %s %d",
			 s->target.kind == NTIME_TARGET_PROCESS ? "process" : "thread",
			 s->target.pid);
}

static int cpu_is_gone(struct ntime_session *s, size_t at)
{
	int cpu = s->where[at].cpu;

	return can_drop_place(s, at) ? AGAIN : nti_session_cpu_is_off_line(s, (unsigned int)cpu);
}

static bool is_wanted(const struct ntime_session *s, const struct nti_session_part *p, size_t at,
		      bool all_passes)
{
	return !p->is_refused && nti_session_is_unit_at(s, p->part->unit, s->where[at]) &&
	       (all_passes || !p->needs_counter || p->pass == s->target.pass);
}

/* Does it join the groups of its unit, whichever counts? */
static bool joins(const struct nti_session_part *p)
{
	return p->is_beside && !p->needs_counter;
}

/* Has its unit a group at this place that counts in its turn only? */
static bool has_turns(const struct ntime_session *s, const struct nti_unit *unit, size_t first)
{
	size_t i;

	for (i = first; i < s->groups.count; i++)
		if (s->groups.group[i].unit == unit && !s->groups.group[i].is_in_every_pass)
			return true;
	return false;
}

/*
 * What is counted beside whatever else its PMU counts: a member of the group of each pass, so that
 * it is of the same periods as the others there.
 */
static int open_joining(struct ntime_session *s, size_t index, size_t at, size_t first,
			bool all_passes)
{
	struct nti_session_part p = s->plan->part[index];
	unsigned int pass = all_passes ? 0 : s->target.pass;
	unsigned int end = all_passes ? s->plan->passes : pass + 1;
	int ret = 0;

	p.needs_counter = has_turns(s, p.part->unit, first);
	if (!p.needs_counter)
		return open_part(s, index, group_for(s, &p, at, first), at);
	for (; ret == 0 && pass < end; pass++) {
		p.pass = pass;
		ret = open_part(s, index, group_for(s, &p, at, first), at);
	}
	return ret;
}

static int open_places(struct ntime_session *s, bool all_passes)
{
	size_t at, i;
	int ret = 0;

	for (at = 0; ret == 0 && at < s->where_count; at++) {
		size_t first = s->groups.count;

		ret = nti_context_interrupted(s->ctx);
		for (i = 0; ret == 0 && i < s->plan->parts; i++) {
			struct nti_session_part *p = &s->plan->part[i];

			if (is_wanted(s, p, at, all_passes) && !joins(p))
				ret = open_part(s, i, group_for(s, p, at, first), at);
		}
		for (i = 0; ret == 0 && i < s->plan->parts; i++)
			if (is_wanted(s, &s->plan->part[i], at, all_passes) &&
			    joins(&s->plan->part[i]))
				ret = open_joining(s, i, at, first, all_passes);
		if (ret == -ESRCH)
			ret = thread_is_gone(s, at);
		if (ret == -ESTALE)
			ret = cpu_is_gone(s, at);
	}
	drop_empty_groups(s);
	return ret;
}

/* 0; AGAIN: the session was changed; -errno. */
static int make_plan(struct ntime_session *s)
{
	int ret = nti_session_take_pmus(s);

	if (ret == 0)
		ret = nti_session_make_plan(s);
	if (ret == 0 && s->rotation->is_turning)
		ret = nti_session_turns_init(s);
	return ret;
}

/*
 * An item that something else would help than what helps @refused: registers, which root and
 * ntime's driver reach. NULL: none.
 */
static const struct nti_absence *other_remedy(const struct ntime_session *s,
					      const struct nti_absence *refused)
{
	size_t i;

	for (i = 0; i < s->items; i++) {
		const struct nti_absence *absent = &s->item[i].absent;

		if (absent->reason && absent->remedy_kind != NTIME_REMEDY_NONE &&
		    strcmp(absent->remedy, refused->remedy) != 0)
			return absent;
	}
	return NULL;
}

/*
 * Nothing may be counted on these CPUs by this user: then that is the session's error, not one of
 * each event. Of a process /proc may tell all the same.
 */
static int check_something_counts(struct ntime_session *s)
{
	const struct nti_session_item *refused = NULL;
	const struct nti_absence *other;
	size_t i;

	if (s->groups.count || s->procs || !s->groups.was_denied || s->target.pid ||
	    s->target.flags & NTIME_ON_EXEC || s->target.kind == NTIME_TARGET_THREAD)
		return 0;
	for (i = 0; i < s->plan->parts; i++) {
		if (s->plan->part[i].is_refused)
			refused = &s->item[s->plan->part[i].item];
	}
	if (!refused)
		return 0;
	other = other_remedy(s, &refused->absent);
	return nti_error(&s->ctx->error, -EACCES,
			 "nothing can be counted on these CPUs: %s; remedy: %s%s%s%s%s",
			 refused->absent.reason, refused->absent.remedy, other ? "; and " : "",
			 other ? other->reason : "", other ? "; remedy: " : "",
			 other ? other->remedy : "");
}

/* Parts of one event on several kinds of core; the first one that was not refused leads. */
static void find_shared_parts(struct ntime_session *s)
{
	struct nti_session_part *first = NULL;
	size_t i;

	for (i = 0; i < s->plan->parts; i++) {
		struct nti_session_part *p = &s->plan->part[i];

		if (p->is_refused || p->part->unit->kind != NTI_UNIT_CORE)
			continue;
		if (first && first->item == p->item) {
			first->is_shared = true;
			p->is_shared = true;
			p->is_follower = true;
		} else {
			first = p;
		}
	}
}

/* Which items are one member of one group, and which must be added up? */
static void find_only_members(struct ntime_session *s)
{
	size_t i, k;

	for (i = 0; i < s->items; i++) {
		s->item[i].only = NULL;
		s->item[i].is_summed = false;
	}
	for (i = 0; i < s->groups.count; i++) {
		for (k = 0; k < s->groups.group[i].perf.count; k++) {
			const struct nti_session_part *p =
				&s->plan->part[s->groups.group[i].part[k]];
			struct nti_session_item *item = &s->item[p->item];

			item->is_summed = item->only || item->is_summed || p->is_shared;
			item->only = &s->groups.group[i];
			item->member = k;
			item->reading = &s->groups.reading[i];
			item->count = &item->reading->count[k];
		}
	}
}

static bool is_simulated(const struct ntime_session *s, const struct nti_session_item *item)
{
	size_t i;

	for (i = 0; i < item->event.parts; i++) {
		if (item->event.part[i].unit && item->event.part[i].unit->is_simulated)
			return true;
	}
	return s->ctx->os->is_simulated;
}

void nti_session_settle_items(struct ntime_session *s)
{
	size_t i;

	find_only_members(s);
	s->groups.has_sums = false;
	for (i = 0; i < s->items; i++) {
		struct nti_session_item *item = &s->item[i];
		bool has_doubt = item->doubt.reason && !nti_session_item_is_absent(item);
		bool is_partial = has_doubt && item->doubt.code == NTIME_REASON_ONE_UNIT;
		/* Errata that change little leave the number as it is, with a reason. */
		bool is_implausible = has_doubt && item->doubt.code == NTIME_REASON_IMPLAUSIBLE;

		if (item->is_summed || nti_session_item_is_absent(item))
			item->only = NULL;
		s->groups.has_sums = s->groups.has_sums || item->is_summed;
		item->flags = (item->is_limited ? NTIME_USER_ONLY : 0) |
			      (item->is_proc ? NTIME_PROC : 0) |
			      (s->target.emulator && !item->is_clock ? NTIME_EMULATED : 0) |
			      (is_simulated(s, item) ? NTIME_SIMULATED : 0) |
			      (is_partial ? NTIME_PARTIAL : 0) |
			      (is_implausible ? NTIME_IMPLAUSIBLE : 0);
	}
}

/*
 * Clocks and metrics tell of the session's time, counters of CPUs are checked against it, and in a
 * recording it moves when it is looked at.
 */
static bool needs_time(const struct ntime_session *s)
{
	size_t i;

	if (!nti_session_is_of_tasks(s) || s->metrics || s->ctx->os->is_timeless)
		return true;
	for (i = 0; i < s->items; i++) {
		if (nti_session_item_is_free(&s->item[i]))
			return true;
	}
	return false;
}

static int make_scratch(struct ntime_session *s)
{
	s->groups.reading = calloc(s->groups.count + 1, sizeof(*s->groups.reading));
	s->groups.pass_enabled_ns = calloc(s->where_count + 1, sizeof(*s->groups.pass_enabled_ns));
	s->groups.sum = calloc(s->items + 1, sizeof(*s->groups.sum));
	return s->groups.reading && s->groups.pass_enabled_ns && s->groups.sum ? 0 : -ENOMEM;
}

/* All counters are open. */
static int settle(struct ntime_session *s)
{
	int ret = check_something_counts(s);

	if (ret == 0)
		ret = nti_session_explain_metrics(s);
	if (ret == 0)
		ret = make_scratch(s);
	if (ret == 0)
		ret = nti_doubts_init(s);
	if (ret == 0)
		ret = nti_session_spans_open(s);
	if (ret < 0)
		return ret;
	nti_session_give_back_pmus(s);
	find_shared_parts(s);
	nti_session_settle_items(s);
	nti_session_find_work(s);
	s->clock.needs_time = needs_time(s);
	return nti_session_readers_map(s);
}

/*
 * A pass alone is one of a plan that only the kernel's answers to all passes complete: everything
 * is opened as the sessions of the other passes do, so that all have the same plan, then this pass
 * by that plan.
 */
int nti_session_open_groups(struct ntime_session *s)
{
	bool is_alone = s->target.flags & NTIME_PASS_ALONE;
	int ret = nti_session_procs_open(s);

	if (ret == 0)
		ret = nti_session_make_parts(s);
#ifdef NTIME_HAS_PMC_
	s->readers->thread = ntime_thread_pointer_();
#endif
	if (is_alone)
		s->rotation->pass = s->target.pass;
	while (ret == 0) {
		ret = nti_session_hotplug_begin(s);
		if (ret == 0)
			ret = make_plan(s);
		if (ret == 0)
			ret = open_places(s, true);
		if (ret == 0 && is_alone) {
			fini_groups(s);
			ret = open_places(s, false);
		}
		if (ret != AGAIN)
			break;
		nti_session_turns_fini(s);
		fini_groups(s);
		ret = 0;
	}
	if (ret == 0 && s->rotation->pass >= s->plan->passes)
		ret = nti_error(&s->ctx->error, -EINVAL, "there is no pass %u: the plan has %u",
				s->rotation->pass, s->plan->passes);
	s->groups.is_still =
		s->ctx->os->is_still || (s->groups.count && nti_os_linux_root(s->ctx->os) >= 0);
	return ret < 0 ? ret : settle(s);
}

void nti_session_close_groups(struct ntime_session *s)
{
	struct nti_groups *groups = &s->groups;

	nti_session_readers_fini(s);
	nti_doubts_fini(s);
	nti_session_spans_close(s);
	nti_session_turns_fini(s);
	nti_session_procs_close(s);
	fini_groups(s);
	free(groups->group);
	free(groups->reading);
	free(groups->pass_enabled_ns);
	free(groups->sum);
	*groups = (struct nti_groups){ .was_denied = groups->was_denied };
	nti_session_hotplug_fini(s);
	nti_pmus_free(s->pmus);
	s->pmus = NULL;
	nti_session_forget_plan(s);
	nti_session_parts_fini(s);
}
