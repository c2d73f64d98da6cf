// SPDX-License-Identifier: MIT
/* What stands in the way of counting here, and what removes it. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <ntime/list.h>

#include "count/lib/access/claim.h"
#include "count/lib/access/handle.h"
#include "count/lib/access/msr.h"
#include "count/lib/access/ntimefs.h"
#include "count/lib/access/pci.h"
#include "count/lib/perf/perf.h"
#include "count/lib/perf/permission.h"
#include "count/lib/perf/refusal.h"
#include "count/lib/event/resolve.h"
#include "base/common/library.h"
#include "base/common/text.h"
#include "count/lib/context/problem.h"
#include "base/os/symbols.h"

const struct nti_why *nti_clock_problem(const struct ntime_ctx *ctx)
{
	static const struct nti_why none = {
		NTIME_REASON_NOT_SUPPORTED,
		"clock",
		"this architecture has no counter that user mode may read",
		"take the event task-clock, or time from clock_gettime(2)",
	};
	static const struct nti_why elsewhere = {
		NTIME_REASON_NOT_SUPPORTED,
		"clock",
		"the time stamps of another machine cannot be read here",
		"count on that machine",
	};
	uint64_t ticks;

	if (ctx->os->ops->tsc(ctx->os, &ticks) == 0)
		return &nti_why_nothing;
	return ctx->os->is_elsewhere && !ctx->os->is_simulated ? &elsewhere : &none;
}

static bool is_level_too_high(struct ntime_ctx *ctx, const struct nti_unit *unit)
{
	int level = nti_perf_paranoid(ctx->os), wanted = nti_perf_level_of(unit);

	if (ctx->os->ops->is_privileged(ctx->os, true) || level == INT_MAX || level <= wanted)
		return false;
	/* Above 2 some kernels forbid all, and others nothing more: they are asked. */
	return wanted < NTI_PERF_USER || nti_perf_probe(ctx->os) < 0;
}

enum nti_method nti_unit_method(struct ntime_ctx *ctx, const struct nti_unit *unit)
{
	const struct nti_why *why;
	enum nti_method i;

	if (unit->method != NTI_METHOD_PERF || !unit->boxes || ctx->os->is_simulated ||
	    (nti_perf_probe(ctx->os) == 0 && !is_level_too_high(ctx, unit)))
		return unit->method;
	for (i = 0; i < NTI_METHOD_COUNT; i++) {
		if (nti_unit_is_reached(ctx->os, unit, i) &&
		    nti_method_probe(ctx->os, i, &why) == 0)
			return i;
	}
	return unit->method;
}

int nti_unit_problem(struct ntime_ctx *ctx, const struct nti_unit *unit, struct nti_absence *out)
{
	enum nti_method method;
	const struct nti_why *why;
	int ret;

	*out = (struct nti_absence){ 0 };
	if (unit->absent.reason)
		return nti_absence_copy(out, &unit->absent);
	if (unit->kind == NTI_UNIT_CLOCK) {
		why = nti_clock_problem(ctx);
		return why->code ? nti_absence_set_why(out, why) : 0;
	}
	if (unit->kind == NTI_UNIT_PROC)
		return 0;
	method = nti_unit_method(ctx, unit);
	if (nti_method_get(method)->is_guarded && unit->boxes)
		return nti_ntimefs_explain_secret(ctx->os, unit->box[0].kind, unit->box[0].cpu,
						  out);
	if (method != NTI_METHOD_PERF)
		return 0;
	/* Where a filter answers for the kernel, its setting is the cause of nothing. */
	if (is_level_too_high(ctx, unit) && !nti_refusal_is_filtered(ctx->os))
		return nti_perf_explain_level(ctx->os, unit, nti_perf_paranoid(ctx->os),
					      nti_perf_level_of(unit), out);
	ret = nti_perf_probe(ctx->os);
	if (ret == -ENOMEM)
		return ret;
	return ret < 0 ? nti_perf_explain_probe(ctx->os, ret, out) : 0;
}

static const struct nti_perf_where self = { .pid = 0, .cpu = -1 };

