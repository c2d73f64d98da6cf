// SPDX-License-Identifier: MIT
/*
 * Loops that read counters in every method there is, ours and others'. bench/read.py turns what
 * this prints into a table:
 *
 *   read time ROUNDS [MACHINE]   nanoseconds per read of each method, in interleaved rounds
 *   read loop N [MACHINE]        N reads by each method, for callgrind, which counts the
 *                                instructions of the functions loop_*
 *
 * MACHINE is a recorded machine for the replay.
 *
 * Lines of "time" are separated by tabs: "method", name, events, median ns, minimum ns,
 * instructions or "-", words; and "absent", name, events, words, reason; and "note", words: what
 * must be known of a row to read it.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <ntime/ntime.h>

#include "bench/read.h"

#define MAX_METHODS 32
#define MAX_ROUNDS 1001
/*
 * A stretch of one method in a round: long beside the clock's own cost, short beside the
 * scheduler's turns.
 */
#define STRETCH_NS 300000

/* As our library, the kernel and PAPI (read_papi.c) name them: the same eight in the same order. */
static const char event_1[] = "page-faults";
static const char events_8[] = "page-faults,context-switches,cpu-migrations,minor-faults,"
			       "major-faults,cgroup-switches,cpu-clock,task-clock";
static const char events_clock[] = "tsc,page-faults,context-switches,cpu-migrations,minor-faults,"
				   "major-faults,cpu-clock,task-clock";
static const uint64_t configs[BENCH_EVENTS] = {
	PERF_COUNT_SW_PAGE_FAULTS,
	PERF_COUNT_SW_CONTEXT_SWITCHES,
	PERF_COUNT_SW_CPU_MIGRATIONS,
	PERF_COUNT_SW_PAGE_FAULTS_MIN,
	PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	11, /* PERF_COUNT_SW_CGROUP_SWITCHES, Linux 5.13: older headers lack it */
	PERF_COUNT_SW_CPU_CLOCK,
	PERF_COUNT_SW_TASK_CLOCK,
};

