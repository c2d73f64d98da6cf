// SPDX-License-Identifier: MIT
/*
 * What an address is to somebody who counts.
 *
 * Source of G80 to GT218: envytools' registers of PCOUNTER and PGRAPH. Source of Fermi and later: nouveau's gf100 counters, and register
 * operations of NVIDIA's driver on GF100 to GM206 (set-up block, blocks of MPs). Trust: documented; 0x1b4000 and what is ignored: measured.
 */
#include "trace/derive/place.h"

#define PCOUNTER 0xa400u
#define PCOUNTER_END 0xac00u

/* Rows of eight domains each, 0x20 bytes apart. */
static void place_tesla(uint32_t address, struct nti_derive_place *p)
{
	uint32_t row = (address - PCOUNTER) >> 5;

	p->unit = NTI_UNIT_PCOUNTER;
	p->set = (uint16_t)(address >> 2 & 7);
	p->kind = NTI_PLACE_IGNORED;
	if (row < 8) {
		p->slot = (uint16_t)(row / 2);
		p->kind = row % 2 ? NTI_PLACE_OP : NTI_PLACE_SRC;
		return;
	}
	switch (row << 5) {
	case 0x100:
		p->kind = NTI_PLACE_SETFLAG;
		break;
	case 0x120:
		p->kind = NTI_PLACE_CLRFLAG;
		break;
	case 0x160:
		p->kind = NTI_PLACE_SPEC;
		break;
	case 0x200:
	case 0x240:
		p->kind = NTI_PLACE_CYCLES;
		break;
	/* Counters are not in the order of the slots. */
	case 0x280:
		p->slot = 2;
		p->kind = NTI_PLACE_COUNTER;
		break;
	case 0x2c0:
		p->slot = 1;
		p->kind = NTI_PLACE_COUNTER;
		break;
	case 0x300:
		p->slot = 0;
		p->kind = NTI_PLACE_COUNTER;
		break;
	case 0x340:
		p->slot = 3;
		p->kind = NTI_PLACE_COUNTER;
		break;
	case 0x3c0:
		p->kind = NTI_PLACE_CTRL;
		break;
	case 0x3e0:
		p->kind = NTI_PLACE_ACK;
		break;
	}
}

static void place_domain(uint32_t offset, struct nti_derive_place *p)
{
	p->kind = NTI_PLACE_IGNORED;
	if (offset >= 0x40 && offset < 0x60) {
		p->slot = (uint16_t)((offset - 0x40) / 8);
		p->kind = offset & 4 ? NTI_PLACE_OP : NTI_PLACE_SRC;
		return;
	}
	switch (offset) {
	case 0x60:
		p->kind = NTI_PLACE_SETFLAG;
		break;
	case 0x64:
		p->kind = NTI_PLACE_CLRFLAG;
		break;
	case 0x6c: /* SWAP_SRC: written last, by NVIDIA's driver and nouveau, to end a period */
	case 0xec:
		p->kind = NTI_PLACE_TRIGGER;
		break;
	case 0x70:
		p->kind = NTI_PLACE_CYCLES;
		break;
	case 0x80:
		p->slot = 2;
		p->kind = NTI_PLACE_COUNTER;
		break;
	case 0x88:
		p->slot = 1;
		p->kind = NTI_PLACE_COUNTER;
		break;
	case 0x8c:
		p->slot = 0;
		p->kind = NTI_PLACE_COUNTER;
		break;
	case 0x90:
		p->slot = 3;
		p->kind = NTI_PLACE_COUNTER;
		break;
	case 0x9c:
		p->kind = NTI_PLACE_CTRL;
		break;
	case 0xa0:
		p->kind = NTI_PLACE_ACK;
		break;
	}
}

/* GPCs 0x180000, partitions 0x1a0000, hub 0x1b0000, 0x1000 apart; in each a domain every 0x200. From 0x1b4000 on: what switches the whole on. */
static void place_later(uint32_t address, struct nti_derive_place *p)
{
	if (address >= 0x1b4000) {
		p->kind = NTI_PLACE_IGNORED;
		return;
	}
	p->set = (uint16_t)((address & 0xfff) >> 9);
	if (address >= 0x1b0000) {
		p->unit = NTI_UNIT_HUB;
		p->set = (uint16_t)((address & 0x3fff) >> 9);
	} else if (address >= 0x1a0000) {
		p->unit = NTI_UNIT_PART;
		p->instance = (uint16_t)(address >> 12 & 0xf);
	} else {
		p->unit = NTI_UNIT_GPC;
		p->instance = (uint16_t)(address >> 12 & 0x1f);
	}
	place_domain(address & 0x1ff, p);
}