/* 0 when the kernel takes @part in user mode, which needs the least permission; else -errno. */
static int try_part(struct ntime_ctx *ctx, const struct nti_part *part)
{
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
	const struct nti_part *part;
	int ret = 0;
	size_t i;

	for (i = 0; !ctx->os->is_simulated && i < event->parts; i++) {
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
		return nti_absence_set(out, NTIME_REASON_UNKNOWN_EVENT, name, "",
				       "this machine has no event %s", name);
	*near = event.parts && event.part[0].unit ? NEAR_HERE : NEAR_ELSEWHERE;
	if (event.absent.reason)
		ret = nti_absence_set_needs(out, name, &event.absent);
	else if (event.parts)
		ret = nti_unit_problem(ctx, event.part[0].unit, &unit);
	if (ret == 0 && !event.absent.reason && !unit.reason)
		ret = nti_generic_problem(ctx, &event, &unit);
	if (ret == 0 && unit.reason)
		ret = nti_absence_set_needs(out, name, &unit);
	if (!out->reason)
		*near = NEAR_COUNTED;
	nti_absence_fini(&unit);
	nti_event_fini(&event);
	return ret;
}

/*
 * The event that is furthest away speaks for the formula: what helps the others would not help it.
 */
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

static int tell(const struct walk *w, const char *what, const struct nti_absence *absent)
{
	return w->fn(w->arg, &(struct ntime_problem){
				     .size = sizeof(struct ntime_problem),
				     .what = what,
				     NTI_ABSENCE_INFO(absent),
			     });
}

static int tell_why(const struct walk *w, const char *what, const struct nti_why *why)
{
	return w->fn(w->arg, &(struct ntime_problem){
				     .size = sizeof(struct ntime_problem),
				     .what = what,
				     NTI_WHY_INFO(why),
			     });
}

/* Units that exist in name only: no core PMU, most of all. */
static int absent_units(const struct walk *w)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < w->ctx->units.count; i++) {
		const struct nti_unit *unit = w->ctx->units.unit[i];

		/*
		 * Boxes out of reach are told together, by what keeps them so. What ntime does not
		 * do is no problem of the machine.
		 */
		if (unit->absent.reason && !unit->boxes &&
		    unit->absent.code != NTIME_REASON_NOT_SUPPORTED)
			ret = tell(
				w,
				unit->kind == NTI_UNIT_CORE
					? "cycles, instructions and every other event of the cores"
					: unit->name,
				&unit->absent);
	}
	return ret;
}

static bool has_core_pmu(const struct ntime_ctx *ctx)
{
	size_t i;

	for (i = 0; i < ctx->units.count; i++) {
		if (ctx->units.unit[i]->kind == NTI_UNIT_CORE && !ctx->units.unit[i]->absent.reason)
			return true;
	}
	return false;
}

static int perf_itself(const struct walk *w)
{
	struct nti_absence absent = { 0 };
	int ret = nti_perf_probe(w->ctx->os);

	if (ret == 0)
		return 0;
	if (nti_perf_explain_probe(w->ctx->os, ret, &absent) < 0)
		return -ENOMEM;
	ret = tell(w, "everything but the clock", &absent);
	nti_absence_fini(&absent);
	return ret;
}

