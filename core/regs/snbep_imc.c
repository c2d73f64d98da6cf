// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Performance monitor of one memory channel of Sandy Bridge-EP (Xeon E5-2600), in the configuration space of its PCI function:
 * four general counters of 48 bits and one that counts DRAM clocks.
 *
 * Intel's "Xeon Processor E5-2600 Product Family Uncore Performance Monitoring" (327043-001), tables 2-59 to 2-63, was read in
 * public copies; every address and bit was compared with Linux 6.1 arch/x86/events/intel/uncore_snbep.c as well.
 */
#include "core/regs/box_rows.h"
#include "core/regs/regs.h"

#define GUIDE "Intel 327043-001, "
#define SNBEP " and Linux 6.1 arch/x86/events/intel/uncore_snbep.c, "

static const struct nthw_field counter_fields[] = {
	{ "low", 0, 32, NTHW_RW, "count, bits 31 to 0" },
	{ "high", 32, 16, NTHW_RW, "count, bits 47 to 32" },
	{ "unknown", 48, 16, NTHW_RO, "reserved" },
};
const struct nthw_reg nthw_snbep_imc_counter = {
	.name = "MC_CH_PCI_PMON_CTR", .space = NTHW_SPACE_PCI, .addr = 0xa0, .step = 8, .count = 4, .bits = 64,
	.role = NTHW_ROLE_COUNTER,
	.writable = 0xffffffffffff,
	NTHW_FIELDS(counter_fields), .source = GUIDE "table 2-63" SNBEP "SNBEP_PCI_PMON_CTR0 and snbep_uncore_imc (width)",
	.trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_DEVICE, .linux_name = "SNBEP_PCI_PMON_CTR",
};
const struct nthw_reg nthw_snbep_imc_fixed_counter = {
	.name = "MC_CH_PCI_PMON_FIXED_CTR", .space = NTHW_SPACE_PCI, .addr = 0xd0, .count = 1, .bits = 64,
	.role = NTHW_ROLE_COUNTER,
	.writable = 0xffffffffffff,
	NTHW_FIELDS(counter_fields), .source = GUIDE "table 2-63" SNBEP "SNBEP_MC_CHy_PCI_PMON_FIXED_CTR", .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_DEVICE, .linux_name = "SNBEP_MC_CHy_PCI_PMON_FIXED_CTR",
};

static const struct nthw_field control_fields[] = {
	{ "event", 0, 8, NTHW_RW, "event select code" },
	{ "umask", 8, 8, NTHW_RW, "which sub-events of the code count" },
	{ "unknown16", 16, 2, NTHW_RO, "reserved, must be written 0" },
	{ "edge", 18, 1, NTHW_RW, "count where the comparison becomes true; wants a threshold" },
	{ "unknown19", 19, 3, NTHW_RO, "reserved, must be written 0" },
	{ "en", 22, 1, NTHW_RW, "counter runs unless the box is frozen" },
	{ "invert", 23, 1, NTHW_RW, "compare with less than instead; wants a threshold" },
	{ "threshold", 24, 8, NTHW_RW, "count clocks with at least so many events; 0: count events" },
};
const struct nthw_reg nthw_snbep_imc_select = {
	.name = "MC_CH_PCI_PMON_CTL", .space = NTHW_SPACE_PCI, .addr = 0xd8, .step = 4, .count = 4, .bits = 32,
	.role = NTHW_ROLE_SELECT, .runs = 0x400000,
	.writable = 0xffc4ffff,
	NTHW_FIELDS(control_fields), .source = GUIDE "table 2-61" SNBEP "SNBEP_PMON_RAW_EVENT_MASK and SNBEP_PMON_CTL_EN",
	.trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_DEVICE, .linux_name = "SNBEP_PCI_PMON_CTL",
};

static const struct nthw_field fixed_control_fields[] = {
	{ "unknown0", 0, 19, NTHW_RO, "reserved" },
	{ "rst", 19, 1, NTHW_W1C, "sets the counter to 0" },
	{ "unknown20", 20, 2, NTHW_RO, "reserved, must be written 0" },
	{ "en", 22, 1, NTHW_RW, "counter runs unless the box is frozen" },
	{ "unknown23", 23, 9, NTHW_RO, "reserved, must be written 0" },
};
const struct nthw_reg nthw_snbep_imc_fixed_select = {
	.name = "MC_CH_PCI_PMON_FIXED_CTL", .space = NTHW_SPACE_PCI, .addr = 0xf0, .count = 1, .bits = 32,
	.role = NTHW_ROLE_SELECT, .runs = 0x400000,
	.writable = 0x480000,
	NTHW_FIELDS(fixed_control_fields), .source = GUIDE "table 2-62" SNBEP "SNBEP_MC_CHy_PCI_PMON_FIXED_CTL",
	.trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_DEVICE, .linux_name = "SNBEP_MC_CHy_PCI_PMON_FIXED_CTL",
};

/*
 * Here the two sources differ. Intel's table calls frz and frz_en write-only and bits 1:0 reserved, to be written 0, whereas its tables
 * of other boxes call them rst_ctrl and rst_ctrs. Linux writes 0x10003 to every box, this one included, and reads frz_en back
 * when it freezes. The row has what Linux' driver says and relies on: bits that are kept, and resets as in the other boxes.
 */
static const struct nthw_field box_control_fields[] = {
	{ "rst_ctrl", 0, 1, NTHW_W1C, "sets the controls of all counters to 0" },
	{ "rst_ctrs", 1, 1, NTHW_W1C, "sets all counters to 0" },
	{ "unknown2", 2, 6, NTHW_RO, "reserved" },
	{ "frz", 8, 1, NTHW_RW, "stop all counters of the box, if frz_en" },
	{ "unknown9", 9, 7, NTHW_RO, "reserved" },
	{ "frz_en", 16, 1, NTHW_RW, "frz and the freeze signal have an effect" },
	{ "unknown17", 17, 15, NTHW_RO, "reserved, must be written 0" },
};
const struct nthw_reg nthw_snbep_imc_control = {
	.name = "MC_CH_PCI_PMON_BOX_CTL", .space = NTHW_SPACE_PCI, .addr = 0xf4, .count = 1, .bits = 32,
	.role = NTHW_ROLE_CONTROL,
	.writable = 0x10103,
	NTHW_FIELDS(box_control_fields),
	.source = "Linux 6.1 arch/x86/events/intel/uncore_snbep.c, SNBEP_PMON_BOX_CTL_* (all four bits), snbep_uncore_pci_init_box() and "
		  "snbep_uncore_pci_disable_box() (reads frz_en back); " GUIDE "table 2-60 (address, frz, frz_en), tables of other boxes (rst_*)",
	.trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_DEVICE, .linux_name = "SNBEP_PCI_PMON_BOX_CTL",
};

static const struct nthw_reg *const regs[] = {
	&nthw_snbep_imc_counter,
	&nthw_snbep_imc_fixed_counter,
	&nthw_snbep_imc_select,
	&nthw_snbep_imc_fixed_select,
	&nthw_snbep_imc_control,
};
const struct nthw_table nthw_snbep_imc = {
	.name = "snbep_imc", .regs = regs, .count = NTHW_ARRAY_SIZE(regs),
};
