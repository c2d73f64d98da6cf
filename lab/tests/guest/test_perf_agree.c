// SPDX-License-Identifier: MIT
/*
 * ntime and perf stat count the same: the same events of the same programs, one after the other in
 * the same guest. Counts of user mode are equal to the instruction, since the programs run the same
 * instructions each time; counts of the kernel's mode differ by what the kernel does beside (timer
 * interrupts, the history of its caches), so there the two must be as near to each other as each is
 * to itself.
 */
#include <jansson.h>

#include "lab/tests/guest/ask.h"
#include "lab/tests/guest/file.h"
#include "lab/tests/guest/report.h"
#include "base/tests/tt.h"

#define EVENTS_MAX 6
#define RUNS 5
#define RANDOMIZE "/proc/sys/kernel/randomize_va_space"
#define OUTPUT "/tmp/test_perf_agree"

/* Runs @line; its status must be 0. */
static void run(const char *line)
{
	int status = system(line);

	if (status)
		print_error("%s: status %#x\n", line, (unsigned int)status);
	TT_IS(status, 0);
}

/* "-x,": count, unit, event and more. Lines come in the order of the events. */
static void perf_counts(const char *options, const char *events, const char *command, double *count,
			size_t n)
{
	char line[1024];
	size_t found = 0;
	FILE *f;

	(void)snprintf(line, sizeof(line), "perf stat -x, -o " OUTPUT " %s -e %s -- %s", options,
		       events, command);
	run(line);
	f = fopen(OUTPUT, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *end;

		if (line[0] == '#' || line[0] == '\n')
			continue;
		assert_true(found < n);
		count[found] = strtod(line, &end);
		/* "<not counted>" is no number. */
		if (end == line || *end != ',')
			print_error("perf says: %s\n", line);
		assert_true(end != line && *end == ',');
		found++;
	}
	(void)fclose(f);
	TT_IS(found, n);
}

static void ntime_counts(const char *options, const char *events, const char *command,
			 double *count, size_t n)
{
	char line[1024];
	json_t *report, *items;

	(void)snprintf(line, sizeof(line), "ntime --json -o " OUTPUT " %s -e %s -- %s", options,
		       events, command);
	run(line);
	report = json_load_file(OUTPUT, 0, NULL);
	items = json_object_get(report, "items");
	TT_IS(lab_asked(items), n);
	for (size_t i = 0; i < n; i++) {
		json_t *item = json_array_get(items, i);

		/* No flag: whole and exact. */
		TT_IS(json_array_size(json_object_get(item, "flags")), 0);
		count[i] = json_number_value(json_object_get(item, "value"));
	}
	json_decref(report);
}

/* ---- equal to the instruction ---- */

/* The truth is that of lab/tests/workloads/README.md. */
static const struct exact_row {
	int line;
	const char *command, *options;
	unsigned long instructions;
} exact_rows[] = {
	{ __LINE__, "loop 0", "", 10 + 10 },
	{ __LINE__, "loop 1000", "", 10 + 4 * 10 + 2 * 1000 },
	{ __LINE__, "loop 1000000", "", 10 + 7 * 10 + 2 * 1000000 },
	{ __LINE__, "loop 2000000", "", 10 + 7 * 10 + 2 * 2000000 },
	{ __LINE__, "loop 1000", "-r 3", 10 + 4 * 10 + 2 * 1000 },
	{ __LINE__, "straight 10", "", 10 + 2 * 10 + 65539 * 10 - 1 },
	{ __LINE__, "forks 50", "", 10 + 2 * 10 + 2023 * 50 },
	{ __LINE__, "threads 20", "", 13 + 2 * 10 + 2015 * 20 },
};

static const char exact_events[] = "instructions:u,cycles:u";

TEST(user_mode_is_counted_alike)
{
	double constant = 0;

	TT_FOR_EACH_ROW(r, exact_rows) {
		double perf[2], ntime[2];

		perf_counts(r->options, exact_events, r->command, perf, 2);
		ntime_counts(r->options, exact_events, r->command, ntime, 2);
		print_message("# %s %s: instructions:u %.0f by perf, %.0f by ntime, truth %lu; "
			      "cycles:u %.0f, %.0f\n",
			      r->command, r->options, perf[0], ntime[0], r->instructions, perf[1],
			      ntime[1]);
		TT_EQ(r, ntime[0], perf[0]);
		TT_EQ(r, ntime[1], perf[1]);
		/* What the machine counts of exec() and exit() in user mode, the same for all. */
		if (r == exact_rows)
			constant = ntime[0] - (double)r->instructions;
		TT_EQ(r, ntime[0] - constant, r->instructions);
	}
	assert_true(constant >= 0 && constant < 100);
}

