// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Uncore of Nehalem and Westmere (one or two sockets, not -EX): eight counters and a fixed one for each package, reached through
 * the MSRs of any CPU of it.
 *
 * Defined in Intel's Software Developer's Manual, vol. 3B, 253669, 18.17.2 (18.8.2 in the edition of about 2016), read in public copies;
 * addresses as in the project's facts on this uncore and, where its driver uses them, in Linux 6.1 arch/x86/events/intel/uncore_snb.c
 * (NHM_UNC_*).
 */
#include "core/regs/box_rows.h"
#include "core/regs/regs.h"

#define SNB "Linux 6.1 arch/x86/events/intel/uncore_snb.c"
#define SDM "; Intel 253669, 18.17.2"
#define ENABLES SNB " (NHM_UNC_GLOBAL_CTL_EN_PC_ALL, _EN_FC)" SDM ".1, figure 18-29"
#define STATUS "address from the project's facts on this uncore" SDM ".1, figure 18-30"
#define OVERFLOWS "address from the project's facts on this uncore" SDM ".1"
#define COUNTER SNB " (NHM_UNC_UNCORE_PMC0, NHM_UNC_FIXED_CTR, 48 bits each)" SDM ".2"
#define FIXED_CONTROL SNB " (NHM_UNC_FIXED_CTR_CTRL, _EN)" SDM ".2, figure 18-33"
#define MATCH "address from EDK II MdePkg/Include/Register/Intel/Msr/NehalemMsr.h" SDM ".3, figure 18-34"
#define SELECT SNB " (NHM_UNC_PERFEVTSEL0, NHM_UNC_RAW_EVENT_MASK)" SDM ".2, figure 18-32"

static const struct nthw_field global_ctrl_fields[] = {
	{ "pmc", 0, 8, NTHW_RW, "counter may run, one bit each" },
	{ "fixed", 32, 1, NTHW_RW, "fixed counter may run" },
	{ "pmi_core", 48, 4, NTHW_OS_CLEAR, "which cores an overflow interrupts; belongs to the kernel" },
	{ "pmi_freeze", 63, 1, NTHW_OS_CLEAR, "all counters stop at an overflow interrupt; belongs to the kernel" },
};
const struct nthw_reg nthw_nhm_uncore_enable = {
	.name = "MSR_UNCORE_PERF_GLOBAL_CTRL", .space = NTHW_SPACE_MSR, .addr = 0x391, .count = 1, .bits = 64,
	.role = NTHW_ROLE_CONTROL, .runs = 0x1000000ff,
	.writable = 0x1000000ff,
	NTHW_FIELDS(global_ctrl_fields), .source = ENABLES, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .linux_name = "NHM_UNC_PERF_GLOBAL_CTL",
};

static const struct nthw_field global_status_fields[] = {
	{ "pmc", 0, 8, NTHW_RO, "counter overflowed, one bit each" },
	{ "fixed", 32, 1, NTHW_RO, "fixed counter overflowed" },
	{ "pmi", 61, 1, NTHW_RO, "an overflow interrupt was sent" },
	{ "changed", 63, 1, NTHW_RO, "state of the uncore PMU has changed" },
};
const struct nthw_reg nthw_nhm_uncore_status = {
	.name = "MSR_UNCORE_PERF_GLOBAL_STATUS", .space = NTHW_SPACE_MSR, .addr = 0x392, .count = 1, .bits = 64,
	.role = NTHW_ROLE_STATUS,
	NTHW_FIELDS(global_status_fields), .source = STATUS, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE,
};

static const struct nthw_field global_ovf_ctrl_fields[] = {
	{ "pmc", 0, 8, NTHW_W1C, "clear overflow of counters" },
	{ "fixed", 32, 1, NTHW_W1C, "clear overflow of the fixed counter" },
	{ "pmi", 61, 1, NTHW_W1C, "clear the interrupt's mark" },
	{ "changed", 63, 1, NTHW_W1C, "clear the change's mark" },
};
const struct nthw_reg nthw_nhm_uncore_clear = {
	.name = "MSR_UNCORE_PERF_GLOBAL_OVF_CTRL", .space = NTHW_SPACE_MSR, .addr = 0x393, .count = 1, .bits = 64,
	.role = NTHW_ROLE_CLEAR,
	.writable = 0xa0000001000000ff,
	NTHW_FIELDS(global_ovf_ctrl_fields), .source = OVERFLOWS, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE,
};

