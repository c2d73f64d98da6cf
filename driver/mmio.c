// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Registers in the memory of PCI devices. A device may have a driver of its own: we claim nothing,
 * bind to nothing, switch nothing on and wake nothing. When a device is announced its BAR may have
 * no address yet, and later it may get another one, so it is mapped when it is accessed.
 *
 * A load from memory that is not decoded ends in a machine check on some machines (CVE-2020-12888),
 * so what is needed for it is asked before, and kept so over an access of ours: asleep the device
 * does not fall, and who goes through sysfs, or resets it, waits. What a program does with a page
 * that it has mapped cannot be held off like that (docs/adr/0016). Nor can a card that perf counts
 * with, which is read with interrupts off: a reset, or a BAR that moved, is seen before each look,
 * memory that is switched off behind the kernel's back is not.
 */
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/pm_runtime.h>

#include "driver/device.h"
#include "driver/file.h"

#define TRIES 4 /* as in pci.c */
/* How long a page may be seen after its memory was switched off behind everybody's back. */
#define WATCH_INTERVAL (HZ / 10)

static const struct resource *bar_of(const struct ntd_device *device)
{
	const struct resource *bar = &device->pdev->resource[device->known->bar];

	if (!(bar->flags & IORESOURCE_MEM) || !bar->start ||
	    (bar->flags & (IORESOURCE_UNSET | IORESOURCE_DISABLED)))
		return NULL;
	return bar;
}

/* ---- may it be accessed now? ---- */

static int raw_dword(struct pci_dev *pdev, int at, u32 *value)
{
	return pci_read_config_dword(pdev, at, value) ? -ENODEV : 0;
}

static bool answers(struct pci_dev *pdev)
{
	u32 id;

	return !raw_dword(pdev, PCI_VENDOR_ID, &id) &&
	       id == (pdev->vendor | (u32)pdev->device << 16);
}

/* Does the kernel believe that it is awake, and is it? */
static bool is_awake(struct pci_dev *pdev)
{
	u16 control;

	if (pm_runtime_suspended(&pdev->dev) ||
	    (pdev->current_state != PCI_D0 && pdev->current_state != PCI_UNKNOWN))
		return false;
	return !pdev->pm_cap ||
	       (!pci_read_config_word(pdev, pdev->pm_cap + PCI_PM_CTRL, &control) &&
		!(control & PCI_PM_CTRL_STATE_MASK));
}

/* Does the BAR hold the address that the kernel gave it? */
static bool is_in_place(const struct ntd_device *device, const struct resource *bar)
{
	int at = PCI_BASE_ADDRESS_0 + 4 * (int)device->known->bar;
	struct pci_bus_region region;
	u32 low, high = 0;

	pcibios_resource_to_bus(device->pdev->bus, &region, (struct resource *)bar);
	if (raw_dword(device->pdev, at, &low) ||
	    ((bar->flags & IORESOURCE_MEM_64) && raw_dword(device->pdev, at + 4, &high)))
		return false;
	return region.start == ((u64)high << 32 | (low & PCI_BASE_ADDRESS_MEM_MASK));
}

static int one_claims(struct resource *claimed, void *unused)
{
	return 1;
}

/* As iomem_is_exclusive(), which modules cannot call: whoever has it all for himself said so. */
static bool is_claimed(const struct resource *bar, unsigned long how)
{
	return walk_iomem_res_desc(IORES_DESC_NONE, how, bar->start, bar->end, NULL, one_claims) ==
	       1;
}

/* Within begin() and end(). 0, -ENODEV, -ENXIO, -EBUSY. */
static int is_accessible(const struct ntd_device *device)
{
	const struct resource *bar = bar_of(device);
	u16 command;

	if (!bar || !is_awake(device->pdev))
		return -ENXIO;
	if (!answers(device->pdev) ||
	    pci_read_config_word(device->pdev, PCI_COMMAND, &command))
		return -ENODEV;
	if (!(command & PCI_COMMAND_MEMORY) || !is_in_place(device, bar))
		return -ENXIO;
	return is_claimed(bar, IORESOURCE_BUSY | IORESOURCE_EXCLUSIVE) ? -EBUSY : 0;
}

/* It stays as awake as it is. May wait for one that is just falling asleep. */
static void stay_awake(struct pci_dev *pdev)
{
	pm_runtime_get_noresume(&pdev->dev);
	pm_runtime_barrier(&pdev->dev);
}

/* On success what is_accessible() asked stays so until end(), but for what its driver does. */
static int begin(const struct ntd_device *device)
{
	int ret;

	stay_awake(device->pdev);
	/* Not pci_user_read_config_*() from here on: they wait for us. */
	pci_cfg_access_lock(device->pdev);
	ret = is_accessible(device);
	if (!ret)
		return 0;
	pci_cfg_access_unlock(device->pdev);
	pm_runtime_put(&device->pdev->dev);
	return ret;
}

static void end(const struct ntd_device *device)
{
	pci_cfg_access_unlock(device->pdev);
	pm_runtime_put(&device->pdev->dev);
}

/* ---- accesses of ours ---- */

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

int ntd_mmio_read(struct ntd_device *device, u32 addr, u32 bits, u64 *value)
{
	u64 ones = bits < 64 ? (1ull << bits) - 1 : ~0ull;
	void __iomem *at;
	int ret = begin(device);

	if (ret)
		return ret;
	mutex_lock(&device->map_lock);
	ret = reach(device, addr, bits, &at);
	if (!ret)
		ret = load(at, bits, value);
	mutex_unlock(&device->map_lock);
	/* It may have been pulled out. */
	if (!ret && *value == ones && !answers(device->pdev))
		ret = -ENODEV;
	end(device);
	return ret;
}

