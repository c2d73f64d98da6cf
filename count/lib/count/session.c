// SPDX-License-Identifier: MIT
/* A session from new to free: its life, its clock, its items as others see them. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"
#include "base/common/set.h"
#include "base/common/text.h"
#include "base/os/process.h"
#include "count/lib/access/proc.h"
#include "count/lib/count/doubt.h"
#include "count/lib/count/estimates.h"
#include "count/lib/count/follow.h"
#include "count/lib/count/plan.h"
#include "count/lib/count/procs.h"
#include "count/lib/count/reader.h"
#include "count/lib/count/rotate.h"
#include "count/lib/count/rows.h"
#include "count/lib/count/session.h"
#include "count/lib/count/ways.h"
#include "count/lib/machine/topology.h"

/* What a target means: the threads or CPUs on which counters are opened. */

static int add_place(struct ntime_session *s, pid_t pid, int cpu)
{
	if (!nti_grow(&s->where, s->where_count))
		return -ENOMEM;
	s->where[s->where_count++] = (struct nti_perf_where){ .pid = pid, .cpu = cpu };
	return 0;
}

int nti_session_add_device_place(struct ntime_session *s)
{
	if (s->where_count && nti_session_is_device_place(s->where[s->where_count - 1]))
		return 0;
	return add_place(s, -1, -1);
}

static int add_thread(void *arg, const char *name)
{
	uint64_t tid;

	return nti_text_parse_u64(name, &tid) < 0 ? 0 : add_place(arg, (pid_t)tid, -1);
}

