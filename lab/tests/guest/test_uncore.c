// SPDX-License-Identifier: MIT
/*
 * Inside x86-westmere and x86-2s, as root: the uncore counters of each socket through msr, through
 * ntimefs and through the kernel's own driver. What they count is uncore clocks shifted to the
 * right (lab/qemu/README.md), and all counters of a socket start and stop with one write,
 * so that each count must be what the clocks say, to the one that rounding takes. Nothing may be
 * left behind, whatever happens.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/outside.h"
#include "lab/tests/guest/sessions.h"

#define SOCKETS 2
#define CLOCKS "uncore/clockticks/"
#define THROTTLED "uncore/event=0x81,umask=0x01/"
#define MANY 8
#define SLICE 20000 /* microseconds that are counted */
#define GLOBAL 0x391
#define COUNTER 0x3b0
#define SELECT 0x3c0
#define RUNS 0x400000

/*
 * What is counted beside the clocks, and in which part of them it happens in socket n: 2^-(shift +
 * n * per_socket).
 */
static const struct event {
	const char *terms, *libpfm4; /* libpfm4's name of it for a Westmere; NULL: it has none */
	unsigned int shift, per_socket;
} events[] = {
	{ "uncore/event=0x67,umask=0x01/", "wsm_unc::UNC_DRAM_THERMAL_THROTTLED", 2, 1 },
	{ "uncore/event=0x80,umask=0x02/", "wsm_unc::UNC_THERMAL_THROTTLING_TEMP:CORE_1", 4, 0 },
	{ THROTTLED, "wsm_unc::UNC_THERMAL_THROTTLED_TEMP:CORE_0", 4, 0 },
	{ "uncore/event=0x83,umask=0x01/", "wsm_unc::UNC_THERMAL_THROTTLING_PROCHOT:CORE_0", 6, 1 },
	{ "uncore/event=0x82,umask=0x01/", "wsm_unc::UNC_PROCHOT_ASSERTION", 20, 1 },
	{ "uncore/event=0x2c,umask=0x02/", "wsm_unc::UNC_QMC_NORMAL_READS:CH1", 6, 1 },
	{ "uncore/event=0x2f,umask=0x01/", "wsm_unc::UNC_QMC_WRITES:FULL_CH0", 6, 1 },
};
#define EVENTS (sizeof(events) / sizeof(events[0]))

static const struct event *const throttled = &events[2];

static const char *method_name(uint32_t via)
{
	static const char *const names[] = {
		[NTIME_VIA_PERF] = "perf", [NTIME_VIA_NTIMEFS] = "ntimefs", [NTIME_VIA_MSR] = "msr"
	};

	return names[via];
}

/* Every event of it can be counted, and goes that way. */
static struct ntime_session *started_by(const char *list, uint32_t via, const char *method)
{
	struct ntime_session *s = lab_opened(list, via);

	for (size_t i = 0; i < ntime_session_count(s); i++) {
		struct ntime_item item = lab_item(s, i);

		if (*item.reason)
			fail_msg("%s: %s", item.name, item.reason);
		TT_TEXT(item.method, method);
	}
	lab_good(ntime_session_start(s), "starting");
	return s;
}

static struct ntime_session *started(const char *list, uint32_t via)
{
	return started_by(list, via, method_name(via));
}

/* What each socket counted, and on which CPU it was read. */
struct counted {
	uint64_t least; /* virtual ns that passed while it certainly counted */
	int cpu[SOCKETS];
	uint64_t count[SOCKETS][MANY];
};

static void take_place(struct counted *out, const struct ntime_where_info *place,
		       const struct ntime_value *v, size_t n)
{
	if (v[0].flags & NTIME_ELSEWHERE)
		return;
	assert_in_range(place->package, 0, SOCKETS - 1);
	/* Each socket once. */
	TT_IS(out->cpu[place->package], -1);
	out->cpu[place->package] = place->cpu;
	for (size_t i = 0; i < n; i++) {
		/* Sockets start one after the other; where that took long it is told. */
		TT_IS(v[i].flags & ~NTIME_PARTIAL, 0);
		out->count[place->package][i] = v[i].count;
	}
}

