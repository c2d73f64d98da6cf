// SPDX-License-Identifier: MIT
/*
 * The fast reader under fire. Everything that can happen to a measured thread happens to it while
 * it reads: it is preempted, moved, interrupted by signals, rotated off its counters, its counter
 * wraps, it forks, execs and ends, its events are disabled behind its back. Each volley of reads
 * stands between two read(2)s of the same event, and its values must rise from the first to the
 * second. More than a million reads, and not one may be wrong; each test also shows that what it is
 * about has happened.
 */
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/tests/tt.h"

#include "fire.h"
#include "guest.h"
#include "lab/tests/workloads/count.h"

#ifdef NTIME_HAS_PMC_

#define INSTRUCTIONS "instructions:u"
/* What is said to happen often must have happened so often. */
#define OFTEN 300
/* Where it does not happen, a test ends after so many times its reads, and fails. */
#define PATIENCE 20

/* Between two disturbances of a kind. */
static long pause_ns = 50000;

static long preemptions(void)
{
	struct rusage usage;

	(void)getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

/*
 * Instructions are the guest's clock, so counts depend on nothing else; where they are not,
 * counters follow the host's time.
 */
static bool counts_exactly(void)
{
	return getenv("NTIME_LAB_SHIFT") != NULL;
}

/*
 * --- nothing happens ----------------------------------------------------------------------------
 */

TEST(quiet)
{
	struct lab_fire f = lab_fire_open("quiet", INSTRUCTIONS);
	bool is_exact = lab_fire_learn(&f);

	TT_IS(is_exact, counts_exactly());
	if (!is_exact)
		print_message("# this guest does not count exactly: only order is checked\n");
	while (f.reads < 100000)
		lab_fire(&f);
	print_message("# reader: %s\n", ntime_reader_why(&f.r));
	lab_fire_must_be_fast(&f);
	/* A step is longer only if the read was made again. */
	TT_IS(f.uneven * 100 < f.reads, 1);
	lab_fire_close(&f);
}

/*
 * --- other processes ----------------------------------------------------------------------------
 */

/* A process that disturbs this one until it is killed. */
static pid_t start_disturber(void (*disturb)(pid_t victim))
{
	pid_t victim = getpid(), pid = fork();

	if (pid == 0) {
		/*
		 * Real-time: it runs whenever it wakes up, so the victim is preempted and does not
		 * wait for its turn.
		 */
		struct sched_param first = { .sched_priority = 1 };

		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (sched_setscheduler(0, SCHED_FIFO, &first) < 0)
			_exit(1);
		for (;;) {
			struct timespec nap = { .tv_nsec = pause_ns };

			disturb(victim);
			(void)nanosleep(&nap, NULL);
		}
	}
	TT_IS(pid > 0, 1);
	return pid;
}

static void end_disturber(pid_t pid)
{
	int status;

	TT_IS(kill(pid, SIGKILL), 0);
	TT_IS(waitpid(pid, &status, 0), pid);
	/* Killed by that, and not ended before. */
	TT_IS(WIFSIGNALED(status), 1);
}

/* Events of its own, so that the counters are set anew at each switch, to other values. */
static void disturb_by_counting(pid_t victim)
{
	static int fd[3] = { -1, -1, -1 };

	(void)victim;
	if (fd[0] < 0) {
		fd[0] = lab_open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1);
		fd[1] = lab_open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, -1);
		fd[2] = lab_open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1);
	}
	if (fd[0] < 0 || fd[1] < 0 || fd[2] < 0)
		_exit(1);
	lab_turns(100);
}

TEST(preemption)
{
	struct lab_fire f = lab_fire_open("preemption", INSTRUCTIONS);
	pid_t pid = start_disturber(disturb_by_counting);
	long before = preemptions(), took = 0;

	while (f.reads < 150000 || (took < OFTEN && f.reads < PATIENCE * 150000ul)) {
		lab_fire(&f);
		took = preemptions() - before;
	}
	end_disturber(pid);
	print_message("# preempted %ld times\n", took);
	TT_IS(took >= OFTEN, 1);
	lab_fire_must_be_fast(&f);
	lab_fire_close(&f);
}

