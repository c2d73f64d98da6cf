// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Registers in the memory of PCI devices. A device may have a driver of its own: we claim nothing,
 * bind to nothing and switch nothing on. When a device is announced its BAR may have no address
 * yet, and later it may get another one, so it is mapped when it is accessed.
 */
#include <linux/io.h>
#include <linux/pci.h>

#include "driver/device.h"

#define TRIES 4 /* as in pci.c */

/* Does the device decode its memory now? 0, -ENODEV, -ENXIO. */
static int memory_is_on(struct pci_dev *pdev)
{
	u16 command;

	if (pci_read_config_word(pdev, PCI_COMMAND, &command) || !ntd_pci_answers(pdev))
		return -ENODEV;
	if (!(command & PCI_COMMAND_MEMORY))
		return -ENXIO;
	/* In lower states of power nothing answers. */
	if (pdev->current_state != PCI_D0 && pdev->current_state != PCI_UNKNOWN)
		return -ENXIO;
	return 0;
}

static const struct resource *bar_of(const struct ntd_device *device)
{
	const struct resource *bar = &device->pdev->resource[device->known->bar];

	if (!(bar->flags & IORESOURCE_MEM) || !bar->start ||
	    (bar->flags & (IORESOURCE_UNSET | IORESOURCE_DISABLED)))
		return NULL;
	return bar;
}

static void unmap_locked(struct ntd_device *device)
{
	lockdep_assert_held(&device->map_lock);
	if (device->map)
		iounmap(device->map);
	device->map = NULL;
}

/* The register's address in the kernel, mapped if it is not yet. Under map_lock. */
static int reach(struct ntd_device *device, u32 addr, u32 bits, void __iomem **at)
{
	const struct resource *bar = bar_of(device);

	lockdep_assert_held(&device->map_lock);
	if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
		return -EIO;
	if (!bar || (u64)addr + bits / 8 > resource_size(bar))
		return -ENXIO;
	if (device->map_start != bar->start || device->map_size != resource_size(bar))
		unmap_locked(device);
	if (!device->map) {
		device->map = ioremap(bar->start, resource_size(bar));
		if (!device->map)
			return -ENOMEM;
		device->map_start = bar->start;
		device->map_size = resource_size(bar);
	}
	*at = device->map + addr;
	return 0;
}

static int load_halves(void __iomem *at, u64 *value)
{
	u32 high, low, again = readl(at + 4);
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		high = again;
		low = readl(at);
		again = readl(at + 4);
		if (high == again) {
			*value = (u64)high << 32 | low;
			return 0;
		}
	}
	return -EIO;
}

static int load(void __iomem *at, u32 bits, u64 *value)
{
	switch (bits) {
	case 8:
		*value = readb(at);
		return 0;
	case 16:
		*value = readw(at);
		return 0;
	case 32:
		*value = readl(at);
		return 0;
	default:
		return load_halves(at, value);
	}
}

static void store(void __iomem *at, u32 bits, u64 value)
{
	switch (bits) {
	case 8:
		writeb((u8)value, at);
		break;
	case 16:
		writew((u16)value, at);
		break;
	case 32:
		writel((u32)value, at);
		break;
	default:
		writel((u32)value, at);
		writel((u32)(value >> 32), at + 4);
		break;
	}
}

/*
 * Asking whether memory is on costs more than the read, and only ones are in doubt: what a device
 * that does not decode leaves.
 */
int ntd_mmio_read(struct ntd_device *device, u32 addr, u32 bits, u64 *value)
{
	u64 ones = bits < 64 ? (1ull << bits) - 1 : ~0ull;
	void __iomem *at;
	int ret;

	mutex_lock(&device->map_lock);
	ret = reach(device, addr, bits, &at);
	if (!ret)
		ret = load(at, bits, value);
	mutex_unlock(&device->map_lock);
	if (!ret && (*value == ones || !*value))
		ret = memory_is_on(device->pdev);
	return ret;
}

int ntd_mmio_write(struct ntd_device *device, u32 addr, u32 bits, u64 value)
{
	void __iomem *at;
	int ret = memory_is_on(device->pdev);

	if (ret)
		return ret;
	mutex_lock(&device->map_lock);
	ret = reach(device, addr, bits, &at);
	if (!ret)
		store(at, bits, value);
	mutex_unlock(&device->map_lock);
	return ret;
}

/*
 * A page is shown as a whole, so the BAR must fill it: behind the end of a smaller one another
 * device may be.
 */
int ntd_mmio_page(struct ntd_device *device, u32 addr, unsigned long *pfn, u32 *offset)
{
	const struct resource *bar = bar_of(device);

	if (!bar || !PAGE_ALIGNED(bar->start) ||
	    (u64)(addr | (PAGE_SIZE - 1)) >= resource_size(bar) || memory_is_on(device->pdev))
		return -ENXIO;
	*pfn = (unsigned long)((bar->start + addr) >> PAGE_SHIFT);
	*offset = addr & (PAGE_SIZE - 1);
	return 0;
}

void ntd_mmio_unmap(struct ntd_device *device)
{
	mutex_lock(&device->map_lock);
	unmap_locked(device);
	mutex_unlock(&device->map_lock);
}
