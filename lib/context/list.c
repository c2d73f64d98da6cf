// SPDX-License-Identifier: MIT
/* What the machine has, for people and programs that ask: ways in, units, events, metrics, encodings. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include <ntime/list.h>

#include "lib/access/handle.h"
#include "lib/access/msr.h"
#include "lib/access/ntimefs.h"
#include "lib/count/perf/perf.h"
#include "lib/context/context.h"
#include "lib/context/problem.h"

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static int visit_perf(struct ntime_ctx *ctx,
		      int (*fn)(void *arg, const struct ntime_method_info *method), void *arg)
{
	static const struct nti_unit any = { .name = "perf", .kind = NTI_UNIT_SOFTWARE };
	static const struct nti_perf_where self = { .pid = 0, .cpu = -1 };
	struct nti_absence absent = { 0 };
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE };
	int ret = nti_perf_probe(ctx->os);
	bool is_usable = ret == 0 || (ctx->os->is_replay && ret == -EOPNOTSUPP);

	if (ret < 0 && nti_perf_explain(ctx->os, &any, &attr, self, ret, &absent) < 0)
		return -ENOMEM;
	ret = fn(arg, &(struct ntime_method_info){
			      .size = sizeof(struct ntime_method_info),
			      .usable = is_usable,
			      .name = "perf",
			      .reaches = "core PMU, software, tracepoints, perf's uncore PMUs",
			      .reason = or_empty(absent.reason),
			      .remedy = or_empty(absent.remedy),
			      .cost = "a few instructions for counters of this thread, else one "
				      "read(2) a group",
		      });
	nti_absence_fini(&absent);
	return ret;
}

static int visit_clock(struct ntime_ctx *ctx,
		       int (*fn)(void *arg, const struct ntime_method_info *method), void *arg)
{
	const char *reason = nti_clock_problem(ctx);

	return fn(arg, &(struct ntime_method_info){
			       .size = sizeof(struct ntime_method_info),
			       .usable = !*reason,
			       .name = "clock",
			       .reaches = "the time stamp counter",
			       .reason = reason,
			       .remedy = "",
			       .cost = "one instruction",
		       });
}

static int visit_msr(struct ntime_ctx *ctx,
		     int (*fn)(void *arg, const struct ntime_method_info *method), void *arg)
{
	struct ntime_method_info info = {
		.size = sizeof(info),
		.name = "msr",
		.reaches = "counters of cores, packages and caches in "
			   "model-specific registers, and registers by address",
		.cost = "one pread(2)"
	};

	info.usable = nti_msr_probe(ctx->os, &info.reason, &info.remedy) == 0;
	return fn(arg, &info);
}

static int visit_pci(struct ntime_ctx *ctx,
		     int (*fn)(void *arg, const struct ntime_method_info *method), void *arg)
{
	struct ntime_method_info info = { .size = sizeof(info),
					  .name = "pci",
					  .reaches = "counters in the configuration space of PCI "
						     "functions, such as memory controllers",
					  .cost = "three pread(2) of 32 bits" };

	info.usable = nti_method_probe(ctx->os, NTI_METHOD_PCI, &info.reason, &info.remedy) == 0;
	return fn(arg, &info);
}

static int visit_ntimefs(struct ntime_ctx *ctx,
			 int (*fn)(void *arg, const struct ntime_method_info *method), void *arg)
{
	struct ntime_method_info info = {
		.size = sizeof(info),
		.name = "ntimefs",
		.reaches = "core PMU of whole CPUs, counters around the "
			   "cores, and registers by name",
		.cost = "the counter's instruction on the CPU to which the "
			"thread is pinned, else one read(2)"
	};

	info.usable = nti_ntimefs_probe(ctx->os, &info.reason, &info.remedy) == 0;
	return fn(arg, &info);
}

static int visit_replay(struct ntime_ctx *ctx,
			int (*fn)(void *arg, const struct ntime_method_info *method), void *arg)
{
	return fn(
		arg,
		&(struct ntime_method_info){
			.size = sizeof(struct ntime_method_info),
			.usable = ctx->os->is_replay,
			.name = "replay",
			.reaches = "a recorded machine",
			.reason = ctx->os->is_replay
					  ? ""
					  : "this is the real machine, no recording was asked for",
			.remedy = ctx->os->is_replay ? ""
						     : "ntime --machine FILE (ntime doctor "
						       "--record FILE makes one)",
			.cost = "memory",
		});
}

int ntime_method_for_each(struct ntime_ctx *ctx,
			  int (*fn)(void *arg, const struct ntime_method_info *method), void *arg)
{
	int ret = visit_perf(ctx, fn, arg);

	if (!ret)
		ret = visit_clock(ctx, fn, arg);
	if (!ret)
		ret = visit_msr(ctx, fn, arg);
	if (!ret)
		ret = visit_pci(ctx, fn, arg);
	if (!ret)
		ret = visit_ntimefs(ctx, fn, arg);
	return ret ? ret : visit_replay(ctx, fn, arg);
}

static const char *method_name(struct ntime_ctx *ctx, const struct nti_unit *unit)
{
	static const char *const names[] = {
		[NTI_METHOD_PERF] = "perf",	  [NTI_METHOD_CLOCK] = "clock",
		[NTI_METHOD_NTIMEFS] = "ntimefs", [NTI_METHOD_MSR] = "msr",
		[NTI_METHOD_PCI] = "pci",
	};

	return ctx->os->is_replay ? "replay" : names[nti_unit_method(ctx, unit)];
}

int ntime_unit_for_each(struct ntime_ctx *ctx,
			int (*fn)(void *arg, const struct ntime_unit_info *unit), void *arg)
{
	struct nti_absence absent;
	size_t i;
	int ret = nti_context_core(ctx);

	for (i = 0; ret == 0 && i < ctx->units.count; i++) {
		const struct nti_unit *unit = &ctx->units.unit[i];

		ret = nti_unit_problem(ctx, unit, &absent);
		if (ret < 0)
			break;
		ret = fn(arg, &(struct ntime_unit_info){
				      .size = sizeof(struct ntime_unit_info),
				      .usable = !absent.reason,
				      .counters = unit->counters,
				      .fixed = unit->fixed,
				      .name = unit->name,
				      .desc = or_empty(unit->desc),
				      .method = method_name(ctx, unit),
				      .cpus = or_empty(unit->cpus),
				      .reason = or_empty(absent.reason),
				      .remedy = or_empty(absent.remedy),
			      });
		nti_absence_fini(&absent);
	}
	return ret;
}

struct event_walk {
	struct ntime_ctx *ctx;
	int (*fn)(void *arg, const struct ntime_event_info *event);
	void *arg;
	const struct nti_unit *unit; /* whose .absent is at hand: events come unit by unit */
	struct nti_absence absent;
	bool is_other_machine;
};