static inline uint64_t bare_clock(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

BENCH_LOOP(empty, (void)0)
BENCH_LOOP(bare_clock, s->count = bare_clock())
BENCH_LOOP(clock, BENCH_FAIL_IF(s, ntime_read(&s->reader, &s->count) < 0))
BENCH_LOOP(pmc, BENCH_FAIL_IF(s, ntime_read(&s->reader, &s->count) < 0))
BENCH_LOOP(read_call, BENCH_FAIL_IF(s, ntime_read(&s->reader, &s->count) < 0))
BENCH_LOOP(session_1, BENCH_FAIL_IF(s, ntime_session_read(s->session, s->values, s->items) < 0))
BENCH_LOOP(session_8, BENCH_FAIL_IF(s, ntime_session_read(s->session, s->values, s->items) < 0))
BENCH_LOOP(session_clock, BENCH_FAIL_IF(s, ntime_session_read(s->session, s->values, s->items) < 0))
BENCH_LOOP(frame_1, BENCH_FAIL_IF(s, ntime_frame_end(s->frames, NULL) < 0))
BENCH_LOOP(frame_8, BENCH_FAIL_IF(s, ntime_frame_end(s->frames, NULL) < 0))
BENCH_LOOP(frame_clock, BENCH_FAIL_IF(s, ntime_frame_end(s->frames, NULL) < 0))
BENCH_LOOP(raw_1, BENCH_FAIL_IF(s, read(s->fd, s->raw, sizeof(s->raw)) <= 0))
BENCH_LOOP(raw_8, BENCH_FAIL_IF(s, read(s->fd, s->raw, sizeof(s->raw)) <= 0))
BENCH_LOOP(replay, BENCH_FAIL_IF(s, ntime_session_read(s->session, s->values, s->items) < 0))

static int ntime_failed(struct bench_state *s)
{
	(void)snprintf(s->reason, sizeof(s->reason), "%s", ntime_error_text(s->ctx));
	return -1;
}

static int open_empty(struct bench_state *s, unsigned int events)
{
	(void)s;
	(void)events;
	return 0;
}

static int open_bare_clock(struct bench_state *s, unsigned int events)
{
	(void)events;
#if defined(__x86_64__) || defined(__aarch64__)
	(void)s;
	return 0;
#else
	(void)snprintf(s->reason, sizeof(s->reason), "no clock of this processor is known");
	return -1;
#endif
}

/* A running session of this thread. */
static int open_list(struct bench_state *s, const char *list)
{
	if (ntime_session_new(s->ctx, NULL, &s->session) < 0 ||
	    ntime_session_add_list(s->session, list) < 0 || ntime_session_start(s->session) < 0)
		return ntime_failed(s);
	s->items = ntime_session_count(s->session);
	if (s->items > BENCH_EVENTS) {
		(void)snprintf(s->reason, sizeof(s->reason), "%s became %zu items", list, s->items);
		return -1;
	}
	return 0;
}

/* A reader of @name, which must be of type @wanted. */
static int open_reader(struct bench_state *s, const char *name, enum ntime_reader_type wanted)
{
	if (open_list(s, name) < 0)
		return -1;
	s->reader.size = sizeof(s->reader);
	if (ntime_get_reader(s->session, 0, &s->reader) < 0)
		return ntime_failed(s);
	if (s->reader.state->type == (uint32_t)wanted)
		return 0;
	(void)snprintf(s->reason, sizeof(s->reason), "%s is read by another method here: %s", name,
		       ntime_reader_why(&s->reader));
	return -1;
}

static int open_clock(struct bench_state *s, unsigned int events)
{
	(void)events;
	return open_reader(s, "tsc", NTIME_READER_TSC);
}

static int open_pmc(struct bench_state *s, unsigned int events)
{
	(void)events;
	return open_reader(s, "instructions:u", NTIME_READER_PMC);
}

static int open_read_call(struct bench_state *s, unsigned int events)
{
	(void)events;
	return open_reader(s, event_1, NTIME_READER_CALL);
}

static int open_session(struct bench_state *s, unsigned int events)
{
	return open_list(s, events == 1 ? event_1 : events_8);
}

static int open_session_clock(struct bench_state *s, unsigned int events)
{
	(void)events;
	return open_list(s, events_clock);
}

static int open_frames(struct bench_state *s)
{
	return ntime_frames_new(s->session, 8, -1, &s->frames) < 0 ? ntime_failed(s) : 0;
}

static int open_frame(struct bench_state *s, unsigned int events)
{
	return open_session(s, events) < 0 ? -1 : open_frames(s);
}

static int open_frame_clock(struct bench_state *s, unsigned int events)
{
	return open_session_clock(s, events) < 0 ? -1 : open_frames(s);
}

static const char *machine; /* a recording, or NULL */

static int open_replay(struct bench_state *s, unsigned int events)
{
	struct ntime_options options = { .size = sizeof(options), .machine = machine };

	(void)events;
	if (!machine) {
		(void)snprintf(s->reason, sizeof(s->reason), "no recorded machine was named");
		return -1;
	}
	if (ntime_open(&s->own_ctx, &options) < 0) {
		(void)snprintf(s->reason, sizeof(s->reason), "%s",
			       s->own_ctx ? ntime_error_text(s->own_ctx) : "out of memory");
		return -1;
	}
	s->ctx = s->own_ctx;
	return open_list(s, "instructions");
}

static int perf_open(uint32_t type, uint64_t config, uint64_t read_format, int leader)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.read_format = read_format,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/*
 * One event: its count alone. Several: a group with both times, which is what the libraries ask
 * for.
 */
static int open_raw(struct bench_state *s, unsigned int events)
{
	uint64_t format = events == 1 ? 0
				      : PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
						PERF_FORMAT_TOTAL_TIME_RUNNING;

	s->fd = perf_open(PERF_TYPE_SOFTWARE, configs[0], format, -1);
	for (unsigned int i = 0; i < events; i++) {
		int fd = i ? perf_open(PERF_TYPE_SOFTWARE, configs[i], format, s->fd) : s->fd;

		if (fd < 0) {
			(void)snprintf(s->reason, sizeof(s->reason), "perf_event_open(2): %s",
				       strerror(errno));
			return -1;
		}
	}
	return 0;
}

static const struct bench_method our_methods[] = {
	{ "empty", 0, false, "the loop itself, without a read", open_empty, loop_empty, NULL,
	  NULL },
	{ "bare_clock", 1, false, "bare instruction (rdtsc, cntvct_el0)", open_bare_clock,
	  loop_bare_clock, NULL, NULL },
	{ "clock", 1, false, "ntime_read, clock", open_clock, loop_clock, NULL, NULL },
	{ "pmc", 1, true, "ntime_read, perf: page and rdpmc or mrs", open_pmc, loop_pmc, NULL,
	  NULL },
	{ "raw_1", 1, false, "bare read(2) of perf's descriptor", open_raw, loop_raw_1, NULL,
	  NULL },
	{ "raw_8", 8, false, "bare read(2) of perf's descriptor", open_raw, loop_raw_8, NULL,
	  NULL },
	{ "read_call", 1, false, "ntime_read, perf: read(2)", open_read_call, loop_read_call, NULL,
	  NULL },
	{ "session_1", 1, false, "ntime_session_read, perf", open_session, loop_session_1, NULL,
	  NULL },
	{ "session_8", 8, false, "ntime_session_read, perf", open_session, loop_session_8, NULL,
	  NULL },
	{ "session_clock", 8, false, "ntime_session_read, clock and perf", open_session_clock,
	  loop_session_clock, NULL, NULL },
	{ "frame_1", 1, false, "ntime_frame_end, perf", open_frame, loop_frame_1, NULL, NULL },
	{ "frame_8", 8, false, "ntime_frame_end, perf", open_frame, loop_frame_8, NULL, NULL },
	{ "frame_clock", 8, false, "ntime_frame_end, clock and perf", open_frame_clock,
	  loop_frame_clock, NULL, NULL },
	{ "replay", 1, false, "ntime_session_read, replay", open_replay, loop_replay, NULL, NULL },
};

struct measured {
	const struct bench_method *method;
	struct bench_state state;
	bool is_open;
	uint64_t turns; /* of a stretch */
	double ns[MAX_ROUNDS];
};

static struct measured measured[MAX_METHODS];
static size_t measured_count;

static void open_method(const struct bench_method *method, struct ntime_ctx *ctx)
{
	struct measured *m = &measured[measured_count++];

	m->method = method;
	m->state.ctx = ctx;
	m->is_open = method->open(&m->state, method->events) == 0;
}

static void open_all(struct ntime_ctx *ctx)
{
	for (size_t i = 0; i < sizeof(our_methods) / sizeof(our_methods[0]); i++)
		open_method(&our_methods[i], ctx);
	for (size_t i = 0; i < bench_papi_method_count; i++)
		open_method(&bench_papi_methods[i], ctx);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void run_loop(struct measured *m, uint64_t turns, uint64_t *ns)
{
	uint64_t start;

	if (m->method->begin && m->method->begin(&m->state) < 0)
		m->state.has_failed = true;
	start = now_ns();
	m->method->loop(&m->state, turns);
	*ns = now_ns() - start;
	if (m->method->end && m->method->end(&m->state) < 0)
		m->state.has_failed = true;
}

static void calibrate(struct measured *m)
{
	uint64_t ns = 0;

	for (m->turns = 16; ns < STRETCH_NS; m->turns *= 2)
		run_loop(m, m->turns, &ns);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* User mode instructions of @turns reads by the processor's own counter; 0 when it has none. */
static uint64_t counted_instructions(struct measured *m, uint64_t turns)
{
	int fd = perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, -1);
	uint64_t before = 0, after = 0;

	if (fd < 0)
		return 0;
	if (read(fd, &before, sizeof(before)) != sizeof(before))
		before = 0;
	m->method->loop(&m->state, turns);
	if (read(fd, &after, sizeof(after)) != sizeof(after))
		after = before;
	(void)close(fd);
	return after - before;
}

/*
 * For what valgrind cannot run: "-" or the instructions of a read, from N and 2 N turns as under
 * callgrind.
 */
static void print_instructions(struct measured *m)
{
	const uint64_t turns = 100000;
	uint64_t once, twice;

	if (!m->method->is_native_only) {
		printf("-\t");
		return;
	}
	once = counted_instructions(m, turns);
	twice = counted_instructions(m, 2 * turns);
	if (once && twice > once)
		printf("%.2f\t", (double)(twice - once) / (double)turns);
	else
		printf("-\t");
}

static void print_method(struct measured *m, size_t rounds)
{
	if (!m->is_open || m->state.has_failed) {
		printf("absent\t%s\t%u\t%s\t%s\n", m->method->name, m->method->events,
		       m->method->what, m->state.reason[0] ? m->state.reason : "a read failed");
		return;
	}
	qsort(m->ns, rounds, sizeof(m->ns[0]), compare_doubles);
	printf("method\t%s\t%u\t%.3f\t%.3f\t", m->method->name, m->method->events,
	       m->ns[rounds / 2], m->ns[0]);
	print_instructions(m);
	printf("%s\n", m->method->what);
	if (m->state.reason[0])
		printf("note\t%s\n", m->state.reason);
}

static void run_stretch(struct measured *m, size_t round)
{
	uint64_t ns;

	run_loop(m, m->turns, &ns);
	m->ns[round] = (double)ns / (double)m->turns;
}

/* A B C A B C ...: what disturbs the machine for a while disturbs all methods alike. */
static void run_rounds(size_t rounds)
{
	for (size_t i = 0; i < measured_count; i++)
		if (measured[i].is_open)
			calibrate(&measured[i]);
	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < measured_count; i++)
			if (measured[i].is_open)
				run_stretch(&measured[i], round);
	for (size_t i = 0; i < measured_count; i++)
		print_method(&measured[i], rounds);
}

static int run_loops(uint64_t turns)
{
	uint64_t ns;

	for (size_t i = 0; i < measured_count; i++) {
		struct measured *m = &measured[i];

		if (!m->is_open || m->method->is_native_only)
			continue;
		run_loop(m, turns, &ns);
		if (m->state.has_failed) {
			fprintf(stderr, "read: %s failed: %s\n", m->method->name, m->state.reason);
			return 1;
		}
	}
	return 0;
}

static void close_all(void)
{
	for (size_t i = 0; i < measured_count; i++) {
		ntime_frames_free(measured[i].state.frames);
		ntime_session_free(measured[i].state.session);
		ntime_close(measured[i].state.own_ctx);
	}
}

static int usage(void)
{
	fprintf(stderr, "use: read time ROUNDS (1-%d) [MACHINE] | read loop N [MACHINE]\n",
		MAX_ROUNDS);
	return 2;
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	struct ntime_ctx *ctx;
	bool is_time;
	int ret = 0;

	if (argc < 3 || argc > 4 || !n)
		return usage();
	is_time = strcmp(argv[1], "time") == 0;
	if (is_time ? n > MAX_ROUNDS : strcmp(argv[1], "loop") != 0)
		return usage();
	machine = argc > 3 ? argv[3] : NULL;
	if (ntime_open(&ctx, NULL) < 0) {
		fprintf(stderr, "read: %s\n", ctx ? ntime_error_text(ctx) : "out of memory");
		ntime_close(ctx);
		return 1;
	}
	open_all(ctx);
	if (is_time)
		run_rounds(n);
	else
		ret = run_loops(n);
	close_all();
	ntime_close(ctx);
	return ret;
}