/*
 * Block of an MP: TPC+0x600 to +0x7ff, and 0x419e00 for all of them. Counters 0x674 to 0x690, on Maxwell also 0x6f0 to 0x72c; 0x670 and 0x694 tell of
 * overflows.
 */
static bool place_mp(uint32_t address, struct nti_derive_place *p)
{
	uint32_t offset = address & 0x7ff;

	if (offset < 0x600 || offset >= 0x760)
		return false;
	if (address >= 0x419e00 && address < 0x419f60)
		p->instance = NTI_MP_ALL;
	else if (address >= 0x500000 && address < 0x600000 && (address & 0x7fff) >= 0x4000)
		p->instance =
			(uint16_t)((address - 0x500000) >> 15 << 8 | ((address & 0x3fff) >> 11));
	else
		return false;
	p->unit = NTI_UNIT_MP;
	p->slot = (uint16_t)(offset - 0x600);
	p->kind = NTI_PLACE_MP_CONFIG;
	if (offset == 0x600 || offset == 0x670 || offset == 0x694)
		p->kind = NTI_PLACE_IGNORED;
	else if ((offset >= 0x674 && offset <= 0x690) || (offset >= 0x6f0 && offset <= 0x72c))
		p->kind = NTI_PLACE_MP_COUNTER;
	return true;
}

struct nti_derive_place nti_derive_place_of(uint32_t address, bool is_tesla, bool is_later)
{
	struct nti_derive_place p = { .kind = NTI_PLACE_OTHER };

	if (address == 0)
		p.kind = NTI_PLACE_BOOT0;
	else if (is_tesla && address >= PCOUNTER && address < PCOUNTER_END)
		place_tesla(address, &p);
	else if (address == 0x4008fc)
		p.kind = NTI_PLACE_UNITS;
	else if (address == 0x400084)
		p.kind = NTI_PLACE_TRIGGER;
	else if (is_later && address >= 0x180000 && address < 0x1c0000)
		place_later(address, &p);
	else if (is_later && place_mp(address, &p))
		return p;
	return p;
}

bool nti_derive_place_is_routing(uint32_t address, bool is_tesla, bool is_later)
{
	/* TPCs, partitions and the few single ones of the front of PGRAPH; not its interrupts, traps and state. */
	if (is_tesla && ((address >= 0x407000 && address < 0x418000) || address == 0x400c0c ||
			 address == 0x402ca4))
		return true;
	return is_later && ((address >= 0x500000 && address < 0x600000) ||
			    (address >= 0x110000 && address < 0x180000) ||
			    (address >= 0x418000 && address < 0x41c000));
}

struct nti_derive_spot nti_derive_spot_of(uint32_t address, uint32_t tpc_stride)
{
	struct nti_derive_spot s = { NTI_AREA_OTHER, 0, address };

	if (tpc_stride && address >= 0x408000 && address < 0x408000 + 16 * tpc_stride) {
		s.area = NTI_AREA_TPC;
		s.instance = (uint16_t)((address - 0x408000) / tpc_stride);
		s.offset = (address - 0x408000) % tpc_stride;
	} else if (tpc_stride && address >= 0x407000 && address < 0x407800) {
		s.area = NTI_AREA_PART;
		s.instance = (uint16_t)(address >> 8 & 7);
		s.offset = address & 0xff;
	} else if (!tpc_stride && address >= 0x500000 && address < 0x600000) {
		uint32_t gpc = (address - 0x500000) >> 15;
		uint32_t offset = address & 0x7fff;

		s.area = offset < 0x4000 ? NTI_AREA_GPC : NTI_AREA_TPC;
		s.instance =
			(uint16_t)(offset < 0x4000 ? gpc : gpc << 8 | ((offset & 0x3fff) >> 11));
		s.offset = offset < 0x4000 ? offset : offset & 0x7ff;
	} else if (!tpc_stride && address >= 0x110000 && address < 0x120000) {
		s.area = NTI_AREA_PART;
		s.instance = (uint16_t)(address >> 12 & 0xf);
		s.offset = address & 0xfff;
	} else if (!tpc_stride && address >= 0x140000 && address < 0x160000) {
		s.area = NTI_AREA_L2;
		s.instance = (uint16_t)((address - 0x140000) >> 13);
		s.offset = address & 0x1fff;
	}
	return s;
}

const char *nti_derive_area_name(unsigned int area)
{
	static const char *const names[] = { "", "TPC", "PART", "GPC", "L2" };

	return names[area];
}
