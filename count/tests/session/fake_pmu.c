// SPDX-License-Identifier: MIT
/* A PMU that is made up. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/stat.h>

#include "count/lib/machine/topology.h"
#include "count/tests/session/bare_os.h"
#include "count/tests/session/fake_pmu.h"
#include "base/tests/tt.h"

#define SLICE_NS 1000000ull
#define SLICES 32 /* of one piece of work, at most */
#define POWER_TYPE 21

static struct fake_pmu *pmu_of(struct nti_os *os)
{
	return (struct fake_pmu *)os;
}

static int say(char *buf, size_t size, const char *text)
{
	return snprintf(buf, size, "%s\n", text);
}

#define POWER "/sys/bus/event_source/devices/power/"

static int fake_text(struct nti_os *os, const char *path, char *buf, size_t size)
{
	struct fake_pmu *p = pmu_of(os);

	if (strcmp(path, "/sys/devices/system/cpu/online") == 0)
		return say(buf, size, p->cpus ? p->cpus : "0");
	if (strcmp(path, "/proc/sys/kernel/random/boot_id") == 0 && p->boot)
		return say(buf, size, p->boot);
	if (strcmp(path, "/proc/sys/kernel/osrelease") == 0)
		return say(buf, size, "6.1.0-made-up");
	if (strcmp(path, POWER "format/event") == 0)
		return say(buf, size, "config:0-7");
	if (strcmp(path, POWER "events/energy-psys") == 0)
		return say(buf, size, "event=0x05");
	if (strcmp(path, POWER "events/energy-psys.scale") == 0)
		return say(buf, size, "2.3283064365386962890625e-10");
	if (strcmp(path, POWER "events/energy-psys.unit") == 0)
		return say(buf, size, "Joules");
	return -ENOENT;
}

static int fake_list(struct nti_os *os, const char *path, int (*fn)(void *arg, const char *name),
		     void *arg)
{
	static const char *const events[] = { "energy-psys", "energy-psys.scale",
					      "energy-psys.unit" };
	int ret = 0;
	size_t i;

	(void)os;
	if (strncmp(path, POWER "format", strlen(POWER "format")) == 0)
		return fn(arg, "event");
	if (strncmp(path, POWER "events", strlen(POWER "events")) != 0)
		return -ENOENT;
	for (i = 0; ret == 0 && i < NTI_ARRAY_SIZE(events); i++)
		ret = fn(arg, events[i]);
	return ret;
}

static int fake_access(struct nti_os *os, const char *path, int mode)
{
	char text[64];

	(void)mode;
	if (strcmp(path, POWER "events") == 0 || strcmp(path, POWER "format") == 0)
		return 0;
	return fake_text(os, path, text, sizeof(text)) < 0 ? -ENOENT : 0;
}

static int fake_directory(struct nti_os *os, const char *path, bool make)
{
	struct fake_pmu *p = pmu_of(os);
	int fd;

	if (strcmp(path, "/run/ntime") != 0 || !*p->directory)
		return -ENOENT;
	if (make)
		(void)mkdir(p->directory, 0755);
	fd = open(p->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static uint64_t fake_now_ns(struct nti_os *os)
{
	return pmu_of(os)->now_ns;
}

static int code_of(const struct perf_event_attr *attr, enum fake_code *code)
{
	static const enum fake_code hardware[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = FAKE_CYCLES,
		[PERF_COUNT_HW_INSTRUCTIONS] = FAKE_INSTRUCTIONS,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = FAKE_BRANCHES,
		[PERF_COUNT_HW_BRANCH_MISSES] = FAKE_BRANCH_MISSES,
		[PERF_COUNT_HW_CACHE_REFERENCES] = FAKE_REFERENCES,
		[PERF_COUNT_HW_CACHE_MISSES] = FAKE_MISSES,
		/* any number of them: a clock of its own */
		[PERF_COUNT_HW_BUS_CYCLES] = FAKE_REFERENCES,
	};

	if (attr->type == PERF_TYPE_HARDWARE && attr->config < NTI_ARRAY_SIZE(hardware))
		*code = hardware[attr->config];
	else if (attr->type == PERF_TYPE_RAW) /* any code is one of branches */
		*code = FAKE_BRANCHES;
	else if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_TASK_CLOCK)
		*code = FAKE_NS;
	else if (attr->type == POWER_TYPE)
		*code = FAKE_JOULES;
	else
		return -ENOENT;
	return 0;
}

static unsigned int members_of(const struct fake_pmu *p, int leader)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < FAKE_PMU_EVENTS; i++)
		n += p->event[i].is_open && p->event[i].group == leader && p->event[i].is_hardware;
	return n;
}

