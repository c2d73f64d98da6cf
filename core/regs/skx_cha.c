// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Performance monitors of the caching and home agents of Skylake-SP (also Cascade Lake): one a slice of the last level cache, up to 28 a package,
 * each with four counters of 48 bits, in the MSRs of any CPU of the package. Of a package with fewer slices the last ones do not answer.
 *
 * Addresses and bits are those of Linux 6.1 arch/x86/events/intel/uncore_snbep.c, which uses the layout of Haswell-EP's C-boxes for them; the
 * second filter's address is in EDK II MdePkg/Include/Register/Intel/Msr/HaswellEMsr.h (MSR_HASWELL_E_C0_PMON_BOX_FILTER1) too. Intel's
 * "Xeon Processor Scalable Memory Family Uncore Performance Monitoring" (336274) defines them and was not opened.
 */
#include "core/regs/box_rows.h"
#include "core/regs/regs.h"

#define SNBEP "Linux 6.1 arch/x86/events/intel/uncore_snbep.c, "
#define CONTROL SNBEP "HSWEP_C0_MSR_PMON_BOX_CTL, SNBEP_PMON_BOX_CTL_*, skx_uncore_chabox_ops (no frz_en); defined in Intel 336274 (not opened)"
#define SELECT SNBEP "HSWEP_C0_MSR_PMON_CTL0, HSWEP_S_MSR_PMON_RAW_EVENT_MASK, SNBEP_PMON_CTL_EN; defined in Intel 336274 (not opened)"
#define FILTER SNBEP "HSWEP_C0_MSR_PMON_BOX_FILTER0, SKX_CHA_MSR_PMON_BOX_FILTER_*, hswep_cbox_enable_event() (upper half is the next register); " \
	"defined in Intel 336274 (not opened)"
#define COUNTER SNBEP "HSWEP_C0_MSR_PMON_CTR0, skx_uncore_chabox (48 bits); defined in Intel 336274 (not opened)"

static const struct nthw_field control_fields[] = {
	{ "rst_ctrl", 0, 1, NTHW_W1C, "sets the controls of all counters to 0" },
	{ "rst_ctrs", 1, 1, NTHW_W1C, "sets all counters to 0" },
	{ "unknown2", 2, 6, NTHW_RO, "reserved" },
	{ "frz", 8, 1, NTHW_RW, "stop all counters of the box" },
	{ "unknown9", 9, 55, NTHW_RO, "reserved" },
};

static const struct nthw_field select_fields[] = {
	{ "event", 0, 8, NTHW_RW, "event select code" },
	{ "umask", 8, 8, NTHW_RW, "which sub-events of the code count" },
	{ "unknown16", 16, 2, NTHW_RO, "not known" },
	{ "edge", 18, 1, NTHW_RW, "count where the comparison becomes true; wants a threshold" },
	{ "tid_en", 19, 1, NTHW_RW, "count for the thread of filter 0 only" },
	{ "unknown20", 20, 2, NTHW_RO, "not known" },
	{ "en", 22, 1, NTHW_RW, "counter runs unless the box is frozen" },
	{ "invert", 23, 1, NTHW_RW, "compare with less than instead; wants a threshold" },
	{ "threshold", 24, 8, NTHW_RW, "count clocks with at least so many events; 0: count events" },
	{ "unknown32", 32, 32, NTHW_RO, "not known" },
};

static const struct nthw_field filter0_fields[] = {
	{ "tid", 0, 9, NTHW_RW, "thread whose requests count, with tid_en" },
	{ "link", 9, 4, NTHW_RW, "link" },
	{ "unknown13", 13, 4, NTHW_RO, "not known" },
	{ "state", 17, 10, NTHW_RW, "states of the line in which a lookup counts, one bit each" },
	{ "unknown27", 27, 37, NTHW_RO, "not known" },
};

static const struct nthw_field filter1_fields[] = {
	{ "rem", 0, 1, NTHW_RW, "requests to remote nodes count" },
	{ "loc", 1, 1, NTHW_RW, "requests to the local node count" },
	{ "unknown2", 2, 1, NTHW_RO, "not known" },
	{ "all_opc", 3, 1, NTHW_RW, "all opcodes count" },
	{ "nm", 4, 1, NTHW_RW, "requests to near memory count" },
	{ "not_nm", 5, 1, NTHW_RW, "requests that miss near memory count" },
	{ "unknown6", 6, 3, NTHW_RO, "not known" },
	{ "opc0", 9, 10, NTHW_RW, "opcode that counts" },
	{ "opc1", 19, 10, NTHW_RW, "a second one" },
	{ "c6", 29, 1, NTHW_RW, "C6 requests count" },
	{ "nc", 30, 1, NTHW_RW, "requests that are not coherent count" },
	{ "isoc", 31, 1, NTHW_RW, "isochronous requests count" },
	{ "unknown32", 32, 32, NTHW_RO, "not known" },
};

