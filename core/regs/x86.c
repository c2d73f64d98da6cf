// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Model-specific registers of x86: the architectural PMU, clocks, temperature, energy.
 *
 * Fields and addresses were read in public copies of Intel's Software Developer's Manual (the older edition with its order number 253669, and
 * one of about 2016 called "SDM") and compared with what Linux 6.1 has of them, in the files that each .source names. Where a source says "not
 * opened", only Linux was. Rows of the architectural table hold on every processor whose CPUID says so; the others name the processors
 * they are from.
 */
#include "core/regs/box_rows.h"
#include "core/regs/regs.h"

#define MSR_INDEX "Linux 6.1 arch/x86/include/asm/msr-index.h"
#define PERF_EVENT "arch/x86/include/asm/perf_event.h"
#define ARCH MSR_INDEX "; defined in Intel SDM vol. 4, table 2-2 (not opened)"
#define ARCH_SELECT MSR_INDEX " and " PERF_EVENT "; Intel 253669, 18.13.2.2, figure 18-18 and table B-2"
#define ARCH_STATUS MSR_INDEX " and " PERF_EVENT "; Intel SDM vol. 3C, table 35-2, 38EH"
#define ARCH_GLOBAL MSR_INDEX " and " PERF_EVENT " (metrics), arch/x86/events/intel/core.c (fourth fixed counter); Intel SDM vol. 3C, table " \
	"35-2, 38FH; reset: Linux arch/x86/kvm/pmu.c, kvm_pmu_refresh(), in versions after 6.1"
#define ARCH_CLEAR MSR_INDEX " and " PERF_EVENT "; Intel 253669, figure 18-20; SDM vol. 3C, table 35-2, 390H"
#define ARCH_PMC MSR_INDEX " and arch/x86/events/intel/core.c, intel_pmu_init() (full_width_write); " \
	"defined in Intel SDM vol. 4, table 2-2 (not opened)"
#define ARCH_FIXED MSR_INDEX " and arch/x86/events/intel/core.c, intel_pmu_enable_fixed(); Intel 253669, 18.13.2.1 and 18.13.2.2, figure 18-19"
#define ARCH_THERM \
	MSR_INDEX ", Linux drivers/thermal/intel/therm_throt.c, clear_therm_status_log() (log bits, written back as read but for those that " \
		  "go), drivers/hwmon/coretemp.c (readout); Intel SDM vol. 3B, 14.7.5.2; EDK II MdePkg/Include/Register/Intel/" \
		  "ArchitecturalMsr.h, MSR_IA32_THERM_STATUS_REGISTER (bits 12 to 15; logs are R/WC0)"
#define ARCH_PACKAGE_THERM \
	MSR_INDEX ", Linux drivers/thermal/intel/therm_throt.c, clear_therm_status_log() (log bits), x86_pkg_temp_thermal.c (readout); Intel " \
		  "SDM vol. 3B, page 14-29"
#define ARCH_TARGET \
	MSR_INDEX ", Linux drivers/hwmon/coretemp.c, get_tjmax() (target) and create_core_data() (fan), drivers/thermal/intel/" \
		  "intel_tcc_cooling.c (offset)"
#define PLATFORM MSR_INDEX " and arch/x86/events/rapl.c, intel_rapl_msrs[]; defined in Intel SDM vol. 4, table 2-39 (not opened)"
#define RAPL MSR_INDEX ", arch/x86/events/rapl.c and Linux drivers/powercap/intel_rapl_common.c; Intel SDM vol. 3B, 14.9.1"

const struct nthw_field nthw_x86_tsc_fields[] = {
	{ "tsc", 0, 64, NTHW_RO, "ticks of the time stamp counter since reset" },
};
const struct nthw_reg nthw_x86_tsc = {
	.name = "IA32_TIME_STAMP_COUNTER", .space = NTHW_SPACE_MSR, .addr = 0x10, .count = 1, .bits = 64,
	.role = NTHW_ROLE_GAUGE,
	NTHW_FIELDS(nthw_x86_tsc_fields), .source = ARCH, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_IA32_TSC",
};

/* As wide as CPUID.0AH:EAX[23:16] says; a write reaches bits 31:0 and copies bit 31 upward (SDM vol. 3B, 20.2.5). */
static const struct nthw_field pmc_fields[] = {
	{ "low", 0, 32, NTHW_RW, "count, bits 31 to 0" },
	{ "high", 32, 32, NTHW_RO, "count, upper bits; zero above the width CPUID gives" },
};
const struct nthw_reg nthw_x86_pmc = {
	.name = "IA32_PMC", .space = NTHW_SPACE_MSR, .addr = 0xc1, .step = 1, .count = 8, .bits = 64,
	.role = NTHW_ROLE_COUNTER,
	.writable = 0xffffffff,
	NTHW_FIELDS(pmc_fields), .source = ARCH_PMC, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_ARCH_PERFMON_PERFCTR",
};