static int fake_open(struct nti_os *os, struct perf_event_attr *attr, pid_t pid, int cpu, int group,
		     unsigned long flags)
{
	struct fake_pmu *p = pmu_of(os);
	enum fake_code code;
	int fd, ret = code_of(attr, &code);

	(void)pid, (void)cpu, (void)flags;
	if (ret < 0)
		return ret;
	if (group >= 0 && code < FAKE_NS && members_of(p, group) >= p->counters)
		return -EINVAL;
	for (fd = 0; fd < FAKE_PMU_EVENTS && p->event[fd].is_open; fd++)
		;
	assert_true(fd < FAKE_PMU_EVENTS);
	p->event[fd] = (struct fake_event){
		.is_open = true,
		.is_hardware = code < FAKE_NS,
		.group = group < 0 ? fd : group,
		.code = code,
		.type = attr->type,
		.config = attr->config,
		.modes = { !attr->exclude_user, !attr->exclude_kernel },
	};
	p->opens++;
	return fd;
}

static bool is_hit(const struct fake_pmu *p, const struct fake_event *e)
{
	return p->lie && e->code == p->code && p->total_ns >= p->from_ns;
}

/* The first of several equal ones that are enabled. */
static bool is_first_twin(const struct fake_pmu *p, const struct fake_event *e)
{
	const struct fake_event *other;

	for (other = p->event; other < e; other++)
		if (other->is_open && other->is_enabled && other->config == e->config &&
		    other->type == e->type)
			return false;
	return true;
}

static uint64_t amount_of(const struct fake_amounts *a, enum fake_code code, const bool *modes)
{
	uint64_t sum = 0;
	int mode;

	for (mode = 0; mode < FAKE_MODES; mode++)
		sum += modes[mode] ? a->of[mode][code] : 0;
	return sum;
}

/* Of lies that are about how many are counted: so many of so many. */
static const struct ratio {
	uint64_t times, of;
} ratios[LIES] = {
	[LIE_DEAD] = { 0, 1 },		[LIE_STUCK] = { 0, 1 },
	[LIE_NOT_STARTED] = { 0, 1 },	[LIE_NO_ENERGY] = { 0, 1 },
	[LIE_1024TH] = { 1, 1024 },	[LIE_SIXTEENTH] = { 1, 16 },
	[LIE_HALF] = { 1, 2 },		[LIE_1_PERCENT] = { 101, 100 },
	[LIE_5_PERCENT] = { 105, 100 }, [LIE_BUSY] = { 2, 1 },
	[LIE_TIMES_3] = { 3, 1 },	[LIE_TIMES_8] = { 8, 1 },
	[LIE_TIMES_16] = { 16, 1 },	[LIE_MUCH_ENERGY] = { 10000000, 1 },
};

/* Nothing is lost by dividing. */
static uint64_t part_of(struct fake_event *e, uint64_t step, const struct ratio *ratio)
{
	e->rest += step * ratio->times;
	step = e->rest / ratio->of;
	e->rest %= ratio->of;
	return step;
}

