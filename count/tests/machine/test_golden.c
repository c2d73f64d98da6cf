// SPDX-License-Identifier: MIT
/*
 * What the recorded machines have, seen through the public API: units, events, metrics, problems.
 */
#include <errno.h>
#include <stdbool.h>

#include "count/tests/machine/golden.h"

/*
 * Units in the order they are listed. A row with boxes stands for NAME_0, NAME_1, ....
 * Counters: num_counters of the kernel's drivers (arch/x86/events, drivers/perf) and CPUID; 0 where
 * they are not told or have no meaning.
 */
static const struct unit_row {
	int line;
	const char *machine;
	const char *name;
	unsigned int boxes; /* 0: the name has no number */
	unsigned int counters, fixed;
	const char *cpus;
	bool is_usable;
} unit_rows[] = {
	{ __LINE__, SKX, "cpu", 0, 4, 3, "", true },
	{ __LINE__, SKX, "software", 0, 0, 0, "", true },
	{ __LINE__, SKX, "clock", 0, 0, 0, "", true },
	{ __LINE__, SKX, "breakpoint", 0, 0, 0, "", false },
	{ __LINE__, SKX, "cstate_core", 0, 0, 0, "0-55", true },
	{ __LINE__, SKX, "cstate_pkg", 0, 0, 0, "0,28", true },
	{ __LINE__, SKX, "intel_pt", 0, 0, 0, "", false },
	{ __LINE__, SKX, "kprobe", 0, 0, 0, "", false },
	{ __LINE__, SKX, "msr", 0, 0, 0, "", true },
	{ __LINE__, SKX, "power", 0, 0, 0, "0,28", true },
	/* Not the kernel's: registers that were recorded tell. */
	{ __LINE__, SKX, "thermal", 0, 0, 0, "0-55", true },
	{ __LINE__, SKX, "thermal_pkg", 0, 0, 0, "0,28", true },
	{ __LINE__, SKX, "tracepoint", 0, 0, 0, "", true },
	{ __LINE__, SKX, "uncore_cha", 28, 4, 0, "0,28", true },
	{ __LINE__, SKX, "uncore_iio", 6, 4, 0, "0,28", true },
	{ __LINE__, SKX, "uncore_iio_free_running", 6, 0, 0, "0,28", true },
	{ __LINE__, SKX, "uncore_imc", 6, 4, 0, "0,28", true },
	{ __LINE__, SKX, "uncore_irp", 6, 2, 0, "0,28", true },
	{ __LINE__, SKX, "uncore_m2m", 2, 4, 0, "0,28", true },
	{ __LINE__, SKX, "uncore_m2pcie", 4, 4, 0, "0,28", true },
	{ __LINE__, SKX, "uncore_m3upi", 3, 3, 0, "0,28", true },
	{ __LINE__, SKX, "uncore_pcu", 0, 4, 0, "0,28", true },
	{ __LINE__, SKX, "uncore_ubox", 0, 2, 0, "0,28", true },
	{ __LINE__, SKX, "uncore_upi", 3, 4, 0, "0,28", true },
	{ __LINE__, SKX, "uprobe", 0, 0, 0, "", false },
	{ __LINE__, ZEN, "cpu", 0, 6, 0, "", true },
	{ __LINE__, ZEN, "software", 0, 0, 0, "", true },
	{ __LINE__, ZEN, "clock", 0, 0, 0, "", true },
	{ __LINE__, ZEN, "amd_df", 0, 4, 0, "0", true },
	{ __LINE__, ZEN, "amd_l3", 0, 6, 0, "0,2,4,6,8,10,12,14", true },
	{ __LINE__, ZEN, "breakpoint", 0, 0, 0, "", false },
	{ __LINE__, ZEN, "ibs_fetch", 0, 0, 0, "", false },
	{ __LINE__, ZEN, "ibs_op", 0, 0, 0, "", false },
	{ __LINE__, ZEN, "kprobe", 0, 0, 0, "", false },
	{ __LINE__, ZEN, "msr", 0, 0, 0, "", true },
	{ __LINE__, ZEN, "power", 0, 0, 0, "0", true },
	{ __LINE__, ZEN, "tracepoint", 0, 0, 0, "", true },
	{ __LINE__, ZEN, "uprobe", 0, 0, 0, "", false },
	/*
	 * Nothing in user mode tells how many general counters an Arm core has; the cycle counter
	 * is always there.
	 */
	{ __LINE__, ARM, "armv8_pmuv3", 1, 0, 1, "0-79", true },
	{ __LINE__, ARM, "software", 0, 0, 0, "", true },
	{ __LINE__, ARM, "clock", 0, 0, 0, "", true },
	{ __LINE__, ARM, "arm_cmn", 1, 0, 0, "0", true },
	{ __LINE__, ARM, "arm_dsu", 40, 6, 0, "2n", true },
	{ __LINE__, ARM, "arm_spe", 1, 0, 0, "0-79", false },
	{ __LINE__, ARM, "breakpoint", 0, 0, 0, "", false },
	{ __LINE__, ARM, "kprobe", 0, 0, 0, "", false },
	{ __LINE__, ARM, "tracepoint", 0, 0, 0, "", true },
	{ __LINE__, ARM, "uprobe", 0, 0, 0, "", false },
	/*
	 * CPUID tells what both kinds have; the large cores have two and one more
	 * (intel_pmu_init(), ALDERLAKE).
	 */
	{ __LINE__, ADL, "cpu_core", 0, 8, 4, "0-15", true },
	{ __LINE__, ADL, "cpu_atom", 0, 6, 3, "16-23", true },
	{ __LINE__, ADL, "software", 0, 0, 0, "", true },
	{ __LINE__, ADL, "clock", 0, 0, 0, "", true },
	{ __LINE__, ADL, "breakpoint", 0, 0, 0, "", false },
	{ __LINE__, ADL, "cstate_core", 0, 0, 0, "0,2,4,6,8,10,12,14,16-23", true },
	{ __LINE__, ADL, "cstate_pkg", 0, 0, 0, "0", true },
	{ __LINE__, ADL, "kprobe", 0, 0, 0, "", false },
	{ __LINE__, ADL, "msr", 0, 0, 0, "", true },
	{ __LINE__, ADL, "power", 0, 0, 0, "0", true },
	{ __LINE__, ADL, "tracepoint", 0, 0, 0, "", true },
	{ __LINE__, ADL, "uncore_arb", 2, 2, 0, "0", true },
	{ __LINE__, ADL, "uncore_cbox", 10, 2, 0, "0", true },
	{ __LINE__, ADL, "uncore_clock", 0, 0, 0, "0", true },
	{ __LINE__, ADL, "uncore_imc", 2, 4, 0, "0", true },
	{ __LINE__, ADL, "uncore_imc_free_running", 2, 0, 0, "0", true },
	{ __LINE__, ADL, "uprobe", 0, 0, 0, "", false },
	{ __LINE__, KVM, "cpu", 0, 0, 0, "", false },
	{ __LINE__, KVM, "software", 0, 0, 0, "", true },
	{ __LINE__, KVM, "clock", 0, 0, 0, "", true },
	{ __LINE__, KVM, "breakpoint", 0, 0, 0, "", false },
	{ __LINE__, KVM, "msr", 0, 0, 0, "", true },
	{ __LINE__, KVM, "power", 0, 0, 0, "0", true },
	{ __LINE__, KVM, "tracepoint", 0, 0, 0, "", true },
	{ __LINE__, KVM, "uprobe", 0, 0, 0, "", false },
	{ __LINE__, RES, "cpu", 0, 4, 3, "", false },
	{ __LINE__, RES, "software", 0, 0, 0, "", false },
	{ __LINE__, RES, "clock", 0, 0, 0, "", true },
	{ __LINE__, RES, "breakpoint", 0, 0, 0, "", false },
	{ __LINE__, RES, "kprobe", 0, 0, 0, "", false },
	{ __LINE__, RES, "msr", 0, 0, 0, "", false },
	{ __LINE__, RES, "power", 0, 0, 0, "0", false },
	{ __LINE__, RES, "tracepoint", 0, 0, 0, "", false },
	{ __LINE__, RES, "uprobe", 0, 0, 0, "", false },
};

