// SPDX-License-Identifier: MIT
/*
 * Fast reads by counter, clock and system call while everything happens at once that can happen to
 * the thread that reads: other processes with counters of their own preempt it and move it between
 * CPUs, its signal handlers read what it is just reading, it forks children that read, more events
 * than counters take turns around its own, CPUs go off line and come back, and clocks change their
 * frequency where the machine can do that. test_reader.c looks at these one by one.
 *
 *     test_fire [READS [SECONDS]]    so many reads of each kind, or as many as the time allows
 */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/tests/tt.h"

#include "file.h"
#include "guest.h"
#include "lab/tests/workloads/count.h"

#ifdef NTIME_HAS_PMC_

#define INSTRUCTIONS "instructions:u"
#define READS 200000
/* A broken reader must be found out within so many times READS. */
#define PATIENCE 20
#define VOLLEY 64
#define LEARNED 50
#define WRONGS_TOLD 5
/* Every so many volleys a child reads, or the reader that is a system call. */
#define FORK_EVERY 500
#define CALL_EVERY 16
#define CHILD_READS 8
#define PAUSE_NS 500000
#define HOTPLUG_NS 50000000
#define MANY 14 /* more than any guest has counters */
#define OFTEN 100
#define HOURS 1e6 /* seconds: no limit */

static unsigned long wanted_reads = READS;
static double wanted_seconds = HOURS;

typedef int (*read_one)(const struct ntime_reader *r, uint64_t *count);

/* A counter that is read, and how that went. */
struct gun {
	const char *name;
	struct ntime_reader r;
	read_one read;
	unsigned long reads, wrong;
	uint64_t least[VOLLEY]; /* instructions from one read to the next; 0: not known */
};

static void tell_wrong(struct gun *g, const char *what, uint64_t a, uint64_t b)
{
	if (g->wrong++ < WRONGS_TOLD)
		print_message("# %s, read %lu: %s: %" PRIu64 " and %" PRIu64 "\n", g->name,
			      g->reads, what, a, b);
}

static int read_library(const struct ntime_reader *r, uint64_t *count)
{
	return ntime_read(r, count);
}

/* One loop for learning and for all that follows, so that the instructions are the same. */
static __attribute__((noinline)) void shoot(const struct gun *g, uint64_t v[VOLLEY + 2])
{
	int flags = ntime_read_call(&g->r, &v[0]);

	if (g->read == read_library) {
		for (unsigned int k = 1; k <= VOLLEY; k++)
			flags |= ntime_read(&g->r, &v[k]);
	} else {
		for (unsigned int k = 1; k <= VOLLEY; k++)
			flags |= g->read(&g->r, &v[k]);
	}
	flags |= ntime_read_call(&g->r, &v[VOLLEY + 1]);
	if (flags)
		fail_msg("%s: flags %#x of a counter that nobody took away", g->name,
			 (unsigned int)flags);
}

/* All in order from one call to the other, and no step shorter than undisturbed ones. */
static void fire(struct gun *g)
{
	uint64_t v[VOLLEY + 2];

	shoot(g, v);
	for (unsigned int k = 0; k <= VOLLEY; k++) {
		if (v[k + 1] < v[k])
			tell_wrong(g, k == VOLLEY ? "above the call after it" : "backward", v[k],
				   v[k + 1]);
		else if (k < VOLLEY && v[k + 1] - v[k] < g->least[k])
			tell_wrong(g, "counts are missing", v[k + 1] - v[k], g->least[k]);
	}
	g->reads += VOLLEY;
}

/* Where instructions are the guest's clock, undisturbed steps are the least that there can be. */
static void learn(struct gun *g)
{
	uint64_t v[VOLLEY + 2], least[VOLLEY];

	if (!getenv("NTIME_LAB_SHIFT"))
		return;
	memset(least, 0xff, sizeof(least));
	for (int i = 0; i < LEARNED; i++) {
		shoot(g, v);
		for (unsigned int k = 0; i > 1 && k < VOLLEY; k++)
			least[k] = v[k + 1] - v[k] < least[k] ? v[k + 1] - v[k] : least[k];
	}
	/* From the call to the first read other ways lead. */
	least[0] = 0;
	memcpy(g->least, least, sizeof(least));
}

/* ---- what disturbs ---- */

struct disturbances {
	pid_t pid[5];
	struct counts {
		volatile unsigned long switched, stepped, pinned;
	} * counts; /* shared with the processes that disturb */
	struct ntime_session *others[MANY];
	size_t n_others;
	long preempted;
};

