// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * PCI functions whose registers we know, as they come and go: units below the package that they
 * belong to, or of their own.
 *
 * Functions are watched, not driven: the kernel's uncore driver may be bound to the same one. The
 * notifier of the bus is called when a device is added and before it is removed.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "driver/card.h"
#include "driver/device.h"
#include "driver/file.h"
#include "driver/tree.h"

#if IS_ENABLED(CONFIG_PCI)

/* of the list, and of coming and going; outside of ntd_tree_lock */
static DEFINE_MUTEX(devices_lock);
static LIST_HEAD(devices);

static bool is_place_of(const struct ntd_device *device, const struct pci_dev *pdev)
{
	return device->domain == pci_domain_nr(pdev->bus) && device->bus == pdev->bus->number &&
	       device->devfn == pdev->devfn;
}

static const struct nthw_pci_device *known_of(const struct pci_dev *pdev)
{
	const struct nthw_pci_device *known = nthw_pci_device(pdev->vendor, pdev->device);

	return known ?: ntd_card_known(pdev);
}

/* That was or is there; or a new one. */
static struct ntd_device *device_at(struct pci_dev *pdev, const struct nthw_pci_device *known)
{
	struct ntd_device *device;
	unsigned int number = 0;

	lockdep_assert_held(&devices_lock);
	list_for_each_entry(device, &devices, node) {
		if (is_place_of(device, pdev) && device->known == known)
			return device;
		if (!device->known->ubox &&
		    ntd_card_is_one(device->known) == ntd_card_is_one(known))
			number = max(number, device->number + 1);
	}
	device = kzalloc(sizeof(*device), GFP_KERNEL);
	if (!device)
		return NULL;
	device->known = known;
	device->domain = pci_domain_nr(pdev->bus);
	device->bus = pdev->bus->number;
	device->devfn = pdev->devfn;
	device->number = number;
	ntd_mmio_init(device);
	list_add_tail(&device->node, &devices);
	return device;
}

/* Where its registers are shown: "uncore0/pci/D16:F4", "device0/mmio", "gpu0/mmio". */
static int folder_of(const struct ntd_device *device, struct pci_dev *pdev, char *folder,
		     size_t size)
{
	int socket;

	if (!device->known->ubox) {
		scnprintf(folder, size, "%s%u/mmio",
			  ntd_card_is_one(device->known) ? "gpu" : "device", device->number);
		return 0;
	}
	socket = ntd_pci_socket(pdev, device->known->ubox);
	if (socket < 0)
		return socket;
	scnprintf(folder, size, "uncore%d/pci/D%u:F%u", socket, PCI_SLOT(pdev->devfn),
		  PCI_FUNC(pdev->devfn));
	return 0;
}