static const char *raw_events(void)
{
#if defined(__x86_64__)
	return "r00c0:u,cpu/event=0xc0/u,cpu/instructions/u,instructions:u";
#else
	return "r8:u,armv8_pmuv3/event=0x8/u,armv8_pmuv3/inst_retired/u,instructions:u";
#endif
}

TEST(one_event_by_all_its_names_is_counted_alike)
{
	double perf[4], ntime[4];

	if (strncmp(lab_core_pmu(), "armv7", 5) == 0)
		TT_SKIP("this PMU's driver has other names");
	perf_counts("", raw_events(), "loop 12345", perf, 4);
	ntime_counts("", raw_events(), "loop 12345", ntime, 4);
	for (int i = 0; i < 4; i++) {
		print_message("# name %d of %s: %.0f by perf, %.0f by ntime\n", i, raw_events(),
			      perf[i], ntime[i]);
		TT_IS(ntime[i], perf[i]);
		TT_IS(ntime[i], ntime[0]);
	}
	assert_in_range(ntime[0], 2 * 12345, 2 * 12345 + 200);
}

/* ---- as near to each other as each to itself ---- */

static const struct near_row {
	int line;
	const char *event, *command;
	/*
	 * More than any two runs differ by, in either: an interrupt's work, a page of memory more.
	 * ntime sees one context switch more, since the command that it holds just before exec()
	 * wakes it on the way out.
	 */
	double allowance;
} near_rows[] = {
	{ __LINE__, "instructions:k", "loop 1000", 30000 },
	{ __LINE__, "instructions:k", "loop 2000000", 60000 },
	{ __LINE__, "instructions", "loop 1000", 30000 },
	{ __LINE__, "instructions:k", "sh -c 'loop 1000; loop 1000 & wait'", 100000 },
	{ __LINE__, "page-faults", "loop 1000", 2 },
	{ __LINE__, "page-faults:u", "loop 1000", 2 },
	{ __LINE__, "page-faults", "sh -c 'loop 1000; loop 1000 & wait'", 6 },
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_runs(const char *who, const double *count)
{
	print_message("#   %-5s", who);
	for (int i = 0; i < RUNS; i++)
		print_message(" %.0f", count[i]);
	print_message("\n");
}

/* In turns, so that what changes in the kernel as it gets older changes for both. */
static void check_near(const struct near_row *r)
{
	double perf[RUNS], ntime[RUNS], spread;

	for (int i = 0; i < RUNS; i++) {
		perf_counts("", r->event, r->command, &perf[i], 1);
		ntime_counts("", r->event, r->command, &ntime[i], 1);
	}
	qsort(perf, RUNS, sizeof(perf[0]), compare);
	qsort(ntime, RUNS, sizeof(ntime[0]), compare);
	spread = perf[RUNS - 1] - perf[0] > ntime[RUNS - 1] - ntime[0] ? perf[RUNS - 1] - perf[0]
								       : ntime[RUNS - 1] - ntime[0];
	print_message("# %s of %s: medians differ by %.0f, each by up to %.0f in itself\n",
		      r->event, r->command, ntime[RUNS / 2] - perf[RUNS / 2], spread);
	print_runs("perf", perf);
	print_runs("ntime", ntime);
	assert_true(perf[0] > 0 && ntime[0] > 0);
	if (ntime[RUNS / 2] > perf[RUNS / 2] + r->allowance ||
	    ntime[RUNS / 2] < perf[RUNS / 2] - r->allowance) {
		print_error("row of line %d: ntime is not within %.0f of perf\n", r->line,
			    r->allowance);
		fail();
	}
}

TEST(the_kernels_mode_is_counted_alike)
{
	TT_FOR_EACH_ROW(r, near_rows)
		check_near(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(user_mode_is_counted_alike),
		cmocka_unit_test(one_event_by_all_its_names_is_counted_alike),
		cmocka_unit_test(the_kernels_mode_is_counted_alike),
	};

	char before[16];
	int ret;

	if (!lab_has_perf())
		return tt_skip_all("perf is not in this guest: run it --with perf");
	if (!lab_core_pmu())
		return tt_skip_all("this guest has no PMU");
	/* The same addresses each time, so the same pages. */
	lab_line(RANDOMIZE, before, sizeof(before));
	if (lab_write(RANDOMIZE, "0") < 0)
		return tt_skip_all("address randomisation cannot be switched off: run as root");
	ret = TT_RUN(tests);
	return lab_write(RANDOMIZE, before) < 0 ? 1 : ret;
}