static void count(const struct fake_pmu *p, struct fake_event *e, const struct fake_amounts *a)
{
	static const bool all[FAKE_MODES] = { true, true };
	const bool kernel[FAKE_MODES] = { [FAKE_KERNEL] = e->modes[FAKE_KERNEL] };
	uint64_t step = amount_of(a, e->code, e->modes);

	if (p->loses_turns && e->running_ns < e->enabled_ns)
		step /= 2;
	if (p->lie == LIE_SWAPPED && e->code == p->other)
		step = amount_of(a, p->code, e->modes);
	if (p->lie == LIE_UNFILTERED && e->is_hardware)
		step = amount_of(a, e->code, all);
	if (p->lie == LIE_FROZEN_ALL && e->is_hardware && p->total_ns >= p->from_ns)
		step = 0;
	if (is_hit(p, e) && ratios[p->lie].of) {
		step = part_of(e, step, &ratios[p->lie]);
	} else if (is_hit(p, e)) {
		switch (p->lie) {
		case LIE_KERNEL_HALF:
			step -= amount_of(a, e->code, kernel) / 2;
			break;
		case LIE_KERNEL_TWICE_SUM:
			step += e->modes[FAKE_USER] ? amount_of(a, e->code, kernel) : 0;
			break;
		case LIE_KERNEL_TWICE:
			step += amount_of(a, e->code, kernel);
			break;
		case LIE_ONE_COUNTER:
		case LIE_SWAPPED:
			step = amount_of(a, p->other, e->modes);
			break;
		case LIE_TWINS_ZERO:
			step = is_first_twin(p, e) ? step : 0;
			break;
		case LIE_TWINS_DIFFER:
			step = is_first_twin(p, e) ? step : step * 9 / 10;
			break;
		case LIE_JUMP:
		case LIE_NO_SIGN:
			step += e->was_hit ? 0 : p->amount;
			e->was_hit = true;
			break;
		case LIE_BACK:
			step = e->was_hit ? step : 0 - e->raw / 2 - 1;
			e->was_hit = true;
			break;
		case LIE_RESETS:
			step = e->was_hit ? step : 0 - e->raw;
			e->was_hit = true;
			break;
		default:
			break;
		}
	}
	e->raw += step;
}

static bool counts_now(const struct fake_pmu *p, const struct fake_event *e)
{
	const struct fake_event *leader = &p->event[e->group];

	if (leader->is_enabled)
		return true;
	return p->lie == LIE_RUNS_ON && e->is_hardware;
}

/* Groups get the counters in turn, as many as fit. */
static void choose_groups(const struct fake_pmu *p, bool *is_on)
{
	unsigned int left = p->counters, n, i;

	for (i = 0; i < FAKE_PMU_EVENTS; i++) {
		unsigned int leader = (i + p->turn) % FAKE_PMU_EVENTS;

		is_on[leader] = false;
		if (!p->event[leader].is_open || p->event[leader].group != (int)leader)
			continue;
		n = members_of(p, (int)leader);
		if (n > left)
			continue;
		is_on[leader] = true;
		left -= p->event[leader].is_enabled ? n : 0;
	}
}

static void work_slice(struct fake_pmu *p, const struct fake_amounts *a, uint64_t ns)
{
	bool is_on[FAKE_PMU_EVENTS] = { false };
	int i;

	p->turn = (unsigned int)(p->total_ns / SLICE_NS);
	choose_groups(p, is_on);
	p->now_ns += ns;
	p->total_ns += ns;
	for (i = 0; i < FAKE_PMU_EVENTS; i++) {
		struct fake_event *e = &p->event[i];

		if (!e->is_open || !counts_now(p, e))
			continue;
		if (p->event[e->group].is_enabled)
			e->enabled_ns += ns;
		if (!is_on[e->group])
			continue;
		if (p->event[e->group].is_enabled)
			e->running_ns += ns;
		count(p, e, a);
	}
}

/* So that nothing is lost by dividing. */
static uint64_t share(uint64_t whole, uint64_t i, uint64_t n)
{
	return whole / n + (i < whole % n);
}

void fake_pmu_work(struct fake_pmu *p, const struct fake_amounts *amounts, uint64_t ns)
{
	uint64_t i, n = ns / SLICE_NS < SLICES ? ns / SLICE_NS + 1 : SLICES;
	struct fake_amounts part;
	int mode, code;

	for (i = 0; i < n; i++) {
		for (mode = 0; mode < FAKE_MODES; mode++)
			for (code = 0; code < FAKE_CODES; code++)
				part.of[mode][code] = share(amounts->of[mode][code], i, n);
		part.of[FAKE_USER][FAKE_NS] = share(ns, i, n);
		part.of[FAKE_KERNEL][FAKE_NS] = 0;
		part.of[FAKE_KERNEL][FAKE_JOULES] = 0;
		part.of[FAKE_USER][FAKE_JOULES] = share(ns * 86, i, n); /* 20 W */
		work_slice(p, &part, share(ns, i, n));
	}
}

