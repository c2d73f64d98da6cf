// SPDX-License-Identifier: MIT
/* What stands in the way of counting here, and what removes it. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <ntime/list.h>

#include "lib/access/claim.h"
#include "lib/access/handle.h"
#include "lib/access/msr.h"
#include "lib/access/ntimefs.h"
#include "lib/count/perf/perf.h"
#include "lib/base/text.h"
#include "lib/context/leftover_program.h"
#include "lib/context/problem.h"
#include "lib/machine/cpu.h"

/* perf_event_paranoid at which an ordinary user can still use a unit of this kind for programs of his own or the machine. */
static int tolerated_level(const struct nti_unit *unit)
{
	switch (unit->kind) {
	case NTI_UNIT_UNCORE:
		return 0;
	case NTI_UNIT_TRACEPOINT:
		return -1;
	default:
		return unit->is_mode_blind ? 1 : 2;
	}
}

const char *nti_clock_problem(const struct ntime_ctx *ctx)
{
	uint64_t ticks;

	if (ctx->os->ops->tsc(ctx->os, &ticks) == 0)
		return "";
	return ctx->os->is_replay ? "the recording does not tell the frequency of a clock"
				  : "this architecture has no counter that user mode may read";
}

static int clock_problem(const struct ntime_ctx *ctx, struct nti_absence *out)
{
	const char *reason = nti_clock_problem(ctx);

	if (!*reason)
		return 0;
	return nti_absence_set(
		out,
		ctx->os->is_replay ? "write tsc_hz into the part \"counting\" of the machine file"
				   : "take the event task-clock, or time from clock_gettime(2)",
		"%s", reason);
}

enum nti_method nti_unit_method(struct ntime_ctx *ctx, const struct nti_unit *unit)
{
	static const enum nti_method others[] = { NTI_METHOD_NTIMEFS, NTI_METHOD_MSR,
						  NTI_METHOD_PCI };
	const char *reason, *remedy;
	size_t i;

	if (unit->method != NTI_METHOD_PERF || !unit->boxes || ctx->os->is_replay ||
	    ctx->os->ops->is_privileged(ctx->os, true) ||
	    nti_perf_paranoid(ctx->os) <= tolerated_level(unit))
		return unit->method;
	for (i = 0; i < NTI_ARRAY_SIZE(others); i++) {
		if (nti_unit_is_reached(ctx->os, unit, others[i]) &&
		    nti_method_probe(ctx->os, others[i], &reason, &remedy) == 0)
			return others[i];
	}
	return unit->method;
}

int nti_unit_problem(struct ntime_ctx *ctx, const struct nti_unit *unit, struct nti_absence *out)
{
	int level, tolerated = tolerated_level(unit);
	char remedy[64];

	*out = (struct nti_absence){ 0 };
	if (unit->absent.reason)
		return nti_absence_copy(out, &unit->absent);
	if (unit->method == NTI_METHOD_CLOCK)
		return clock_problem(ctx, out);
	if (unit->method != NTI_METHOD_PERF || ctx->os->ops->is_privileged(ctx->os, true))
		return 0;
	level = nti_perf_paranoid(ctx->os);
	if (level <= tolerated || nti_unit_method(ctx, unit) != NTI_METHOD_PERF)
		return 0;
	(void)snprintf(remedy, sizeof(remedy), "sysctl kernel.perf_event_paranoid=%d", tolerated);
	return nti_absence_set(
		out, remedy, "perf_event_paranoid is %d: an ordinary user may not count %s", level,
		unit->kind == NTI_UNIT_UNCORE	    ? "what all programs do"
		: unit->kind == NTI_UNIT_TRACEPOINT ? "tracepoints"
		: unit->is_mode_blind && level <= 2
			? "in kernel mode, which this unit cannot leave out"
			: "anything");
}

/* 0 when the kernel takes @part in user mode, which needs the least permission; else -errno. */
static int try_part(struct ntime_ctx *ctx, const struct nti_part *part)
{
	static const struct nti_perf_where self = { .pid = 0, .cpu = -1 };
	struct perf_event_attr attr = nti_part_attr(part);
	struct nti_perf_group alone;
	int ret;

	attr.exclude_kernel = attr.exclude_hv = !part->unit || !part->unit->is_mode_blind;
	nti_perf_group_init(&alone, self);
	ret = nti_perf_group_add(ctx->os, &alone, &attr);
	nti_perf_group_fini(ctx->os, &alone);
	return ret;
}

