// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Counters of AMD processors.
 *
 * Core: the four of K7 and later, and the six of the core extension (family 15h and later, CPUID 8000_0001H ECX bit 23), whose first four are
 * the same counters at other addresses. They have no global enable and no status, an overflow is seen in the counter, until version 2
 * (CPUID 8000_0022H EAX bit 0; EBX[3:0] counters of a core) adds both.
 *
 * Data fabric: the address range of the northbridge counters of family 15h (CPUID 8000_0001H ECX bit 24), four, or as many as CPUID
 * 8000_0022H EBX[15:10]. L3: the range of the L2 counters of family 16h (ECX bit 28), six from family 17h on. Rows are those of family 17h and
 * later.
 *
 * Defined in AMD's Architecture Programmer's Manual ("APM") vol. 2, "Performance monitoring counters", which was not opened; compared
 * with what Linux 6.1 has of them.
 */
#include "core/regs/box_rows.h"
#include "core/regs/regs.h"

#define MSR_INDEX "Linux 6.1 arch/x86/include/asm/msr-index.h"
#define PERF_EVENT "arch/x86/include/asm/perf_event.h (ARCH_PERFMON_EVENTSEL_*, AMD64_EVENTSEL_*)"
#define APM "; defined in AMD APM vol. 2, 13.2 (not opened)"
#define AMD_CORE "Linux 6.1 arch/x86/events/amd/core.c"
#define AMD_UNCORE "Linux 6.1 arch/x86/events/amd/uncore.c"
#define V2 AMD_CORE ", amd_pmu_v2_*(), " MSR_INDEX " and " PERF_EVENT "; defined in AMD PPR family 19h, Core::X86::Msr::PerfCntrGlobal* (not opened)"
#define L3_CTL AMD_UNCORE ", amd_uncore_add() and the formats of its L3 PMU, and " PERF_EVENT " (AMD64_L3_*); " \
	"defined in AMD PPR family 17h, Core::X86::Msr::ChL3PmcCfg (not opened)"
#define L3_CTR AMD_UNCORE ", amd_uncore_read() (48 bits), NUM_COUNTERS_L3; defined in AMD PPR family 17h, Core::X86::Msr::ChL3Pmc (not opened)"
#define DF_CTL AMD_UNCORE ", amd_uncore_add(), the formats of its DF PMU, and " PERF_EVENT " (AMD64_PERFMON_V2_RAW_EVENT_MASK_NB); " \
	"defined in AMD PPR family 17h, Core::X86::Msr::DF_PERF_CTL (not opened)"
#define DF_CTR AMD_UNCORE ", amd_uncore_read() (48 bits), NUM_COUNTERS_NB; defined in AMD PPR family 17h, Core::X86::Msr::DF_PERF_CTR (not opened)"
#define ENERGY MSR_INDEX " and arch/x86/events/rapl.c; " \
	"defined in AMD PPR family 17h, Core::X86::Msr::CORE_ENERGY_STAT and PKG_ENERGY_STAT (not opened)"
#define ENERGY_UNIT MSR_INDEX ", drivers/powercap/intel_rapl_msr.c (rapl_msr_priv_amd) and intel_rapl_common.c (rapl_check_unit_core()); " \
	"defined in AMD PPR family 17h, Core::X86::Msr::RAPL_PWR_UNIT (not opened)"
#define LEGACY_CTL MSR_INDEX " (MSR_K7_EVNTSEL0) and " PERF_EVENT APM
#define LEGACY_CTR MSR_INDEX " (MSR_K7_PERFCTR0) and arch/x86/events/amd/core.c, amd_pmu (cntval_bits 48)" APM
#define CORE_CTL MSR_INDEX " (MSR_F15H_PERF_CTL) and " PERF_EVENT APM
#define CORE_CTR MSR_INDEX " (MSR_F15H_PERF_CTR) and arch/x86/events/amd/core.c, amd_pmu (cntval_bits 48)" APM

