// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Registers of 32-bit ARM: the performance monitor of the ARM1176 (first Raspberry Pi, Raspberry Pi Zero).
 *
 * They are in CP15 c15, which the architecture leaves to each processor: on others the same numbers mean something else. User mode
 * may touch the monitor, not the access validation register, and only while V is set; else the instruction is undefined.
 */
#include "core/regs/regs.h"

/* The manual was read in a public copy, page by page: not the pages of which a source says so. */
#define TRM "ARM DDI 0301H"
#define V6 "Linux 6.1 arch/arm/kernel/perf_event_v6.c"
#define FACTS "the project's facts on the ARM1176"

static const struct nthw_field access_fields[] = {
	{ "v", 0, 1, NTHW_OS, "user mode may read and write the monitor" },
};
static const struct nthw_reg access_validation = {
	.name = "ACCESS_VALIDATION", .space = NTHW_SPACE_CP15, .addr = NTHW_CP15(15, 0, 9, 0), .count = 1, .bits = 32,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(access_fields),
	.source = TRM ", figure 3-8 (address), tables 3-139 to 3-141 (what V allows); position of V: " FACTS "; page 3-132, which defines it, was not "
		  "opened",
	.trust = NTHW_DOCUMENTED,
};

/* Overflow flags stay until 1 is written over them; writing 0 leaves them. Resetting a counter does not clear its flag. */
static const struct nthw_field pmcr_fields[] = {
	{ "enable", 0, 1, NTHW_RW, "all three counters count" },
	{ "reset_counts", 1, 1, NTHW_W1C, "1 sets both count registers to 0; unpredictable when read" },
	{ "reset_cycles", 2, 1, NTHW_W1C, "1 sets the cycle counter to 0; unpredictable when read" },
	{ "divide", 3, 1, NTHW_RW, "the cycle counter counts every 64th cycle" },
	{ "interrupt0", 4, 1, NTHW_OS_CLEAR, "interrupt on overflow of count register 0" },
	{ "interrupt1", 5, 1, NTHW_OS_CLEAR, "interrupt on overflow of count register 1" },
	{ "interrupt_cycles", 6, 1, NTHW_OS_CLEAR, "interrupt on overflow of the cycle counter" },
	{ "overflow0", 8, 1, NTHW_RW1C, "count register 0 passed 2^32" },
	{ "overflow1", 9, 1, NTHW_RW1C, "count register 1 passed 2^32" },
	{ "overflow_cycles", 10, 1, NTHW_RW1C, "the cycle counter passed 2^32" },
	{ "export", 11, 1, NTHW_RW, "events are shown to the trace macrocell" },
	{ "event1", 12, 8, NTHW_RW, "what count register 1 counts" },
	{ "event0", 20, 8, NTHW_RW, "what count register 0 counts" },
};
static const struct nthw_reg pmcr = {
	.name = "PMCR", .space = NTHW_SPACE_CP15, .addr = NTHW_CP15(15, 0, 12, 0), .count = 1, .bits = 32,
	.role = NTHW_ROLE_CONTROL, .runs = 1,
	.writable = 0x0fffff0f,
	NTHW_FIELDS(pmcr_fields),
	.source = V6 " (all but export); " FACTS " (export); " TRM ", table 3-136 (bits 2 to 0), figure and bits above not opened",
	.trust = NTHW_DOCUMENTED,
};

static const struct nthw_field count_fields[] = {
	{ "count", 0, 32, NTHW_RW, "count; wraps at 2^32 and sets its flag in PMCR" },
};
static const struct nthw_reg ccr = {
	.name = "CCR", .space = NTHW_SPACE_CP15, .addr = NTHW_CP15(15, 0, 12, 1), .count = 1, .bits = 32,
	.role = NTHW_ROLE_COUNTER,
	.writable = 0xffffffff,
	NTHW_FIELDS(count_fields), .source = V6 "; " TRM ", 3.2.52", .trust = NTHW_DOCUMENTED,
};
static const struct nthw_reg cr = {
	.name = "CR", .space = NTHW_SPACE_CP15, .addr = NTHW_CP15(15, 0, 12, 2), .step = 1, .count = 2, .bits = 32,
	.role = NTHW_ROLE_COUNTER,
	.writable = 0xffffffff,
	NTHW_FIELDS(count_fields), .source = V6 "; " TRM ", 3.2.53 and 3.2.54", .trust = NTHW_DOCUMENTED,
};

static const struct nthw_reg *const arm1176_regs[] = {
	&access_validation,
	&pmcr,
	&ccr,
	&cr,
};
const struct nthw_table nthw_arm1176 = {
	.name = "arm1176", .regs = arm1176_regs, .count = NTHW_ARRAY_SIZE(arm1176_regs),
};
