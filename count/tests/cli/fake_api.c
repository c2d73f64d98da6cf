// SPDX-License-Identifier: MIT
/*
 * A stand-in for the library, so that the whole command can be run where nothing depends on the
 * machine: what the "machine" has and how it misbehaves is chosen by words in the variable
 * NTIME_FAKE, separated by blanks:
 *     pmu        there is a core PMU             passes=N   the plan has N passes that take turns
 *     clean      no problems                    simulated  values carry NTIME_SIMULATED
 *     overflow   cycles missed a wrap           partial    page-faults misses CPUs
 *     stale=N    the Nth read fails              idle       hardware events were never counted
 *     sockets=N  packages, of two cores each     threads=N  of each core
 *     flat       no topology                     horizon=N  counters wrap within N us
 *     slow=N     each read takes N ms            lost       cycles were taken away
 *     gone=N     from the Nth read on the device of page-faults is gone in socket 1
 *     torn=N     of the Nth read it is not known within 1000 s of which moment it is
 *     ctrl-c     SIGINT comes while the counters are opened
 *     hotplug    CPUs came and went while page-faults were counted
 *     interrupt=N signal N comes then, and the library asks whether it shall end
 *     closed     the machine cannot be opened
 *     late       to start a command ends only when a signal comes
 * The Nth read of a session gives N times the number in the table below. Commands are real
 * processes.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ntime/command.h>
#include <ntime/list.h>
#include <ntime/machine.h>
#include <ntime/session.h>
#include <ntime/topology.h>

#include "base/command/signals.h"

#define MAX_ITEMS 64
#define NO_PMU "the hypervisor (KVM) exposes no core PMU to this guest"
#define NO_PMU_REMEDY "start the guest with a virtual PMU (QEMU: -cpu host,pmu=on)"

static const struct fake_event {
	const char *name, *unit, *unit_text, *desc;
	uint64_t count;
	bool is_hardware;
	uint32_t scope, together, is_state;
} events[] = {
	{ "task-clock", "software", "ns", "CPU time of the target", 2500000, false },
	{ "context-switches", "software", "", "Changes from one thread to another", 3, false },
	{ "cpu-migrations", "software", "", "Moves to another CPU", 0, false },
	{ "page-faults", "software", "", "Page faults", 1234, false },
	{ "minor-faults", "software", "", "Page faults without input", 1230, false },
	{ "major-faults", "software", "", "Page faults with input", 4, false },
	{ "tsc", "clock", "", "Ticks of the time stamp counter", 987654321, false },
	{ "cycles", "cpu", "", "Core clock cycles", 3000000000u, true },
	{ "instructions", "cpu", "", "Instructions retired", 4500000000u, true },
	{ "branches", "cpu", "", "Branches retired", 700000000, true },
	{ "branch-misses", "cpu", "", "Branches that were predicted wrongly", 7000000, true },
	{ "cache-references", "cpu", "", "Accesses to the last cache", 50000, true },
	{ "cache-misses", "cpu", "", "Accesses that the last cache could not serve", 5000, true },
	{ "power/energy-pkg/", "power", "Joules", "Energy of the package", 1000, false,
	  .scope = NTIME_SCOPE_PACKAGE },
	{ "thermal/headroom/", "thermal", "C", "Degrees below the limit", 40, false,
	  .scope = NTIME_SCOPE_CORE, .together = NTIME_MIN, .is_state = 1 },
	{ "thermal/prochot-log/", "thermal", "", "PROCHOT was asserted", 1, false,
	  .scope = NTIME_SCOPE_CORE, .together = NTIME_MAX, .is_state = 1 },
	{ "boards", "board", "", "Of the whole machine", 7, false, .scope = NTIME_SCOPE_MACHINE },
};

static const struct fake_metric {
	const char *name, *unit_text, *formula, *beside, *desc;
	const char *over, *under;
	uint32_t is_default;
	const char *group;
} metrics[] = {
	{ "IPC", "insn/cycle", "instructions / cycles", "instructions",
	  "Instructions retired per cycle.", "instructions", "cycles", 1, "core" },
	{ "branch-miss-ratio", "%", "100 * branch-misses / branches", "branch-misses",
	  "Share of branches that were predicted wrongly.", "branch-misses", "branches", 1 },
	{ "faults-per-switch", "faults/switch", "page-faults / context-switches", "page-faults",
	  "Page faults for each switch.", "page-faults", "context-switches", 1, "system" },
	{ "tsc-per-fault", "ticks/fault", "tsc / page-faults", "",
	  "Ticks that pass for a page fault.", "tsc", "page-faults", 0, "system" },
	{ "package-joules", "J/fault", "power/energy-pkg/ / page-faults", "",
	  "Energy of the package for each page fault.", "power/energy-pkg/", "page-faults", 0,
	  "throttling" },
	{ "coldest", "C", "thermal/headroom/ / 1", "", "Degrees below the limit.",
	  "thermal/headroom/", NULL, 0, "throttling" },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct ntime_ctx {
	char error[512]; /* first: fake_stale.c writes it as well */
	void (*log)(void *arg, const char *line);
	void *log_arg;
	int (*interrupt)(void *arg);
	void *interrupt_arg;
	bool is_recording;
};

