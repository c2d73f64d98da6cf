/* SPDX-License-Identifier: MIT */
/* Lines PCIDEV of mmiotrace: a PCI function, where its BARs are and how long they are. */
#ifndef NTI_TRACE_PCIDEV_H
#define NTI_TRACE_PCIDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/trace/trace.h>

#define NTI_PCIDEV_BARS 7 /* 0 to 5, and the ROM */
#define NTI_PCIDEV_ROM 6

/*
 * As in the line: flags in the low bits of .bar, the upper half of a 64-bit BAR is 0 and the whole
 * address in the lower one.
 */
struct nti_pcidev {
	uint32_t bus_devfn;
	uint32_t vendor_device;
	uint32_t irq;
	uint64_t bar[NTI_PCIDEV_BARS];
	uint64_t bytes[NTI_PCIDEV_BARS];
};

/*
 * Parse what stands behind "PCIDEV "; fields behind the last one that is needed may be missing.
 * False when it is none.
 */
bool nti_pcidev_parse(const char *text, size_t n, struct nti_pcidev *out);

/*
 * Flags of BAR @bar: bit 0 ports, bits 1 and 2 the type, bit 3 prefetchable. The ROM has none: its
 * bit 0 says that it is enabled (PCI 3.0, 6.2.5.2).
 */
static inline uint8_t nti_pcidev_flags(unsigned int bar, uint64_t value)
{
	if (bar == NTI_PCIDEV_ROM)
		return 0;
	return value & 1 ? 1 : value & 15;
}

/* Address of it without what stands in the low bits. */
static inline uint64_t nti_pcidev_start(unsigned int bar, uint64_t value)
{
	if (bar == NTI_PCIDEV_ROM)
		return value & ~0x7ffull;
	return value & 1 ? value & ~3ull : value & ~15ull;
}

/*
 * Is the size asked for: ones in all bits of the address (PCI 3.0, 6.2.5.1), whatever stands in
 * those of the flags? No BAR of 32 bits begins there.
 */
static inline bool nti_pcidev_is_sizing(unsigned int bar, uint32_t value)
{
	uint32_t all = bar == NTI_PCIDEV_ROM ? ~0x7ffu : ~15u;

	return (value & all) == all;
}

/* Index of the register at @offset as those of BARs are counted, -1: none of them. */
int nti_pcidev_register(uint64_t offset);

/* 0xVVVVDDDD, of which @known was known, after a read of configuration space. */
uint32_t nti_pcidev_id(uint32_t known, const struct ntime_record *r);

#endif
