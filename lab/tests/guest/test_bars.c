// SPDX-License-Identifier: MIT
/*
 * Error bars of events that take turns, against a truth: six families of programs, many regions of
 * each, three passes of one and the same event. What a region did is known, since the program says
 * how often it went through which loop.
 *
 * Each region runs twice with the same seed: once counted by a session with NTIME_TURNS, once by
 * bare events that the kernel rotates, one group each, scaled by enabled / running, as perf stat
 * does it. Alone, or as test of the suite, a few regions a family; with "--table N" N of them and
 * rows for docs/performance.md.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/tests/tt.h"

#include "guest.h"
#include "lab/tests/workloads/count.h"

#define MUX "/sys/bus/event_source/devices/%s/perf_event_mux_interval_ms"
#define PASSES 3
#define MOST_EVENTS 24
/*
 * A region takes 10 ms of CPU time, and the kernel rotates each millisecond instead of each fourth,
 * the usual: regions are as short beside its turns as those of 40 ms elsewhere.
 */
#define REGION_NS 10000000.
#define TICK_NS 1000000.
/* Two instructions a turn, two nanoseconds each with -icount shift=1. */
#define HOT_TURNS 2500
#define COLD_BYTES 256
#define MOST_SPANS 64

/* What a region is made of, in nanoseconds: hot, cold, hot, ... */
struct plan {
	double length_ns[MOST_SPANS];
	size_t spans;
};

/* What it did. */
struct done {
	uint64_t hot, cold, spans;
};

struct message {
	struct plan plan;
};

static double hot_ns, cold_ns; /* what one unit takes */
/* instructions in user mode: of a unit, of a span, and of what is around all */
static double hot_work, cold_work, span_work, frame_work;

static double uniform(uint64_t *seed, double low, double high)
{
	return low + (high - low) * ((double)(tt_random(seed) >> 11) / 9007199254740992.0);
}

/* ---- the program ---- */

static void run_hot(double ns, struct done *d)
{
	for (uint64_t n = (uint64_t)(ns / hot_ns + 0.5); n; n--, d->hot++)
		lab_turns(HOT_TURNS);
}

/* Little of it is in user mode. */
static void run_cold(double ns, struct done *d)
{
	static char buffer[COLD_BYTES];

	for (uint64_t n = (uint64_t)(ns / cold_ns + 0.5); n; n--, d->cold++)
		(void)syscall(SYS_getrandom, buffer, sizeof(buffer), 4 /* GRND_INSECURE */);
}

static __attribute__((noinline)) void run_plan(const struct plan *p, struct done *d)
{
	*d = (struct done){ .spans = p->spans };
	for (size_t i = 0; i < p->spans; i++) {
		if (i % 2)
			run_cold(p->length_ns[i], d);
		else
			run_hot(p->length_ns[i], d);
	}
}

static void run_program(int from, int to)
{
	struct message m;
	struct done d;

	while (read(from, &m, sizeof(m)) == (ssize_t)sizeof(m)) {
		run_plan(&m.plan, &d);
		if (write(to, &d, sizeof(d)) != (ssize_t)sizeof(d))
			break;
	}
	_exit(0);
}

static struct {
	pid_t pid;
	int to, from;
} program;

static void start_program(void)
{
	int down[2], up[2];

	TT_IS(pipe(down) | pipe(up), 0);
	program.pid = fork();
	if (!program.pid) {
		close(down[1]);
		close(up[0]);
		run_program(down[0], up[1]);
	}
	close(down[0]);
	close(up[1]);
	program.to = down[1];
	program.from = up[0];
}

static void begin_region(const struct plan *p)
{
	struct message m = { .plan = *p };

	TT_IS(write(program.to, &m, sizeof(m)), sizeof(m));
}

static struct done end_region(void)
{
	struct done d;

	TT_IS(read(program.from, &d, sizeof(d)), sizeof(d));
	return d;
}

static double truth_of(const struct done *d)
{
	return (double)d->hot * hot_work + (double)d->cold * cold_work +
	       (double)d->spans * span_work + frame_work;
}

/* ---- the families ---- */

static void add(struct plan *p, double hot, double cold)
{
	if (p->spans + 2 <= MOST_SPANS) {
		p->length_ns[p->spans++] = hot;
		p->length_ns[p->spans++] = cold;
	}
}

static void make_steady(struct plan *p, uint64_t *seed)
{
	(void)seed;
	add(p, REGION_NS, 0);
}

