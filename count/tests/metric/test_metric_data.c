// SPDX-License-Identifier: MIT
/*
 * The ready-made metrics: they parse, use only events that are known to exist somewhere, and
 * compute what they say.
 */
#include <math.h>

#include "base/common/text.h"
#include "count/lib/metric/metric.h"
#include "base/tests/tt.h"

/*
 * Every event that a ready-made metric may use. Sources: perf-list(1) for the generic names; Linux
 * 6.1, arch/x86/events/msr.c, rapl.c, intel/cstate.c, intel/uncore_snb.c and intel/uncore_snbep.c,
 * and count/data/events for those with slashes; libpfm4's tables of the uncores of Intel's; tsc is
 * ntime's own.
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
	"amd_df/dram_channel_data_controller_0/",
	"amd_df/dram_channel_data_controller_1/",
	"amd_df/dram_channel_data_controller_2/",
	"amd_df/dram_channel_data_controller_3/",
	"amd_df/dram_channel_data_controller_4/",
	"amd_df/dram_channel_data_controller_5/",
	"amd_df/dram_channel_data_controller_6/",
	"amd_df/dram_channel_data_controller_7/",
	"amd_l3/l3_lookup_all/",
	"amd_l3/l3_lookup_miss/",
	"bdx_unc_imc::UNC_M_POWER_CRITICAL_THROTTLE_CYCLES",
	"bdx_unc_pcu::UNC_P_CLOCKTICKS",
	"bdx_unc_pcu::UNC_P_FREQ_MAX_LIMIT_THERMAL_CYCLES",
	"bdx_unc_pcu::UNC_P_FREQ_MAX_POWER_CYCLES",
	"bdx_unc_pcu::UNC_P_PROCHOT_EXTERNAL_CYCLES",
	"bdx_unc_pcu::UNC_P_PROCHOT_INTERNAL_CYCLES",
	"branch-misses",
	"branches",
	"cache-misses",
	"cache-references",
	"context-switches",
	"cpu-clock",
	"cpu-migrations",
	"cstate_core/c1-residency/",
	"cstate_core/c3-residency/",
	"cstate_core/c6-residency/",
	"cstate_core/c7-residency/",
	"cstate_pkg/c10-residency/",
	"cstate_pkg/c2-residency/",
	"cstate_pkg/c3-residency/",
	"cstate_pkg/c6-residency/",
	"cstate_pkg/c7-residency/",
	"cstate_pkg/c8-residency/",
	"cstate_pkg/c9-residency/",
	"cycles",
	"cycles:k",
	"dTLB-load-misses",
	"dTLB-loads",
	"dTLB-store-misses",
	"dTLB-stores",
	"gpu0/cycles_core_a/",
	"gpu0/cycles_core_b/",
	"gpu0/cycles_shader/",
	"gpu0/geom_busy/",
	"gpu0/geom_waits_for_shader/",
	"gpu0/gpu_idle/",
	"gpu0/input_assembler_busy/",
	"gpu0/input_assembler_waits_for_fb/",
	"gpu0/rop_busy/",
	"gpu0/rop_waits_for_fb/",
	"gpu0/rop_waits_for_shader/",
	"gpu0/shader_waits_for_geom/",
	"gpu0/shader_waits_for_rop/",
	"gpu0/shader_waits_for_texture/",
	"gpu0/stream_out_busy/",
	"gpu0/texture_busy/",
	"gpu0/texture_sample_base_level_rate.0/",
	"gpu0/texture_sample_base_level_rate.1/",
	"gpu0/texture_waits_for_fb/",
	"gpu0/texture_waits_for_shader/",
	"hswep_unc_imc::UNC_M_POWER_CRITICAL_THROTTLE_CYCLES",
	"hswep_unc_pcu::UNC_P_CLOCKTICKS",
	"hswep_unc_pcu::UNC_P_FREQ_MAX_LIMIT_THERMAL_CYCLES",
	"hswep_unc_pcu::UNC_P_FREQ_MAX_POWER_CYCLES",
	"hswep_unc_pcu::UNC_P_PROCHOT_EXTERNAL_CYCLES",
	"hswep_unc_pcu::UNC_P_PROCHOT_INTERNAL_CYCLES",
	"iTLB-load-misses",
	"iTLB-loads",
	"instructions",
	"instructions:k",
	"ivbep_unc_imc::UNC_M_POWER_CRITICAL_THROTTLE_CYCLES",
	"ivbep_unc_pcu::UNC_P_CLOCKTICKS",
	"ivbep_unc_pcu::UNC_P_FREQ_MAX_CURRENT_CYCLES",
	"ivbep_unc_pcu::UNC_P_FREQ_MAX_LIMIT_THERMAL_CYCLES",
	"ivbep_unc_pcu::UNC_P_FREQ_MAX_POWER_CYCLES",
	"ivbep_unc_pcu::UNC_P_PROCHOT_EXTERNAL_CYCLES",
	"ivbep_unc_pcu::UNC_P_PROCHOT_INTERNAL_CYCLES",
	"major-faults",
	"minor-faults",
	"msr/aperf/",
	"msr/cpu_thermal_margin/",
	"msr/mperf/",
	"msr/tsc/",
	"nhm_unc::UNC_LLC_HITS:ANY",
	"nhm_unc::UNC_LLC_MISS:ANY",
	"page-faults",
	"power/energy-cores/",
	"power/energy-gpu/",
	"power/energy-pkg/",
	"power/energy-psys/",
	"power/energy-ram/",
	"proc/cgroup-cpu/",
	"proc/idle/",
	"proc/iowait/",
	"proc/irq/",
	"proc/nice/",
	"proc/pressure-cpu/",
	"proc/pressure-io/",
	"proc/pressure-memory/",
	"proc/softirq/",
	"proc/steal/",
	"proc/system/",
	"proc/user/",
	"ref-cycles",
	"skx_unc_imc::UNC_M_POWER_CRITICAL_THROTTLE_CYCLES",
	"skx_unc_pcu::UNC_P_CLOCKTICKS",
	"skx_unc_pcu::UNC_P_FREQ_MAX_LIMIT_THERMAL_CYCLES",
	"skx_unc_pcu::UNC_P_FREQ_MAX_POWER_CYCLES",
	"skx_unc_pcu::UNC_P_PROCHOT_EXTERNAL_CYCLES",
	"skx_unc_pcu::UNC_P_PROCHOT_INTERNAL_CYCLES",
	"snbep_unc_imc::UNC_M_POWER_CRITICAL_THROTTLE_CYCLES",
	"snbep_unc_pcu::UNC_P_CLOCKTICKS",
	"snbep_unc_pcu::UNC_P_FREQ_MAX_CURRENT_CYCLES",
	"snbep_unc_pcu::UNC_P_FREQ_MAX_LIMIT_THERMAL_CYCLES",
	"snbep_unc_pcu::UNC_P_FREQ_MAX_POWER_CYCLES",
	"snbep_unc_pcu::UNC_P_PROCHOT_EXTERNAL_CYCLES",
	"snbep_unc_pcu::UNC_P_PROCHOT_INTERNAL_CYCLES",
	"stalled-cycles-backend",
	"stalled-cycles-frontend",
	"task-clock",
	"thermal/critical-log/",
	"thermal/critical/",
	"thermal/cross-domain-log/",
	"thermal/cross-domain/",
	"thermal/current-limit-log/",
	"thermal/current-limit/",
	"thermal/headroom/",
	"thermal/hot-log/",
	"thermal/hot/",
	"thermal/limit/",
	"thermal/power-limit-log/",
	"thermal/power-limit/",
	"thermal/prochot-log/",
	"thermal/prochot/",
	"thermal_pkg/critical-log/",
	"thermal_pkg/critical/",
	"thermal_pkg/headroom/",
	"thermal_pkg/hot-log/",
	"thermal_pkg/hot/",
	"thermal_pkg/limit/",
	"thermal_pkg/power-limit-log/",
	"thermal_pkg/power-limit/",
	"thermal_pkg/prochot-log/",
	"thermal_pkg/prochot/",
	"tsc",
	"uncore/qmc_normal_reads/",
	"uncore/qmc_writes_full/",
	"uncore_imc/cas_count_read/",
	"uncore_imc/cas_count_write/",
	"uncore_imc/clockticks/",
	"uncore_imc/data_reads/",
	"uncore_imc/data_writes/",
	"uncore_imc_free_running/data_read/",
	"uncore_imc_free_running/data_write/",
	"wsm_unc::UNC_CLK_UNHALTED",
	"wsm_unc::UNC_DRAM_THERMAL_THROTTLED",
	"wsm_unc::UNC_LLC_HITS:ANY",
	"wsm_unc::UNC_LLC_MISS:ANY",
	"wsm_unc::UNC_PROCHOT_ASSERTION",
	"wsm_unc::UNC_THERMAL_THROTTLED_TEMP:CORE_0",
	"wsm_unc::UNC_THERMAL_THROTTLED_TEMP:CORE_1",
	"wsm_unc::UNC_THERMAL_THROTTLED_TEMP:CORE_2",
	"wsm_unc::UNC_THERMAL_THROTTLED_TEMP:CORE_3",
	"wsm_unc::UNC_THERMAL_THROTTLING_PROCHOT:CORE_0",
	"wsm_unc::UNC_THERMAL_THROTTLING_PROCHOT:CORE_1",
	"wsm_unc::UNC_THERMAL_THROTTLING_PROCHOT:CORE_2",
	"wsm_unc::UNC_THERMAL_THROTTLING_PROCHOT:CORE_3",
};

/* count/tests/data compares them with what the parser makes of the files. */
static const struct nti_metrics *const all = &nti_metrics_built_in;

