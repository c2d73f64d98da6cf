// SPDX-License-Identifier: MIT
/* The sessions of one measurement, read as one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <ntime/list.h>

#include "count/cli/shared/machine.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "count/cli/stat/sessions.h"
#include "count/cli/report/tally.h"

const char *const cli_default_events[] = {
	"task-clock",	 "context-switches", "cpu-migrations", "page-faults",
	"tsc",		 "cycles",	     "instructions",   "branches",
	"branch-misses", "cache-references", "cache-misses",   NULL,
};
/*
 * Of CPUs task-clock is the time that passes. The last two stand in for counters that an ordinary
 * user is refused; they are of the whole machine.
 */
static const char *const cpu_events[] = { "CPU-use", NULL };
static const char *const machine_events[] = { "proc/context-switches/", "proc/page-faults/", NULL };
static const char *const card_events[] = { "gpu_busy_percent", "gpu_idle_percent", NULL };
static const char *const verbose_events[] = { "minor-faults", "major-faults", NULL };

static int add_events(struct cli_sessions *ss, struct ntime_session *s, const char *const *names)
{
	for (; *names; names++) {
		int ret = ntime_session_add(s, *names, NULL);

		/*
		 * Nobody asked for it by name: where an architecture lacks the very word, it is
		 * left out.
		 */
		if (ret < 0 && ret != -ENOENT)
			return cli_machine_check(ss->ctx, ret);
	}
	return 0;
}

/* 1 of a graphics card. */
static int is_card(void *arg, const struct ntime_unit_info *unit)
{
	(void)arg;
	return strncmp(unit->name, "gpu", 3) == 0;
}

static int add_items(struct cli_sessions *ss, struct ntime_session *s,
		     const struct cli_stat_options *o)
{
	int ret = 0;

	for (size_t i = 0; i < o->wishes && !ret; i++) {
		ret = o->wish[i].is_formula ? ntime_session_add(s, o->wish[i].text, NULL)
					    : ntime_session_add_list(s, o->wish[i].text);
		ret = cli_machine_check(ss->ctx, ret);
	}
	if (ret < 0)
		return ret;
	if (!o->wishes && (o->all_cpus || o->cpus))
		ret = add_events(ss, s, cpu_events);
	if (!ret && !o->wishes)
		ret = add_events(ss, s, cli_default_events + (o->all_cpus || o->cpus));
	if (!ret && !o->wishes && o->all_cpus)
		ret = add_events(ss, s, machine_events);
	if (!ret && !o->wishes && (o->model || getenv("NTIME_MODEL")) &&
	    ntime_unit_for_each(ss->ctx, is_card, NULL))
		ret = add_events(ss, s, card_events);
	if (!ret && !o->wishes && o->verbose)
		ret = add_events(ss, s, verbose_events);
	/* What the events make together costs no counter. */
	if (ret >= 0)
		ret = ntime_session_add_beside(s);
	return cli_machine_check(ss->ctx, ret);
}

static struct ntime_target target_of(const struct cli_stat_options *o, pid_t child, size_t i,
				     int pass)
{
	struct ntime_target target = { .size = sizeof(target),
				       .via = o->via,
				       .context = o->context };

	if (o->all_cpus) {
		target.kind = NTIME_TARGET_MACHINE;
	} else if (o->cpus) {
		target.kind = NTIME_TARGET_CPUS;
		target.cpus = o->cpus;
	} else {
		target.kind =
			o->pids && !o->are_threads ? NTIME_TARGET_PROCESS : NTIME_TARGET_THREAD;
		target.flags = o->no_inherit ? 0 : NTIME_CHILDREN;
		target.pid = o->pids ? o->pid[i] : child;
	}
	if (child && !o->pids && !o->all_cpus && !o->cpus) {
		target.kind = NTIME_TARGET_PROCESS;
		/* A measurement that begins later is started by hand then. */
		target.flags |= o->delay_ns ? 0 : NTIME_ON_EXEC;
	}
	if (pass >= 0) {
		target.flags |= NTIME_PASS_ALONE;
		target.pass = (uint32_t)pass;
	} else {
		/* One pass a frame; else they rotate. */
		target.flags |= o->frames ? NTIME_BY_PASS : NTIME_TURNS;
	}
	return target;
}