static int open_migrations(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_MIGRATIONS,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0ul);
}

static int stay_on(pid_t pid, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set);
}

/* Each CPU in turn, those that do not exist as well. */
static void move(pid_t pid, unsigned int *next)
{
	(void)stay_on(pid, (*next)++ % 4);
}

static void disturb_by_moving(pid_t victim)
{
	static unsigned int next;

	move(victim, &next);
}

TEST(migration)
{
	struct lab_fire f = lab_fire_open("migration", INSTRUCTIONS);
	int fd = open_migrations();
	pid_t pid = start_disturber(disturb_by_moving);
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), before = preemptions(), took = 0;
	unsigned int next = 0;
	uint64_t moves = 0;

	TT_IS(fd >= 0, 1);
	while (f.reads < 150000 || (took < OFTEN && f.reads < PATIENCE * 150000ul)) {
		lab_fire(&f);
		if (f.reads % (16 * LAB_VOLLEY) == 0)
			move(0, &next);
		TT_IS(read(fd, &moves, sizeof(moves)), sizeof(moves));
		took = cpus > 1 ? (long)moves : preemptions() - before;
	}
	end_disturber(pid);
	(void)close(fd);
	TT_IS(stay_on(0, 0), 0);
	print_message("# %ld CPUs, %" PRIu64
		      " migrations, preempted %ld times by who asks for them\n",
		      cpus, moves, preemptions() - before);
	TT_IS(took >= OFTEN, 1);
	lab_fire_must_be_fast(&f);
	lab_fire_close(&f);
}

/*
 * --- signals ------------------------------------------------------------------------------------
 */

static struct lab_fire *under_signals;
static timer_t timer;
static volatile bool
	is_armed; /* a signal that was sent before the timer was deleted comes behind it */
static volatile unsigned long signals;
static void (*volatile in_handler)(void);

/* One shot after the other, so that the handler cannot take all the time. */
static void arm_timer(void)
{
	struct itimerspec when = { .it_value.tv_nsec = pause_ns };

	TT_IS(timer_settime(timer, 0, &when, NULL), 0);
}

static void on_signal(int number)
{
	(void)number;
	signals++;
	in_handler();
	if (is_armed)
		arm_timer();
}

static void make_timer(void (*what)(void))
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };

	in_handler = what;
	signals = 0;
	TT_IS(sigaction(SIGUSR1, &action, NULL), 0);
	TT_IS(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	is_armed = true;
	arm_timer();
}

static void end_timer(void)
{
	is_armed = false;
	TT_IS(timer_delete(timer), 0);
}

/* The handler reads the counter that the code below it is reading just now. */
static void read_in_handler(void)
{
	struct lab_fire *f = under_signals;
	uint64_t before = 0, value = 0, after = 0;
	int flags = ntime_read_call(&f->r, &before);

	flags |= ntime_read(&f->r, &value);
	flags |= ntime_read_call(&f->r, &after);
	lab_fire_at(f, before, flags ? 0 : value, after);
}

TEST(signal_handlers)
{
	struct lab_fire f = lab_fire_open("signals", INSTRUCTIONS);

	under_signals = &f;
	make_timer(read_in_handler);
	while (f.reads < 150000 || (signals < OFTEN && f.reads < PATIENCE * 150000ul))
		lab_fire(&f);
	end_timer();
	print_message("# %lu signals\n", signals);
	TT_IS(signals >= OFTEN, 1);
	lab_fire_must_be_fast(&f);
	lab_fire_close(&f);
}

/*
 * --- disabled and enabled -----------------------------------------------------------------------
 */

/* The kernel's switch for all events that this thread made: the library is not asked. */
static void toggle_in_handler(void)
{
	(void)prctl(signals % 2 ? PR_TASK_PERF_EVENTS_DISABLE : PR_TASK_PERF_EVENTS_ENABLE);
}

