// SPDX-License-Identifier: MIT
/* Reading a session: one call per group, sums per item, flags and errors. Allocates nothing. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/common/text.h"
#include "count/lib/count/doubt.h"
#include "count/lib/count/emulator.h"
#include "count/lib/count/estimates.h"
#include "count/lib/count/follow.h"
#include "count/lib/count/plan.h"
#include "count/lib/count/procs.h"
#include "count/lib/count/reader.h"
#include "count/lib/count/rotate.h"
#include "count/lib/count/rows.h"
#include "count/lib/count/session.h"
#include "count/lib/count/ways.h"

/*
 * A CPU-wide counter is enabled as long as its session runs, but for what starting and stopping
 * many CPUs one after the other takes. One that lags by more than that may have stood still, or was
 * started late by a busy machine: its count lacks that time and is partial. By very much more at
 * the end, it did stand still, also if its CPU is back: an error.
 */
#define LAG_NS 50000000u
#define SURE_LAG_NS 200000000u

/*
 * A CPU-wide counter whose time stood still for this long may sit on a CPU that went away. If that
 * is on line, it may be back, and then the counter stands for ever; or it is a machine so busy that
 * the kernel's clock, which a late tick holds back, is late itself (Linux 6.1,
 * kernel/sched/clock.c, sched_clock_local()): that one goes on.
 */
#define STANDSTILL_NS 1000000u
#define SURE_STANDSTILL_NS 1000000000u

static int cpu_went(struct ntime_session *s, struct nti_session_group *g)
{
	g->was_off_line = true;
	return nti_error(&s->ctx->error, -ESTALE, "CPU %d went off line while it was counted",
			 g->perf.where.cpu);
}

static int cpu_is_gone(struct ntime_session *s, struct nti_session_group *g)
{
	int cpu = g->perf.where.cpu;

	if (nti_session_is_on_line(s, cpu))
		return nti_error(
			&s->ctx->error, -ESTALE,
			"CPU %d was off line for a while and its counters stopped: start anew",
			cpu);
	return cpu_went(s, g);
}

/* For how long the time of @g, which counts, has stood still. */
static uint64_t note_standstill(struct nti_session_group *g, uint64_t enabled_ns, uint64_t real_ns)
{
	if (g->has_last && enabled_ns == g->last_enabled_ns)
		return real_ns - g->last_real_ns;
	g->has_last = true;
	g->last_real_ns = real_ns;
	g->last_enabled_ns = enabled_ns;
	return 0;
}

/* Since it was read last the time of @g has fallen behind: the CPU may be on its way. */
static bool has_fallen_behind(const struct nti_session_group *g, uint64_t enabled_ns,
			      uint64_t real_ns)
{
	return g->has_last && real_ns > g->last_real_ns + STANDSTILL_NS &&
	       enabled_ns - g->last_enabled_ns < real_ns - g->last_real_ns - STANDSTILL_NS;
}

/*
 * Counters of a CPU that was taken off line stand still, also after it came back, without an error
 * from the kernel. The time for which a CPU-wide counter is enabled otherwise never stops.
 */
static int check_cpu(struct ntime_session *s, struct nti_session_group *g,
		     const struct nti_perf_reading *r, uint64_t real_ns)
{
	uint64_t lag_ns, stood_ns;
	bool is_watched = s->clock.is_running && nti_session_is_current(s, g);

	real_ns = real_ns > g->begin_ns ? real_ns - g->begin_ns : 0;
	lag_ns = real_ns > r->enabled_ns ? real_ns - r->enabled_ns : 0;
	g->is_late = g->perf.where.cpu >= 0 && s->clock.was_started && !s->rotation->is_by_pass &&
		     !s->ctx->os->is_timeless && lag_ns > LAG_NS + real_ns / 100;
	if (g->perf.where.cpu < 0)
		return 0;
	/* The kernel ends counters a while before the CPU is off its list. */
	if (is_watched && has_fallen_behind(g, r->enabled_ns, real_ns) &&
	    nti_session_is_changing(s, g->perf.where.cpu))
		return cpu_went(s, g);
	stood_ns = is_watched ? note_standstill(g, r->enabled_ns, real_ns) : 0;
	if ((g->is_late || stood_ns >= STANDSTILL_NS) &&
	    !nti_session_is_on_line(s, g->perf.where.cpu))
		return cpu_is_gone(s, g);
	if (stood_ns >= SURE_STANDSTILL_NS || (g->is_late && g->was_off_line) ||
	    (g->is_late && !is_watched && lag_ns > SURE_LAG_NS + real_ns / 10))
		return cpu_is_gone(s, g);
	return 0;
}

static int read_failed(struct ntime_session *s, struct nti_session_group *g, int error)
{
	int cpu = g->perf.where.cpu;

	/*
	 * The kernel takes the groups of a CPU that goes off line apart, and that before the CPU is
	 * off its list: they read short, and perf has no other reason for that (Linux 6.1,
	 * kernel/events/core.c, perf_event_exit_cpu()).
	 */
	if (cpu >= 0 && !g->direct && error == -ESTALE)
		return cpu_went(s, g);
	if (cpu >= 0 &&
	    ((error == -ENODEV && !nti_method_get(nti_session_method(s, g->unit))->outlives_cpu) ||
	     !nti_session_is_on_line(s, cpu)))
		return cpu_is_gone(s, g);
	return nti_error(&s->ctx->error, -EIO, "reading the counters of %s failed: %s",
			 g->unit->name, nti_session_words_for(s, g, error));
}

