// SPDX-License-Identifier: MIT
/* Self-tests of the core PMU, and what they mean. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/common/compiler.h"
#include "base/common/text.h"
#include "count/lib/context/context.h"
#include "count/lib/context/problem.h"
#include "count/lib/context/selftest.h"
#include "count/lib/event/code.h"

static const char not_counting_remedy[] =
	"count on hardware, or give this machine an emulator or hypervisor that has this PMU";
static const char doubt_remedy[] =
	"do not use this number; ntime doctor --self-test tests the counters";

/* The only core PMU; NULL: there is none, or which of several is asked depends on the CPU. */
static struct nti_unit *core_of(struct ntime_ctx *ctx)
{
	struct nti_unit *core = NULL;
	size_t i;

	for (i = 0; i < ctx->units.count; i++) {
		if (ctx->units.unit[i]->kind != NTI_UNIT_CORE)
			continue;
		if (core)
			return NULL;
		core = ctx->units.unit[i];
	}
	return core;
}

/* The same, if it alone counts @event; else NULL. */
static struct nti_unit *core_of_event(struct ntime_ctx *ctx, const struct nti_event *event)
{
	struct nti_unit *core = core_of(ctx);

	return core && event->parts == 1 && event->part[0].unit == core ? core : NULL;
}

/*
 * A core PMU that does not count would give zeros and rubbish for counts: none of its events exists
 * then.
 */
static int refuse_core(struct nti_unit *core, const struct nti_trial *seen)
{
	return nti_absence_set(
		&core->absent, NTIME_REASON_NOT_COUNTING, core->name, not_counting_remedy,
		"the counters of %s do not count, although its driver says so: a busy loop took "
		"%llu cycles in %llu ns",
		core->name, (unsigned long long)seen->cycles, (unsigned long long)seen->ns);
}

int nti_context_selftest(struct ntime_ctx *ctx)
{
	struct nti_selftests *tests = &ctx->selftests;
	struct nti_unit *core = core_of(ctx);
	const struct nti_trial *t = &tests->trial;
	int ret;

	if (!core || core->absent.reason || ctx->os->is_simulated || ctx->has_no_selftest)
		return 0;
	tests->is_kept = !ctx->has_anew && nti_selftests_recall(ctx, core, tests);
	if (tests->is_kept)
		nti_context_log(ctx, "self-test: %s: passed before on this boot, or as below",
				core->name);
	else
		tests->has_trial = nti_trial_run(ctx->os, core, &tests->trial);
	if (t->faults & NTI_TRIAL_MISSING) {
		ret = refuse_core(core, t);
		*tests = (struct nti_selftests){ 0 };
		return ret;
	}
	if (!tests->has_trial)
		return 0;
	nti_context_log(ctx,
			"self-test: %s: cycles %#x %.3g, instructions %#x %.3g, branches %#x %.3g, "
			"faults %#x",
			core->name, t->event[0], t->ratio[0], t->event[1], t->ratio[1], t->event[2],
			t->ratio[2], t->faults);
	tests->is_kept = tests->is_kept || nti_selftests_remember(ctx, core, tests);
	return 0;
}

/* Generic events that must count cache misses or unpredictable branches if the kernel has them. */
static bool must_miss(const struct perf_event_attr *attr)
{
	const uint64_t read = PERF_COUNT_HW_CACHE_OP_READ << 8;
	const uint64_t access = (uint64_t)PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16;
	const uint64_t miss = (uint64_t)PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
	uint64_t config = attr->config & UINT32_MAX;

	/* Nothing of a program is to be left out but what cannot be in the loop. */
	if (attr->exclude_user)
		return false;
	if (attr->type == PERF_TYPE_HARDWARE)
		return config == PERF_COUNT_HW_CACHE_REFERENCES ||
		       config == PERF_COUNT_HW_CACHE_MISSES ||
		       config == PERF_COUNT_HW_BRANCH_MISSES;
	if (attr->type != PERF_TYPE_HW_CACHE)
		return false;
	return config == (PERF_COUNT_HW_CACHE_L1D | read | access) ||
	       config == (PERF_COUNT_HW_CACHE_L1D | read | miss) ||
	       config == (PERF_COUNT_HW_CACHE_LL | read | access) ||
	       config == (PERF_COUNT_HW_CACHE_LL | read | miss) ||
	       config == (PERF_COUNT_HW_CACHE_DTLB | read | access);
}

