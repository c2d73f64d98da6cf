// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Monitors of Skylake-SP (also Cascade Lake) in configuration space: a memory channel (four counters and one of DRAM clocks), the way from the mesh
 * to memory, and a UPI link (four counters each), all of 48 bits. The memory channel has the layout of Sandy Bridge-EP's without frz_en.
 *
 * Addresses and bits are those of Linux 6.1 arch/x86/events/intel/uncore_snbep.c. Intel's "Xeon Processor Scalable Memory Family Uncore
 * Performance Monitoring" (336274) defines them and was not opened.
 */
#include "core/regs/box_rows.h"
#include "core/regs/regs.h"

#define SNBEP "Linux 6.1 arch/x86/events/intel/uncore_snbep.c, "
#define GUIDE "; defined in Intel 336274 (not opened)"
#define BITS ", SNBEP_PMON_RAW_EVENT_MASK and SNBEP_PMON_CTL_EN" GUIDE
#define BOX ", SNBEP_PMON_BOX_CTL_* without frz_en (IVBEP_PMON_BOX_CTL_INT)" GUIDE

static const struct nthw_field counter_fields[] = {
	{ "low", 0, 32, NTHW_RW, "count, bits 31 to 0" },
	{ "high", 32, 16, NTHW_RW, "count, bits 47 to 32" },
	{ "unknown", 48, 16, NTHW_RO, "reserved" },
};

static const struct nthw_field select_fields[] = {
	{ "event", 0, 8, NTHW_RW, "event select code" },
	{ "umask", 8, 8, NTHW_RW, "which sub-events of the code count" },
	{ "unknown16", 16, 2, NTHW_RO, "not known" },
	{ "edge", 18, 1, NTHW_RW, "count where the comparison becomes true; wants a threshold" },
	{ "unknown19", 19, 3, NTHW_RO, "not known" },
	{ "en", 22, 1, NTHW_RW, "counter runs unless the box is frozen" },
	{ "invert", 23, 1, NTHW_RW, "compare with less than instead; wants a threshold" },
	{ "threshold", 24, 8, NTHW_RW, "count clocks with at least so many events; 0: count events" },
};

/* Linux writes the lower half only, and so never reaches the bits of the upper one that its format for perf has. */
static const struct nthw_field upi_select_fields[] = {
	{ "event", 0, 8, NTHW_RW, "event select code" },
	{ "umask", 8, 8, NTHW_RW, "which sub-events of the code count" },
	{ "unknown16", 16, 2, NTHW_RO, "not known" },
	{ "edge", 18, 1, NTHW_RW, "count where the comparison becomes true; wants a threshold" },
	{ "unknown19", 19, 3, NTHW_RO, "not known" },
	{ "en", 22, 1, NTHW_RW, "counter runs unless the box is frozen" },
	{ "invert", 23, 1, NTHW_RW, "compare with less than instead; wants a threshold" },
	{ "threshold", 24, 8, NTHW_RW, "count clocks with at least so many events; 0: count events" },
	{ "umask_ext", 32, 12, NTHW_RW, "which packets count, lower bits" },
	{ "unknown44", 44, 1, NTHW_RO, "not known" },
	{ "umask_ext_high", 45, 11, NTHW_RW, "which packets count, upper bits" },
	{ "unknown56", 56, 8, NTHW_RO, "not known" },
};

static const struct nthw_field fixed_select_fields[] = {
	{ "unknown0", 0, 22, NTHW_RO, "not known" },
	{ "en", 22, 1, NTHW_RW, "counter runs unless the box is frozen" },
	{ "unknown23", 23, 9, NTHW_RO, "not known" },
};

static const struct nthw_field control_fields[] = {
	{ "rst_ctrl", 0, 1, NTHW_W1C, "sets the controls of all counters to 0" },
	{ "rst_ctrs", 1, 1, NTHW_W1C, "sets all counters to 0" },
	{ "unknown2", 2, 6, NTHW_RO, "reserved" },
	{ "frz", 8, 1, NTHW_RW, "stop all counters of the box" },
	{ "unknown9", 9, 23, NTHW_RO, "reserved" },
};

#define ROW(title, offset, width, mask, list, from)                                                            \
	.name = (title), .space = NTHW_SPACE_PCI, .addr = (offset), .bits = (width), .writable = (mask),       \
	NTHW_FIELDS(list), .source = SNBEP from, .trust = NTHW_DOCUMENTED, .scope = NTHW_SCOPE_DEVICE