/* What @ret, the answer to reading @g, means: 0; 1: its device is gone; or -errno. */
static int check_reading(struct ntime_session *s, struct nti_session_group *g, int ret,
			 uint64_t real_ns, struct nti_perf_reading *reading)
{
	if (ret == -ENODATA) {
		/* Pinned and without a counter: wanted, never counted. */
		memset(reading, 0, sizeof(*reading));
		reading->enabled_ns = 1;
		return 0;
	}
	if (ret == 0 && nti_session_why_gone(g)) {
		g->is_late = false;
		return 1;
	}
	return ret < 0 ? read_failed(s, g, ret) : check_cpu(s, g, reading, real_ns);
}

/*
 * 0; 1: its device is gone, and its reading is what it was; or -errno. Where CPUs may go the group
 * of one that did stays as it was read last.
 */
static int read_group(struct ntime_session *s, size_t i, uint64_t real_ns)
{
	struct nti_session_group *g = &s->groups.group[i];
	bool may_go = s->hotplug->is_following;
	struct nti_perf_reading now, *reading = &s->groups.reading[i];
	int ret;

	if (may_go) {
		if (g->is_off)
			return 0;
		/* perf says nothing of what may be lost. */
		memset(&now, 0, sizeof(now));
		reading = &now;
	}
	ret = nti_session_group_read(s->ctx->os, g, reading);
	ret = check_reading(s, g, ret, real_ns, reading);
	if (!may_go)
		return ret;
	if (ret == -ESTALE) {
		nti_session_lose_group(s, i);
		return 0;
	}
	if (ret >= 0)
		nti_session_add_before(s, g, reading, &s->groups.reading[i]);
	return ret;
}

static int read_groups(struct ntime_session *s, uint64_t real_ns)
{
	size_t i, gone = 0;
	int ret;

	if (s->groups.is_still)
		return 0;
	for (i = 0; i < s->groups.count; i++) {
		ret = read_group(s, i, real_ns);
		if (ret < 0)
			return ret;
		gone += (size_t)ret;
	}
	/*
	 * A device that went away takes nothing from the other counters, as long as there are
	 * any. A context is no device: its program may end it.
	 */
	if (!gone || gone != s->groups.count || nti_unit_is_context(s->groups.group[0].unit))
		return 0;
	return nti_error(&s->ctx->error, -EIO, "reading the counters of %s failed: %s",
			 s->groups.group[0].unit->name,
			 nti_pmu_group_why_gone(s->groups.group[0].direct));
}

/* Groups come thread by thread, or CPU by CPU: the first one behind that of group @first. */
static size_t end_of_where(const struct ntime_session *s, size_t first)
{
	size_t i = first;

	while (i < s->groups.count && s->groups.group[i].at == s->groups.group[first].at)
		i++;
	return i;
}

/* To the time of all turns at @at that between them, in which nothing counted. */
static void add_time_between(struct ntime_session *s, size_t at)
{
	uint64_t span_ns = at < s->rotation->spans ? nti_session_span_ns(s, at) : 0;

	if (span_ns > s->groups.pass_enabled_ns[at])
		s->groups.pass_enabled_ns[at] = span_ns;
	else if (s->where[at].cpu >= 0 || nti_session_is_device_place(s->where[at]))
		s->groups.pass_enabled_ns[at] += s->rotation->dead_ns;
}

/*
 * In a session that rotates by itself each pass is enabled a part of the time: what was wanted is
 * the time of all passes together, for each thread or CPU. One group of a pass stands for the pass.
 */
static void sum_pass_times(struct ntime_session *s)
{
	unsigned int pass;
	size_t i, first, end;

	memset(s->groups.pass_enabled_ns, 0, s->where_count * sizeof(*s->groups.pass_enabled_ns));
	for (first = 0; first < s->groups.count; first = end) {
		end = end_of_where(s, first);
		for (pass = 0; pass < s->plan->passes; pass++) {
			uint64_t longest = 0;

			for (i = first; i < end; i++) {
				const struct nti_session_group *g = &s->groups.group[i];

				if (g->pass == pass && !g->is_in_every_pass &&
				    s->groups.reading[i].enabled_ns > longest)
					longest = s->groups.reading[i].enabled_ns;
			}
			s->groups.pass_enabled_ns[s->groups.group[first].at] += longest;
		}
		add_time_between(s, s->groups.group[first].at);
	}
}

