// SPDX-License-Identifier: MIT
/* The ready-made metrics: they parse, use only events that are known to exist somewhere, and compute what they say. */
#include <math.h>

#include "lib/metric/metric.h"
#include "tests/tt.h"

/*
 * Every event that a ready-made metric may use. Sources: perf-list(1) for the generic names; Linux 6.1, arch/x86/events/msr.c, rapl.c,
 * intel/uncore_snb.c and intel/uncore_snbep.c for those with slashes; tsc is ntime's own.
 */
static const char *const event_names[] = {
	"L1-dcache-load-misses",
	"L1-dcache-loads",
	"L1-icache-load-misses",
	"L1-icache-loads",
	"LLC-load-misses",
	"LLC-loads",
	"LLC-store-misses",
	"LLC-stores",
	"branch-misses",
	"branches",
	"cache-misses",
	"cache-references",
	"context-switches",
	"cpu-clock",
	"cpu-migrations",
	"cycles",
	"cycles:k",
	"dTLB-load-misses",
	"dTLB-loads",
	"dTLB-store-misses",
	"dTLB-stores",
	"iTLB-load-misses",
	"iTLB-loads",
	"instructions",
	"instructions:k",
	"major-faults",
	"minor-faults",
	"msr/aperf/",
	"msr/mperf/",
	"msr/tsc/",
	"page-faults",
	"power/energy-cores/",
	"power/energy-gpu/",
	"power/energy-pkg/",
	"power/energy-psys/",
	"power/energy-ram/",
	"ref-cycles",
	"stalled-cycles-backend",
	"stalled-cycles-frontend",
	"task-clock",
	"tsc",
	"uncore_imc/cas_count_read/",
	"uncore_imc/cas_count_write/",
	"uncore_imc/data_reads/",
	"uncore_imc/data_writes/",
	"uncore_imc_free_running/data_read/",
	"uncore_imc_free_running/data_write/",
};

static struct nti_metrics all;

static int load(void **state)
{
	const struct nti_metric_file *file;
	struct nti_error e = { 0 };

	(void)state;
	for (file = nti_metric_files; file->name; file++)
		if (nti_metrics_parse(file->name, file->text, file->bytes, &all, &e) < 0)
			fail_msg("%s", e.text);
	return 0;
}

static int unload(void **state)
{
	(void)state;
	nti_metrics_fini(&all);
	return 0;
}

TEST(files_are_whole)
{
	const struct nti_metric_file *file;
	size_t files = 0;

	for (file = nti_metric_files; file->name; file++) {
		char path[256], *text;
		size_t bytes;
		FILE *in;

		/* the build may not have changed a byte; meson runs tests in the source folder */
		snprintf(path, sizeof(path), "data/metrics/%s", file->name);
		in = fopen(path, "rb");
		if (!in)
			fail_msg("%s: cannot be opened", path);
		text = malloc(file->bytes + 1);
		assert_non_null(text);
		bytes = fread(text, 1, file->bytes + 1, in);
		TT_IS(bytes, file->bytes);
		TT_IS(strlen(file->text), file->bytes);
		assert_memory_equal(text, file->text, bytes);
		free(text);
		fclose(in);
		files++;
	}
	assert_true(files >= 7);
	assert_true(all.count >= 40);
}

/* Calls @fn for every formula of every metric. */
static void for_each_formula(void (*fn)(const struct nti_metric *m, const struct nti_formula *f))
{
	size_t i, j;

	for (i = 0; i < all.count; i++) {
		for (j = 0; j < all.metric[i].formulas; j++) {
			struct nti_formula *f;

			TT_IS(nti_formula_parse(all.metric[i].formula[j], &f, NULL), 0);
			fn(&all.metric[i], f);
			nti_formula_free(f);
		}
	}
}

static size_t used[sizeof(event_names) / sizeof(event_names[0])];

static void check_events(const struct nti_metric *m, const struct nti_formula *f)
{
	size_t i, j;

	for (i = 0; i < nti_formula_count(f); i++) {
		for (j = 0; j < sizeof(used) / sizeof(used[0]); j++)
			if (strcmp(nti_formula_event(f, i), event_names[j]) == 0)
				break;
		if (j == sizeof(used) / sizeof(used[0]))
			fail_msg("%s uses the event %s, which is not in the list of this test",
				 m->name, nti_formula_event(f, i));
		used[j]++;
	}
}