/* What one process has of it is what all have. */
static void find_shared(struct cli_sessions *ss)
{
	ss->is_shared = cli_calloc(ss->items + 1, sizeof(*ss->is_shared));
	ss->part = cli_calloc(ss->items + 1, sizeof(*ss->part));
	for (size_t i = 0; i < ss->items; i++) {
		struct ntime_item item = { .size = sizeof(item) };

		if (ntime_session_item(ss->session[0], i, &item) == 0)
			ss->is_shared[i] =
				strcmp(item.unit, "clock") == 0 || item.scope == NTIME_SCOPE_DEVICE;
	}
}

int cli_sessions_new(struct cli_sessions *ss, struct ntime_ctx *ctx,
		     const struct cli_stat_options *o, pid_t child, int pass,
		     const struct ntime_emulator *emulator)
{
	size_t wanted = o->pids ? o->pids : 1;
	int ret = 0;

	*ss = (struct cli_sessions){ .ctx = ctx };
	ss->session = cli_calloc(wanted, sizeof(struct ntime_session *));
	for (size_t i = 0; i < wanted && !ret; i++) {
		struct ntime_target target = target_of(o, child, i, pass);

		target.emulator = emulator;
		ret = cli_machine_check(ctx, ntime_session_new(ctx, &target, &ss->session[i]));
		if (ret)
			break;
		ss->n++;
		ret = add_items(ss, ss->session[i], o);
	}
	if (ret < 0) {
		cli_sessions_free(ss);
		return ret;
	}
	ss->items = ntime_session_count(ss->session[0]);
	find_shared(ss);
	return 0;
}

void cli_sessions_free(struct cli_sessions *ss)
{
	for (size_t i = 0; i < ss->n; i++)
		ntime_session_free(ss->session[i]);
	free(ss->session);
	free(ss->is_shared);
	free(ss->part);
	*ss = (struct cli_sessions){ 0 };
}

int cli_sessions_open(struct ntime_ctx *ctx, struct ntime_session **session, size_t n)
{
	struct rlimit old, wide;
	bool is_wide;
	int ret = 0;

	is_wide = getrlimit(RLIMIT_NOFILE, &old) == 0;
	wide = (struct rlimit){ .rlim_cur = old.rlim_max, .rlim_max = old.rlim_max };
	is_wide = is_wide && setrlimit(RLIMIT_NOFILE, &wide) == 0;
	for (size_t i = 0; i < n && !ret; i++)
		ret = cli_machine_check(ctx, ntime_session_open(session[i]));
	if (is_wide)
		(void)setrlimit(RLIMIT_NOFILE, &old);
	return ret;
}

static int for_all(struct cli_sessions *ss, int (*fn)(struct ntime_session *s))
{
	int ret = 0;

	for (size_t i = 0; i < ss->n && !ret; i++)
		ret = cli_machine_check(ss->ctx, fn(ss->session[i]));
	return ret;
}

int cli_sessions_start(struct cli_sessions *ss)
{
	return for_all(ss, ntime_session_start);
}

int cli_sessions_take_times(struct cli_sessions *ss, const struct ntime_command *c)
{
	int ret = 0;

	for (size_t i = 0; i < ss->n && !ret; i++)
		ret = cli_machine_check(ss->ctx, ntime_session_take_times(ss->session[i], c));
	return ret;
}

uint64_t cli_sessions_length_ns(const struct cli_sessions *ss)
{
	return ntime_session_length_ns(ss->session[0]);
}

int cli_sessions_stop(struct cli_sessions *ss)
{
	return for_all(ss, ntime_session_stop);
}

