// SPDX-License-Identifier: MIT
/*
 * Inside x86-westmere and x86-pci-2s, as root: ntime watch shows for each socket what happens there
 * (lab/qemu/README.md). What is shown is a quotient of counters that are read one after the
 * other, on a machine whose host may take its time between any two of them. So a value is compared
 * with the truth by its nearest sample, and there are more samples until one is near; sockets
 * differ by more than that.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/tests/guest/outside.h"

#define SAMPLES 5
/* of the command, until there was a near sample of each value: no result depends on it */
#define RUNS 20
#define REPORT "/tmp/watch.json"
#define NEAR 0.04

/* ---- a run of the command ---- */

struct run {
	json_t *head, *sample[64];
	size_t samples;
};

static void free_run(struct run *r)
{
	json_decref(r->head);
	for (size_t i = 0; i < r->samples; i++)
		json_decref(r->sample[i]);
}

/* Every line is an object: one that tells what is watched, then the samples. */
static struct run watch(const char *arguments)
{
	struct run r = { 0 };
	char line[1024], out[LAB_OUTPUT];
	json_error_t e;
	json_int_t number = 0;
	FILE *f;
	int status;

	snprintf(line, sizeof(line), "ntime watch --json -o " REPORT " %s", arguments);
	status = lab_shell(line, out);
	if (status)
		fail_msg("%s: exit status %d: %s", line, status, out);
	f = fopen(REPORT, "re");
	assert_non_null(f);
	r.head = json_loadf(f, JSON_DISABLE_EOF_CHECK, &e);
	assert_non_null(r.head);
	TT_TEXT(json_string_value(json_object_get(r.head, "kind")), "watch");
	while (r.samples < 64) {
		json_t *sample = json_loadf(f, JSON_DISABLE_EOF_CHECK, &e);

		if (!sample)
			break;
		TT_TEXT(json_string_value(json_object_get(sample, "kind")), "sample");
		/* One that came too late is left out, which is told. */
		number += json_integer_value(json_object_get(sample, "missed")) + 1;
		TT_IS(json_integer_value(json_object_get(sample, "sample")), number);
		r.sample[r.samples++] = sample;
	}
	fclose(f);
	return r;
}

/* The item @name of a socket's, or a CPU's row; NULL where it does not stand. */
static json_t *find(const json_t *sample, int socket, int cpu, const char *name)
{
	json_t *row, *item;
	size_t i, k;

	json_array_foreach(json_object_get(sample, "rows"), i, row)
	{
		const json_t *its_cpu = json_object_get(row, "cpu");

		if (json_integer_value(json_object_get(row, "socket")) != socket ||
		    (cpu < 0) != !its_cpu || (its_cpu && json_integer_value(its_cpu) != cpu))
			continue;
		json_array_foreach(
			json_object_get(row, "items"), k,
			item) if (strcmp(json_string_value(json_object_get(item, "name")), name) ==
				  0) return item;
	}
	return NULL;
}

static double value_of(const json_t *sample, int socket, int cpu, const char *name)
{
	json_t *item = find(sample, socket, cpu, name);

	if (!item || !json_object_get(item, "value"))
		fail_msg("socket %d, CPU %d: %s is not shown", socket, cpu, name);
	return json_number_value(json_object_get(item, "value"));
}

static const char *method_of(const struct run *r, const char *name)
{
	json_t *item;
	size_t i;

	json_array_foreach(
		json_object_get(r->head, "items"), i,
		item) if (strcmp(json_string_value(json_object_get(item, "name")), name) ==
			  0) return json_string_value(json_object_get(item, "method"));
	fail_msg("%s is not watched", name);
	return "";
}

/* How far the nearest of the samples is from the truth, or @nearest if that is less. */
static double nearest_of(const struct run *r, int socket, const char *name, double truth,
			 double nearest)
{
	for (size_t i = 0; i < r->samples; i++) {
		double off = fabs(value_of(r->sample[i], socket, -1, name) / truth - 1);

		nearest = off < nearest ? off : nearest;
	}
	return nearest;
}

/* ---- groups ---- */

struct near {
	const char *name;
	double truth[2];
};

