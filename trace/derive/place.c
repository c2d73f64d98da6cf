// SPDX-License-Identifier: MIT
/*
 * What an address is to somebody who counts.
 *
 * Source of G80 to GT218: envytools' registers of PCOUNTER and PGRAPH. Source of Fermi and later:
 * nouveau's gf100 counters, and register operations of NVIDIA's driver on GF100 to GM206 (set-up
 * block, blocks of MPs). Trust: documented; what is behind the domains of Fermi and what is
 * ignored: measured. Addresses are those of the rows in core/regs, where there is one.
 */
#include "trace/derive/place.h"
#include "trace/derive/registers.h"

/* Names of rows, without what they have in common. */
#define TESLA(row) NTI_TESLA_PCOUNTER_##row
#define DOMAIN(row) NTI_GF100_PCOUNTER_GPC_DOM_##row

/* The block begins with its first row; behind the last one that is known it goes on. */
#define PCOUNTER TESLA(PRE_SRC)
#define PCOUNTER_BYTES 0x800u
/* Eight domains have a word each. */
#define DOMAINS_BYTES 0x20u

/* Units that no row describes: areas of Fermi and later. */
#define LATER_END 0x1c0000u
#define LATER_SWITCHES 0x1b4000u /* of PCOUNTER, behind its domains: what switches the whole on */
#define LTC 0x110000u
#define LTC_END 0x120000u
#define L2 0x140000u
#define L2_END 0x160000u
#define GPC_ALL 0x418000u
#define GPC_ALL_END 0x41c000u
#define GPC 0x500000u
#define GPC_END 0x600000u
#define MP_ALL 0x419e00u
#define MP_ALL_END 0x419f60u
/* TPCs of both strides, to the end of the larger one's. */
#define TPCS_END (NTI_TESLA_PGRAPH_TPC_BASE + NTI_G200_PGRAPH_TPC_COUNT * NTI_G80_PGRAPH_TPC_STEP)

static void put(struct nti_derive_place *p, enum nti_derive_place_kind kind, unsigned int slot)
{
	p->kind = (uint8_t)kind;
	p->slot = (uint16_t)slot;
}

/* Slots: 0 PRE, 1 START, 2 EVENT, 3 STOP. */
static void place_tesla(uint32_t address, struct nti_derive_place *p)
{
	p->unit = NTI_UNIT_PCOUNTER;
	p->set = (uint16_t)(address % DOMAINS_BYTES / TESLA(CTRL_STEP));
	p->kind = NTI_PLACE_IGNORED;
	switch (address - address % DOMAINS_BYTES) {
	case TESLA(PRE_SRC):
		put(p, NTI_PLACE_SRC, 0);
		break;
	case TESLA(PRE_OP):
		put(p, NTI_PLACE_OP, 0);
		break;
	case TESLA(START_SRC):
		put(p, NTI_PLACE_SRC, 1);
		break;
	case TESLA(START_OP):
		put(p, NTI_PLACE_OP, 1);
		break;
	case TESLA(EVENT_SRC):
		put(p, NTI_PLACE_SRC, 2);
		break;
	case TESLA(EVENT_OP):
		put(p, NTI_PLACE_OP, 2);
		break;
	case TESLA(STOP_SRC):
		put(p, NTI_PLACE_SRC, 3);
		break;
	case TESLA(STOP_OP):
		put(p, NTI_PLACE_OP, 3);
		break;
	case TESLA(SETFLAG_OP):
		p->kind = NTI_PLACE_SETFLAG;
		break;
	case TESLA(CLRFLAG_OP):
		p->kind = NTI_PLACE_CLRFLAG;
		break;
	case TESLA(SPEC_SRC):
		p->kind = NTI_PLACE_SPEC;
		break;
	case TESLA(CTR_CYCLES):
	case TESLA(CTR_CYCLES_ALT):
		p->kind = NTI_PLACE_CYCLES;
		break;
	case TESLA(CTR_PRE):
		put(p, NTI_PLACE_COUNTER, 0);
		break;
	case TESLA(CTR_START):
		put(p, NTI_PLACE_COUNTER, 1);
		break;
	case TESLA(CTR_EVENT):
		put(p, NTI_PLACE_COUNTER, 2);
		break;
	case TESLA(CTR_STOP):
		put(p, NTI_PLACE_COUNTER, 3);
		break;
	case TESLA(CTRL):
		p->kind = NTI_PLACE_CTRL;
		break;
	case TESLA(QUAD_ACK_TRIGGER):
		p->kind = NTI_PLACE_ACK;
		break;
	}
}

