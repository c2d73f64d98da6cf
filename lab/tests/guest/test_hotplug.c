// SPDX-License-Identifier: MIT
/*
 * Inside a guest with several CPUs, as root: CPUs come on line and go off line while ntime counts
 * everything. The command goes on, keeps what was counted and says so; the library is asked for the
 * numbers. Where registers are counted without perf, they are.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/tests/guest/file.h"
#include "lab/tests/guest/guest.h"
#include "lab/tests/guest/report.h"
#include "base/tests/tt.h"

#define CPU1 "/sys/devices/system/cpu/cpu1/online"
#define REPORT "/tmp/report"
#define NMI_WATCHDOG "/proc/sys/kernel/nmi_watchdog"

static void need_two_cpus(void)
{
	if (access(CPU1, W_OK) < 0)
		TT_SKIP("no CPU of this guest goes off line but the first");
}

static unsigned int count_cpus(void)
{
	return (unsigned int)sysconf(_SC_NPROCESSORS_CONF);
}

static void switch_cpu1(bool is_on)
{
	TT_IS(lab_write(CPU1, is_on ? "1" : "0"), 0);
}

/* The report of ntime on CPUs, while @script runs beside it and switches CPUs. */
static json_t *count_all(const char *options, const char *script)
{
	char line[1024];
	json_error_t e;
	json_t *report = NULL, *next;
	int status;
	FILE *f;

	snprintf(line, sizeof(line), "ntime --json -o " REPORT " %s -- sh -c '%s'", options,
		 script);
	print_message("# %s\n", line);
	status = system(line);
	TT_IS(status, 0);
	f = fopen(REPORT, "re");
	assert_non_null(f);
	/* The sum stands behind the intervals. */
	while ((next = json_loadf(f, JSON_DISABLE_EOF_CHECK, &e))) {
		json_decref(report);
		report = next;
	}
	fclose(f);
	assert_non_null(report);
	return report;
}

static json_t *item_of(const json_t *report, const char *name)
{
	json_t *item;
	size_t i;

	json_array_foreach(json_object_get(report, "items"), i, item)
	{
		if (strcmp(json_string_value(json_object_get(item, "name")), name) == 0)
			return item;
	}
	fail_msg("%s is not in the report", name);
	return NULL;
}

static void check_item(const json_t *report, const char *name, const char *words)
{
	json_t *item = item_of(report, name);
	const char *reason =
		json_string_value(json_object_get(json_object_get(item, "limited"), "reason"));

	print_message("# %s: %lld, %s\n", name,
		      (long long)json_integer_value(json_object_get(item, "count")),
		      reason ? reason : "whole");
	TT_IS(lab_has_flag(item, "hotplug"), true);
	assert_true(json_integer_value(json_object_get(item, "count")) > 0);
	assert_non_null(reason);
	TT_HAS(reason, words);
}

static void check_goes(const char *options, const char *event)
{
	json_t *report = count_all(options, "sleep 0.3; echo 0 >" CPU1 "; sleep 0.5");

	check_item(report, event, "CPU 1 went off line");
	json_decref(report);
	switch_cpu1(true);
}

static void check_comes(const char *options, const char *event)
{
	json_t *report;

	switch_cpu1(false);
	report = count_all(options, "sleep 0.3; echo 1 >" CPU1 "; sleep 1");
	check_item(report, event, "CPU 1 came on line");
	json_decref(report);
}

TEST(a_cpu_that_goes_ends_nothing)
{
	need_two_cpus();
	check_goes("-a -e cpu-clock", "cpu-clock");
	check_goes("-C 0-1 -e cpu-clock", "cpu-clock");
}

TEST(a_cpu_that_comes_is_counted)
{
	need_two_cpus();
	check_comes("-a -e cpu-clock", "cpu-clock");
}