TEST(disabled_in_mid_loop)
{
	struct lab_fire f = lab_fire_open("disabled by a signal", INSTRUCTIONS);

	make_timer(toggle_in_handler);
	/*
	 * Steps are shorter than usual here: the counter stands still for a while. So the order
	 * alone is checked.
	 */
	for (unsigned long n = 0; n < 5000 || (signals < OFTEN && n < PATIENCE * 5000ul); n++) {
		uint64_t last = lab_read_call(&f.r), after, value[20];

		for (int k = 0; k < 20; k++) {
			f.tried++;
			f.fast += ntime_read_pmc_(f.r.state, &value[k]) == 0;
			TT_IS(ntime_read(&f.r, &value[k]), 0);
		}
		after = lab_read_call(&f.r);
		for (int k = 0; k < 20; last = value[k++])
			lab_fire_at(&f, last, value[k], after);
	}
	end_timer();
	(void)prctl(PR_TASK_PERF_EVENTS_ENABLE);
	print_message("# %lu signals\n", signals);
	TT_IS(signals >= OFTEN, 1);
	/* Both happened: the counter was there, and it was not. */
	TT_IS(f.fast < f.tried, 1);
	lab_fire_close(&f);
}

/*
 * A disabled event stands still to the instruction, for every way to read it; enabled it goes on
 * from there.
 */
TEST(disabled_stands_still)
{
	struct lab_fire f = lab_fire_open("disabled by itself", INSTRUCTIONS);

	for (int i = 0; i < 2000; i++) {
		uint64_t rest, value = 0;

		lab_fire(&f);
		if (i % 2)
			TT_IS(prctl(PR_TASK_PERF_EVENTS_DISABLE), 0);
		else
			LAB_OK(ntime_session_stop(f.r.session));
		rest = lab_read_call(&f.r);
		TT_IS(ntime_read_pmc_(f.r.state, &value), -1);
		for (int k = 0; k < 8; k++) {
			TT_IS(ntime_read(&f.r, &value), 0);
			lab_fire_at(&f, rest, value, rest);
		}
		TT_IS(lab_read_call(&f.r), rest);
		if (i % 2)
			TT_IS(prctl(PR_TASK_PERF_EVENTS_ENABLE), 0);
		else
			LAB_OK(ntime_session_start(f.r.session));
	}
	lab_fire_close(&f);
}

/*
 * --- more events than counters ------------------------------------------------------------------
 */

#define MANY 14 /* more than the 4 + 3, 6 or 6 + 1 counters of the guests' PMUs */
#define MANY_EVENTS                                                                                \
	INSTRUCTIONS "," INSTRUCTIONS "," INSTRUCTIONS "," INSTRUCTIONS "," INSTRUCTIONS           \
		     "," INSTRUCTIONS "," INSTRUCTIONS "," INSTRUCTIONS "," INSTRUCTIONS           \
		     "," INSTRUCTIONS "," INSTRUCTIONS "," INSTRUCTIONS "," INSTRUCTIONS           \
		     "," INSTRUCTIONS

/*
 * Turns as short as the kernel offers; longer where a millisecond of the host's time is next to
 * nothing to a guest.
 */
static void rotate_quickly(void)
{
	glob_t found;

	TT_IS(glob("/sys/bus/event_source/devices/*/perf_event_mux_interval_ms", 0, NULL, &found),
	      0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *file = fopen(found.gl_pathv[i], "w");

		if (file) {
			(void)fputs(counts_exactly() ? "1" : "20", file);
			(void)fclose(file);
		}
	}
	globfree(&found);
}

struct rotation {
	unsigned long exact, scaled, fast, too_fast;
};

/*
 * An item that may be rotated away: its count, not extrapolated, rises all the same; and the
 * instruction is never used for a part.
 */
static void read_rotated(struct lab_fire *f, struct rotation *seen)
{
	uint64_t before = 0, value = 0, after = 0, alone = 0;
	int first = ntime_read_call(&f->r, &before), flags, last;
	bool is_fast = ntime_read_pmc_(f->r.state, &alone) == 0;

	flags = ntime_read(&f->r, &value);
	last = ntime_read_call(&f->r, &after);
	TT_IS(first >= 0 && flags >= 0 && last >= 0, 1);
	lab_fire_at(f, before, value, after);
	if (is_fast)
		lab_fire_at(f, before, alone, value);
	seen->fast += is_fast;
	f->tried++;
	f->fast += is_fast;
	seen->exact += flags == 0;
	seen->scaled += (flags & (int)NTIME_SCALED) != 0;
	/* Once a part is missing, no read may claim the whole any more. */
	seen->too_fast += (first && is_fast) || (first && !flags) || (flags && !last);
}