static const struct nti_selftest_event *find_event(const struct nti_selftests *tests,
						   const struct perf_event_attr *attr)
{
	size_t i;

	for (i = 0; i < tests->events; i++)
		if (tests->event[i].type == attr->type && tests->event[i].config == attr->config)
			return &tests->event[i];
	return NULL;
}

static bool is_of_branches(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE &&
	       (attr->config & UINT32_MAX) == PERF_COUNT_HW_BRANCH_MISSES;
}

static void add_event(struct ntime_ctx *ctx, const struct nti_unit *core,
		      const struct perf_event_attr *attr, const struct nti_trial_misses *trial)
{
	struct nti_selftests *tests = &ctx->selftests;
	/* In place of what was known before it was tried. */
	const struct nti_selftest_event *known = find_event(tests, attr);
	size_t at = known ? (size_t)(known - tests->event) : tests->events;

	if (at == NTI_SELFTEST_EVENTS)
		return;
	tests->events += at == tests->events;
	tests->event[at] = (struct nti_selftest_event){ .type = attr->type,
							.config = attr->config,
							.trial = *trial };
	/* Who reads the file believes that the trial was made. */
	if (tests->has_trial)
		(void)nti_selftests_remember(ctx, core, tests);
}

/* Whether it is dead. */
static bool try_event(struct ntime_ctx *ctx, const struct nti_unit *core,
		      const struct perf_event_attr *attr)
{
	struct nti_selftests *tests = &ctx->selftests;
	const struct nti_selftest_event *known = find_event(tests, attr);
	struct nti_trial_misses trial;

	if (known && known->trial.seen & NTI_TRIAL_TRIED)
		return known->trial.seen & NTI_TRIAL_DEAD;
	nti_trial_misses(ctx->os, core, attr->type, attr->config, is_of_branches(attr), &trial);
	nti_context_log(ctx, "self-test: %s: event %u:%#llx: %#x, %.3g a load, %.3g a guess",
			core->name, attr->type, (unsigned long long)attr->config, trial.seen,
			trial.per_load, trial.per_guess);
	/* What could not be found out may be later: a counter was taken. */
	if (trial.seen & NTI_TRIAL_TRIED)
		add_event(ctx, core, attr, &trial);
	return trial.seen & NTI_TRIAL_DEAD;
}

/* Of the trial's events; NTI_TRIAL_EVENTS: it is none. */
static enum nti_trial_event trial_event(const struct perf_event_attr *attr)
{
	enum nti_trial_event event = NTI_TRIAL_EVENTS;

	if (attr->type != PERF_TYPE_HARDWARE)
		return event;
	for (event = 0; event < NTI_TRIAL_EVENTS; event++)
		if (nti_trial_config(event) == (attr->config & UINT32_MAX))
			break;
	return event;
}

static bool is_dead(struct ntime_ctx *ctx, const struct nti_part *part, const char **what)
{
	const struct nti_trial *t = &ctx->selftests.trial;
	enum nti_trial_event event = trial_event(&part->attr);

	*what = "a loop of branches";
	if (event < NTI_TRIAL_EVENTS)
		return t->event[event] & NTI_TRIAL_DEAD;
	*what = "cache misses and unpredictable branches";
	return must_miss(&part->attr) && try_event(ctx, part->unit, &part->attr);
}

/* That CPUID denies, by count/lib/perf/missing.c; more bits are of newer processors' events. */
#define ARCH_EVENTS 0x7fu

bool nti_context_is_in_part(const struct ntime_ctx *ctx)
{
	const struct nti_selftests *tests = &ctx->selftests;
	bool is = ctx->units.cpu.missing & ARCH_EVENTS;
	size_t i;

	for (i = 0; tests->has_trial && i < NTI_TRIAL_EVENTS; i++)
		is |= tests->trial.event[i] & (NTI_TRIAL_DEAD | NTI_TRIAL_REFUSED);
	for (i = 0; i < tests->events; i++)
		is |= tests->event[i].trial.seen & NTI_TRIAL_DEAD;
	return is;
}

/*
 * The only part of @event as the generic event of the same encoding, or as it is. 1; 0: it is of no
 * core PMU that lacks events; -ENOMEM.
 */
static int find_part(struct ntime_ctx *ctx, const struct nti_event *event, struct nti_part *out)
{
	int ret;

	if (!core_of_event(ctx, event) || !nti_context_is_in_part(ctx))
		return 0;
	ret = nti_code_generic(&ctx->names, &event->part[0], out);
	if (ret == 0)
		*out = event->part[0];
	/* libpfm4's events have another type than those of sysfs and raw codes on some PMUs. */
	if (out->attr.type == PERF_TYPE_RAW)
		out->attr.type = out->unit->type;
	return ret < 0 ? ret : 1;
}

