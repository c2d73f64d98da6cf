/* SPDX-License-Identifier: MIT */
#ifndef NTI_CRC_H
#define NTI_CRC_H

#include <stddef.h>
#include <stdint.h>

/*
 * CRC-32 of IEEE 802.3 of @n bytes, behind those whose sum is @crc (0: none). Some 30 instructions
 * for each eight bytes.
 */
uint32_t nti_crc32(uint32_t crc, const void *bytes, size_t n);

#endif