static const struct nthw_field ctl_fields[] = {
	{ "event_low", 0, 8, NTHW_RW, "event select code, bits 7 to 0" },
	{ "umask", 8, 8, NTHW_RW, "which sub-events of the code count" },
	{ "usr", 16, 1, NTHW_RW, "count while CPL > 0" },
	{ "os", 17, 1, NTHW_RW, "count while CPL == 0" },
	{ "edge", 18, 1, NTHW_RW, "count rising edges instead of cycles" },
	{ "int", 20, 1, NTHW_OS_CLEAR, "interrupt on overflow; belongs to the kernel" },
	{ "en", 22, 1, NTHW_RW, "counter runs" },
	{ "inv", 23, 1, NTHW_RW, "invert the comparison with cmask" },
	{ "cmask", 24, 8, NTHW_RW, "count cycles with at least so many events; 0: count events" },
	{ "event_high", 32, 4, NTHW_RW, "event select code, bits 11 to 8" },
	{ "guest", 40, 1, NTHW_OS_CLEAR, "count in guests only; belongs to the kernel" },
	{ "host", 41, 1, NTHW_OS_CLEAR, "count outside of guests only; belongs to the kernel" },
};
static const struct nthw_field ctr_fields[] = {
	{ "count", 0, 48, NTHW_RW, "count" },
};

static const struct nthw_reg evntsel = {
	.name = "EVNTSEL", .space = NTHW_SPACE_MSR, .addr = 0xc0010000, .step = 1, .count = 4, .bits = 64,
	.role = NTHW_ROLE_SELECT, .runs = 0x400000,
	.writable = 0xfffc7ffff,
	NTHW_FIELDS(ctl_fields), .source = LEGACY_CTL, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_K7_EVNTSEL",
};
static const struct nthw_reg perfctr = {
	.name = "PERFCTR", .space = NTHW_SPACE_MSR, .addr = 0xc0010004, .step = 1, .count = 4, .bits = 64,
	.role = NTHW_ROLE_COUNTER,
	.writable = 0xffffffffffff,
	NTHW_FIELDS(ctr_fields), .source = LEGACY_CTR, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_K7_PERFCTR",
};

static const struct nthw_reg *const legacy_regs[] = {
	&evntsel,
	&perfctr,
};
const struct nthw_table nthw_amd_legacy = {
	.name = "amd_legacy", .regs = legacy_regs, .count = NTHW_ARRAY_SIZE(legacy_regs),
};

/* Control and counter alternate. */
static const struct nthw_reg perf_ctl = {
	.name = "PERF_CTL", .space = NTHW_SPACE_MSR, .addr = 0xc0010200, .step = 2, .count = 6, .bits = 64,
	.role = NTHW_ROLE_SELECT, .runs = 0x400000,
	.writable = 0xfffc7ffff,
	NTHW_FIELDS(ctl_fields), .source = CORE_CTL, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_F15H_PERF_CTL",
};
static const struct nthw_reg perf_ctr = {
	.name = "PERF_CTR", .space = NTHW_SPACE_MSR, .addr = 0xc0010201, .step = 2, .count = 6, .bits = 64,
	.role = NTHW_ROLE_COUNTER,
	.writable = 0xffffffffffff,
	NTHW_FIELDS(ctr_fields), .source = CORE_CTR, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_F15H_PERF_CTR",
};

static const struct nthw_reg *const core_regs[] = {
	&perf_ctl,
	&perf_ctr,
};
const struct nthw_table nthw_amd_core = {
	.name = "amd_core", .regs = core_regs, .count = NTHW_ARRAY_SIZE(core_regs),
};

static const struct nthw_field global_status_fields[] = {
	{ "pmc", 0, 16, NTHW_RO, "counter overflowed, one bit each" },
	{ "lbr_frozen", 58, 1, NTHW_RO, "branch records are frozen" },
};
static const struct nthw_reg global_status = {
	.name = "PerfCntrGlobalStatus", .space = NTHW_SPACE_MSR, .addr = 0xc0000300, .count = 1, .bits = 64,
	.role = NTHW_ROLE_STATUS,
	NTHW_FIELDS(global_status_fields), .source = V2, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_AMD64_PERF_CNTR_GLOBAL_STATUS",
};

