// SPDX-License-Identifier: MIT
/*
 * What a read costs in instructions, of this side and of the kernel's, in each method there is,
 * ours and others'. Runs in a guest of the lab whose counter of instructions is exact (QEMU,
 * -icount): there a read that is by the same method takes the same number each time, so the figures
 * are facts and not samples. Elsewhere it runs as well, with the precision that the processor's
 * counter has.
 *
 *   cost [--json | --tap] [REPEAT]
 *
 * The counter that measures is a perf event of its own, read by the processor's instruction, beside
 * what is measured: no method is measured with its own means. It counts user mode in one series of
 * reads, all modes in another. The least of a series is the cost: a timer interrupt adds to a few,
 * and the column "same" says how many had the least.
 *
 * --tap makes a test of it: what docs/performance.md says is met must be met.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "bench/lab/cost.h"

#define MAX_METHODS 40
#define MAX_REPEAT 10000
#define WARM_UP 20
#define CLOCKED_REPEAT 5

/* arm64: the term "rdpmc" of the PMU's format, config1 bit 1 (Linux, drivers/perf/arm_pmuv3.c). */
#if defined(__aarch64__)
#define USER_ACCESS 2
#else
#define USER_ACCESS 0
#endif

/* IA32_TIME_STAMP_COUNTER (Intel SDM vol. 4, table 2-2). */
#define MSR_TSC 0x10

/*
 * Eight that the kernel counts and keeps as plain numbers; its clocks are computed when they are
 * read. PAPI has names for six of these, so two are there twice, as events of their own, for all
 * who are compared.
 */
static const char software_8[] = "page-faults,context-switches,cpu-migrations,minor-faults,"
				 "major-faults,cgroup-switches,page-faults,context-switches";
static const uint64_t software[COST_EVENTS] = {
	PERF_COUNT_SW_PAGE_FAULTS,
	PERF_COUNT_SW_CONTEXT_SWITCHES,
	PERF_COUNT_SW_CPU_MIGRATIONS,
	PERF_COUNT_SW_PAGE_FAULTS_MIN,
	PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	11, /* PERF_COUNT_SW_CGROUP_SWITCHES, Linux 5.13: older headers lack it */
	PERF_COUNT_SW_PAGE_FAULTS,
	PERF_COUNT_SW_CONTEXT_SWITCHES,
};

/* As many as fit beside the one that measures on every PMU of the lab. */
static const char counters_4[] = "instructions:u,cycles:u,instructions,cycles";
static const struct {
	uint64_t config;
	bool user_only;
} counters[] = {
	{ PERF_COUNT_HW_INSTRUCTIONS, true },
	{ PERF_COUNT_HW_CPU_CYCLES, true },
	{ PERF_COUNT_HW_INSTRUCTIONS, false },
	{ PERF_COUNT_HW_CPU_CYCLES, false },
};

/* ---- the counter that measures ---- */

/* All that cost_before() and cost_after() touch. */
static struct {
	uint32_t index; /* perf's: the counter's number plus one */
	uint64_t start;
	uint64_t mask; /* of the counter's width, or less: what is measured is small */
	uint64_t *next;
	const volatile struct perf_event_mmap_page *page;
} meter;

#ifdef NTIME_HAS_PMC_
__attribute__((noinline)) void cost_before(void)
{
	meter.start = ntime_pmc_(meter.index);
}

__attribute__((noinline)) void cost_after(void)
{
	*meter.next++ = (ntime_pmc_(meter.index) - meter.start) & meter.mask;
}
#else
void cost_before(void)
{
}

void cost_after(void)
{
}
#endif

void cost_keep(uint64_t instructions)
{
	*meter.next++ = instructions;
}

static int perf_open(struct perf_event_attr *attr, int leader)
{
	attr->size = sizeof(*attr);
	return (int)syscall(SYS_perf_event_open, attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static int open_instructions(bool user_only, uint64_t read_format, bool is_pinned)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.config1 = USER_ACCESS,
		.read_format = read_format,
		.exclude_kernel = user_only,
		.exclude_hv = 1,
		.pinned = is_pinned,
	};

	return perf_open(&attr, -1);
}

static const volatile struct perf_event_mmap_page *map_page(int fd)
{
	const volatile struct perf_event_mmap_page *page =
		mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		return NULL;
	return page;
}