/*
 * Each was counted for a part of the time. How soon the kernel's timer gets there depends on the
 * host.
 */
static bool are_parts(struct ntime_session *s)
{
	struct ntime_value v[MANY];

	LAB_OK(ntime_session_read(s, v, MANY));
	for (size_t i = 0; i < MANY; i++)
		if (v[i].counted_ns >= v[i].wanted_ns)
			return false;
	return true;
}

TEST(more_events_than_counters)
{
	struct lab_fire f = { .name = "multiplexing" };
	struct rotation seen = { 0 };
	unsigned int passes = 0;

	rotate_quickly();
	for (int again = 0; again < 8; again++) {
		struct ntime_session *s = lab_started(MANY_EVENTS);
		struct ntime_reader r[MANY];
		unsigned long scaled = seen.scaled;

		passes = ntime_session_passes(s);
		/*
		 * From the first turn, in which some are whole, into the later ones, in which none
		 * is.
		 */
		for (size_t i = 0; i < MANY; i++) {
			r[i] = lab_reader(s, i);
			f.r = r[i];
			read_rotated(&f, &seen);
		}
		for (int k = 0;
		     k < 2000 || ((seen.scaled == scaled || !are_parts(s)) && k < PATIENCE * 2000);
		     k++) {
			f.r = r[k % MANY];
			read_rotated(&f, &seen);
		}
		TT_IS(are_parts(s), 1);
		ntime_session_free(s);
	}
	print_message(
		"# %u passes; %lu exact and %lu scaled reads, %lu of them wrongly called exact\n",
		passes, seen.exact, seen.scaled, seen.too_fast);
	TT_IS(passes > 1, 1);
	TT_IS(seen.exact > 0 && seen.scaled > 0, 1);
	TT_IS(seen.too_fast, 0);
	f.r.session = NULL;
	lab_fire_close(&f);
}

/* Single events, so that each finds a turn on the counters that are left. */
static void start_others(struct ntime_session *others[MANY])
{
	for (int i = 0; i < MANY; i++)
		others[i] = lab_started(INSTRUCTIONS);
}

static bool have_had_turns(struct ntime_session *others[MANY])
{
	struct ntime_value v;

	for (int i = 0; i < MANY; i++) {
		LAB_OK(ntime_session_read(others[i], &v, 1));
		if (!v.counted_ns || v.counted_ns >= v.wanted_ns)
			return false;
	}
	return true;
}

/* All had turns, and none was counted all the time; reads go on until it is so. */
static void end_others(struct lab_fire *f, struct ntime_session *others[MANY])
{
	unsigned long last = f->reads + PATIENCE * 100000ul;

	struct ntime_value v;

	while (!have_had_turns(others) && f->reads < last)
		for (int i = 0; i < 100; i++)
			lab_fire(f);
	for (int i = 0; i < MANY; i++) {
		LAB_OK(ntime_session_read(others[i], &v, 1));
		TT_IS(v.counted_ns > 0 && v.counted_ns < v.wanted_ns, 1);
		ntime_session_free(others[i]);
	}
	print_message("# the last of %d events beside it was counted for %" PRIu64 " of %" PRIu64
		      " us\n",
		      MANY, v.counted_ns / 1000, v.wanted_ns / 1000);
}

/* A pinned event stays while the others take turns around it. */
TEST(pinned_among_many)
{
	struct lab_fire f = lab_fire_open("pinned", "instructions:uD");
	struct ntime_session *others[MANY];

	start_others(others);
	while (f.reads < 100000)
		lab_fire(&f);
	end_others(&f, others);
	lab_fire_must_be_fast(&f);
	lab_fire_close(&f);
}

/*
 * --- counters that wrap -------------------------------------------------------------------------
 */