static int paranoid(const struct walk *w)
{
	int ret, level = nti_perf_paranoid(w->ctx->os);
	struct nti_absence absent = { 0 };
	char what[128];

	/* Where nothing can be opened at all, perf_itself() has told so. */
	if (w->ctx->os->ops->is_privileged(w->ctx->os, true) || nti_perf_probe(w->ctx->os) < 0)
		return 0;
	ret = nti_perf_explain_rest(w->ctx->os, level, what, sizeof(what), &absent);
	if (ret == 0 && *what)
		ret = tell(w, what, &absent);
	nti_absence_fini(&absent);
	return ret;
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

/*
 * ", uncore_cha, thermal": families of the boxes that @method would reach, each once; units of one
 * stand together.
 */
static void name_boxes(const struct walk *w, enum nti_method method, char *text, size_t size)
{
	const struct nti_unit *last = NULL;
	size_t i, at = strlen(text), length;

	for (i = 0; i < w->ctx->units.count; i++) {
		const struct nti_unit *unit = w->ctx->units.unit[i];

		if (!unit->absent.reason || !unit->boxes || unit->method != method)
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

/* What a method would reach here: registers, and counters that the kernel does not count. */
static int out_of_reach(const struct walk *w, enum nti_method method, bool has_driver)
{
	const struct nti_method_row *row = nti_method_get(method);
	const struct nti_why *why;
	char what[512] = "";
	bool has_boxes;
	size_t always;
	int ret;

	/* Who reaches them through ntime's driver lacks nothing, and has no such boxes. */
	if (row->registers && !has_driver)
		(void)snprintf(what, sizeof(what), "%s", row->registers);
	always = strlen(what);
	name_boxes(w, method, what, sizeof(what));
	has_boxes = strlen(what) > always;
	ret = *what ? nti_method_probe(w->ctx->os, method, &why) : 0;
	/* Other architectures lack nothing. */
	if (!ret || ret == -ENOMEM || (ret == -ENOTSUP && !has_boxes))
		return ret == -ENOMEM ? ret : 0;
	return tell_why(w, what, why);
}

static int registers(const struct walk *w)
{
	const struct nti_why *why;
	bool has_driver = nti_ntimefs_probe(w->ctx->os, &why) == 0;
	enum nti_method i;
	int ret = 0;

	for (i = 0; ret == 0 && i < NTI_METHOD_COUNT; i++) {
		if (nti_method_get(i)->ops)
			ret = out_of_reach(w, i, has_driver);
	}
	return ret;
}

static int watchdog(const struct walk *w)
{
	static const struct nti_why why = {
		NTIME_REASON_BUSY,
		"/proc/sys/kernel/nmi_watchdog",
		"the kernel's NMI watchdog uses it",
		"sysctl kernel.nmi_watchdog=0",
	};
	uint64_t is_on = 0;

	if (!has_core_pmu(w->ctx) ||
	    nti_os_u64(w->ctx->os, &is_on, "/proc/sys/kernel/nmi_watchdog") < 0 || !is_on)
		return 0;
	return tell_why(w, "one counter of every core", &why);
}

/* Counters read by an instruction: a file of the PMU on x86, a sysctl on arm64. */
static int user_access(const struct walk *w)
{
	static const char what[] = "reading a counter without a system call";
	static const struct nti_why closed = {
		NTIME_REASON_SETTING,
		"/proc/sys/kernel/perf_user_access",
		"kernel.perf_user_access is 0: user mode may not read the counters",
		"sysctl kernel.perf_user_access=1",
	};
	struct nti_why off = { NTIME_REASON_SETTING, NULL,
			       "the PMU's rdpmc file is 0: user mode may not read the counters",
			       NULL };
	uint64_t is_on = 1;
	size_t i;
	char remedy[128];

	if (!has_core_pmu(w->ctx))
		return 0;
	if (nti_os_u64(w->ctx->os, &is_on, "/proc/sys/kernel/perf_user_access") == 0 && !is_on)
		return tell_why(w, what, &closed);
	for (i = 0; i < w->ctx->units.count; i++) {
		const struct nti_unit *unit = w->ctx->units.unit[i];

		if (unit->kind != NTI_UNIT_CORE ||
		    nti_os_u64(w->ctx->os, &is_on, "/sys/bus/event_source/devices/%s/rdpmc",
			       unit->name) < 0 ||
		    is_on)
			continue;
		(void)snprintf(remedy, sizeof(remedy),
			       "echo 1 > /sys/bus/event_source/devices/%s/rdpmc", unit->name);
		off.about = unit->name;
		off.remedy = remedy;
		return tell_why(w, what, &off);
	}
	return 0;
}

static int sysfs(const struct walk *w)
{
	static const struct nti_why not_mounted = {
		NTIME_REASON_NOT_MOUNTED,
		"/sys",
		"/sys is empty: sysfs is not mounted, or it is hidden from this container",
		"as root: mount -t sysfs nodev /sys",
	};

	if (w->ctx->os->is_elsewhere || nti_os_exists(w->ctx->os, "/sys/devices"))
		return 0;
	return tell_why(w, "PMUs other than software, and their events", &not_mounted);
}

static int tracepoints(const struct walk *w)
{
	const struct nti_why *why = nti_tracepoint_problem(&w->ctx->names);

	return why->code ? tell_why(w, "tracepoints", why) : 0;
}

/* Libraries that are loaded when they are needed. */
static int libraries(const struct walk *w)
{
	struct nti_lazy *const needed[] = { &nti_lazy_pfm, &nti_lazy_hwloc, &nti_lazy_jansson,
					    nti_pci_library(), nti_symbols_library() };
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < NTI_ARRAY_SIZE(needed); i++) {
		struct nti_absence absent = { 0 };

		if (!needed[i])
			continue;
		ret = nti_library_explain(needed[i], &absent);
		if (ret > 0)
			ret = tell(w, needed[i]->what_for, &absent);
		nti_absence_fini(&absent);
	}
	return ret;
}

static int tell_killed(void *arg, const char *what, const char *reason, const char *remedy)
{
	const struct nti_why why = { NTIME_REASON_LEFTOVER, NTI_CLAIM_DIRECTORY, reason, remedy };

	return tell_why(arg, what, &why);
}

/* Whoever may not read what was left cannot reach the registers either, which msr() tells. */
static int leftover(const struct walk *w)
{
	static const struct nti_why no_directory = {
		NTIME_REASON_FAILED,
		NTI_CLAIM_DIRECTORY,
		NTI_CLAIM_DIRECTORY " is not a directory that only root can write to",
		"remove it",
	};
	int ret = nti_leftover_program_for_each(w->ctx, tell_killed, (void *)(uintptr_t)w);

	if (ret == -ENOTDIR)
		return tell_why(w, "counters through msr and pci", &no_directory);
	return ret == -EACCES || ret == -EPERM ? 0 : ret;
}

int ntime_problem_of_libraries(struct ntime_ctx *ctx,
			       int (*fn)(void *arg, const struct ntime_problem *problem), void *arg)
{
	const struct walk walk = { .ctx = ctx, .fn = fn, .arg = arg };

	return libraries(&walk);
}

int ntime_problem_for_each(struct ntime_ctx *ctx,
			   int (*fn)(void *arg, const struct ntime_problem *problem), void *arg)
{
	static int (*const checks[])(const struct walk *w) = { perf_itself, absent_units, paranoid,
							       watchdog,    user_access,  sysfs,
							       tracepoints, libraries,	  registers,
							       leftover };
	struct walk walk = { .ctx = ctx, .fn = fn, .arg = arg };
	size_t i;
	int ret = nti_context_core(ctx);

	for (i = 0; ret == 0 && i < NTI_ARRAY_SIZE(checks); i++)
		ret = checks[i](&walk);
	return ret ? ret : nti_context_shortage(ctx);
}