/* Nothing of an interval before it is in doubt. */
TEST(intervals_go_on)
{
	json_t *line;
	json_error_t e;
	size_t n = 0, marked = 0;
	FILE *f;

	need_two_cpus();
	TT_IS(system("ntime --json -o " REPORT
		     " -a -I 200ms -e cpu-clock -- sh -c 'sleep 0.5; echo 0 >" CPU1
		     "; sleep 0.7; echo 1 >" CPU1 "; sleep 0.7'"),
	      0);
	f = fopen(REPORT, "re");
	assert_non_null(f);
	while ((line = json_loadf(f, JSON_DISABLE_EOF_CHECK, &e))) {
		if (json_object_get(line, "items") &&
		    json_array_size(json_object_get(line, "items"))) {
			n++;
			marked += lab_has_flag(item_of(line, "cpu-clock"), "hotplug");
		}
		json_decref(line);
	}
	fclose(f);
	print_message("# %zu of %zu intervals have a CPU that came or went\n", marked, n);
	/* Two intervals, and the sum of all. */
	assert_true(marked >= 3 && marked < n);
}

static size_t rows_of_cpu1(const json_t *sample)
{
	json_t *row;
	size_t i, n = 0;

	json_array_foreach(json_object_get(sample, "rows"), i, row)
	{
		n += json_integer_value(json_object_get(row, "cpu")) == 1;
	}
	return n;
}

/* A row for it, none while it is off line, and one again: samples themselves say when to switch. */
TEST(watch_goes_on)
{
	size_t samples = 0, with = 0, changes = 0, before = 1;
	json_t *line;
	json_error_t e;
	FILE *f;

	need_two_cpus();
	f = popen("ntime watch --json -q -i 250ms -n 20 --per thread cpu-clock", "re");
	assert_non_null(f);
	while ((line = json_loadf(f, JSON_DISABLE_EOF_CHECK, &e))) {
		if (strcmp(json_string_value(json_object_get(line, "kind")), "sample") == 0) {
			size_t has = rows_of_cpu1(line);

			samples++;
			with += has;
			changes += has != before;
			before = has;
			if (samples == 3)
				switch_cpu1(false);
			if (samples == 10)
				switch_cpu1(true);
		}
		json_decref(line);
	}
	TT_IS(pclose(f), 0);
	print_message("# CPU 1 has a row in %zu of %zu samples\n", with, samples);
	TT_IS(samples, 20);
	TT_IS(changes, 2);
}

/* ---- CPUs that come and go all the time ---- */

#define TRUTH "/tmp/truth"
#define NS_PER_S 1000000000u
#define TICK_NS 4000000u

/* For how long CPU 1 was off line, at least and at most, while this program toggled it. */
struct truth {
	uint64_t least_ns, most_ns, changes;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void sleep_ns(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };

	(void)nanosleep(&t, NULL);
}

/* As the command that is counted: off and on for 1 ms to 1 s each, short times as often as long. */
static int toggle(double seconds)
{
	struct truth truth = { 0 };
	uint64_t end_ns = now_ns() + (uint64_t)(seconds * 1e9), began_ns, gone_ns;
	FILE *f;

	srand(1);
	while (now_ns() < end_ns) {
		sleep_ns((uint64_t)(1e6 * pow(1000, rand() / (double)RAND_MAX)));
		began_ns = now_ns();
		if (lab_write(CPU1, "0"))
			return 1;
		gone_ns = now_ns();
		sleep_ns((uint64_t)(1e6 * pow(1000, rand() / (double)RAND_MAX)));
		truth.least_ns += now_ns() - gone_ns;
		if (lab_write(CPU1, "1"))
			return 1;
		truth.most_ns += now_ns() - began_ns;
		truth.changes += 2;
	}
	f = fopen(TRUTH, "we");
	if (!f)
		return 1;
	fprintf(f, "%llu %llu %llu\n", (unsigned long long)truth.least_ns,
		(unsigned long long)truth.most_ns, (unsigned long long)truth.changes);
	return fclose(f) ? 1 : 0;
}

static struct truth read_truth(void)
{
	unsigned long long least_ns, most_ns, changes;
	FILE *f = fopen(TRUTH, "re");

	assert_non_null(f);
	TT_IS(fscanf(f, "%llu %llu %llu", &least_ns, &most_ns, &changes), 3);
	fclose(f);
	(void)unlink(TRUTH);
	return (struct truth){ least_ns, most_ns, changes };
}