/* One to four bursts, at random places of equal parts. */
static void make_bursts(struct plan *p, double share, size_t n, uint64_t *seed)
{
	double part = REGION_NS / (double)n, left = 0;

	for (size_t i = 0; i < n; i++) {
		double before = uniform(seed, 0, part * (1 - share));

		add(p, 0, left + before);
		add(p, part * share, 0);
		left = part * (1 - share) - before;
	}
	add(p, 0, left);
}

static void make_bursts_10(struct plan *p, uint64_t *seed)
{
	make_bursts(p, 0.1, 1 + tt_random(seed) % 4, seed);
}

static void make_bursts_1(struct plan *p, uint64_t *seed)
{
	make_bursts(p, 0.01, 1, seed);
}

/* Hot in every third of the kernel's turns. */
static void make_beats(struct plan *p, uint64_t *seed)
{
	double at = uniform(seed, 0, (PASSES - 1) * TICK_NS);

	add(p, 0, at);
	for (; at < REGION_NS; at += PASSES * TICK_NS)
		add(p, TICK_NS, (PASSES - 1) * TICK_NS);
}

static void make_spike(struct plan *p, uint64_t *seed)
{
	double spike = uniform(seed, 500000, 1500000);

	add(p, spike, REGION_NS - spike);
}

static void make_phases(struct plan *p, uint64_t *seed)
{
	double length = REGION_NS / uniform(seed, 3, 8);

	for (double at = 0; at < REGION_NS; at += 2 * length)
		add(p, length, length);
}

static const struct family_row {
	int line;
	const char *name;
	void (*make)(struct plan *p, uint64_t *seed);
} family_rows[] = {
	{ __LINE__, "steady", make_steady },	    { __LINE__, "bursts, 10 %", make_bursts_10 },
	{ __LINE__, "bursts, 1 %", make_bursts_1 }, { __LINE__, "beats", make_beats },
	{ __LINE__, "spike", make_spike },	    { __LINE__, "phases", make_phases },
};

/* ---- counting ---- */

static char events[MOST_EVENTS * 16];
static size_t event_count;

static struct ntime_session *session(uint32_t flags)
{
	struct ntime_target target = { .size = sizeof(target),
				       .kind = NTIME_TARGET_THREAD,
				       .pid = program.pid,
				       .flags = flags };

	return lab_session(events, &target);
}

static void repeat_event(size_t n)
{
	events[0] = '\0';
	for (event_count = 0; event_count < n; event_count++)
		strcat(events, event_count ? ",instructions:u" : "instructions:u");
}

static unsigned int count_passes(void)
{
	struct ntime_session *s = session(0);
	unsigned int passes = ntime_session_passes(s);

	ntime_session_free(s);
	return passes;
}

/*
 * As many of one event as three passes have room for: with a counter left over one of them would
 * count all the time, and tell all about the others.
 */
static void choose_events(void)
{
	size_t n = 1;

	for (repeat_event(n); count_passes() <= PASSES; repeat_event(n)) {
		n++;
		TT_IS(n <= MOST_EVENTS, 1);
	}
	repeat_event(n - 1);
}

/* The truth of one region, by one counter that counts all the time. */
static double count_exactly(const struct plan *p, struct done *d)
{
	struct ntime_target target = { .size = sizeof(target), .pid = program.pid };
	struct ntime_session *s = lab_session("instructions:u", &target);
	struct ntime_value v;

	LAB_OK(ntime_session_start(s));
	begin_region(p);
	*d = end_region();
	LAB_OK(ntime_session_stop(s));
	LAB_OK(ntime_session_read(s, &v, 1));
	TT_IS(v.flags, 0);
	ntime_session_free(s);
	return v.value;
}

static double time_of(const struct plan *p)
{
	struct ntime_target target = { .size = sizeof(target), .pid = program.pid };
	struct ntime_session *s = lab_session("task-clock", &target);
	struct ntime_value v;

	LAB_OK(ntime_session_start(s));
	begin_region(p);
	(void)end_region();
	LAB_OK(ntime_session_stop(s));
	LAB_OK(ntime_session_read(s, &v, 1));
	ntime_session_free(s);
	return (double)v.wanted_ns;
}