struct fake_item {
	char name[96];
	const struct fake_event *event;
	const struct fake_metric *metric;
	bool is_hidden;
};

struct ntime_session {
	struct ntime_ctx *ctx;
	struct fake_item item[MAX_ITEMS];
	size_t n;
	uint64_t reads, read_ns, real_ns;
	uint32_t flags, pass;
	int only_cpu; /* -1: all */
	bool is_open, is_started;
};

struct ntime_command {
	struct ntime_ctx *ctx;
	pid_t pid;
	int door, news, pidfd;
	struct timespec begin, end;
	bool is_reaped;
};

static uint64_t ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

static uint64_t real_ns_of(const struct ntime_command *c)
{
	return ns_of(&c->end) - ns_of(&c->begin);
}

static unsigned long word_number(const char *word)
{
	const char *at = getenv("NTIME_FAKE");
	size_t chars = strlen(word);

	for (at = at ? at : ""; *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (strncmp(at, word, chars) == 0 &&
		    (at[chars] == '=' || at[chars] == ' ' || !at[chars]))
			return at[chars] == '=' ? strtoul(at + chars + 1, NULL, 10) : 1;
	return 0;
}

static unsigned int passes(void)
{
	return word_number("passes") ? (unsigned int)word_number("passes") : 1;
}

static bool is_here(const struct fake_event *e)
{
	return !e->is_hardware || word_number("pmu");
}

const char *ntime_version(void)
{
	return "0.1.0-fake";
}

const char *ntime_error_text(const struct ntime_ctx *ctx)
{
	return ctx->error;
}

int ntime_open(struct ntime_ctx **out, const struct ntime_options *options)
{
	const char *file = options->machine ? options->machine : options->metrics;

	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->log = options->log;
	(*out)->log_arg = options->log_arg;
	(*out)->interrupt = options->interrupt;
	(*out)->interrupt_arg = options->interrupt_arg;
	(*out)->is_recording = options->machine;
	if (file && access(file, R_OK)) {
		snprintf((*out)->error, sizeof((*out)->error), "cannot read %s: %s", file,
			 strerror(errno));
		return -errno;
	}
	if (word_number("closed")) {
		snprintf((*out)->error, sizeof((*out)->error), "the machine is closed");
		return -EACCES;
	}
	if (options->log)
		options->log(options->log_arg, "fake machine opened");
	return 0;
}

void ntime_close(struct ntime_ctx *ctx)
{
	free(ctx);
}

int ntime_method_for_each(struct ntime_ctx *ctx,
			  int (*fn)(void *arg, const struct ntime_method_info *method), void *arg)
{
	const struct ntime_method_info methods[] = {
		{ sizeof(methods[0]), 1, "perf", "the kernel's counters", "", "", "one read(2)" },
		{ sizeof(methods[0]), 0, "msr", "model-specific registers",
		  "there is no /dev/cpu/0/msr", "modprobe msr", "one pread(2)",
		  NTIME_REASON_NOT_LOADED, NTIME_REMEDY_HERE, "/dev/cpu/0/msr" },
	};
	int ret = 0;

	(void)ctx;
	for (size_t i = 0; i < COUNT(methods) && !ret; i++)
		ret = fn(arg, &methods[i]);
	return ret;
}

int ntime_unit_for_each(struct ntime_ctx *ctx,
			int (*fn)(void *arg, const struct ntime_unit_info *unit), void *arg)
{
	uint32_t pmu = word_number("pmu") != 0;
	const struct ntime_unit_info units[] = {
		{ sizeof(units[0]), pmu, 4, 3, "cpu", "core PMU", "perf", "", pmu ? "" : NO_PMU,
		  pmu ? "" : NO_PMU_REMEDY, pmu ? NTIME_REASON_NONE : NTIME_REASON_HYPERVISOR,
		  pmu ? NTIME_REMEDY_NONE : NTIME_REMEDY_ELSEWHERE, "core PMU" },
		{ sizeof(units[0]), 1, 0, 0, "software", "counters of the kernel", "perf", "", "",
		  "" },
		{ sizeof(units[0]), 1, 0, 0, "clock", "time stamp counter", "clock", "", "", "" },
		{ sizeof(units[0]), 1, 0, 0, "power", "energy", "perf", "0", "", "" },
	};
	int ret = 0;

	(void)ctx;
	for (size_t i = 0; i < COUNT(units) && !ret; i++)
		ret = fn(arg, &units[i]);
	return ret;
}

int ntime_event_for_each(struct ntime_ctx *ctx, const char *model,
			 int (*fn)(void *arg, const struct ntime_event_info *event), void *arg)
{
	int ret = 0;

	if (model && strcmp(model, "skx") != 0) {
		snprintf(ctx->error, sizeof(ctx->error),
			 "libpfm4 knows no PMU model '%.40s'; the nearest is skx", model);
		return -ENOENT;
	}
	for (size_t i = 0; i < COUNT(events) && !ret; i++) {
		const struct fake_event *e = &events[i];
		bool here = is_here(e);
		struct ntime_event_info info = { sizeof(info),
						 here,
						 e->name,
						 e->unit,
						 e->desc,
						 e->unit_text,
						 "",
						 here ? "" : NO_PMU,
						 here ? "" : NO_PMU_REMEDY,
						 "",
						 0,
						 0,
						 "",
						 here ? NTIME_REASON_NONE : NTIME_REASON_HYPERVISOR,
						 here ? NTIME_REMEDY_NONE : NTIME_REMEDY_ELSEWHERE,
						 "core PMU",
						 here ? "" : NO_PMU };

		ret = fn(arg, &info);
	}
	return ret;
}

int ntime_pmu_model_for_each(struct ntime_ctx *ctx,
			     int (*fn)(void *arg, const char *name, const char *desc), void *arg)
{
	(void)ctx;
	return fn(arg, "skx", "a model");
}

int ntime_metric_for_each(struct ntime_ctx *ctx,
			  int (*fn)(void *arg, const struct ntime_event_info *metric), void *arg)
{
	int ret = 0;

	(void)ctx;
	for (size_t i = 0; i < COUNT(metrics) && !ret; i++) {
		const struct fake_metric *m = &metrics[i];
		struct ntime_event_info info = { sizeof(info),
						 1,
						 m->name,
						 "",
						 m->desc,
						 m->unit_text,
						 m->formula,
						 "",
						 "",
						 m->beside,
						 m->is_default,
						 0,
						 m->group ? m->group : "",
						 NTIME_REASON_NONE,
						 NTIME_REMEDY_NONE,
						 "",
						 "" };

		ret = fn(arg, &info);
	}
	return ret;
}

int ntime_problem_of_libraries(struct ntime_ctx *ctx,
			       int (*fn)(void *arg, const struct ntime_problem *o), void *arg)
{
	(void)ctx;
	(void)fn;
	(void)arg;
	return 0;
}

int ntime_problem_for_each(struct ntime_ctx *ctx,
			   int (*fn)(void *arg, const struct ntime_problem *o), void *arg)
{
	const struct ntime_problem problems[] = {
		{ sizeof(problems[0]), NTIME_REMEDY_ELSEWHERE,
		  "cycles, instructions and other core events", NO_PMU, NO_PMU_REMEDY, "core PMU",
		  NTIME_REASON_HYPERVISOR, 0 },
		{ sizeof(problems[0]), NTIME_REMEDY_HERE, "model-specific registers",
		  "there is no /dev/cpu/0/msr", "modprobe msr", "/dev/cpu/0/msr",
		  NTIME_REASON_NOT_LOADED, 0 },
	};
	int ret = 0;

	(void)ctx;
	for (size_t i = 0; i < COUNT(problems) && !ret && !word_number("clean"); i++)
		ret = fn(arg, &problems[i]);
	return ret;
}

int ntime_event_encode(struct ntime_ctx *ctx, const char *event,
		       int (*fn)(void *arg, const struct ntime_encoding *part), void *arg)
{
	struct ntime_encoding part = {
		.size = sizeof(part), .type = 1, .config = 2, .exclude = 2, .unit = "software"
	};

	(void)ctx;
	(void)event;
	return fn(arg, &part) ? -EINVAL : 1;
}

int ntime_topology_get(struct ntime_ctx *ctx, struct ntime_topology *out)
{
	(void)ctx;
	*out = (struct ntime_topology){ sizeof(*out), 4, 3, 2, 1, 1 };
	return 0;
}

int ntime_machine_record(struct ntime_ctx *ctx,
			 int (*write)(void *arg, const void *bytes, size_t n), void *arg)
{
	(void)ctx;
	return write(arg, "fake\n", 5);
}

int ntime_session_new(struct ntime_ctx *ctx, const struct ntime_target *target,
		      struct ntime_session **out)
{
	*out = NULL;
	if ((target->kind == NTIME_TARGET_THREAD || target->kind == NTIME_TARGET_PROCESS) &&
	    target->pid && kill(target->pid, 0) && errno == ESRCH) {
		snprintf(ctx->error, sizeof(ctx->error), "there is no process %d", target->pid);
		return -ESRCH;
	}
	if (target->kind == NTIME_TARGET_CPUS && strcmp(target->cpus, "0") != 0) {
		snprintf(ctx->error, sizeof(ctx->error), "CPU %.40s is off line or does not exist",
			 target->cpus);
		return -ENODEV;
	}
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->ctx = ctx;
	(*out)->flags = target->flags;
	(*out)->pass = target->pass;
	(*out)->only_cpu = target->kind == NTIME_TARGET_CPUS ? 0 : -1;
	return 0;
}

const char *ntime_via_name(uint32_t via)
{
	static const char *const names[] = { "auto", "perf", "ntimefs", "msr", "pci" };

	return via < sizeof(names) / sizeof(names[0]) ? names[via] : NULL;
}

void ntime_session_free(struct ntime_session *s)
{
	free(s);
}

/* Of the metrics, those for ntime watch bring their events along. */
static void add_hidden(struct ntime_session *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->item[i].name, name) == 0)
			return;
	if (ntime_session_add(s, name, NULL) == 0)
		s->item[s->n - 1].is_hidden = true;
}