/* Which groups counted all the time, and there was time: nothing about them is in doubt. */
static void judge_groups(struct ntime_session *s)
{
	size_t i;

	if (s->rotation->is_turning)
		sum_pass_times(s);
	for (i = 0; i < s->groups.count; i++) {
		struct nti_session_group *g = &s->groups.group[i];
		const struct nti_perf_reading *r = &s->groups.reading[i];

		g->wanted_ns = s->rotation->is_turning && !g->is_in_every_pass
				       ? s->groups.pass_enabled_ns[g->at]
				       : r->enabled_ns;
		g->is_exact = s->clock.was_started && g->had_turn && r->enabled_ns && !g->is_late &&
			      !g->hotplugs && !r->overflowed && !r->lost && !r->missing &&
			      r->running_ns >= g->wanted_ns;
	}
}

/*
 * A task on a processor with several kinds of core is counted by the PMU of the core it is on; for
 * the others the time in which they are enabled goes on all the same. So the parts of one event at
 * one thread or CPU are one counter: counts and running times are added, the time wanted is that of
 * any of them.
 */
static void add_reading(struct nti_item_sum *sum, uint64_t count, uint64_t wanted_ns,
			uint64_t counted_ns)
{
	sum->is_seen = true;
	sum->count += count;
	sum->wanted_ns += wanted_ns;
	sum->counted_ns += counted_ns;
	if (counted_ns >= wanted_ns) {
		sum->value += (double)count;
	} else if (counted_ns) {
		sum->value += (double)count * ((double)wanted_ns / (double)counted_ns);
		sum->is_scaled = true;
	} else {
		/* It never had its turn here: nobody knows what happened there. */
		sum->is_partial = true;
	}
}

/*
 * As add_reading() for what is not added up: of several states the highest or the lowest one stands
 * for all.
 */
static void choose_reading(struct nti_item_sum *sum, enum nti_together together, uint64_t count,
			   uint64_t wanted_ns, uint64_t counted_ns)
{
	bool is_it =
		!sum->is_seen || (together == NTI_MAX ? count > sum->count : count < sum->count);

	sum->wanted_ns += wanted_ns;
	sum->counted_ns += counted_ns;
	if (!counted_ns) {
		sum->is_partial = true;
		return;
	}
	sum->is_seen = true;
	if (is_it) {
		sum->count = count;
		sum->value = (double)count;
	}
}

/*
 * As add_reading() for an event whose parts take turns: scaled when all are added, by
 * settle_shared().
 */
static void add_shared(struct nti_item_sum *sum, uint64_t count, uint64_t wanted_ns,
		       uint64_t counted_ns)
{
	sum->is_seen = true;
	sum->is_shared = true;
	sum->count += count;
	sum->wanted_ns += wanted_ns;
	sum->counted_ns += counted_ns;
}

/*
 * Moves between kinds of core take the kernel a moment in which neither PMU runs, nor the program.
 */
#define MOVING_PERMYRIAD 10

static void settle_shared(struct nti_item_sum *sum)
{
	uint64_t lost_ns = sum->wanted_ns > sum->counted_ns ? sum->wanted_ns - sum->counted_ns : 0;

	sum->value = (double)sum->count;
	if (sum->counted_ns > sum->wanted_ns)
		sum->counted_ns = sum->wanted_ns;
	if (!sum->counted_ns || lost_ns <= sum->wanted_ns / 10000 * MOVING_PERMYRIAD)
		return;
	sum->value *= (double)sum->wanted_ns / (double)sum->counted_ns;
	sum->is_scaled = true;
}

/*
 * How long what joins each group of its PMU was wanted. Groups that take their turns by themselves
 * are all wanted all the time.
 */
static uint64_t wanted_ns_beside(const struct ntime_session *s, const struct nti_perf_reading *r,
				 const struct nti_item_sum *sum)
{
	return s->rotation->is_by_pass || !sum->is_seen ? r->enabled_ns : 0;
}

static void add_group(struct ntime_session *s, const struct nti_session_group *g,
		      const struct nti_perf_reading *r)
{
	uint64_t wanted_ns = g->wanted_ns;
	size_t k;

	for (k = 0; k < g->perf.count; k++) {
		const struct nti_session_part *p = &s->plan->part[g->part[k]];
		enum nti_together together = s->item[p->item].event.together;
		struct nti_item_sum *sum = &s->groups.sum[p->item];
		/* A member without a value now was not counted, whatever came before. */
		uint64_t counted_ns = r->missing >> k & 1 ? 0 : r->running_ns;

		sum->is_direct = g->direct;
		sum->parts++;
		sum->gone += nti_session_why_gone(g) != NULL;
		if (together != NTI_SUM)
			choose_reading(sum, together, r->count[k], wanted_ns, counted_ns);
		else if (p->is_beside && !p->needs_counter)
			add_shared(sum, r->count[k], wanted_ns_beside(s, r, sum), counted_ns);
		else if (p->is_shared && g->perf.where.pid != -1)
			add_shared(sum, r->count[k], p->is_follower ? 0 : wanted_ns, counted_ns);
		else
			add_reading(sum, r->count[k], wanted_ns, counted_ns);
		sum->is_partial |= g->is_late;
		sum->hotplugs += g->hotplugs;
		sum->missed_ns += g->missed_ns;
		sum->is_overflowed |= r->overflowed >> k & 1;
		sum->is_lost |= r->lost >> k & 1;
	}
}

