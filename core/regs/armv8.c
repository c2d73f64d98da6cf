// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The architected performance monitor of ARMv8 in its 64-bit form (PMUv3): up to 31 event counters of 32 bits, or of 64 from PMUv3.5 on, and a
 * cycle counter of 64. How many counters there are is in PMCR_EL0.n.
 *
 * Counter n is at S3_3_C14_C(8 + n / 8)_(n % 8), its type at S3_3_C14_C(12 + n / 8)_(n % 8): in numbers of NTHW_SYSREG() eight follow each other,
 * the next eight are 16 on. So there are four rows of each, and .first says with which number a row begins. The place of type 31 is
 * PMCCFILTR_EL0.
 *
 * Defined in the Arm Architecture Reference Manual (DDI 0487); of it PMEVTYPER<n>_EL0 was read in a public copy of the register descriptions
 * (SysReg_xml_v88A-2021-09), the rest compared with Linux 6.1: arch/arm64/include/asm/sysreg.h, asm/perf_event.h and kernel/perf_event.c.
 */
#include "core/regs/regs.h"

#define SYSREG "Linux 6.1 arch/arm64/include/asm/sysreg.h"
#define PERF "asm/perf_event.h"
#define DRIVER "kernel/perf_event.c"
#define XML "; Arm SysReg_xml_v88A-2021-09, "

#define CYCLES_AND_COUNTERS(how, what, cycles)                                                       \
	{ "counters", 0, 31, how, what ", one bit each" }, { "cycles", 31, 1, how, cycles }
#define UNKNOWN_HIGH { "unknown32", 32, 32, NTHW_RO, "reserved, or of later versions" }

static const struct nthw_field interrupt_set_fields[] = {
	CYCLES_AND_COUNTERS(NTHW_OS, "overflow of the counter interrupts; 1 enables", "overflow of the cycle counter interrupts; 1 enables"),
	UNKNOWN_HIGH,
};
static const struct nthw_reg interrupt_set = {
	.name = "PMINTENSET_EL1", .space = NTHW_SPACE_SYSREG, .addr = NTHW_SYSREG(3, 0, 9, 14, 1), .count = 1, .bits = 64,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(interrupt_set_fields), .source = SYSREG " and " DRIVER ", armv8pmu_enable_intens()", .trust = NTHW_DOCUMENTED,
	.linux_name = "SYS_PMINTENSET_EL1",
};

static const struct nthw_field interrupt_clear_fields[] = {
	CYCLES_AND_COUNTERS(NTHW_OS_RW1C, "overflow of the counter interrupts; 1 disables", "overflow of the cycle counter interrupts; 1 disables"),
	UNKNOWN_HIGH,
};
static const struct nthw_reg interrupt_clear = {
	.name = "PMINTENCLR_EL1", .space = NTHW_SPACE_SYSREG, .addr = NTHW_SYSREG(3, 0, 9, 14, 2), .count = 1, .bits = 64,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(interrupt_clear_fields), .source = SYSREG " and " DRIVER ", armv8pmu_disable_intens()", .trust = NTHW_DOCUMENTED,
	.linux_name = "SYS_PMINTENCLR_EL1",
};