int nti_generic_problem(struct ntime_ctx *ctx, const struct nti_event *event,
			struct nti_absence *out)
{
	static const struct nti_perf_where self = { .pid = 0, .cpu = -1 };
	const struct nti_part *part;
	int ret = 0;
	size_t i;

	for (i = 0; !ctx->os->is_replay && i < event->parts; i++) {
		part = &event->part[i];
		if (!part->unit || part->unit->kind != NTI_UNIT_CORE ||
		    (part->attr.type != PERF_TYPE_HARDWARE &&
		     part->attr.type != PERF_TYPE_HW_CACHE))
			return 0;
		ret = try_part(ctx, part);
		/* Other errors, such as those of permission, are not the event's. */
		if (ret != -ENOENT && ret != -EINVAL && ret != -EOPNOTSUPP)
			return 0;
	}
	if (!ret)
		return 0;
	part = &event->part[event->parts - 1];
	return nti_perf_explain(ctx->os, part->unit, &part->attr, self, ret, out);
}

/* How near this machine comes to an event that it cannot count. */
enum nearness {
	NEAR_NOT,	/* no such name */
	NEAR_ELSEWHERE, /* other machines have its unit */
	NEAR_HERE,	/* the unit is here, and something in the way of it */
	NEAR_COUNTED,
};

static enum nearness nearness_of(const struct nti_event *event)
{
	return event->parts && event->part[0].unit ? NEAR_HERE : NEAR_ELSEWHERE;
}

/* @near is set in any case but -ENOMEM. */
static int event_problem(struct ntime_ctx *ctx, const char *name, struct nti_absence *out,
			 enum nearness *near)
{
	struct nti_absence unit = { 0 };
	struct nti_event event;
	struct nti_error error = { 0 };
	int ret = nti_context_event(ctx, name, &event, &error);

	if (ret == -ENOMEM)
		return ret;
	*near = NEAR_NOT;
	if (ret < 0)
		return nti_absence_set(out, "", "this machine has no event %s", name);
	*near = nearness_of(&event);
	if (event.absent.reason)
		ret = nti_absence_set(out, event.absent.remedy, "needs %s: %s", name,
				      event.absent.reason);
	else if (event.parts)
		ret = nti_unit_problem(ctx, event.part[0].unit, &unit);
	if (ret == 0 && !event.absent.reason && !unit.reason)
		ret = nti_generic_problem(ctx, &event, &unit);
	if (ret == 0 && unit.reason)
		ret = nti_absence_set(out, unit.remedy, "needs %s: %s", name, unit.reason);
	if (!out->reason)
		*near = NEAR_COUNTED;
	nti_absence_fini(&unit);
	nti_event_fini(&event);
	return ret;
}

/* The event that is furthest away speaks for the formula: what helps the others would not help it. */
static int formula_problem(struct ntime_ctx *ctx, const struct nti_formula *f,
			   struct nti_absence *out, enum nearness *near)
{
	size_t i;
	int ret = 0;

	*near = NEAR_COUNTED;
	for (i = 0; ret == 0 && i < nti_formula_count(f); i++) {
		struct nti_absence absent = { 0 };
		enum nearness event_near = NEAR_NOT;

		ret = event_problem(ctx, nti_formula_event(f, i), &absent, &event_near);
		if (ret == 0 && event_near < *near) {
			nti_absence_fini(out);
			*out = absent;
			*near = event_near;
			continue;
		}
		nti_absence_fini(&absent);
	}
	return ret;
}

int nti_metric_problem(struct ntime_ctx *ctx, const struct nti_metric *metric, size_t *chosen,
		       struct nti_absence *out)
{
	int best = -1, ret = 0;
	size_t i;

	*out = (struct nti_absence){ 0 };
	for (i = 0; ret == 0 && i < metric->formulas && best < NEAR_COUNTED; i++) {
		struct nti_absence absent = { 0 };
		enum nearness near;

		ret = formula_problem(ctx, metric->formula[i], &absent, &near);
		if (ret == 0 && (int)near > best) {
			nti_absence_fini(out);
			*out = absent;
			*chosen = i;
			best = near;
			continue;
		}
		nti_absence_fini(&absent);
	}
	return ret;
}

struct walk {
	struct ntime_ctx *ctx;
	int (*fn)(void *arg, const struct ntime_problem *problem);
	void *arg;
};

static int tell(const struct walk *w, bool is_here, const char *what, const char *reason,
		const char *remedy)
{
	return w->fn(w->arg, &(struct ntime_problem){
				     .size = sizeof(struct ntime_problem),
				     .is_here = is_here,
				     .what = what,
				     .reason = reason,
				     .remedy = remedy ? remedy : "",
			     });
}