/* Sums of the groups from @first to before @end: all of them, or those of one thread or CPU. */
static void add_groups(struct ntime_session *s, size_t first, size_t end)
{
	size_t i;

	memset(s->groups.sum, 0, s->items * sizeof(*s->groups.sum));
	for (i = first; i < end; i++) {
		if (s->groups.group[i].had_turn)
			add_group(s, &s->groups.group[i], &s->groups.reading[i]);
	}
	for (i = 0; i < s->items; i++)
		if (s->groups.sum[i].is_shared)
			settle_shared(&s->groups.sum[i]);
}

static struct ntime_value no_value(uint32_t flags, uint64_t wanted_ns)
{
	return (struct ntime_value){
		.value = NAN, .scale = 1, .wanted_ns = wanted_ns, .flags = flags
	};
}

static struct ntime_value clock_value(const struct ntime_session *s,
				      const struct nti_session_item *item, uint64_t real_ns)
{
	uint64_t count = s->clock.read_tsc;

	if (!s->clock.was_started)
		return no_value(NTIME_NOT_COUNTED, 0);
	return (struct ntime_value){
		.count = count,
		.value = (double)count * item->event.scale,
		.scale = item->event.scale,
		.wanted_ns = real_ns,
		.counted_ns = real_ns,
	};
}

/* The sum of @item; in *@only of one that is not added up. */
static const struct nti_item_sum *sum_of(const struct ntime_session *s,
					 const struct nti_session_item *item,
					 struct nti_item_sum *only)
{
	const struct nti_session_group *g = item->only;
	const struct nti_perf_reading *r = item->reading;

	if (!g)
		return &s->groups.sum[item - s->item];
	*only = (struct nti_item_sum){
		.is_direct = g->direct,
		.parts = 1,
		.gone = nti_session_why_gone(g) != NULL,
		.hotplugs = g->hotplugs,
		.missed_ns = g->missed_ns,
		.is_overflowed = r->overflowed >> item->member & 1,
		.is_lost = r->lost >> item->member & 1,
	};
	if (g->had_turn)
		add_reading(only, *item->count, g->wanted_ns,
			    r->missing >> item->member & 1 ? 0 : r->running_ns);
	only->is_partial |= g->is_late;
	return only;
}

/* If more of the time is missing than one in so many, the sum is of a part of the CPUs. */
#define MISSED_SHARE 100

static void event_value(struct ntime_session *s, const struct nti_session_item *item,
			const struct nti_item_sum *sum, struct nti_estimate *estimate,
			struct nti_work *work, struct ntime_value *out)
{
	uint32_t lost = (sum->is_lost ? NTIME_LOST : 0) |
			(sum->gone && sum->gone == sum->parts ? NTIME_GONE : 0);
	bool had_no_time = sum->wanted_ns
				   ? !sum->counted_ns
				   : s->target.flags & NTIME_ON_EXEC ||
					     (s->rotation->is_by_pass && !s->rotation->is_turning);

	/*
	 * Lost before it was seen once: nobody knows what happened there, also not that it was
	 * nothing.
	 */
	if (!sum->is_seen || !s->clock.was_started || had_no_time ||
	    (sum->is_lost && !sum->counted_ns)) {
		*out = no_value(NTIME_NOT_COUNTED | lost, sum->wanted_ns);
		return;
	}
	out->count = sum->count;
	out->value = sum->value * item->event.scale;
	out->error = out->below = out->above = 0;
	out->scale = item->event.scale;
	out->wanted_ns = sum->wanted_ns;
	out->counted_ns = sum->counted_ns;
	out->flags = (sum->is_partial ? NTIME_PARTIAL : 0) |
		     (sum->is_overflowed ? NTIME_OVERFLOWED : 0) |
		     (sum->hotplugs ? NTIME_HOTPLUG : 0) | lost;
	out->hotplugs = sum->hotplugs;
	if (sum->is_scaled) {
		out->flags |= NTIME_SCALED;
		/* The kernel's rotation is not random: what keeps step with it is seen wrongly. */
		nti_session_estimate(s, item, sum,
				     s->rotation->is_turning || sum->is_direct ? estimate : NULL,
				     work, out);
	}
	/* Nothing is made up for it: another program may have had the CPU then, or none. */
	out->wanted_ns += sum->missed_ns;
	if (sum->missed_ns > out->wanted_ns / MISSED_SHARE)
		out->flags |= NTIME_PARTIAL;
}

/* What almost all values are: the same result as event_value(), which asks more. */
static void exact_value(const struct nti_session_item *item, struct ntime_value *out)
{
	const struct nti_perf_reading *r = item->reading;
	uint64_t count = *item->count;
	double scale = item->event.scale;

	out->count = count;
	out->value = (double)count * scale;
	out->error = 0;
	out->scale = scale;
	out->wanted_ns = r->enabled_ns;
	out->counted_ns = r->running_ns;
	out->flags = item->flags;
	out->hotplugs = 0;
	out->below = out->above = 0;
}

static void item_value(struct ntime_session *s, struct nti_session_item *item, uint64_t real_ns,
		       struct ntime_value *out)
{
	struct nti_item_sum only;