const struct nthw_field nthw_x86_mperf_fields[] = {
	{ "mperf", 0, 64, NTHW_RO, "ticks at the TSC's rate while the core is not halted" },
};
const struct nthw_reg nthw_x86_mperf = {
	.name = "IA32_MPERF", .space = NTHW_SPACE_MSR, .addr = 0xe7, .count = 1, .bits = 64,
	.role = NTHW_ROLE_GAUGE,
	NTHW_FIELDS(nthw_x86_mperf_fields), .source = ARCH, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_IA32_MPERF",
};

const struct nthw_field nthw_x86_aperf_fields[] = {
	{ "aperf", 0, 64, NTHW_RO, "core clock cycles while the core is not halted" },
};
const struct nthw_reg nthw_x86_aperf = {
	.name = "IA32_APERF", .space = NTHW_SPACE_MSR, .addr = 0xe8, .count = 1, .bits = 64,
	.role = NTHW_ROLE_GAUGE,
	NTHW_FIELDS(nthw_x86_aperf_fields), .source = ARCH, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_IA32_APERF",
};

static const struct nthw_field perfevtsel_fields[] = {
	{ "event", 0, 8, NTHW_RW, "event select code" },
	{ "umask", 8, 8, NTHW_RW, "which sub-events of the code count" },
	{ "usr", 16, 1, NTHW_RW, "count while CPL > 0" },
	{ "os", 17, 1, NTHW_RW, "count while CPL == 0" },
	{ "edge", 18, 1, NTHW_RW, "count rising edges instead of cycles" },
	{ "pc", 19, 1, NTHW_OS_CLEAR, "pin control" },
	{ "int", 20, 1, NTHW_OS_CLEAR, "interrupt on overflow; belongs to the kernel" },
	{ "any", 21, 1, NTHW_RW, "count for all threads of the core (version 3, until deprecated)" },
	{ "en", 22, 1, NTHW_RW, "counter runs if the global enable agrees" },
	{ "inv", 23, 1, NTHW_RW, "invert the comparison with cmask" },
	{ "cmask", 24, 8, NTHW_RW, "count cycles with at least so many events; 0: count events" },
};
const struct nthw_reg nthw_x86_evtsel = {
	.name = "IA32_PERFEVTSEL", .space = NTHW_SPACE_MSR, .addr = 0x186, .step = 1, .count = 8, .bits = 64,
	.role = NTHW_ROLE_SELECT, .runs = 0x400000,
	.writable = 0xffe7ffff,
	NTHW_FIELDS(perfevtsel_fields), .source = ARCH_SELECT, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_ARCH_PERFMON_EVENTSEL",
};

const struct nthw_field nthw_x86_therm_status_fields[] = {
	{ "hot", 0, 1, NTHW_RO, "core is at its thermal limit and throttled" },
	{ "hot_log", 1, 1, NTHW_RW0C, "was, since last cleared" },
	{ "prochot", 2, 1, NTHW_RO, "PROCHOT# or FORCEPR# is asserted by the platform" },
	{ "prochot_log", 3, 1, NTHW_RW0C, "was, since last cleared" },
	{ "critical", 4, 1, NTHW_RO, "critical temperature" },
	{ "critical_log", 5, 1, NTHW_RW0C, "was, since last cleared" },
	{ "threshold1", 6, 1, NTHW_RO, "at or above threshold 1" },
	{ "threshold1_log", 7, 1, NTHW_RW0C, "crossed since last cleared" },
	{ "threshold2", 8, 1, NTHW_RO, "at or above threshold 2" },
	{ "threshold2_log", 9, 1, NTHW_RW0C, "crossed since last cleared" },
	{ "power_limit", 10, 1, NTHW_RO, "throttled by a power limit" },
	{ "power_limit_log", 11, 1, NTHW_RW0C, "was, since last cleared" },
	{ "current_limit", 12, 1, NTHW_RO, "throttled by a current limit" },
	{ "current_limit_log", 13, 1, NTHW_RW0C, "was, since last cleared" },
	{ "cross_domain", 14, 1, NTHW_RO, "throttled by another domain of the package" },
	{ "cross_domain_log", 15, 1, NTHW_RW0C, "was, since last cleared" },
	{ "readout", 16, 7, NTHW_RO, "degrees Celsius below the limit (TjMax)" },
	{ "resolution", 27, 4, NTHW_RO, "of readout, degrees Celsius" },
	{ "valid", 31, 1, NTHW_RO, "readout is valid" },
};
const struct nthw_reg nthw_x86_therm_status = {
	.name = "IA32_THERM_STATUS", .space = NTHW_SPACE_MSR, .addr = 0x19c, .count = 1, .bits = 64,
	.role = NTHW_ROLE_STATUS,
	NTHW_FIELDS(nthw_x86_therm_status_fields), .source = ARCH_THERM, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_IA32_THERM_STATUS",
};