/* Where in unit_rows the walk stands. */
struct unit_walk {
	const char *machine;
	const struct unit_row *row; /* NULL: behind the last */
	unsigned int box;
};

static const struct unit_row *next_row(const struct unit_row *from, const char *machine)
{
	const struct unit_row *end = unit_rows + sizeof(unit_rows) / sizeof(unit_rows[0]);

	for (; from < end; from++)
		if (strcmp(from->machine, machine) == 0)
			return from;
	return NULL;
}

static int check_unit(void *arg, const struct ntime_unit_info *u)
{
	struct unit_walk *w = arg;
	const struct unit_row *r = w->row;
	char name[64], cpus[64];

	if (!r)
		fail_msg("%s: unit %s is one too many", w->machine, u->name);
	snprintf(name, sizeof(name), r->boxes ? "%s_%u" : "%s", r->name, w->box);
	/* A cluster of two cores each: the first one is asked. */
	snprintf(cpus, sizeof(cpus), "%s", r->cpus);
	if (strcmp(r->cpus, "2n") == 0)
		snprintf(cpus, sizeof(cpus), "%u", 2 * w->box);
	TT_STR(r, u->name, name);
	TT_STR(r, u->cpus, cpus);
	TT_STR(r, u->method, "replay");
	TT_EQ(r, u->counters, r->counters);
	TT_EQ(r, u->fixed, r->fixed);
	TT_EQ(r, u->usable, r->is_usable);
	TT_EQ(r, !*u->reason, r->is_usable);
	TT_EQ(r, !u->reason_code, r->is_usable);
	TT_EQ(r, !*u->desc, 0);
	if (++w->box >= r->boxes) {
		w->row = next_row(r + 1, w->machine);
		w->box = 0;
	}
	return 0;
}