static int find_threads(struct ntime_session *s)
{
	pid_t pid = s->target.pid;
	char path[32];
	int ret;

	if (pid < 0)
		return nti_error(&s->ctx->error, -EINVAL, "%d is not a process id", pid);
	/* What was forked for exec has one thread, and of several one goes through exec. */
	if (s->target.flags & NTIME_ON_EXEC && nti_os_has_process(s->ctx->os, pid))
		return add_place(s, pid, -1);
	if (pid == 0)
		(void)snprintf(path, sizeof(path), "/proc/self/task");
	else
		(void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
	ret = s->ctx->os->ops->list(s->ctx->os, path, add_thread, s);
	if (ret == -ENOENT && nti_os_has_process(s->ctx->os, pid))
		return add_place(s, pid,
				 -1); /* another root directory, with another /proc or none */
	if (ret == -ENOENT)
		return nti_error(&s->ctx->error, -ESRCH, "there is no process %d", pid);
	if (ret < 0)
		return nti_error(&s->ctx->error, ret, "cannot list the threads of process %d: %s",
				 pid, strerror(-ret));
	return s->where_count ? 0 : nti_error(&s->ctx->error, -ESRCH, "process %d has ended", pid);
}

static int find_thread(struct ntime_session *s)
{
	pid_t pid = s->target.pid;

	if (pid < 0)
		return nti_error(&s->ctx->error, -EINVAL, "%d is not a thread id", pid);
	/* A recording has no processes: there the command that runs is a real one. */
	if (pid && !nti_os_has_process(s->ctx->os, pid))
		return nti_error(&s->ctx->error, -ESRCH, "there is no thread %d", pid);
	return add_place(s, pid, -1);
}

int nti_session_cpu_is_off_line(struct ntime_session *s, unsigned int cpu)
{
	return nti_error(&s->ctx->error, -ENODEV,
			 "CPU %u is off line (echo 1 > /sys/devices/system/cpu/cpu%u/online)", cpu,
			 cpu);
}

/* State of walking a list of CPUs: each must be on line. */
struct cpu_walk {
	struct ntime_session *s;
	const char *text; /* of .online */
	struct nti_set online, seen;
};

static int add_cpu(void *arg, unsigned int cpu)
{
	struct cpu_walk *w = arg;
	struct ntime_session *s = w->s;
	int ret;

	if (nti_set_has(&w->seen, cpu)) /* "0,0" must not count twice */
		return 0;
	if (nti_set_has(&w->online, cpu)) {
		ret = nti_set_add(&w->seen, cpu);
		return ret < 0 ? ret : add_place(s, -1, (int)cpu);
	}
	if (nti_os_exists(s->ctx->os, "/sys/devices/system/cpu/cpu%u", cpu))
		return nti_session_cpu_is_off_line(s, cpu);
	return nti_error(&s->ctx->error, -ENODEV, "there is no CPU %u (on line: %s)", cpu, w->text);
}

static int find_cpus(struct ntime_session *s)
{
	struct ntime_ctx *ctx = s->ctx;
	char online[4096];
	struct cpu_walk walk = { .s = s, .text = online };
	const char *list = s->target.kind == NTIME_TARGET_CPUS ? s->cpus : online;
	int ret = nti_context_online(ctx, online, sizeof(online));

	if (ret < 0)
		return ret;
	ret = nti_set_add_list(&walk.online, online, NTI_CPU_LIMIT);
	if (ret != -ENOMEM)
		ret = nti_text_for_each_in_list(list, NTI_CPU_LIMIT, add_cpu, &walk);
	nti_set_fini(&walk.online);
	nti_set_fini(&walk.seen);
	if (ret == -EINVAL || ret == -ERANGE)
		return nti_error(&ctx->error, -EINVAL, "'%s' is not a CPU list such as 0-3,8",
				 list);
	return ret;
}

static int find_where(struct ntime_session *s)
{
	switch (s->target.kind) {
	case NTIME_TARGET_THREAD:
		return find_thread(s);
	case NTIME_TARGET_PROCESS:
		return find_threads(s);
	default:
		return find_cpus(s);
	}
}

#define TARGET_FLAGS                                                                               \
	(NTIME_CHILDREN | NTIME_ON_EXEC | NTIME_BY_PASS | NTIME_PASS_ALONE | NTIME_TURNS |         \
	 NTIME_READ_BY_CALL)

static int check_target(struct ntime_ctx *ctx, const struct ntime_target *t)
{
	int ret = nti_error_check_size(&ctx->error, "struct ntime_target", t->size, sizeof(*t));
	if (ret < 0)
		return ret;
	if (t->kind > NTIME_TARGET_MACHINE || t->flags & ~TARGET_FLAGS || !ntime_via_name(t->via) ||
	    t->reserved)
		return nti_error(&ctx->error, -EINVAL,
				 "unknown kind, flag, access method or reserved field in struct "
				 "ntime_target");
	if (t->context && !*t->context)
		return nti_error(&ctx->error, -EINVAL, "a context has a name, and it is not empty");
	if ((t->via == NTIME_VIA_EMULATOR) != (t->emulator != NULL) ||
	    (t->emulator && t->kind >= NTIME_TARGET_CPUS))
		return nti_error(&ctx->error, -EINVAL,
				 "the emulator counts a command that it runs, and nothing else");
	/* Registers do not change with the program that runs. */
	if (t->via > NTIME_VIA_PERF && !t->emulator && t->kind < NTIME_TARGET_CPUS)
		return nti_error(&ctx->error, -EINVAL,
				 "%s counts CPUs, not programs: add -a or -C CPUS",
				 ntime_via_name(t->via));
	if (__builtin_popcount(t->flags & (NTIME_BY_PASS | NTIME_PASS_ALONE | NTIME_TURNS)) > 1)
		return nti_error(&ctx->error, -EINVAL,
				 "NTIME_BY_PASS, NTIME_PASS_ALONE and NTIME_TURNS exclude each "
				 "other");
	if (t->flags & NTIME_ON_EXEC && t->kind >= NTIME_TARGET_CPUS)
		return nti_error(&ctx->error, -EINVAL,
				 "CPUs call no exec(): NTIME_ON_EXEC is for threads and processes");
	if (t->kind == NTIME_TARGET_CPUS && (!t->cpus || !*t->cpus))
		return nti_error(&ctx->error, -EINVAL,
				 "the CPU list is empty: write CPU numbers such as 0-3,8");
	return 0;
}

/* A session and what it points to, each known to those who include its header. */
struct whole {
	struct ntime_session s; /* first: it is freed by it */
	struct nti_session_plan plan;
	struct nti_rotation rotation;
	struct nti_estimates estimates;
	struct nti_hotplug hotplug;
	struct nti_stripped stripped;
	struct nti_doubts doubts;
	struct nti_readers readers;
};

static struct ntime_session *session_alloc(void)
{
	struct whole *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->s.plan = &w->plan;
	w->s.rotation = &w->rotation;
	w->s.estimates = &w->estimates;
	w->s.hotplug = &w->hotplug;
	w->s.stripped = &w->stripped;
	w->s.doubts = &w->doubts;
	w->s.readers = &w->readers;
	return &w->s;
}

static void session_free(struct ntime_session *s)
{
	size_t i;

	nti_session_rows_fini(s);
	nti_session_close_groups(s);
	for (i = 0; i < s->items; i++)
		nti_session_item_fini(&s->item[i]);
	free(s->item);
	free(s->where);
	free(s->cpus);
	free(s->context);
	free(s);
}

int ntime_session_new(struct ntime_ctx *ctx, const struct ntime_target *target,
		      struct ntime_session **out)
{
	static const struct ntime_target self = { .size = sizeof(self) };
	const struct ntime_target *t = target ? target : &self;
	struct ntime_session *s;
	int ret;

	*out = NULL;
	if (ctx->is_broken)
		return -EINVAL;
	ret = check_target(ctx, t);
	if (ret < 0)
		return ret;
	s = session_alloc();
	if (!s)
		return -ENOMEM;
	s->ctx = ctx;
	s->clock.least_ns = UINT64_MAX;
	s->target = *t;
	if (t->cpus) {
		s->cpus = strdup(t->cpus);
		if (!s->cpus) {
			ret = -ENOMEM;
			goto err_free;
		}
	}
	s->target.cpus = s->cpus;
	s->context = t->context ? strdup(t->context) : NULL;
	if (t->context && !s->context) {
		ret = -ENOMEM;
		goto err_free;
	}
	s->target.context = s->context;
	ret = find_where(s);
	if (ret < 0)
		goto err_free;
	*out = s;
	return 0;
err_free:
	session_free(s);
	return ret;
}

void ntime_session_free(struct ntime_session *s)
{
	if (s)
		session_free(s);
}

size_t ntime_session_count(const struct ntime_session *s)
{
	return s->items;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static const char *method_of_event(const struct nti_session_item *item,
				   const struct ntime_session *s)
{
	const struct nti_unit *unit = nti_session_unit_of(item);

	if (item->is_clock)
		return "clock";
	if (item->is_emulated)
		return nti_method_get(NTI_METHOD_EMULATOR)->name;
	if (unit && unit->kind == NTI_UNIT_DEVICE)
		return nti_method_get(unit->method)->name;
	if (s->ctx->os->is_simulated || !unit)
		return s->ctx->os->is_simulated ? "replay" : "perf";
	return nti_method_get(nti_session_method(s, unit))->name;
}

/* The next event of a metric from input *@i on, beside the clock; NULL at the end. */
static const struct nti_session_item *next_event(const struct ntime_session *s,
						 const struct nti_session_item *metric, size_t *i)
{
	while (*i < metric->inputs) {
		const struct nti_session_item *event = &s->item[metric->input[(*i)++]];

		if (!event->is_clock)
			return event;
	}
	return NULL;
}

/* Of a metric that of its events; "" when they are counted in several ways. */
static const char *method_of(const struct nti_session_item *item, const struct ntime_session *s)
{
	const struct nti_session_item *event;
	const char *method = "", *other;
	size_t i = 0;

	if (!item->is_metric)
		return method_of_event(item, s);
	while ((event = next_event(s, item, &i))) {
		other = method_of_event(event, s);
		if (*method && strcmp(method, other) != 0)
			return "";
		method = other;
	}
	return method;
}

/* "" for metrics, and for events of a PMU that this machine has not. */
static const char *unit_of(const struct nti_session_item *item)
{
	const struct nti_unit *unit = nti_session_unit_of(item);

	return !item->is_metric && unit ? unit->name : "";
}

/* A device is narrower than the machine, and nothing else of it. */
static uint32_t wider(uint32_t a, uint32_t b)
{
	static const uint8_t rank[] = {
		[NTIME_SCOPE_CPU] = 0,	   [NTIME_SCOPE_CORE] = 1,   [NTIME_SCOPE_L3] = 2,
		[NTIME_SCOPE_PACKAGE] = 3, [NTIME_SCOPE_DEVICE] = 4, [NTIME_SCOPE_MACHINE] = 5,
	};

	return rank[a] > rank[b] ? a : b;
}

/*
 * A program has done what it did, wherever that was counted. The session's clock tells of all that
 * there is.
 */
static uint32_t scope_of_event(const struct ntime_session *s, const struct nti_session_item *item)
{
	uint32_t widest = NTIME_SCOPE_CPU;
	size_t i;

	if (item->is_clock)
		return NTIME_SCOPE_MACHINE;
	if (item->is_proc)
		return nti_proc_row(item->event.part[0].attr.config)->is_per_cpu
			       ? NTIME_SCOPE_CPU
			       : NTIME_SCOPE_MACHINE;
	for (i = 0; i < item->event.parts; i++) {
		const struct nti_unit *unit = item->event.part[i].unit;

		if (unit && (s->target.kind >= NTIME_TARGET_CPUS || unit->kind == NTI_UNIT_DEVICE))
			widest = wider(widest, unit->scope);
	}
	return widest;
}

/* That of its widest event; the clock stands in every row. */
static uint32_t scope_of(const struct ntime_session *s, const struct nti_session_item *item)
{
	const struct nti_session_item *event;
	uint32_t scope, widest = NTIME_SCOPE_CPU;
	bool has_events = false;
	size_t i = 0;

	if (!item->is_metric)
		return scope_of_event(s, item);
	while ((event = next_event(s, item, &i))) {
		has_events = true;
		scope = scope_of_event(s, event);
		widest = wider(widest, scope);
	}
	return has_events || !item->formula ? widest : NTIME_SCOPE_MACHINE;
}

static uint32_t together_of(const struct nti_session_item *item)
{
	/* Each row has the session's time: that of several rows is the same again. */
	if (item->is_clock)
		return NTIME_MAX;
	return item->is_metric ? NTIME_SUM : item->event.together;
}

/* Why what counted event @item is gone; NULL: it is not. */
static const char *why_event_is_gone(const struct ntime_session *s, size_t item)
{
	size_t i, k;

	for (i = 0; i < s->groups.count; i++) {
		const struct nti_session_group *g = &s->groups.group[i];
		const char *why = nti_session_why_gone(g);

		for (k = 0; why && k < g->perf.count; k++) {
			if (s->plan->part[g->part[k]].item == item)
				return why;
		}
	}
	return NULL;
}

static const char *why_gone(const struct ntime_session *s, size_t item)
{
	const char *why = NULL;
	size_t i;

	if (!s->item[item].is_metric)
		return why_event_is_gone(s, item);
	for (i = 0; !why && i < s->item[item].inputs; i++)
		why = why_event_is_gone(s, s->item[item].input[i]);
	return why;
}

/* It is counted, but something that it was counted of has gone meanwhile. */
static void set_offline(struct ntime_item *out, const char *about, const char *why,
			enum ntime_remedy_kind kind, const char *remedy)
{
	out->reason_code = NTIME_REASON_OFFLINE;
	out->remedy_kind = kind;
	out->about = about;
	out->reason = out->cause = why;
	out->remedy = remedy;
}

/* It is counted, and its number cannot be right, or is known to be wrong at times. */
static void set_doubt(const struct ntime_session *s, size_t i, struct ntime_item *out)
{
	const struct nti_absence *doubt = &s->item[i].doubt;
	const char *why = nti_doubts_why(s, i);

	/* Why a count is another one than was asked for matters more than what is known of all. */
	if (doubt->reason && !(doubt->code == NTIME_REASON_ERRATUM && out->reason_code)) {
		out->reason_code = doubt->code;
		out->remedy_kind = doubt->remedy_kind;
		out->about = doubt->about;
		out->reason = out->cause = doubt->reason;
		out->remedy = doubt->remedy;
	}
	if (!why || doubt->code == NTIME_REASON_IMPLAUSIBLE)
		return;
	out->reason_code = NTIME_REASON_IMPLAUSIBLE;
	out->remedy_kind = NTIME_REMEDY_HERE;
	out->about = out->unit;
	out->reason = out->cause = why;
	out->remedy = s->item[i].is_proc
			      ? "count again, or with -I: other intervals have their numbers"
			      : "do not use this number; ntime doctor --self-test tests the "
				"counters";
}

static double max_rate_of(const struct nti_session_item *item)
{
	double rate = item->is_metric || item->is_clock ? INFINITY : nti_session_hard_rate(item);

	return isfinite(rate) ? rate * 1e9 * item->event.scale : 0;
}

static bool is_in_context(const struct nti_session_item *item)
{
	const struct nti_unit *unit = item->is_metric ? NULL : nti_session_unit_of(item);

	return unit && nti_unit_is_context(unit);
}

int ntime_session_item(const struct ntime_session *s, size_t i, struct ntime_item *out)
{
	const struct nti_session_item *item;
	const char *why;
	int ret =
		nti_error_check_size(&s->ctx->error, "struct ntime_item", out->size, sizeof(*out));

	if (ret < 0)
		return ret;
	if (i >= s->items)
		return nti_error(&s->ctx->error, -EINVAL,
				 "there is no item %zu; the session has %zu", i, s->items);
	item = &s->item[i];
	*out = (struct ntime_item){
		.size = sizeof(*out),
		.pass = item->pass,
		.is_metric = item->is_metric,
		.is_hidden = item->is_hidden,
		.scale = item->is_metric ? 1 : item->event.scale,
		.name = item->name,
		.unit = unit_of(item),
		.unit_text = or_empty(item->is_metric ? item->unit_text : item->event.unit_text),
		.method = method_of(item, s),
		NTI_ABSENCE_INFO(&item->absent),
		.cause = nti_absence_cause(&item->absent),
		.beside = or_empty(item->beside),
		.scope = scope_of(s, item),
		.together = together_of(item),
		.is_state = !item->is_metric && item->event.is_state,
		.max_rate = max_rate_of(item),
		.in_every_pass = item->is_in_every_pass,
		.turns = item->turns,
		.in_context = is_in_context(item),
	};
	if (nti_session_item_is_absent(item))
		return 0;
	set_doubt(s, i, out);
	why = nti_session_why_stripped(s, i);
	if (why && out->reason_code != NTIME_REASON_IMPLAUSIBLE) {
		set_offline(out, "command", why, NTIME_REMEDY_HERE,
			    s->ctx->os->ops->is_privileged(s->ctx->os, false)
				    ? "run ntime as the user that the program changes to"
				    : "run ntime as root or as the user that the program changes "
				      "to");
		out->reason_code = NTIME_REASON_PERMISSION;
		return 0;
	}
	if (item->absent.reason || out->reason_code == NTIME_REASON_IMPLAUSIBLE)
		return 0;
	why = nti_session_why_hotplug(s, i);
	if (why)
		set_offline(out, s->hotplug->why_changed, why, NTIME_REMEDY_NONE, "none");
	why = why_gone(s, i);
	if (why)
		set_offline(out, out->unit, why, NTIME_REMEDY_HERE,
			    "start again when the device is back");
	return 0;
}

uint64_t ntime_session_length_ns(const struct ntime_session *s)
{
	return nti_session_real_ns(s);
}

/* Registers step by other amounts than the kernel's counter of that name does. */
static void settle_items(struct ntime_session *s)
{
	size_t i;

	for (i = 0; i < s->items; i++) {
		struct nti_event *event = &s->item[i].event;

		s->item[i].flags |= event->is_state ? NTIME_STATE : 0;
		if (event->parts && nti_session_is_direct(s, event->part[0].unit) &&
		    event->box_scale > 0)
			event->scale = event->box_scale;
	}
}

/*
 * Units that count for several CPUs are in the session: items tell of what. Who knows no topology
 * has to do without.
 */
static void find_scopes(struct ntime_session *s)
{
	size_t i;

	for (i = 0; s->target.kind >= NTIME_TARGET_CPUS && i < s->plan->parts; i++) {
		const struct nti_unit *unit = s->plan->part[i].part->unit;

		if (unit->kind == NTI_UNIT_UNCORE && unit->cpus && !unit->box) {
			(void)nti_context_scopes(s->ctx);
			return;
		}
	}
}

int ntime_session_open(struct ntime_session *s)
{
	int ret;

	if (s->is_open)
		return 0;
	if (!s->items)
		return nti_error(&s->ctx->error, -EINVAL,
				 "a session without events counts nothing: add one");
	/* Threads that began since the session was made. */
	if (s->target.kind == NTIME_TARGET_PROCESS) {
		s->where_count = 0;
		ret = find_where(s);
		if (ret < 0)
			return ret;
	}
	ret = nti_session_open_groups(s);
	if (ret < 0) {
		nti_session_close_groups(s);
		return ret;
	}
	settle_items(s);
	find_scopes(s);
	s->is_open = true;
	return 0;
}

uint64_t ntime_session_max_read_interval_ns(const struct ntime_session *s)
{
	if (!s->is_open)
		return 0;
	return s->pmus ? nti_pmus_max_read_interval_ns(s->pmus) : UINT64_MAX;
}

unsigned int ntime_session_passes(const struct ntime_session *s)
{
	return s->is_open ? s->plan->passes : 0;
}

const char *ntime_session_plan_text(struct ntime_session *s, unsigned int pass)
{
	return s->is_open && pass < s->plan->passes && s->plan->pass_text[pass]
		       ? s->plan->pass_text[pass]
		       : "";
}

/*
 * Enable or disable the groups of the current pass; with @only_pass the ones that count in every
 * pass stay as they are.
 */
static int switch_groups(struct ntime_session *s, bool on, bool only_pass)
{
	int ret = 0, one;
	size_t i;

	for (i = 0; i < s->groups.count; i++) {
		struct nti_session_group *g = &s->groups.group[i];

		if (!nti_session_is_current(s, g) || (only_pass && g->is_in_every_pass) ||
		    g->is_off)
			continue;
		/* What waits for exec is started by the kernel itself, once, if perf counts it. */
		if (on && s->target.flags & NTIME_ON_EXEC && !s->clock.was_started && !g->direct &&
		    g->unit->kind != NTI_UNIT_DEVICE)
			continue;
		/* What was begun is ended: only the beginning can be interrupted. */
		if (on && !s->clock.was_started && nti_context_interrupted(s->ctx) < 0)
			return -EINTR;
		one = on ? nti_session_group_enable(s, g) : nti_session_group_disable(s, g);
		if (one < 0 && s->hotplug->is_following && g->perf.where.cpu >= 0 &&
		    !nti_session_is_on_line(s, g->perf.where.cpu)) {
			nti_session_lose_group(s, i);
			continue;
		}
		if (one < 0 && !ret)
			ret = nti_error(&s->ctx->error, -EIO, "cannot %s the counters of %s: %s",
					on ? "start" : "stop", g->unit->name,
					nti_session_words_for(s, g, one));
	}
	return ret;
}

/* Counters that were switched off on purpose stood still rightly. */
static void forget_standstill(struct ntime_session *s)
{
	size_t i;

	for (i = 0; i < s->groups.count; i++)
		s->groups.group[i].has_last = false;
}

int ntime_session_start(struct ntime_session *s)
{
	int ret = ntime_session_open(s);

	if (ret < 0 || s->clock.is_running)
		return ret;
	if (s->groups.is_still)
		return nti_error(&s->ctx->error, -EOPNOTSUPP,
				 "a recorded machine, or one of which there are files alone, "
				 "counts nothing: a session on it can be planned, not started");
	if (s->clock.was_started || !(s->target.flags & NTIME_ON_EXEC))
		nti_session_spans_switch(s, true);
	ret = switch_groups(s, true, false);
	if (ret < 0) {
		(void)switch_groups(s, false, false);
		nti_session_spans_switch(s, false);
		return ret;
	}
	ret = nti_session_procs_start(s);
	if (ret < 0)
		return ret;
	forget_standstill(s);
	nti_session_clock_start(s);
	nti_session_readers_update(s);
	return ret;
}

/* Nothing disarms a counter that waits for exec() but closing it. */
static bool is_waiting_for_exec(struct ntime_session *s)
{
	struct nti_perf_reading reading;
	bool has_any = false;
	size_t i;

	if (!(s->target.flags & NTIME_ON_EXEC))
		return false;
	/* Those that we count ourselves began when the session did. */
	for (i = 0; i < s->groups.count; i++) {
		if (s->groups.group[i].direct || s->groups.group[i].unit->kind == NTI_UNIT_DEVICE)
			continue;
		if (nti_session_group_read(s->ctx->os, &s->groups.group[i], &reading) < 0 ||
		    reading.enabled_ns)
			return false;
		has_any = true;
	}
	return has_any;
}

static int check_exec(struct ntime_session *s)
{
	if (!is_waiting_for_exec(s))
		return 0;
	return nti_error(
		&s->ctx->error, -EBUSY,
		"process %d has not called exec() yet: what waits for it can be freed, not stopped",
		s->target.pid);
}

int ntime_session_stop(struct ntime_session *s)
{
	int ret;

	if (!s->clock.is_running)
		return 0;
	ret = check_exec(s);
	if (ret < 0)
		return ret;
	ret = switch_groups(s, false, false);
	if (ret >= 0)
		ret = nti_session_procs_stop(s);
	nti_session_spans_switch(s, false);
	nti_session_clock_stop(s);
	nti_session_readers_update(s);
	return ret;
}

void nti_session_choose_pass(struct ntime_session *s, unsigned int pass)
{
	s->rotation->pass = pass;
	s->rotation->turns++;
	if (pass <= s->rotation->pass_reached)
		return;
	s->rotation->pass_reached = pass;
	/* Readers of other threads look at those that have. */
	for (size_t i = 0; i < s->groups.count; i++)
		if (s->groups.group[i].pass <= pass && !s->groups.group[i].had_turn)
			s->groups.group[i].had_turn = true;
}

int nti_session_go_to_pass(struct ntime_session *s, unsigned int pass)
{
	uint64_t begin_ns = nti_session_real_ns(s);
	int ret = switch_groups(s, false, true);

	if (ret < 0)
		return ret;
	nti_session_choose_pass(s, pass);
	forget_standstill(s);
	ret = switch_groups(s, true, true);
	/* CPUs are switched one after another: each is off for half of the time for both. */
	s->rotation->dead_ns += (nti_session_real_ns(s) - begin_ns) / 2;
	return ret < 0 ? ret : (int)pass;
}

int nti_session_check_by_pass(struct ntime_session *s)
{
	if (s->clock.is_running && s->target.flags & NTIME_BY_PASS)
		return check_exec(s);
	return nti_error(&s->ctx->error, -EINVAL,
			 "only a running session with NTIME_BY_PASS has passes to go to");
}

int ntime_session_next_pass(struct ntime_session *s)
{
	int ret = nti_session_check_by_pass(s);

	if (ret < 0)
		return ret;
	if (s->rotation->pass + 1 < s->plan->passes)
		return nti_session_go_to_pass(s, s->rotation->pass + 1);
	ret = ntime_session_stop(s);
	return ret < 0 ? ret : -ENODATA;
}