/* User mode cycles until the counter wraps, and is set again to as many below the wrap. */
#define WRAP_PERIOD 20011

static uint64_t read_own_event(void *arg)
{
	uint64_t count = 0;

	TT_IS(read(*(int *)arg, &count, sizeof(count)), sizeof(count));
	return count;
}

/*
 * Too many overflows, and the kernel stops the event until the next tick. On x86 its page is wrong
 * by 2^48 afterwards (seen under 6.1; from memory of the kernel: read(2) leaves hw.prev_count
 * without sign, and the restart takes it into the offset). It can happen to sampling events alone,
 * which the library does not open.
 */
static void forbid_throttling(void)
{
	/* The rate can be set only while the percentage is not 0, which is "no limit". */
	lab_set("/proc/sys/kernel/perf_cpu_time_max_percent", "25");
	lab_set("/proc/sys/kernel/perf_event_max_sample_rate", "100000000");
	lab_set("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
}

/*
 * A sampling event is the kernel's own way to set a counter just below its wrap: to -period, in
 * whatever width it has. The library does not sample, so the event is opened here, and the reader's
 * inline code gets its page.
 */
static void wrap(const char *name, uint64_t config)
{
	struct ntime_reader_state state = { .type = NTIME_READER_PMC };
	struct lab_fire f = { .name = name, .r.state = &state, .read_call = read_own_event };
	void *page;
	int fd;

	forbid_throttling();
	fd = lab_open_event(PERF_TYPE_HARDWARE, config, WRAP_PERIOD, -1);
	if (fd < 0)
		fail_msg("a sampling event cannot be opened: %s", strerror(-fd));
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	TT_IS(page != MAP_FAILED, 1);
	state.source = page;
	state.thread = ntime_thread_pointer_();
	f.arg = &fd;
	while (f.reads < 150000 || (f.wraps < OFTEN && f.reads < PATIENCE * 150000ul))
		lab_fire(&f);
	print_message("# %s: %u bits, set to %d below the wrap\n", name,
		      ((struct perf_event_mmap_page *)page)->pmc_width, WRAP_PERIOD);
	(void)munmap(page, (size_t)sysconf(_SC_PAGESIZE));
	(void)close(fd);
	TT_IS(f.wraps >= OFTEN, 1);
	TT_IS(f.fast * 100 >= f.tried * 95, 1);
	lab_fire_close(&f);
}

TEST(cycles_wrap)
{
	wrap("cycles wrap", PERF_COUNT_HW_CPU_CYCLES);
}

TEST(instructions_wrap)
{
#ifdef __aarch64__
	/*
	 * QEMU 7.2 gives up most overflow interrupts of this event on ARM; the wrap itself is the
	 * same as that of cycles.
	 */
	TT_SKIP("QEMU's ARM PMU raises few overflow interrupts for instructions; cycles show the "
		"wrap");
#else
	wrap("instructions wrap", PERF_COUNT_HW_INSTRUCTIONS);
#endif
}

#if defined(__x86_64__)

#define MSR_DEVICE "/dev/cpu/0/msr"
#define PRESETS 50

/* The register of a counter, from perf's index of it (RDPMC's operand plus one). */
static off_t msr_of(uint32_t index)
{
	unsigned int a, b = 0, c, d, operand = index - 1;

	/* Bit 30: a fixed counter, IA32_FIXED_CTR (Intel SDM vol. 4, table 2-2). */
	if (operand & 1u << 30)
		return 0x309 + (off_t)(operand & 0xff);
	(void)__get_cpuid(0, &a, &b, &c, &d);
	/* "Auth" of AuthenticAMD */
	if (b != 0x68747541)
		return 0xc1 + (off_t)operand;
	/*
	 * CPUID 0x80000001 ECX bit 23: the core extension's PERF_CTR (AMD APM vol. 2, 13.2.1); else
	 * PerfCtr of the K8.
	 */
	c = 0;
	(void)__get_cpuid(0x80000001, &a, &b, &c, &d);
	return c & 1u << 23 ? (off_t)0xc0010201 + 2 * (off_t)operand
			    : (off_t)0xc0010004 + (off_t)operand;
}

/*
 * A counter of the library's own, in its full width: its register is written through the MSR
 * device, behind everybody's back.
 */
TEST(preset_just_below_the_wrap)
{
	struct lab_fire f = lab_fire_open("preset", INSTRUCTIONS);
	const volatile struct perf_event_mmap_page *page = f.r.state->source;
	/* Some volleys away: counts of instructions, or of the host's nanoseconds. */
	const uint64_t near = (1ull << page->pmc_width) - (counts_exactly() ? 50000 : 5000000);
	int fd = open(MSR_DEVICE, O_RDWR | O_CLOEXEC);
	unsigned int wrapped = 0;

	if (fd < 0)
		fail_msg("%s: %s (the guest must load the module msr)", MSR_DEVICE,
			 strerror(errno));
	for (unsigned int i = 0; wrapped < PRESETS && i < PATIENCE * PRESETS; i++) {
		unsigned long wraps;
		off_t msr = msr_of(page->index);
		uint64_t before = lab_read_call(&f.r), after;

		TT_IS(pwrite(fd, &near, sizeof(near), msr), sizeof(near));
		after = lab_read_call(&f.r);
		lab_fire_look(&f);
		/*
		 * It was taken if the count has made the jump. Who was preempted just now may have
		 * another counter, or the same one set anew; and a host that was elsewhere for a
		 * while has let it wrap already.
		 */
		if (after - before <= 1ull << 30 || f.raw < near)
			continue;
		wraps = f.wraps;
		for (int k = 0; k < 10000 && f.wraps == wraps; k++)
			lab_fire(&f);
		TT_IS(f.wraps, wraps + 1);
		lab_fire(&f);
		wrapped++;
	}
	TT_IS(wrapped, PRESETS);
	print_message("# MSR %#llx set %d times to %#" PRIx64 "\n", (long long)msr_of(page->index),
		      PRESETS, near);
	(void)close(fd);
	lab_fire_must_be_fast(&f);
	lab_fire_close(&f);
}

#endif

/*
 * --- fork, exec, exit ---------------------------------------------------------------------------
 */

static void put_reads(int fd, const struct ntime_reader *r)
{
	for (int k = 0; k < 10; k++) {
		uint64_t value[2] = { 0, 0 };

		/*
		 * In a child the state is wiped, so that the call is made and not the child's own
		 * counter read.
		 */
		if (ntime_read(r, &value[0]) != 0 || r->state->type != NTIME_READER_CALL)
			value[0] = 0;
		value[1] = (uint64_t)ntime_read_call(r, &value[1]) ? 0 : value[1];
		if (write(fd, value, sizeof(value)) != (ssize_t)sizeof(value))
			_exit(1);
	}
}

TEST(fork_reads_its_parent)
{
	struct lab_fire f = lab_fire_open("fork", INSTRUCTIONS);

	for (int i = 0; i < 100; i++) {
		uint64_t before, value[10][2];
		int ends[2], status;
		pid_t pid;

		lab_fire(&f);
		TT_IS(pipe(ends), 0);
		before = lab_read_call(&f.r);
		pid = fork();
		if (pid == 0) {
			lab_turns(100000);
			put_reads(ends[1], &f.r);
			_exit(0);
		}
		TT_IS(waitpid(pid, &status, 0), pid);
		TT_IS(status, 0);
		TT_IS(read(ends[0], value, sizeof(value)), sizeof(value));
		for (int k = 0; k < 10; k++) {
			lab_fire_at(&f, before, value[k][0], lab_read_call(&f.r));
			TT_IS(value[k][1] >= value[k][0], 1);
			TT_IS(lab_read_call(&f.r) >= value[k][1], 1);
		}
		(void)close(ends[0]);
		(void)close(ends[1]);
	}
	lab_fire_close(&f);
}

/*
 * vfork() lends memory and thread pointer: the child sees the very state of its parent, which is
 * not on the processor now.
 */
static __attribute__((noinline)) pid_t read_in_vfork(const struct ntime_reader *r, uint64_t *value)
{
	pid_t pid = vfork();

	if (pid == 0) {
		lab_turns(1000);
		_exit(ntime_read(r, value) == 0 ? 0 : 1);
	}
	return pid;
}

TEST(vfork_reads_its_parent)
{
	struct lab_fire f = lab_fire_open("vfork", INSTRUCTIONS);

	for (int i = 0; i < 300; i++) {
		uint64_t before = lab_read_call(&f.r), value = 0;
		int status;
		pid_t pid = read_in_vfork(&f.r, &value);

		TT_IS(waitpid(pid, &status, 0), pid);
		TT_IS(status, 0);
		lab_fire_at(&f, before, value, lab_read_call(&f.r));
		lab_fire(&f);
	}
	lab_fire_close(&f);
}

/* What the program below is after exec: a fresh start, and the instruction works. */
static int after_exec(void)
{
	struct ntime_session *s = lab_started(INSTRUCTIONS);
	struct ntime_reader r = lab_reader(s, 0);
	uint64_t last = 0, value = 0;

	for (int k = 0; k < 1000; k++) {
		if (ntime_read_pmc_(r.state, &value) < 0 || value < last ||
		    (counts_exactly() && value > 1000000))
			return 1;
		last = value;
	}
	return last == 0;
}

TEST(exec_starts_afresh)
{
	struct lab_fire f = lab_fire_open("exec", INSTRUCTIONS);

	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0) {
			/* Measured and read by the instruction until the last moment. */
			struct lab_fire own = lab_fire_open("before exec", INSTRUCTIONS);

			for (int k = 0; k < 50; k++)
				lab_fire(&own);
			if (!own.wrong && own.fast)
				execl("/proc/self/exe", "test_reader", "--after-exec",
				      (char *)NULL);
			_exit(2);
		}
		while (waitpid(pid, &status, WNOHANG) == 0)
			lab_fire(&f);
		TT_IS(status, 0);
	}
	lab_fire_close(&f);
}