/* Names of sysfs, libpfm4 and tracepoints have one of these. */
static bool is_generic(const struct nti_event_entry *entry)
{
	return entry->unit && entry->unit->kind == NTI_UNIT_CORE && !strpbrk(entry->name, "/:");
}

static int check_generic(struct event_walk *w, const char *name, struct nti_absence *out)
{
	struct nti_event event;
	int ret = nti_event_parse(&w->ctx->names, name, &event, &w->ctx->error);

	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	ret = nti_generic_problem(w->ctx, &event, out);
	nti_event_fini(&event);
	return ret;
}

static int visit_event(void *arg, const struct nti_event_entry *entry)
{
	struct nti_absence own = { 0 };
	struct event_walk *w = arg;
	const struct nti_absence *absent;
	int ret;

	if (entry->unit && entry->unit != w->unit) {
		nti_absence_fini(&w->absent);
		ret = nti_unit_problem(w->ctx, entry->unit, &w->absent);
		if (ret < 0)
			return ret;
		w->unit = entry->unit;
	}
	if (is_generic(entry) && !w->absent.reason) {
		ret = check_generic(w, entry->name, &own);
		if (ret < 0)
			return ret;
	}
	absent = own.reason ? &own : &w->absent;
	ret = w->fn(w->arg, &(struct ntime_event_info){
				    .size = sizeof(struct ntime_event_info),
				    .usable = entry->unit && !absent->reason,
				    .name = entry->name,
				    .unit = entry->unit_name,
				    .desc = entry->desc,
				    .unit_text = entry->unit_text,
				    .formula = "",
				    .reason = entry->unit ? or_empty(absent->reason)
							  : "this machine has no such PMU",
				    .remedy = entry->unit ? or_empty(absent->remedy) : "",
				    .beside = "",
				    .group = "",
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
	if (model)
		ret = nti_event_for_each_of_model(model, visit_event, &walk, &ctx->error);
	else
		ret = nti_event_for_each(&ctx->names, visit_event, &walk, &ctx->error);
	nti_absence_fini(&walk.absent);
	return ret;
}

int ntime_metric_for_each(struct ntime_ctx *ctx,
			  int (*fn)(void *arg, const struct ntime_event_info *metric), void *arg)
{
	size_t i, chosen = 0;
	int ret = nti_context_units(ctx);

	for (i = 0; ret == 0 && i < ctx->metrics.count; i++) {
		const struct nti_metric *m = &ctx->metrics.metric[i];
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
					      .formula = m->formula[chosen],
					      .reason = or_empty(absent.reason),
					      .remedy = or_empty(absent.remedy),
					      .beside = or_empty(m->beside),
					      .is_default = m->beside != NULL,
					      .group = or_empty(m->group),
				      });
		nti_absence_fini(&absent);
	}
	return ret;
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
