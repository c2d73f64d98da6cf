/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The function of Sandy Bridge-EP's Ubox by which systems learn which socket a PCI bus belongs to:
 * device 11, function 0. Without it Linux does not bind the memory channels beside it.
 */
#ifndef NTM_SNBEP_UBOX_H
#define NTM_SNBEP_UBOX_H

#include "core/models/pci_config.h"

#define NTM_SNBEP_UBOX_NODES 8

struct ntm_snbep_ubox {
	struct ntm_pci_config
		/* holds every register; access it with ntm_pci_config_read() and _write() */
		config;
};

/* The Ubox of node @node, 0 to 7, after firmware has numbered the nodes as the sockets. */
void ntm_snbep_ubox_init(struct ntm_snbep_ubox *m, uint32_t node);

/*
 * What it does not model: everything else of the Ubox - its performance counters (which are MSRs),
 * interrupts, semaphores, scratchpads and the freeze of all boxes. A reset does not lose the
 * numbers of the nodes here, as if firmware had run again.
 */

#endif