/* Whether it worked shows later. */
static void set_sysctl(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, value, strlen(value)) < 0)
		perror(path);
	(void)close(fd);
}

static void open_the_counters(void)
{
	/* arm64: the counters' instructions. */
	set_sysctl("/proc/sys/kernel/perf_user_access", "1");
	/* x86: the NMI watchdog is an event of perf's that keeps the driver from the core PMU. */
	set_sysctl("/proc/sys/kernel/nmi_watchdog", "0");
	/* PAPI 7.0 takes Debian's 3 for a "no", also when it runs as root. */
	set_sysctl("/proc/sys/kernel/perf_event_paranoid", "1");
}

/* One counter at a time; what the methods have left of them must be enough for it. */
static int meter_open(bool user_only)
{
	int fd = open_instructions(user_only, 0, true);

	if (fd < 0)
		return -errno;
	meter.page = map_page(fd);
	if (!meter.page || !meter.page->cap_user_rdpmc || !meter.page->index) {
		(void)close(fd);
		return -ENOTSUP;
	}
	meter.index = meter.page->index;
	meter.mask = meter.page->pmc_width < 64 ? (1ull << meter.page->pmc_width) - 1 : ~0ull;
	return fd;
}

/* Was the counter this event's all the time? */
static bool meter_close(int fd)
{
	bool is_same = meter.page->index == meter.index;

	(void)munmap((void *)(uintptr_t)meter.page, (size_t)sysconf(_SC_PAGESIZE));
	(void)close(fd);
	return is_same;
}

/* ---- the methods ---- */

static inline uint64_t bare_clock(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	return ntime_tsc_();
#else
	return 0;
#endif
}

/* One counter, one instruction: which one does not matter, the cost is the same. */
static inline uint64_t bare_counter(void)
{
#if defined(__x86_64__)
	return ntime_pmc_((uint32_t)meter.index);
#elif defined(__aarch64__)
	uint64_t value;

	__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
	return value;
#else
	return 0;
#endif
}

/*
 * The protocol of linux/perf_event.h and nothing else: the sequence lock, index, offset,
 * capability, width and the instruction. No look at the thread, at the times or at a state; so it
 * is wrong in a fork, in another thread, and for a counter that was multiplexed.
 */
static inline bool bare_protocol(const volatile struct perf_event_mmap_page *page, uint64_t *out)
{
#ifdef NTIME_HAS_PMC_
	uint32_t sequence, index;
	uint64_t count;

	do {
		sequence = page->lock;
		__asm__ volatile("" ::: "memory");
		index = page->index;
		count = (uint64_t)page->offset;
		if (!page->cap_user_rdpmc || !index)
			return false;
		count += (uint64_t)((int64_t)(ntime_pmc_(index) << (64u - page->pmc_width)) >>
				    (64u - page->pmc_width));
		__asm__ volatile("" ::: "memory");
	} while (page->lock != sequence);
	*out = count;
	return true;
#else
	(void)page;
	(void)out;
	return false;
#endif
}

COST_RUN(empty, (void)0)
COST_RUN(bare_clock, s->count = bare_clock())
COST_RUN(bare_counter, s->count = bare_counter())
COST_RUN(bare_protocol, COST_FAIL_IF(s, !bare_protocol(s->page, &s->count)))
COST_RUN(bare_read, COST_FAIL_IF(s, read(s->fd[0], s->raw, sizeof(s->raw)) <= 0))
COST_RUN(bare_msr, COST_FAIL_IF(s, pread(s->fd[0], &s->count, 8, MSR_TSC) != 8))
COST_RUN(reader, COST_FAIL_IF(s, ntime_read(&s->reader, &s->count) != 0))
COST_RUN(session, COST_FAIL_IF(s, ntime_session_read(s->session, s->values, s->items) < 0))

static int failed(struct cost_state *s, const char *what)
{
	(void)snprintf(s->reason, sizeof(s->reason), "%s: %s", what, strerror(errno));
	return -1;
}

static int ntime_failed(struct cost_state *s)
{
	(void)snprintf(s->reason, sizeof(s->reason), "%s", ntime_error_text(s->ctx));
	return -1;
}

static int open_nothing(struct cost_state *s, unsigned int events)
{
	(void)s;
	(void)events;
	return 0;
}