TEST(units_are_exactly_these)
{
	static const char *const machines[] = { SKX, ZEN, ARM, ADL, KVM, RES };
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct unit_walk w = { .machine = machines[i],
				       .row = next_row(unit_rows, machines[i]) };
		struct ntime_ctx *ctx = golden_open(machines[i]);

		TT_IS(ntime_unit_for_each(ctx, check_unit, &w), 0);
		if (w.row)
			fail_msg("%s: unit %s (box %u) is missing", machines[i], w.row->name,
				 w.box);
		ntime_close(ctx);
	}
}

static const struct entry_row {
	int line;
	const char *machine;
	const char *name;
	int count; /* how often it is listed */
	const char *unit, *unit_text;
	bool is_usable;
	const char *desc, *reason; /* parts of them */
} entry_rows[] = {
	{ __LINE__, SKX, "cycles", 1, "cpu", "", true, "clock cycles of the core", "" },
	{ __LINE__, SKX, "LLC-load-misses", 1, "cpu", "", true, "last level cache", "" },
	{ __LINE__, SKX, "task-clock", 1, "software", "ns", true, "time", "" },
	{ __LINE__, SKX, "tsc", 1, "clock", "", true, "time stamp counter", "" },
	{ __LINE__, SKX, "cpu/mem-loads/", 1, "cpu", "", true, "ldlat=3", "" },
	{ __LINE__, SKX, "uncore_imc_5/cas_count_read/", 1, "uncore_imc_5", "MiB", true,
	  "umask=0x03", "" },
	{ __LINE__, SKX, "uncore_imc_5/clockticks/", 1, "uncore_imc_5", "", true, "", "" },
	{ __LINE__, SKX, "uncore_iio_free_running_0/bw_in_port3/", 1, "uncore_iio_free_running_0",
	  "MiB", true, "", "" },
	{ __LINE__, SKX, "power/energy-pkg/", 1, "power", "Joules", true, "", "" },
	{ __LINE__, SKX, "power/energy-ram/", 1, "power", "Joules", true, "", "" },
	{ __LINE__, SKX, "power/energy-gpu/", 0, "", "", false, "", "" },
	{ __LINE__, SKX, "msr/cpu_thermal_margin/", 1, "msr", "C", true, "", "" },
	{ __LINE__, SKX, "sched:sched_switch", 1, "tracepoint", "", true, "", "" },
	/* libpfm4: the energy counters that the kernel has not are not offered. */
	{ __LINE__, SKX, "rapl::RAPL_ENERGY_PKG", 1, "power", "", true, "package", "" },
	{ __LINE__, SKX, "rapl::RAPL_ENERGY_GPU", 0, "", "", false, "", "" },
	{ __LINE__, SKX, "skx::OFFCORE_RESPONSE_0:DMND_DATA_RD", 1, "cpu", "", true, "", "" },
	{ __LINE__, ZEN, "power/energy-pkg/", 1, "power", "Joules", true, "", "" },
	{ __LINE__, ZEN, "cpu/stalled-cycles-backend/", 1, "cpu", "", true, "", "" },
	{ __LINE__, ZEN, "amd64_fam17h_zen2::RETIRED_INSTRUCTIONS", 1, "cpu", "", true, "", "" },
	{ __LINE__, ARM, "armv8_pmuv3_0/l1d_cache/", 1, "armv8_pmuv3_0", "", true, "", "" },
	{ __LINE__, ARM, "arm_cmn_0/hnf_cache_miss/", 1, "arm_cmn_0", "", true, "", "" },
	{ __LINE__, ARM, "arm_dsu_39/cycles/", 1, "arm_dsu_39", "", true, "", "" },
	{ __LINE__, ADL, "cpu_core/slots/", 1, "cpu_core", "", true, "", "" },
	{ __LINE__, ADL, "cpu_atom/mem-stores/", 1, "cpu_atom", "", true, "", "" },
	{ __LINE__, KVM, "cycles", 1, "cpu", "", false, "",
	  "hypervisor (KVM) exposes no core PMU" },
	{ __LINE__, KVM, "page-faults", 1, "software", "", true, "", "" },
	{ __LINE__, KVM, "rapl::RAPL_ENERGY_CORES", 0, "", "", false, "", "" },
	{ __LINE__, RES, "instructions", 1, "cpu", "", false, "", "perf_event_paranoid is 4" },
	{ __LINE__, RES, "page-faults", 1, "software", "", false, "", "perf_event_paranoid is 4" },
	{ __LINE__, RES, "tsc", 1, "clock", "", true, "", "" },
};