static const char *toggle_s(void)
{
	const char *s = getenv("TOGGLE_S");

	return s ? s : "5";
}

/*
 * What counted is never more than was on line, and what may have been missed makes up for the rest.
 */
static void check_toggled(const char *options, unsigned int cpus)
{
	char script[256], self[128] = "";
	const json_t *item, *time;
	double real_ns, count, counted_ns, wanted_ns;
	struct truth truth;
	json_t *report;

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	(void)snprintf(script, sizeof(script), "%s toggle %s", self, toggle_s());
	report = count_all(options, script);
	truth = read_truth();
	time = json_object_get(report, "time");
	item = item_of(report, "cpu-clock");
	real_ns = json_number_value(json_object_get(time, "real_ns"));
	count = json_number_value(json_object_get(item, "count"));
	counted_ns = json_number_value(json_object_get(item, "counted_ns"));
	wanted_ns = json_number_value(json_object_get(item, "wanted_ns"));
	print_message("# %s: %llu changes, CPU 1 off line for %.3f to %.3f s; counted %.3f of at "
		      "most %.3f s, of %.3f to %.3f\n",
		      options, (unsigned long long)truth.changes, (double)truth.least_ns / 1e9,
		      (double)truth.most_ns / 1e9, counted_ns / 1e9, wanted_ns / 1e9,
		      (cpus * real_ns - (double)truth.most_ns) / 1e9,
		      (cpus * real_ns - (double)truth.least_ns) / 1e9);
	TT_IS(lab_has_flag(item, "hotplug"), true);
	assert_true(fabs(count - counted_ns) < counted_ns / 100);
	assert_true(counted_ns < 1.01 * (cpus * real_ns - (double)truth.least_ns));
	assert_true(wanted_ns > 0.99 * (cpus * real_ns - (double)truth.most_ns));
	if (counted_ns < 0.98 * (cpus * real_ns - (double)truth.most_ns))
		TT_IS(lab_has_flag(item, "partial"), true);
	json_decref(report);
}

TEST(cpus_that_toggle_are_counted)
{
	need_two_cpus();
	check_toggled("-a -e cpu-clock", count_cpus());
	check_toggled("-C 1 -e cpu-clock", 1);
	check_toggled("-a -I 70ms -e cpu-clock", count_cpus());
}

/*
 * A CPU that is counted for a part of the time has a row, and says so. Returns 1 if it has.
 *
 * A late tick holds a CPU's clock back, by as much as it is late (Linux 6.1, kernel/sched/clock.c,
 * sched_clock_local()): of CPU 1 @late_ns, which the next row has to have more. What a CPU misses
 * that is off line comes never.
 */
static size_t check_row(const json_t *row, double period_ns, double unsure_ns, double *late_ns)
{
	const json_t *item = json_array_get(json_object_get(row, "items"), 0);
	double value = json_number_value(json_object_get(item, "value"));
	json_int_t cpu = json_integer_value(json_object_get(row, "cpu"));
	bool is_marked = lab_has_flag(item, "hotplug"), was_late = *late_ns != 0;
	double lack_ns = *late_ns + period_ns - value;

	if (cpu != 1) {
		assert_false(is_marked);
		return 0;
	}
	*late_ns = is_marked || fabs(lack_ns) < unsure_ns + TICK_NS ? 0 : lack_ns;
	if (was_late && *late_ns != 0)
		fail_msg("CPU 1 is not marked: %.0f of %.0f +- %.0f ns, and %.0f before", value,
			 period_ns, unsure_ns, lack_ns - period_ns + value);
	return is_marked;
}