static const struct nthw_field counter_fields[] = {
	{ "count", 0, 48, NTHW_RW, "count" },
};
const struct nthw_reg nthw_nhm_uncore_fixed_counter = {
	.name = "MSR_UNCORE_FIXED_CTR0", .space = NTHW_SPACE_MSR, .addr = 0x394, .count = 1, .bits = 64,
	.role = NTHW_ROLE_COUNTER,
	.writable = 0xffffffffffff,
	NTHW_FIELDS(counter_fields), .source = COUNTER, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .linux_name = "NHM_UNC_FIXED_CTR",
};

static const struct nthw_field fixed_ctr_ctrl_fields[] = {
	{ "en", 0, 1, NTHW_RW, "counter of uncore clocks runs if the global enable agrees" },
	{ "pmi", 2, 1, NTHW_OS_CLEAR, "interrupt on overflow; belongs to the kernel" },
};
const struct nthw_reg nthw_nhm_uncore_fixed_select = {
	.name = "MSR_UNCORE_FIXED_CTR_CTRL", .space = NTHW_SPACE_MSR, .addr = 0x395, .count = 1, .bits = 64,
	.role = NTHW_ROLE_SELECT, .runs = 1,
	.writable = 1,
	NTHW_FIELDS(fixed_ctr_ctrl_fields), .source = FIXED_CONTROL, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .linux_name = "NHM_UNC_FIXED_CTR_CTRL",
};

static const struct nthw_field addr_opcode_match_fields[] = {
	{ "addr", 3, 37, NTHW_RW, "address to match, bits 39 to 3" },
	{ "opcode", 40, 8, NTHW_RW, "opcode to match" },
	{ "select", 61, 3, NTHW_RW, "0: off, 1: address and opcode, 2: opcode, 4: address, 6: either" },
};
/* Whoever sets it counts how often others use one line of memory. */
static const struct nthw_reg addr_opcode_match = {
	.name = "MSR_UNCORE_ADDR_OPCODE_MATCH", .space = NTHW_SPACE_MSR, .addr = 0x396, .count = 1, .bits = 64,
	.role = NTHW_ROLE_SELECT,
	.writable = 0xe000fffffffffff8,
	NTHW_FIELDS(addr_opcode_match_fields), .source = MATCH, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .secret = NTHW_SECRET_ADDRESS,
};

const struct nthw_reg nthw_nhm_uncore_counter = {
	.name = "MSR_UNCORE_PMC", .space = NTHW_SPACE_MSR, .addr = 0x3b0, .step = 1, .count = 8, .bits = 64,
	.role = NTHW_ROLE_COUNTER,
	.writable = 0xffffffffffff,
	NTHW_FIELDS(counter_fields), .source = COUNTER, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .linux_name = "NHM_UNC_UNCORE_PMC",
};

static const struct nthw_field perfevtsel_fields[] = {
	{ "event", 0, 8, NTHW_RW, "event select code" },
	{ "umask", 8, 8, NTHW_RW, "which sub-events of the code count" },
	{ "occ_rst", 17, 1, NTHW_W1C, "reset the queue occupancy that belongs to the event; reads 0" },
	{ "edge", 18, 1, NTHW_RW, "count rising edges instead of cycles" },
	{ "pmi", 20, 1, NTHW_OS_CLEAR, "interrupt on overflow; belongs to the kernel" },
	{ "en", 22, 1, NTHW_RW, "counter runs if the global enable agrees" },
	{ "inv", 23, 1, NTHW_RW, "invert the comparison with threshold" },
	{ "threshold", 24, 8, NTHW_RW, "count clocks with at least so many events; 0: count events" },
};
const struct nthw_reg nthw_nhm_uncore_select = {
	.name = "MSR_UNCORE_PERFEVTSEL", .space = NTHW_SPACE_MSR, .addr = 0x3c0, .step = 1, .count = 8, .bits = 64,
	.role = NTHW_ROLE_SELECT, .runs = 0x400000,
	.writable = 0xffc6ffff,
	NTHW_FIELDS(perfevtsel_fields), .source = SELECT, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_PACKAGE, .linux_name = "NHM_UNC_PERFEVTSEL",
};

static const struct nthw_reg *const regs[] = {
	&nthw_nhm_uncore_enable,
	&nthw_nhm_uncore_status,
	&nthw_nhm_uncore_clear,
	&nthw_nhm_uncore_fixed_counter,
	&nthw_nhm_uncore_fixed_select,
	&addr_opcode_match,
	&nthw_nhm_uncore_counter,
	&nthw_nhm_uncore_select,
};
const struct nthw_table nthw_nhm_uncore = {
	.name = "nhm_uncore", .regs = regs, .count = NTHW_ARRAY_SIZE(regs),
};
