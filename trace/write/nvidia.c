// SPDX-License-Identifier: MIT
/*
 * Identification of NVIDIA's chips. Names and numbers: envytools, docs/hw/gpu.rst and
 * docs/hw/mmio.rst (bits 20 to 28 of the first word of BAR 0); ranges of PCI devices: envytools,
 * docs/hw/pciid.rst. Trust: documented there, by people who read the cards.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/regs/nv50_chip.h"
#include "lib/base/compiler.h"
#include "trace/write/nvidia.h"

/* Newer than those whose registers core/regs describes. */
static const struct nthw_nv_chip newer[] = {
	{ .name = "GP100", .id = 0x130, .pci = { { 0x1580, 0x15ff } } },
	{ .name = "GP102", .id = 0x132, .pci = { { 0x1b00, 0x1b7f } } },
	{ .name = "GP104", .id = 0x134, .pci = { { 0x1b80, 0x1bff } } },
	{ .name = "GP106", .id = 0x136, .pci = { { 0x1c00, 0x1c7f } } },
	{ .name = "GP107", .id = 0x137, .pci = { { 0x1c80, 0x1cff } } },
	{ .name = "GP108", .id = 0x138, .pci = { { 0x1d00, 0x1d7f } } },
	{ .name = "GV100", .id = 0x140, .pci = { { 0x1d80, 0x1dff } } },
	{ .name = "TU102", .id = 0x162, .pci = { { 0x1e00, 0x1e7f } } },
	{ .name = "TU104", .id = 0x164, .pci = { { 0x1e80, 0x1eff } } },
	{ .name = "TU106", .id = 0x166, .pci = { { 0x1f00, 0x1f7f } } },
	{ .name = "TU116", .id = 0x168, .pci = { { 0x2180, 0x21ff } } },
	{ .name = "TU117", .id = 0x167, .pci = { { 0x1f80, 0x1fff } } },
	{ .name = "GA102", .id = 0x172 },
};

/*
 * The stepping of the first revision: its top bit says that the number stands where it has stood
 * since NV10.
 */
#define STEPPING 0xa1u
#define FIRST_NUMBER 0x10u

static uint32_t boot0(uint32_t number)
{
	return number << 20 | STEPPING;
}

uint32_t nti_nvidia_boot0(const char *name)
{
	const struct nthw_nv_chip *chip = nthw_nv_chip_by_name(name);
	unsigned long number;
	const char *digits = NULL;
	char *end;
	size_t i;

	for (i = 0; !chip && i < NTI_ARRAY_SIZE(newer); i++)
		if (!strcasecmp(newer[i].name, name))
			chip = &newer[i];
	if (chip)
		return boot0(chip->id);
	if (!strncasecmp(name, "NV", 2) || !strncasecmp(name, "0x", 2))
		digits = name + 2;
	if (!digits || !*digits || strspn(digits, "0123456789abcdefABCDEF") != strlen(digits))
		return 0;
	number = strtoul(digits, &end, 16);
	return number < FIRST_NUMBER || number > 0x1ff ? 0 : boot0((uint32_t)number);
}

uint32_t nti_nvidia_boot0_of_device(uint32_t device)
{
	const struct nthw_nv_chip *chip = nthw_nv_chip_by_device(device);
	size_t i;

	for (i = 0; !chip && i < NTI_ARRAY_SIZE(newer); i++)
		if (newer[i].pci[0][0] && device >= newer[i].pci[0][0] &&
		    device <= newer[i].pci[0][1])
			chip = &newer[i];
	return chip ? boot0(chip->id) : 0;
}

bool nti_nvidia_is_boot0(uint32_t value)
{
	size_t i;

	/* Bits 29 to 31 are 0; steppings are letters and digits: a1, a2, b1. */
	if (value >> 29 || (value & 0xff) < 0xa0)
		return false;
	for (i = 0; i < NTI_ARRAY_SIZE(newer); i++)
		if (newer[i].id == value >> 20)
			return true;
	return nthw_nv_chip_by_boot(value);
}