/* A running session of this thread in which nothing is absent. */
static int open_list(struct cost_state *s, const char *list, uint32_t flags)
{
	struct ntime_target target = { .size = sizeof(target), .flags = flags };
	struct ntime_item item = { .size = sizeof(item) };

	if (ntime_session_new(s->ctx, &target, &s->session) < 0 ||
	    ntime_session_add_list(s->session, list) < 0 || ntime_session_start(s->session) < 0)
		return ntime_failed(s);
	s->items = ntime_session_count(s->session);
	for (size_t i = 0; i < s->items; i++) {
		if (ntime_session_item(s->session, i, &item) < 0 || *item.reason) {
			(void)snprintf(s->reason, sizeof(s->reason), "%s: %s", item.name,
				       item.reason);
			return -1;
		}
	}
	return 0;
}

static int open_reader(struct cost_state *s, const char *name, uint32_t flags,
		       enum ntime_reader_type wanted)
{
	if (open_list(s, name, flags) < 0)
		return -1;
	s->reader.size = sizeof(s->reader);
	if (ntime_get_reader(s->session, 0, &s->reader) < 0)
		return ntime_failed(s);
	if (s->reader.state->type == (uint32_t)wanted)
		return 0;
	(void)snprintf(s->reason, sizeof(s->reason), "read by another method here: %s",
		       ntime_reader_why(&s->reader));
	return -1;
}

static int open_clock(struct cost_state *s, unsigned int events)
{
	(void)events;
	return open_reader(s, "tsc", 0, NTIME_READER_TSC);
}

static int open_page(struct cost_state *s, unsigned int events)
{
	(void)events;
	return open_reader(s, "instructions:u", 0, NTIME_READER_PMC);
}

/* Counts of children are for the kernel to add: the same event by read(2). */
static int open_call(struct cost_state *s, unsigned int events)
{
	(void)events;
	return open_reader(s, "instructions:u", NTIME_CHILDREN, NTIME_READER_CALL);
}

static int open_session_counter(struct cost_state *s, unsigned int events)
{
	return open_list(s, events == 1 ? "instructions:u" : counters_4, 0);
}

static int open_session_software(struct cost_state *s, unsigned int events)
{
	return open_list(s, events == 1 ? "page-faults" : software_8, 0);
}

static int keep(struct cost_state *s, int fd, const char *what)
{
	if (fd < 0)
		return failed(s, what);
	s->fd[s->fds++] = fd;
	return 0;
}

static int open_bare_msr(struct cost_state *s, unsigned int events)
{
	(void)events;
	return keep(s, open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC), "/dev/cpu/0/msr");
}

static int open_bare_protocol(struct cost_state *s, unsigned int events)
{
	(void)events;
	if (keep(s, open_instructions(true, 0, false), "perf_event_open(2)") < 0)
		return -1;
	s->page = map_page(s->fd[0]);
	return s->page ? 0 : failed(s, "mmap(2) of perf's page");
}

/* One read_format for one and for several: the counts, and both times. */
static int open_bare(struct cost_state *s, bool is_software, unsigned int events)
{
	for (unsigned int i = 0; i < events; i++) {
		struct perf_event_attr attr = {
			.type = is_software ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE,
			.config = is_software ? software[i] : counters[i].config,
			.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING,
			.exclude_kernel = !is_software && counters[i].user_only,
			.exclude_hv = 1,
		};

		if (keep(s, perf_open(&attr, i ? s->fd[0] : -1), "perf_event_open(2)") < 0)
			return -1;
	}
	return 0;
}

static int open_bare_counter(struct cost_state *s, unsigned int events)
{
	return open_bare(s, false, events);
}

static int open_bare_software(struct cost_state *s, unsigned int events)
{
	return open_bare(s, true, events);
}

/* What a reader through ntimefs is beside: perf_event_open(2), and mmap(2) of its page. */
static void run_open_perf(struct cost_state *s, size_t n)
{
	for (; n; n--) {
		const volatile struct perf_event_mmap_page *page = NULL;
		int fd;

		cost_before();
		fd = open_instructions(true, 0, false);
		if (fd >= 0)
			page = map_page(fd);
		if (page)
			s->count = page->index;
		cost_after();
		COST_FAIL_IF(s, !page);
		if (page)
			(void)munmap((void *)(uintptr_t)page, (size_t)sysconf(_SC_PAGESIZE));
		if (fd >= 0)
			(void)close(fd);
	}
}

