// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The architected performance monitor of ARMv7: up to 31 event counters of 32 bits behind a selector, and a cycle counter.
 *
 * Counters and their types are reached by writing their number to PMSELR and accessing PMXEVCNTR or PMXEVTYPER. Whoever lends access does
 * both in one step: space PMSEL. PMSELR itself has no row, so that nobody moves it under somebody else's feet. How many counters there are
 * is in PMCR.n. Kernel mode only, unless PMUSERENR lets user mode at all of it but PMUSERENR, PMINTENSET and PMINTENCLR.
 *
 * Defined in the ARM Architecture Reference Manual, ARMv7-A and ARMv7-R edition ("ARM ARM", DDI 0406C, C12.8), which was not opened;
 * compared with Linux 6.1 arch/arm/kernel/perf_event_v7.c and with what public copies of the reference manuals of Cortex-A8 (DDI 0344) and
 * Cortex-R4 (DDI 0363E), which have the same monitor, say of it.
 */
#include "core/regs/regs.h"

#define V7 "Linux 6.1 arch/arm/kernel/perf_event_v7.c"
#define ARM_ARM "; defined in ARM DDI 0406C, C12.8 (not opened)"

#define CYCLES_AND_COUNTERS(how, what, cycles)                                                       \
	{ "counters", 0, 31, how, what ", one bit each" }, { "cycles", 31, 1, how, cycles }

static const struct nthw_field counter_fields[] = {
	{ "count", 0, 32, NTHW_RW, "count; wraps at 2^32 and sets its flag in PMOVSR" },
};
static const struct nthw_reg counter = {
	.name = "PMXEVCNTR", .space = NTHW_SPACE_PMSEL, .addr = 0x00, .step = 1, .count = 31, .bits = 32,
	.role = NTHW_ROLE_COUNTER,
	.writable = 0xffffffff,
	NTHW_FIELDS(counter_fields), .source = V7 ", armv7pmu_read_counter()" ARM_ARM, .trust = NTHW_DOCUMENTED,
};

static const struct nthw_field type_fields[] = {
	{ "event", 0, 8, NTHW_RW, "what is counted" },
	{ "nsh", 27, 1, NTHW_RW, "count in Hyp mode too (processors with the virtualization extensions)" },
	{ "u", 30, 1, NTHW_RW, "do not count in user mode (as nsh)" },
	{ "p", 31, 1, NTHW_RW, "do not count in privileged modes (as nsh)" },
};
static const struct nthw_reg type = {
	.name = "PMXEVTYPER", .space = NTHW_SPACE_PMSEL, .addr = 0x20, .step = 1, .count = 31, .bits = 32,
	.role = NTHW_ROLE_SELECT,
	.writable = 0xc80000ff,
	NTHW_FIELDS(type_fields), .source = V7 ", ARMV7_EVTYPE_MASK, ARMV7_EXCLUDE_*, armv7_pmnc_write_evtsel()" ARM_ARM, .trust = NTHW_DOCUMENTED,
};

static const struct nthw_field cycle_filter_fields[] = {
	{ "nsh", 27, 1, NTHW_RW, "count in Hyp mode too" },
	{ "u", 30, 1, NTHW_RW, "do not count in user mode" },
	{ "p", 31, 1, NTHW_RW, "do not count in privileged modes" },
};
/* Selected as number 31. Processors without the virtualization extensions (Cortex-A8, A9) do not have it. */
static const struct nthw_reg cycle_filter = {
	.name = "PMCCFILTR", .space = NTHW_SPACE_PMSEL, .addr = 0x3f, .count = 1, .bits = 32,
	.role = NTHW_ROLE_SELECT,
	.writable = 0xc8000000,
	NTHW_FIELDS(cycle_filter_fields), .source = V7 ", armv7pmu_enable_event() with ARMV7_IDX_CYCLE_COUNTER" ARM_ARM, .trust = NTHW_DOCUMENTED,
};

static const struct nthw_field control_fields[] = {
	{ "e", 0, 1, NTHW_RW, "all counters may run" },
	{ "p", 1, 1, NTHW_W1C, "1 sets all event counters to 0" },
	{ "c", 2, 1, NTHW_W1C, "1 sets the cycle counter to 0" },
	{ "d", 3, 1, NTHW_RW, "the cycle counter counts every 64th cycle" },
	{ "x", 4, 1, NTHW_OS, "events are shown to the trace macrocell" },
	{ "dp", 5, 1, NTHW_OS, "the cycle counter stops where counting of events is prohibited" },
	{ "n", 11, 5, NTHW_RO, "number of event counters" },
	{ "idcode", 16, 8, NTHW_RO, "which processor, by its implementer" },
	{ "imp", 24, 8, NTHW_RO, "implementer of the processor" },
};
static const struct nthw_reg control = {
	.name = "PMCR", .space = NTHW_SPACE_CP15, .addr = NTHW_CP15(9, 0, 12, 0), .count = 1, .bits = 32,
	.role = NTHW_ROLE_CONTROL, .runs = 1,
	.writable = 0xf,
	NTHW_FIELDS(control_fields), .source = V7 ", ARMV7_PMNC_*; ARM DDI 0344, table 3-82" ARM_ARM, .trust = NTHW_DOCUMENTED,
};