static void place_domain(uint32_t offset, struct nti_derive_place *p)
{
	p->kind = NTI_PLACE_IGNORED;
	switch (offset) {
	case DOMAIN(PRE_SRC):
		put(p, NTI_PLACE_SRC, 0);
		break;
	case DOMAIN(PRE_OP):
		put(p, NTI_PLACE_OP, 0);
		break;
	case DOMAIN(START_SRC):
		put(p, NTI_PLACE_SRC, 1);
		break;
	case DOMAIN(START_OP):
		put(p, NTI_PLACE_OP, 1);
		break;
	case DOMAIN(EVENT_SRC):
		put(p, NTI_PLACE_SRC, 2);
		break;
	case DOMAIN(EVENT_OP):
		put(p, NTI_PLACE_OP, 2);
		break;
	case DOMAIN(STOP_SRC):
		put(p, NTI_PLACE_SRC, 3);
		break;
	case DOMAIN(STOP_OP):
		put(p, NTI_PLACE_OP, 3);
		break;
	case DOMAIN(SETFLAG_OP):
		p->kind = NTI_PLACE_SETFLAG;
		break;
	case DOMAIN(CLRFLAG_OP):
		p->kind = NTI_PLACE_CLRFLAG;
		break;
	case DOMAIN(SWAP_SRC): /* written last, by NVIDIA's driver and nouveau, to end a period */
	case DOMAIN(USER_TRIGGER):
		p->kind = NTI_PLACE_TRIGGER;
		break;
	case DOMAIN(CTR_CYCLES):
		p->kind = NTI_PLACE_CYCLES;
		break;
	case DOMAIN(CTR_PRE):
		put(p, NTI_PLACE_COUNTER, 0);
		break;
	case DOMAIN(CTR_START):
		put(p, NTI_PLACE_COUNTER, 1);
		break;
	case DOMAIN(CTR_EVENT):
		put(p, NTI_PLACE_COUNTER, 2);
		break;
	case DOMAIN(CTR_STOP):
		put(p, NTI_PLACE_COUNTER, 3);
		break;
	case DOMAIN(CTRL):
		p->kind = NTI_PLACE_CTRL;
		break;
	case DOMAIN(QUAD_ACK_TRIGGER):
		p->kind = NTI_PLACE_ACK;
		break;
	}
}

/* The domain of a unit at @at, and its register. */
static void place_unit(uint32_t at, uint32_t step, struct nti_derive_place *p)
{
	p->set = (uint16_t)(at / step);
	place_domain(at % step, p);
}

static void place_later(uint32_t address, struct nti_derive_place *p)
{
	if (address >= LATER_SWITCHES) {
		p->kind = NTI_PLACE_IGNORED;
	} else if (address >= NTI_GF100_PCOUNTER_HUB_DOM_BASE) {
		p->unit = NTI_UNIT_HUB;
		place_unit(address - NTI_GF100_PCOUNTER_HUB_DOM_BASE,
			   NTI_GF100_PCOUNTER_HUB_DOM_STEP, p);
	} else if (address >= NTI_GF100_PCOUNTER_PART_DOM_BASE) {
		address -= NTI_GF100_PCOUNTER_PART_DOM_BASE;
		p->unit = NTI_UNIT_PART;
		p->instance = (uint16_t)(address / NTI_GF100_PCOUNTER_PART_DOM_STEP);
		place_unit(address % NTI_GF100_PCOUNTER_PART_DOM_STEP,
			   NTI_GF100_PCOUNTER_PART_DOM_STEP_2, p);
	} else {
		address -= NTI_GF100_PCOUNTER_GPC_DOM_BASE;
		p->unit = NTI_UNIT_GPC;
		p->instance = (uint16_t)(address / NTI_GF100_PCOUNTER_GPC_DOM_STEP);
		place_unit(address % NTI_GF100_PCOUNTER_GPC_DOM_STEP,
			   NTI_GF100_PCOUNTER_GPC_DOM_STEP_2, p);
	}
}

/*
 * Block of an MP: TPC+0x600 to +0x7ff, and 0x419e00 for all of them. Counters 0x674 to 0x690, on
 * Maxwell also 0x6f0 to 0x72c; 0x670 and 0x694 tell of overflows.
 */