/* One more run of the command: is each value near by now? */
static bool is_group_near(const char *arguments, const struct near *all, size_t n,
			  double (*nearest)[2])
{
	struct run r = watch(arguments);
	bool is_near = true;

	TT_IS(r.samples, SAMPLES);
	for (size_t i = 0; i < n; i++)
		for (int socket = 0; socket < 2; socket++) {
			nearest[i][socket] = nearest_of(&r, socket, all[i].name,
							all[i].truth[socket], nearest[i][socket]);
			is_near = is_near && nearest[i][socket] < NEAR;
		}
	free_run(&r);
	return is_near;
}

static void check_group(const char *group, const struct near *all, size_t n)
{
	double nearest[4][2];
	char arguments[128];

	assert_in_range(n, 1, 4);
	for (size_t i = 0; i < n; i++)
		nearest[i][0] = nearest[i][1] = HUGE_VAL;
	snprintf(arguments, sizeof(arguments), "%s -n %d -i 200ms --per socket", group, SAMPLES);
	for (int k = 0; k < RUNS && !is_group_near(arguments, all, n, nearest); k++)
		;
	for (size_t i = 0; i < n; i++)
		for (int socket = 0; socket < 2; socket++) {
			print_message("# socket %d: %s is %g, at most %.3f %% off\n", socket,
				      all[i].name, all[i].truth[socket], nearest[i][socket] * 100);
			assert_true(nearest[i][socket] < NEAR);
		}
}

TEST(throttling_per_socket)
{
	static const struct near all[] = {
		{ "memory-throttled-share", { 25, 12.5 } },
		{ "heat-throttled-share", { 6.25, 6.25 } },
		{ "prochot-throttled-share", { 1.5625, 0.78125 } },
		{ "active-clock-ratio", { 0.75, 0.875 } },
	};

	if (lab_is_sandy_bridge())
		TT_SKIP("this processor's uncore does not tell of throttling");
	check_group("throttling", all, sizeof(all) / sizeof(all[0]));
}

TEST(memory_per_socket)
{
	/*
	 * 64 bytes each (1/32 + 1/64 + 1/128) ns, and half of it written; half of that in socket 1
	 */
	static const struct near all[] = {
		{ "memory-read-bandwidth", { 3.5e9 / 1048576, 1.75e9 / 1048576 } },
		{ "memory-write-bandwidth", { 1.75e9 / 1048576, 0.875e9 / 1048576 } },
		{ "memory-bandwidth", { 5.25e9 / 1048576, 2.625e9 / 1048576 } },
	};

	if (lab_is_sandy_bridge())
		TT_SKIP("the memory of this guest does what the host is told: test_imc");
	check_group("memory", all, sizeof(all) / sizeof(all[0]));
}

TEST(power_per_socket)
{
	/* steps of 2^-16 J in 2^8, 2^9 and 2^10 ns; twice as many in socket 1 */
	static const struct near all[] = {
		{ "package-power", { 1e9 / 65536 / 256, 1e9 / 65536 / 128 } },
		{ "core-power", { 1e9 / 65536 / 512, 1e9 / 65536 / 256 } },
		{ "DRAM-power", { 1e9 / 65536 / 1024, 1e9 / 65536 / 512 } },
	};

	if (!lab_is_sandy_bridge())
		TT_SKIP("this processor does not tell what energy it uses");
	check_group("power", all, sizeof(all) / sizeof(all[0]));
	/* The same by the registers themselves. */
	check_group("power --via msr", all, sizeof(all) / sizeof(all[0]));
}

TEST(frequency_per_socket)
{
	static const struct near all[] = {
		{ "busy-frequency", { 0.75, 0.875 } },
	};

	check_group("frequency", all, sizeof(all) / sizeof(all[0]));
	check_group("frequency --via msr", all, sizeof(all) / sizeof(all[0]));
}

/* ---- states ---- */

/* How things are: no differences, the same in each sample where nothing changes. */
static void check_states(const struct run *r)
{
	for (size_t i = 0; i < r->samples; i++)
		for (unsigned int cpu = 0; cpu < lab_all_cpus(); cpu++) {
			int socket = (int)lab_socket_of(cpu);
			unsigned int headroom = 11 + 10 * lab_socket_of(cpu) + lab_core_of(cpu);
			double left = value_of(r->sample[i], socket, (int)cpu, "thermal/headroom/");
			double hot = value_of(r->sample[i], socket, (int)cpu, "thermal/hot/");

			TT_IS(value_of(r->sample[i], socket, (int)cpu, "thermal/prochot/"), socket);
			if (socket) {
				TT_IS(hot, 0);
				TT_IS(left, headroom);
			} else {
				assert_true(hot == 0 || hot == 1);
				/*
				 * One register tells both: it has no degree left while it is hot,
				 * and else all of them.
				 */
				TT_IS(left, hot == 1 ? 0 : headroom);
			}
		}
}

