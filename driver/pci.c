// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Registers in the configuration space of PCI functions. */
#include <linux/pci.h>

#include "driver/device.h"

/*
 * A register of 64 bits takes two reads. While the lower half wraps the upper one changes: again.
 * More than once is no counter of events.
 */
#define TRIES 4

static int read_dword(struct pci_dev *pdev, u32 addr, u32 *value)
{
	return pcibios_err_to_errno(pci_read_config_dword(pdev, (int)addr, value));
}

bool ntd_pci_answers(struct pci_dev *pdev)
{
	u32 id;

	return !read_dword(pdev, PCI_VENDOR_ID, &id) &&
	       id == (pdev->vendor | (u32)pdev->device << 16);
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
		ret = pcibios_err_to_errno(pci_read_config_byte(pdev, (int)addr, &byte));
		*value = byte;
		return ret;
	case 16:
		ret = pcibios_err_to_errno(pci_read_config_word(pdev, (int)addr, &word));
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
	int ret = read_bits(pdev, addr, bits, value);

	if (ret)
		return ret < 0 ? ret : -EIO;
	/* What nobody answers reads as ones. */
	if (*value == ones && !ntd_pci_answers(pdev))
		return -ENODEV;
	return 0;
}

static int write_bits(struct pci_dev *pdev, u32 addr, u32 bits, u64 value)
{
	int ret;

	switch (bits) {
	case 8:
		return pci_write_config_byte(pdev, (int)addr, (u8)value);
	case 16:
		return pci_write_config_word(pdev, (int)addr, (u16)value);
	case 32:
		return pci_write_config_dword(pdev, (int)addr, (u32)value);
	case 64:
		/* The enable bit of a counter is in the lower half: last. */
		ret = pci_write_config_dword(pdev, (int)addr + 4, (u32)(value >> 32));
		return ret ? ret : pci_write_config_dword(pdev, (int)addr, (u32)value);
	default:
		return -EIO;
	}
}

int ntd_pci_write(struct pci_dev *pdev, u32 addr, u32 bits, u64 value)
{
	int ret;

	if (!ntd_pci_answers(pdev))
		return -ENODEV;
	ret = pcibios_err_to_errno(write_bits(pdev, addr, bits, value));
	return ret <= 0 ? ret : -EIO;
}

/* Which socket an Ubox is in: the one that has its node in the map. */
static int socket_of_ubox(struct pci_dev *pdev, const struct nthw_ubox *ubox)
{
	u32 node, map;
	int socket;

	if (read_dword(pdev, ubox->node->addr, &node) || read_dword(pdev, ubox->map->addr, &map))
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