static const struct nthw_field control_fields[] = {
	{ "e", 0, 1, NTHW_RW, "all counters may run" },
	{ "p", 1, 1, NTHW_W1C, "1 sets all event counters to 0" },
	{ "c", 2, 1, NTHW_W1C, "1 sets the cycle counter to 0" },
	{ "d", 3, 1, NTHW_RW, "the cycle counter counts every 64th cycle; without effect while lc" },
	{ "x", 4, 1, NTHW_OS, "events are shown to the trace unit" },
	{ "dp", 5, 1, NTHW_OS, "the cycle counter stops where counting of events is prohibited" },
	{ "lc", 6, 1, NTHW_OS, "the cycle counter overflows at 64 bits, not at 32" },
	{ "lp", 7, 1, NTHW_OS, "event counters overflow at 64 bits, not at 32 (PMUv3.5)" },
	{ "unknown8", 8, 3, NTHW_RO, "reserved, or of later versions" },
	{ "n", 11, 5, NTHW_RO, "number of event counters" },
	{ "idcode", 16, 8, NTHW_RO, "which processor, by its implementer" },
	{ "imp", 24, 8, NTHW_RO, "implementer of the processor" },
	UNKNOWN_HIGH,
};
static const struct nthw_reg control = {
	.name = "PMCR_EL0", .space = NTHW_SPACE_SYSREG, .addr = NTHW_SYSREG(3, 3, 9, 12, 0), .count = 1, .bits = 64,
	.role = NTHW_ROLE_CONTROL, .runs = 1,
	.writable = 0xf,
	NTHW_FIELDS(control_fields), .source = SYSREG " and " PERF ", ARMV8_PMU_PMCR_*; Arm 100798, D5.4", .trust = NTHW_DOCUMENTED,
	.linux_name = "SYS_PMCR_EL0",
};

static const struct nthw_field enable_set_fields[] = {
	CYCLES_AND_COUNTERS(NTHW_RW1S, "counter runs", "the cycle counter runs"),
	UNKNOWN_HIGH,
};
static const struct nthw_reg enable_set = {
	.name = "PMCNTENSET_EL0", .space = NTHW_SPACE_SYSREG, .addr = NTHW_SYSREG(3, 3, 9, 12, 1), .count = 1, .bits = 64,
	.role = NTHW_ROLE_CONTROL, .runs = 0xffffffff,
	.writable = 0xffffffff, .clear_addr = NTHW_SYSREG(3, 3, 9, 12, 2),
	NTHW_FIELDS(enable_set_fields), .source = SYSREG " and " DRIVER ", armv8pmu_enable_counter()", .trust = NTHW_DOCUMENTED,
	.linux_name = "SYS_PMCNTENSET_EL0",
};

static const struct nthw_field enable_clear_fields[] = {
	CYCLES_AND_COUNTERS(NTHW_RW1C, "counter runs; 1 stops it", "the cycle counter runs; 1 stops it"),
	UNKNOWN_HIGH,
};
static const struct nthw_reg enable_clear = {
	.name = "PMCNTENCLR_EL0", .space = NTHW_SPACE_SYSREG, .addr = NTHW_SYSREG(3, 3, 9, 12, 2), .count = 1, .bits = 64,
	.role = NTHW_ROLE_CONTROL,
	.writable = 0xffffffff,
	NTHW_FIELDS(enable_clear_fields), .source = SYSREG " and " DRIVER ", armv8pmu_disable_counter()", .trust = NTHW_DOCUMENTED,
	.linux_name = "SYS_PMCNTENCLR_EL0",
};

static const struct nthw_field overflow_clear_fields[] = {
	CYCLES_AND_COUNTERS(NTHW_RW1C, "counter passed its end", "the cycle counter passed its end"),
	UNKNOWN_HIGH,
};
static const struct nthw_reg overflow_clear = {
	.name = "PMOVSCLR_EL0", .space = NTHW_SPACE_SYSREG, .addr = NTHW_SYSREG(3, 3, 9, 12, 3), .count = 1, .bits = 64,
	.role = NTHW_ROLE_STATUS,
	.writable = 0xffffffff,
	NTHW_FIELDS(overflow_clear_fields), .source = SYSREG " and " DRIVER ", armv8pmu_getreset_flags()", .trust = NTHW_DOCUMENTED,
	.linux_name = "SYS_PMOVSCLR_EL0",
};

static const struct nthw_field event_id_fields[] = {
	{ "low", 0, 32, NTHW_RO, "common event is there, one bit each: 0 to 31, PMCEID1 32 to 63" },
	{ "high", 32, 32, NTHW_RO, "the same of events from 0x4000 on" },
};
static const struct nthw_reg event_id = {
	.name = "PMCEID#_EL0", .space = NTHW_SPACE_SYSREG, .addr = NTHW_SYSREG(3, 3, 9, 12, 6), .step = 1, .count = 2, .bits = 64,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(event_id_fields), .source = SYSREG " and " DRIVER ", __armv8pmu_probe_pmu()", .trust = NTHW_DOCUMENTED,
	.linux_name = "SYS_PMCEID#_EL0",
};