TEST(events_are_known)
{
	size_t i;

	for_each_formula(check_events);
	for (i = 0; i < sizeof(used) / sizeof(used[0]); i++)
		if (!used[i])
			fail_msg("%s is in the list of this test, but no metric uses it",
				 event_names[i]);
}

/* With all inputs at 1 every formula has a value: none divides by a constant 0 or is not finite by itself. */
static void check_value(const struct nti_metric *m, const struct nti_formula *f)
{
	struct nti_number ones[NTI_METRIC_MAX_EVENTS], got;
	struct nti_formula_input in = { ones, 1, 1 };
	size_t i;

	for (i = 0; i < NTI_METRIC_MAX_EVENTS; i++)
		ones[i] = (struct nti_number){ 1, 0.01 };
	got = nti_formula_eval(f, &in);
	if (!(got.value > 0) || !isfinite(got.error))
		fail_msg("%s gives %g +- %g when all is 1", m->name, got.value, got.error);
}

TEST(formulas_have_values)
{
	for_each_formula(check_value);
}

/* Values worked out by hand for a run of 2 s wall time and 1 s CPU time on 4 CPUs. */
static double count_of(const char *event)
{
	static const struct {
		const char *event;
		double count;
	} counts[] = {
		{ "cycles", 3e9 },
		{ "cycles:k", 3e8 },
		{ "instructions", 6e9 },
		{ "instructions:k", 6e8 },
		{ "ref-cycles", 2e9 },
		{ "branches", 1e9 },
		{ "branch-misses", 3e7 },
		{ "cache-references", 2e8 },
		{ "cache-misses", 5e7 },
		{ "stalled-cycles-frontend", 6e8 },
		{ "stalled-cycles-backend", 9e8 },
		{ "task-clock", 1e9 },
		{ "context-switches", 50 },
		{ "cpu-migrations", 5 },
		{ "page-faults", 1200 },
		{ "minor-faults", 1190 },
		{ "major-faults", 10 },
		{ "tsc", 5e9 },
		{ "power/energy-pkg/", 90 },
		{ "uncore_imc/cas_count_read/", 300 },
		{ "uncore_imc/cas_count_write/", 100 },
		{ "msr/aperf/", 3e9 },
		{ "msr/mperf/", 2e9 },
		{ "msr/tsc/", 5e9 },
	};
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (strcmp(counts[i].event, event) == 0)
			return counts[i].count;
	fail_msg("the table of counts lacks %s", event);
	return 0;
}

static const struct value_row {
	int line;
	const char *metric, *unit, *beside;
	double value;
} value_rows[] = {
	{ __LINE__, "IPC", "insn/cycle", "instructions", 2 },
	{ __LINE__, "CPI", "cycle/insn", NULL, 0.5 },
	{ __LINE__, "GHz", "GHz", "cycles", 3 },
	{ __LINE__, "clock-ratio", "cycle/ref-cycle", "ref-cycles", 1.5 },
	{ __LINE__, "MIPS", "M/CPU-s", NULL, 6000 },
	{ __LINE__, "frontend-stall-share", "%", "stalled-cycles-frontend", 20 },
	{ __LINE__, "backend-stall-share", "%", "stalled-cycles-backend", 30 },
	{ __LINE__, "stalls-per-instruction", "cycle/insn", NULL, 0.15 },
	{ __LINE__, "kernel-cycle-share", "%", NULL, 10 },
	{ __LINE__, "kernel-instruction-share", "%", NULL, 10 },
	{ __LINE__, "branch-miss-ratio", "%", "branch-misses", 3 },
	{ __LINE__, "branch-MPKI", "/1000 insn", NULL, 5 },
	{ __LINE__, "branch-rate", "M/CPU-s", "branches", 1000 },
	{ __LINE__, "cache-miss-ratio", "%", "cache-misses", 25 },
	{ __LINE__, "cache-MPKI", "/1000 insn", NULL, 50.0 / 6 },
	{ __LINE__, "cache-reference-rate", "M/CPU-s", "cache-references", 200 },
	{ __LINE__, "CPUs-used", "CPUs", "task-clock", 0.5 },
	{ __LINE__, "machine-share", "%", NULL, 12.5 },
	{ __LINE__, "context-switch-rate", "/CPU-s", "context-switches", 50 },
	{ __LINE__, "migration-rate", "/CPU-s", "cpu-migrations", 5 },
	{ __LINE__, "page-fault-rate", "/CPU-s", "page-faults", 1200 },
	{ __LINE__, "minor-fault-rate", "/CPU-s", "minor-faults", 1190 },
	{ __LINE__, "major-fault-rate", "/s", "major-faults", 5 },
	{ __LINE__, "time-per-switch", "us", NULL, 20000 },
	{ __LINE__, "tsc-frequency", "GHz", "tsc", 2.5 },
	{ __LINE__, "active-clock-ratio", "cycle/ref-cycle", "msr/aperf/", 1.5 },
	{ __LINE__, "active-share", "%", "msr/mperf/", 40 },
	{ __LINE__, "memory-read-bandwidth", "MiB/s", NULL, 150 },
	{ __LINE__, "memory-write-bandwidth", "MiB/s", NULL, 50 },
	{ __LINE__, "memory-bandwidth", "MiB/s", NULL, 200 },
	{ __LINE__, "package-power", "W", "power/energy-pkg/", 45 },
	{ __LINE__, "energy-per-instruction", "nJ/insn", NULL, 15 },
};