int nti_context_selftest_event(struct ntime_ctx *ctx, struct nti_event *event)
{
	const struct nti_unit *core = core_of_event(ctx, event);
	struct nti_part part;
	const char *what;
	int ret;

	if (ctx->os->is_simulated || !core || event->absent.reason)
		return 0;
	ret = find_part(ctx, event, &part);
	if (ret < 0)
		return ret;
	if (ret == 0)
		part = event->part[0];
	if (ctx->selftests.has_trial && is_dead(ctx, &part, &what))
		return nti_absence_set(&event->absent, NTIME_REASON_NOT_COUNTING, event->name,
				       not_counting_remedy,
				       "%s counts nothing for this event, although its driver has "
				       "it: it stayed 0 in a test with %s",
				       core->name, what);
	if (part.attr.type != PERF_TYPE_HARDWARE || event->part[0].attr.type == PERF_TYPE_HARDWARE)
		return 0;
	return nti_generic_problem(ctx, &(struct nti_event){ .part = &part, .parts = 1 },
				   &event->absent);
}

int nti_context_vouches_for_0(struct ntime_ctx *ctx, const struct nti_event *event)
{
	const struct nti_selftests *tests = &ctx->selftests;
	const struct nti_selftest_event *known;
	enum nti_trial_event tried;
	struct nti_part part;
	int ret = find_part(ctx, event, &part);

	if (ret <= 0)
		return ret < 0 ? ret : 1;
	known = find_event(tests, &part.attr);
	/* Dead ones are refused, but in modes in which they cannot be tried. */
	if (known)
		return !(known->trial.seen & NTI_TRIAL_DEAD);
	tried = trial_event(&part.attr);
	return tried < NTI_TRIAL_EVENTS && tests->has_trial &&
	       tests->trial.event[tried] & NTI_TRIAL_TRIED;
}

void nti_context_counted(struct ntime_ctx *ctx, const struct nti_event *event)
{
	const struct nti_trial_misses counted = { .seen = NTI_TRIAL_COUNTED };
	struct nti_part part;

	if (find_part(ctx, event, &part) > 0 && !find_event(&ctx->selftests, &part.attr))
		add_event(ctx, part.unit, &part.attr, &counted);
}

/* None of what was tried is counted rightly: then nothing else is believed either. */
static bool is_all_bad(const struct nti_trial *t)
{
	enum nti_trial_event event;
	unsigned int tried = 0, bad = 0;

	for (event = 0; event < NTI_TRIAL_EVENTS; event++) {
		tried += t->event[event] & NTI_TRIAL_TRIED;
		bad += (t->event[event] & (NTI_TRIAL_DEAD | NTI_TRIAL_RATE | NTI_TRIAL_ROUGH)) != 0;
	}
	return tried > 1 && bad == tried;
}

/* @format: what @core did. */
static int __attribute__((format(printf, 3, 4)))
set_doubt(struct nti_absence *doubt, const struct nti_unit *core, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	(void)nti_text_vprint(text, sizeof(text), format, args);
	va_end(args);
	return nti_absence_set(doubt, NTIME_REASON_IMPLAUSIBLE, core->name, doubt_remedy, "%s %s",
			       core->name, text);
}

static int doubt_event(const struct nti_trial *t, enum nti_trial_event event,
		       const struct nti_unit *core, struct nti_absence *doubt)
{
	static const char *const what[] = {
		[NTI_TRIAL_CYCLES] = "cycles in a turn of a short loop",
		[NTI_TRIAL_INSTRUCTIONS] = "times the instructions of a known loop",
		[NTI_TRIAL_BRANCHES] = "times the branches of a known loop",
	};
	uint32_t seen = event < NTI_TRIAL_EVENTS ? t->event[event] : 0;

	if (seen & NTI_TRIAL_RATE)
		return set_doubt(doubt, core, "counted %.3g %s", t->ratio[event], what[event]);
	if (seen & NTI_TRIAL_ROUGH)
		return set_doubt(doubt, core,
				 "counted the parts of a known loop wrongly: bits of its counters "
				 "stand still, or it shows old values");
	if (is_all_bad(t))
		return set_doubt(doubt, core, "counted nothing rightly that was tried");
	return 0;
}