/* What a unit takes, and what a region has beside its hot units. */
static void calibrate(void)
{
	const struct plan none = { .spans = 2 }, hot = { { 100, 0 }, 2 }, cold = { { 0, 100 }, 2 };
	const struct plan spans = { .spans = 22 };
	double least;
	struct done d;

	hot_ns = cold_ns = 1;
	start_program();
	/* The first time goes through the dynamic linker. */
	(void)count_exactly(&cold, &d);
	least = count_exactly(&none, &d);
	span_work = (count_exactly(&spans, &d) - least) / 20;
	frame_work = least - 2 * span_work;
	hot_work = (count_exactly(&hot, &d) - least) / 100;
	TT_IS(hot_work >= LAB_TURN * HOT_TURNS && hot_work < LAB_TURN * HOT_TURNS + 20, 1);
	cold_work = (count_exactly(&cold, &d) - least) / 100;
	(void)time_of(&none);
	hot_ns = (time_of(&hot) - time_of(&none)) / 100;
	cold_ns = (time_of(&cold) - time_of(&none)) / 100;
	/* A program that knows them; the one before had its own copy. */
	close(program.to);
	close(program.from);
	(void)waitpid(program.pid, NULL, 0);
	start_program();
	(void)count_exactly(&(struct plan){ { 0, 4 * cold_ns }, 2 }, &d);
	print_message(
		"# a hot unit takes %.0f ns, a cold one %.0f ns and %.1f instructions; %.1f a "
		"span, %.1f in all\n",
		hot_ns, cold_ns, cold_work, span_work, frame_work);
}

struct tallied {
	uint64_t all, held, held_bounds, nothing, missing, exact;
	double error, perf_error, time_ns;
	double w; /* of an interval its width and 40 times what lies outside (R. L. Winkler) */
	double *width;
	size_t widths;
};

static void wait_in_turns(struct ntime_session *s)
{
	struct pollfd p = { .fd = program.from, .events = POLLIN };
	uint64_t next_ns;

	do {
		struct timespec t;

		LAB_OK(ntime_session_turn(s, &next_ns));
		t.tv_sec = 0;
		t.tv_nsec = (long)(next_ns < 100000000 ? next_ns : 100000000);
		TT_IS(ppoll(&p, 1, &t, NULL) >= 0, 1);
	} while (!(p.revents & POLLIN));
}

static void count_in_turns(const struct plan *p, struct tallied *t)
{
	struct ntime_session *s = session(NTIME_TURNS);
	struct ntime_item item = { .size = sizeof(item) };
	struct ntime_value v[MOST_EVENTS];
	struct done d;
	double truth;

	LAB_OK(ntime_session_start(s));
	begin_region(p);
	wait_in_turns(s);
	d = end_region();
	LAB_OK(ntime_session_stop(s));
	LAB_OK(ntime_session_read(s, v, event_count));
	truth = truth_of(&d);
	LAB_OK(ntime_session_item(s, 0, &item));
	for (size_t i = 0; i < event_count; i++) {
		double off = v[i].value - truth, least, most, slack = 2e-3 * truth;
		double outside = fmax(fmax(off - v[i].below, -off - v[i].above), 0);

		t->all++;
		t->time_ns += (double)v[i].wanted_ns;
		if (v[i].flags & NTIME_NOT_COUNTED) {
			/* No number is not a wrong one. */
			t->missing++;
			t->held++;
			t->held_bounds++;
			t->error += 1;
			continue;
		}
		LAB_OK(ntime_value_bounds(&v[i], &item, &least, &most));
		t->held += outside <= slack;
		t->w += (v[i].below + v[i].above + 40 * outside) / truth;
		t->held_bounds += truth >= least - slack && truth <= most + slack;
		t->exact += !(v[i].flags & NTIME_SCALED);
		t->nothing += v[i].flags & NTIME_SCALED && v[i].above == 0 && v[i].below == 0;
		t->error += fabs(off) / truth;
		t->width[t->widths++] = (v[i].below + v[i].above) / 2 / truth;
	}
	ntime_session_free(s);
}

static int open_bare(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	long fd = syscall(SYS_perf_event_open, &attr, program.pid, -1, -1, 0);

	TT_IS(fd >= 0, 1);
	return (int)fd;
}

static void count_as_perf(const struct plan *p, struct tallied *t)
{
	int fd[MOST_EVENTS];
	struct done d;

	for (size_t i = 0; i < event_count; i++)
		fd[i] = open_bare();
	for (size_t i = 0; i < event_count; i++)
		TT_IS(ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0), 0);
	begin_region(p);
	d = end_region();
	for (size_t i = 0; i < event_count; i++)
		TT_IS(ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0), 0);
	for (size_t i = 0; i < event_count; i++) {
		struct {
			uint64_t count, enabled, running;
		} r;
		double truth = truth_of(&d), value = 0;

		TT_IS(read(fd[i], &r, sizeof(r)), sizeof(r));
		if (r.running)
			value = (double)r.count * ((double)r.enabled / (double)r.running);
		t->perf_error += fabs(value - truth) / truth;
		close(fd[i]);
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct tallied try_family(const struct family_row *r, size_t regions, uint64_t *seed)
{
	struct tallied t = { .width = calloc(regions * event_count, sizeof(double)) };

	TT_IS(t.width != NULL, 1);
	for (size_t i = 0; i < regions; i++) {
		struct plan p = { .spans = 0 };

		r->make(&p, seed);
		count_in_turns(&p, &t);
		count_as_perf(&p, &t);
	}
	qsort(t.width, t.widths, sizeof(double), compare);
	return t;
}

static void check_truth(uint64_t *seed)
{
	TT_FOR_EACH_ROW(r, family_rows) {
		struct plan p = { .spans = 0 };
		struct done d;
		double counted;

		r->make(&p, seed);
		counted = count_exactly(&p, &d);
		if (fabs(counted - truth_of(&d)) > 2e-3 * counted)
			fail_msg("%s: the truth is %.0f, and %.0f were counted all the time",
				 r->name, truth_of(&d), counted);
	}
}

/*
 * With one CPU for both, the scheduler may let the program run for a tick of 4 ms before the timer
 * of who counts is heard, which a machine with more CPUs does not do.
 */
static void go_first(void)
{
	const struct sched_param first = { .sched_priority = 1 };

	TT_IS(sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first), 0);
}