/* Read and written by one CPU; where CPUs share it, they see the same. */
const struct nthw_field nthw_x86_temperature_target_fields[] = {
	{ "fan", 8, 8, NTHW_RO, "degrees Celsius below the limit at which fans are to run fully" },
	{ "target", 16, 8, NTHW_RO, "the limit (TjMax), degrees Celsius; 0: not told" },
	{ "offset", 24, 6, NTHW_OS, "degrees Celsius below the limit at which throttling begins" },
};
const struct nthw_reg nthw_x86_temperature_target = {
	.name = "MSR_TEMPERATURE_TARGET", .space = NTHW_SPACE_MSR, .addr = 0x1a2, .count = 1, .bits = 64,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(nthw_x86_temperature_target_fields), .source = ARCH_TARGET, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_IA32_TEMPERATURE_TARGET",
};

const struct nthw_field nthw_x86_package_therm_status_fields[] = {
	{ "hot", 0, 1, NTHW_RO, "package is at its thermal limit and throttled" },
	{ "hot_log", 1, 1, NTHW_RW0C, "was, since last cleared" },
	{ "prochot", 2, 1, NTHW_RO, "PROCHOT# is asserted by the platform" },
	{ "prochot_log", 3, 1, NTHW_RW0C, "was, since last cleared" },
	{ "critical", 4, 1, NTHW_RO, "critical temperature" },
	{ "critical_log", 5, 1, NTHW_RW0C, "was, since last cleared" },
	{ "threshold1", 6, 1, NTHW_RO, "at or above threshold 1" },
	{ "threshold1_log", 7, 1, NTHW_RW0C, "crossed since last cleared" },
	{ "threshold2", 8, 1, NTHW_RO, "at or above threshold 2" },
	{ "threshold2_log", 9, 1, NTHW_RW0C, "crossed since last cleared" },
	{ "power_limit", 10, 1, NTHW_RO, "throttled by a power limit" },
	{ "power_limit_log", 11, 1, NTHW_RW0C, "was, since last cleared" },
	{ "readout", 16, 7, NTHW_RO, "degrees Celsius below the limit (TjMax)" },
	{ "hfi_updated", 26, 1, NTHW_RO, "the table of hardware feedback has changed since last cleared; the kernel's" },
};
const struct nthw_reg nthw_x86_package_therm_status = {
	.name = "IA32_PACKAGE_THERM_STATUS", .space = NTHW_SPACE_MSR, .addr = 0x1b1, .count = 1, .bits = 64,
	.role = NTHW_ROLE_STATUS,
	NTHW_FIELDS(nthw_x86_package_therm_status_fields), .source = ARCH_PACKAGE_THERM, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .linux_name = "MSR_IA32_PACKAGE_THERM_STATUS",
};

static const struct nthw_field fixed_ctr_fields[] = {
	{ "low", 0, 32, NTHW_RW, "count, bits 31 to 0" },
	{ "high", 32, 32, NTHW_RW, "count, upper bits; zero above the width CPUID.0AH:EDX[12:5] gives" },
};
const struct nthw_reg nthw_x86_fixed_ctr = {
	.name = "IA32_FIXED_CTR", .space = NTHW_SPACE_MSR, .addr = 0x309, .step = 1, .count = 4, .bits = 64,
	.role = NTHW_ROLE_COUNTER,
	.writable = 0xffffffffffffffff,
	NTHW_FIELDS(fixed_ctr_fields), .source = ARCH, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_CORE_PERF_FIXED_CTR",
};

