/* SPDX-License-Identifier: MIT */
/*
 * What an address is to somebody who counts: a selector, a counter, a trigger, perhaps a
 * multiplexer; and which unit it is in.
 */
#ifndef NTI_TRACE_DERIVE_PLACE_H
#define NTI_TRACE_DERIVE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nti_derive_unit {
	NTI_UNIT_PCOUNTER, /* the one block of G80 to GT218 */
	NTI_UNIT_GPC,	   /* blocks of Fermi and later */
	NTI_UNIT_PART,
	NTI_UNIT_HUB,
	NTI_UNIT_MP,
};

enum nti_derive_place_kind {
	NTI_PLACE_OTHER,   /* may be a multiplexer */
	NTI_PLACE_IGNORED, /* of the counters, but nothing that tells what is counted */
	NTI_PLACE_BOOT0,
	NTI_PLACE_UNITS, /* of PGRAPH: which are enabled */
	NTI_PLACE_TRIGGER,
	NTI_PLACE_SRC, /* of .slot */
	NTI_PLACE_OP,
	NTI_PLACE_SETFLAG,
	NTI_PLACE_CLRFLAG,
	NTI_PLACE_SPEC, /* which signal ends periods */
	NTI_PLACE_COUNTER,
	NTI_PLACE_CYCLES,
	NTI_PLACE_CTRL,
	NTI_PLACE_ACK,
	/* of an MP of Fermi or later: .slot is the register, bytes from the start of the block */
	NTI_PLACE_MP_CONFIG,
	NTI_PLACE_MP_COUNTER,
};

/* Instance of what is written to all MPs at once. */
#define NTI_MP_ALL 0xffff
/* Words of an MP's block to the end of its selectors: place.c compares them with the rows. */
#define NTI_MP_WORDS 84

struct nti_derive_place {
	uint8_t kind;
	uint8_t unit;
	uint16_t instance; /* of MPs: GPC << 8 | TPC */
	uint16_t set;
	uint16_t slot; /* 0 PRE, 1 START, 2 EVENT, 3 STOP */
};

/* @is_tesla, @is_later: what the chip may be. */
struct nti_derive_place nti_derive_place_of(uint32_t address, bool is_tesla, bool is_later);

/*
 * Can a multiplexer be there? For traces of everything a driver does, where most writes have
 * nothing to do with counting.
 */
bool nti_derive_place_is_routing(uint32_t address, bool is_tesla, bool is_later);

/* Is it in a TPC of G80 to GT218, whichever stride they have? */
bool nti_derive_is_tpc(uint32_t address);

/* Part of the chip that a register is in, for who has none of the rows of multiplexers. */
enum nti_derive_area {
	NTI_AREA_OTHER,
	NTI_AREA_TPC,  /* of G80 to GT218, or of a GPC */
	NTI_AREA_PART, /* ROP and memory partitions */
	NTI_AREA_GPC,
	NTI_AREA_L2,
};

/**
 * struct nti_derive_spot - an address as a unit's offset
 * @area, @instance: which unit; of TPCs from Fermi on GPC << 8 | TPC
 * @offset:	in the unit, or the address itself of NTI_AREA_OTHER
 */
struct nti_derive_spot {
	uint8_t area;
	uint16_t instance;
	uint32_t offset;
};

/* @tpc_stride: of G80 to GT218, 0 for later chips. */
struct nti_derive_spot nti_derive_spot_of(uint32_t address, uint32_t tpc_stride);
const char *nti_derive_area_name(unsigned int area);

#endif