	if (item->is_metric)
		*out = no_value(NTIME_METRIC, real_ns); /* ntime_session_metrics() fills it */
	else if (nti_session_item_is_absent(item))
		*out = no_value(NTIME_ABSENT, 0);
	else if (item->is_clock)
		*out = clock_value(s, item, real_ns);
	else if (item->is_proc)
		*out = nti_session_procs_value(s, item, NTI_PROCS_ALL, real_ns);
	else if (item->is_emulated)
		*out = nti_emulated_value(s, item, real_ns);
	else
		event_value(s, item, sum_of(s, item, &only), &item->estimate, &item->work, out);
	out->flags |= item->flags;
}

/*
 * Nobody gives the passes their turns where we program the counters ourselves: it is done when
 * there is a chance.
 */
static int end_turns(struct ntime_session *s)
{
	int ret;

	if (s->plan->passes < 2 || !s->clock.is_running || s->rotation->is_by_pass)
		return 0;
	s->rotation->turns++;
	ret = nti_pmus_turn(s->pmus);
	/* A CPU went just now: the next reading finds out. */
	if (ret == -ENODEV && s->hotplug->is_following)
		return 0;
	return ret < 0 ? nti_error(&s->ctx->error, -EIO, "cannot rotate to the next events: %s",
				   nti_pmus_error(s->pmus, ret))
		       : 0;
}

/* Has @item a counter in @pass, and only there? */
static bool is_in_pass(const struct nti_session_item *item, unsigned int pass)
{
	return !item->is_metric && !nti_session_item_is_free(item) &&
	       !nti_session_item_is_absent(item) && item->pass == pass && !item->is_constant &&
	       !(item->only && item->only->is_in_every_pass);
}

/* Did @g count in the turn of @pass, and does somebody want to know? */
static bool is_of_turn(const struct ntime_session *s, const struct nti_session_group *g,
		       unsigned int pass)
{
	if (g->is_in_every_pass)
		return s->estimates->has_work && g->unit->kind == NTI_UNIT_CORE;
	return g->pass == pass;
}

static void step_item(struct ntime_session *s, struct nti_session_item *item, unsigned int pass)
{
	struct nti_item_sum only;
	const struct nti_item_sum *sum = sum_of(s, item, &only);
	bool has_ended = is_in_pass(item, pass);

	/* Those whose turn begins see nothing of what was before. */
	if (item->work.by)
		nti_session_look_at_work(s, sum, &item->work);
	if (!has_ended || !sum->counted_ns)
		return;
	nti_session_step(s, item, sum, &item->estimate);
	if (item->work.by)
		nti_session_step_work(s, sum, &item->work);
}

int nti_session_end_turn(struct ntime_session *s, unsigned int pass)
{
	uint64_t real_ns = nti_session_real_ns(s);
	size_t i;
	int ret;

	for (i = 0; i < s->groups.count; i++) {
		if (!is_of_turn(s, &s->groups.group[i], pass))
			continue;
		ret = read_group(s, i, real_ns);
		if (ret < 0)
			return ret;
	}
	judge_groups(s);
	if (s->groups.has_sums)
		add_groups(s, 0, s->groups.count);
	for (i = 0; i < s->items; i++) {
		if (s->item[i].work.by || is_in_pass(&s->item[i], pass))
			step_item(s, &s->item[i], pass);
	}
	return 0;
}

/*
 * A reading between two looks at the clock is of the middle between them. What it takes at least it
 * takes each time, so that its counters are as far apart at both ends of a period; what it takes
 * beyond that may be anywhere in it.
 */
static void note_moment(struct ntime_session *s, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t took_ns = end_ns - begin_ns;

	if (took_ns < s->clock.least_ns)
		s->clock.least_ns = took_ns;
	s->clock.moment.at_ns = begin_ns + took_ns / 2;
	s->clock.moment.unsure_ns = (took_ns - s->clock.least_ns + 1) / 2;
}

/*
 * Reading CPUs by interrupts differs by some 10 us of itself, and would do so again: of 1,000
 * readings a second most were read anew where a hundredth of the period was the only bound, and
 * cost twice as much.
 */
#define TORN_NS 100000u

/* Who was interrupted once is the less likely to be it soon again. */
#define READ_TRIES 3

/*
 * All groups, and time and TSC of the moment: reading may take long, and the clock over the time
 * must be the clock's rate.
 */
static int read_groups_in_time(struct ntime_session *s)
{
	uint64_t last_ns = s->clock.moment.at_ns ? s->clock.moment.at_ns : s->clock.started_ns;
	unsigned int tries = 0;
	bool is_torn;

	do {
		uint64_t begin_ns = nti_session_now_ns(s), begin_tsc = nti_session_tsc(s);
		int ret = read_groups(s, nti_session_real_ns_at(s, begin_ns));

		if (ret < 0)
			return ret;
		/* In a recording nothing takes time, and the clock moves when it is looked at. */
		note_moment(s, begin_ns,
			    s->ctx->os->is_timeless ? begin_ns : nti_session_now_ns(s));
		s->clock.read_tsc = begin_tsc + (nti_session_tsc(s) - begin_tsc) / 2;
		/*
		 * Somebody took the CPU meanwhile, for more than a small share of the time since
		 * the last reading.
		 */
		is_torn = s->clock.is_running && s->clock.moment.unsure_ns > TORN_NS &&
			  s->clock.moment.unsure_ns > (s->clock.moment.at_ns - last_ns) / 100;
	} while (is_torn && ++tries < READ_TRIES);
	return 0;
}