static const struct nthw_field fixed_ctr_ctrl_fields[] = {
	{ "os0", 0, 1, NTHW_RW, "fixed counter 0 counts while CPL == 0" },
	{ "usr0", 1, 1, NTHW_RW, "fixed counter 0 counts while CPL > 0" },
	{ "any0", 2, 1, NTHW_RW, "fixed counter 0 counts for all threads of the core" },
	{ "pmi0", 3, 1, NTHW_OS_CLEAR, "interrupt on overflow; belongs to the kernel" },
	{ "os1", 4, 1, NTHW_RW, "fixed counter 1 counts while CPL == 0" },
	{ "usr1", 5, 1, NTHW_RW, "fixed counter 1 counts while CPL > 0" },
	{ "any1", 6, 1, NTHW_RW, "fixed counter 1 counts for all threads of the core" },
	{ "pmi1", 7, 1, NTHW_OS_CLEAR, "interrupt on overflow; belongs to the kernel" },
	{ "os2", 8, 1, NTHW_RW, "fixed counter 2 counts while CPL == 0" },
	{ "usr2", 9, 1, NTHW_RW, "fixed counter 2 counts while CPL > 0" },
	{ "any2", 10, 1, NTHW_RW, "fixed counter 2 counts for all threads of the core" },
	{ "pmi2", 11, 1, NTHW_OS_CLEAR, "interrupt on overflow; belongs to the kernel" },
	{ "os3", 12, 1, NTHW_RW, "fixed counter 3 counts while CPL == 0 (if it exists)" },
	{ "usr3", 13, 1, NTHW_RW, "fixed counter 3 counts while CPL > 0 (if it exists)" },
	{ "any3", 14, 1, NTHW_RO, "reserved on processors that have fixed counter 3" },
	{ "pmi3", 15, 1, NTHW_OS_CLEAR, "interrupt on overflow; belongs to the kernel" },
};
const struct nthw_reg nthw_x86_fixed_ctr_ctrl = {
	.name = "IA32_FIXED_CTR_CTRL", .space = NTHW_SPACE_MSR, .addr = 0x38d, .count = 1, .bits = 64,
	.role = NTHW_ROLE_SELECT, .runs = 0x3333,
	.writable = 0x3777,
	NTHW_FIELDS(fixed_ctr_ctrl_fields), .source = ARCH_FIXED, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_CORE_PERF_FIXED_CTR_CTRL",
};

static const struct nthw_field global_status_fields[] = {
	{ "pmc", 0, 8, NTHW_RO, "general counter overflowed, one bit each" },
	{ "fixed", 32, 4, NTHW_RO, "fixed counter overflowed, one bit each" },
	{ "metrics", 48, 1, NTHW_RO, "a topdown metric overflowed" },
	{ "topa", 55, 1, NTHW_RO, "a trace output region is full" },
	{ "lbr_frozen", 58, 1, NTHW_RO, "branch records are frozen" },
	{ "ctr_frozen", 59, 1, NTHW_RO, "counters are frozen" },
	{ "asci", 60, 1, NTHW_RO, "counts may have been influenced by an enclave" },
	{ "uncore", 61, 1, NTHW_RO, "an uncore counter overflowed" },
	{ "dsbuf", 62, 1, NTHW_RO, "the debug store area is full" },
	{ "changed", 63, 1, NTHW_RO, "state of the PMU has changed" },
};
const struct nthw_reg nthw_x86_global_status = {
	.name = "IA32_PERF_GLOBAL_STATUS", .space = NTHW_SPACE_MSR, .addr = 0x38e, .count = 1, .bits = 64,
	.role = NTHW_ROLE_STATUS,
	NTHW_FIELDS(global_status_fields), .source = ARCH_STATUS, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_CORE_PERF_GLOBAL_STATUS",
};

/* After reset the general counters that exist may run, so that software of the time before this register finds them counting. */
static const struct nthw_field global_ctrl_fields[] = {
	{ "pmc", 0, 8, NTHW_RW, "general counter may run, one bit each" },
	{ "fixed", 32, 4, NTHW_RW, "fixed counter may run, one bit each" },
	{ "metrics", 48, 1, NTHW_RW, "topdown metrics may run" },
};
const struct nthw_reg nthw_x86_global_ctrl = {
	.name = "IA32_PERF_GLOBAL_CTRL", .space = NTHW_SPACE_MSR, .addr = 0x38f, .count = 1, .bits = 64,
	.role = NTHW_ROLE_CONTROL, .runs = 0x1000f000000ff,
	.reset = 0xff, .writable = 0x1000f000000ff,
	NTHW_FIELDS(global_ctrl_fields), .source = ARCH_GLOBAL, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_CORE_PERF_GLOBAL_CTRL",
};