static bool place_mp(uint32_t address, struct nti_derive_place *p)
{
	uint32_t offset = address & 0x7ff;

	if (offset < 0x600 || offset >= 0x760)
		return false;
	if (address >= MP_ALL && address < MP_ALL_END)
		p->instance = NTI_MP_ALL;
	else if (address >= GPC && address < GPC_END && (address & 0x7fff) >= 0x4000)
		p->instance = (uint16_t)((address - GPC) >> 15 << 8 | ((address & 0x3fff) >> 11));
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

	if (address == NTI_TESLA_PMC_BOOT_0)
		p.kind = NTI_PLACE_BOOT0;
	else if (is_tesla && address >= PCOUNTER && address < PCOUNTER + PCOUNTER_BYTES)
		place_tesla(address, &p);
	else if (address == NTI_TESLA_PGRAPH_UNITS)
		p.kind = NTI_PLACE_UNITS;
	else if (address == NTI_TESLA_PGRAPH_DEBUG_1)
		p.kind = NTI_PLACE_TRIGGER;
	else if (is_later && address >= NTI_GF100_PCOUNTER_GPC_DOM_BASE && address < LATER_END)
		place_later(address, &p);
	else if (is_later && place_mp(address, &p))
		return p;
	return p;
}

bool nti_derive_place_is_routing(uint32_t address, bool is_tesla, bool is_later)
{
	/*
	 * TPCs, partitions and the few single ones of the front of PGRAPH; not its interrupts,
	 * traps and state.
	 */
	if (is_tesla &&
	    ((address >= NTI_TESLA_PGRAPH_ROP_BASE && address < TPCS_END) ||
	     address == NTI_TESLA_PGRAPH_VFETCH_PM_MUX || address == NTI_TESLA_PGRAPH_ZCULL_PM_MUX))
		return true;
	return is_later && ((address >= GPC && address < GPC_END) ||
			    (address >= LTC && address < NTI_GF100_PCOUNTER_GPC_DOM_BASE) ||
			    (address >= GPC_ALL && address < GPC_ALL_END));
}

bool nti_derive_is_tpc(uint32_t address)
{
	return address >= NTI_TESLA_PGRAPH_TPC_BASE && address < TPCS_END;
}

struct nti_derive_spot nti_derive_spot_of(uint32_t address, uint32_t tpc_stride)
{
	struct nti_derive_spot s = { NTI_AREA_OTHER, 0, address };

	if (tpc_stride && address >= NTI_TESLA_PGRAPH_TPC_BASE &&
	    address < NTI_TESLA_PGRAPH_TPC_BASE + NTI_G200_PGRAPH_TPC_COUNT * tpc_stride) {
		s.area = NTI_AREA_TPC;
		s.instance = (uint16_t)((address - NTI_TESLA_PGRAPH_TPC_BASE) / tpc_stride);
		s.offset = (address - NTI_TESLA_PGRAPH_TPC_BASE) % tpc_stride;
	} else if (tpc_stride && address >= NTI_TESLA_PGRAPH_ROP_BASE &&
		   address < NTI_TESLA_PGRAPH_ROP_BASE +
				     NTI_TESLA_PGRAPH_ROP_COUNT * NTI_TESLA_PGRAPH_ROP_STEP) {
		s.area = NTI_AREA_PART;
		s.instance = (uint16_t)((address - NTI_TESLA_PGRAPH_ROP_BASE) /
					NTI_TESLA_PGRAPH_ROP_STEP);
		s.offset = (address - NTI_TESLA_PGRAPH_ROP_BASE) % NTI_TESLA_PGRAPH_ROP_STEP;
	} else if (!tpc_stride && address >= GPC && address < GPC_END) {
		uint32_t gpc = (address - GPC) >> 15;
		uint32_t offset = address & 0x7fff;

		s.area = offset < 0x4000 ? NTI_AREA_GPC : NTI_AREA_TPC;
		s.instance =
			(uint16_t)(offset < 0x4000 ? gpc : gpc << 8 | ((offset & 0x3fff) >> 11));
		s.offset = offset < 0x4000 ? offset : offset & 0x7ff;
	} else if (!tpc_stride && address >= LTC && address < LTC_END) {
		s.area = NTI_AREA_PART;
		s.instance = (uint16_t)(address >> 12 & 0xf);
		s.offset = address & 0xfff;
	} else if (!tpc_stride && address >= L2 && address < L2_END) {
		s.area = NTI_AREA_L2;
		s.instance = (uint16_t)((address - L2) >> 13);
		s.offset = address & 0x1fff;
	}
	return s;
}

const char *nti_derive_area_name(unsigned int area)
{
	static const char *const names[] = { "", "TPC", "PART", "GPC", "L2" };

	return names[area];
}