int ntd_mmio_write(struct ntd_device *device, u32 addr, u32 bits, u64 value)
{
	void __iomem *at;
	int ret = begin(device);

	if (ret)
		return ret;
	mutex_lock(&device->map_lock);
	ret = reach(device, addr, bits, &at);
	if (!ret)
		store(at, bits, value);
	mutex_unlock(&device->map_lock);
	end(device);
	return ret;
}

void __iomem *ntd_mmio_lend(struct ntd_device *device, resource_size_t size)
{
	const struct resource *bar;
	void __iomem *map = NULL;
	int ret = begin(device);

	if (ret)
		return IOMEM_ERR_PTR(ret);
	bar = bar_of(device);
	if (resource_size(bar) >= size)
		map = ioremap(bar->start, size);
	if (map)
		pm_runtime_get_noresume(&device->pdev->dev);
	device->lent = bar->start;
	end(device);
	return map ?: IOMEM_ERR_PTR(-ENXIO);
}

bool ntd_mmio_is_lent(const struct ntd_device *device)
{
	const struct resource *bar = bar_of(device);

	return bar && bar->start == device->lent && !device->pdev->block_cfg_access;
}

void ntd_mmio_give_back(struct ntd_device *device, void __iomem *map)
{
	iounmap(map);
	pm_runtime_put(&device->pdev->dev);
}

/* ---- pages that programs map ---- */

/*
 * A page is shown as a whole, so the BAR must fill it: behind the end of a smaller one another
 * device may be. The kernel that has CONFIG_IO_STRICT_DEVMEM lets nobody see memory that a driver
 * has claimed.
 */
static int page_of(const struct ntd_device *device, u32 addr, unsigned long *pfn)
{
	const struct resource *bar = bar_of(device);

	if (READ_ONCE(device->is_held_off) || !bar || !PAGE_ALIGNED(bar->start) ||
	    (u64)(addr | (PAGE_SIZE - 1)) >= resource_size(bar))
		return -ENXIO;
	if (IS_ENABLED(CONFIG_IO_STRICT_DEVMEM) && is_claimed(bar, IORESOURCE_BUSY))
		return -EBUSY;
	*pfn = (unsigned long)((bar->start + addr) >> PAGE_SHIFT);
	return 0;
}

int ntd_mmio_page(struct ntd_device *device, u32 addr, unsigned long *pfn, u32 *offset)
{
	int ret = begin(device);

	if (ret)
		return ret;
	ret = page_of(device, addr, pfn);
	end(device);
	*offset = addr & (PAGE_SIZE - 1);
	return ret;
}

/*
 * The page of what was shown where the BAR was stays in tables until the watch has taken it away:
 * nothing is shown of where it is now before that.
 */
int ntd_mmio_show(struct ntd_device *device, u32 addr, unsigned long *pfn)
{
	unsigned long at, before = 0;
	u32 offset;
	int ret = ntd_mmio_page(device, addr, pfn, &offset);

	if (ret)
		return ret;
	at = *pfn - (addr >> PAGE_SHIFT);
	if (!try_cmpxchg(&device->shown_at, &before, at) && before != at)
		return -ENXIO;
	return 0;
}

static bool shows_what_is_there(struct ntd_device *device)
{
	unsigned long now, at = READ_ONCE(device->shown_at);
	u32 offset;

	return !at || (!ntd_mmio_page(device, 0, &now, &offset) && now == at);
}

/* A fault that has asked already has its page in the table when the lock is to be had. */
void ntd_mmio_hide(struct ntd_device *device)
{
	struct ntd_unit *unit = device->unit;

	down_write(&unit->lock);
	device->shown_at = 0;
	up_write(&unit->lock);
	ntd_file_unmap(unit);
}

/*
 * Nobody tells a module that did not bind the device when its memory is switched off, or moved, by
 * who writes configuration space: so it is looked at, while somebody has its memory mapped.
 */
static void watch(struct work_struct *work)
{
	struct ntd_device *device = container_of(to_delayed_work(work), struct ntd_device, watch);
	struct ntd_unit *unit = device->unit;
	bool is_good;

	if (!atomic_read(&device->pins))
		return;
	down_read(&unit->lock);
	is_good = !unit->device || shows_what_is_there(device);
	up_read(&unit->lock);
	if (!is_good)
		ntd_mmio_hide(device);
	queue_delayed_work(system_freezable_wq, &device->watch, WATCH_INTERVAL);
}

void ntd_mmio_init(struct ntd_device *device)
{
	mutex_init(&device->map_lock);
	INIT_DELAYED_WORK(&device->watch, watch);
}

struct pci_dev *ntd_mmio_pin(struct ntd_device *device)
{
	stay_awake(device->pdev);
	if (atomic_inc_return(&device->pins) == 1)
		WRITE_ONCE(device->shown_at, 0); /* nothing is shown */
	queue_delayed_work(system_freezable_wq, &device->watch, WATCH_INTERVAL);
	return pci_dev_get(device->pdev);
}

void ntd_mmio_unpin(struct ntd_device *device, struct pci_dev *pdev)
{
	atomic_dec(&device->pins);
	pm_runtime_put(&pdev->dev);
	pci_dev_put(pdev);
}

void ntd_mmio_hold_off(struct ntd_device *device, bool is_held_off)
{
	WRITE_ONCE(device->is_held_off, is_held_off);
	if (is_held_off)
		ntd_mmio_hide(device);
}

void ntd_mmio_unmap(struct ntd_device *device)
{
	cancel_delayed_work_sync(&device->watch);
	mutex_lock(&device->map_lock);
	unmap_locked(device);
	mutex_unlock(&device->map_lock);
	device->is_held_off = false;
	device->shown_at = 0;
}
