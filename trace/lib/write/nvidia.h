/* SPDX-License-Identifier: MIT */
/*
 * What decoders of mmiotrace ask a trace for: which of NVIDIA's chips it is (core/regs has them).
 */
#ifndef NTI_TRACE_NVIDIA_H
#define NTI_TRACE_NVIDIA_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What a chip answers at the first word of BAR 0, made from its name as nthw_nv_chip_number() takes
 * it: the number of the chip in bits 20 to 28, and a stepping. 0 for names that
 * are none.
 */
uint32_t nti_nvidia_boot0(const char *chip);

/* The same by PCI device (0x0a6c), as far as whole ranges of them belong to one chip. 0 unknown. */
uint32_t nti_nvidia_boot0_of_device(uint32_t device);

/*
 * Is that what one of NVIDIA's chips answers at the first word of BAR 0: a number that is known,
 * and a stepping?
 */
bool nti_nvidia_is_boot0(uint32_t value);

#endif