static long preemptions(void)
{
	struct rusage usage;

	(void)getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

static int stay_on(pid_t pid, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set);
}

static void disturb_by_counting(pid_t victim, struct counts *c)
{
	static int fd[2] = { -1, -1 };

	(void)victim, (void)c;
	if (fd[0] < 0) {
		/* PERF_TYPE_HARDWARE: cycles and instructions, of this process. */
		fd[0] = lab_open_event(0, 0, 0, -1);
		fd[1] = lab_open_event(0, 1, 0, -1);
	}
	lab_turns(100);
}

/*
 * Events of whole CPUs, pinned: they take counters before those of threads do. There is one more of
 * them each second time, so that the thread's event goes to another counter, and its page changes:
 * a preemption alone puts the same number back into the same counter.
 */
static void disturb_by_pinning(pid_t victim, struct counts *c)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.pinned = 1,
	};
	static unsigned int turn;
	static int fd[4] = { -1, -1, -1, -1 };

	(void)victim;
	for (int i = 0; i < 4; i++) {
		if (fd[i] >= 0)
			(void)close(fd[i]);
		fd[i] = -1;
		/* Two of each CPU, or one. */
		if (i / 2 <= (int)(turn % 2))
			fd[i] = (int)syscall(SYS_perf_event_open, &attr, -1, i % 2, -1, 0ul);
		c->pinned += fd[i] >= 0;
	}
	turn++;
}

static void disturb_by_moving(pid_t victim, struct counts *c)
{
	static unsigned int next;

	(void)c;
	(void)stay_on(victim, next++ % 4);
}

/* CPU 1 and those above it, one after the other. */
static void disturb_by_hotplug(pid_t victim, struct counts *c)
{
	static unsigned int turn;
	char path[64];

	(void)victim;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", 1 + turn / 2 % 3);
	c->switched += lab_write(path, turn % 2 ? "1" : "0") == 0;
	turn++;
}