struct entry_search {
	const struct entry_row *row;
	int count;
};

static int check_entry(void *arg, const struct ntime_event_info *e)
{
	struct entry_search *s = arg;
	const struct entry_row *r = s->row;

	if (strcmp(e->name, r->name) != 0)
		return 0;
	s->count++;
	TT_STR(r, e->unit, r->unit);
	TT_STR(r, e->unit_text, r->unit_text);
	TT_EQ(r, e->usable, r->is_usable);
	TT_EQ(r, !*e->reason, r->is_usable);
	tt_has_(e->desc, r->desc, r->name, __FILE__, r->line);
	tt_has_(e->reason, r->reason, r->name, __FILE__, r->line);
	return 0;
}

TEST(events_are_listed)
{
	TT_FOR_EACH_ROW(r, entry_rows) {
		struct entry_search s = { .row = r };
		struct ntime_ctx *ctx = golden_open(r->machine);

		TT_EQ(r, ntime_event_for_each(ctx, NULL, check_entry, &s), 0);
		TT_EQ(r, s.count, r->count);
		ntime_close(ctx);
	}
}

struct totals {
	int events, usable, sysfs_imc, caches;
};

static int add_total(void *arg, const struct ntime_event_info *e)
{
	struct totals *t = arg;

	t->events++;
	t->usable += e->usable;
	t->sysfs_imc += strncmp(e->name, "uncore_imc_", 11) == 0 && strchr(e->name, '/');
	t->caches += strstr(e->desc, "last level cache") && strncmp(e->name, "LLC-", 4) == 0;
	return 0;
}

/* Totals hang on libpfm4's release where the machine has a model of its; shares do not. */
static const struct total_row {
	int line;
	const char *machine;
	int at_least;
	int usable; /* -1: all */
	int sysfs_imc;
} total_rows[] = {
	{ __LINE__, SKX, 600, -1, 18 },
	{ __LINE__, ZEN, 100, -1, 0 },
	{ __LINE__, ARM, 500, -1, 0 },
	{ __LINE__, ADL, 100, -1, 6 },
	/* 12 of software, the clock, two of msr, one of power, as sysfs has them */
	{ __LINE__, KVM, 60, 16, 0 },
	{ __LINE__, RES, 60, 1, 0 },
};

