// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Registers in the configuration space of PCI functions. */
#include <linux/pci.h>

#include "core/regs/regs.h"
#include "driver/device.h"

#define VENDOR_INTEL 0x8086
/* Rows CPUNODEID and GIDNIDMAP: three bits for each node. */
#define NODE_BITS 3
#define NODES 8

/*
 * Linux 6.1 arch/x86/events/intel/uncore_snbep.c, snbep_uncore_pci_init() and
 * skx_uncore_pci_init(), and what they give to snbep_pci2phy_map_init().
 */
struct ntd_ubox {
	u16 device;
	u32 node, map; /* addresses of the two rows */
	bool is_above; /* it is on the last bus of its socket; else on the first one */
};

const struct ntd_ubox ntd_ubox_snbep = { 0x3ce0, 0x40, 0x54, .is_above = true };
const struct ntd_ubox ntd_ubox_ivbep = { 0x0e1e, 0x40, 0x54, .is_above = true };
const struct ntd_ubox ntd_ubox_hswep = { 0x2f1e, 0x40, 0x54, .is_above = true };
const struct ntd_ubox ntd_ubox_bdx = { 0x6f1e, 0x40, 0x54, .is_above = true };
const struct ntd_ubox ntd_ubox_skx = { 0x2014, 0xc0, 0xd4, .is_above = false };

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
static int socket_of_ubox(struct pci_dev *ubox, const struct ntd_ubox *kind)
{
	u32 node, map;
	int i;

	if (read_dword(ubox, kind->node, &node) || read_dword(ubox, kind->map, &map))
		return -ENODEV;
	node &= (1u << NODE_BITS) - 1;
	for (i = 0; i < NODES; i++)
		if ((map >> (i * NODE_BITS) & ((1u << NODE_BITS) - 1)) == node)
			return i;
	return -ENODEV;
}

/* How far it is from @ubox to the bus of @pdev in the direction in which Linux looks; < 0: none. */
static int ubox_distance(struct pci_dev *ubox, struct pci_dev *pdev, const struct ntd_ubox *kind)
{
	int distance = (int)ubox->bus->number - (int)pdev->bus->number;

	if (pci_domain_nr(ubox->bus) != pci_domain_nr(pdev->bus))
		return -1;
	return kind->is_above ? distance : -distance;
}

/* The one on the same bus, or else on the next one that has one. With a reference. */
static struct pci_dev *ubox_of(struct pci_dev *pdev, const struct ntd_ubox *kind)
{
	struct pci_dev *found = NULL, *ubox = NULL;
	int distance, least = INT_MAX;

	while ((ubox = pci_get_device(VENDOR_INTEL, kind->device, ubox))) {
		distance = ubox_distance(ubox, pdev, kind);
		if (distance < 0 || distance >= least)
			continue;
		least = distance;
		pci_dev_put(found);
		found = pci_dev_get(ubox);
	}
	return found;
}

int ntd_pci_socket(struct pci_dev *pdev, const struct ntd_ubox *kind)
{
	struct pci_dev *ubox = ubox_of(pdev, kind);
	int socket = ubox ? socket_of_ubox(ubox, kind) : -ENODEV;

	pci_dev_put(ubox);
	return socket;
}
