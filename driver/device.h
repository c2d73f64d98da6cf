/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Inside of device.c, pci.c and mmio.c: one PCI function whose registers we know. */
#ifndef NTD_DEVICE_H
#define NTD_DEVICE_H

#include <linux/mutex.h>
#include <linux/pci.h>

#include "core/regs/devices.h"
#include "driver/ntd.h"

/* Stays until unload, so that what comes back to the same place is the same unit. */
struct ntd_device {
	struct list_head node;
	const struct nthw_pci_device *known;
	int domain;
	unsigned int bus, devfn;
	unsigned int number; /* device%u */
	struct ntd_unit *unit;
	struct pci_dev *pdev; /* while it is here, with a reference */
	struct mutex map_lock; /* of what follows */
	void __iomem *map; /* of the BAR; NULL before the first access */
	resource_size_t map_start, map_size;
};

/* ---- pci.c: configuration space ---- */

/* All under ntd_unit.lock, may sleep. 0, -ENODEV (nothing answers), -EIO. */
int ntd_pci_read(struct pci_dev *pdev, u32 addr, u32 bits, u64 *value);
int ntd_pci_write(struct pci_dev *pdev, u32 addr, u32 bits, u64 value);
/* Does the function still answer? */
bool ntd_pci_answers(struct pci_dev *pdev);
/* Number of the socket that a function belongs to; -ENODEV: nothing tells. */
int ntd_pci_socket(struct pci_dev *pdev, const struct nthw_ubox *ubox);

/* ---- mmio.c: memory of a device ---- */

/*
 * All under ntd_unit.lock, may sleep. 0, -ENODEV, -ENXIO (its memory is switched off or has no
 * address), -EIO, -ENOMEM.
 */
int ntd_mmio_read(struct ntd_device *device, u32 addr, u32 bits, u64 *value);
int ntd_mmio_write(struct ntd_device *device, u32 addr, u32 bits, u64 value);
int ntd_mmio_page(struct ntd_device *device, u32 addr, unsigned long *pfn, u32 *offset);
/* The device went; nobody accesses it any more. */
void ntd_mmio_unmap(struct ntd_device *device);

#endif