int ntime_session_add(struct ntime_session *s, const char *name, int *index)
{
	struct fake_item *item;

	for (size_t i = 0; i < COUNT(metrics); i++) {
		if (strcmp(metrics[i].name, name) != 0 || !metrics[i].group ||
		    strcmp(metrics[i].group, "throttling") != 0)
			continue;
		add_hidden(s, metrics[i].over);
		if (metrics[i].under)
			add_hidden(s, metrics[i].under);
	}
	if (s->n == MAX_ITEMS)
		return -E2BIG;
	item = &s->item[s->n];
	snprintf(item->name, sizeof(item->name), "%s", name);
	for (size_t i = 0; i < COUNT(events); i++)
		if (strcmp(events[i].name, name) == 0)
			item->event = &events[i];
	for (size_t i = 0; i < COUNT(metrics); i++)
		if (strcmp(metrics[i].name, name) == 0 || (strchr(name, '=') && i == 3))
			item->metric = &metrics[i];
	if (!item->event && !item->metric) {
		snprintf(s->ctx->error, sizeof(s->ctx->error),
			 "there is no event '%.60s'; did you mean page-faults?", name);
		return -ENOENT;
	}
	if (index)
		*index = (int)s->n;
	s->n++;
	return 0;
}

int ntime_session_add_list(struct ntime_session *s, const char *list)
{
	char one[96];
	int ret = 0;

	for (const char *at = list; !ret; at++) {
		size_t chars = strcspn(at, ",");

		snprintf(one, sizeof(one), "%.*s", (int)chars, at);
		ret = ntime_session_add(s, one, NULL);
		at += chars;
		if (!*at)
			break;
	}
	return ret;
}