static uint64_t shown_value(struct fake_pmu *p, struct fake_event *e)
{
	uint64_t value = e->raw, previous = e->previous;

	e->previous = value;
	if (!is_hit(p, e))
		return value;
	switch (p->lie) {
	case LIE_ENDS:
		p->was_seen_ended |= value > p->amount + p->amount / 100;
		return value > p->amount ? p->amount : value;
	case LIE_WRAP_32:
		return value & UINT32_MAX;
	case LIE_READS_0:
		return 0;
	case LIE_ALL_ONES:
		return UINT64_MAX;
	case LIE_PREVIOUS:
		return previous;
	case LIE_BIT_1:
		return value | 1ull << p->bit;
	case LIE_BIT_0:
		return value & ~(1ull << p->bit);
	case LIE_BIT_MOMENT:
		if (e->was_hit)
			return value;
		e->was_hit = true;
		return value | 1ull << p->bit;
	default:
		return value;
	}
}

/* What is shown of a counter. */
static uint64_t shown(struct fake_pmu *p, struct fake_event *e)
{
	uint64_t value = shown_value(p, e);

	p->was_seen_back |= value < e->last_shown;
	e->last_shown = value;
	return value;
}

static ssize_t fake_read(struct nti_os *os, int fd, void *buf, size_t size)
{
	struct fake_pmu *p = pmu_of(os);
	struct fake_event *e = &p->event[fd];
	uint64_t words[3 + FAKE_PMU_EVENTS] = { 0 };
	int i;

	assert_true(e->is_open);
	fake_pmu_work(p, &p->read_amounts, 300);
	words[1] = e->enabled_ns;
	words[2] = e->running_ns;
	for (i = 0; i < FAKE_PMU_EVENTS; i++)
		if (p->event[i].is_open && p->event[i].group == fd)
			words[3 + words[0]++] = shown(p, &p->event[i]);
	fake_pmu_work(p, &(struct fake_amounts){ 0 }, p->exit_ns * words[0]);
	assert_true(size >= (3 + words[0]) * sizeof(words[0]));
	memcpy(buf, words, (3 + words[0]) * sizeof(words[0]));
	fake_pmu_work(p, &p->read_amounts, 300);
	return (ssize_t)((3 + words[0]) * sizeof(words[0]));
}

static int fake_ioctl(struct nti_os *os, int fd, unsigned long request, unsigned long arg)
{
	struct fake_pmu *p = pmu_of(os);
	bool is_on = request == PERF_EVENT_IOC_ENABLE;
	int i;

	(void)arg;
	for (i = 0; i < FAKE_PMU_EVENTS; i++) {
		struct fake_event *e = &p->event[i];

		if (!e->is_open || e->group != fd)
			continue;
		if (!is_on && p->lie == LIE_NOT_STOPPED && is_hit(p, &p->event[fd]))
			continue;
		e->is_enabled = is_on;
	}
	return 0;
}

static void fake_close(struct nti_os *os, int fd)
{
	assert_true(pmu_of(os)->event[fd].is_open);
	pmu_of(os)->event[fd].is_open = false;
}

/* One time in @n. */
static bool happens(struct fake_pmu *p, unsigned int n)
{
	return tt_random(&p->noise) % n == 0;
}