struct measured {
	struct ntime_reader r;
	uintptr_t thread;
	volatile uint64_t last;
	volatile bool is_ready, must_end;
	bool is_well;
};

/* Measures itself, and is read by others meanwhile. */
static void *be_measured(void *arg)
{
	struct measured *m = arg;
	struct ntime_session *s;
	uint64_t value = 0;

	/*
	 * Where there is another CPU it runs while the others read: then its counter is in use, but
	 * not on their CPU.
	 */
	(void)stay_on(0, 1);
	s = lab_started(INSTRUCTIONS);
	m->r = lab_reader(s, 0);
	m->thread = ntime_thread_pointer_();
	m->is_well = true;
	while (!m->must_end) {
		m->is_well &= ntime_read_pmc_(m->r.state, &value) == 0 && value >= m->last;
		m->last = value;
		m->is_ready = true;
	}
	return NULL;
}

/*
 * The successor of an ended thread: glibc gives it the same stack, so that it has the same thread
 * pointer.
 */
static void *read_predecessor(void *arg)
{
	struct measured *m = arg;
	uint64_t value = 0;

	m->is_well = true;
	m->is_ready = m->thread == ntime_thread_pointer_();
	for (int k = 0; k < 1000; k++) {
		m->is_well &= ntime_read_pmc_(m->r.state, &value) < 0;
		m->is_well &= ntime_read(&m->r, &value) == 0 && value == m->last;
	}
	return NULL;
}