static bool has_event(const struct ntime_session *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->item[i].name, name) == 0)
			return true;
	return false;
}

int ntime_session_add_beside(struct ntime_session *s)
{
	int added = 0;

	for (size_t i = 0; i < COUNT(metrics); i++) {
		if (has_event(s, metrics[i].over) &&
		    (!metrics[i].under || has_event(s, metrics[i].under)) && *metrics[i].beside &&
		    ntime_session_add(s, metrics[i].name, NULL) == 0)
			added++;
	}
	return added;
}

size_t ntime_session_count(const struct ntime_session *s)
{
	return s->n;
}

static bool metric_is_here(const struct fake_metric *m)
{
	for (size_t i = 0; i < COUNT(events); i++)
		if ((strcmp(events[i].name, m->over) == 0 ||
		     (m->under && strcmp(events[i].name, m->under) == 0)) &&
		    !is_here(&events[i]))
			return false;
	return true;
}

static bool item_is_here(const struct fake_item *item)
{
	return item->metric ? metric_is_here(item->metric) : is_here(item->event);
}

static double scale_of(const struct fake_event *e)
{
	return strcmp(e->unit, "power") == 0 ? 0.25 : 1;
}

static uint32_t metric_scope(const struct fake_metric *m)
{
	uint32_t scope = NTIME_SCOPE_CPU;

	for (size_t i = 0; i < COUNT(events); i++)
		if ((strcmp(events[i].name, m->over) == 0 ||
		     (m->under && strcmp(events[i].name, m->under) == 0)) &&
		    events[i].scope > scope)
			scope = events[i].scope;
	return scope;
}