/* Units that exist in name only: no core PMU, most of all. */
static int absent_units(const struct walk *w)
{
	struct nthw_x86_cpu cpu;
	bool is_guest;
	size_t i;
	int ret = 0;

	nti_cpu_identify(w->ctx->os, &cpu);
	is_guest = cpu.features & NTHW_X86_GUEST;
	for (i = 0; ret == 0 && i < w->ctx->units.count; i++) {
		const struct nti_unit *unit = &w->ctx->units.unit[i];

		/* Boxes out of reach are told together, by what keeps them so. */
		if (unit->absent.reason && !unit->boxes)
			ret = tell(
				w, !is_guest && unit->kind != NTI_UNIT_CORE,
				unit->kind == NTI_UNIT_CORE
					? "cycles, instructions and every other event of the cores"
					: unit->name,
				unit->absent.reason, unit->absent.remedy);
	}
	return ret;
}

static bool has_core_pmu(const struct ntime_ctx *ctx)
{
	size_t i;

	for (i = 0; i < ctx->units.count; i++) {
		if (ctx->units.unit[i].kind == NTI_UNIT_CORE && !ctx->units.unit[i].absent.reason)
			return true;
	}
	return false;
}

static int perf_itself(const struct walk *w)
{
	static const struct nti_unit any = { .name = "perf", .kind = NTI_UNIT_SOFTWARE };
	static const struct nti_perf_where self = { .pid = 0, .cpu = -1 };
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE };
	struct nti_absence absent = { 0 };
	int ret = nti_perf_probe(w->ctx->os);

	if (ret == 0 || (w->ctx->os->is_replay && ret == -EOPNOTSUPP))
		return 0;
	if (nti_perf_explain(w->ctx->os, &any, &attr, self, ret, &absent) < 0)
		return -ENOMEM;
	ret = tell(w, true, "everything but the clock", absent.reason, absent.remedy);
	nti_absence_fini(&absent);
	return ret;
}

/* What perf_event_paranoid keeps from this user, step by step (Linux, Documentation/admin-guide/sysctl/kernel.rst). */
static int paranoid(const struct walk *w)
{
	int level = nti_perf_paranoid(w->ctx->os);
	char reason[160];

	/* Above 2 nothing can be opened at all, which perf_itself() has told. */
	if (level > 2 || level <= -1 || w->ctx->os->ops->is_privileged(w->ctx->os, true))
		return 0;
	(void)snprintf(reason, sizeof(reason),
		       "perf_event_paranoid is %d and you are an ordinary user", level);
	return tell(w, true,
		    level > 1	? "what the kernel does for your programs; whole CPUs and uncore "
				  "units; tracepoints"
		    : level > 0 ? "whole CPUs and uncore units; tracepoints"
				: "tracepoints",
		    reason, "sysctl kernel.perf_event_paranoid=-1");
}

/* "uncore_imc_3" is one of "uncore_imc". */
static size_t family_length(const char *name)
{
	size_t length = strlen(name), digits = 0;

	while (digits < length && name[length - 1 - digits] >= '0' &&
	       name[length - 1 - digits] <= '9')
		digits++;
	return digits && digits < length && name[length - 1 - digits] == '_' ? length - 1 - digits
									     : length;
}

static bool is_box_out_of_reach(const struct nti_unit *unit, enum nti_method method)
{
	return unit->absent.reason && unit->boxes && unit->method == method;
}

/* ", uncore_cha, thermal": families of the boxes that @way would reach, each once; units of one stand together. */
static void name_boxes(const struct walk *w, enum nti_method method, char *text, size_t size)
{
	const struct nti_unit *last = NULL;
	size_t i, at = strlen(text), length;

	for (i = 0; i < w->ctx->units.count; i++) {
		const struct nti_unit *unit = &w->ctx->units.unit[i];

		if (!is_box_out_of_reach(unit, method))
			continue;
		length = family_length(unit->name);
		if (last && family_length(last->name) == length &&
		    strncmp(last->name, unit->name, length) == 0)
			continue;
		last = unit;
		if (at + length + 3 > size)
			return;
		at += (size_t)snprintf(text + at, size - at, "%s%.*s", at ? ", " : "", (int)length,
				       unit->name);
	}
}

