// SPDX-License-Identifier: MIT
/* What is known of PMUs by their names alone. */
#include "base/common/compiler.h"
#include "count/lib/machine/unit_rows.h"

#define CORES "performance counters of the CPU cores"
/* Their pmu.read() does nothing (arch/x86/events/intel/pt.c, bts.c, amd/ibs.c; drivers/perf). */
#define RECORDER                                                                                   \
	.reason = "it records what happens, and counts nothing", .remedy = "perf record takes it"
/* Linux kernel/events/core.c: the function's name is a pointer, for which events have no term. */
#define PROBE                                                                                      \
	.reason = "ntime makes no probes",                                                         \
	.remedy = "make one with perf probe; it is then a tracepoint, which ntime counts"

/*
 * Names are those the kernel's drivers register (Linux arch/x86/events, drivers/perf). A row speaks
 * for every name that begins with .prefix; longer prefixes stand first. Counters: num_counters of
 * the driver's box description, the smallest of all processors that use the name
 * (arch/x86/events/intel/uncore_snb.c, uncore_snbep.c, uncore_nhmex.c;
 * arch/x86/events/amd/uncore.c; Documentation/admin-guide/perf/): too few cost a pass, too many a
 * failed group.
 */
static const struct nti_unit_row unit_rows[] = {
	{ "cpu_core", "performance counters of the performance cores" },
	{ "cpu_atom", "performance counters of the efficient cores" },
	{ "cpum_cf", CORES },
	{ "cpu", CORES },
	{ "armv8_", CORES },
	{ "armv7_cortex_a5", CORES, .is_mode_blind = true },
	{ "armv7_cortex_a8", CORES, .is_mode_blind = true },
	{ "armv7_cortex_a9", CORES, .is_mode_blind = true },
	{ "armv7_scorpion", CORES, .is_mode_blind = true }, /* and scorpion_mp; krait filters */
	{ "armv7_", CORES },
	{ "armv6_", CORES, .is_mode_blind = true },
	{ "armv5_", CORES, .is_mode_blind = true },
	{ "apple_", CORES },
	{ "software", "what the kernel counts itself: times, faults, switches" },
	{ "proc", "what the kernel tells everybody: busy CPUs, pressure, temperature" },
	{ "tracepoint", "tracepoints of the kernel" },
	{ "breakpoint", "hardware breakpoints", .reason = "ntime sets no breakpoints",
	  .remedy = "perf stat -e mem:ADDRESS:rw counts accesses" },
	{ "uprobe", "probes in user programs", PROBE },
	{ "kprobe", "probes in the kernel", PROBE },
	{ "msr", "time stamp, APERF, MPERF and other registers of a core", 0, true },
	{ "power_core", "energy of each core (RAPL)", 0, true },
	{ "power", "energy of package, cores, memory and graphics (RAPL)", 0, true },
	{ "cstate_core", "time that cores spent in sleep states", 0, true },
	{ "cstate_pkg", "time that packages spent in sleep states", 0, true },
	/* ntime's own: no driver of the kernel makes a PMU of these registers. */
	{ "thermal_pkg", "thermal and power limits of packages, and how hot they are", 0, true },
	{ "thermal", "thermal and power limits of cores, and how hot they are", 0, true },
	{ "uncore_imc_free_running", "memory controller, counters that always run", 0, true },
	{ "uncore_iio_free_running", "I/O stack, counters that always run", 0, true },
	{ "uncore_imc", "memory controller or one channel of it", 4 },
	{ "uncore_cha", "caching and home agent beside one slice of the last level cache", 4 },
	{ "uncore_cbox", "one slice of the last level cache", 2 },
	{ "uncore_arb", "arbiter between the cores and memory", 2 },
	{ "uncore_ha", "home agent of the memory controller", 4 },
	{ "uncore_upi", "link to another socket (UPI)", 4 },
	{ "uncore_qpi", "link to another socket (QPI)", 4 },
	{ "uncore_m3upi", "mesh to socket link", 3 },
	{ "uncore_m2m", "mesh to memory", 4 },
	{ "uncore_m2pcie", "mesh to PCIe", 4 },
	{ "uncore_iio", "I/O stack (PCIe and DMI traffic)", 4 },
	{ "uncore_irp", "ring to I/O coherence", 2 },
	{ "uncore_pcu", "power control unit", 4 },
	{ "uncore_r2pcie", "ring to PCIe", 4 },
	{ "uncore_r3qpi", "ring to socket link", 3 },
	{ "uncore_sbox", "crossing between rings", 4 },
	{ "uncore_ubox", "system configuration box", 2 },
	{ "uncore_edc", "on-package memory controller", 4 },
	{ "uncore_mc", "memory controller", 4 },
	{ "uncore_clock", "clock of the uncore", 0, true },
	{ "uncore", "uncore of a socket", 8 },
	{ "amd_l3", "last level cache shared by a core complex", 6 },
	{ "amd_df", "data fabric: links, memory controllers", 4 },
	{ "amd_nb", "northbridge", 4 },
	{ "amd_umc", "unified memory controller", 4 },
	{ "amd_iommu", "I/O memory management unit" },
	{ "ibs_fetch", "sampling of instruction fetches (IBS)", RECORDER },
	{ "ibs_op", "sampling of operations (IBS)", RECORDER },
	{ "intel_pt", "trace of the program's path (Processor Trace)", RECORDER },
	{ "intel_bts", "trace of branches (BTS)", RECORDER },
	{ "i915", "Intel graphics", 0, true },
	{ "cs_etm", "trace of the program's path (CoreSight)", RECORDER },
	{ "arm_spe", "sampling of operations (SPE)", RECORDER },
	{ "arm_dsu", "cache and snoop unit shared by a cluster", 6 },
	{ "arm_cmn", "mesh interconnect" },
	{ "smmuv3_pmcg", "I/O memory management unit" },
	{ "hisi_", "uncore of a HiSilicon processor" },
	{ "nvidia_", "uncore of an NVIDIA processor" },
	{ "cxl_pmu", "CXL device" },
};

const struct nti_unit_row *nti_unit_row(const char *name)
{
	static const struct nti_unit_row unknown = { "", "" };
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(unit_rows); i++)
		if (strncmp(name, unit_rows[i].prefix, strlen(unit_rows[i].prefix)) == 0)
			return &unit_rows[i];
	return &unknown;
}

bool nti_unit_row_is_name(const char *name)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(unit_rows); i++)
		if (nti_unit_is_numbered(name, unit_rows[i].prefix))
			return true;
	return false;
}