static const struct nthw_field global_ctl_fields[] = {
	{ "pmc", 0, 16, NTHW_RW, "counter may run, one bit each" },
};
static const struct nthw_reg global_ctl = {
	.name = "PerfCntrGlobalCtl", .space = NTHW_SPACE_MSR, .addr = 0xc0000301, .count = 1, .bits = 64,
	.role = NTHW_ROLE_CONTROL, .runs = 0xffff,
	.writable = 0xffff,
	NTHW_FIELDS(global_ctl_fields), .source = V2, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_AMD64_PERF_CNTR_GLOBAL_CTL",
};

static const struct nthw_field global_status_clr_fields[] = {
	{ "pmc", 0, 16, NTHW_W1C, "clear overflow of counters" },
};
static const struct nthw_reg global_status_clr = {
	.name = "PerfCntrGlobalStatusClr", .space = NTHW_SPACE_MSR, .addr = 0xc0000302, .count = 1, .bits = 64,
	.role = NTHW_ROLE_CLEAR,
	.writable = 0xffff,
	NTHW_FIELDS(global_status_clr_fields), .source = V2, .trust = NTHW_DOCUMENTED,
	.linux_name = "MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR",
};

static const struct nthw_reg *const v2_regs[] = {
	&global_status,
	&global_ctl,
	&global_status_clr,
};
const struct nthw_table nthw_amd_v2 = {
	.name = "amd_v2", .regs = v2_regs, .count = NTHW_ARRAY_SIZE(v2_regs),
};

/*
 * A CPU reaches the counters of the L3 that it shares with others; a package may have several. Family 17h has four bits for slices and eight
 * for threads, the rest is of family 19h.
 */
static const struct nthw_field l3_ctl_fields[] = {
	{ "event", 0, 8, NTHW_RW, "event select code" },
	{ "umask", 8, 8, NTHW_RW, "which sub-events of the code count" },
	{ "en", 22, 1, NTHW_RW, "counter runs" },
	{ "core_id", 42, 3, NTHW_RW, "family 19h: whose requests count" },
	{ "all_slices", 46, 1, NTHW_RW, "family 19h: all slices count" },
	{ "all_cores", 47, 1, NTHW_RW, "family 19h: requests of all cores count" },
	{ "slice", 48, 4, NTHW_RW, "family 17h: one bit for each slice that counts; family 19h: number of the slice, three bits" },
	{ "thread", 56, 8, NTHW_RW, "one bit for each thread that counts; family 19h: the two of a core" },
};
const struct nthw_reg nthw_amd_l3_select = {
	.name = "ChL3PmcCfg", .space = NTHW_SPACE_MSR, .addr = 0xc0010230, .step = 2, .count = 6, .bits = 64,
	.role = NTHW_ROLE_SELECT, .runs = 0x400000,
	.writable = 0xff0fdc000040ffff,
	NTHW_FIELDS(l3_ctl_fields), .source = L3_CTL, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_L3, .linux_name = "MSR_F16H_L2I_PERF_CTL",
};
const struct nthw_reg nthw_amd_l3_counter = {
	.name = "ChL3Pmc", .space = NTHW_SPACE_MSR, .addr = 0xc0010231, .step = 2, .count = 6, .bits = 64,
	.role = NTHW_ROLE_COUNTER,
	.writable = 0xffffffffffff,
	NTHW_FIELDS(ctr_fields), .source = L3_CTR, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_L3, .linux_name = "MSR_F16H_L2I_PERF_CTR",
};

static const struct nthw_reg *const l3_regs[] = {
	&nthw_amd_l3_select,
	&nthw_amd_l3_counter,
};
const struct nthw_table nthw_amd_l3 = {
	.name = "amd_l3", .regs = l3_regs, .count = NTHW_ARRAY_SIZE(l3_regs),
};

/*
 * Four before version 2 of AMD's monitoring; since then CPUID tells, and Linux goes on in steps of two. Of each die; a package of several dies (first family 17h servers) has several, and a CPU reaches that of its
 * own die.
 */