/* Of an event that was tried by itself. */
static int doubt_misses(const struct nti_selftests *tests, const struct perf_event_attr *attr,
			const struct nti_unit *core, struct nti_absence *doubt)
{
	const struct nti_selftest_event *e = must_miss(attr) ? find_event(tests, attr) : NULL;
	uint32_t seen = e ? e->trial.seen : 0;

	if (seen & NTI_TRIAL_RATE)
		return set_doubt(doubt, core, "counted %.3g for each %s",
				 is_of_branches(attr) ? e->trial.per_guess : e->trial.per_load,
				 is_of_branches(attr) ? "unpredictable branch"
						      : "load that misses all caches");
	if (seen & NTI_TRIAL_FOREIGN)
		return set_doubt(doubt, core,
				 "counts something else for this event: %.3g for each load that "
				 "misses all caches, %.3g for each unpredictable branch",
				 e->trial.per_load, e->trial.per_guess);
	return 0;
}

void nti_context_selftest_rotation(struct ntime_ctx *ctx, const struct nti_unit *unit)
{
	struct nti_selftests *tests = &ctx->selftests;

	if (!tests->has_trial || unit != core_of(ctx) || tests->trial.faults & NTI_TRIAL_ROTATED ||
	    (!tests->is_kept && !ctx->has_anew))
		return;
	nti_trial_rotate(ctx->os, unit, &tests->trial);
	nti_context_log(ctx, "self-test: %s: events that take turns: %.3g of the truth", unit->name,
			tests->trial.rotation);
	(void)nti_selftests_remember(ctx, unit, tests);
}

void nti_context_selftest_kernel(struct ntime_ctx *ctx, const struct nti_unit *unit)
{
	struct nti_selftests *tests = &ctx->selftests;

	if (!tests->has_trial || unit != core_of(ctx) ||
	    tests->trial.faults & NTI_TRIAL_KERNEL_TRIED)
		return;
	nti_trial_kernel(ctx->os, unit, &tests->trial);
	if (!(tests->trial.faults & NTI_TRIAL_KERNEL_TRIED))
		return;
	nti_context_log(ctx, "self-test: %s: the kernel's part: %.3g of the truth", unit->name,
			tests->trial.kernel);
	(void)nti_selftests_remember(ctx, unit, tests);
}

int nti_context_rotation_doubt(struct ntime_ctx *ctx, const struct nti_unit *unit,
			       struct nti_absence *doubt)
{
	const struct nti_trial *t = &ctx->selftests.trial;

	if (!ctx->selftests.has_trial || unit != core_of(ctx) || !(t->faults & NTI_TRIAL_ROTATION))
		return 0;
	return set_doubt(doubt, unit,
			 "loses counts where events take turns: an estimate of known work was "
			 "%.3g of the truth",
			 t->rotation);
}

int nti_context_selftest_doubt(struct ntime_ctx *ctx, const struct nti_event *event,
			       bool is_user_only, bool has_twin, struct nti_absence *doubt)
{
	const struct nti_unit *core = core_of_event(ctx, event);
	const struct nti_trial *t = &ctx->selftests.trial;
	const struct perf_event_attr *attr;
	int ret;

	if (!ctx->selftests.has_trial || !core)
		return 0;
	attr = &event->part[0].attr;
	ret = doubt_event(t, trial_event(attr), core, doubt);
	if (ret == 0 && !doubt->reason)
		ret = doubt_misses(&ctx->selftests, attr, core, doubt);
	if (ret < 0 || doubt->reason)
		return ret;
	if (t->faults & NTI_TRIAL_RUNS_ON)
		return set_doubt(doubt, core, "counts while it is disabled");
	if (t->faults & NTI_TRIAL_UNFILTERED &&
	    (attr->exclude_kernel || attr->exclude_user || is_user_only))
		return set_doubt(doubt, core,
				 "does not tell user mode from the kernel's: a system call counted "
				 "%.0f instructions in user mode",
				 t->per_call);
	if (t->faults & NTI_TRIAL_KERNEL && !attr->exclude_kernel && !is_user_only)
		return set_doubt(doubt, core, "counted known work of the kernel %.3g times",
				 t->kernel);
	if (t->faults & NTI_TRIAL_TWINS && has_twin)
		return set_doubt(doubt, core,
				 "counts an event once only: of several counters with the same "
				 "event one had %llu and another one %llu",
				 (unsigned long long)t->twin[0], (unsigned long long)t->twin[1]);
	return 0;
}
