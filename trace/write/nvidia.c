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

#include "lib/base/compiler.h"
#include "trace/write/nvidia.h"

static const struct chip {
	const char *name;
	uint16_t number;
	/* PCI devices that are this chip; 0 and 0: the ranges are shared */
	uint16_t first, last;
} chips[] = {
	{ "G80", 0x50, 0x0190, 0x019f },
	{ "G84", 0x84, 0x0400, 0x040f },
	{ "G86", 0x86, 0x0420, 0x042f },
	{ "G92", 0x92, 0x0600, 0x061f },
	{ "G94", 0x94, 0x0620, 0x063f },
	{ "G96", 0x96, 0x0640, 0x065f },
	{ "G98", 0x98, 0x06e0, 0x06ff },
	{ "G200", 0xa0, 0x05e0, 0x05ff },
	{ "GT200", 0xa0, 0x05e0, 0x05ff },
	{ "GT215", 0xa3, 0x0ca0, 0x0cbf },
	{ "GT216", 0xa5, 0x0a20, 0x0a3f },
	{ "GT218", 0xa8, 0x0a60, 0x0a7f },
	{ "GT218", 0xa8, 0x10c0, 0x10df },
	{ "MCP77", 0xaa, 0x0840, 0x085f },
	{ "MCP79", 0xac, 0x0860, 0x087f },
	{ "MCP89", 0xaf, 0x08a0, 0x08bf },
	{ "GF100", 0xc0, 0x06c0, 0x06df },
	{ "GF104", 0xc4, 0x0e20, 0x0e3f },
	{ "GF106", 0xc3, 0x0dc0, 0x0ddf },
	{ "GF108", 0xc1, 0x0de0, 0x0dff },
	{ "GF108", 0xc1, 0x0f00, 0x0f1f },
	{ "GF110", 0xc8, 0x1080, 0x109f },
	{ "GF114", 0xce, 0x1200, 0x121f },
	{ "GF116", 0xcf, 0x1240, 0x125f },
	{ "GF117", 0xd7, 0x1140, 0x117f },
	{ "GF119", 0xd9, 0x1040, 0x107f },
	{ "GK104", 0xe4, 0x1180, 0x11bf },
	{ "GK106", 0xe6, 0x11c0, 0x11ff },
	{ "GK107", 0xe7, 0x0fc0, 0x0fff },
	{ "GK20A", 0xea, 0, 0 },
	{ "GK110", 0xf0, 0, 0 },
	{ "GK110B", 0xf1, 0, 0 },
	{ "GK208", 0x108, 0x1280, 0x12bf },
	{ "GK208B", 0x106, 0, 0 },
	{ "GM107", 0x117, 0x1380, 0x13bf },
	{ "GM108", 0x118, 0x1340, 0x137f },
	{ "GM200", 0x120, 0, 0 },
	{ "GM204", 0x124, 0x13c0, 0x13ff },
	{ "GM206", 0x126, 0x1400, 0x143f },
	{ "GP100", 0x130, 0x1580, 0x15ff },
	{ "GP102", 0x132, 0x1b00, 0x1b7f },
	{ "GP104", 0x134, 0x1b80, 0x1bff },
	{ "GP106", 0x136, 0x1c00, 0x1c7f },
	{ "GP107", 0x137, 0x1c80, 0x1cff },
	{ "GP108", 0x138, 0x1d00, 0x1d7f },
	{ "GV100", 0x140, 0x1d80, 0x1dff },
	{ "TU102", 0x162, 0x1e00, 0x1e7f },
	{ "TU104", 0x164, 0x1e80, 0x1eff },
	{ "TU106", 0x166, 0x1f00, 0x1f7f },
	{ "TU116", 0x168, 0x2180, 0x21ff },
	{ "TU117", 0x167, 0x1f80, 0x1fff },
	{ "GA102", 0x172, 0, 0 },
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

uint32_t nti_nvidia_boot0(const char *chip)
{
	unsigned long number;
	const char *digits = NULL;
	char *end;
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(chips); i++)
		if (!strcasecmp(chips[i].name, chip))
			return boot0(chips[i].number);
	if (!strncasecmp(chip, "NV", 2) || !strncasecmp(chip, "0x", 2))
		digits = chip + 2;
	if (!digits || !*digits || strspn(digits, "0123456789abcdefABCDEF") != strlen(digits))
		return 0;
	number = strtoul(digits, &end, 16);
	return number < FIRST_NUMBER || number > 0x1ff ? 0 : boot0((uint32_t)number);
}

uint32_t nti_nvidia_boot0_of_device(uint32_t device)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(chips); i++)
		if (chips[i].first && device >= chips[i].first && device <= chips[i].last)
			return boot0(chips[i].number);
	return 0;
}

bool nti_nvidia_is_boot0(uint32_t value)
{
	size_t i;

	/* Bits 29 to 31 are 0; steppings are letters and digits: a1, a2, b1. */
	if (value >> 29 || (value & 0xff) < 0xa0)
		return false;
	for (i = 0; i < NTI_ARRAY_SIZE(chips); i++)
		if (chips[i].number == value >> 20)
			return true;
	return false;
}