static void disturb(struct fake_pmu *p, struct fake_amounts *a, uint64_t *ns)
{
	uint64_t *user = a->of[FAKE_USER], *kernel = a->of[FAKE_KERNEL], interrupts;

	if (happens(p, 50))
		p->clock = 0.2 + (double)(tt_random(&p->noise) % 80) / 100;
	user[FAKE_CYCLES] += user[FAKE_CYCLES] ? tt_random(&p->noise) % 300 : 0;
	for (interrupts = happens(p, 20); interrupts && happens(p, 2); interrupts++)
		;
	/* Some processors count the return into user mode there, and its branch. */
	user[FAKE_INSTRUCTIONS] += interrupts;
	user[FAKE_BRANCHES] += interrupts;
	user[FAKE_REFERENCES] += interrupts * (tt_random(&p->noise) % 60);
	user[FAKE_MISSES] += interrupts * (tt_random(&p->noise) % 20);
	user[FAKE_BRANCH_MISSES] += interrupts * (tt_random(&p->noise) % 4);
	kernel[FAKE_INSTRUCTIONS] += interrupts * 6000;
	kernel[FAKE_BRANCHES] += interrupts * 1200;
	kernel[FAKE_CYCLES] += interrupts * 9000;
	*ns += interrupts * 3000;
	*ns = (uint64_t)((double)*ns / p->clock) + 1;
	if (happens(p, 50))
		*ns += tt_random(&p->noise) % 100000;
}

static void known_work(struct nti_os *os, struct fake_amounts a, uint64_t ns)
{
	struct fake_pmu *p = pmu_of(os);

	if (p->noise)
		disturb(p, &a, &ns);
	fake_pmu_work(p, &a, ns);
}

/* What one turn of each piece of known work does. */
static const struct fake_amounts in_loop = { .of = { [FAKE_USER] = { [FAKE_CYCLES] = 6,
								     [FAKE_INSTRUCTIONS] = 4,
								     [FAKE_BRANCHES] = 1 } } },
				 in_call = { .of = { [FAKE_USER] = { [FAKE_CYCLES] = 4,
								     [FAKE_INSTRUCTIONS] = 4,
								     [FAKE_BRANCHES] = 1 },
						     [FAKE_KERNEL] = { [FAKE_CYCLES] = 400,
								       [FAKE_INSTRUCTIONS] = 150,
								       [FAKE_BRANCHES] = 30 } } },
				 in_miss = { .of = { [FAKE_USER] = { [FAKE_CYCLES] = 300,
								     [FAKE_INSTRUCTIONS] = 6,
								     [FAKE_BRANCHES] = 1 } } },
				 in_guess = { .of = { [FAKE_USER] = { [FAKE_CYCLES] = 14,
								      [FAKE_INSTRUCTIONS] = 5,
								      [FAKE_BRANCHES] = 2 } } };

static struct fake_amounts multiply(const struct fake_amounts *one, unsigned long n)
{
	struct fake_amounts all = *one;
	int mode, code;

	for (mode = 0; mode < FAKE_MODES; mode++)
		for (code = 0; code < FAKE_CODES; code++)
			all.of[mode][code] *= n;
	return all;
}

static void fake_loop(struct nti_os *os, unsigned long turns)
{
	known_work(os, multiply(&in_loop, turns), 2 * turns + 1);
}

static void fake_calls(struct nti_os *os, unsigned long calls)
{
	known_work(os, multiply(&in_call, calls), 150 * calls);
}

static void fake_misses(struct nti_os *os, unsigned long loads)
{
	struct fake_amounts a = multiply(&in_miss, loads);
	uint64_t *user = a.of[FAKE_USER];

	user[FAKE_REFERENCES] = user[FAKE_MISSES] = loads * pmu_of(os)->lines;
	known_work(os, a, 100 * loads);
}

static void fake_guesses(struct nti_os *os, unsigned long guesses)
{
	struct fake_amounts a = multiply(&in_guess, guesses);

	a.of[FAKE_USER][FAKE_BRANCH_MISSES] = guesses * pmu_of(os)->wrong_guesses / 100;
	known_work(os, a, 5 * guesses);
}

static int fake_filter_open(struct nti_os *os, struct nti_filter *f, unsigned int turns)
{
	(void)os;
	f->fd[0] = (int)turns;
	return 0;
}

static bool fake_filter_run(struct nti_os *os, const struct nti_filter *f)
{
	uint64_t turns = (uint64_t)f->fd[0], times = pmu_of(os)->is_interpreted ? 5 : 1;
	const struct fake_amounts a = {
		.of = { [FAKE_USER] = { [FAKE_CYCLES] = 60,
					[FAKE_INSTRUCTIONS] = 40,
					[FAKE_BRANCHES] = 8 },
			[FAKE_KERNEL] = { [FAKE_CYCLES] = 2000 + 2 * times * turns,
					  [FAKE_INSTRUCTIONS] = 1500 + 2 * times * turns,
					  [FAKE_BRANCHES] = 300 + times * turns } }
	};

	known_work(os, a, 700 + times * turns);
	return true;
}

