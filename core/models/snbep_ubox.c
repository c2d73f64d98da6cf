// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Ubox of Sandy Bridge-EP: two registers. Its id: Linux 6.1 arch/x86/events/intel/uncore_snbep.c,
 * snbep_uncore_pci_init().
 */
#include "core/models/snbep_ubox.h"

#include "core/regs/regs.h"

#define NODE 0x40
#define MAP 0x54
#define IDENTITY_MAP 076543210 /* octal: three bits a socket, socket 0 last */

void ntm_snbep_ubox_init(struct ntm_snbep_ubox *m, uint32_t node)
{
	/* System peripheral, other: as lspci shows it on such machines; from memory. */
	static const struct ntm_pci_identity id = {
		.vendor = 0x8086,
		.device = 0x3ce0,
		.class_code = 0x088000,
	};

	ntm_pci_config_init(&m->config, &id);
	ntm_pci_config_add_table(&m->config, &nthw_snbep_ubox);
	ntm_pci_config_put_reset(&m->config, NODE, 4, node % NTM_SNBEP_UBOX_NODES);
	ntm_pci_config_put_reset(&m->config, MAP, 4, IDENTITY_MAP);
}