/* Memory channel. */
const struct nthw_reg nthw_skx_imc_counter = {
	ROW("MC_CH_PCI_PMON_CTR", 0xa0, 64, 0xffffffffffff, counter_fields, "SNBEP_PCI_PMON_CTR0, skx_uncore_imc (48 bits)" GUIDE),
	.role = NTHW_ROLE_COUNTER, .step = 8, .count = 4, .linux_name = "SNBEP_PCI_PMON_CTR",
};
const struct nthw_reg nthw_skx_imc_fixed_counter = {
	ROW("MC_CH_PCI_PMON_FIXED_CTR", 0xd0, 64, 0xffffffffffff, counter_fields,
	    "SNBEP_MC_CHy_PCI_PMON_FIXED_CTR, skx_uncore_imc (48 bits)" GUIDE),
	.role = NTHW_ROLE_COUNTER, .count = 1, .linux_name = "SNBEP_MC_CHy_PCI_PMON_FIXED_CTR",
};
const struct nthw_reg nthw_skx_imc_select = {
	ROW("MC_CH_PCI_PMON_CTL", 0xd8, 32, 0xffc4ffff, select_fields, "SNBEP_PCI_PMON_CTL0, skx_uncore_imc" BITS),
	.role = NTHW_ROLE_SELECT, .runs = 0x400000, .step = 4, .count = 4, .linux_name = "SNBEP_PCI_PMON_CTL",
};
const struct nthw_reg nthw_skx_imc_fixed_select = {
	ROW("MC_CH_PCI_PMON_FIXED_CTL", 0xf0, 32, 0x400000, fixed_select_fields,
	    "SNBEP_MC_CHy_PCI_PMON_FIXED_CTL, skx_uncore_imc, SNBEP_PMON_CTL_EN" GUIDE),
	.role = NTHW_ROLE_SELECT, .runs = 0x400000, .count = 1, .linux_name = "SNBEP_MC_CHy_PCI_PMON_FIXED_CTL",
};
const struct nthw_reg nthw_skx_imc_control = {
	ROW("MC_CH_PCI_PMON_BOX_CTL", 0xf4, 32, 0x103, control_fields, "SNBEP_PCI_PMON_BOX_CTL, skx_uncore_imc" BOX),
	.role = NTHW_ROLE_CONTROL, .count = 1, .linux_name = "SNBEP_PCI_PMON_BOX_CTL",
};

static const struct nthw_reg *const imc_regs[] = {
	&nthw_skx_imc_counter,
	&nthw_skx_imc_fixed_counter,
	&nthw_skx_imc_select,
	&nthw_skx_imc_fixed_select,
	&nthw_skx_imc_control,
};
const struct nthw_table nthw_skx_imc = {
	.name = "skx_imc", .regs = imc_regs, .count = NTHW_ARRAY_SIZE(imc_regs),
};

/* Mesh to memory. What the 4 bytes behind each select register are is not known: Linux leaves them alone. */
const struct nthw_reg nthw_skx_m2m_counter = {
	ROW("M2M_PCI_PMON_CTR", 0x200, 64, 0xffffffffffff, counter_fields, "SKX_M2M_PCI_PMON_CTR0, skx_uncore_m2m (48 bits)" GUIDE),
	.role = NTHW_ROLE_COUNTER, .step = 8, .count = 4, .linux_name = "SKX_M2M_PCI_PMON_CTR",
};
const struct nthw_reg nthw_skx_m2m_select = {
	ROW("M2M_PCI_PMON_CTL", 0x228, 32, 0xffc4ffff, select_fields,
	    "SKX_M2M_PCI_PMON_CTL0, skx_uncore_m2m, UNCORE_BOX_FLAG_CTL_OFFS8 (step)" BITS),
	.role = NTHW_ROLE_SELECT, .runs = 0x400000, .step = 8, .count = 4, .linux_name = "SKX_M2M_PCI_PMON_CTL",
};
const struct nthw_reg nthw_skx_m2m_control = {
	ROW("M2M_PCI_PMON_BOX_CTL", 0x258, 32, 0x103, control_fields, "SKX_M2M_PCI_PMON_BOX_CTL, skx_uncore_m2m" BOX),
	.role = NTHW_ROLE_CONTROL, .count = 1, .linux_name = "SKX_M2M_PCI_PMON_BOX_CTL",
};

static const struct nthw_reg *const m2m_regs[] = {
	&nthw_skx_m2m_counter,
	&nthw_skx_m2m_select,
	&nthw_skx_m2m_control,
};
const struct nthw_table nthw_skx_m2m = {
	.name = "skx_m2m", .regs = m2m_regs, .count = NTHW_ARRAY_SIZE(m2m_regs),
};

/* UPI link. */
const struct nthw_reg nthw_skx_upi_counter = {
	ROW("UPI_PCI_PMON_CTR", 0x318, 64, 0xffffffffffff, counter_fields, "SKX_UPI_PCI_PMON_CTR0, skx_uncore_upi (48 bits)" GUIDE),
	.role = NTHW_ROLE_COUNTER, .step = 8, .count = 4, .linux_name = "SKX_UPI_PCI_PMON_CTR",
};
const struct nthw_reg nthw_skx_upi_select = {
	ROW("UPI_PCI_PMON_CTL", 0x350, 64, 0xffefffffc4ffff, upi_select_fields,
	    "SKX_UPI_PCI_PMON_CTL0, SKX_UPI_CTL_UMASK_EXT, skx_uncore_upi, UNCORE_BOX_FLAG_CTL_OFFS8 (step)" BITS),
	.role = NTHW_ROLE_SELECT, .runs = 0x400000, .step = 8, .count = 4, .linux_name = "SKX_UPI_PCI_PMON_CTL",
};
const struct nthw_reg nthw_skx_upi_control = {
	ROW("UPI_PCI_PMON_BOX_CTL", 0x378, 32, 0x103, control_fields, "SKX_UPI_PCI_PMON_BOX_CTL, skx_uncore_upi" BOX),
	.role = NTHW_ROLE_CONTROL, .count = 1, .linux_name = "SKX_UPI_PCI_PMON_BOX_CTL",
};

static const struct nthw_reg *const upi_regs[] = {
	&nthw_skx_upi_counter,
	&nthw_skx_upi_select,
	&nthw_skx_upi_control,
};
const struct nthw_table nthw_skx_upi = {
	.name = "skx_upi", .regs = upi_regs, .count = NTHW_ARRAY_SIZE(upi_regs),
};