static int msr(const struct walk *w)
{
	char what[512] = "model-specific registers";
	const char *reason, *remedy;
	int ret;

	/* Who reaches them through ntime's driver lacks nothing. */
	if (nti_ntimefs_probe(w->ctx->os, &reason, &remedy) == 0)
		return 0;
	ret = nti_msr_probe(w->ctx->os, &reason, &remedy);
	name_boxes(w, NTI_METHOD_MSR, what, sizeof(what));
	/* Other architectures lack nothing. */
	return ret == 0 || ret == -ENOTSUP ? 0 : tell(w, true, what, reason, remedy);
}

/* Counters in configuration space that the kernel does not count. */
static int pci(const struct walk *w)
{
	char what[512] = "";
	const char *reason, *remedy;

	name_boxes(w, NTI_METHOD_PCI, what, sizeof(what));
	if (!*what || nti_method_probe(w->ctx->os, NTI_METHOD_PCI, &reason, &remedy) == 0)
		return 0;
	return tell(w, true, what, reason, remedy);
}

static int watchdog(const struct walk *w)
{
	uint64_t is_on = 0;

	if (!has_core_pmu(w->ctx) ||
	    nti_os_u64(w->ctx->os, &is_on, "/proc/sys/kernel/nmi_watchdog") < 0 || !is_on)
		return 0;
	return tell(w, true, "one counter of every core", "the kernel's NMI watchdog uses it",
		    "sysctl kernel.nmi_watchdog=0");
}

/* Counters read by an instruction: a file of the PMU on x86, a sysctl on arm64. */
static int user_access(const struct walk *w)
{
	uint64_t is_on = 1;
	size_t i;
	char remedy[128];

	if (!has_core_pmu(w->ctx))
		return 0;
	if (nti_os_u64(w->ctx->os, &is_on, "/proc/sys/kernel/perf_user_access") == 0 && !is_on)
		return tell(w, true, "reading a counter without a system call",
			    "kernel.perf_user_access is 0: user mode may not read the counters",
			    "sysctl kernel.perf_user_access=1");
	for (i = 0; i < w->ctx->units.count; i++) {
		const struct nti_unit *unit = &w->ctx->units.unit[i];

		if (unit->kind != NTI_UNIT_CORE ||
		    nti_os_u64(w->ctx->os, &is_on, "/sys/bus/event_source/devices/%s/rdpmc",
			       unit->name) < 0 ||
		    is_on)
			continue;
		(void)snprintf(remedy, sizeof(remedy),
			       "echo 1 > /sys/bus/event_source/devices/%s/rdpmc", unit->name);
		return tell(w, true, "reading a counter without a system call",
			    "the PMU's rdpmc file is 0: user mode may not read the counters",
			    remedy);
	}
	return 0;
}

static int tracefs(const struct walk *w)
{
	if (nti_os_exists(w->ctx->os, "/sys/kernel/tracing/events") ||
	    nti_os_exists(w->ctx->os, "/sys/kernel/debug/tracing/events"))
		return 0;
	if (w->ctx->os->ops->is_privileged(w->ctx->os, false))
		return tell(w, true, "tracepoints",
			    "tracefs is not mounted, or this kernel has no tracing",
			    "mount -t tracefs nodev /sys/kernel/tracing");
	return tell(w, true, "tracepoints", "tracefs is not mounted, or not readable by you",
		    "mount -t tracefs nodev /sys/kernel/tracing; chmod a+rx /sys/kernel/tracing");
}

static int tell_killed(void *arg, const char *what, const char *reason, const char *remedy)
{
	return tell(arg, true, what, reason, remedy);
}

/* Whoever may not read what was left cannot reach the registers either, which msr() tells. */
static int stale(const struct walk *w)
{
	int ret = nti_leftover_program_for_each(w->ctx, tell_killed, (void *)(uintptr_t)w);

	if (ret == -ENOTDIR)
		return tell(w, true, "counters through msr and pci",
			    NTI_CLAIM_DIRECTORY " is not a directory that only root can write to",
			    "remove it");
	return ret == -EACCES || ret == -EPERM ? 0 : ret;
}

int ntime_problem_for_each(struct ntime_ctx *ctx,
			   int (*fn)(void *arg, const struct ntime_problem *problem), void *arg)
{
	static int (*const checks[])(const struct walk *w) = { perf_itself, absent_units, paranoid,
							       watchdog,    user_access,  tracefs,
							       msr,	    pci,	  stale };
	struct walk walk = { .ctx = ctx, .fn = fn, .arg = arg };
	size_t i;
	int ret = nti_context_core(ctx);

	for (i = 0; ret == 0 && i < NTI_ARRAY_SIZE(checks); i++)
		ret = checks[i](&walk);
	return ret;
}