static const struct cost_method our_methods[] = {
	{ "empty", 0, "nothing", open_nothing, run_empty, NULL },
	{ "bare_clock", 1, "bare clock (rdtsc, cntvct_el0)", open_nothing, run_bare_clock, NULL },
	{ "clock", 1, "ntime_read, clock", open_clock, run_reader, NULL },
	{ "bare_counter", 1, "bare counter (rdpmc, pmccntr_el0)", open_nothing, run_bare_counter,
	  NULL },
	{ "bare_protocol", 1, "bare protocol of perf's page", open_bare_protocol, run_bare_protocol,
	  NULL },
	{ "reader", 1, "ntime_read, perf's page", open_page, run_reader, NULL },
	{ "bare_counter_1", 1, "bare read(2), counter", open_bare_counter, run_bare_read, NULL },
	{ "bare_counter_4", 4, "bare read(2), counters", open_bare_counter, run_bare_read, NULL },
	{ "bare_software_1", 1, "bare read(2), software", open_bare_software, run_bare_read, NULL },
	{ "bare_software_8", 8, "bare read(2), software", open_bare_software, run_bare_read, NULL },
	{ "call", 1, "ntime_read, read(2), counter", open_call, run_reader, NULL },
	{ "session_counter_1", 1, "ntime_session_read, counter", open_session_counter, run_session,
	  NULL },
	{ "session_counter_4", 4, "ntime_session_read, counters", open_session_counter, run_session,
	  NULL },
	{ "session_software_1", 1, "ntime_session_read, software", open_session_software,
	  run_session, NULL },
	{ "session_software_8", 8, "ntime_session_read, software", open_session_software,
	  run_session, NULL },
	{ "bare_msr", 1, "bare pread(2) of /dev/cpu/0/msr", open_bare_msr, run_bare_msr, NULL },
	{ "open_perf", 1, "perf_event_open(2), mmap(2)", open_nothing, run_open_perf, NULL },
};

/* ---- measuring ---- */

/*
 * A series of reads: the least number of instructions between the two looks, and how many reads had
 * it.
 */
struct series {
	uint64_t least;
	size_t same;
};

struct measured {
	const struct cost_method *method;
	bool is_absent;
	char reason[256];
	struct series user, all;
};

static struct measured measured[MAX_METHODS];
static size_t measured_count;
static uint64_t samples[MAX_REPEAT + WARM_UP];

static struct series summarise(const uint64_t *sample, size_t n)
{
	struct series out = { .least = UINT64_MAX };

	for (size_t i = 0; i < n; i++) {
		if (sample[i] < out.least)
			out = (struct series){ .least = sample[i] };
		out.same += sample[i] == out.least;
	}
	return out;
}

/* A counter that the method has programmed; every counter has 32 bits at least. */
static void meter_borrow(uint32_t index)
{
	meter.index = index;
	meter.mask = UINT32_MAX;
}

/* The first reads bind symbols and touch pages; they are not looked at. */
static int run_series(const struct cost_method *method, struct cost_state *s, bool user_only,
		      size_t repeat, struct series *out)
{
	bool is_borrowed = s->own_meter[0] != 0 || method->is_clocked;
	size_t warm_up = method->is_clocked ? 1 : WARM_UP;
	int fd = -1;

	if (is_borrowed)
		meter_borrow(s->own_meter[user_only ? 0 : 1]);
	else
		fd = meter_open(user_only);
	if (!is_borrowed && fd < 0) {
		(void)snprintf(s->reason, sizeof(s->reason),
			       "no counter is left for the measurement: %s", strerror(-fd));
		return -1;
	}
	meter.next = samples;
	method->run(s, warm_up + repeat);
	*out = summarise(samples + warm_up, repeat);
	if (!is_borrowed && !meter_close(fd)) {
		(void)snprintf(s->reason, sizeof(s->reason), "the measurement lost its counter");
		return -1;
	}
	if (!s->has_failed)
		return 0;
	(void)snprintf(s->reason, sizeof(s->reason), "a read failed");
	return -1;
}

