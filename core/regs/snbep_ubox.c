// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the system agent (Ubox) of Sandy Bridge-EP and of Skylake-SP tells of its socket, in the configuration space of a PCI function of its own:
 * which node it is. Linux finds by it which socket a PCI bus belongs to. Firmware writes these registers; we only read.
 */
#include "core/regs/box_rows.h"
#include "core/regs/regs.h"

#define SNBEP "Linux 6.1 arch/x86/events/intel/uncore_snbep.c, snbep_pci2phy_map_init() (address and use; names of the fields are ours)"

static const struct nthw_field node_fields[] = {
	{ "node", 0, 3, NTHW_OS, "number of the socket's node" },
	{ "unknown", 3, 29, NTHW_RO, "other ids" },
};
const struct nthw_reg nthw_snbep_ubox_node = {
	.name = "CPUNODEID", .space = NTHW_SPACE_PCI, .addr = 0x40, .count = 1, .bits = 32,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(node_fields), .source = SNBEP, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_DEVICE, .linux_name = "SNBEP_CPUNODEID",
};

static const struct nthw_field map_fields[] = {
	{ "node0", 0, 3, NTHW_OS, "node of socket 0" },
	{ "node1", 3, 3, NTHW_OS, "node of socket 1" },
	{ "node2", 6, 3, NTHW_OS, "node of socket 2" },
	{ "node3", 9, 3, NTHW_OS, "node of socket 3" },
	{ "node4", 12, 3, NTHW_OS, "node of socket 4" },
	{ "node5", 15, 3, NTHW_OS, "node of socket 5" },
	{ "node6", 18, 3, NTHW_OS, "node of socket 6" },
	{ "node7", 21, 3, NTHW_OS, "node of socket 7" },
	{ "unknown", 24, 8, NTHW_RO, "reserved" },
};
const struct nthw_reg nthw_snbep_ubox_map = {
	.name = "GIDNIDMAP", .space = NTHW_SPACE_PCI, .addr = 0x54, .count = 1, .bits = 32,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(map_fields), .source = SNBEP, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_DEVICE, .linux_name = "SNBEP_GIDNIDMAP",
};

static const struct nthw_reg *const regs[] = {
	&nthw_snbep_ubox_node,
	&nthw_snbep_ubox_map,
};
const struct nthw_table nthw_snbep_ubox = {
	.name = "snbep_ubox", .regs = regs, .count = NTHW_ARRAY_SIZE(regs),
};

#define SKX "Linux 6.1 arch/x86/events/intel/uncore_snbep.c, skx_uncore_pci_init() (addresses) and snbep_pci2phy_map_init() (use; names of the " \
	"fields are ours)"

const struct nthw_reg nthw_skx_ubox_node = {
	.name = "CPUNODEID", .space = NTHW_SPACE_PCI, .addr = 0xc0, .count = 1, .bits = 32,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(node_fields), .source = SKX, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_DEVICE, .linux_name = "SKX_CPUNODEID",
};
const struct nthw_reg nthw_skx_ubox_map = {
	.name = "GIDNIDMAP", .space = NTHW_SPACE_PCI, .addr = 0xd4, .count = 1, .bits = 32,
	.role = NTHW_ROLE_OTHER,
	NTHW_FIELDS(map_fields), .source = SKX, .trust = NTHW_DOCUMENTED,
	.scope = NTHW_SCOPE_DEVICE, .linux_name = "SKX_GIDNIDMAP",
};

static const struct nthw_reg *const skx_regs[] = {
	&nthw_skx_ubox_node,
	&nthw_skx_ubox_map,
};
const struct nthw_table nthw_skx_ubox = {
	.name = "skx_ubox", .regs = skx_regs, .count = NTHW_ARRAY_SIZE(skx_regs),
};