TEST(thread_ends)
{
	struct lab_fire f = { .name = "thread and its end" };
	int successors = 0;

	for (int i = 0; i < 20; i++) {
		struct measured m = { .is_ready = false };
		uint64_t own, before, value = 0, after = 0;
		pthread_t id;

		TT_IS(pthread_create(&id, NULL, be_measured, &m), 0);
		while (!m.is_ready)
			sched_yield();
		/*
		 * Few: the kernel asks the CPU of the thread each time, which a busy host lets
		 * wait.
		 */
		for (int k = 0; k < 40; k++) {
			/* The other thread's own reads are bounds, too. */
			own = m.last;
			TT_IS(ntime_read_call(&m.r, &before), 0);
			TT_IS(before >= own, 1);
			TT_IS(ntime_read_pmc_(m.r.state, &value), -1);
			TT_IS(ntime_read(&m.r, &value), 0);
			TT_IS(ntime_read_call(&m.r, &after), 0);
			lab_fire_at(&f, before, value, after);
			if (k % 5 == 0)
				sched_yield();
		}
		m.must_end = true;
		TT_IS(pthread_join(id, NULL), 0);
		TT_IS(m.is_well, 1);
		f.fast++;
		after = lab_read_call(&m.r);
		TT_IS(after >= m.last, 1);
		for (int k = 0; k < 100; k++) {
			TT_IS(ntime_read(&m.r, &value), 0);
			lab_fire_at(&f, after, value, after);
		}
		TT_IS(lab_read_call(&m.r), after);
		m.last = after;
		TT_IS(pthread_create(&id, NULL, read_predecessor, &m), 0);
		TT_IS(pthread_join(id, NULL), 0);
		TT_IS(m.is_well, 1);
		successors += m.is_ready;
		ntime_session_free(m.r.session);
	}
	print_message("# %d of 20 ended threads had a successor with the same thread pointer\n",
		      successors);
	TT_IS(successors > 0, 1);
	lab_fire_close(&f);
}