/* Calls @fn for every formula of every metric. */
static void for_each_formula(void (*fn)(const struct nti_metric *m, const struct nti_formula *f))
{
	size_t i, j;

	for (i = 0; i < all->count; i++) {
		for (j = 0; j < all->metric[i].formulas; j++)
			fn(&all->metric[i], all->metric[i].formula[j]);
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

/*
 * With all inputs at 1 every formula has a value: none divides by a constant 0 or is not finite by
 * itself. A difference may be 0.
 */
static void check_value(const struct nti_metric *m, const struct nti_formula *f)
{
	struct nti_number ones[NTI_METRIC_MAX_EVENTS], got;
	double wanted_ns[NTI_METRIC_MAX_EVENTS];
	struct nti_formula_input in = { ones, 1, 1, wanted_ns };
	size_t i;

	for (i = 0; i < NTI_METRIC_MAX_EVENTS; i++)
		ones[i] = (struct nti_number){ 1, 0.01 };
	for (i = 0; i < NTI_METRIC_MAX_EVENTS; i++)
		wanted_ns[i] = 1;
	got = nti_formula_eval(f, &in);
	if (!(got.value >= 0) || !isfinite(got.error))
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
		/* of four CPUs; pressure of the machine */
		{ "proc/user/", 1e9 },
		{ "proc/nice/", 1e9 },
		{ "proc/system/", 5e8 },
		{ "proc/irq/", 2e8 },
		{ "proc/softirq/", 1e8 },
		{ "proc/idle/", 4e9 },
		{ "proc/iowait/", 8e8 },
		{ "proc/steal/", 4e8 },
		{ "proc/pressure-cpu/", 5e8 },
		{ "proc/pressure-memory/", 2e8 },
		{ "proc/pressure-io/", 1e9 },
		{ "proc/cgroup-cpu/", 3e9 },
		{ "power/energy-pkg/", 90 },
		{ "uncore_imc/cas_count_read/", 300 },
		{ "uncore_imc/cas_count_write/", 100 },
		/* of four CPUs, each of which was idle for three quarters of the time */
		{ "msr/aperf/", 7.5e9 },
		{ "msr/mperf/", 5e9 },
		{ "msr/tsc/", 20e9 },
		/* of two cores and one package */
		{ "cstate_core/c1-residency/", 1e9 },
		{ "cstate_core/c3-residency/", 0 },
		{ "cstate_core/c6-residency/", 4e9 },
		{ "cstate_core/c7-residency/", 2e9 },
		{ "cstate_pkg/c2-residency/", 1e9 },
		{ "cstate_pkg/c3-residency/", 5e8 },
		{ "cstate_pkg/c6-residency/", 25e8 },
		{ "cstate_pkg/c7-residency/", 5e7 },
		{ "cstate_pkg/c8-residency/", 15e7 },
		{ "cstate_pkg/c9-residency/", 1e8 },
		{ "cstate_pkg/c10-residency/", 2e8 },
		{ "power/energy-cores/", 60 },
		{ "power/energy-gpu/", 4 },
		{ "power/energy-ram/", 8 },
		{ "power/energy-psys/", 120 },
		{ "thermal/hot/", 1 },
		{ "thermal/headroom/", 13 },
		{ "thermal/limit/", 100 },
		{ "thermal/prochot-log/", 1 },
		{ "thermal/power-limit/", 0 },
		{ "thermal_pkg/headroom/", 11 },
		{ "thermal_pkg/limit/", 98 },
		{ "wsm_unc::UNC_CLK_UNHALTED", 4e9 },
		{ "wsm_unc::UNC_DRAM_THERMAL_THROTTLED", 1e9 },
		{ "wsm_unc::UNC_THERMAL_THROTTLED_TEMP:CORE_0", 0 },
		{ "wsm_unc::UNC_THERMAL_THROTTLED_TEMP:CORE_1", 4e8 },
		{ "wsm_unc::UNC_THERMAL_THROTTLED_TEMP:CORE_2", 8e8 },
		{ "wsm_unc::UNC_THERMAL_THROTTLED_TEMP:CORE_3", 6e8 },
		{ "wsm_unc::UNC_THERMAL_THROTTLING_PROCHOT:CORE_0", 4e8 },
		{ "wsm_unc::UNC_THERMAL_THROTTLING_PROCHOT:CORE_1", 1e8 },
		{ "wsm_unc::UNC_THERMAL_THROTTLING_PROCHOT:CORE_2", 0 },
		{ "wsm_unc::UNC_THERMAL_THROTTLING_PROCHOT:CORE_3", 2e8 },
		{ "wsm_unc::UNC_PROCHOT_ASSERTION", 6 },
		{ "snbep_unc_pcu::UNC_P_CLOCKTICKS", 2e9 },
		{ "snbep_unc_pcu::UNC_P_FREQ_MAX_POWER_CYCLES", 5e8 },
		{ "snbep_unc_pcu::UNC_P_FREQ_MAX_CURRENT_CYCLES", 1e8 },
		{ "amd_l3/l3_lookup_all/", 8e6 },
		{ "gpu0/gpu_idle/", 1e8 },
		{ "gpu0/cycles_core_a/", 4e8 },
		{ "gpu0/shader_waits_for_texture/", 1e8 },
		{ "gpu0/shader_waits_for_geom/", 2e8 },
		{ "gpu0/shader_waits_for_rop/", 5e7 },
		{ "gpu0/cycles_shader/", 5e8 },
		{ "amd_l3/l3_lookup_miss/", 1e6 },
	};
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (strcmp(counts[i].event, event) == 0)
			return counts[i].count;
	fail_msg("the table of counts lacks %s", event);
	return 0;
}

/* Wanted for: two cores, one package, else CPUs. */
static double wanted_ns_of(const char *event)
{
	if (strncmp(event, "cstate_core/", 12) == 0)
		return 2 * 2e9;
	return strncmp(event, "msr/", 4) == 0 ? 4 * 2e9 : 2e9;
}

static const struct value_row {
	int line;
	const char *metric, *unit, *beside;
	double value;
} value_rows[] = {
	{ __LINE__, "gpu_busy_percent", "%", NULL, 75 },
	{ __LINE__, "gpu_idle_percent", "%", NULL, 25 },
	{ __LINE__, "shader_waits_percent", "%", NULL, 70 },
	{ __LINE__, "shader_waits_for_geom_percent", "%", NULL, 40 },
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
	{ __LINE__, "CPU-use", "%", NULL, 35 },
	{ __LINE__, "user-share", "%", NULL, 25 },
	{ __LINE__, "system-share", "%", NULL, 10 },
	{ __LINE__, "iowait-share", "%", NULL, 10 },
	{ __LINE__, "steal-share", "%", NULL, 5 },
	{ __LINE__, "CPU-pressure", "%", NULL, 25 },
	{ __LINE__, "memory-pressure", "%", NULL, 10 },
	{ __LINE__, "IO-pressure", "%", NULL, 50 },
	{ __LINE__, "cgroup-CPUs", "CPUs", NULL, 1.5 },
	{ __LINE__, "tsc-frequency", "GHz", "tsc", 2.5 },
	{ __LINE__, "active-clock-ratio", "cycle/ref-cycle", "msr/aperf/", 1.5 },
	{ __LINE__, "active-share", "%", "msr/mperf/", 25 },
	{ __LINE__, "busy-frequency", "GHz", NULL, 3.75 },
	{ __LINE__, "mean-frequency", "GHz", NULL, 0.9375 },
	{ __LINE__, "core-c1-share", "%", NULL, 10 },
	{ __LINE__, "core-c3-share", "%", NULL, 0 },
	{ __LINE__, "core-c6-share", "%", NULL, 40 },
	{ __LINE__, "core-c7-share", "%", NULL, 20 },
	{ __LINE__, "package-c2-share", "%", NULL, 20 },
	{ __LINE__, "package-c3-share", "%", NULL, 10 },
	{ __LINE__, "package-c6-share", "%", NULL, 50 },
	{ __LINE__, "package-c7-share", "%", NULL, 1 },
	{ __LINE__, "package-c8-share", "%", NULL, 3 },
	{ __LINE__, "package-c9-share", "%", NULL, 2 },
	{ __LINE__, "package-c10-share", "%", NULL, 4 },
	{ __LINE__, "core-thermal-limit", "1=yes", NULL, 1 },
	{ __LINE__, "core-prochot-log", "1=yes", NULL, 1 },
	{ __LINE__, "core-power-limit", "1=yes", NULL, 0 },
	{ __LINE__, "thermal-headroom", "C", NULL, 13 },
	{ __LINE__, "core-temperature", "C", NULL, 87 },
	{ __LINE__, "package-headroom", "C", NULL, 11 },
	{ __LINE__, "package-temperature", "C", NULL, 87 },
	{ __LINE__, "memory-throttled-share", "%", NULL, 25 },
	{ __LINE__, "heat-throttled-share", "%", NULL, 20 },
	{ __LINE__, "prochot-throttled-share", "%", NULL, 10 },
	{ __LINE__, "power-throttled-share", "%", NULL, 25 },
	{ __LINE__, "current-throttled-share", "%", NULL, 5 },
	{ __LINE__, "prochot-rate", "/s", NULL, 3 },
	{ __LINE__, "L3-miss-ratio", "%", NULL, 12.5 },
	{ __LINE__, "memory-write-share", "%", NULL, 25 },
	{ __LINE__, "memory-read-bandwidth", "MiB/s", NULL, 150 },
	{ __LINE__, "memory-write-bandwidth", "MiB/s", NULL, 50 },
	{ __LINE__, "memory-bandwidth", "MiB/s", NULL, 200 },
	{ __LINE__, "package-power", "W", "power/energy-pkg/", 45 },
	{ __LINE__, "core-power", "W", "power/energy-cores/", 30 },
	{ __LINE__, "GPU-power", "W", "power/energy-gpu/", 2 },
	{ __LINE__, "DRAM-power", "W", "power/energy-ram/", 4 },
	{ __LINE__, "platform-power", "W", "power/energy-psys/", 60 },
	{ __LINE__, "package-energy", "J", NULL, 90 },
	{ __LINE__, "core-energy", "J", NULL, 60 },
	{ __LINE__, "GPU-energy", "J", NULL, 4 },
	{ __LINE__, "DRAM-energy", "J", NULL, 8 },
	{ __LINE__, "platform-energy", "J", NULL, 120 },
	{ __LINE__, "energy-per-instruction", "nJ/insn", NULL, 15 },
};

/* Older than the rule that each metric has a row above. */
static const char *const without_value[] = { "branch-share",
					     "L1D-load-miss-ratio",
					     "L1D-load-MPKI",
					     "L1D-load-rate",
					     "L1I-load-miss-ratio",
					     "L1I-load-MPKI",
					     "LLC-load-miss-ratio",
					     "LLC-load-MPKI",
					     "LLC-load-rate",
					     "LLC-store-miss-ratio",
					     "dTLB-load-miss-ratio",
					     "dTLB-load-MPKI",
					     "dTLB-store-miss-ratio",
					     "iTLB-load-miss-ratio",
					     "iTLB-load-MPKI",
					     "core-thermal-limit-log",
					     "core-prochot",
					     "core-critical",
					     "core-critical-log",
					     "core-power-limit-log",
					     "core-current-limit",
					     "core-current-limit-log",
					     "core-cross-domain-limit",
					     "core-cross-domain-limit-log",
					     "package-thermal-limit",
					     "package-thermal-limit-log",
					     "package-prochot",
					     "package-prochot-log",
					     "package-critical",
					     "package-critical-log",
					     "package-power-limit",
					     "package-power-limit-log",
					     "input_assembler_busy_percent",
					     "input_assembler_waits_for_fb_percent",
					     "geom_busy_percent",
					     "geom_waits_for_shader_percent",
					     "stream_out_busy_percent",
					     "shader_waits_for_texture_percent",
					     "shader_waits_for_rop_percent",
					     "rop_busy_percent",
					     "rop_waits_for_shader_percent",
					     "rop_waits_for_fb_percent",
					     "texture_busy_percent",
					     "texture_waits_for_fb_percent",
					     "texture_waits_for_shader_percent",
					     "texture_base_level_percent" };

static bool has_value(const char *metric)
{
	size_t i;

	for (i = 0; i < sizeof(value_rows) / sizeof(value_rows[0]); i++)
		if (strcmp(value_rows[i].metric, metric) == 0)
			return true;
	for (i = 0; i < sizeof(without_value) / sizeof(without_value[0]); i++)
		if (strcmp(without_value[i], metric) == 0)
			return true;
	return false;
}

TEST(values)
{
	size_t k;

	TT_FOR_EACH_ROW(r, value_rows) {
		const struct nti_metric *m = nti_metrics_find(all, r->metric);
		struct nti_number events[NTI_METRIC_MAX_EVENTS], got;
		double wanted_ns[NTI_METRIC_MAX_EVENTS];
		struct nti_formula_input in = { events, 2e9, 4, wanted_ns };
		const struct nti_formula *f;
		size_t i;

		if (!m)
			fail_msg("%s:%d: there is no metric %s", __FILE__, r->line, r->metric);
		TT_STR(r, m->unit, r->unit);
		TT_STR(r, m->beside ? m->beside : "-", r->beside ? r->beside : "-");
		f = m->formula[0];
		for (i = 0; i < nti_formula_count(f); i++) {
			events[i] = (struct nti_number){ count_of(nti_formula_event(f, i)), 0 };
			wanted_ns[i] = wanted_ns_of(nti_formula_event(f, i));
		}
		got = nti_formula_eval(f, &in);
		if (fabs(got.value - r->value) > 1e-12 * r->value)
			fail_msg("%s:%d: %s is %.17g, expected %.17g", __FILE__, r->line, r->metric,
				 got.value, r->value);
	}
	for (k = 0; k < all->count; k++)
		if (!has_value(all->metric[k].name))
			fail_msg("value_rows has no row for %s", all->metric[k].name);
}

/* Also in Turkish, whose small letter of I is another one (tests/meson.build). */
TEST(names_are_found_in_small_letters)
{
	for (size_t k = 0; k < all->count; k++) {
		const char *name = all->metric[k].name;
		char small[NTI_METRIC_MAX_NAME_BYTES + 1] = "";

		for (size_t i = 0; name[i]; i++)
			small[i] = nti_text_lower(name[i]);
		if (nti_metrics_find(all, small) != &all->metric[k])
			fail_msg("%s is not found as %s", name, small);
	}
}

TEST(groups_are_whole)
{
	static const char *const groups[] = { "throttling", "memory", "power", "frequency",
					      "cstates",    "core",   "cache", "load" };
	size_t i;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		assert_true(nti_metrics_has_group(all, groups[i]));
	for (i = 0; i < all->count; i++)
		if (!all->metric[i].group)
			fail_msg("%s belongs to no group", all->metric[i].name);
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
	char *docs = read_source("count/docs/metrics.md"), line[1024];
	size_t i;

	for (i = 0; i < all->count; i++) {
		const struct nti_metric *m = &all->metric[i];

		snprintf(line, sizeof(line), "\n| `%s` | %s | `%s` | %s%s%s |\n", m->name, m->unit,
			 nti_formula_text(m->formula[0]), m->beside ? "`" : "",
			 m->beside ? m->beside : "", m->beside ? "`" : "");
		if (!strstr(docs, line))
			fail_msg("count/docs/metrics.md lacks the line%s", line);
	}
	/* and none that is gone */
	TT_IS(count_lines(docs, "\n| `"), all->count);
	free(docs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_known),
		cmocka_unit_test(formulas_have_values),
		cmocka_unit_test(values),
		cmocka_unit_test(groups_are_whole),
		cmocka_unit_test(names_are_found_in_small_letters),
		cmocka_unit_test(docs_list_all),
	};

	return TT_RUN(tests);
}
