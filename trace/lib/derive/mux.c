// SPDX-License-Identifier: MIT
/*
 * Registers that may be multiplexers.
 *
 * Where wires of units with known events begin is core/regs/nv50_wires.h's. Source of the other
 * rows: envytools' PGRAPH registers and lists of signals, nouveau's tables of
 * sources, the event tables of re-pcounter-tools. Trust: documented; that a selector of no known
 * use is 0 where nothing drives the wires is a guess, and no row rests on it.
 */
#include <stdlib.h>

#include "core/regs/nv50_wires.h"
#include "base/common/compiler.h"
#include "base/common/grow.h"
#include "trace/lib/derive/chip.h"
#include "trace/lib/derive/mux.h"
#include "trace/lib/derive/registers.h"

#define NONE (-1)
/* Rows that TPCs of both strides have in common, and rows of each of the two. */
#define BOTH(row)                                                                                  \
	{                                                                                          \
		NTI_TESLA_PGRAPH_##row, NTI_TESLA_PGRAPH_##row                                     \
	}
#define EACH(row)                                                                                  \
	{                                                                                          \
		NTI_G80_PGRAPH_TPC_##row, NTI_G200_PGRAPH_TPC_##row                                \
	}
/* Bits that select, and the one that makes the unit drive the wires. */
#define MASK(row) NTI_TESLA_PGRAPH_##row##_MASK
#define ENABLE(row) NTI_TESLA_PGRAPH_##row##_ENABLE
#define PM_ENABLE(row) NTI_TESLA_PGRAPH_##row##_PM_ENABLE
#define CBAR_1 (NTI_TESLA_PGRAPH_CBAR_PM + NTI_TESLA_PGRAPH_CBAR_PM_STEP)

const struct nti_derive_mux nti_derive_muxes[] = {
	{ "VFETCH", NTI_AREA_OTHER, BOTH(VFETCH_PM_MUX), MASK(VFETCH_PM_MUX), 0, 1,
	  NTHW_NV_VFETCH_WIRES(0, 0), 26, NTHW_NV_G80 },
	{ "ZCULL", NTI_AREA_OTHER, BOTH(ZCULL_PM_MUX), MASK(ZCULL_PM_MUX), 0, 1,
	  NTHW_NV_ZCULL_WIRES, 6, NTHW_NV_G80 },
	{ "CROP", NTI_AREA_PART, BOTH(ROP_CROP_PM_MUX), MASK(ROP_CROP_PM_MUX),
	  ENABLE(ROP_CROP_PM_MUX), 2, NTHW_NV_CROP_WIRES, 4, NTHW_NV_G80 },
	{ "ZROP", NTI_AREA_PART, BOTH(ROP_ZROP_PM_MUX), MASK(ROP_ZROP_PM_MUX),
	  ENABLE(ROP_ZROP_PM_MUX), 2, NTHW_NV_ZROP_WIRES, 4, NTHW_NV_G80 },
	{ "ZBAR",
	  NTI_AREA_OTHER,
	  BOTH(ZBAR_PM),
	  MASK(ZBAR_PM),
	  0,
	  2,
	  { 0x56, 0x38, 0x68, 0x70 },
	  4,
	  NTHW_NV_G80 },
	{ "CBAR0",
	  NTI_AREA_OTHER,
	  BOTH(CBAR_PM),
	  MASK(CBAR_PM),
	  0,
	  2,
	  { 0x4a, 0x24, 0x49, 0x51 },
	  4,
	  NTHW_NV_G80 },
	{ "CBAR1",
	  NTI_AREA_OTHER,
	  { CBAR_1, CBAR_1 },
	  MASK(CBAR_PM),
	  0,
	  2,
	  { 0x4e, 0x28, 0x4d, 0x55 },
	  4,
	  NTHW_NV_G80 },
	{ "PROP", NTI_AREA_TPC, EACH(PROP_PM_MUX), MASK(TPC_PROP_PM_MUX), ENABLE(TPC_PROP_PM_MUX),
	  2, NTHW_NV_PROP_WIRES, 8, NTHW_NV_G80 },
	{ "GEOM0",
	  NTI_AREA_TPC,
	  BOTH(TPC_GEOM_PM_0),
	  MASK(TPC_GEOM_PM_0),
	  0,
	  1,
	  { 0x10, 0x00, 0x00, 0x00 },
	  7,
	  NTHW_NV_G80 },
	{ "GEOM1",
	  NTI_AREA_TPC,
	  BOTH(TPC_GEOM_PM_1),
	  MASK(TPC_GEOM_PM_1),
	  ENABLE(TPC_GEOM_PM_1),
	  1,
	  { 0x10, 0x00, 0x00, 0x00 },
	  7,
	  NTHW_NV_G80 },
	{ "TEX", NTI_AREA_TPC, EACH(TEX_PM_MUX), MASK(TPC_TEX_PM_MUX), PM_ENABLE(TPC_TEX_PM_MUX), 2,
	  NTHW_NV_TEX_CACHE_WIRES, 3, NTHW_NV_G80 },
	{ "TEX", NTI_AREA_TPC, EACH(TEX_PM_MUX), MASK(TPC_TEX_PM_MUX), PM_ENABLE(TPC_TEX_PM_MUX), 2,
	  NTHW_NV_TEX_LEVEL_WIRES, 4, NTHW_NV_G80 },
	{ "TEX_2",
	  NTI_AREA_TPC,
	  EACH(TEX_PM_MUX2),
	  MASK(TPC_TEX_PM_MUX2),
	  PM_ENABLE(TPC_TEX_PM_MUX2),
	  2,
	  { NONE, 0x1a, 0x32, 0x3a },
	  3,
	  NTHW_NV_G84 },
};
const size_t nti_derive_mux_count = NTI_ARRAY_SIZE(nti_derive_muxes);
_Static_assert(NTI_ARRAY_SIZE(nti_derive_muxes) <= 32, "sets of them are bits of a word");