/* Every group's counts at this moment; the session's time in *@real_ns, where that is wanted. */
static int read_once(struct ntime_session *s, bool needs_time, uint64_t *real_ns)
{
	int ret;

	*real_ns = 0;
	if (needs_time) {
		ret = read_groups_in_time(s);
		*real_ns = nti_session_real_ns_at(s, s->clock.moment.at_ns);
	} else {
		s->clock.moment.at_ns = 0;
		ret = read_groups(s, 0);
	}
	if (ret == 0 && s->procs)
		ret = nti_session_procs_read(s);
	if (ret == 0 && s->pmus)
		ret = end_turns(s);
	if (ret < 0)
		return ret;
	if (s->pmus)
		nti_session_readers_refresh(s);
	judge_groups(s);
	return 0;
}

int ntime_session_read(struct ntime_session *s, struct ntime_value *out, size_t n)
{
	struct nti_session_item *item, *end;
	struct ntime_value *value = out;
	uint64_t real_ns;
	int ret;

	if (!s->is_open || n != s->items)
		return nti_error(&s->ctx->error, -EINVAL,
				 "open the session first; pass the exact count of items");
	ret = read_once(s, s->clock.needs_time, &real_ns);
	if (ret < 0)
		return ret;
	if (s->groups.has_sums)
		add_groups(s, 0, s->groups.count);
	/*
	 * What is written could be the session, for all that the compiler knows: it is looked up
	 * once.
	 */
	end = s->item + n;
	for (item = s->item; item < end; item++, value++) {
		if (__builtin_expect(item->only && item->only->is_exact, 1))
			exact_value(item, value);
		else
			item_value(s, item, real_ns, value);
	}
	if (s->doubts->seen)
		nti_doubts_check(s, s->doubts->seen, s->doubts->moved, out);
	if (s->stripped->expected_ns)
		nti_session_check_stripped(s, out);
	if (s->metrics)
		ret = ntime_session_metrics(s, out, n);
	return ret < 0 ? ret : (int)n;
}

/* An event of one thread or CPU, whose groups were added up. */
static void event_at(struct ntime_session *s, const struct nti_session_rows *rows, size_t at,
		     size_t i, struct ntime_value *out)
{
	size_t cell = at * s->items + i;

	switch (rows->where[cell]) {
	case NTI_HERE:
		event_value(s, &s->item[i], &s->groups.sum[i], &rows->estimate[cell], NULL, out);
		break;
	case NTI_ELSEWHERE:
		*out = no_value(NTIME_ELSEWHERE, 0);
		break;
	default:
		*out = no_value(NTIME_ABSENT, 0);
	}
	out->flags |= s->item[i].flags;
}

static int read_row(struct ntime_session *s, const struct nti_session_rows *rows, size_t at,
		    uint64_t real_ns, struct ntime_value *row)
{
	size_t i;

	add_groups(s, rows->first[at], rows->first[at + 1]);
	for (i = 0; i < s->items; i++) {
		struct nti_session_item *item = &s->item[i];

		if (item->is_metric || item->is_clock || item->is_emulated ||
		    nti_session_item_is_absent(item))
			item_value(s, item, real_ns, &row[i]);
		else if (item->is_proc)
			row[i] = nti_session_procs_value(s, item, at, real_ns);
		else
			event_at(s, rows, at, i, &row[i]);
		if (item->is_proc)
			row[i].flags |= item->flags;
		/* How many CPUs a metric tells of. */
		if (item->is_metric && s->where[at].cpu >= 0)
			row[i].count = 1;
	}
	if (s->doubts->seen)
		nti_doubts_check(s, &rows->seen[at * s->items],
				 &rows->moved[at * s->doubts->checks], row);
	return s->metrics ? ntime_session_metrics(s, row, s->items) : 0;
}

int ntime_session_read_where(struct ntime_session *s, struct ntime_value *out, size_t n,
			     size_t where_count)
{
	const struct nti_session_rows *rows;
	uint64_t real_ns;
	size_t at;
	int ret;

	if (!s->is_open || n != s->items || where_count != s->where_count)
		return nti_error(&s->ctx->error, -EINVAL,
				 "open the session first; pass exact counts of items and of "
				 "threads or CPUs");
	ret = nti_session_rows_get(s, &rows);
	if (ret == 0)
		ret = read_once(s, true, &real_ns);
	if (ret == 0 && s->doubts->has_doubt_of_0) {
		add_groups(s, 0, s->groups.count);
		nti_doubts_vouch(s);
	}
	for (at = 0; ret == 0 && at < where_count; at++)
		ret = read_row(s, rows, at, real_ns, &out[at * n]);
	return ret < 0 ? ret : (int)(n * where_count);
}