/* Sockets have two cores of a thread each. */
static bool is_gone(const struct ntime_session *s, const struct fake_event *e, int cpu)
{
	return e && word_number("gone") && s->reads >= word_number("gone") && cpu >= 2 &&
	       strcmp(e->name, "page-faults") == 0;
}

int ntime_session_item(const struct ntime_session *s, size_t i, struct ntime_item *out)
{
	const struct fake_item *item = &s->item[i];
	bool here = item_is_here(item);
	const char *reason = item->metric ? "needs another event: " NO_PMU : NO_PMU;

	/* Sentences that differ, of one code about one thing. */
	if (word_number("lacks"))
		reason = strcmp(item->name, "cycles") == 0 ? "no cycles here"
			 : item->metric			   ? "needs another event: no other here"
							   : "no instructions here";

	if (i >= s->n)
		return -EINVAL;
	if (here)
		reason = is_gone(s, item->event, 2) ? "it was unplugged" : "";
	*out = (struct ntime_item){
		.size = sizeof(*out),
		.pass = (uint32_t)(i % passes()),
		.is_metric = item->metric != NULL,
		.is_hidden = item->is_hidden,
		.scale = item->metric ? 1 : scale_of(item->event),
		.name = item->name,
		.unit = item->metric ? "" : item->event->unit,
		.unit_text = item->metric ? item->metric->unit_text : item->event->unit_text,
		.method = item->metric || !here			    ? ""
			  : strcmp(item->event->unit, "clock") == 0 ? "clock"
								    : "perf",
		.reason = reason,
		.remedy = here ? "" : NO_PMU_REMEDY,
		.about = *reason ? "core PMU" : "",
		.cause =
			item->metric && *reason ? reason + strlen("needs another event: ") : reason,
		.reason_code = here ? *reason ? NTIME_REASON_OFFLINE : NTIME_REASON_NONE
			       : word_number("lacks") ? NTIME_REASON_NO_HARDWARE
						      : NTIME_REASON_HYPERVISOR,
		.remedy_kind = here ? NTIME_REMEDY_NONE : NTIME_REMEDY_ELSEWHERE,
		.beside = item->metric ? item->metric->beside : "",
		.scope = item->metric ? metric_scope(item->metric) : item->event->scope,
		.together = item->metric ? 0 : item->event->together,
		.is_state = item->metric ? 0 : item->event->is_state,
	};
	return 0;
}

int ntime_session_open(struct ntime_session *s)
{
	if (word_number("ctrl-c"))
		raise(SIGINT);
	if (word_number("interrupt")) {
		raise((int)word_number("interrupt"));
		if (s->ctx->interrupt && s->ctx->interrupt(s->ctx->interrupt_arg)) {
			snprintf(s->ctx->error, sizeof(s->ctx->error), "interrupted");
			return -EINTR;
		}
	}
	s->is_open = true;
	return 0;
}

unsigned int ntime_session_passes(const struct ntime_session *s)
{
	return s->is_open ? passes() : 0;
}

const char *ntime_session_plan_text(struct ntime_session *s, unsigned int pass)
{
	(void)s;
	return pass ? "four counters are taken" : "";
}

int ntime_session_start(struct ntime_session *s)
{
	s->is_open = s->is_started = true;
	return 0;
}

int ntime_session_follow(struct ntime_session *s)
{
	(void)s;
	return 0;
}

int ntime_session_take_times(struct ntime_session *s, const struct ntime_command *c)
{
	s->real_ns = c->is_reaped ? real_ns_of(c) : 0;
	return 0;
}

uint64_t ntime_session_length_ns(const struct ntime_session *s)
{
	return s->real_ns;
}

int ntime_session_turn(struct ntime_session *s, uint64_t *next_ns)
{
	(void)s;
	*next_ns = UINT64_MAX;
	return 0;
}