static struct counted read_sockets(struct ntime_session *s)
{
	struct counted out = { .cpu = { -1, -1 } };
	size_t n = ntime_session_count(s), places = ntime_session_where_count(s);
	struct ntime_value v[MANY * 8];

	assert_in_range(n, 1, MANY);
	assert_in_range(places, 1, 8);
	lab_good(ntime_session_read_where(s, v, n, places), "reading");
	for (size_t i = 0; i < places; i++) {
		struct ntime_where_info place = { .size = sizeof(place) };

		lab_good(ntime_session_where(s, i, &place), "place");
		take_place(&out, &place, v + i * n, n);
	}
	for (unsigned int socket = 0; socket < SOCKETS; socket++)
		assert_true(out.cpu[socket] >= 0);
	return out;
}

static struct counted count_for_a_while(const char *list, uint32_t via, const char *method)
{
	struct ntime_session *s = started_by(list, via, method);
	uint64_t begin = lab_now(), end;
	struct counted out;

	(void)usleep(SLICE);
	end = lab_now();
	lab_good(ntime_session_stop(s), "stopping");
	out = read_sockets(s);
	out.least = end - begin;
	lab_session_done(s);
	return out;
}

/* ---- the truth ---- */

/*
 * How far the counts, of which the first is the clocks, are from it: 0 exact, else in millionths of
 * the count.
 */
static uint64_t error_of(const struct counted *c, const struct event *which, size_t n)
{
	uint64_t worst = 0;

	for (unsigned int socket = 0; socket < SOCKETS; socket++)
		for (size_t i = 0; i < n; i++) {
			unsigned int shift = which[i].shift + which[i].per_socket * socket;
			uint64_t count = c->count[socket][i + 1];
			uint64_t truth = c->count[socket][0] >> shift, off;

			if (count == truth || count == truth + 1)
				continue;
			off = count < truth ? truth - count : count - truth - 1;
			off = off * 1000000 / (truth + 1);
			worst = off > worst ? off : worst;
			print_message("# socket %u: %s is %llu, of %llu clocks %llu\n", socket,
				      which[i].terms, (unsigned long long)count,
				      (unsigned long long)c->count[socket][0],
				      (unsigned long long)truth);
		}
	return worst;
}

/* The clocks and all events. */
static const char *all_events(bool by_name)
{
	static char list[1024];
	size_t used = (size_t)snprintf(list, sizeof(list), "%s", CLOCKS);

	for (size_t i = 0; i < EVENTS; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, ",%s",
					 by_name ? events[i].libpfm4 : events[i].terms);
	return list;
}

static void must_be_exact(const char *list, uint32_t via, const char *method)
{
	struct counted c = count_for_a_while(list, via, method);

	assert_true(c.least > 0 && c.count[0][0] >= c.least && c.count[1][0] >= c.least);
	print_message("# %s: %llu and %llu clocks, read on CPUs %d and %d\n", method,
		      (unsigned long long)c.count[0][0], (unsigned long long)c.count[1][0],
		      c.cpu[0], c.cpu[1]);
	TT_IS(error_of(&c, events, EVENTS), 0);
}

/* The same of one event. */
static void check_throttled(uint32_t via)
{
	struct counted c = count_for_a_while(CLOCKS "," THROTTLED, via, method_name(via));

	TT_IS(error_of(&c, throttled, 1), 0);
}

/* ---- the driver ---- */

static void need_driver(void)
{
	if (!lab_driver_is_here())
		TT_SKIP("needs the driver (--driver)");
}

/* What a context knows of access methods is of its opening. */
static void open_again(void)
{
	lab_sessions_end(NULL);
	lab_good(lab_sessions_begin(NULL), "opening again");
}

static void start_driver(void)
{
	LAB_GOOD(lab_driver_start(""));
	open_again();
}

static void stop_driver(void)
{
	lab_sessions_end(NULL);
	LAB_GOOD(lab_driver_stop());
	lab_good(lab_sessions_begin(NULL), "opening again");
}

/* ---- every way counts the same ---- */

TEST(msr_is_exact)
{
	struct lab_snapshot before;

	lab_snapshot_take(&before);
	must_be_exact(all_events(false), NTIME_VIA_MSR, "msr");
	TT_IS(lab_snapshot_differs(&before), 0);
}

