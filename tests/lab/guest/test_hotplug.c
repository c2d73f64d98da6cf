// SPDX-License-Identifier: MIT
/*
 * Inside a guest with several CPUs, as root: CPUs come on line and go off line while ntime counts
 * everything. The command goes on, keeps what was counted and says so; the library is asked for the
 * numbers. Where registers are counted without perf, they are.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lab/guest/file.h"
#include "tests/lab/guest/guest.h"
#include "tests/tt.h"

#define CPU1 "/sys/devices/system/cpu/cpu1/online"
#define REPORT "/tmp/report"
#define NMI_WATCHDOG "/proc/sys/kernel/nmi_watchdog"

static void need_two_cpus(void)
{
	if (access(CPU1, W_OK) < 0)
		TT_SKIP("no CPU of this guest goes off line but the first");
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
	json_t *report;
	int status;

	snprintf(line, sizeof(line), "ntime --json -o " REPORT " %s -- sh -c '%s'", options,
		 script);
	print_message("# %s\n", line);
	status = system(line);
	TT_IS(status, 0);
	report = json_load_file(REPORT, 0, &e);
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

static bool has_flag(const json_t *item, const char *flag)
{
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(item, "flags"), i, one)
	{
		if (strcmp(json_string_value(one), flag) == 0)
			return true;
	}
	return false;
}

static void check_item(const json_t *report, const char *name, const char *words)
{
	json_t *item = item_of(report, name);
	const char *reason =
		json_string_value(json_object_get(json_object_get(item, "limited"), "reason"));

	print_message("# %s: %lld, %s\n", name,
		      (long long)json_integer_value(json_object_get(item, "count")),
		      reason ? reason : "whole");
	TT_IS(has_flag(item, "hotplug"), true);
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
			marked += has_flag(item_of(line, "cpu-clock"), "hotplug");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_that_goes_ends_nothing),
		cmocka_unit_test(a_cpu_that_comes_is_counted),
		cmocka_unit_test(intervals_go_on),
		cmocka_unit_test(watch_goes_on),
		cmocka_unit_test(counts_of_perf_are_kept),
		cmocka_unit_test(counts_of_registers_are_kept),
	};

	return LAB_RUN(tests);
}
