/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Inside of device.c, pci.c and mmio.c: one PCI function whose registers we know. */
#ifndef NTD_DEVICE_H
#define NTD_DEVICE_H

#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/workqueue.h>

#include "core/regs/devices.h"
#include "driver/ntd.h"

/* Stays until unload, so that what comes back to the same place is the same unit. */
struct ntd_device {
	struct list_head node;
	const struct nthw_pci_device *known;
	int domain;
	unsigned int bus, devfn;
	unsigned int number; /* device%u, gpu%u */
	struct ntd_unit *unit;
	struct pci_dev *pdev; /* while it is here, with a reference */
	struct mutex map_lock; /* of what follows */
	void __iomem *map; /* of the BAR; NULL before the first access */
	resource_size_t map_start, map_size;
	resource_size_t lent; /* where the BAR was when it was lent */
	/* Pages in programs: */
	atomic_t pins; /* mappings that may show them */
	unsigned long shown_at; /* frame at which the BAR was when they were shown; 0: none are */
	bool is_held_off; /* none may be shown now */
	struct delayed_work watch; /* while there are pins */
	struct ntd_card *card; /* card.c's; NULL: it is none */
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

/* Of a device that is new. */
void ntd_mmio_init(struct ntd_device *device);
/*
 * All under ntd_unit.lock, may sleep. 0, -ENODEV, -ENXIO (its memory is switched off, asleep, not
 * where the kernel put it, or has no address), -EBUSY (its driver has claimed it for itself alone),
 * -EIO, -ENOMEM. They do not wake the device.
 */
int ntd_mmio_read(struct ntd_device *device, u32 addr, u32 bits, u64 *value);
int ntd_mmio_write(struct ntd_device *device, u32 addr, u32 bits, u64 value);
/* Could a program see the page of @addr now? */
int ntd_mmio_page(struct ntd_device *device, u32 addr, unsigned long *pfn, u32 *offset);
/* The same for a program that sees it from now on, until ntd_file_unmap(). Of who has a pin. */
int ntd_mmio_show(struct ntd_device *device, u32 addr, unsigned long *pfn);
/*
 * For a mapping that may show pages, under ntd_unit.lock: while there is one, the device does not
 * fall asleep by itself, and its pages are taken away when they are not where they were any more.
 * To be given back in any context that may sleep, also when the device has gone.
 */
struct pci_dev *ntd_mmio_pin(struct ntd_device *device);
void ntd_mmio_unpin(struct ntd_device *device, struct pci_dev *pdev);
/* No page is in a program. Who touches one next asks again. Not under ntd_unit.lock. */
void ntd_mmio_hide(struct ntd_device *device);
/* The same, and none comes to be, until it is called again with false. */
void ntd_mmio_hold_off(struct ntd_device *device, bool is_held_off);
/*
 * Its first @size bytes for who accesses them with interrupts off, or an error as above. It does
 * not fall asleep by itself until they are given back, which is before the device goes.
 */
void __iomem *ntd_mmio_lend(struct ntd_device *device, resource_size_t size);
void ntd_mmio_give_back(struct ntd_device *device, void __iomem *map);
/* Is the BAR where it was lent, and does nobody hold the device to reset it? In any context. */
bool ntd_mmio_is_lent(const struct ntd_device *device);
/* The device went; nobody accesses it any more. */
void ntd_mmio_unmap(struct ntd_device *device);

#endif