TEST(ntimefs_is_exact)
{
	struct lab_snapshot before;

	need_driver();
	lab_snapshot_take(&before);
	start_driver();
	must_be_exact(all_events(false), NTIME_VIA_NTIMEFS, "ntimefs");
	stop_driver();
	TT_IS(lab_snapshot_differs(&before), 0);
}

/*
 * The kernel's driver too, which starts a group with one write but is asked for each socket after
 * the other.
 */
TEST(perf_is_exact_too)
{
	must_be_exact(all_events(false), NTIME_VIA_PERF, "perf");
}

/*
 * By libpfm4's names, of which two lack the unit mask that the recipe for finding throttled blades
 * has.
 */
TEST(names_of_libpfm4_mean_the_same)
{
	struct ntime_session *s = lab_opened(all_events(true), NTIME_VIA_MSR);

	if (lab_item(s, 1).reason_code == NTIME_REASON_NO_HARDWARE)
		TT_SKIP("libpfm4 has the events of throttling for Westmere alone");
	lab_session_done(s);
	must_be_exact(all_events(true), NTIME_VIA_MSR, "msr");
}

/* Without being told how, it takes what the kernel knows. */
TEST(the_method_is_chosen_and_told)
{
	struct ntime_session *s = lab_opened(CLOCKS, NTIME_VIA_AUTO);

	TT_TEXT(lab_item(s, 0).method, "perf");
	TT_TEXT(lab_item(s, 0).reason, "");
	lab_session_done(s);
}

/* ---- the recipe ---- */

/* The counter of a CPU's socket that runs with @select; fails where there is none. */
static unsigned int counter_with(unsigned int cpu, uint64_t select)
{
	for (unsigned int i = 0; i < 8; i++)
		if (lab_msr(cpu, SELECT + i) == select)
			return i;
	fail_msg("CPU %u: no counter is selected for %#llx", cpu, (unsigned long long)select);
	return 0;
}

/*
 * All counters but 2 are somebody's who is not the kernel, whose driver has gone: 2 is taken, as in
 * the recipe, and nothing of theirs changes.
 */
static void others_count(bool on)
{
	for (unsigned int cpu = 0; cpu < lab_all_cpus(); cpu++) {
		for (unsigned int i = 0; i < 8; i++) {
			if (i == 2)
				continue;
			TT_IS(lab_msr_set(cpu, SELECT + i, on ? RUNS | 0x181 : 0), 0);
			if (!on)
				TT_IS(lab_msr_set(cpu, COUNTER + i, 0), 0);
		}
		TT_IS(lab_msr_set(cpu, GLOBAL, on ? 0xfb : 0), 0);
	}
}

static void check_others(uint64_t third, uint64_t global)
{
	for (unsigned int cpu = 0; cpu < lab_all_cpus(); cpu++) {
		for (unsigned int i = 0; i < 8; i++)
			TT_IS(lab_msr(cpu, SELECT + i), i == 2 ? third : RUNS | 0x181);
		TT_IS(lab_msr(cpu, GLOBAL), global);
	}
}

TEST(the_recipes_registers)
{
	struct lab_snapshot before;
	struct ntime_session *s;
	uint64_t theirs;

	lab_must("rmmod intel_uncore", 0, "");
	lab_snapshot_take(&before);
	others_count(true);
	theirs = lab_msr(0, COUNTER);
	s = started("uncore/event=0x83,umask=0x01/", NTIME_VIA_MSR);
	/* 0x420183 was written; the reset of occupancy reads 0. */
	check_others(0x400183, 0xff);
	lab_session_done(s);
	check_others(0, 0xfb);
	assert_true(lab_msr(0, COUNTER) > theirs);
	others_count(false);
	TT_IS(lab_snapshot_differs(&before), 0);
}

/* Without the kernel's driver nobody has to say how. */
TEST(without_the_kernels_driver_it_is_msr)
{
	must_be_exact(all_events(false), NTIME_VIA_AUTO, "msr");
}