TEST(values)
{
	TT_FOR_EACH_ROW(r, value_rows) {
		const struct nti_metric *m = nti_metrics_find(&all, r->metric);
		struct nti_number events[NTI_METRIC_MAX_EVENTS], got;
		struct nti_formula_input in = { events, 2e9, 4 };
		struct nti_formula *f;
		size_t i;

		if (!m)
			fail_msg("%s:%d: there is no metric %s", __FILE__, r->line, r->metric);
		TT_STR(r, m->unit, r->unit);
		TT_STR(r, m->beside ? m->beside : "-", r->beside ? r->beside : "-");
		TT_EQ(r, nti_formula_parse(m->formula[0], &f, NULL), 0);
		for (i = 0; i < nti_formula_count(f); i++)
			events[i] = (struct nti_number){ count_of(nti_formula_event(f, i)), 0 };
		got = nti_formula_eval(f, &in);
		nti_formula_free(f);
		if (fabs(got.value - r->value) > 1e-12 * r->value)
			fail_msg("%s:%d: %s is %.17g, expected %.17g", __FILE__, r->line, r->metric,
				 got.value, r->value);
	}
}

/* All of a file of the source folder, in which meson runs the tests. */
static char *read_source(const char *path)
{
	FILE *in = fopen(path, "rb");
	size_t bytes = 0, room = 65536;
	char *text = malloc(room);

	if (!in)
		fail_msg("%s: cannot be opened", path);
	assert_non_null(text);
	bytes = fread(text, 1, room, in);
	fclose(in);
	assert_true(bytes < room);
	text[bytes] = '\0';
	return text;
}

static size_t count_lines(const char *text, const char *begin)
{
	size_t lines = 0;

	for (text = strstr(text, begin); text; text = strstr(text + 1, begin))
		lines++;
	return lines;
}

TEST(docs_list_all)
{
	char *docs = read_source("docs/metrics.md"), line[1024];
	size_t i;

	for (i = 0; i < all.count; i++) {
		const struct nti_metric *m = &all.metric[i];

		snprintf(line, sizeof(line), "\n| `%s` | %s | `%s` | %s%s%s |\n", m->name, m->unit,
			 m->formula[0], m->beside ? "`" : "", m->beside ? m->beside : "",
			 m->beside ? "`" : "");
		if (!strstr(docs, line))
			fail_msg("docs/metrics.md lacks the line%s", line);
	}
	/* and none that is gone */
	TT_IS(count_lines(docs, "\n| `"), all.count);
	free(docs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_whole),	cmocka_unit_test(events_are_known),
		cmocka_unit_test(formulas_have_values), cmocka_unit_test(values),
		cmocka_unit_test(docs_list_all),
	};

	return cmocka_run_group_tests(tests, load, unload) ? 1 : 0;
}