static void fake_filter_close(struct nti_os *os, struct nti_filter *f)
{
	(void)os;
	f->fd[0] = -1;
}

static struct nti_os_ops ops;
static char cpu_name[] = "cpu", power_name[] = "power", software_name[] = "software";
static char any_cpu[] = "0";

void fake_pmu_new_context(struct fake_pmu *p)
{
	nti_topology_free(p->ctx.topology);
	memset(&p->ctx, 0, sizeof(p->ctx));
	nti_absence_fini(&p->unit[0].absent);
	p->ctx.os = &p->os;
	p->ctx.cpus = 1;
	p->ctx.units = (struct nti_units){ .unit = p->units, .count = 3 };
	p->ctx.names = (struct nti_names){ .os = &p->os, .units = &p->ctx.units };
	p->ctx.metrics = (struct nti_metrics){ .base = &nti_metrics_built_in };
	p->ctx.has_units = p->ctx.has_scopes = true;
}

void fake_pmu_init(struct fake_pmu *p, unsigned int counters)
{
	size_t i;

	memset(p, 0, sizeof(*p));
	ops = tt_bare_os();
	ops.text = fake_text;
	ops.list = fake_list;
	ops.access = fake_access;
	ops.now_ns = fake_now_ns;
	ops.perf_open = fake_open;
	ops.read = fake_read;
	ops.ioctl = fake_ioctl;
	ops.close = fake_close;
	ops.directory = fake_directory;
	p->os.ops = &ops;
	p->os.is_elsewhere = true; /* no directory of this user's */
	p->work = (struct nti_work){ .turn_instructions = 4,
				     .call_instructions = 4,
				     .loop = fake_loop,
				     .calls = fake_calls,
				     .misses = fake_misses,
				     .guesses = fake_guesses,
				     .filter_instructions = 2,
				     .filter_branches = 1,
				     .filter_open = fake_filter_open,
				     .filter_run = fake_filter_run,
				     .filter_close = fake_filter_close };
	p->os.work = &p->work;
	p->counters = counters;
	p->clock = 1;
	p->lines = 1;
	p->wrong_guesses = 50;
	p->now_ns = 1000;
	p->read_amounts =
		(struct fake_amounts){ .of = { [FAKE_USER] = { [FAKE_CYCLES] = 40,
							       [FAKE_INSTRUCTIONS] = 50,
							       [FAKE_BRANCHES] = 10 },
					       [FAKE_KERNEL] = { [FAKE_CYCLES] = 900,
								 [FAKE_INSTRUCTIONS] = 700,
								 [FAKE_BRANCHES] = 140,
								 [FAKE_REFERENCES] = 3,
								 [FAKE_MISSES] = 1 } } };
	p->unit[0] = (struct nti_unit){ .name = cpu_name,
					.kind = NTI_UNIT_CORE,
					.method = NTI_METHOD_PERF,
					.type = PERF_TYPE_RAW,
					.counters = counters };
	p->unit[1] = (struct nti_unit){ .name = power_name,
					.kind = NTI_UNIT_UNCORE,
					.method = NTI_METHOD_PERF,
					.has_sysfs = true,
					.cpus = any_cpu,
					.type = POWER_TYPE };
	p->unit[2] = (struct nti_unit){ .name = software_name,
					.kind = NTI_UNIT_SOFTWARE,
					.method = NTI_METHOD_PERF,
					.type = PERF_TYPE_SOFTWARE };
	for (i = 0; i < NTI_ARRAY_SIZE(p->unit); i++) {
		p->unit[i].number = i;
		p->units[i] = &p->unit[i];
	}
	fake_pmu_new_context(p);
}

void fake_pmu_fini(struct fake_pmu *p)
{
	int i;

	for (i = 0; i < FAKE_PMU_EVENTS; i++)
		TT_IS(p->event[i].is_open, false);
	nti_absence_fini(&p->unit[0].absent);
	nti_topology_free(p->ctx.topology);
}
