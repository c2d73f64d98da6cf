// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Registers in the configuration space of PCI functions, as sysfs gives them to programs: held off
 * while somebody has the function's configuration space for himself (pci_cfg_access_lock(): a
 * reset, a test of the device), and with what is above the function awake.
 */
#include <linux/pci.h>
#include <linux/pm_runtime.h>

#include "driver/device.h"

/*
 * A register of 64 bits takes two reads. While the lower half wraps the upper one changes: again.
 * More than once is no counter of events.
 */
#define TRIES 4

/*
 * As pci_config_pm_runtime_get() (Linux 6.1 drivers/pci/pci.c), which modules cannot call:
 * configuration space answers as long as the bridge above is awake and the function has power.
 */
static void config_get(struct pci_dev *pdev)
{
	struct device *device = &pdev->dev;

	if (device->parent)
		pm_runtime_get_sync(device->parent);
	pm_runtime_get_noresume(device);
	pm_runtime_barrier(device); /* one that is falling asleep does so first */
	if (pdev->current_state == PCI_D3cold)
		pm_runtime_resume(device);
}

static void config_put(struct pci_dev *pdev)
{
	struct device *device = &pdev->dev;

	pm_runtime_put(device);
	if (device->parent)
		pm_runtime_put_sync(device->parent);
}

static int read_dword(struct pci_dev *pdev, u32 addr, u32 *value)
{
	return pci_user_read_config_dword(pdev, (int)addr, value);
}

/* Between config_get() and config_put(). */
static bool answers(struct pci_dev *pdev)
{
	u32 id;

	return !read_dword(pdev, PCI_VENDOR_ID, &id) &&
	       id == (pdev->vendor | (u32)pdev->device << 16);
}

bool ntd_pci_answers(struct pci_dev *pdev)
{
	bool ret;

	config_get(pdev);
	ret = answers(pdev);
	config_put(pdev);
	return ret;
}

static int read_halves(struct pci_dev *pdev, u32 addr, u64 *value)
{
	u32 high, low, again;
	unsigned int i;
	int ret = read_dword(pdev, addr + 4, &again);

	for (i = 0; !ret && i < TRIES; i++) {
		high = again;
		ret = read_dword(pdev, addr, &low);
		if (!ret)
			ret = read_dword(pdev, addr + 4, &again);
		if (!ret && high == again) {
			*value = (u64)high << 32 | low;
			return 0;
		}
	}
	return ret ? ret : -EIO;
}

static int read_bits(struct pci_dev *pdev, u32 addr, u32 bits, u64 *value)
{
	u32 dword = 0;
	u16 word = 0;
	u8 byte = 0;
	int ret;

	switch (bits) {
	case 8:
		ret = pci_user_read_config_byte(pdev, (int)addr, &byte);
		*value = byte;
		return ret;
	case 16:
		ret = pci_user_read_config_word(pdev, (int)addr, &word);
		*value = word;
		return ret;
	case 32:
		ret = read_dword(pdev, addr, &dword);
		*value = dword;
		return ret;
	case 64:
		return read_halves(pdev, addr, value);
	default:
		return -EIO;
	}
}

int ntd_pci_read(struct pci_dev *pdev, u32 addr, u32 bits, u64 *value)
{
	u64 ones = bits < 64 ? (1ull << bits) - 1 : ~0ull;
	int ret;

	config_get(pdev);
	ret = read_bits(pdev, addr, bits, value);
	/* What nobody answers reads as ones. */
	if (!ret && *value == ones && !answers(pdev))
		ret = -ENODEV;
	config_put(pdev);
	return ret;
}

static int write_bits(struct pci_dev *pdev, u32 addr, u32 bits, u64 value)
{
	int ret;

	switch (bits) {
	case 8:
		return pci_user_write_config_byte(pdev, (int)addr, (u8)value);
	case 16:
		return pci_user_write_config_word(pdev, (int)addr, (u16)value);
	case 32:
		return pci_user_write_config_dword(pdev, (int)addr, (u32)value);
	case 64:
		/* The enable bit of a counter is in the lower half: last. */
		ret = pci_user_write_config_dword(pdev, (int)addr + 4, (u32)(value >> 32));
		return ret ? ret : pci_user_write_config_dword(pdev, (int)addr, (u32)value);
	default:
		return -EIO;
	}
}

int ntd_pci_write(struct pci_dev *pdev, u32 addr, u32 bits, u64 value)
{
	int ret;

	config_get(pdev);
	ret = answers(pdev) ? write_bits(pdev, addr, bits, value) : -ENODEV;
	config_put(pdev);
	return ret;
}

/* Which socket an Ubox is in: the one that has its node in the map. */
static int socket_of_ubox(struct pci_dev *pdev, const struct nthw_ubox *ubox)
{
	u32 node, map;
	int socket, ret;

	config_get(pdev);
	ret = read_dword(pdev, ubox->node->addr, &node) ?:
	      read_dword(pdev, ubox->map->addr, &map);
	config_put(pdev);
	if (ret)
		return -ENODEV;
	socket = nthw_ubox_socket(node, map);
	return socket < 0 ? -ENODEV : socket;
}

static bool is_ubox(const struct pci_dev *pdev, const struct nthw_ubox *ubox)
{
	const struct nthw_pci_device *known = nthw_pci_device(pdev->vendor, pdev->device);

	return known && known->is_ubox && known->ubox == ubox;
}

/* How far it is from @from to the bus of @pdev in the direction in which Linux looks; < 0: none. */
static int ubox_distance(struct pci_dev *from, struct pci_dev *pdev, const struct nthw_ubox *ubox)
{
	int distance = (int)from->bus->number - (int)pdev->bus->number;

	if (pci_domain_nr(from->bus) != pci_domain_nr(pdev->bus))
		return -1;
	return ubox->is_above ? distance : -distance;
}

/* The one on the same bus, or else on the next one that has one. With a reference. */
static struct pci_dev *ubox_of(struct pci_dev *pdev, const struct nthw_ubox *ubox)
{
	struct pci_dev *found = NULL, *other = NULL;
	int distance, least = INT_MAX;

	for_each_pci_dev(other) {
		if (!is_ubox(other, ubox))
			continue;
		distance = ubox_distance(other, pdev, ubox);
		if (distance < 0 || distance >= least)
			continue;
		least = distance;
		pci_dev_put(found);
		found = pci_dev_get(other);
	}
	return found;
}

int ntd_pci_socket(struct pci_dev *pdev, const struct nthw_ubox *ubox)
{
	struct pci_dev *found = ubox_of(pdev, ubox);
	int socket = found ? socket_of_ubox(found, ubox) : -ENODEV;

	pci_dev_put(found);
	return socket;
}