static const struct nthw_field cycles_fields[] = {
	{ "count", 0, 64, NTHW_RW, "cycles; where it overflows PMCR_EL0.lc says" },
};
static const struct nthw_reg cycles = {
	.name = "PMCCNTR_EL0", .space = NTHW_SPACE_SYSREG, .addr = NTHW_SYSREG(3, 3, 9, 13, 0), .count = 1, .bits = 64,
	.role = NTHW_ROLE_COUNTER,
	.writable = 0xffffffffffffffff,
	NTHW_FIELDS(cycles_fields), .source = SYSREG " and " DRIVER ", armv8pmu_read_counter()", .trust = NTHW_DOCUMENTED,
	.linux_name = "SYS_PMCCNTR_EL0",
};

static const struct nthw_field user_enable_fields[] = {
	{ "en", 0, 1, NTHW_OS, "user mode may use the monitor" },
	{ "sw", 1, 1, NTHW_OS, "user mode may write PMSWINC_EL0" },
	{ "cr", 2, 1, NTHW_OS, "user mode may read the cycle counter" },
	{ "er", 3, 1, NTHW_OS, "user mode may read the event counters" },
	{ "unknown4", 4, 60, NTHW_RO, "reserved, or of later versions" },
};
static const struct nthw_reg user_enable = {
	.name = "PMUSERENR_EL0", .space = NTHW_SPACE_SYSREG, .addr = NTHW_SYSREG(3, 3, 9, 14, 0), .count = 1, .bits = 64,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(user_enable_fields), .source = SYSREG " and " PERF ", ARMV8_PMU_USERENR_*", .trust = NTHW_DOCUMENTED,
	.linux_name = "SYS_PMUSERENR_EL0",
};

/* Setting an overflow flag makes an interrupt: not ours to do. */
static const struct nthw_field overflow_set_fields[] = {
	CYCLES_AND_COUNTERS(NTHW_OS, "counter passed its end; 1 sets the flag", "the cycle counter passed its end; 1 sets the flag"),
	UNKNOWN_HIGH,
};
static const struct nthw_reg overflow_set = {
	.name = "PMOVSSET_EL0", .space = NTHW_SPACE_SYSREG, .addr = NTHW_SYSREG(3, 3, 9, 14, 3), .count = 1, .bits = 64,
	.role = NTHW_ROLE_STATUS,
	NTHW_FIELDS(overflow_set_fields), .source = SYSREG " (address); what it does from memory", .trust = NTHW_GUESSED,
	.linux_name = "SYS_PMOVSSET_EL0",
};

/* High halves exist from PMUv3.5 on (ID_AA64DFR0_EL1.PMUVer 6); before, they read as 0. */
static const struct nthw_field counter_fields[] = {
	{ "low", 0, 32, NTHW_RW, "count, bits 31 to 0" },
	{ "high", 32, 32, NTHW_RW, "count, upper bits (PMUv3.5)" },
};
static const struct nthw_field type_fields[] = {
	{ "event", 0, 16, NTHW_RW, "what is counted" },
	{ "unknown16", 16, 9, NTHW_RO, "reserved, or of later versions" },
	{ "mt", 25, 1, NTHW_OS, "count for all threads of the core" },
	{ "m", 26, 1, NTHW_OS, "differs from p: do not count in EL3" },
	{ "nsh", 27, 1, NTHW_RW, "count in EL2 too" },
	{ "nsu", 28, 1, NTHW_OS, "differs from u: do not count in non-secure EL0" },
	{ "nsk", 29, 1, NTHW_OS, "differs from p: do not count in non-secure EL1" },
	{ "u", 30, 1, NTHW_RW, "do not count in EL0" },
	{ "p", 31, 1, NTHW_RW, "do not count in EL1" },
	UNKNOWN_HIGH,
};

