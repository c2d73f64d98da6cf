/* SPDX-License-Identifier: MIT */
/*
 * Where regions of devices are in memory. mmiotrace tells physical addresses, VFIO offsets in
 * regions: what lies between is learnt from the trace (configuration accesses, sizes of regions),
 * said by the user, or made up: from 2 GiB up, aligned, never overlapping.
 */
#ifndef NTI_TRACE_PLACE_H
#define NTI_TRACE_PLACE_H

#include <stdbool.h>

#include <ntime/trace/trace.h>

#include "trace/lib/write/hints.h"
#include "trace/lib/base/pcidev.h"

struct nti_trace_devices;

/* Regions above are not placed: VFIO has 0 to 8 for PCI, and few of a device's own behind them. */
#define NTI_PLACE_REGIONS 16

/**
 * struct nti_place_region - one region
 * @start, @bytes: where it is, 0 not known yet
 * @used:	end of the highest access so far
 * @flags:	low bits of the BAR: nti_pcidev_flags()
 * @is_known:	the trace or the user told @start; else it is made up
 * @is_fixed:	the user told
 * @has_bytes:	the trace or the user told @bytes, 0 of them: there is no such region
 */
struct nti_place_region {
	uint64_t start, bytes, used;
	uint8_t flags;
	bool is_known, is_fixed, has_bytes;
};

/* I/O ports, no memory. */
static inline bool nti_place_is_port(const struct nti_place_region *r)
{
	return r->flags & 1;
}

/**
 * struct nti_place - one device
 * @name:	the trace's, "" for accesses of no device; lives as long as the reader's devices
 * @is_seen:	something of the trace is of this device
 * @is_pci, @domain: from its name
 * @is_told:	a line PCIDEV that was read by now tells where its BARs are
 * @is_nvidia:	its accesses are those of a card of NVIDIA's, whatever its identification is
 * @bus_devfn:	the number that mmiotrace has for it
 * @boot0:	what to tell decoders that the chip is, 0 unknown
 * @raw, @raw_bits: what BARs were last written or read as; which of them
 * @sizing:	BARs that were last written all ones
 */
struct nti_place {
	const char *name;
	bool is_seen, is_pci, is_told, is_nvidia;
	uint32_t domain, bus_devfn, vendor_device, irq;
	uint32_t boot0;
	struct nti_place_region region[NTI_PLACE_REGIONS];
	uint32_t raw[NTI_PCIDEV_BARS], size_raw[NTI_PCIDEV_BARS];
	uint8_t raw_bits, sizing, size_bits, flag_bits;
};

/**
 * struct nti_places - of all devices
 * @list:	0: no device; 1 + the number of a device
 * @low:	bit n: the n-th 16 MiB from 2 GiB up are or were somebody's
 * @numbers:	bit n: a device has or had the number n of mmiotrace's
 * @looked:	bits that searches for an address looked at: what tests hold them to
 */
struct nti_places {
	struct nti_place *list;
	size_t n, room;
	uint64_t low[2], looked;
	uint64_t numbers[0x10000 / 64];
	uint64_t next_low, next_high, next_port;
	uint32_t next_number; /* for what is at no place of PCI */
};

void nti_places_init(struct nti_places *p);
void nti_places_fini(struct nti_places *p);

/* The place of a device; a new one when it was never seen. NULL without memory. */
struct nti_place *nti_places_at(struct nti_places *p, struct nti_trace_devices *devices,
				const struct nti_hints *hints, uint16_t device);

/*
 * Learn from a mark (configuration, region). Bits of the regions that are elsewhere or of another
 * size now.
 */
uint32_t nti_place_learn(struct nti_places *all, struct nti_place *p, const struct ntime_record *r);

/* The device is as a line PCIDEV says. */
void nti_place_pcidev(struct nti_places *all, struct nti_place *p, const struct nti_pcidev *d);

/*
 * Is it a card of NVIDIA's graphics, as far as anybody can tell? Decoders want BARs 0 and 1 of
 * those.
 */
bool nti_place_is_nvidia(const struct nti_place *p, const struct nti_hints *hints);

/*
 * Give a region an address and a size of at least @need bytes: what is known where it is known.
 * Another address when what was made up is too short.
 */
void nti_places_assign(struct nti_places *all, struct nti_place *p, unsigned int region,
		       uint64_t need, bool is_nvidia);

#endif