int ntime_session_stop(struct ntime_session *s)
{
	(void)s;
	return 0;
}

static void read_event(const struct ntime_session *s, size_t i, struct ntime_value *v)
{
	const struct fake_event *e = s->item[i].event;
	bool is_alone = s->flags & NTIME_PASS_ALONE;

	*v = (struct ntime_value){ .value = NAN, .scale = scale_of(e) };
	if (!is_here(e)) {
		v->flags = NTIME_ABSENT;
		return;
	}
	v->wanted_ns = s->reads * 1000000000u;
	if (!s->is_started || (is_alone && i % passes() != s->pass) ||
	    (e->is_hardware && word_number("idle"))) {
		v->flags = NTIME_NOT_COUNTED;
		return;
	}
	v->counted_ns = v->wanted_ns;
	v->count = s->reads * e->count;
	v->value = (double)v->count * scale_of(e);
	if (!is_alone && passes() > 1 && strcmp(e->unit, "clock") != 0) {
		v->counted_ns = v->wanted_ns / passes();
		v->value *= passes();
		v->error = v->below = v->above = v->value / 50;
		v->flags |= NTIME_SCALED;
	}
	if (word_number("overflow") && strcmp(e->name, "cycles") == 0)
		v->flags |= NTIME_OVERFLOWED;
	if (word_number("partial") && strcmp(e->name, "page-faults") == 0)
		v->flags |= NTIME_PARTIAL;
	if (word_number("hotplug") && strcmp(e->name, "page-faults") == 0) {
		v->flags |= NTIME_HOTPLUG;
		v->hotplugs = 2;
	}
	if (word_number("simulated") || s->ctx->is_recording)
		v->flags |= NTIME_SIMULATED;
}

static const struct ntime_value *value_named(const struct ntime_session *s,
					     const struct ntime_value *values, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->item[i].event && strcmp(s->item[i].event->name, name) == 0)
			return &values[i];
	return NULL;
}

int ntime_session_metrics(const struct ntime_session *s, struct ntime_value *values, size_t n)
{
	if (n != s->n)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		const struct fake_metric *m = s->item[i].metric;
		const struct ntime_value one = { .value = 1 }, *over, *under;

		if (!m)
			continue;
		values[i] = (struct ntime_value){ .value = NAN, .flags = NTIME_METRIC };
		over = value_named(s, values, m->over);
		under = m->under ? value_named(s, values, m->under) : &one;
		if (!metric_is_here(m))
			values[i].flags |= NTIME_ABSENT;
		else if (over && under && (over->flags | under->flags) & NTIME_ELSEWHERE)
			values[i].flags |= NTIME_ELSEWHERE;
		else if (!over || !under || !(under->value > 0))
			values[i].flags |= NTIME_NOT_COUNTED;
		else
			values[i].value = over->value / under->value *
					  (strcmp(m->unit_text, "%") == 0 ? 100 : 1);
	}
	return 0;
}

int ntime_session_read(struct ntime_session *s, struct ntime_value *out, size_t n)
{
	if (n != s->n)
		return -EINVAL;
	s->reads++;
	if (s->reads == word_number("stale")) {
		snprintf(s->ctx->error, sizeof(s->ctx->error), "CPU 3 went off line");
		return -ESTALE;
	}
	for (size_t i = 0; i < n; i++)
		if (s->item[i].event)
			read_event(s, i, &out[i]);
	ntime_session_metrics(s, out, n);
	return (int)n;
}

static uint64_t number_or(const char *word, uint64_t otherwise)
{
	return word_number(word) ? word_number(word) : otherwise;
}

/* Sockets have two cores each. */
size_t ntime_session_where_count(const struct ntime_session *s)
{
	if (!s->is_open)
		return 0;
	return s->only_cpu >= 0 ? 1 : number_or("sockets", 1) * 2 * number_or("threads", 1);
}

int ntime_session_where(struct ntime_session *s, size_t i, struct ntime_where_info *out)
{
	int cpu = (int)i, threads = (int)number_or("threads", 1);

	if (word_number("flat")) {
		snprintf(s->ctx->error, sizeof(s->ctx->error), "hwloc cannot read this machine");
		return -EIO;
	}
	if (i >= ntime_session_where_count(s))
		return -EINVAL;
	*out = (struct ntime_where_info){ .size = sizeof(*out), .pid = -1, .cpu = cpu };
	out->core = cpu / threads;
	out->package = out->l3 = out->node = out->core / 2;
	return 0;
}