TEST(watch_tells_of_cpus_that_toggle)
{
	size_t i, samples = 0, rows = 0, marked = 0;
	double on_line_ns = 0, first_s = -1, last_s = 0, most_s, late_ns = 0, was_late_ns;
	char line[256], self[128] = "";
	struct truth truth;
	json_t *sample, *row;
	json_error_t e;
	FILE *f;

	need_two_cpus();
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	(void)snprintf(
		line, sizeof(line),
		"%s toggle %s & ntime watch --json -q -i 100ms -n %d --per thread cpu-clock; "
		"wait",
		self, toggle_s(), atoi(toggle_s()) * 10 + 30);
	f = popen(line, "re");
	assert_non_null(f);
	while ((sample = json_loadf(f, JSON_DISABLE_EOF_CHECK, &e))) {
		double period_s = json_number_value(json_object_get(sample, "period_s"));
		double unsure_s = json_number_value(json_object_get(sample, "period_error_s"));

		last_s = json_number_value(json_object_get(sample, "time_s"));
		if (first_s < 0)
			first_s = last_s - period_s;
		was_late_ns = late_ns;
		json_array_foreach(json_object_get(sample, "rows"), i, row)
		{
			rows++;
			marked += check_row(row, period_s * 1e9, unsure_s * 1e9, &late_ns);
			on_line_ns += json_number_value(json_object_get(
				json_array_get(json_object_get(row, "items"), 0), "value"));
		}
		if (was_late_ns != 0 && late_ns == was_late_ns)
			fail_msg("CPU 1 lacks %.0f ns, is not marked, and has no next row",
				 late_ns);
		samples += json_array_size(json_object_get(sample, "rows")) > 0;
		json_decref(sample);
	}
	TT_IS(pclose(f), 0);
	truth = read_truth();
	most_s = count_cpus() * (last_s - first_s) - (double)truth.least_ns / 1e9;
	print_message("# %zu samples, %zu rows, %zu of them marked; %.3f s counted of at most "
		      "%.3f\n",
		      samples, rows, marked, on_line_ns / 1e9, most_s);
	assert_true(marked > 0 && samples >= 30);
	assert_true(on_line_ns / 1e9 < 1.01 * most_s);
}

/* ---- numbers, by the library ---- */

static struct ntime_value value_of(struct ntime_session *s)
{
	struct ntime_value v;

	LAB_OK(ntime_session_read(s, &v, 1));
	return v;
}

static void check_numbers(const char *event, uint32_t via)
{
	struct ntime_target target = { .size = sizeof(target),
				       .kind = NTIME_TARGET_MACHINE,
				       .via = via };
	struct ntime_value before, away, back;
	struct ntime_session *s;

	s = lab_session(event, &target);
	LAB_OK(ntime_session_start(s));
	TT_IS(ntime_session_follow(s), 0);
	(void)usleep(300000);
	before = value_of(s);
	TT_IS(before.flags & ~NTIME_PARTIAL, 0);
	switch_cpu1(false);
	(void)usleep(300000);
	away = value_of(s);
	assert_true(away.flags & NTIME_HOTPLUG);
	assert_true(away.count >= before.count);
	TT_IS(ntime_session_follow(s), 1);
	switch_cpu1(true);
	(void)usleep(300000);
	TT_IS(ntime_session_follow(s), 1);
	(void)usleep(300000);
	back = value_of(s);
	print_message("# %s: %llu, %llu without CPU 1, %llu with it again\n", event,
		      (unsigned long long)before.count, (unsigned long long)away.count,
		      (unsigned long long)back.count);
	TT_IS(back.flags & ~NTIME_PARTIAL, NTIME_HOTPLUG);
	TT_IS(back.hotplugs, 2);
	assert_true(back.count > away.count);
	/* Both CPUs were counted at the end: more time than one has had. */
	assert_true(back.counted_ns - away.counted_ns > 0);
	ntime_session_free(s);
}

static bool can_count(const char *event, uint32_t via)
{
	struct ntime_target target = { .size = sizeof(target),
				       .kind = NTIME_TARGET_MACHINE,
				       .via = via };
	struct ntime_item item = { .size = sizeof(item) };
	struct ntime_session *s;
	bool out;

	LAB_OK(ntime_session_new(lab_ctx(), &target, &s));
	out = ntime_session_add(s, event, NULL) == 0 && ntime_session_open(s) == 0 &&
	      ntime_session_item(s, 0, &item) == 0 && !*item.reason;
	print_message("# %s: %s\n", event,
		      out	    ? item.method
		      : item.reason ? item.reason
				    : ntime_error_text(lab_ctx()));
	ntime_session_free(s);
	return out;
}