static const struct nthw_field enable_set_fields[] = {
	CYCLES_AND_COUNTERS(NTHW_RW1S, "counter runs", "the cycle counter runs"),
};
static const struct nthw_reg enable_set = {
	.name = "PMCNTENSET", .space = NTHW_SPACE_CP15, .addr = NTHW_CP15(9, 0, 12, 1), .count = 1, .bits = 32,
	.role = NTHW_ROLE_CONTROL, .runs = 0xffffffff,
	.writable = 0xffffffff, .clear_addr = NTHW_CP15(9, 0, 12, 2),
	NTHW_FIELDS(enable_set_fields), .source = V7 ", armv7_pmnc_enable_counter()" ARM_ARM, .trust = NTHW_DOCUMENTED,
};

static const struct nthw_field enable_clear_fields[] = {
	CYCLES_AND_COUNTERS(NTHW_RW1C, "counter runs; 1 stops it", "the cycle counter runs; 1 stops it"),
};
static const struct nthw_reg enable_clear = {
	.name = "PMCNTENCLR", .space = NTHW_SPACE_CP15, .addr = NTHW_CP15(9, 0, 12, 2), .count = 1, .bits = 32,
	.role = NTHW_ROLE_CONTROL,
	.writable = 0xffffffff,
	NTHW_FIELDS(enable_clear_fields), .source = V7 ", armv7_pmnc_disable_counter()" ARM_ARM, .trust = NTHW_DOCUMENTED,
};

static const struct nthw_field overflow_fields[] = {
	CYCLES_AND_COUNTERS(NTHW_RW1C, "counter passed its end", "the cycle counter passed its end"),
};
static const struct nthw_reg overflow = {
	.name = "PMOVSR", .space = NTHW_SPACE_CP15, .addr = NTHW_CP15(9, 0, 12, 3), .count = 1, .bits = 32,
	.role = NTHW_ROLE_STATUS,
	.writable = 0xffffffff,
	NTHW_FIELDS(overflow_fields), .source = V7 ", armv7_pmnc_getreset_flags(); ARM DDI 0363E, 6.3.4" ARM_ARM, .trust = NTHW_DOCUMENTED,
};

static const struct nthw_field event_id_fields[] = {
	{ "events", 0, 32, NTHW_RO, "common event is there, one bit each" },
};
static const struct nthw_reg event_id = {
	.name = "PMCEID", .space = NTHW_SPACE_CP15, .addr = NTHW_CP15(9, 0, 12, 6), .step = 1, .count = 2, .bits = 32,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(event_id_fields), .source = "address and meaning from memory" ARM_ARM, .trust = NTHW_GUESSED,
};

static const struct nthw_field cycles_fields[] = {
	{ "count", 0, 32, NTHW_RW, "cycles; wraps at 2^32 and sets its flag in PMOVSR" },
};
static const struct nthw_reg cycles = {
	.name = "PMCCNTR", .space = NTHW_SPACE_CP15, .addr = NTHW_CP15(9, 0, 13, 0), .count = 1, .bits = 32,
	.role = NTHW_ROLE_COUNTER,
	.writable = 0xffffffff,
	NTHW_FIELDS(cycles_fields), .source = V7 ", armv7pmu_read_counter()" ARM_ARM, .trust = NTHW_DOCUMENTED,
};

static const struct nthw_field user_enable_fields[] = {
	{ "en", 0, 1, NTHW_OS, "user mode may use the monitor" },
};
static const struct nthw_reg user_enable = {
	.name = "PMUSERENR", .space = NTHW_SPACE_CP15, .addr = NTHW_CP15(9, 0, 14, 0), .count = 1, .bits = 32,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(user_enable_fields),
	.source = "ARM DDI 0363E, 6.3 (USEREN); address as in the 64-bit form, Linux 6.1 arch/arm64/include/asm/sysreg.h, SYS_PMUSERENR_EL0" ARM_ARM,
	.trust = NTHW_DOCUMENTED,
};

static const struct nthw_field interrupt_set_fields[] = {
	CYCLES_AND_COUNTERS(NTHW_OS, "overflow of the counter interrupts; 1 enables", "overflow of the cycle counter interrupts; 1 enables"),
};
static const struct nthw_reg interrupt_set = {
	.name = "PMINTENSET", .space = NTHW_SPACE_CP15, .addr = NTHW_CP15(9, 0, 14, 1), .count = 1, .bits = 32,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(interrupt_set_fields), .source = V7 ", armv7_pmnc_enable_intens()" ARM_ARM, .trust = NTHW_DOCUMENTED,
};

static const struct nthw_field interrupt_clear_fields[] = {
	CYCLES_AND_COUNTERS(NTHW_OS_RW1C, "overflow of the counter interrupts; 1 disables", "overflow of the cycle counter interrupts; 1 disables"),
};
static const struct nthw_reg interrupt_clear = {
	.name = "PMINTENCLR", .space = NTHW_SPACE_CP15, .addr = NTHW_CP15(9, 0, 14, 2), .count = 1, .bits = 32,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(interrupt_clear_fields), .source = V7 ", armv7_pmnc_disable_intens()" ARM_ARM, .trust = NTHW_DOCUMENTED,
};

static const struct nthw_reg *const regs[] = {
	&counter,
	&type,
	&cycle_filter,
	&control,
	&enable_set,
	&enable_clear,
	&overflow,
	&event_id,
	&cycles,
	&user_enable,
	&interrupt_set,
	&interrupt_clear,
};
const struct nthw_table nthw_armv7_pmu = {
	.name = "armv7_pmu", .regs = regs, .count = NTHW_ARRAY_SIZE(regs),
};