static const struct nthw_field counter_fields[] = {
	{ "count", 0, 48, NTHW_RW, "count" },
	{ "unknown", 48, 16, NTHW_RO, "reserved" },
};

/* One register of box @k, of which row @row of nthw_skx_cha is; box 0 is what core/seq counts with. */
#define ROW(title, offset, mask, list, from, k)                                                                       \
	.name = "C" #k "_MSR_PMON_" title, .space = NTHW_SPACE_MSR, .addr = 0xe00 + 0x10 * (k) + (offset), .bits = 64, \
	.writable = (mask), NTHW_FIELDS(list), .source = (from), .trust = NTHW_DOCUMENTED,                            \
	.scope = NTHW_SCOPE_PACKAGE, .box = (k)

#define CONTROL_ROW(k) { ROW("BOX_CTL", 0, 0x103, control_fields, CONTROL, k), .role = NTHW_ROLE_CONTROL, .count = 1 }
#define SELECT_ROW(k) { ROW("CTL", 1, 0xffccffff, select_fields, SELECT, k), .role = NTHW_ROLE_SELECT, .runs = 0x400000, .count = 4, .step = 1 }
#define FILTER0_ROW(k) { ROW("BOX_FILTER0", 5, 0x07fe1fff, filter0_fields, FILTER, k), .role = NTHW_ROLE_SELECT, .count = 1 }
#define FILTER1_ROW(k) { ROW("BOX_FILTER1", 6, 0xfffffe3b, filter1_fields, FILTER, k), .role = NTHW_ROLE_SELECT, .count = 1 }
#define COUNTER_ROW(k) { ROW("CTR", 8, 0xffffffffffff, counter_fields, COUNTER, k), .role = NTHW_ROLE_COUNTER, .count = 4, .step = 1 }

const struct nthw_reg nthw_skx_cha_control = CONTROL_ROW(0);
const struct nthw_reg nthw_skx_cha_select = SELECT_ROW(0);
const struct nthw_reg nthw_skx_cha_filter0 = FILTER0_ROW(0);
const struct nthw_reg nthw_skx_cha_filter1 = FILTER1_ROW(0);
const struct nthw_reg nthw_skx_cha_counter = COUNTER_ROW(0);

#define BOX(k)                                                       \
	static const struct nthw_reg control##k = CONTROL_ROW(k);    \
	static const struct nthw_reg select##k = SELECT_ROW(k);      \
	static const struct nthw_reg filter0_##k = FILTER0_ROW(k);   \
	static const struct nthw_reg filter1_##k = FILTER1_ROW(k);   \
	static const struct nthw_reg counter##k = COUNTER_ROW(k)

BOX(1);
BOX(2);
BOX(3);
BOX(4);
BOX(5);
BOX(6);
BOX(7);
BOX(8);
BOX(9);
BOX(10);
BOX(11);
BOX(12);
BOX(13);
BOX(14);
BOX(15);
BOX(16);
BOX(17);
BOX(18);
BOX(19);
BOX(20);
BOX(21);
BOX(22);
BOX(23);
BOX(24);
BOX(25);
BOX(26);
BOX(27);

#define REGS(k) &control##k, &select##k, &filter0_##k, &filter1_##k, &counter##k

static const struct nthw_reg *const regs[] = {
	&nthw_skx_cha_control,
	&nthw_skx_cha_select,
	&nthw_skx_cha_filter0,
	&nthw_skx_cha_filter1,
	&nthw_skx_cha_counter,
	REGS(1),
	REGS(2),
	REGS(3),
	REGS(4),
	REGS(5),
	REGS(6),
	REGS(7),
	REGS(8),
	REGS(9),
	REGS(10),
	REGS(11),
	REGS(12),
	REGS(13),
	REGS(14),
	REGS(15),
	REGS(16),
	REGS(17),
	REGS(18),
	REGS(19),
	REGS(20),
	REGS(21),
	REGS(22),
	REGS(23),
	REGS(24),
	REGS(25),
	REGS(26),
	REGS(27),
};
const struct nthw_table nthw_skx_cha = {
	.name = "skx_cha", .regs = regs, .count = NTHW_ARRAY_SIZE(regs),
};
