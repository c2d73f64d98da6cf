// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Wires of units of G80 to GT21x: first signals of the families G80, G84 to G98, G200, GT215 to GT218. The chipsets MCP77, MCP79 and MCP89 have no
 * published list of them.
 */
#include "core/regs/nv50_wires.h"

#define SIGNALS "envytools, lists of signals of PCOUNTER by chip"
#define EVENTS "re-pcounter-tools, tables of events of Tesla chips"
#define TRACES "register operations of NVIDIA's driver under CUPTI on GT218, G200 and G96 (re-pcounter-tools, traces)"

const struct nthw_nv_wires nthw_nv_wires[] = {
	{ "idle", 1, 1, { 0xc8, 0xbd, 0xc9, 0xcb }, NTHW_NV_NO_MUX, 0, "PGRAPH has nothing to do", SIGNALS, NTHW_DOCUMENTED, 0 },
	{ "vattr", 1, 2, { 0x7c, 0x5c, 0x82, 0x84 }, NTHW_NV_NO_MUX, 0, "0 a primitive, 1 a vertex leaves the geometry stage", SIGNALS " and " EVENTS, NTHW_DOCUMENTED, 0 },
	{ "strmout", 1, 2, { 0x7f, 0x5e, 0x84, 0x86 }, NTHW_NV_NO_MUX, 0, "both: stream output is busy", SIGNALS " and " EVENTS, NTHW_DOCUMENTED, 0 },
	{ "trast", 1, 8, { 0xdc, 0xd2, 0xde, 0xe0 }, NTHW_NV_NO_MUX, 0,
	  "0 a primitive comes in for setup; 1 point, 2 line, 3 triangle if 6 and 7 are 1; 4 and 5 are not known", SIGNALS " and " EVENTS, NTHW_DOCUMENTED, 0 },
	{ "culled", 1, 1, { 0xae, 0xa4, 0xb0, 0xb2 }, NTHW_NV_NO_MUX, 0, "setup drops a primitive; which unit has the wire is not known", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "vfetch_a", 1, 2, NTHW_NV_VFETCH_WIRES(2, 2), NTHW_NV_VFETCH, 1, "both: the input assembler is busy", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "vfetch_b", 1, 2, NTHW_NV_VFETCH_WIRES(0x17, 0x14), NTHW_NV_VFETCH, 1, "both: the input assembler is busy", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "vfetch_wait", 1, 1, NTHW_NV_VFETCH_WIRES(0x0e, 0x0b), NTHW_NV_VFETCH, 1, "the input assembler waits for memory", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "vfetch_vertex", 1, 3, NTHW_NV_VFETCH_WIRES(0x0e, 0x0e), NTHW_NV_VFETCH, 0, "bits of an amount: vertices go into the geometry stage", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "zcull_in", 1, 6, NTHW_NV_ZCULL_WIRES, NTHW_NV_ZCULL, 0, "bits of an amount: tiles come in", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "zcull_killed", 1, 6, NTHW_NV_ZCULL_WIRES, NTHW_NV_ZCULL, 7, "bits of an amount: tiles are dropped as hidden", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "prop_rop", 2, 8, NTHW_NV_PROP_WIRES, NTHW_NV_PROP, 0, "2 and 3, or 4 and 5: the ROP is busy; 6 without 7: it waits for the shader; 0 and 1 are not known", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "prop_out", 2, 8, NTHW_NV_PROP_WIRES, NTHW_NV_PROP, 0x16, "0 to 5 bits of an amount, with 7 and 6: pixels come out of the rasterizer", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "prop_samples", 2, 8, NTHW_NV_PROP_WIRES, NTHW_NV_PROP, 0x15, "0 to 5 bits of an amount, with 7: samples come into the ROP; 6 with 7 a strobe", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "prop_earlyz", 2, 8, NTHW_NV_PROP_WIRES, NTHW_NV_PROP, 0x1a, "0 to 5 bits of an amount, with 7: the early depth test drops samples; 6 is not known", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "prop_latez", 2, 8, NTHW_NV_PROP_WIRES, NTHW_NV_PROP, 0x1b, "0 to 5 bits of an amount, with 7: the late depth test drops samples; 6 is not known", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "prop_shaded_a", 2, 8, NTHW_NV_PROP_WIRES, NTHW_NV_PROP, 0x1c, "0 to 5 bits of an amount, with 7: pixels were shaded, in one of three parts; 1 without 0 and 2 a strobe", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "prop_shaded_b", 2, 8, NTHW_NV_PROP_WIRES, NTHW_NV_PROP, 0x1d, "0 to 5 bits of an amount, with 7: pixels were shaded, in one of three parts; 1 without 0 and 2 a strobe", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "prop_shaded_c", 2, 8, NTHW_NV_PROP_WIRES, NTHW_NV_PROP, 0x03, "0 to 5 bits of an amount, with 7: pixels were shaded, in one of three parts; 1 without 0 and 2 a strobe", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "crop_wait", 2, 4, NTHW_NV_CROP_WIRES, NTHW_NV_CROP, 1, "3 without 2: a partition's colour unit waits for memory; 0 and 1 are not known", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "zrop_wait", 2, 4, NTHW_NV_ZROP_WIRES, NTHW_NV_ZROP, 1, "3 without 2: a partition's depth unit waits for memory; 0 and 1 are not known", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "tex_cache", 2, 3, NTHW_NV_TEX_CACHE_WIRES, NTHW_NV_TEX, 0, "0 a miss, 1 a hit of the texture cache, 2 it waits for memory", SIGNALS " and " EVENTS, NTHW_DOCUMENTED, NTHW_NV_TEX2 },
	{ "tex_level", 2, 4, NTHW_NV_TEX_LEVEL_WIRES, NTHW_NV_TEX, 0, "level of a sample; all 1: there is none, all 0: the base level, as is inferred", EVENTS, NTHW_DOCUMENTED, 0 },
	{ "slot_mp0", 3, 4, { 0x00, 0x00, 0x50, 0x50 }, NTHW_NV_GROUP, 0, "what the four counters of MP 0 see, as a context set them", EVENTS, NTHW_DOCUMENTED, NTHW_NV_MPC_OUT },
	{ "slot_mp1", 3, 4, { 0x04, 0x04, 0xa0, 0xa0 }, NTHW_NV_GROUP, 0, "what the four counters of MP 1 see, as a context set them", EVENTS, NTHW_DOCUMENTED, NTHW_NV_MPC_OUT },
	{ "slot_mp2", 3, 4, { NTHW_NV_NO_WIRES, NTHW_NV_NO_WIRES, 0xf0, 0xf0 }, NTHW_NV_GROUP, 0, "the same of MP 2; before G200 there is none", EVENTS, NTHW_DOCUMENTED, NTHW_NV_MPC_OUT },
	{ "geom_mp0", 3, 2, { 0x0c, 0x0c, 0x58, 0x58 }, NTHW_NV_GROUP, 0, "both: the geometry stage of a first MP is busy; 0 without 1: it waits for the shader", EVENTS, NTHW_DOCUMENTED, NTHW_NV_MPC_OUT },
	{ "geom_mp1", 3, 2, { 0x0e, 0x0e, 0xa8, 0xa8 }, NTHW_NV_GROUP, 0, "the same of the second MP", EVENTS, NTHW_DOCUMENTED, NTHW_NV_MPC_OUT },
	{ "shader_mp0", 3, 2, { 0x10, 0x10, 0x5a, 0x5a }, NTHW_NV_GROUP, 0, "0 without 1: the shader of a first MP waits for the geometry stage", EVENTS, NTHW_DOCUMENTED, NTHW_NV_MPC_OUT },
	{ "shader_mp1", 3, 2, { 0x12, 0x12, 0xaa, 0xaa }, NTHW_NV_GROUP, 0, "the same of the second MP", EVENTS, NTHW_DOCUMENTED, NTHW_NV_MPC_OUT },
	{ "shader_rop", 3, 2, { 0x14, 0x14, 0x00, 0x00 }, NTHW_NV_GROUP, 0, "0 without 1: the shader waits for the ROP", EVENTS, NTHW_DOCUMENTED, NTHW_NV_MPC_OUT },
	{ "shader_tex", 3, 4, { 0x40, 0x40, 0x04, 0x04 }, NTHW_NV_GROUP, 0, "0 without 1, 2 without 3: the shader waits for texturing; 2: texturing is busy", EVENTS, NTHW_DOCUMENTED, NTHW_NV_MPC_OUT },
	{ "tex_shader", 3, 2, { 0x44, 0x44, 0x08, 0x08 }, NTHW_NV_GROUP, 0, "both: texturing is busy; 0 without 1: it waits for the shader", EVENTS, NTHW_DOCUMENTED, NTHW_NV_MPC_OUT },
	{ "coherence", 3, 4, { NTHW_NV_NO_WIRES, 0xa4, 0x2c, 0x2c }, NTHW_NV_GROUP, 0, "0 an uncoalesced, 1 a coalesced load from global memory, 2 and 3 stores likewise", TRACES, NTHW_MEASURED, NTHW_NV_MPC_OUT },
	{ "gld", 3, 4, { NTHW_NV_NO_WIRES, NTHW_NV_NO_WIRES, 0x30, 0x30 }, NTHW_NV_GROUP, 0, "a load from global memory of 0 128, 1 64, 2 32 bytes; 3 a request, from GT215 on", TRACES, NTHW_MEASURED, NTHW_NV_MPC_OUT },
	{ "gst", 3, 4, { NTHW_NV_NO_WIRES, NTHW_NV_NO_WIRES, 0x34, 0x34 }, NTHW_NV_GROUP, 0, "the same of stores to global memory", TRACES, NTHW_MEASURED, NTHW_NV_MPC_OUT },
	{ "local", 3, 2, { NTHW_NV_NO_WIRES, 0xa8, 0x38, 0x38 }, NTHW_NV_GROUP, 0, "0 a load from, 1 a store to local memory", TRACES, NTHW_MEASURED, NTHW_NV_MPC_OUT },
	{ "cta", 3, 1, { NTHW_NV_NO_WIRES, 0xac, 0x3a, 0x3a }, NTHW_NV_GROUP, 0, "a block of threads is launched", TRACES, NTHW_MEASURED, NTHW_NV_MPC_OUT },
	{ "vfetch_prim", 1, 1, NTHW_NV_VFETCH_WIRES(8, 8), NTHW_NV_VFETCH, 1, "a primitive goes into the geometry stage", EVENTS, NTHW_DOCUMENTED, 0 },
};
const size_t nthw_nv_wires_count = NTHW_ARRAY_SIZE(nthw_nv_wires);

