// SPDX-License-Identifier: MIT
/*
 * What the machine has, for people and programs that ask: access methods, units, events, metrics,
 * encodings.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include <ntime/list.h>

#include "count/lib/access/handle.h"
#include "count/lib/access/msr.h"
#include "count/lib/access/ntimefs.h"
#include "count/lib/access/proc.h"
#include "base/os/exec_file.h"
#include "count/lib/perf/perf.h"
#include "emulator/program.h"
#include "count/lib/context/context.h"
#include "count/lib/context/problem.h"
#include "count/lib/pmu/pmu.h"

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static const struct nti_why *why_no_replay(const struct ntime_ctx *ctx)
{
	static const struct nti_why no_recording = {
		NTIME_REASON_RECORDING,
		"recording",
		"this is the real machine, no recording was asked for",
		"ntime --machine FILE (ntime doctor --record FILE makes one)",
	};

	return ctx->os->is_simulated ? &nti_why_nothing : &no_recording;
}

static const struct nti_why *why_no_model(const struct ntime_ctx *ctx)
{
	static const struct nti_why no_card = {
		NTIME_REASON_NO_HARDWARE,
		"gpu0",
		"NTIME_MODEL names no model of a card",
		"ntime model run GT218 --listen card.sock, and NTIME_MODEL=card.sock",
	};

	return ctx->model ? &nti_why_nothing : &no_card;
}

/* Of a program of this machine's own architecture; others have theirs in the same package. */
static int explain_emulator(struct nti_absence *absent)
{
	static const struct nti_why not_known = {
		.code = NTIME_REASON_NO_HARDWARE,
		.about = "emulator",
		.reason = "the emulator's plugin knows no system calls of this architecture",
		.remedy = "",
	};
	static const struct nti_why not_installed = {
		.code = NTIME_REASON_NOT_INSTALLED,
		.about = "qemu-user",
		.reason = "qemu-user, which runs the command, is not installed",
		.remedy = "install qemu-user",
	};
	const char *name = nte_host_emulator();
	char path[PATH_MAX];
	int error = name ? nti_exec_find(name, path) : -ENOENT;

	if (error == -ENOENT)
		return nti_absence_set_why(absent, name ? &not_installed : &not_known);
	if (error)
		return nti_absence_set_failed(absent, NTIME_REASON_FAILED, name, error, NULL,
					      "%s cannot be executed: %s", name, strerror(-error));
	return 0;
}

/*
 * Whether this user can use a method, and if not why: @absent is filled then. 0 or -ENOMEM.
 */
static int explain_method(struct ntime_ctx *ctx, enum nti_method method, struct nti_absence *absent)
{
	const struct nti_why *why;
	int ret;

	switch (method) {
	case NTI_METHOD_PERF:
		ret = nti_perf_probe(ctx->os);
		return ret < 0 ? nti_perf_explain_probe(ctx->os, ret, absent) : 0;
	case NTI_METHOD_CLOCK:
		why = nti_clock_problem(ctx);
		break;
	case NTI_METHOD_PROC:
		why = nti_proc_why(ctx->os);
		break;
	case NTI_METHOD_EMULATOR:
		return explain_emulator(absent);
	case NTI_METHOD_MODEL:
		why = why_no_model(ctx);
		break;
	case NTI_METHOD_REPLAY:
		why = why_no_replay(ctx);
		break;
	default:
		if (nti_method_probe(ctx->os, method, &why) == -ENOMEM)
			return -ENOMEM;
	}
	return why->code ? nti_absence_set_why(absent, why) : 0;
}

int ntime_method_for_each(struct ntime_ctx *ctx,
			  int (*fn)(void *arg, const struct ntime_method_info *method), void *arg)
{
	struct nti_absence absent = { 0 };
	enum nti_method i;
	int ret = 0;

	for (i = 0; i < NTI_METHOD_COUNT && ret == 0; i++) {
		const struct nti_method_row *row = nti_method_get(i);

		if (!row->reaches)
			continue;
		ret = explain_method(ctx, i, &absent);
		if (ret == 0)
			ret = fn(arg, &(struct ntime_method_info){
					      .size = sizeof(struct ntime_method_info),
					      .usable = !absent.code,
					      .name = row->name,
					      .reaches = row->reaches,
					      .cost = row->cost,
					      NTI_ABSENCE_INFO(&absent),
				      });
		nti_absence_fini(&absent);
	}
	return ret ? ret : nti_context_shortage(ctx);
}