static int add_rows(struct ntd_unit *unit, const struct nthw_pci_device *known)
{
	const struct nthw_table *table = known->table;
	bool is_card = ntd_card_is_one(known);
	u32 index;
	size_t i;
	int ret;

	for (i = 0; i < table->count; i++) {
		for (index = 0; index < table->regs[i]->count; index++) {
			if (is_card && !ntd_card_has(known, table->regs[i], index))
				continue;
			ret = ntd_tree_add_reg(unit, table, table->regs[i], index);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int unit_come(struct ntd_device *device, struct pci_dev *pdev)
{
	struct ntd_unit *unit;
	char folder[48];
	int ret = folder_of(device, pdev, folder, sizeof(folder));

	if (ret)
		return ret;
	unit = ntd_tree_unit(NTD_UNIT_DEVICE, device->number, folder, device->known->vendor_names);
	if (IS_ERR(unit))
		return PTR_ERR(unit);
	/* Two functions that say to be the same one: the first has it. */
	ret = unit->is_here ? -EEXIST : add_rows(unit, device->known);
	if (ret)
		goto err_put;
	device->unit = unit;
	device->pdev = pci_dev_get(pdev);
	ntd_tree_come(unit, device);
	if (ntd_card_is_one(device->known)) {
		ret = ntd_card_come(device);
		if (ret)
			pci_notice(pdev, "perf has no PMU of it (%d)\n", ret);
	}
	return 0;
err_put:
	ntd_tree_put(unit);
	return ret;
}

static void device_come(struct pci_dev *pdev)
{
	const struct nthw_pci_device *known = known_of(pdev);
	struct ntd_device *device;
	int ret;

	if (!known)
		return;
	mutex_lock(&devices_lock);
	device = device_at(pdev, known);
	ret = device ? 0 : -ENOMEM;
	if (device && !device->pdev)
		ret = unit_come(device, pdev);
	mutex_unlock(&devices_lock);
	if (ret)
		pci_notice(pdev, "ntime does not show its registers (%d)%s\n", ret,
			   ret == -ENODEV ? ": no Ubox tells which socket it belongs to" : "");
}

static void unit_go(struct ntd_device *device)
{
	bool is_reachable;

	lockdep_assert_held(&devices_lock);
	if (!device->pdev)
		return;
	is_reachable = ntd_pci_answers(device->pdev);
	ntd_card_leave(device, is_reachable);
	ntd_tree_go(device->unit, is_reachable);
	ntd_file_unmap(device->unit);
	ntd_mmio_unmap(device);
	ntd_tree_put(device->unit);
	pci_dev_put(device->pdev);
	device->pdev = NULL;
	device->unit = NULL;
}

static void device_go(struct pci_dev *pdev)
{
	struct ntd_device *device;

	mutex_lock(&devices_lock);
	list_for_each_entry(device, &devices, node)
		if (device->pdev == pdev)
			unit_go(device);
	mutex_unlock(&devices_lock);
}

/*
 * Its driver comes or goes, and may switch its memory off meanwhile, or move it. Of a driver that
 * is there and does so the notifier hears nothing: mmio.c looks.
 */
static void device_hold_off(struct pci_dev *pdev, bool is_held_off)
{
	struct ntd_device *device;

	mutex_lock(&devices_lock);
	list_for_each_entry(device, &devices, node)
		if (device->pdev == pdev) {
			ntd_mmio_hold_off(device, is_held_off);
			if (is_held_off)
				ntd_card_leave(device, true);
			else
				ntd_card_return(device);
		}
	mutex_unlock(&devices_lock);
}

/* Programs are frozen: none touches a page before it is asked anew whether there is one. */
void ntd_device_sleep(void)
{
	struct ntd_device *device;

	mutex_lock(&devices_lock);
	list_for_each_entry(device, &devices, node)
		if (device->pdev) {
			ntd_mmio_hide(device);
			ntd_card_sleep(device);
		}
	mutex_unlock(&devices_lock);
}

void ntd_device_wake(void)
{
	struct ntd_device *device;

	mutex_lock(&devices_lock);
	list_for_each_entry(device, &devices, node)
		ntd_card_wake(device);
	mutex_unlock(&devices_lock);
}

static void all_come(void)
{
	struct pci_dev *pdev = NULL;

	for_each_pci_dev(pdev)
		device_come(pdev);
}

static int bus_notify(struct notifier_block *block, unsigned long what, void *data)
{
	struct pci_dev *pdev = to_pci_dev(data);

	switch (what) {
	case BUS_NOTIFY_ADD_DEVICE:
		device_come(pdev);
		break;
	case BUS_NOTIFY_DEL_DEVICE:
		device_go(pdev);
		break;
	case BUS_NOTIFY_BIND_DRIVER:
	case BUS_NOTIFY_UNBIND_DRIVER:
		device_hold_off(pdev, true);
		break;
	case BUS_NOTIFY_BOUND_DRIVER:
	case BUS_NOTIFY_UNBOUND_DRIVER:
	case BUS_NOTIFY_DRIVER_NOT_BOUND:
		device_hold_off(pdev, false);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block bus_block = {
	.notifier_call = bus_notify,
};

int ntd_device_init(void)
{
	int ret = ntd_card_init();

	if (ret)
		return ret;
	ret = bus_register_notifier(&pci_bus_type, &bus_block);
	if (ret) {
		ntd_card_exit();
		return ret;
	}
	/* What is there already; none goes meanwhile. */
	pci_lock_rescan_remove();
	all_come();
	pci_unlock_rescan_remove();
	return 0;
}

void ntd_device_exit(void)
{
	struct ntd_device *device, *next;

	bus_unregister_notifier(&pci_bus_type, &bus_block);
	mutex_lock(&devices_lock);
	list_for_each_entry_safe(device, next, &devices, node) {
		unit_go(device);
		ntd_card_free(device);
		list_del(&device->node);
		mutex_destroy(&device->map_lock);
		kfree(device);
	}
	mutex_unlock(&devices_lock);
	ntd_card_exit();
}

int ntd_device_read(struct ntd_device *device, const struct nthw_reg *row, u32 addr, u64 *value)
{
	if (row->space == NTHW_SPACE_PCI)
		return ntd_pci_read(device->pdev, addr, row->bits, value);
	return ntd_mmio_read(device, addr, row->bits, value);
}

int ntd_device_write(struct ntd_device *device, const struct nthw_reg *row, u32 addr, u64 value)
{
	if (row->space == NTHW_SPACE_PCI)
		return ntd_pci_write(device->pdev, addr, row->bits, value);
	return ntd_mmio_write(device, addr, row->bits, value);
}

/* Configuration space is read by read(2): where it lies in memory is not for modules to know. */
int ntd_device_page(struct ntd_device *device, u32 addr, unsigned long *pfn, u32 *offset)
{
	if (device->known->table->regs[0]->space != NTHW_SPACE_MMIO)
		return -ENXIO;
	return ntd_mmio_page(device, addr, pfn, offset);
}

int ntd_device_show(struct ntd_device *device, u32 addr, unsigned long *pfn)
{
	return ntd_mmio_show(device, addr, pfn);
}

bool ntd_device_is_counted(const struct ntd_device *device)
{
	return ntd_card_is_open(device);
}

void ntd_device_show_counting(struct seq_file *m)
{
	struct ntd_device *device;

	mutex_lock(&devices_lock);
	list_for_each_entry(device, &devices, node)
		ntd_card_show(device, m);
	mutex_unlock(&devices_lock);
}

struct pci_dev *ntd_device_pin(struct ntd_device *device)
{
	return ntd_mmio_pin(device);
}

void ntd_device_unpin(struct ntd_device *device, struct pci_dev *pdev)
{
	ntd_mmio_unpin(device, pdev);
}

#else

int ntd_device_init(void)
{
	return 0;
}

void ntd_device_exit(void)
{
}

int ntd_device_read(struct ntd_device *device, const struct nthw_reg *row, u32 addr, u64 *value)
{
	return -ENODEV;
}

int ntd_device_write(struct ntd_device *device, const struct nthw_reg *row, u32 addr, u64 value)
{
	return -ENODEV;
}

int ntd_device_page(struct ntd_device *device, u32 addr, unsigned long *pfn, u32 *offset)
{
	return -ENXIO;
}

int ntd_device_show(struct ntd_device *device, u32 addr, unsigned long *pfn)
{
	return -ENXIO;
}

struct pci_dev *ntd_device_pin(struct ntd_device *device)
{
	return NULL;
}

void ntd_device_unpin(struct ntd_device *device, struct pci_dev *pdev)
{
}

bool ntd_device_is_counted(const struct ntd_device *device)
{
	return false;
}

void ntd_device_show_counting(struct seq_file *m)
{
}

void ntd_device_sleep(void)
{
}

void ntd_device_wake(void)
{
}

#endif