int ntime_session_read_time(const struct ntime_session *s, uint64_t *at_ns, uint64_t *unsure_ns)
{
	if (!s->clock.moment.at_ns)
		return nti_error(&s->ctx->error, -EINVAL,
				 "the last read was not ntime_session_read_where()");
	*at_ns = s->clock.moment.at_ns;
	*unsure_ns = s->clock.moment.unsure_ns;
	return 0;
}

/*
 * Values of one thread or CPU have no sum to be missing from: an event that is counted at another
 * one has no number, and so has the metric.
 */
#define INPUT_FLAGS                                                                                \
	(NTIME_ABSENT | NTIME_NOT_COUNTED | NTIME_SCALED | NTIME_PARTIAL | NTIME_OVERFLOWED |      \
	 NTIME_SIMULATED | NTIME_USER_ONLY | NTIME_ELSEWHERE | NTIME_LOST | NTIME_STATE |          \
	 NTIME_GONE | NTIME_HOTPLUG | NTIME_IMPLAUSIBLE | NTIME_PROC | NTIME_EMULATED |            \
	 NTIME_AT_MOST)

/*
 * Counters are started one after the other, and clocks differ: so much of a share may be that, and
 * what is above 100 is nothing else.
 */
#define SHARE_MOST 101.0

/*
 * Value of an event in a metric: NaN spreads, so that a metric without its events has no value
 * either.
 */
static void metric_value(const struct ntime_session *s, const struct nti_session_item *item,
			 struct ntime_value *values, struct ntime_value *out)
{
	struct nti_number number[NTI_METRIC_MAX_EVENTS], result;
	double wanted_ns[NTI_METRIC_MAX_EVENTS];
	struct nti_formula_input in = { .events = number,
					.wanted_ns = wanted_ns,
					.real_ns = out->wanted_ns ? (double)out->wanted_ns : NAN,
					.cpus = out->count ? (double)out->count : s->ctx->cpus };
	uint32_t flags = NTIME_METRIC | (out->flags & NTIME_SIMULATED);
	size_t i, n = item->inputs;
	uint32_t hotplugs = 0;

	for (i = 0; i < n; i++) {
		const struct ntime_value *v = &values[item->input[i]];

		number[i] = (struct nti_number){
			.value = v->value,
			.error = v->error,
			.below = v->below,
			.above = v->above,
			.is_bounded = v->flags & NTIME_BOUNDED,
		};
		wanted_ns[i] = (double)v->wanted_ns;
		flags |= v->flags & INPUT_FLAGS;
		hotplugs = v->hotplugs > hotplugs ? v->hotplugs : hotplugs;
	}
	/* What is not here has a reason, which counting for longer does not remove. */
	if (flags & NTIME_ABSENT)
		flags &= ~NTIME_NOT_COUNTED;
	result = nti_formula_eval(item->formula, &in);
	/* 0 / 0: nothing happened, so there is no ratio of it. */
	if (isnan(result.value) && !(flags & (NTIME_ABSENT | NTIME_ELSEWHERE)))
		flags |= NTIME_NOT_COUNTED;
	if (item->is_share && result.value - result.below > SHARE_MOST) {
		flags |= NTIME_IMPLAUSIBLE;
		nti_doubt_share(s, item);
	} else if (item->is_share && result.value > 100 && result.value <= SHARE_MOST) {
		result.value = 100;
	}
	out->value = result.value;
	out->below = isnan(result.value) ? 0 : result.below;
	out->above = isnan(result.value) ? 0 : result.above;
	out->error = isnan(result.value) ? 0 : fmax(result.below, result.above);
	out->counted_ns = out->wanted_ns;
	out->flags = flags;
	out->hotplugs = hotplugs;
}

int ntime_session_metrics(const struct ntime_session *s, struct ntime_value *values, size_t n)
{
	size_t i;

	if (n != s->items)
		return nti_error(&s->ctx->error, -EINVAL,
				 "a session's metrics need as many values as it has items");
	for (i = 0; i < n; i++) {
		const struct nti_session_item *item = &s->item[i];

		if (!item->is_metric)
			continue;
		if (item->formula)
			metric_value(s, item, values, &values[i]);
		else
			values[i] = no_value(NTIME_ABSENT | NTIME_METRIC |
						     (values[i].flags & NTIME_SIMULATED),
					     values[i].wanted_ns);
	}
	return 0;
}

/*
 * One side: what the scatter of the whole run makes of a shorter period goes with the root of its
 * length; by how much the variance grew in it is the scatter that was seen there.
 */
static double delta_side(double earlier, double later, double root)
{
	return fmax(later * root, sqrt(fmax(later * later - earlier * earlier, 0)));
}