int ntime_unit_for_each(struct ntime_ctx *ctx,
			int (*fn)(void *arg, const struct ntime_unit_info *unit), void *arg)
{
	struct nti_absence absent;
	size_t i;
	int ret = nti_context_core(ctx);

	for (i = 0; ret == 0 && i < ctx->units.count; i++) {
		const struct nti_unit *unit = ctx->units.unit[i];
		enum nti_method method;

		if (nti_unit_is_context(unit))
			continue;
		ret = nti_unit_problem(ctx, unit, &absent);
		if (ret < 0)
			break;
		method = ctx->os->is_simulated ? NTI_METHOD_REPLAY : nti_unit_method(ctx, unit);
		ret = fn(arg, &(struct ntime_unit_info){
				      .size = sizeof(struct ntime_unit_info),
				      .usable = !absent.reason,
				      .counters = unit->counters,
				      .fixed = unit->fixed,
				      .name = unit->name,
				      .desc = or_empty(unit->desc),
				      .method = nti_method_get(method)->name,
				      .cpus = or_empty(unit->cpus),
				      NTI_ABSENCE_INFO(&absent),
			      });
		nti_absence_fini(&absent);
	}
	return ret ? ret : nti_context_shortage(ctx);
}

struct event_walk {
	struct ntime_ctx *ctx;
	int (*fn)(void *arg, const struct ntime_event_info *event);
	void *arg;
	const struct nti_unit *unit; /* whose .absent is at hand: events come unit by unit */
	struct nti_absence absent;
	bool has_part_only; /* the core PMU lacks events of its driver's: each is looked at */
	struct nti_card_events *card; /* of .unit, where that is a card */
};

static bool is_of_core(const struct nti_event_entry *entry)
{
	return entry->unit && entry->unit->kind == NTI_UNIT_CORE;
}

/* Names of sysfs, libpfm4 and tracepoints have one of these. */
static bool is_generic(const struct nti_event_entry *entry)
{
	return !strpbrk(entry->name, "/:");
}

/* What the kernel, the processor and self-tests say of it. */
static int check_core(struct event_walk *w, const char *name, struct nti_absence *out)
{
	struct nti_event event;
	int ret = nti_event_parse(&w->ctx->names, name, &event, &w->ctx->error);

	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	ret = nti_generic_problem(w->ctx, &event, out);
	if (ret == 0 && !out->reason)
		ret = nti_context_selftest_event(w->ctx, &event);
	if (ret == 0 && !out->reason)
		ret = nti_absence_copy(out, &event.absent);
	nti_event_fini(&event);
	return ret;
}

static int take_card(struct event_walk *w, const struct nti_unit *unit)
{
	nti_card_events_free(w->card);
	w->card = NULL;
	return unit->card ? nti_card_events_new(w->ctx, unit, &w->card) : 0;
}

static int visit_event(void *arg, const struct nti_event_entry *entry)
{
	struct nti_absence own = { 0 };
	struct event_walk *w = arg;
	const struct nti_absence *absent;
	const struct ntime_card_event *card;
	int ret;

	if (entry->unit && entry->unit != w->unit) {
		nti_absence_fini(&w->absent);
		ret = nti_unit_problem(w->ctx, entry->unit, &w->absent);
		if (ret == 0)
			ret = take_card(w, entry->unit);
		if (ret < 0)
			return ret;
		w->unit = entry->unit;
	}
	if ((is_generic(entry) || w->has_part_only) && is_of_core(entry) && !w->absent.reason) {
		ret = check_core(w, entry->name, &own);
		if (ret < 0)
			return ret;
	}
	if (!entry->unit && nti_absence_set(&own, NTIME_REASON_NO_HARDWARE, entry->unit_name, NULL,
					    "this machine has no such PMU") < 0)
		return -ENOMEM;
	if (entry->absent && !w->absent.reason &&
	    nti_absence_set(&own, NTIME_REASON_NOT_SUPPORTED, entry->unit_name, entry->remedy, "%s",
			    entry->absent) < 0)
		return -ENOMEM;
	card = w->card ? nti_card_events_find(w->card, entry->name) : NULL;
	if (card && card->control && !w->absent.reason && !entry->unit->card->mps &&
	    nti_card_explain_channel(entry->unit, &own) < 0)
		return -ENOMEM;
	absent = own.reason				    ? &own
		 : entry->absence && entry->absence->reason ? entry->absence
							    : &w->absent;
	ret = w->fn(w->arg, &(struct ntime_event_info){
				    .size = sizeof(struct ntime_event_info),
				    .usable = entry->unit && !absent->reason,
				    .name = entry->name,
				    .unit = entry->unit_name,
				    .desc = entry->desc,
				    .unit_text = entry->unit_text,
				    .formula = "",
				    NTI_ABSENCE_INFO(absent),
				    .cause = nti_absence_cause(absent),
				    .beside = "",
				    .group = "",
				    .card = card,
			    });
	nti_absence_fini(&own);
	return ret;
}