uint64_t ntime_session_max_read_interval_ns(const struct ntime_session *s)
{
	(void)s;
	return word_number("horizon") ? word_number("horizon") * 1000 : UINT64_MAX;
}

/* Whether an event is read on @cpu for what it shares with others. */
static bool is_read_on(const struct fake_event *e, int cpu)
{
	int threads = (int)number_or("threads", 1);
	const int every[] = { [NTIME_SCOPE_CPU] = 1,
			      [NTIME_SCOPE_CORE] = threads,
			      [NTIME_SCOPE_L3] = 2 * threads,
			      [NTIME_SCOPE_PACKAGE] = 2 * threads,
			      [NTIME_SCOPE_MACHINE] = 1 << 20 };

	return cpu % every[e->scope] == 0;
}

/*
 * CPU 3 counts four times what CPU 0 does; states tell what stands in the table, and the CPU's
 * number more.
 */
static void read_place(const struct ntime_session *s, size_t i, int cpu, struct ntime_value *v)
{
	const struct fake_event *e = s->item[i].event;

	read_event(s, i, v);
	if (strcmp(e->unit, "clock") == 0 || v->flags & (NTIME_ABSENT | NTIME_NOT_COUNTED))
		return;
	if (!is_read_on(e, cpu)) {
		*v = (struct ntime_value){ .value = NAN, .scale = 1, .flags = NTIME_ELSEWHERE };
		return;
	}
	v->count = e->is_state ? e->count + (uint64_t)cpu : v->count * ((uint64_t)cpu + 1);
	v->value = e->is_state ? (double)v->count : v->value * (cpu + 1);
	v->flags |= e->is_state ? NTIME_STATE : 0;
	if (word_number("lost") && strcmp(e->name, "cycles") == 0)
		v->flags |= NTIME_LOST;
	if (is_gone(s, e, cpu))
		v->flags |= NTIME_LOST | NTIME_GONE;
}