/* Between the least and the most that the processor can be set to. */
static void disturb_by_frequency(pid_t victim, struct counts *c)
{
	static const char *const limit[] = { "cpuinfo_min_freq", "cpuinfo_max_freq" };
	static unsigned int turn;
	glob_t found;

	(void)victim;
	if (glob("/sys/devices/system/cpu/cpufreq/policy*", 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char path[256], value[32];

		snprintf(path, sizeof(path), "%s/%s", found.gl_pathv[i], limit[turn % 2]);
		lab_line(path, value, sizeof(value));
		snprintf(path, sizeof(path), "%s/scaling_max_freq", found.gl_pathv[i]);
		c->stepped += lab_write(path, value) == 0;
	}
	globfree(&found);
	turn++;
}

/* Real-time: it runs whenever it wakes up, so the victim is preempted. */
static pid_t start_disturber(void (*disturb)(pid_t, struct counts *), struct counts *c, long ns)
{
	const struct timespec nap = { .tv_nsec = ns };
	const struct sched_param first = { .sched_priority = 1 };
	pid_t victim = getpid(), pid = fork();

	TT_IS(pid >= 0, 1);
	if (pid > 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sched_setscheduler(0, SCHED_FIFO, &first) < 0)
		_exit(1);
	for (;;) {
		disturb(victim, c);
		(void)nanosleep(&nap, NULL);
	}
}

static struct disturbances start_all(void)
{
	struct disturbances d = { .preempted = preemptions() };
	size_t n = 0;

	d.counts = mmap(NULL, sizeof(*d.counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	TT_IS(d.counts != MAP_FAILED, 1);
	d.pid[n++] = start_disturber(disturb_by_counting, d.counts, PAUSE_NS);
	d.pid[n++] = start_disturber(disturb_by_hotplug, d.counts, HOTPLUG_NS);
	d.pid[n++] = start_disturber(disturb_by_frequency, d.counts, HOTPLUG_NS);
	d.pid[n++] = start_disturber(disturb_by_moving, d.counts, PAUSE_NS);
	d.pid[n++] = start_disturber(disturb_by_pinning, d.counts, PAUSE_NS);
	while (d.n_others < MANY)
		d.others[d.n_others++] = lab_started(INSTRUCTIONS);
	return d;
}

static void end_all(struct disturbances *d)
{
	int status;

	for (size_t i = 0; i < sizeof(d->pid) / sizeof(d->pid[0]) && d->pid[i]; i++) {
		TT_IS(kill(d->pid[i], SIGKILL), 0);
		TT_IS(waitpid(d->pid[i], &status, 0), d->pid[i]);
		/* Killed by that, and not ended before. */
		TT_IS(WIFSIGNALED(status), 1);
	}
	for (unsigned int cpu = 1; cpu < 4; cpu++) {
		char path[64];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
		(void)lab_write(path, "1");
	}
	for (size_t i = 0; i < d->n_others; i++)
		ntime_session_free(d->others[i]);
	d->preempted = preemptions() - d->preempted;
}

/* ---- signals ---- */

static struct gun *volatile under_signals;
static timer_t timer;
static volatile bool is_armed;
static volatile unsigned long signals;

static void arm_timer(void)
{
	/* One shot after the other, so that the handler cannot take all the time. */
	const struct itimerspec when = { .it_value.tv_nsec = PAUSE_NS };

	(void)timer_settime(timer, 0, &when, NULL);
}

/* Reads the counter that the code below it is reading just now. */
static void on_signal(int number)
{
	struct gun *g = under_signals;
	uint64_t v[3] = { 0 };
	int error = errno;

	(void)number;
	signals++;
	if (ntime_read_call(&g->r, &v[0]) || g->read(&g->r, &v[1]) ||
	    ntime_read_call(&g->r, &v[2]) || v[1] < v[0] || v[2] < v[1])
		tell_wrong(g, "in a signal handler", v[1], v[0]);
	g->reads++;
	if (is_armed)
		arm_timer();
	errno = error;
}

static void start_signals(struct gun *g)
{
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };

	under_signals = g;
	signals = 0;
	TT_IS(sigaction(SIGUSR1, &action, NULL), 0);
	TT_IS(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	is_armed = true;
	arm_timer();
}

static void end_signals(void)
{
	is_armed = false;
	TT_IS(timer_delete(timer), 0);
}

/* ---- children ---- */

/* Of a child that reads its parent's counter; children == reads that were right. */
static void fork_and_read(struct gun *g, unsigned long *forks)
{
	uint64_t before = 0, after = 0, last, value = 0;
	int status;
	pid_t pid;

	TT_IS(ntime_read_call(&g->r, &before), 0);
	pid = fork();
	TT_IS(pid >= 0, 1);
	if (pid == 0) {
		bool is_well = true;

		lab_turns(20000);
		last = before;
		for (int k = 0; k < CHILD_READS; k++) {
			is_well &= g->read(&g->r, &value) == 0 && value >= last;
			last = value;
		}
		/* Its own 40,000 instructions are not its parent's. */
		is_well &= ntime_read_call(&g->r, &after) == 0 && after >= last;
		_exit(is_well ? 0 : 1);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0)
		tell_wrong(g, "in a child, status", (uint64_t)status, before);
	g->reads += CHILD_READS;
	++*forks;
}

/* ---- all at once ---- */

struct battle {
	struct gun *guns;
	size_t n;
};

static double seconds_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool is_call(const struct gun *g)
{
	return g->r.state->type == NTIME_READER_CALL;
}

static bool was_disturbed(const struct disturbances *d)
{
	return signals >= OFTEN && preemptions() - d->preempted >= OFTEN;
}

static void tell_disturbances(const struct disturbances *d, unsigned long forks)
{
	print_message("# preempted %ld times, %lu signals, %lu children, %zu other events, "
		      "%lu pinned ones of CPUs, %lu hotplugs of %ld CPUs, %lu frequency steps\n",
		      d->preempted, signals, forks, d->n_others, d->counts->pinned,
		      d->counts->switched, sysconf(_SC_NPROCESSORS_CONF), d->counts->stepped);
}

static void must_have_been_disturbed(const struct disturbances *d, unsigned long forks)
{
	TT_IS(d->preempted >= OFTEN, 1);
	TT_IS(signals >= OFTEN, 1);
	TT_IS(forks > 0, 1);
	TT_IS(d->counts->pinned > 0, 1);
	if (access("/sys/devices/system/cpu/cpu1/online", W_OK) == 0)
		TT_IS(d->counts->switched > 0, 1);
}

/*
 * Until the first gun has made its reads, one was wrong, or time is up; and if a machine is so busy
 * that little happened meanwhile, until enough did. Signal handlers read the first gun, too.
 */
static void battle(const struct battle *b, unsigned long reads, double seconds)
{
	double end = seconds_now() + seconds;
	struct disturbances d;
	unsigned long volleys = 0, forks = 0;

	for (size_t i = 0; i < b->n; i++)
		learn(&b->guns[i]);
	d = start_all();
	start_signals(&b->guns[0]);
	while (!b->guns[0].wrong && ((b->guns[0].reads < reads && seconds_now() < end) ||
				     (!was_disturbed(&d) && b->guns[0].reads < PATIENCE * reads))) {
		for (size_t i = 0; i < b->n; i++) {
			if (!is_call(&b->guns[i]) || volleys % CALL_EVERY == 0)
				fire(&b->guns[i]);
		}
		if (volleys++ % FORK_EVERY == 0) {
			for (size_t i = 0; i < b->n; i++)
				fork_and_read(&b->guns[i], &forks);
		}
	}
	end_signals();
	end_all(&d);
	tell_disturbances(&d, forks);
	if (!b->guns[0].wrong)
		must_have_been_disturbed(&d, forks);
}

static unsigned long all_reads, all_wrong;

static void count_up(const struct battle *b)
{
	for (size_t i = 0; i < b->n; i++) {
		print_message("# %s: %lu reads, %lu wrong (%s)\n", b->guns[i].name,
			      b->guns[i].reads, b->guns[i].wrong, ntime_reader_why(&b->guns[i].r));
		all_reads += b->guns[i].reads;
		all_wrong += b->guns[i].wrong;
	}
}

static struct gun gun_of(const char *name, const char *event, read_one read)
{
	return (struct gun){ .name = name, .r = lab_reader(lab_started(event), 0), .read = read };
}

TEST(nothing_is_wrong_under_fire)
{
	struct gun guns[] = {
		gun_of("the counter's instruction", INSTRUCTIONS "D", read_library),
		gun_of("the clock", "tsc", read_library),
		gun_of("a system call", "task-clock", read_library),
	};
	const struct battle b = { guns, 3 };

	TT_IS(guns[0].r.state->type, NTIME_READER_PMC);
	TT_IS(guns[1].r.state->type, NTIME_READER_TSC);
	TT_IS(guns[2].r.state->type, NTIME_READER_CALL);
	battle(&b, wanted_reads, wanted_seconds);
	TT_IS(stay_on(0, 0), 0);
	count_up(&b);
	for (size_t i = 0; i < b.n; i++) {
		TT_IS(guns[i].wrong, 0);
		ntime_session_free(guns[i].r.session);
	}
}

/*
 * What test and machine are worth: a reader that does not look whether the page changed while it
 * read must be found out.
 */
static int read_without_sequence(const struct ntime_reader *r, uint64_t *count)
{
	const volatile struct perf_event_mmap_page *page = r->state->source;
	unsigned int unused_bits;
	uint32_t index;
	uint64_t total;

	/* In a child there is no page. */
	if (r->state->type != NTIME_READER_PMC)
		return ntime_read_call(r, count);
	index = page->index;
	total = (uint64_t)page->offset;
	unused_bits = 64u - page->pmc_width;
	if (!index)
		return ntime_read_call(r, count);
	*count = total + (uint64_t)((int64_t)(ntime_pmc_(index) << unused_bits) >> unused_bits);
	return 0;
}

TEST(a_reader_without_the_sequence_is_found_out)
{
	struct gun g =
		gun_of("a reader without the sequence", INSTRUCTIONS "D", read_without_sequence);
	const struct battle b = { &g, 1 };
	unsigned long reads = PATIENCE * READS;

	if (!getenv("NTIME_LAB_SHIFT"))
		TT_SKIP("guests that count instructions exactly show it in a minute, others may "
			"take an hour");
	battle(&b, reads, HOURS);
	TT_IS(stay_on(0, 0), 0);
	print_message("# found out after %lu reads\n", g.reads);
	TT_IS(g.wrong > 0, 1);
	ntime_session_free(g.r.session);
}

TEST(none_is_wrong)
{
	/* scripts/fuzz adds these up. */
	print_message("# fire: %lu reads, %lu wrong\n", all_reads, all_wrong);
	TT_IS(all_wrong, 0);
	TT_IS(all_reads > 0, 1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_wrong_under_fire),
		cmocka_unit_test(a_reader_without_the_sequence_is_found_out),
		cmocka_unit_test(none_is_wrong),
	};

	if (argc > 1)
		wanted_reads = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		wanted_seconds = strtod(argv[2], NULL);
	if (!wanted_reads || wanted_seconds <= 0) {
		fprintf(stderr, "test_fire [READS [SECONDS]]\n");
		return 2;
	}
	/* What disturbs must be on the CPU of this one; only what moves leaves it. */
	if (stay_on(0, 0) < 0) {
		perror("CPU 0");
		return 1;
	}
	(void)lab_can_read_counters();
	return LAB_RUN(tests);
}

#else

int main(void)
{
	return tt_skip_all("no program of this architecture may read counters");
}

#endif