int ntime_event_for_each(struct ntime_ctx *ctx, const char *model,
			 int (*fn)(void *arg, const struct ntime_event_info *event), void *arg)
{
	struct event_walk walk = { .ctx = ctx, .fn = fn, .arg = arg };
	int ret = model ? nti_context_units(ctx) : nti_context_core(ctx);

	if (ret < 0)
		return ret;
	walk.has_part_only = !model && nti_context_is_in_part(ctx);
	if (model)
		ret = nti_event_for_each_of_model(model, visit_event, &walk, &ctx->error);
	else
		ret = nti_event_for_each(&ctx->names, visit_event, &walk, &ctx->error);
	nti_absence_fini(&walk.absent);
	nti_card_events_free(walk.card);
	return ret ? ret : nti_context_shortage(ctx);
}

int ntime_pmu_model_for_each(struct ntime_ctx *ctx,
			     int (*fn)(void *arg, const char *name, const char *desc), void *arg)
{
	return nti_event_for_each_model(fn, arg, &ctx->error);
}

int ntime_metric_for_each(struct ntime_ctx *ctx,
			  int (*fn)(void *arg, const struct ntime_event_info *metric), void *arg)
{
	size_t i, chosen = 0;
	int ret = nti_context_units(ctx);

	for (i = 0; ret == 0 && i < nti_metrics_count(&ctx->metrics); i++) {
		const struct nti_metric *m = nti_metrics_get(&ctx->metrics, i);
		struct nti_absence absent = { 0 };

		ret = nti_metric_problem(ctx, m, &chosen, &absent);
		if (ret == 0)
			ret = fn(arg, &(struct ntime_event_info){
					      .size = sizeof(struct ntime_event_info),
					      .usable = !absent.reason,
					      .name = m->name,
					      .unit = "",
					      .desc = m->about,
					      .unit_text = m->unit,
					      .formula = nti_formula_text(m->formula[chosen]),
					      NTI_ABSENCE_INFO(&absent),
					      .cause = nti_absence_cause(&absent),
					      .beside = or_empty(m->beside),
					      .is_default = m->beside != NULL,
					      .group = or_empty(m->group),
				      });
		nti_absence_fini(&absent);
	}
	return ret ? ret : nti_context_shortage(ctx);
}

static uint32_t exclude_bits(const struct perf_event_attr *attr)
{
	return (uint32_t)(attr->exclude_user | attr->exclude_kernel << 1 | attr->exclude_hv << 2 |
			  attr->exclude_host << 3 | attr->exclude_guest << 4 |
			  attr->exclude_idle << 5);
}

int ntime_event_encode(struct ntime_ctx *ctx, const char *event,
		       int (*fn)(void *arg, const struct ntime_encoding *part), void *arg)
{
	struct nti_event parsed;
	size_t i;
	int ret = nti_context_units(ctx);

	if (ret < 0)
		return ret;
	ret = nti_event_parse(&ctx->names, event, &parsed, &ctx->error);
	if (ret < 0)
		return ret;
	for (i = 0; ret == 0 && i < parsed.parts; i++) {
		const struct perf_event_attr attr = nti_part_attr(&parsed.part[i]);

		ret = fn(arg, &(struct ntime_encoding){
				      .size = sizeof(struct ntime_encoding),
				      .type = attr.type,
				      .config = attr.config,
				      .config1 = attr.config1,
				      .config2 = attr.config2,
				      .exclude = exclude_bits(&attr),
				      .precise = attr.precise_ip,
				      .unit = parsed.part[i].unit ? parsed.part[i].unit->name : "",
			      });
	}
	i = parsed.parts;
	nti_event_fini(&parsed);
	return ret ? ret : (int)i;
}