static const struct nthw_field global_ovf_ctrl_fields[] = {
	{ "pmc", 0, 8, NTHW_W1C, "clear overflow of general counters" },
	{ "fixed", 32, 4, NTHW_W1C, "clear overflow of fixed counters" },
	{ "metrics", 48, 1, NTHW_W1C, "clear overflow of topdown metrics" },
};
const struct nthw_reg nthw_x86_global_ovf_ctrl = {
	.name = "IA32_PERF_GLOBAL_OVF_CTRL", .space = NTHW_SPACE_MSR, .addr = 0x390, .count = 1, .bits = 64,
	.role = NTHW_ROLE_CLEAR,
	.writable = 0x1000f000000ff,
	NTHW_FIELDS(global_ovf_ctrl_fields), .source = ARCH_CLEAR, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_CORE_PERF_GLOBAL_OVF_CTRL",
};

const struct nthw_field nthw_x86_energy_unit_fields[] = {
	{ "power", 0, 4, NTHW_RO, "power values are in W / 2^power" },
	{ "energy", 8, 5, NTHW_RO, "energy counters are in J / 2^energy" },
	{ "time", 16, 4, NTHW_RO, "time values are in s / 2^time" },
};
const struct nthw_reg nthw_x86_energy_unit = {
	.name = "MSR_RAPL_POWER_UNIT", .space = NTHW_SPACE_MSR, .addr = 0x606, .count = 1, .bits = 64,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(nthw_x86_energy_unit_fields), .source = RAPL, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE,
};

/* Wraps after 32 bits: about a minute at full power with the usual unit of 15 uJ. */
const struct nthw_field nthw_x86_energy_fields[] = {
	{ "energy", 0, 32, NTHW_RO, "energy used, in the unit of the power unit register" },
};
const struct nthw_reg nthw_x86_pkg_energy = {
	.name = "MSR_PKG_ENERGY_STATUS", .space = NTHW_SPACE_MSR, .addr = 0x611, .count = 1, .bits = 64,
	.role = NTHW_ROLE_GAUGE,
	NTHW_FIELDS(nthw_x86_energy_fields), .source = RAPL, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .secret = NTHW_SECRET_ENERGY,
};
const struct nthw_reg nthw_x86_dram_energy = {
	.name = "MSR_DRAM_ENERGY_STATUS", .space = NTHW_SPACE_MSR, .addr = 0x619, .count = 1, .bits = 64,
	.role = NTHW_ROLE_GAUGE,
	NTHW_FIELDS(nthw_x86_energy_fields), .source = RAPL, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .secret = NTHW_SECRET_ENERGY,
};
const struct nthw_reg nthw_x86_pp0_energy = {
	.name = "MSR_PP0_ENERGY_STATUS", .space = NTHW_SPACE_MSR, .addr = 0x639, .count = 1, .bits = 64,
	.role = NTHW_ROLE_GAUGE,
	NTHW_FIELDS(nthw_x86_energy_fields), .source = RAPL, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .secret = NTHW_SECRET_ENERGY,
};
const struct nthw_reg nthw_x86_pp1_energy = {
	.name = "MSR_PP1_ENERGY_STATUS", .space = NTHW_SPACE_MSR, .addr = 0x641, .count = 1, .bits = 64,
	.role = NTHW_ROLE_GAUGE,
	NTHW_FIELDS(nthw_x86_energy_fields), .source = RAPL, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .secret = NTHW_SECRET_ENERGY,
};

const struct nthw_reg nthw_x86_platform_energy = {
	.name = "MSR_PLATFORM_ENERGY_STATUS", .space = NTHW_SPACE_MSR, .addr = 0x64d, .count = 1, .bits = 64,
	.role = NTHW_ROLE_GAUGE,
	NTHW_FIELDS(nthw_x86_energy_fields), .source = PLATFORM, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .secret = NTHW_SECRET_ENERGY,
};

static const struct nthw_reg *const regs[] = {
	&nthw_x86_tsc,
	&nthw_x86_pmc,
	&nthw_x86_mperf,
	&nthw_x86_aperf,
	&nthw_x86_evtsel,
	&nthw_x86_therm_status,
	&nthw_x86_temperature_target,
	&nthw_x86_package_therm_status,
	&nthw_x86_fixed_ctr,
	&nthw_x86_fixed_ctr_ctrl,
	&nthw_x86_global_status,
	&nthw_x86_global_ctrl,
	&nthw_x86_global_ovf_ctrl,
	&nthw_x86_energy_unit,
	&nthw_x86_pkg_energy,
	&nthw_x86_dram_energy,
	&nthw_x86_pp0_energy,
	&nthw_x86_pp1_energy,
	&nthw_x86_platform_energy,
};
const struct nthw_table nthw_x86 = {
	.name = "x86", .regs = regs, .count = NTHW_ARRAY_SIZE(regs),
};