static void close_method(const struct cost_method *method, struct cost_state *s)
{
	if (method->close)
		method->close(s);
	ntime_session_free(s->session);
	if (s->page)
		(void)munmap((void *)(uintptr_t)s->page, (size_t)sysconf(_SC_PAGESIZE));
	if (s->ntimefs)
		(void)munmap((void *)(uintptr_t)s->ntimefs, s->ntimefs_bytes);
	while (s->fds)
		(void)close(s->fd[--s->fds]);
}

static void measure(const struct cost_method *method, struct ntime_ctx *ctx, size_t repeat)
{
	struct measured *m = &measured[measured_count++];
	struct cost_state state = { .ctx = ctx };

	m->method = method;
	/* Dear ones. The clock knows no modes, so one series is all. */
	if (method->is_clocked && repeat > CLOCKED_REPEAT)
		repeat = CLOCKED_REPEAT;
	m->is_absent =
		method->open(&state, method->events) < 0 ||
		(!method->is_clocked && run_series(method, &state, true, repeat, &m->user) < 0) ||
		run_series(method, &state, false, repeat, &m->all) < 0;
	(void)snprintf(m->reason, sizeof(m->reason), "%s", state.reason);
	close_method(method, &state);
}

/* The first method reads nothing: what it costs is what the looks cost. */
static void take_off_the_looks(void)
{
	struct measured looks = measured[0];

	for (size_t i = 0; i < measured_count; i++) {
		if (measured[i].method->is_clocked)
			continue;
		measured[i].user.least -= looks.user.least;
		measured[i].all.least -= looks.all.least;
	}
}

static void measure_all(struct ntime_ctx *ctx, size_t repeat)
{
	for (size_t i = 0; i < sizeof(our_methods) / sizeof(our_methods[0]); i++)
		measure(&our_methods[i], ctx, repeat);
	for (size_t i = 0; i < cost_ntimefs_method_count; i++)
		measure(&cost_ntimefs_methods[i], ctx, repeat);
	for (size_t i = 0; i < cost_papi_method_count; i++)
		measure(&cost_papi_methods[i], ctx, repeat);
	take_off_the_looks();
}

/* ---- results ---- */

static const struct measured *find(const char *name)
{
	for (size_t i = 0; i < measured_count; i++)
		if (!measured[i].is_absent && strcmp(measured[i].method->name, name) == 0)
			return &measured[i];
	return NULL;
}

static double total(const struct measured *m)
{
	return (double)m->all.least;
}

/**
 * struct aim - what a read may cost beside another
 * @cost, @beside: names of methods; @beside NULL: the limit is a number of instructions
 * @limit:	of cost / beside
 * @is_less:	the quotient must be less than @limit; else it may be equal
 * @is_kept:	it is met on this architecture, and stays so (--tap); else docs/performance.md says
 *		why not
 */
struct aim {
	const char *words;
	const char *cost, *beside;
	double limit;
	bool is_less;
	bool is_kept;
};

#if defined(__aarch64__)
#define ON_ARM64 true
#else
#define ON_ARM64 false
#endif

static const struct aim aims[] = {
	{ "the reader of a counter costs at most 2 times the bare protocol of perf's page",
	  "reader", "bare_protocol", 2, false, true },
	{ "the reader of a counter costs at most a tenth of PAPI_read of one", "reader",
	  "papi_counter_1", 0.1, false, ON_ARM64 },
	{ "the reader of a counter costs at most a tenth of PAPI_read of one by read(2)", "reader",
	  "papi_inherited", 0.1, false, true },
	{ "a group of 8 by one system call costs less than 1.3 times one", "session_software_8",
	  "session_software_1", 1.3, true, ON_ARM64 },
	{ "a group of 8 by a bare system call costs less than 1.3 times one", "bare_software_8",
	  "bare_software_1", 1.3, true, true },
	{ "the reader of a counter through ntimefs has 8 instructions around the counter's, and "
	  "stores the count",
	  "ntimefs_pinned", NULL, 10, false, !ON_ARM64 },
	{ "read(2) of a counter costs less through ntimefs than through perf", "ntimefs_binary",
	  "bare_counter_1", 1, true, true },
	{ "the same as text", "ntimefs_text", "bare_counter_1", 1, true, true },
	{ "read(2) of the clock through ntimefs costs at most pread(2) through msr",
	  "ntimefs_binary_tsc", "bare_msr", 1, false, !ON_ARM64 },
	/* Met by so little that the state of the kernel's memory decides: not demanded. */
	{ "opening a counter of ntimefs and getting its reader costs less than 20000 instructions",
	  "ntimefs_open", NULL, 20000, true, false },
	{ "the same through the library, counter programmed and started", "ntimefs_open_reader",
	  NULL, 20000, true, false },
};