TEST(states_of_threads)
{
	struct run r = watch("-e thermal/hot/,thermal/headroom/,thermal/prochot/ -n 3 -i 300ms "
			     "--per thread");

	TT_IS(r.samples, 3);
	TT_TEXT(method_of(&r, "thermal/hot/"), "msr");
	check_states(&r);
	free_run(&r);
}

/*
 * What was critical before the machine was started is told until somebody clears the log, and then
 * no longer.
 */
TEST(logs_are_cleared_on_request)
{
	const char *name = "thermal/critical-log/";
	struct run r = watch("-e thermal/critical-log/,thermal/prochot-log/ -n 1 -i 100ms "
			     "--per socket");

	TT_IS(value_of(r.sample[0], 1, -1, name), 1);
	TT_IS(value_of(r.sample[0], 0, -1, name), 0);
	free_run(&r);
	TT_IS(lab_msr(lab_all_cpus() - 1, 0x19c) >> 5 & 1, 1);
	r = watch("-e thermal/critical-log/,thermal/prochot-log/ -n 2 -i 100ms --per socket "
		  "--clear-log");
	TT_IS(value_of(r.sample[1], 1, -1, name), 0);
	/* This one goes on. */
	TT_IS(value_of(r.sample[1], 1, -1, "thermal/prochot-log/"), 1);
	free_run(&r);
	TT_IS(lab_msr(lab_all_cpus() - 1, 0x19c) >> 5 & 1, 0);
}

/* ---- nothing is left ---- */

TEST(registers_are_as_before)
{
	struct lab_snapshot before;
	struct run r;
	char out[LAB_OUTPUT];

	lab_snapshot_take(&before);
	r = watch("throttling memory --via msr -n 2 -i 50ms");
	TT_IS(r.samples, 2);
	free_run(&r);
	TT_IS(lab_snapshot_differs(&before), 0);
	/* Ended by a signal. */
	(void)lab_shell("ntime watch throttling --via msr -i 50ms --csv > /tmp/watch.csv & p=$!; "
			"until [ $(wc -l < /tmp/watch.csv) -gt 3 ]; do sleep 0.1; done; "
			"kill -TERM $p; wait $p",
			out);
	TT_IS(lab_snapshot_differs(&before), 0);
}

/* ---- the recipe as one command ---- */

TEST(one_event_by_msr)
{
	const char *name = "wsm_unc::UNC_DRAM_THERMAL_THROTTLED";
	double nearest[2] = { HUGE_VAL, HUGE_VAL };

	if (lab_is_sandy_bridge())
		TT_SKIP("this processor's uncore does not tell of throttling");
	for (int k = 0; k < RUNS && (nearest[0] >= NEAR || nearest[1] >= NEAR); k++) {
		struct run r = watch("-e wsm_unc::UNC_DRAM_THERMAL_THROTTLED -i 200ms -n 5 "
				     "--via msr --per socket");

		TT_TEXT(method_of(&r, name), "msr");
		for (size_t i = 0; i < r.samples; i++)
			for (int socket = 0; socket < 2; socket++) {
				json_t *item = find(r.sample[i], socket, -1, name);
				double rate =
					json_number_value(json_object_get(item, "per_second"));
				double off = fabs(rate / (socket ? 1.25e8 : 2.5e8) - 1);

				nearest[socket] = off < nearest[socket] ? off : nearest[socket];
			}
		free_run(&r);
	}
	for (int socket = 0; socket < 2; socket++) {
		print_message("# socket %d: at most %.3f %% off\n", socket, nearest[socket] * 100);
		assert_true(nearest[socket] < NEAR);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logs_are_cleared_on_request),
		cmocka_unit_test(throttling_per_socket),
		cmocka_unit_test(memory_per_socket),
		cmocka_unit_test(power_per_socket),
		cmocka_unit_test(frequency_per_socket),
		cmocka_unit_test(states_of_threads),
		cmocka_unit_test(registers_are_as_before),
		cmocka_unit_test(one_event_by_msr),
	};

	if (lab_outside_why_not())
		return tt_skip_all(lab_outside_why_not());
	return TT_RUN(tests);
}