int cli_sessions_turn(struct cli_sessions *ss, uint64_t *next_ns)
{
	*next_ns = UINT64_MAX;
	for (size_t i = 0; i < ss->n; i++) {
		uint64_t one_ns;
		int ret = cli_machine_check(ss->ctx, ntime_session_turn(ss->session[i], &one_ns));

		if (ret)
			return ret;
		*next_ns = one_ns < *next_ns ? one_ns : *next_ns;
	}
	return 0;
}

int cli_sessions_follow(struct cli_sessions *ss, const struct cli_stat_options *o)
{
	return o->all_cpus || o->cpus ? for_all(ss, ntime_session_follow) : 0;
}

int cli_sessions_metrics(struct cli_sessions *ss, struct ntime_value *values)
{
	return cli_machine_check(ss->ctx, ntime_session_metrics(ss->session[0], values, ss->items));
}

int cli_sessions_read(struct cli_sessions *ss, struct ntime_value *values)
{
	for (size_t i = 0; i < ss->n; i++) {
		int ret = ntime_session_read(ss->session[i], i ? ss->part : values, ss->items);

		if (ret < 0)
			return cli_machine_check(ss->ctx, ret);
		for (size_t k = 0; i && k < ss->items; k++)
			if (!ss->is_shared[k])
				cli_value_add(&values[k], &ss->part[k]);
	}
	return ss->n > 1 ? cli_sessions_metrics(ss, values) : 0;
}

unsigned int cli_sessions_passes(const struct cli_sessions *ss)
{
	return ntime_session_passes(ss->session[0]);
}

uint64_t cli_sessions_max_read_interval_ns(const struct cli_sessions *ss)
{
	return ntime_session_max_read_interval_ns(ss->session[0]);
}

static void describe(struct cli_item *to, const struct ntime_item *from)
{
	/* A formula given on the command line is called by the name before it. */
	size_t chars = from->is_metric ? strcspn(from->name, "[=") : strlen(from->name);

	*to = (struct cli_item){
		.name = cli_strndup(from->name, chars),
		.unit = cli_strdup(from->unit),
		.unit_text = cli_strdup(from->unit_text),
		.method = cli_strdup(from->method),
		.reason = cli_strdup(from->reason),
		.remedy = cli_strdup(from->remedy),
		.about = cli_strdup(from->about),
		.cause = cli_strdup(from->cause),
		.beside = cli_strdup(from->beside),
		.scale = from->scale,
		.max_rate = from->max_rate,
		.pass = from->pass,
		.is_in_every_pass = from->in_every_pass,
		.turns = from->turns,
		.is_of_device = from->scope == NTIME_SCOPE_DEVICE && !from->in_context,
		.is_metric = from->is_metric,
		.is_hidden = from->is_hidden,
		.reason_code = from->reason_code,
		.remedy_kind = from->remedy_kind,
	};
}

int cli_sessions_describe(struct cli_sessions *ss, struct cli_item **items)
{
	struct cli_item *item = cli_calloc(ss->items + 1, sizeof(*item));
	int ret = 0;

	for (size_t i = 0; i < ss->items && !ret; i++) {
		struct ntime_item from = { .size = sizeof(from) };

		ret = ntime_session_item(ss->session[0], i, &from);
		/* What is wrong with the number of one process is wrong with the sum. */
		for (size_t k = 1; k < ss->n && !ret && !from.reason_code && !ss->is_shared[i]; k++)
			ret = ntime_session_item(ss->session[k], i, &from);
		if (!ret)
			describe(&item[i], &from);
	}
	if (ret < 0) {
		cli_items_free(item, ss->items);
		return cli_machine_check(ss->ctx, ret);
	}
	*items = item;
	return 0;
}

void cli_items_free(struct cli_item *items, size_t n)
{
	for (size_t i = 0; items && i < n; i++) {
		free((char *)items[i].name);
		free((char *)items[i].unit);
		free((char *)items[i].unit_text);
		free((char *)items[i].method);
		free((char *)items[i].reason);
		free((char *)items[i].remedy);
		free((char *)items[i].about);
		free((char *)items[i].cause);
		free((char *)items[i].beside);
	}
	free(items);
}