/* After what was done on purpose. */
static void clean_up(void)
{
	for (unsigned int cpu = 0; cpu < lab_all_cpus(); cpu++) {
		for (unsigned int i = 0; i < 8; i++) {
			TT_IS(lab_msr_set(cpu, SELECT + i, 0), 0);
			TT_IS(lab_msr_set(cpu, COUNTER + i, 0), 0);
		}
		TT_IS(lab_msr_set(cpu, GLOBAL, 0), 0);
	}
}

/* ---- who comes second ---- */

TEST(the_kernel_counts)
{
	struct lab_snapshot during;
	int fd = lab_perf_open("uncore", 0x0181, 0, -1);

	assert_true(fd >= 0);
	TT_IS(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	(void)lab_perf_get(fd);
	lab_must_be_refused(THROTTLED, NTIME_VIA_MSR, "MSR_UNCORE_", "\"uncore\"");
	if (lab_driver_is_here()) {
		start_driver();
		lab_must_be_refused(THROTTLED, NTIME_VIA_NTIMEFS, "MSR_UNCORE_", "perf");
		stop_driver();
	}
	/* It goes on counting, undisturbed. */
	lab_snapshot_take(&during);
	TT_IS(lab_msr(0, GLOBAL) & 0xff ? 1 : 0, 1);
	close(fd);
	check_throttled(NTIME_VIA_PERF);
}

static void second_is_refused(uint32_t via)
{
	struct ntime_session *first = started(THROTTLED, via);
	char line[256];

	snprintf(line, sizeof(line), "ntime stat -a --csv --via %s -e %s -- true", method_name(via),
		 THROTTLED);
	lab_command_must_be_refused(line, "MSR_UNCORE_");
	/* Nor by the other access method, which finds the counter running. */
	lab_must_be_refused(THROTTLED, NTIME_VIA_MSR, "MSR_UNCORE_", "");
	/* The first one has not noticed. */
	(void)read_sockets(first);
	lab_session_done(first);
	lab_must(line, 0, "event=0x81");
}

TEST(second_through_msr_is_refused)
{
	second_is_refused(NTIME_VIA_MSR);
}

TEST(second_through_ntimefs_is_refused)
{
	need_driver();
	start_driver();
	second_is_refused(NTIME_VIA_NTIMEFS);
	stop_driver();
}

/*
 * Somebody programs our counter: the count is told to be lost, and what he made of it is left
 * alone.
 */
TEST(a_counter_that_was_taken_away_is_told)
{
	struct ntime_session *s = started(THROTTLED, NTIME_VIA_MSR);
	struct ntime_value v;
	unsigned int counter = counter_with(0, RUNS | 0x181);

	TT_IS(lab_msr_set(0, SELECT + counter, RUNS | 0x167), 0);
	lab_good(ntime_session_stop(s), "stopping");
	lab_good(ntime_session_read(s, &v, 1), "reading");
	TT_IS(v.flags & NTIME_LOST ? 1 : 0, 1);
	lab_session_done(s);
	/* It is left as he made it, and not enabled by us. */
	TT_IS(lab_msr(0, SELECT + counter), RUNS | 0x167);
	clean_up();
}

/* ---- killed in mid-count ---- */

static uint32_t child_via;

static long count_and_wait(void *arg)
{
	const struct ntime_target target = { .size = sizeof(target),
					     .kind = NTIME_TARGET_MACHINE,
					     .via = child_via };
	struct ntime_item item = { .size = sizeof(item) };
	struct ntime_session *s;
	struct ntime_ctx *own;

	(void)arg;
	if (ntime_open(&own, NULL) < 0 || ntime_session_new(own, &target, &s) < 0 ||
	    ntime_session_add_list(s, CLOCKS "," THROTTLED) < 0 || ntime_session_start(s) < 0)
		return -EPROTO;
	if (ntime_session_item(s, 1, &item) < 0 || *item.reason ||
	    strcmp(item.method, method_name(child_via)) != 0)
		return -ENOTSUP;
	lab_be_ready_and_wait();
}

static void kill_in_mid_count(uint32_t via, struct lab_process *p)
{
	child_via = via;
	LAB_GOOD(lab_spawn(p, count_and_wait, NULL));
	for (unsigned int cpu = 0; cpu < lab_all_cpus(); cpu++)
		(void)counter_with(cpu, RUNS | 0x181);
	(void)lab_kill(p);
}

TEST(killed_one_is_repaired)
{
	struct lab_process p;
	struct lab_snapshot before;
	char out[LAB_OUTPUT], pid[32], name[64];
	struct ntime_session *s;
	unsigned int counter;

	kill_in_mid_count(NTIME_VIA_MSR, &p);
	snprintf(pid, sizeof(pid), "%d", (int)p.pid);
	/* It is still programmed, and the next one is told what to do. */
	counter = counter_with(0, RUNS | 0x181);
	snprintf(name, sizeof(name), "MSR_UNCORE_PERFEVTSEL%u", counter);
	s = lab_opened(THROTTLED, NTIME_VIA_MSR);
	print_message("# %s; remedy: %s\n", lab_item(s, 0).reason, lab_item(s, 0).remedy);
	TT_HAS(lab_item(s, 0).remedy, "ntime doctor --repair");
	lab_session_done(s);
	(void)lab_shell("ntime doctor", out);
	TT_HAS(out, "uncore");
	TT_HAS(out, pid);
	TT_HAS(out, "ntime doctor --repair");
	TT_IS(lab_msr(0, SELECT + counter), RUNS | 0x181);
	lab_must("ntime doctor --repair --yes", 0, name);
	TT_IS(lab_msr(0, SELECT + counter), 0x181);
	/* All else is as it left it, and in nobody's way. */
	lab_snapshot_take(&before);
	check_throttled(NTIME_VIA_MSR);
	TT_IS(lab_snapshot_differs(&before), 0);
	(void)lab_shell("ntime doctor", out);
	assert_null(strstr(out, "--repair"));
	clean_up();
}

/* What somebody else has taken since is his. */
TEST(repair_leaves_others_alone)
{
	struct lab_process p;
	unsigned int counter;
	char out[LAB_OUTPUT], name[64];

	kill_in_mid_count(NTIME_VIA_MSR, &p);
	counter = counter_with(0, RUNS | 0x181);
	TT_IS(lab_msr_set(0, SELECT + counter, RUNS | 0x167), 0);
	(void)lab_shell("ntime doctor --repair --yes", out);
	print_message("# %s\n", out);
	snprintf(name, sizeof(name), "MSR_UNCORE_PERFEVTSEL%u", counter);
	TT_HAS(out, name);
	TT_IS(lab_msr(0, SELECT + counter), RUNS | 0x167);
	clean_up();
}

TEST(killed_one_leaves_nothing_in_ntimefs)
{
	struct lab_process p;
	struct lab_snapshot before;
	char out[LAB_OUTPUT];

	need_driver();
	lab_snapshot_take(&before);
	LAB_GOOD(lab_driver_start(""));
	kill_in_mid_count(NTIME_VIA_NTIMEFS, &p);
	TT_IS(lab_snapshot_differs(&before), 0);
	(void)lab_shell("ntime doctor", out);
	assert_null(strstr(out, "--repair"));
	LAB_GOOD(lab_driver_stop());
}

/* ---- CPUs that go ---- */

static void need_two_cpus_a_socket(void)
{
	if (lab_all_cpus() < 4)
		TT_SKIP("this guest has one CPU a socket");
}

/* -1: whichever of its CPUs. */
static void check_sockets_once(int first, int second)
{
	const int expected[SOCKETS] = { first, second };
	struct counted c;

	lab_good(lab_sessions_begin(NULL), "opening again");
	c = count_for_a_while(CLOCKS "," THROTTLED, NTIME_VIA_MSR, "msr");
	for (unsigned int socket = 0; socket < SOCKETS; socket++) {
		TT_IS(lab_socket_of((unsigned int)c.cpu[socket]), socket);
		if (expected[socket] >= 0)
			TT_IS(c.cpu[socket], expected[socket]);
	}
	TT_IS(error_of(&c, throttled, 1), 0);
	lab_sessions_end(NULL);
}

TEST(first_cpus_of_sockets_are_off_line)
{
	struct lab_snapshot before;

	need_two_cpus_a_socket();
	lab_snapshot_take(&before);
	lab_sessions_end(NULL);
	LAB_GOOD(lab_cpu_set_online(2, false));
	check_sockets_once(0, 3);
	if (lab_cpu_set_online(0, false) == 0) {
		check_sockets_once(1, 3);
		LAB_GOOD(lab_cpu_set_online(0, true));
	} else {
		print_message("# this kernel keeps CPU 0\n");
	}
	LAB_GOOD(lab_cpu_set_online(2, true));
	/* The kernel's driver, whose list is followed, stays with the CPU that it went to. */
	check_sockets_once(-1, -1);
	lab_good(lab_sessions_begin(NULL), "opening again");
	TT_IS(lab_snapshot_differs(&before), 0);
}

/* The CPU goes in mid-count: the socket is counted on, through the other one. */
TEST(cpu_goes_in_mid_count)
{
	struct lab_snapshot before;
	struct counted c;
	struct ntime_session *s;

	need_two_cpus_a_socket();
	lab_snapshot_take(&before);
	s = started(CLOCKS "," THROTTLED, NTIME_VIA_MSR);
	LAB_GOOD(lab_cpu_set_online(2, false));
	(void)usleep(SLICE);
	lab_good(ntime_session_stop(s), "stopping");
	c = read_sockets(s);
	TT_IS(error_of(&c, throttled, 1), 0);
	lab_session_done(s);
	LAB_GOOD(lab_cpu_set_online(2, true));
	TT_IS(lab_snapshot_differs(&before), 0);
}

/*
 * All CPUs of the second socket go in mid-count: what was counted says so, what cannot be restored
 * is told at the end, and a repair switches it off when they are back.
 */
TEST(package_goes_in_mid_count)
{
	static const char count_on[] =
		"ntime stat -a --via msr -e " THROTTLED
		" -- sh -c 'for i in 2 3; do echo 0 >/sys/devices/system/cpu/cpu$i/online; done'";
	char out[LAB_OUTPUT];
	int status;

	need_two_cpus_a_socket();
	status = lab_shell(count_on, out);
	print_message("# exit status %d: %s\n", status, out);
	LAB_GOOD(lab_cpu_set_online(2, true));
	LAB_GOOD(lab_cpu_set_online(3, true));
	TT_IS(status, 0);
	TT_HAS(out, "[CPUs came or went: counted for ");
	TT_HAS(out, "uncore of package 1 was not restored: ");
	TT_HAS(out, " is off line");
	TT_HAS(out, "ntime doctor --repair");
	assert_null(strstr(out, "package 0 was not"));
	lab_must("ntime doctor --repair --yes", 0, "MSR_UNCORE_PERFEVTSEL");
	for (unsigned int i = 0; i < 8; i++)
		TT_IS(lab_msr(2, SELECT + i) & RUNS, 0);
	clean_up();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST_WITH_SESSIONS(msr_is_exact),
		LAB_TEST_WITH_SESSIONS(ntimefs_is_exact),
		LAB_TEST_WITH_SESSIONS(perf_is_exact_too),
		LAB_TEST_WITH_SESSIONS(names_of_libpfm4_mean_the_same),
		LAB_TEST_WITH_SESSIONS(the_method_is_chosen_and_told),
		LAB_TEST_WITH_SESSIONS(the_kernel_counts),
		LAB_TEST_WITH_SESSIONS(second_through_msr_is_refused),
		LAB_TEST_WITH_SESSIONS(second_through_ntimefs_is_refused),
		LAB_TEST_WITH_SESSIONS(a_counter_that_was_taken_away_is_told),
		LAB_TEST_WITH_SESSIONS(killed_one_is_repaired),
		LAB_TEST_WITH_SESSIONS(repair_leaves_others_alone),
		LAB_TEST_WITH_SESSIONS(killed_one_leaves_nothing_in_ntimefs),
		LAB_TEST_WITH_SESSIONS(first_cpus_of_sockets_are_off_line),
		LAB_TEST_WITH_SESSIONS(cpu_goes_in_mid_count),
		LAB_TEST_WITH_SESSIONS(package_goes_in_mid_count),
		LAB_TEST_WITH_SESSIONS(the_recipes_registers),
		LAB_TEST_WITH_SESSIONS(without_the_kernels_driver_it_is_msr),
	};

	if (lab_outside_why_not())
		return tt_skip_all(lab_outside_why_not());
	return TT_RUN(tests);
}