/* Fields of rows of core/regs/nv50_graph.c. */
#define ALL(value) { value, value, value, value }
#define GROUP(name, shift)                                                                         \
	{ name, NTHW_NV_TPC, { 0x408330, 0x408330, 0x40833c, 0x40833c }, { 0x1000, 0x1000, 0x800, 0x800 }, ALL(0xffu << (shift)), 0, true }
const struct nthw_nv_mux_row nthw_nv_muxes[NTHW_NV_MUXES] = {
	[NTHW_NV_VFETCH] = { "VFETCH", NTHW_NV_GRAPH, ALL(0x400c0c), ALL(0), { 1, 3, 3, 3 }, 0, false },
	[NTHW_NV_ZCULL] = { "ZCULL", NTHW_NV_GRAPH, ALL(0x402ca4), ALL(0), ALL(0x7fff), 0, false },
	[NTHW_NV_PROP] = { "PROP", NTHW_NV_TPC, { 0x408e50, 0x408e50, 0x408750, 0x408750 }, { 0x1000, 0x1000, 0x800, 0x800 },
			   { 0x1f, 0x1f, 0x3f, 0x3f }, 0x80000000, false },
	[NTHW_NV_CROP] = { "CROP", NTHW_NV_ROP, ALL(0x407008), ALL(0x100), { 0x70007, 0x7000f, 0x1f000f, 0x1f000f }, 0x80000000, false },
	[NTHW_NV_ZROP] = { "ZROP", NTHW_NV_ROP, ALL(0x40708c), ALL(0x100), ALL(0xf000f), 0x80000000, false },
	/* Of the bit on G80 sources differ: core/regs/nv50_graph.c. */
	[NTHW_NV_TEX] = { "TEX", NTHW_NV_TPC, { 0x408808, 0x408808, 0x408508, 0x408508 }, { 0x1000, 0x1000, 0x800, 0x800 }, ALL(0), 0x800, false },
	[NTHW_NV_TEX2] = { "TEX2", NTHW_NV_TPC, { 0, 0x40881c, 0x40851c, 0x40851c }, { 0, 0x1000, 0x800, 0x800 }, ALL(0), 0x800, false },
	[NTHW_NV_GROUP] = GROUP("the group behind signals 0 to 3 of domain 3", 0),
	[NTHW_NV_GROUP + 1] = GROUP("the group behind signals 4 to 7 of domain 3", 8),
	[NTHW_NV_GROUP + 2] = GROUP("the group behind signals 8 to 11 of domain 3", 16),
	[NTHW_NV_GROUP + 3] = GROUP("the group behind signals 12 to 15 of domain 3", 24),
	[NTHW_NV_MPC_OUT] = { "MPC", NTHW_NV_TPC, { 0x408334, 0x408334, 0x408340, 0x408340 }, { 0x1000, 0x1000, 0x800, 0x800 }, ALL(0), 1, false },
};