#define COUNTERS(reg, n, instances)                                                                                          \
	static const struct nthw_reg reg = {                                                                                 \
		.name = "PMEVCNTR#_EL0", .space = NTHW_SPACE_SYSREG, .addr = NTHW_SYSREG(3, 3, 14, 8 + (n) / 8, 0),          \
		.role = NTHW_ROLE_COUNTER, \
		.step = 1, .count = (instances), .first = (n), .bits = 64, .writable = 0xffffffffffffffff,                   \
		NTHW_FIELDS(counter_fields),                                                                                 \
		.source = SYSREG ", SYS_PMEVCNTRn_EL0() and " DRIVER ", armv8pmu_has_long_event()", .trust = NTHW_DOCUMENTED, \
		.linux_name = "SYS_PMEVCNTR#_EL0",                                                                           \
	}
#define TYPES(reg, n, instances)                                                                                             \
	static const struct nthw_reg reg = {                                                                                 \
		.name = "PMEVTYPER#_EL0", .space = NTHW_SPACE_SYSREG, .addr = NTHW_SYSREG(3, 3, 14, 12 + (n) / 8, 0),        \
		.role = NTHW_ROLE_SELECT, \
		.step = 1, .count = (instances), .first = (n), .bits = 64, .writable = 0xc800ffff,                           \
		NTHW_FIELDS(type_fields),                                                                                    \
		.source = SYSREG ", SYS_PMEVTYPERn_EL0() and " PERF ", ARMV8_PMU_EVTYPE_MASK" XML "PMEVTYPER<n>_EL0",         \
		.trust = NTHW_DOCUMENTED, .linux_name = "SYS_PMEVTYPER#_EL0",                                                \
	}
COUNTERS(counters0, 0, 8);
COUNTERS(counters8, 8, 8);
COUNTERS(counters16, 16, 8);
COUNTERS(counters24, 24, 7);
TYPES(types0, 0, 8);
TYPES(types8, 8, 8);
TYPES(types16, 16, 8);
TYPES(types24, 24, 7);

static const struct nthw_field cycle_filter_fields[] = {
	{ "unknown0", 0, 26, NTHW_RO, "reserved, or of later versions" },
	{ "m", 26, 1, NTHW_OS, "differs from p: do not count in EL3" },
	{ "nsh", 27, 1, NTHW_RW, "count in EL2 too" },
	{ "nsu", 28, 1, NTHW_OS, "differs from u: do not count in non-secure EL0" },
	{ "nsk", 29, 1, NTHW_OS, "differs from p: do not count in non-secure EL1" },
	{ "u", 30, 1, NTHW_RW, "do not count in EL0" },
	{ "p", 31, 1, NTHW_RW, "do not count in EL1" },
	UNKNOWN_HIGH,
};
static const struct nthw_reg cycle_filter = {
	.name = "PMCCFILTR_EL0", .space = NTHW_SPACE_SYSREG, .addr = NTHW_SYSREG(3, 3, 14, 15, 7), .count = 1, .bits = 64,
	.role = NTHW_ROLE_SELECT,
	.writable = 0xc8000000,
	NTHW_FIELDS(cycle_filter_fields), .source = SYSREG " and " DRIVER ", armv8pmu_write_event_type(); fields as in PMEVTYPER<n>_EL0",
	.trust = NTHW_DOCUMENTED, .linux_name = "SYS_PMCCFILTR_EL0",
};

static const struct nthw_reg *const regs[] = {
	&interrupt_set,
	&interrupt_clear,
	&control,
	&enable_set,
	&enable_clear,
	&overflow_clear,
	&event_id,
	&cycles,
	&user_enable,
	&overflow_set,
	&counters0,
	&counters8,
	&counters16,
	&counters24,
	&types0,
	&types8,
	&types16,
	&types24,
	&cycle_filter,
};
const struct nthw_table nthw_armv8_pmu = {
	.name = "armv8_pmu", .regs = regs, .count = NTHW_ARRAY_SIZE(regs),
};