static const struct nthw_field df_ctl_fields[] = {
	{ "event_low", 0, 8, NTHW_RW, "event select code, bits 7 to 0" },
	{ "umask", 8, 8, NTHW_RW, "which sub-events of the code count" },
	{ "en", 22, 1, NTHW_RW, "counter runs" },
	{ "umask_high", 24, 4, NTHW_RW, "version 2: which sub-events, bits 11 to 8" },
	{ "event_high", 32, 4, NTHW_RW, "event select code, bits 11 to 8" },
	{ "event_v2", 36, 2, NTHW_RW, "version 2: event select code, bits 13 and 12" },
	{ "event_top", 59, 2, NTHW_RW, "before version 2: event select code, bits 13 and 12" },
};
const struct nthw_reg nthw_amd_df_select = {
	.name = "DF_PERF_CTL", .space = NTHW_SPACE_MSR, .addr = 0xc0010240, .step = 2, .count = 16, .bits = 64,
	.role = NTHW_ROLE_SELECT, .runs = 0x400000,
	.writable = 0x1800003f0f40ffff,
	NTHW_FIELDS(df_ctl_fields), .source = DF_CTL, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .linux_name = "MSR_F15H_NB_PERF_CTL",
};
const struct nthw_reg nthw_amd_df_counter = {
	.name = "DF_PERF_CTR", .space = NTHW_SPACE_MSR, .addr = 0xc0010241, .step = 2, .count = 16, .bits = 64,
	.role = NTHW_ROLE_COUNTER,
	.writable = 0xffffffffffff,
	NTHW_FIELDS(ctr_fields), .source = DF_CTR, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .linux_name = "MSR_F15H_NB_PERF_CTR",
};

static const struct nthw_reg *const df_regs[] = {
	&nthw_amd_df_select,
	&nthw_amd_df_counter,
};
const struct nthw_table nthw_amd_df = {
	.name = "amd_df", .regs = df_regs, .count = NTHW_ARRAY_SIZE(df_regs),
};

const struct nthw_field nthw_amd_energy_unit_fields[] = {
	{ "power", 0, 4, NTHW_RO, "power values are in W / 2^power" },
	{ "energy", 8, 5, NTHW_RO, "energy counters are in J / 2^energy" },
	{ "time", 16, 4, NTHW_RO, "time values are in s / 2^time" },
};
const struct nthw_reg nthw_amd_energy_unit = {
	.name = "RAPL_PWR_UNIT", .space = NTHW_SPACE_MSR, .addr = 0xc0010299, .count = 1, .bits = 64,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(nthw_amd_energy_unit_fields), .source = ENERGY_UNIT, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .linux_name = "MSR_AMD_RAPL_POWER_UNIT",
};

const struct nthw_field nthw_amd_energy_fields[] = {
	{ "energy", 0, 32, NTHW_RO, "energy used, in the unit of the power unit register" },
};
const struct nthw_reg nthw_amd_core_energy = {
	.name = "CORE_ENERGY_STAT", .space = NTHW_SPACE_MSR, .addr = 0xc001029a, .count = 1, .bits = 64,
	.role = NTHW_ROLE_GAUGE,
	NTHW_FIELDS(nthw_amd_energy_fields), .source = ENERGY, .trust = NTHW_DOCUMENTED,
	.secret = NTHW_SECRET_ENERGY, .linux_name = "MSR_AMD_CORE_ENERGY_STATUS",
};
const struct nthw_reg nthw_amd_pkg_energy = {
	.name = "PKG_ENERGY_STAT", .space = NTHW_SPACE_MSR, .addr = 0xc001029b, .count = 1, .bits = 64,
	.role = NTHW_ROLE_GAUGE,
	NTHW_FIELDS(nthw_amd_energy_fields), .source = ENERGY, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .secret = NTHW_SECRET_ENERGY, .linux_name = "MSR_AMD_PKG_ENERGY_STATUS",
};

static const struct nthw_reg *const rapl_regs[] = {
	&nthw_amd_energy_unit,
	&nthw_amd_core_energy,
	&nthw_amd_pkg_energy,
};
const struct nthw_table nthw_amd_rapl = {
	.name = "amd_rapl", .regs = rapl_regs, .count = NTHW_ARRAY_SIZE(rapl_regs),
};