#define AIM_COUNT (sizeof(aims) / sizeof(aims[0]))

/* What came of an aim. @cost is NULL when one of the two could not be measured. */
struct verdict {
	const struct measured *cost, *beside; /* @beside: NULL where the limit is a number */
	double ratio;			      /* or that number */
	bool is_met;
};

static struct verdict judge(const struct aim *aim)
{
	struct verdict v = { .cost = find(aim->cost),
			     .beside = aim->beside ? find(aim->beside) : NULL };

	if (!v.cost || (aim->beside && !v.beside))
		return (struct verdict){ .ratio = 0 };
	v.ratio = total(v.cost) / (v.beside ? total(v.beside) : 1);
	v.is_met = aim->is_less ? v.ratio < aim->limit : v.ratio <= aim->limit;
	return v;
}

/* The guest of the lab that this machine is, or NULL: payload.py sets it. */
static const char *emulated(void)
{
	return getenv("NTIME_LAB_GUEST");
}

static void print_ratio(const struct measured *m, const char *beside)
{
	const struct measured *other = find(beside);

	if (other && total(other) > 0)
		printf("  %8.2f", total(m) / total(other));
	else
		printf("  %8s", "-");
}

static void print_verdict(struct verdict v)
{
	if (v.cost && v.beside)
		printf("%s (%.0f against %.0f: %.3f)\n", v.is_met ? "met" : "NOT met",
		       total(v.cost), total(v.beside), v.ratio);
	else if (v.cost)
		printf("%s (%.0f)\n", v.is_met ? "met" : "NOT met", total(v.cost));
	else
		printf("not measurable here\n");
}

/* The reason of the one that is missing. */
static const char *why_unmeasured(const struct aim *aim)
{
	for (size_t i = 0; i < measured_count; i++)
		if (measured[i].is_absent &&
		    (strcmp(measured[i].method->name, aim->cost) == 0 ||
		     (aim->beside && strcmp(measured[i].method->name, aim->beside) == 0)))
			return measured[i].reason;
	return "there is no such method here";
}

static void print_absences(const char *before)
{
	for (size_t i = 0; i < measured_count; i++)
		if (measured[i].is_absent)
			printf("%snot measurable here: %s, %u: %s\n", before,
			       measured[i].method->what, measured[i].method->events,
			       measured[i].reason);
}

static void print_text(size_t repeat)
{
	if (emulated())
		printf("emulated machine: %s; instructions are what was executed, and no statement "
		       "about nanoseconds\n",
		       emulated());
	printf("%-36s %6s %6s %6s %6s  %8s  %8s  %s\n", "read", "events", "user", "kernel", "all",
	       "/ bare", "/ PAPI", "same");
	for (size_t i = 1; i < measured_count; i++) {
		const struct measured *m = &measured[i];

		if (m->is_absent)
			continue;
		printf("%-36s %6u ", m->method->what, m->method->events);
		if (m->method->is_clocked)
			printf("%6s %6s", "-", "-");
		else
			printf("%6" PRIu64 " %6" PRIu64, m->user.least,
			       m->all.least - m->user.least);
		printf(" %6.0f", total(m));
		print_ratio(m, "bare_protocol");
		print_ratio(m, m->method->events == 8 ? "papi_software_8" : "papi_counter_1");
		printf("  %zu/%zu\n", m->user.same, m->all.same);
	}
	print_absences("");
	printf("instructions of one read, the least of %zu; same: how many reads had it, in user "
	       "mode/in all modes; user -: by the clock, which knows no modes\n",
	       repeat);
	for (size_t i = 0; i < AIM_COUNT; i++) {
		printf("aim: %s: ", aims[i].words);
		print_verdict(judge(&aims[i]));
	}
}