/*
 * --- all of it ----------------------------------------------------------------------------------
 */

/*
 * Preempted by a process with counters of its own, moved, interrupted by signals, while others are
 * rotated: all at once.
 */
TEST(everything_at_once)
{
	struct lab_fire f = lab_fire_open("everything", "instructions:uD");
	struct ntime_session *others[MANY];
	long before = preemptions(), took = 0;
	pid_t counting, moving;

	/* Each switch sets all these events anew: at 50 us nothing else would be done. */
	pause_ns = 500000;
	counting = start_disturber(disturb_by_counting);
	moving = start_disturber(disturb_by_moving);
	start_others(others);
	under_signals = &f;
	make_timer(read_in_handler);
	while (f.reads < 100000 ||
	       ((signals < OFTEN || took < OFTEN) && f.reads < PATIENCE * 100000ul)) {
		lab_fire(&f);
		took = preemptions() - before;
	}
	end_timer();
	end_disturber(counting);
	end_disturber(moving);
	TT_IS(stay_on(0, 0), 0);
	print_message("# %lu signals, preempted %ld times\n", signals, took);
	TT_IS(signals >= OFTEN && took >= OFTEN, 1);
	end_others(&f, others);
	lab_fire_must_be_fast(&f);
	lab_fire_close(&f);
}

TEST(a_million_reads)
{
	print_message("# %lu reads between two read(2)s in all\n", lab_all_reads);
	TT_IS(lab_all_reads >= 1000000, 1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet),
		cmocka_unit_test(preemption),
		cmocka_unit_test(migration),
		cmocka_unit_test(signal_handlers),
		cmocka_unit_test(disabled_in_mid_loop),
		cmocka_unit_test(disabled_stands_still),
		cmocka_unit_test(more_events_than_counters),
		cmocka_unit_test(pinned_among_many),
		cmocka_unit_test(cycles_wrap),
		cmocka_unit_test(instructions_wrap),
#if defined(__x86_64__)
		cmocka_unit_test(preset_just_below_the_wrap),
#endif
		cmocka_unit_test(fork_reads_its_parent),
		cmocka_unit_test(vfork_reads_its_parent),
		cmocka_unit_test(exec_starts_afresh),
		cmocka_unit_test(thread_ends),
		cmocka_unit_test(everything_at_once),
		cmocka_unit_test(a_million_reads),
	};

	if (argc > 1 && strcmp(argv[1], "--after-exec") == 0)
		return after_exec();
	(void)lab_can_read_counters();
	/*
	 * Where there are several CPUs, all that disturbs must be on this one; only what moves
	 * leaves it.
	 */
	if (stay_on(0, 0) < 0) {
		perror("CPU 0");
		return 1;
	}
	return LAB_RUN(tests);
}

#else

int main(void)
{
	return tt_skip_all("no program may read counters by an instruction here");
}

#endif