TEST(what_can_be_counted_is_counted_up)
{
	TT_FOR_EACH_ROW(r, total_rows) {
		struct ntime_ctx *ctx = golden_open(r->machine);
		struct totals t = { 0 };

		TT_EQ(r, ntime_event_for_each(ctx, NULL, add_total, &t), 0);
		TT_EQ(r, t.events >= r->at_least, 1);
		TT_EQ(r, t.usable, r->usable < 0 ? t.events : r->usable);
		TT_EQ(r, t.sysfs_imc, r->sysfs_imc);
		TT_EQ(r, t.caches, 6); /* loads, stores, prefetches; of each the misses */
		ntime_close(ctx);
	}
}

static const struct metric_row {
	int line;
	const char *machine;
	const char *name;
	bool is_usable;
	const char *unit_text, *reason;
} metric_rows[] = {
	{ __LINE__, SKX, "IPC", true, "insn/cycle", "" },
	{ __LINE__, SKX, "memory-bandwidth", true, "", "" },
	{ __LINE__, SKX, "DRAM-power", true, "W", "" },
	{ __LINE__, SKX, "GPU-power", false, "W", "" },
	{ __LINE__, ZEN, "package-power", true, "W", "" },
	{ __LINE__, ZEN, "DRAM-power", false, "W", "" },
	/* The kernel's amd_df lists no events; count/data/events does. */
	{ __LINE__, ZEN, "memory-bandwidth", true, "", "" },
	{ __LINE__, ARM, "IPC", true, "insn/cycle", "" },
	{ __LINE__, ARM, "package-power", false, "W", "" },
	{ __LINE__, ADL, "GPU-power", true, "W", "" },
	{ __LINE__, KVM, "IPC", false, "insn/cycle", "hypervisor" },
	{ __LINE__, KVM, "CPUs-used", true, "CPUs", "" },
	{ __LINE__, RES, "CPUs-used", false, "CPUs", "perf_event_paranoid is 4" },
};

struct metric_search {
	const struct metric_row *row;
	int count;
};

static int check_metric(void *arg, const struct ntime_event_info *m)
{
	struct metric_search *s = arg;
	const struct metric_row *r = s->row;

	if (strcmp(m->name, r->name) != 0)
		return 0;
	s->count++;
	TT_EQ(r, m->usable, r->is_usable);
	TT_EQ(r, !*m->reason, r->is_usable);
	if (*r->unit_text)
		TT_STR(r, m->unit_text, r->unit_text);
	TT_EQ(r, !*m->formula, 0);
	TT_EQ(r, !*m->desc, 0);
	tt_has_(m->reason, r->reason, r->name, __FILE__, r->line);
	return 0;
}

TEST(metrics_know_what_they_lack)
{
	TT_FOR_EACH_ROW(r, metric_rows) {
		struct metric_search s = { .row = r };
		struct ntime_ctx *ctx = golden_open(r->machine);

		TT_EQ(r, ntime_metric_for_each(ctx, check_metric, &s), 0);
		TT_EQ(r, s.count, 1);
		ntime_close(ctx);
	}
}

static const struct problem_row {
	int line;
	const char *machine;
	const char *reasons; /* one after the other, a bar between */
	const char *codes;   /* of each: the reason's, and where the remedy is applied */
} problem_rows[] = {
	{ __LINE__, SKX, "", "" },
	{ __LINE__, ARM, "kernel.perf_user_access is 0: user mode may not read the counters|",
	  "setting here|" },
	{ __LINE__, KVM,
	  "the hypervisor (KVM) exposes no core PMU to this guest|"
	  "/sys/kernel/tracing/events, where the numbers of tracepoints are, is not mounted|the "
	  "msr driver is not loaded|",
	  "hypervisor elsewhere|not-mounted here|not-loaded here|" },
	{ __LINE__, RES,
	  "perf_event_paranoid is 4: an ordinary user may not count anything|"
	  "the kernel's NMI watchdog uses it|"
	  "only root may read /sys/kernel/tracing/events, where the numbers of tracepoints are|"
	  "the msr driver is not loaded|",
	  "paranoid here|busy here|permission here|not-loaded here|" },
};

struct problems {
	char reasons[4096], codes[1024];
};

static int add_reason(void *arg, const struct ntime_problem *o)
{
	struct problems *all = arg;
	size_t n = strlen(all->codes);

	assert_true(*o->what && *o->remedy && *o->about);
	strncat(all->reasons, o->reason, 400);
	strcat(all->reasons, "|");
	snprintf(all->codes + n, sizeof(all->codes) - n, "%s %s|",
		 ntime_reason_name(o->reason_code), ntime_remedy_kind_name(o->remedy_kind));
	return 0;
}