uint32_t nthw_nv_units_of(const struct nthw_nv_chip *chip, uint32_t kind, uint32_t value)
{
	if (kind == NTHW_NV_GRAPH)
		return 1;
	if (kind == NTHW_NV_TPC)
		return value & 0xffff;
	if (kind == NTHW_NV_MP)
		return chip->family < NTHW_NV_G200 ? value >> 22 & 3 : value >> 28;
	return value >> 16 & (chip->family < NTHW_NV_G200 ? 0x3f : 0xff);
}

uint32_t nthw_nv_all_mps(const struct nthw_nv_chip *chip, uint32_t tpcs, uint32_t mps)
{
	uint32_t tpc, all = 0;

	for (tpc = 0; tpc < chip->tpcs; tpc++)
		if (tpcs >> tpc & 1)
			all |= mps << tpc * chip->mps;
	return all;
}

bool nthw_nv_has_wires(const struct nthw_nv_chip *chip)
{
	/* The newest have neither rows nor a family. */
	return chip->place_count && chip->family < NTHW_NV_FERMI && chip->id != 0xaa && chip->id != 0xac && chip->id != 0xaf;
}

static const char *behind(const char *text, const char *name)
{
	while (*name && *text == *name) {
		text++;
		name++;
	}
	return *name || *text != '.' ? NULL : text + 1;
}

const struct nthw_nv_wires *nthw_nv_wires_take(const char *text, uint32_t *wire, const char **end)
{
	const char *digit = NULL;
	uint32_t number = 0;
	size_t i;

	for (i = 0; !digit && i < nthw_nv_wires_count; i++)
		digit = behind(text, nthw_nv_wires[i].name);
	if (!digit || *digit < '0' || *digit > '9')
		return NULL;
	for (; *digit >= '0' && *digit <= '9' && number < 0x100; digit++)
		number = 10 * number + (uint32_t)(*digit - '0');
	if (number >= nthw_nv_wires[i - 1].count)
		return NULL;
	*wire = number;
	*end = digit;
	return &nthw_nv_wires[i - 1];
}