uint32_t nti_derive_mux_offset(const struct nti_derive_mux *m, uint32_t tpc_stride)
{
	return m->offset[tpc_stride == NTI_G200_PGRAPH_TPC_STEP];
}

uint32_t nti_derive_mpc_select(uint32_t tpc_stride)
{
	return tpc_stride == NTI_G200_PGRAPH_TPC_STEP ? NTI_G200_PGRAPH_TPC_MPC_PM_GROUP_SEL
						      : NTI_G80_PGRAPH_TPC_MPC_PM_GROUP_SEL;
}

uint32_t nti_derive_mpc_enable(uint32_t tpc_stride)
{
	return tpc_stride == NTI_G200_PGRAPH_TPC_STEP ? NTI_G200_PGRAPH_TPC_MPC_PM_OUT_ENABLE
						      : NTI_G80_PGRAPH_TPC_MPC_PM_OUT_ENABLE;
}

const struct nti_derive_mux *nti_derive_mux_at(struct nti_derive_spot spot, uint32_t tpc_stride)
{
	/* Without the stride of TPCs only what is in no unit can be told. */
	if (!tpc_stride && spot.area != NTI_AREA_OTHER)
		return NULL;
	for (size_t i = 0; i < nti_derive_mux_count; i++)
		if (nti_derive_muxes[i].area == spot.area &&
		    nti_derive_mux_offset(&nti_derive_muxes[i], tpc_stride) == spot.offset)
			return &nti_derive_muxes[i];
	return NULL;
}

bool nti_derive_mux_feeds(const struct nti_derive_mux *m, uint64_t chips, unsigned int domain,
			  unsigned int signal)
{
	if (domain != m->domain)
		return false;
	for (unsigned int family = 0; family < NTI_ARRAY_SIZE(m->first); family++)
		if (nti_derive_any_of(chips, family, family) && m->first[family] != NONE &&
		    signal >= (unsigned int)m->first[family] &&
		    signal < (unsigned int)m->first[family] + m->wires)
			return true;
	return false;
}

bool nti_derive_mux_shares(const struct nti_derive_mux *a, const struct nti_derive_mux *b)
{
	if (a->domain != b->domain)
		return false;
	for (unsigned int family = 0; family < NTI_ARRAY_SIZE(a->first); family++)
		if (a->first[family] != NONE && b->first[family] != NONE &&
		    a->first[family] < b->first[family] + b->wires &&
		    b->first[family] < a->first[family] + a->wires)
			return true;
	return false;
}

void nti_derive_regs_fini(struct nti_derive_regs *r)
{
	for (size_t i = 0; i < NTI_ARRAY_SIZE(r->written); i++)
		free(r->written[i].at);
	nti_derive_index_fini(&r->index);
	free(r->reg);
	*r = (struct nti_derive_regs){ 0 };
}

struct nti_derive_reg *nti_derive_regs_find(const struct nti_derive_regs *r, uint32_t address)
{
	uint32_t place = nti_derive_index_find(&r->index, address);

	return place ? &r->reg[place - 1] : NULL;
}

struct nti_derive_reg *nti_derive_regs_get(struct nti_derive_regs *r, uint32_t address)
{
	struct nti_derive_reg *reg = nti_derive_regs_find(r, address);

	if (reg)
		return reg;
	if (r->n == NTI_DERIVE_REGS_MAX) {
		r->left_out++;
		return NULL;
	}
	if (!nti_grow(&r->reg, r->n) ||
	    !nti_derive_index_add(&r->index, address, (uint32_t)r->n + 1)) {
		r->failed = true;
		return NULL;
	}
	reg = &r->reg[r->n++];
	*reg = (struct nti_derive_reg){ .address = address };
	return reg;
}

void nti_derive_regs_note(struct nti_derive_regs *r, struct nti_derive_reg *reg, uint32_t epoch)
{
	struct nti_derive_regs_list *list = &r->written[epoch % 2];

	if (reg->noted == epoch)
		return;
	if (!nti_grow(&list->at, list->n)) {
		r->failed = true;
		return;
	}
	reg->noted = epoch;
	list->at[list->n++] = (uint32_t)(reg - r->reg);
}

void nti_derive_regs_begin(struct nti_derive_regs *r, uint32_t epoch)
{
	r->written[(epoch + 1) % 2].n = 0;
}
