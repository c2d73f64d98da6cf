// SPDX-License-Identifier: MIT
/* Identification of NVIDIA's chips, as they answer it. */
#include <stdbool.h>

#include "core/regs/nv50_chip.h"
#include "trace/lib/write/nvidia.h"

/*
 * The stepping of the first revision: its top bit says that the number stands where it has stood
 * since NV10.
 */
#define STEPPING 0xa1u

static uint32_t boot0(uint32_t number)
{
	return number << 20 | STEPPING;
}

uint32_t nti_nvidia_boot0(const char *name)
{
	uint16_t number = nthw_nv_chip_number(name);

	return number ? boot0(number) : 0;
}

uint32_t nti_nvidia_boot0_of_device(uint32_t device)
{
	const struct nthw_nv_chip *chip = nthw_nv_chip_by_device(device);

	return chip ? boot0(chip->id) : 0;
}

bool nti_nvidia_is_boot0(uint32_t value)
{
	/* Bits 29 to 31 are 0; steppings are letters and digits: a1, a2, b1. */
	return !(value >> 29) && (value & 0xff) >= 0xa0 && nthw_nv_chip_by_boot(value);
}