/* Instructions are exact, so this is no matter of time or of luck. */
static int print_tap(void)
{
	unsigned int tests = 0, failed = 0;

	for (size_t i = 0; i < AIM_COUNT; i++) {
		struct verdict v = judge(&aims[i]);

		printf("# %s: ", aims[i].words);
		print_verdict(v);
		if (!aims[i].is_kept) {
			printf("# that is not demanded here; docs/performance.md says why\n");
			continue;
		}
		if (!v.cost) {
			printf("ok %u - %s # SKIP %s\n", ++tests, aims[i].words,
			       why_unmeasured(&aims[i]));
			continue;
		}
		printf("%sok %u - %s\n", v.is_met ? "" : "not ", ++tests, aims[i].words);
		failed += !v.is_met;
	}
	print_absences("# ");
	printf("1..%u\n", tests);
	return failed ? 1 : 0;
}

static json_t *method_json(const struct measured *m)
{
	if (m->is_absent)
		return json_pack("{s:s,s:i,s:s,s:s}", "name", m->method->name, "events",
				 (int)m->method->events, "what", m->method->what, "absent",
				 m->reason);
	if (m->method->is_clocked)
		return json_pack("{s:s,s:i,s:s,s:I,s:I}", "name", m->method->name, "events",
				 (int)m->method->events, "what", m->method->what, "all",
				 (json_int_t)m->all.least, "same_all", (json_int_t)m->all.same);
	return json_pack("{s:s,s:i,s:s,s:I,s:I,s:I,s:I}", "name", m->method->name, "events",
			 (int)m->method->events, "what", m->method->what, "user",
			 (json_int_t)m->user.least, "kernel",
			 (json_int_t)(m->all.least - m->user.least), "same_user",
			 (json_int_t)m->user.same, "same_all", (json_int_t)m->all.same);
}

static json_t *aim_json(const struct aim *aim)
{
	struct verdict v = judge(aim);

	/* null: not measurable here */
	return json_pack("{s:s,s:s,s:s?,s:f,s:o,s:o}", "aim", aim->words, "cost", aim->cost,
			 "beside", aim->beside, aim->is_less ? "less_than" : "at_most", aim->limit,
			 "ratio", v.cost ? json_real(v.ratio) : json_null(), "is_met",
			 v.cost ? json_boolean(v.is_met) : json_null());
}

static int print_json(size_t repeat)
{
	json_t *methods = json_array(), *list = json_array(), *out;
	int ret;

	for (size_t i = 1; i < measured_count; i++)
		(void)json_array_append_new(methods, method_json(&measured[i]));
	for (size_t i = 0; i < AIM_COUNT; i++)
		(void)json_array_append_new(list, aim_json(&aims[i]));
	out = json_pack("{s:s?,s:I,s:o,s:o}", "emulated", emulated(), "repeat", (json_int_t)repeat,
			"methods", methods, "aims", list);
	ret = out ? json_dumpf(out, stdout, JSON_INDENT(1)) : -1;
	json_decref(out);
	printf("\n");
	return ret < 0 ? 1 : 0;
}

static int usage(void)
{
	fprintf(stderr, "use: cost [--json | --tap] [REPEAT (1-%d)]\n", MAX_REPEAT);
	return 2;
}

int main(int argc, char **argv)
{
	bool is_json = argc > 1 && strcmp(argv[1], "--json") == 0;
	bool is_tap = argc > 1 && strcmp(argv[1], "--tap") == 0, has_form = is_json || is_tap;
	const char *number = argc > 1 + has_form ? argv[1 + has_form] : "1000";
	size_t repeat = strtoul(number, NULL, 10);
	struct ntime_ctx *ctx;
	int ret = 0;

	if (argc > 2 + has_form || !repeat || repeat > MAX_REPEAT)
		return usage();
	open_the_counters();
	cost_ntimefs_prepare();
	if (ntime_open(&ctx, NULL) < 0) {
		fprintf(stderr, "cost: %s\n", ctx ? ntime_error_text(ctx) : "out of memory");
		ntime_close(ctx);
		return 1;
	}
	measure_all(ctx, repeat);
	if (measured[0].is_absent) {
		fprintf(stderr,
			"cost: the counter of instructions cannot be read from user mode here: "
			"%s\n",
			measured[0].reason);
		ntime_close(ctx);
		return 1;
	}
	if (is_json)
		ret = print_json(repeat);
	else if (is_tap)
		ret = print_tap();
	else
		print_text(repeat);
	ntime_close(ctx);
	cost_ntimefs_finish();
	return ret;
}
