// SPDX-License-Identifier: MIT
/*
 * What an address is to somebody who counts.
 *
 * Addresses are those of the rows in core/regs, which have the sources. Of Fermi and later what is
 * ignored is measured, in register operations of NVIDIA's driver on GF100 to GM206.
 */
#include "trace/lib/derive/place.h"
#include "trace/lib/derive/registers.h"

/* Names of rows, without what they have in common. */
#define TESLA(row) NTI_TESLA_PCOUNTER_##row
#define LATER(row) NTI_GF100_PCOUNTER_##row
#define DOMAIN(row) LATER(GPC_DOM_##row)
#define MP(row) NTI_GF100_PGRAPH_GPC_TPC_MP_##row

/* The block begins with its first row; behind the last one that is known it goes on. */
#define PCOUNTER TESLA(PRE_SRC)
#define PCOUNTER_BYTES 0x800u
#define LATER_BYTES 0x40000u
/* Eight domains have a word each. */
#define DOMAINS_BYTES 0x20u

/* Units of Fermi and later: the first of a kind, and where all of the kind end. */
#define GPC NTI_GF100_PGRAPH_GPC_BASE
#define GPC_STEP NTI_GF100_PGRAPH_GPC_STEP
#define GPC_END (GPC + NTI_GF100_PGRAPH_GPC_COUNT * GPC_STEP)
#define GPC_ALL NTI_GF100_PGRAPH_GPC_BROADCAST_BASE
#define GPC_TPC (NTI_GF100_PGRAPH_GPC_TPC_BASE - GPC)
#define GPC_TPC_STEP NTI_GF100_PGRAPH_GPC_TPC_STEP_2
#define PBFB_END (NTI_GF100_PBFB_BASE + NTI_GF100_PBFB_COUNT * NTI_GF100_PBFB_STEP)
#define PMFB_END (NTI_GF100_PMFB_BASE + NTI_GF100_PMFB_COUNT * NTI_GF100_PMFB_STEP)
#define TPC_MP (MP(BASE) - NTI_GF100_PGRAPH_GPC_TPC_BASE)
#define MP_ALL NTI_GF100_PGRAPH_GPC_BROADCAST_TPC_ALL_MP_BASE
/* TPCs of both strides, to the end of the larger one's. */
#define TPCS_END (NTI_TESLA_PGRAPH_TPC_BASE + NTI_G200_PGRAPH_TPC_COUNT * NTI_G80_PGRAPH_TPC_STEP)

_Static_assert(4 * NTI_MP_WORDS == MP(PM_SRCSEL) + 4 * MP(PM_SRCSEL_LENGTH),
	       "what is kept of an MP ends with its last selector");

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
	if (address >= LATER(MAIN_BASE)) {
		p->kind = NTI_PLACE_IGNORED; /* what switches the whole on */
	} else if (address >= LATER(HUB_DOM_BASE)) {
		p->unit = NTI_UNIT_HUB;
		place_unit(address - LATER(HUB_DOM_BASE), LATER(HUB_DOM_STEP), p);
	} else if (address >= LATER(PART_DOM_BASE)) {
		address -= LATER(PART_DOM_BASE);
		p->unit = NTI_UNIT_PART;
		p->instance = (uint16_t)(address / LATER(PART_DOM_STEP));
		place_unit(address % LATER(PART_DOM_STEP), LATER(PART_DOM_STEP_2), p);
	} else {
		address -= LATER(GPC_DOM_BASE);
		p->unit = NTI_UNIT_GPC;
		p->instance = (uint16_t)(address / LATER(GPC_DOM_STEP));
		place_unit(address % LATER(GPC_DOM_STEP), LATER(GPC_DOM_STEP_2), p);
	}
}

/* A unit of a GPC, or the GPC. */
static struct nti_derive_spot spot_of_gpc(uint32_t address)
{
	uint32_t gpc = (address - GPC) / GPC_STEP, offset = (address - GPC) % GPC_STEP;

	if (offset < GPC_TPC)
		return (struct nti_derive_spot){ NTI_AREA_GPC, (uint16_t)gpc, offset };
	offset -= GPC_TPC;
	return (struct nti_derive_spot){ NTI_AREA_TPC, (uint16_t)(gpc << 8 | offset / GPC_TPC_STEP),
					 offset % GPC_TPC_STEP };
}

/* Is @offset in one of the @n words from @first on? */
static bool is_word(uint32_t offset, uint32_t first, uint32_t n)
{
	return offset >= first && offset < first + 4 * n;
}

/* One MP, or all of them at once. */
static bool place_mp(uint32_t address, struct nti_derive_place *p)
{
	uint32_t offset;

	if (address >= MP_ALL && address < MP_ALL + 4 * NTI_MP_WORDS) {
		p->instance = NTI_MP_ALL;
		offset = address - MP_ALL;
	} else if (address >= GPC && address < GPC_END) {
		struct nti_derive_spot s = spot_of_gpc(address);

		if (s.area != NTI_AREA_TPC || !is_word(s.offset, TPC_MP, NTI_MP_WORDS))
			return false;
		p->instance = s.instance;
		offset = s.offset - TPC_MP;
	} else {
		return false;
	}
	p->unit = NTI_UNIT_MP;
	p->slot = (uint16_t)offset;
	p->kind = NTI_PLACE_MP_CONFIG;
	if (offset == MP(PM_MUX) || offset == MP(PM_COUNTER_OVERFLOW) ||
	    offset == NTI_GK104_PGRAPH_GPC_TPC_MP_PM_COUNTER_OVERFLOW_B)
		p->kind = NTI_PLACE_IGNORED;
	else if (is_word(offset, MP(PM_COUNTER), MP(PM_COUNTER_LENGTH)) ||
		 is_word(offset, NTI_GM107_PGRAPH_GPC_TPC_MP_PM_COUNTER_F0,
			 NTI_GM107_PGRAPH_GPC_TPC_MP_PM_COUNTER_F0_LENGTH))
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
	else if (is_later && address >= LATER(GPC_DOM_BASE) &&
		 address < LATER(GPC_DOM_BASE) + LATER_BYTES)
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
			    (address >= NTI_GF100_PBFB_BASE && address < LATER(GPC_DOM_BASE)) ||
			    (address >= GPC_ALL && address < GPC_ALL + GPC_STEP));
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
		s = spot_of_gpc(address);
	} else if (!tpc_stride && address >= NTI_GF100_PBFB_BASE && address < PBFB_END) {
		s.area = NTI_AREA_PART;
		s.instance = (uint16_t)((address - NTI_GF100_PBFB_BASE) / NTI_GF100_PBFB_STEP);
		s.offset = (address - NTI_GF100_PBFB_BASE) % NTI_GF100_PBFB_STEP;
	} else if (!tpc_stride && address >= NTI_GF100_PMFB_BASE && address < PMFB_END) {
		s.area = NTI_AREA_L2;
		s.instance = (uint16_t)((address - NTI_GF100_PMFB_BASE) / NTI_GF100_PMFB_STEP);
		s.offset = (address - NTI_GF100_PMFB_BASE) % NTI_GF100_PMFB_STEP;
	}
	return s;
}

const char *nti_derive_area_name(unsigned int area)
{
	static const char *const names[] = { "", "TPC", "PART", "GPC", "L2" };

	return names[area];
}