int ntime_session_read_where(struct ntime_session *s, struct ntime_value *out, size_t n,
			     size_t places)
{
	struct timespec pause = { 0, (long)word_number("slow") * 1000000 }, now;

	if (n != s->n || places != ntime_session_where_count(s))
		return -EINVAL;
	s->reads++;
	if (s->reads == word_number("stale")) {
		snprintf(s->ctx->error, sizeof(s->ctx->error), "CPU 3 went off line");
		return -ESTALE;
	}
	for (size_t p = 0; p < places; p++) {
		for (size_t i = 0; i < n; i++)
			if (s->item[i].event)
				read_place(s, i, (int)p, &out[p * n + i]);
		ntime_session_metrics(s, &out[p * n], n);
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	s->read_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	nanosleep(&pause, NULL);
	return (int)(n * places);
}

int ntime_session_read_time(const struct ntime_session *s, uint64_t *at_ns, uint64_t *unsure_ns)
{
	*at_ns = s->read_ns;
	*unsure_ns = s->reads == word_number("torn") ? 1000000000000 : 0;
	return 0;
}

int ntime_value_bounds(const struct ntime_value *value, const struct ntime_item *item,
		       double *least, double *most)
{
	if (item->is_metric || isnan(value->value))
		return -ENODATA;
	*least = (double)value->count * value->scale;
	*most = item->max_rate > 0 ? *least + item->max_rate : INFINITY;
	return 0;
}

int ntime_value_compare(const struct ntime_value *a, const struct ntime_value *b)
{
	return (a->value > b->value) - (a->value < b->value);
}

void ntime_value_delta(const struct ntime_value *earlier, const struct ntime_value *later,
		       struct ntime_value *out)
{
	struct ntime_value delta = *later;

	if (later->flags & (NTIME_STATE | NTIME_ELSEWHERE)) {
		*out = delta;
		return;
	}
	delta.wanted_ns -= earlier->wanted_ns;
	if (later->flags & NTIME_GONE) {
		delta.value = NAN;
		delta.flags |= NTIME_ABSENT;
	}
	if (!(later->flags & (NTIME_ABSENT | NTIME_NOT_COUNTED | NTIME_METRIC))) {
		delta.count -= earlier->count;
		delta.counted_ns -= earlier->counted_ns;
		if (!(earlier->flags & NTIME_NOT_COUNTED))
			delta.value -= earlier->value;
	}
	*out = delta;
}

static void child(int door, int news, char *const argv[])
{
	char byte;
	int error;

	if (read(door, &byte, 1) != 1)
		_exit(0);
	execvp(argv[0], argv);
	error = errno;
	if (write(news, &error, sizeof(error)) < 0)
		_exit(1);
	_exit(0);
}

int ntime_command_new(struct ntime_ctx *ctx, char *const argv[], struct ntime_command **out)
{
	struct ntime_command *c = calloc(1, sizeof(*c));
	int door[2], news[2];

	*out = NULL;
	if (!c)
		return -ENOMEM;
	if (pipe2(door, O_CLOEXEC) || pipe2(news, O_CLOEXEC))
		abort();
	c->ctx = ctx;
	c->pid = fork();
	if (c->pid == 0) {
		close(door[1]);
		child(door[0], news[1], argv);
	}
	close(door[0]);
	close(news[1]);
	c->door = door[1];
	c->news = news[0];
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	*out = c;
	return 0;
}

int ntime_launcher_new(struct ntime_ctx *ctx, char *const *const argv[], size_t n,
		       struct ntime_launcher **out)
{
	(void)ctx;
	(void)argv;
	(void)n;
	*out = NULL;
	return -EOPNOTSUPP;
}

int ntime_launcher_command(struct ntime_launcher *l, size_t which, struct ntime_command **out)
{
	(void)l;
	(void)which;
	(void)out;
	abort();
}

void ntime_launcher_free(struct ntime_launcher *l)
{
	(void)l;
}

pid_t ntime_command_pid(const struct ntime_command *c)
{
	return c->pid;
}

static void wait_for_signal(void)
{
	/* It may have come already, when no wait could be cut short by it. */
	while (!cli_signals_stop())
		poll(NULL, 0, 10);
	/* Such that the command sees two signals where it gets two. */
	poll(NULL, 0, 300);
}

int ntime_command_start(struct ntime_command *c)
{
	int error = 0;
	ssize_t n;

	clock_gettime(CLOCK_MONOTONIC, &c->begin);
	if (write(c->door, "x", 1) != 1)
		return -EIO;
	do
		n = read(c->news, &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	if (n <= 0) {
		if (word_number("late"))
			wait_for_signal();
		return 0;
	}
	waitpid(c->pid, NULL, 0);
	c->is_reaped = true;
	snprintf(c->ctx->error, sizeof(c->ctx->error), "cannot run the command: %s",
		 strerror(error));
	return -error;
}

uint64_t ntime_command_began_ns(const struct ntime_command *c)
{
	return ns_of(&c->begin);
}

int ntime_command_wait(struct ntime_command *c, uint64_t timeout_ns, struct ntime_command_end *end)
{
	struct pollfd p = { .fd = c->pidfd, .events = POLLIN };
	struct timespec time = { (time_t)(timeout_ns / 1000000000u),
				 (long)(timeout_ns % 1000000000u) };
	struct rusage usage;
	int status, ret = ppoll(&p, 1, timeout_ns == UINT64_MAX ? NULL : &time, NULL);

	if (ret <= 0)
		return ret ? -errno : 0;
	if (wait4(c->pid, &status, 0, &usage) != c->pid)
		return -ECHILD;
	c->is_reaped = true;
	clock_gettime(CLOCK_MONOTONIC, &c->end);
	end->status = status;
	end->real_ns = real_ns_of(c);
	end->user_ns = (uint64_t)usage.ru_utime.tv_sec * 1000000000u +
		       (uint64_t)usage.ru_utime.tv_usec * 1000u;
	end->sys_ns = (uint64_t)usage.ru_stime.tv_sec * 1000000000u +
		      (uint64_t)usage.ru_stime.tv_usec * 1000u;
	end->max_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
	end->max_rss_floor_bytes = end->max_rss_bytes;
	end->minor_faults = (uint64_t)usage.ru_minflt;
	end->major_faults = (uint64_t)usage.ru_majflt;
	end->voluntary_switches = (uint64_t)usage.ru_nvcsw;
	end->involuntary_switches = (uint64_t)usage.ru_nivcsw;
	end->in_blocks = (uint64_t)usage.ru_inblock;
	end->out_blocks = (uint64_t)usage.ru_oublock;
	return 1;
}

int ntime_command_kill(struct ntime_command *c, int sig)
{
	if (c->is_reaped)
		return 0;
	return kill(c->pid, sig) ? -errno : 0;
}

void ntime_command_free(struct ntime_command *c)
{
	if (!c)
		return;
	close(c->door);
	close(c->news);
	if (!c->is_reaped) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
	}
	if (c->pidfd >= 0)
		close(c->pidfd);
	free(c);
}