static void prepare(uint64_t *seed)
{
	*seed = tt_seed();
	lab_stop_watchdog();
	(void)prctl(PR_SET_TIMERSLACK, 1ul);
	calibrate();
	go_first();
	check_truth(seed);
	choose_events();
	print_message("# %zu times instructions:u in %u passes\n", event_count, PASSES);
}

static void set_mux(void)
{
	static const char *const units[] = { "cpu", "armv8_pmuv3", "armv8_pmuv3_0" };
	char path[128];

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		snprintf(path, sizeof(path), MUX, units[i]);
		if (access(path, W_OK) == 0)
			lab_set(path, "1");
	}
}

/* Regions of few turns: the least that a share of 95 % of so many has, in all but one of 1e6. */
TEST(intervals_hold)
{
	uint64_t seed;

	prepare(&seed);
	set_mux();
	TT_FOR_EACH_ROW(r, family_rows) {
		struct tallied t = try_family(r, 40, &seed);

		print_message("# %s: held %" PRIu64 " of %" PRIu64 ", error %.2f %%, perf's %.2f "
			      "%%\n",
			      r->name, t.held, t.all, 100 * t.error / (double)t.all,
			      100 * t.perf_error / (double)t.all);
		TT_EQ(r, t.held_bounds, t.all);
		TT_EQ(r, t.nothing, 0);
		TT_EQ(r, (double)t.held >= 0.85 * (double)t.all, 1);
		/* Each change of turns takes an emulated kernel 30 us of the program's time. */
		TT_EQ(r, t.error <= fmax(t.perf_error, 0.08 * (double)t.all), 1);
		free(t.width);
	}
}

/*
 * With a counter left over, one event has it for itself, and is exact; the others are told by it
 * instead of by time. In this machine instructions are all that happens, so that this leaves no
 * error but that of the moments between turns.
 */
TEST(what_counts_all_the_time_tells_of_the_others)
{
	uint64_t seed;

	prepare(&seed);
	repeat_event(event_count - (PASSES - 1));
	TT_FOR_EACH_ROW(r, family_rows) {
		struct tallied t = try_family(r, 10, &seed);

		print_message("# %s: held %" PRIu64 " of %" PRIu64 ", error %.3f %%, +- %.3f %%\n",
			      r->name, t.held, t.all, 100 * t.error / (double)t.all,
			      100 * t.width[t.widths / 2]);
		TT_EQ(r, t.held_bounds, t.all);
		TT_EQ(r, t.exact, t.all / event_count);
		TT_EQ(r, t.error <= 0.01 * (double)t.all, 1);
		free(t.width);
	}
}

static int table(size_t regions)
{
	uint64_t seed;

	prepare(&seed);
	set_mux();
	TT_FOR_EACH_ROW(r, family_rows) {
		struct tallied t = try_family(r, regions, &seed);
		double all = (double)t.all;

		printf("%-12s %8zu %8.2f %8.2f %10.2f %10.2f %10.2f %10.2f %8.2f\n", r->name,
		       regions, 100 * (double)t.held / all, 100 * (double)t.held_bounds / all,
		       100 * t.error / all, 100 * t.perf_error / all,
		       t.widths ? 100 * t.width[t.widths / 2] : 0, 100 * t.w / all,
		       t.time_ns / all / 1e6);
		fflush(stdout);
		free(t.width);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_hold),
		cmocka_unit_test(what_counts_all_the_time_tells_of_the_others),
	};

	if (argc == 3 && strcmp(argv[1], "--table") == 0)
		return table(strtoul(argv[2], NULL, 10));
	return LAB_RUN(tests);
}