/* @share of the period was seen. What was counted did happen, and chance had its part. */
static void delta_interval(const struct ntime_value *earlier, const struct ntime_value *whole,
			   double share, struct ntime_value *d)
{
	struct nti_estimated chance = nti_estimate_chance((double)d->count, (1 - share) / share);
	double root = sqrt((double)d->wanted_ns / (double)whole->wanted_ns);
	double below = delta_side(earlier->below, whole->below, root);
	double above = delta_side(earlier->above, whole->above, root);

	d->below = fmin(fmax(below, chance.below * whole->scale),
			d->value - (double)d->count * whole->scale);
	d->above = fmax(above, chance.above * whole->scale);
	d->error = fmax(d->below, d->above);
}

/* What can have been in a nanosecond in which nobody looked, in the item's unit. */
static double most_rate(const struct ntime_value *v)
{
	return (v->value + v->above - (double)v->count * v->scale) /
	       ((double)v->wanted_ns - (double)v->counted_ns);
}

/*
 * All that is possible: what can have been until then at most, less what can have been before. That
 * holds whichever of the rate of the hardware, which is always the same, and the counts beside it
 * was the limit; but these may have been read a moment earlier or later, at both ends.
 */
static void delta_bounds(const struct ntime_value *earlier, const struct ntime_value *whole,
			 struct ntime_value *d)
{
	double least = (double)d->count * whole->scale;
	double most = whole->value + whole->above;

	if (!isnan(earlier->value) && isfinite(most))
		most -= earlier->value + earlier->above;
	most = fmax(most, least);
	if (!(fabs(most_rate(whole) - most_rate(earlier)) <= 1e-9 * most_rate(whole)))
		most += 2 * NTI_CAP_SLACK * whole->scale;
	d->value = fmax(fmin(d->value, most), least);
	d->below = d->value - least;
	d->above = most - d->value;
	d->error = fmax(d->below, d->above);
	d->flags |= NTIME_BOUNDED;
}

/* What a period lacks of the time of CPUs that came or went is its own matter. */
static void judge_part(const struct ntime_value *whole, struct ntime_value *d)
{
	if (d->wanted_ns <= d->counted_ns && whole->wanted_ns > whole->counted_ns)
		d->flags &= ~NTIME_PARTIAL;
	else if (d->wanted_ns > d->counted_ns &&
		 d->wanted_ns - d->counted_ns > d->wanted_ns / MISSED_SHARE)
		d->flags |= NTIME_PARTIAL;
}

void ntime_value_delta(const struct ntime_value *earlier, const struct ntime_value *later,
		       struct ntime_value *out)
{
	struct ntime_value d = *later;
	double share;

	d.wanted_ns -= earlier->wanted_ns;
	/* Of the periods of /proc's counters only those that were lost have no number. */
	if ((later->flags & NTI_PROCS_LOST) == NTI_PROCS_LOST && !(later->flags & NTIME_STATE)) {
		if (later->counted_ns - earlier->counted_ns != d.wanted_ns) {
			*out = no_value(d.flags, d.wanted_ns);
			return;
		}
		d.flags &= ~(NTIME_NOT_COUNTED | NTIME_IMPLAUSIBLE);
	}
	if (d.flags & (NTIME_ABSENT | NTIME_METRIC | NTIME_NOT_COUNTED | NTIME_ELSEWHERE)) {
		*out = d;
		return;
	}
	d.counted_ns -= earlier->counted_ns;
	/* CPUs that came or went before are as they are. */
	d.hotplugs -= earlier->hotplugs;
	if (!d.hotplugs)
		d.flags &= ~NTIME_HOTPLUG;
	/* A CPU that was off line all this time: nobody looked, and there was nothing. */
	if (later->flags & NTIME_HOTPLUG && !d.wanted_ns && !d.hotplugs) {
		*out = no_value(d.flags | NTIME_NOT_COUNTED | NTIME_HOTPLUG, 0);
		return;
	}
	/* What was counted before it went was not counted all this time. */
	if (later->flags & NTIME_GONE) {
		*out = no_value(d.flags | NTIME_ABSENT, d.wanted_ns);
		return;
	}
	/* How things are at the end is how they are. */
	if (later->flags & NTIME_STATE) {
		*out = d;
		return;
	}
	d.count -= earlier->count;
	d.flags &= ~(NTIME_SCALED | NTIME_BOUNDED | NTIME_NOT_COUNTED);
	if (later->flags & NTIME_HOTPLUG && !(later->flags & NTIME_SCALED))
		judge_part(later, &d);
	d.error = d.below = d.above = 0;
	if (d.wanted_ns && !d.counted_ns) {
		*out = no_value(d.flags | NTIME_NOT_COUNTED, d.wanted_ns);
		return;
	}
	/* What is whole in all is whole in its parts. */
	share = d.wanted_ns && later->flags & NTIME_SCALED
			? (double)d.counted_ns / (double)d.wanted_ns
			: 1;
	d.value = (double)d.count * later->scale / fmin(share, 1);
	if (share < 1) {
		d.flags |= NTIME_SCALED;
		/* What was missed of a CPU is no time to extrapolate to. */
		if (later->flags & NTIME_HOTPLUG)
			d.value =
				fmax(later->value - earlier->value, (double)d.count * later->scale);
		if (later->flags & NTIME_BOUNDED)
			delta_bounds(earlier, later, &d);
		else
			delta_interval(earlier, later, share, &d);
	}
	*out = d;
}