TEST(problems_are_exactly_these)
{
	TT_FOR_EACH_ROW(r, problem_rows) {
		struct ntime_ctx *ctx = golden_open(r->machine);
		struct problems all = { .reasons = "" };

		TT_EQ(r, ntime_problem_for_each(ctx, add_reason, &all), 0);
		TT_STR(r, all.reasons, r->reasons);
		TT_STR(r, all.codes, r->codes);
		ntime_close(ctx);
	}
}

/* Absences that are one and the same by their data. */
struct cause {
	uint32_t code;
	char about[128], remedy[512], cause[512];
};

struct causes {
	size_t n, absences;
	struct cause of[256];
};

/*
 * Whatever is not usable has a code, something that it is about, and a remedy or the word that
 * there is none.
 */
static void check_absence(struct causes *all, uint32_t usable, uint32_t code, uint32_t kind,
			  const char *about, const char *cause, const char *remedy)
{
	struct cause *c = &all->of[all->n];
	size_t i;

	if (usable) {
		TT_IS(code, NTIME_REASON_NONE);
		return;
	}
	all->absences++;
	assert_true(code != NTIME_REASON_NONE && *ntime_reason_name(code));
	assert_true(*about && *cause && *remedy);
	TT_IS(kind == NTIME_REMEDY_NONE, strcmp(remedy, "none") == 0);
	for (i = 0; i < all->n; i++) {
		if (all->of[i].code != code || strcmp(all->of[i].about, about) != 0 ||
		    strcmp(all->of[i].remedy, remedy) != 0)
			continue;
		/* Who merges them prints one sentence for all. */
		TT_TEXT(cause, all->of[i].cause);
		return;
	}
	assert_true(all->n < sizeof(all->of) / sizeof(all->of[0]));
	c->code = code;
	snprintf(c->about, sizeof(c->about), "%s", about);
	snprintf(c->remedy, sizeof(c->remedy), "%s", remedy);
	snprintf(c->cause, sizeof(c->cause), "%s", cause);
	all->n++;
}

static int check_unit_absence(void *arg, const struct ntime_unit_info *u)
{
	check_absence(arg, u->usable, u->reason_code, u->remedy_kind, u->about, u->reason,
		      u->remedy);
	return 0;
}

static int check_method_absence(void *arg, const struct ntime_method_info *m)
{
	/* One that can be used may have limits. */
	if (!m->usable)
		check_absence(arg, m->usable, m->reason_code, m->remedy_kind, m->about, m->reason,
			      m->remedy);
	return 0;
}

static int check_event_absence(void *arg, const struct ntime_event_info *e)
{
	size_t reason = strlen(e->reason), cause = strlen(e->cause);

	assert_true(cause <= reason);
	TT_TEXT(e->cause, e->reason + reason - cause);
	check_absence(arg, e->usable, e->reason_code, e->remedy_kind, e->about, e->cause,
		      e->remedy);
	return 0;
}

TEST(every_absence_has_its_data)
{
	static const char *const machines[] = { SKX, ZEN, ARM, ADL, KVM, RES };
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct causes *all = calloc(1, sizeof(*all));
		struct ntime_ctx *ctx = golden_open(machines[i]);

		assert_non_null(all);
		TT_IS(ntime_method_for_each(ctx, check_method_absence, all), 0);
		TT_IS(ntime_unit_for_each(ctx, check_unit_absence, all), 0);
		TT_IS(ntime_event_for_each(ctx, NULL, check_event_absence, all), 0);
		TT_IS(ntime_metric_for_each(ctx, check_event_absence, all), 0);
		/*
		 * The ways in to registers that a recording does not have, and metrics of other
		 * machines.
		 */
		assert_true(all->absences > 2 && all->n > 1);
		ntime_close(ctx);
		free(all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_are_exactly_these),
		cmocka_unit_test(events_are_listed),
		cmocka_unit_test(what_can_be_counted_is_counted_up),
		cmocka_unit_test(metrics_know_what_they_lack),
		cmocka_unit_test(problems_are_exactly_these),
		cmocka_unit_test(every_absence_has_its_data),
	};

	return TT_RUN(tests);
}