TEST(counts_of_perf_are_kept)
{
	need_two_cpus();
	check_numbers("cpu-clock", NTIME_VIA_AUTO);
	if (can_count("instructions", NTIME_VIA_PERF))
		check_numbers("instructions", NTIME_VIA_PERF);
}

TEST(counts_of_registers_are_kept)
{
	char watchdog[16];

	need_two_cpus();
	/* It has a counter, where there is one. */
	lab_line(NMI_WATCHDOG, watchdog, sizeof(watchdog));
	(void)lab_write(NMI_WATCHDOG, "0");
	if (!can_count("instructions", NTIME_VIA_MSR)) {
		(void)lab_write(NMI_WATCHDOG, watchdog);
		TT_SKIP("the core PMU cannot be reached by its registers here");
	}
	check_numbers("instructions", NTIME_VIA_MSR);
	(void)lab_write(NMI_WATCHDOG, watchdog);
}

/* ---- the exporter, as who collects its file sees it ---- */

#define EXPORTED "/tmp/exported"
#define SERIES "ntime_cpu_cpu_clock_seconds_total{cpu=\"1\""

static double least;
static const char *awaited;

/* The number of the series whose line begins with @name; -1: there is none. */
static double exported(const char *name)
{
	char text[16384];
	const char *at = lab_read(EXPORTED, text, sizeof(text)) > 0 ? strstr(text, name) : NULL;

	while (at && at != text && at[-1] != '\n')
		at = strstr(at + 1, name);
	at = at ? strchr(at + strlen(name) - 1, ' ') : NULL;
	return at ? strtod(at, NULL) : -1;
}

static bool is_more(void)
{
	return exported(awaited) > least;
}

static double wait_for_more(const char *name, double than)
{
	awaited = name;
	least = than;
	lab_wait_until(is_more);
	return exported(name);
}

/* An answer that was begun later than now. */
static void wait_for_answer(void)
{
	(void)wait_for_more("ntime_scrapes_total", exported("ntime_scrapes_total") + 1);
}

TEST(the_exporter_keeps_its_series)
{
	double before, away;
	int status;
	pid_t pid;

	need_two_cpus();
	switch_cpu1(false);
	pid = fork();
	if (pid == 0) {
		execlp("ntime", "ntime", "export", "-q", "--textfile", EXPORTED, "-i", "100ms",
		       "-e", "cpu-clock", (char *)NULL);
		_exit(127);
	}
	(void)wait_for_more("ntime_scrapes_total", 0);
	assert_true(exported(SERIES) < 0);
	switch_cpu1(true);
	(void)wait_for_more(SERIES, 0);
	before = wait_for_more(SERIES, exported(SERIES));
	switch_cpu1(false);
	wait_for_answer();
	away = exported(SERIES);
	wait_for_answer();
	print_message("# CPU 1: %.3f s, %.3f when it had gone\n", before, away);
	assert_true(away >= before);
	assert_true(exported(SERIES) <= away);
	assert_true(lab_file_has(EXPORTED, "{item=\"cpu-clock\",flag=\"hotplug\"} 1"));
	switch_cpu1(true);
	(void)wait_for_more(SERIES, away);
	TT_IS(kill(pid, SIGINT), 0);
	TT_IS(waitpid(pid, &status, 0), pid);
	TT_IS(status, 0);
	TT_IS(access(EXPORTED, F_OK), -1);
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_that_goes_ends_nothing),
		cmocka_unit_test(a_cpu_that_comes_is_counted),
		cmocka_unit_test(intervals_go_on),
		cmocka_unit_test(watch_goes_on),
		cmocka_unit_test(cpus_that_toggle_are_counted),
		cmocka_unit_test(watch_tells_of_cpus_that_toggle),
		cmocka_unit_test(counts_of_perf_are_kept),
		cmocka_unit_test(counts_of_registers_are_kept),
		cmocka_unit_test(the_exporter_keeps_its_series),
	};

	if (argc == 3 && strcmp(argv[1], "toggle") == 0)
		return toggle(strtod(argv[2], NULL));
	return LAB_RUN(tests);
}
