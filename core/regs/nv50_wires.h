/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Wires that units of G80 to GT21x lead to PCOUNTER: which signals of which domain they are.
 * Functions of events name them "trast.6", whatever the chip: core/gpu.
 */
#ifndef NTHW_NV50_WIRES_H
#define NTHW_NV50_WIRES_H

#include "core/regs/nv50_chip.h"

/*
 * Multiplexers in units, which say what some of their wires lead; numbers up to TEX2 as in
 * docs/adr/0019. The wires of domain 3 come in groups of four: any of them can be led to signals 4i
 * to 4i + 3, for i up to 3, and one more register enables the unit.
 */
enum nthw_nv_mux {
	NTHW_NV_NO_MUX,
	NTHW_NV_VFETCH,
	NTHW_NV_ZCULL,
	NTHW_NV_PROP,
	NTHW_NV_CROP,
	NTHW_NV_ZROP,
	NTHW_NV_TEX,
	NTHW_NV_TEX2,
	NTHW_NV_GROUP, /* behind signals 0 to 3; three more follow */
	NTHW_NV_MPC_OUT = NTHW_NV_GROUP + 4,
	NTHW_NV_MUXES,
};
/* What has a multiplexer: PGRAPH once, or each of its units of a kind. */
enum nthw_nv_units {
	NTHW_NV_GRAPH,
	NTHW_NV_TPC,
	NTHW_NV_ROP, /* a memory partition */
	NTHW_NV_MP,  /* of each TPC; they have no multiplexers of their own */
};
/*
 * Its register, by family. Units have one each, at .step from the first: they share the wires, and
 * the first one whose .enable is set has them.
 */
struct nthw_nv_mux_row {
	const char *name;
	uint8_t units; /* enum nthw_nv_units */
	uint32_t address[NTHW_NV_FERMI], step[NTHW_NV_FERMI]; /* .address 0: there is none */
	uint32_t mask[NTHW_NV_FERMI];			      /* what selects; 0: it only enables */
	uint32_t enable;
	bool is_part; /* others are in the same register */
};
extern const struct nthw_nv_mux_row nthw_nv_muxes[NTHW_NV_MUXES];

/* Bytes of BAR 0 up to the last register that counting needs. */
#define NTHW_NV_COUNTING_BYTES 0x410000u
/* PGRAPH's register that says which units there are, and how many of a kind it has room for. */
#define NTHW_NV_UNITS 0x4008fcu
#define NTHW_NV_UNITS_MAX 16

/* The mask of @kind in @value of NTHW_NV_UNITS, from bit 0 on; of NTHW_NV_GRAPH 1. */
uint32_t nthw_nv_units_of(const struct nthw_nv_chip *chip, uint32_t kind, uint32_t value);

/* MPs of a board with TPCs of mask @tpcs and MPs of mask @mps in each: bit TPC * MPs of a TPC + MP. */
uint32_t nthw_nv_all_mps(const struct nthw_nv_chip *chip, uint32_t tpcs, uint32_t mps);

/*
 * Where the wires of a multiplexer begin, by family, and @old or @new further: the same wire may
 * have another number from G200 on.
 */
#define NTHW_NV_WIRES(g80, g84, g200, gt215, old, new)                                             \
	{ (g80) + (old), (g84) + (old), (g200) + (new), (gt215) + (new) }
#define NTHW_NV_VFETCH_WIRES(old, new) NTHW_NV_WIRES(0x26, 0x66, 0x46, 0x46, old, new)
#define NTHW_NV_ZCULL_WIRES NTHW_NV_WIRES(0x20, 0x07, 0x07, 0x07, 0, 0)
#define NTHW_NV_PROP_WIRES NTHW_NV_WIRES(0, 0, 0, 0, 0, 0)
#define NTHW_NV_CROP_WIRES NTHW_NV_WIRES(0x52, 0x30, 0x55, 0x64, 0, 0)
#define NTHW_NV_ZROP_WIRES NTHW_NV_WIRES(0x6c, 0x44, 0x74, 0x7c, 0, 0)
#define NTHW_NV_TEX_CACHE_WIRES NTHW_NV_WIRES(0x40, 0x1a, 0x32, 0x3a, 0, 0)
#define NTHW_NV_TEX_LEVEL_WIRES NTHW_NV_WIRES(0x70, 0x48, 0x78, 0x80, 0, 0)

/* In the place of .first: the family has none of them. No chip has this group. */
#define NTHW_NV_NO_WIRES 0xfc

/*
 * Wire n of a unit is signal .first of the family, + n; if it has a multiplexer, while that is
 * .select. Of domain 3 (.mux NTHW_NV_GROUP) .first is 4 times a group and a wire of it,
 * or NTHW_NV_NO_WIRES.
 */
struct nthw_nv_wires {
	const char *name;
	uint8_t domain, count;
	uint8_t first[NTHW_NV_FERMI];
	uint8_t mux;
	uint32_t select;
	const char *about, *source;
	enum nthw_trust trust;
	uint8_t also; /* another one, of 0, that the same unit has to enable where there is one */
};

extern const struct nthw_nv_wires nthw_nv_wires[];
extern const size_t nthw_nv_wires_count;

/* Are the wires of @chip known? Of the chipsets of the family (MCP77, MCP79, MCP89) they are not. */
bool nthw_nv_has_wires(const struct nthw_nv_chip *chip);

/*
 * The unit of a wire that @text begins with, "trast.6 & ...", and its number in *@wire; what is
 * behind it goes to *@end. NULL: it begins with none.
 */
const struct nthw_nv_wires *nthw_nv_wires_take(const char *text, uint32_t *wire, const char **end);

#endif
