// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Chips of NVIDIA and where their units are.
 *
 * Ids, names and bases are from envytools (documentation of chips, rnndb graph/g80_pgraph, graph/gf100_pgraph, memory, gf100_pcounter.xml); the ranges
 * of PCI device ids from its list of them; aliases from Fermi on from nouveau. The order is that of its features. Ends of the domains' trailers and what
 * dies have at most: its documentation of PCOUNTER and of chips (trust: documented).
 */
#include "core/regs/nv50_chip.h"

/* PCOUNTER, which all of the family have in one place, with a table of its own for each step. */
#define COMMON(pmc, pcounter, graph)                                                               \
	{ "PMC", 0, { 0 }, { 0 }, &(pmc) }, { "PBUS", 0, { 0 }, { 0 }, &nthw_nv_bus },               \
	{ "PCOUNTER", 0, { 0 }, { 0 }, &(pcounter) },                                                \
	{ "PCOUNTER", 0, { 0x20 }, { 8 }, &nthw_nv_signals },                                      \
	{ "PGRAPH", 0, { 0 }, { 0 }, &(graph) }
/* Partitions and TPCs; the numbers are what the address space has room for. */
#define UNITS_G80(rop, tpc)                                                                        \
	{ "PGRAPH.ROP[#]", 0x407000, { 0x100 }, { 8 }, &(rop) },                                     \
	{ "PGRAPH.TPC[#]", 0x408000, { 0x1000 }, { 8 }, &(tpc) },                                    \
	{ "PGRAPH.TPC[#].MP[#]", 0x408200, { 0x1000, 0x80 }, { 8, 2 }, &nthw_nv_mp }
#define UNITS_G200                                                                                 \
	{ "PGRAPH.ROP[#]", 0x407000, { 0x100 }, { 8 }, &nthw_nv_rop_g200 },                        \
	{ "PGRAPH.TPC[#]", 0x408000, { 0x800 }, { 16 }, &nthw_nv_tpc_g200 },                       \
	{ "PGRAPH.TPC[#].MP[#]", 0x408100, { 0x800, 0x80 }, { 16, 4 }, &nthw_nv_mp }

static const struct nthw_nv_place places_g80[] = {
	COMMON(nthw_nv_pmc_g80, nthw_nv_pcounter_g80, nthw_nv_graph_g80),
	UNITS_G80(nthw_nv_rop_g80, nthw_nv_tpc_g80),
};
static const struct nthw_nv_place places_g84[] = {
	COMMON(nthw_nv_pmc_g80, nthw_nv_pcounter_g84, nthw_nv_graph_g84),
	UNITS_G80(nthw_nv_rop_g84, nthw_nv_tpc_g84),
};
static const struct nthw_nv_place places_g92[] = {
	COMMON(nthw_nv_pmc_g92, nthw_nv_pcounter_g92, nthw_nv_graph_g84),
	UNITS_G80(nthw_nv_rop_g84, nthw_nv_tpc_g84),
};
static const struct nthw_nv_place places_g200[] = {
	COMMON(nthw_nv_pmc_g92, nthw_nv_pcounter_g92, nthw_nv_graph_g200),
	UNITS_G200,
};
static const struct nthw_nv_place places_gt215[] = {
	COMMON(nthw_nv_pmc_g92, nthw_nv_pcounter_gt215, nthw_nv_graph_gt215),
	UNITS_G200,
};
/* From Fermi on: TPCs are parts of GPCs; what is written to the unit of all goes to each. */
#define COMMON_GF100(tpc, mp)                                                                      \
	{ "PMC", 0, { 0 }, { 0 }, &nthw_nv_pmc_gf100 },                                            \
	{ "PBFB_BROADCAST", 0x10f000, { 0 }, { 0 }, &nthw_nv_pbfb },                               \
	{ "PBFB[#]", 0x110000, { 0x1000 }, { 16 }, &nthw_nv_pbfb },                                \
	{ "PMFB[#]", 0x140000, { 0x2000 }, { 16 }, &nthw_nv_pmfb },                                \
	{ "PMFB_BROADCAST", 0x17e000, { 0 }, { 0 }, &nthw_nv_pmfb },                               \
	{ "PCOUNTER.GPC[#].DOM[#]", 0x180000, { 0x1000, 0x200 }, { 32, 8 }, &nthw_nv_pcounter_gf100 }, \
	{ "PCOUNTER.PART[#].DOM[#]", 0x1a0000, { 0x1000, 0x200 }, { 16, 8 }, &nthw_nv_pcounter_gf100 }, \
	{ "PCOUNTER.HUB.DOM[#]", 0x1b0000, { 0x200 }, { 8 }, &nthw_nv_pcounter_gf100 },            \
	{ "PCOUNTER.MAIN", 0x1b4000, { 0 }, { 0 }, &nthw_nv_pcounter_main },                       \
	{ "PGRAPH.GPC_BROADCAST", 0x418000, { 0 }, { 0 }, &nthw_nv_gpc },                          \
	{ "PGRAPH.GPC_BROADCAST.TPC_ALL", 0x419800, { 0 }, { 0 }, &(tpc) },                        \
	{ "PGRAPH.GPC_BROADCAST.TPC_ALL.MP", 0x419e00, { 0 }, { 0 }, &(mp) },                      \
	{ "PGRAPH.GPC[#]", 0x500000, { 0x8000 }, { 32 }, &nthw_nv_gpc },                           \
	{ "PGRAPH.GPC[#].TPC[#]", 0x504000, { 0x8000, 0x800 }, { 32, 8 }, &(tpc) },                \
	{ "PGRAPH.GPC[#].TPC[#].MP", 0x504600, { 0x8000, 0x800 }, { 32, 8 }, &(mp) }

static const struct nthw_nv_place places_gf100[] = { COMMON_GF100(nthw_nv_tpc_gf100, nthw_nv_mp_gf100) };
static const struct nthw_nv_place places_gk104[] = { COMMON_GF100(nthw_nv_tpc_gk104, nthw_nv_mp_gk104) };
static const struct nthw_nv_place places_gm107[] = { COMMON_GF100(nthw_nv_tpc_gk104, nthw_nv_mp_gm107) };

#define AT(list) .places = (list), .place_count = NTHW_ARRAY_SIZE(list)
/* What the die has at most: TPCs, MPs of each, partitions; the last signal of each domain, which is the end of its trailer. */
#define DIE(of, delays, tpc, mp, part, ...)                                                        \
	.family = NTHW_NV_##of, .has_alternates = (delays), .tpcs = (tpc), .mps = (mp), .parts = (part), .last = { __VA_ARGS__ }
#define LATER(list) AT(list), .family = NTHW_NV_FERMI, .has_alternates = true
const struct nthw_nv_chip nthw_nv_chips[] = {
	{ .name = "G80", .alias = { "NV50" }, .id = 0x50, .pci = { { 0x190, 0x19f } }, AT(places_g80),
	  DIE(G80, false, 8, 2, 6, 0x3f, 0xff, 0xff, 0x3f, 0x3f) },
	{ .name = "G84", .alias = { "NV84" }, .id = 0x84, .pci = { { 0x400, 0x40f } }, AT(places_g84),
	  DIE(G84, false, 2, 2, 2, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x5f, 0xbf, 0xff) },
	{ .name = "G86", .alias = { "NV86" }, .id = 0x86, .pci = { { 0x420, 0x42f } }, AT(places_g84),
	  DIE(G84, false, 1, 2, 2, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x5f, 0xbf, 0xdf) },
	{ .name = "G92", .alias = { "NV92" }, .id = 0x92, .pci = { { 0x600, 0x61f }, { 0x410, 0x41f } }, AT(places_g92),
	  DIE(G84, true, 8, 2, 4, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x5f, 0xbf, 0xff) },
	{ .name = "G94", .alias = { "NV94" }, .id = 0x94, .pci = { { 0x620, 0x63f } }, AT(places_g92),
	  DIE(G84, true, 4, 2, 4, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x5f, 0xbf, 0xff) },
	{ .name = "G96", .alias = { "NV96" }, .id = 0x96, .pci = { { 0x640, 0x65f } }, AT(places_g92),
	  DIE(G84, true, 2, 2, 2, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x5f, 0xbf, 0xff) },
	{ .name = "G98", .alias = { "NV98" }, .id = 0x98, .pci = { { 0x6e0, 0x6ff } }, AT(places_g92),
	  DIE(G84, true, 1, 1, 1, 0x5f, 0xff, 0x9f, 0x3f, 0x5f, 0x7f, 0xbf, 0xbf) },
	{ .name = "G200", .alias = { "NVA0", "GT200" }, .id = 0xa0, .pci = { { 0x5e0, 0x5ff } }, AT(places_g200),
	  DIE(G200, true, 10, 3, 8, 0x7f, 0xff, 0xff, 0x3f, 0x7f, 0x7f, 0xbf, 0x9f) },
	{ .name = "MCP77", .alias = { "NVAA", "MCP78" }, .id = 0xaa, .pci = { { 0x840, 0x85f } }, AT(places_g200),
	  DIE(G200, true, 1, 1, 1, 0x9f, 0xff, 0xff, 0x3f, 0x1f, 0xbf, 0xbf) },
	{ .name = "MCP79", .alias = { "NVAC", "MCP7A" }, .id = 0xac, .pci = { { 0x860, 0x87f } }, AT(places_g200),
	  DIE(G200, true, 1, 2, 1, 0x9f, 0xff, 0xff, 0x3f, 0x1f, 0xbf, 0xbf) },
	{ .name = "GT215", .alias = { "NVA3" }, .id = 0xa3, .pci = { { 0xca0, 0xcbf } }, AT(places_gt215),
	  DIE(GT215, true, 4, 3, 2, 0xff, 0xff, 0xdf, 0x3f, 0x7f, 0x7f, 0xdf, 0xff) },
	{ .name = "GT216", .alias = { "NVA5" }, .id = 0xa5, .pci = { { 0xa20, 0xa3f } }, AT(places_gt215),
	  DIE(GT215, true, 2, 3, 2, 0xff, 0xff, 0xdf, 0x3f, 0x7f, 0x7f, 0xdf, 0xff) },
	{ .name = "GT218", .alias = { "NVA8" }, .id = 0xa8, .pci = { { 0xa60, 0xa7f }, { 0x10c0, 0x10df } }, AT(places_gt215),
	  DIE(GT215, true, 1, 2, 1, 0xff, 0xff, 0xdf, 0x3f, 0x7f, 0x7f, 0xdf, 0xdf) },
	{ .name = "MCP89", .alias = { "NVAF" }, .id = 0xaf, .pci = { { 0x8a0, 0x8bf } }, AT(places_gt215),
	  DIE(GT215, true, 2, 3, 2, 0x9f, 0xff, 0xdf, 0x3f, 0xff, 0x7f, 0xff, 0xff) },
	{ .name = "GF100", .alias = { "NVC0" }, .id = 0xc0, .pci = { { 0x6c0, 0x6df } }, LATER(places_gf100) },
	{ .name = "GF104", .alias = { "NVC4" }, .id = 0xc4, .pci = { { 0xe20, 0xe3f } }, LATER(places_gf100) },
	{ .name = "GF114", .alias = { "NVCE" }, .id = 0xce, .pci = { { 0x1200, 0x121f } }, LATER(places_gf100) },
	{ .name = "GF106", .alias = { "NVC3" }, .id = 0xc3, .pci = { { 0xdc0, 0xddf } }, LATER(places_gf100) },
	{ .name = "GF116", .alias = { "NVCF" }, .id = 0xcf, .pci = { { 0x1240, 0x125f } }, LATER(places_gf100) },
	{ .name = "GF108", .alias = { "NVC1" }, .id = 0xc1, .pci = { { 0xde0, 0xdff }, { 0xf00, 0xf1f } }, LATER(places_gf100) },
	{ .name = "GF110", .alias = { "NVC8" }, .id = 0xc8, .pci = { { 0x1080, 0x109f } }, LATER(places_gf100) },
	{ .name = "GF119", .alias = { "NVD9" }, .id = 0xd9, .pci = { { 0x1040, 0x107f } }, LATER(places_gf100) },
	{ .name = "GF117", .alias = { "NVD7" }, .id = 0xd7, .pci = { { 0x1140, 0x117f } }, LATER(places_gf100) },
	{ .name = "GK104", .alias = { "NVE4" }, .id = 0xe4, .pci = { { 0x1180, 0x11bf } }, LATER(places_gk104) },
	{ .name = "GK107", .alias = { "NVE7" }, .id = 0xe7, .pci = { { 0xfc0, 0xfff } }, LATER(places_gk104) },
	{ .name = "GK106", .alias = { "NVE6" }, .id = 0xe6, .pci = { { 0x11c0, 0x11ff } }, LATER(places_gk104) },
	{ .name = "GK110", .alias = { "NVF0" }, .id = 0xf0, LATER(places_gk104) },
	{ .name = "GK110B", .alias = { "NVF1" }, .id = 0xf1, LATER(places_gk104) },
	{ .name = "GK20A", .alias = { "NVEA" }, .id = 0xea, LATER(places_gk104) },
	{ .name = "GK208B", .alias = { "NV106" }, .id = 0x106, LATER(places_gk104) },
	{ .name = "GK208", .alias = { "NV108" }, .id = 0x108, .pci = { { 0x1280, 0x12bf } }, LATER(places_gk104) },
	{ .name = "GM107", .alias = { "NV117" }, .id = 0x117, .pci = { { 0x1380, 0x13bf } }, LATER(places_gm107) },
	{ .name = "GM108", .alias = { "NV118" }, .id = 0x118, .pci = { { 0x1340, 0x137f } }, LATER(places_gm107) },
	{ .name = "GM200", .alias = { "NV120" }, .id = 0x120, LATER(places_gm107) },
	{ .name = "GM204", .alias = { "NV124" }, .id = 0x124, .pci = { { 0x13c0, 0x13ff } }, LATER(places_gm107) },
	{ .name = "GM206", .alias = { "NV126" }, .id = 0x126, .pci = { { 0x1400, 0x143f } }, LATER(places_gm107) },
	{ .name = "GM20B", .alias = { "NV12B" }, .id = 0x12b, LATER(places_gm107) },
};
const size_t nthw_nv_chip_count = NTHW_ARRAY_SIZE(nthw_nv_chips);

/* Known by their numbers alone (envytools, docs/hw/gpu.rst and docs/hw/pciid.rst; trust: documented): they have no rows. */
static const struct nthw_nv_chip newer[] = {
	{ .name = "GP100", .id = 0x130, .pci = { { 0x1580, 0x15ff } } },
	{ .name = "GP102", .id = 0x132, .pci = { { 0x1b00, 0x1b7f } } },
	{ .name = "GP104", .id = 0x134, .pci = { { 0x1b80, 0x1bff } } },
	{ .name = "GP106", .id = 0x136, .pci = { { 0x1c00, 0x1c7f } } },
	{ .name = "GP107", .id = 0x137, .pci = { { 0x1c80, 0x1cff } } },
	{ .name = "GP108", .id = 0x138, .pci = { { 0x1d00, 0x1d7f } } },
	{ .name = "GV100", .id = 0x140, .pci = { { 0x1d80, 0x1dff } } },
	{ .name = "TU102", .id = 0x162, .pci = { { 0x1e00, 0x1e7f } } },
	{ .name = "TU104", .id = 0x164, .pci = { { 0x1e80, 0x1eff } } },
	{ .name = "TU106", .id = 0x166, .pci = { { 0x1f00, 0x1f7f } } },
	{ .name = "TU116", .id = 0x168, .pci = { { 0x2180, 0x21ff } } },
	{ .name = "TU117", .id = 0x167, .pci = { { 0x1f80, 0x1fff } } },
	{ .name = "GA102", .id = 0x172 },
};

static char lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool is_name(const char *name, const char *other)
{
	while (*name && lower(*name) == lower(*other)) {
		name++;
		other++;
	}
	return lower(*name) == lower(*other);
}

/* Those with rows, then those without; NULL behind the last one. */
static const struct nthw_nv_chip *chip_at(size_t i)
{
	if (i < nthw_nv_chip_count)
		return &nthw_nv_chips[i];
	i -= nthw_nv_chip_count;
	return i < NTHW_ARRAY_SIZE(newer) ? &newer[i] : NULL;
}

static const struct nthw_nv_chip *chip_of(uint16_t id)
{
	const struct nthw_nv_chip *chip;
	size_t i;

	for (i = 0; (chip = chip_at(i)); i++)
		if (chip->id == id)
			return chip;
	return NULL;
}

/* Which of @count, @step apart, has *@offset, which is of it alone then; false: none has. */
static bool take_step(uint32_t step, uint32_t count, uint32_t *offset)
{
	if (step && *offset / step >= count)
		return false;
	if (step)
		*offset %= step;
	return true;
}

/* Rows of a table stand in the order of addresses. */
const struct nthw_reg *nthw_nv_reg_at(const struct nthw_nv_chip *chip, uint32_t address, uint32_t *index)
{
	const struct nthw_nv_place *p = chip->places;
	const struct nthw_reg *row = NULL;
	uint32_t first, offset;

	for (; !row && p < chip->places + chip->place_count; p++) {
		first = p->table->rows.regs[0]->addr;
		offset = address - p->base - first;
		if (address >= p->base + first && take_step(p->step[0], p->count[0], &offset) &&
		    take_step(p->step[1], p->count[1], &offset))
			row = nthw_table_find(&p->table->rows, first + offset, index);
	}
	return row;
}

int nthw_nv_zero(const struct nthw_nv_chip *chip, uint32_t domain)
{
	if (domain >= NTHW_NV_DOMAINS || !chip->last[domain])
		return NTHW_NV_NONE;
	return chip->last[domain] - (chip->family == NTHW_NV_G80 ? 0x11 : 0x13);
}

static int digit_of(char c)
{
	c = lower(c);
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Of "NVa8" and "0xa8"; 0: it is none that stands in PMC.BOOT_0, where NV10 is the first. */
static uint16_t number_of(const char *name)
{
	unsigned int id = 0;
	bool is_number = (lower(name[0]) == 'n' && lower(name[1]) == 'v') ||
			 (name[0] == '0' && lower(name[1]) == 'x');
	const char *digit = name + 2;

	if (!is_number)
		return 0;
	for (; *digit && id < 0x200; digit++) {
		if (digit_of(*digit) < 0)
			return 0;
		id = id << 4 | (unsigned int)digit_of(*digit);
	}
	return id >= 0x10 && id < 0x200 ? (uint16_t)id : 0;
}

const struct nthw_nv_chip *nthw_nv_chip_by_name(const char *name)
{
	const struct nthw_nv_chip *chip;
	size_t i, k;

	for (i = 0; (chip = chip_at(i)); i++) {
		if (is_name(chip->name, name))
			return chip;
		for (k = 0; k < NTHW_ARRAY_SIZE(chip->alias); k++)
			if (chip->alias[k] && is_name(chip->alias[k], name))
				return chip;
	}
	return chip_of(number_of(name));
}

uint16_t nthw_nv_chip_number(const char *name)
{
	const struct nthw_nv_chip *chip = nthw_nv_chip_by_name(name);

	return chip ? chip->id : number_of(name);
}

const struct nthw_nv_chip *nthw_nv_chip_by_boot(uint32_t boot_0)
{
	return chip_of((uint16_t)(boot_0 >> 20 & 0x1ff));
}

const struct nthw_nv_chip *nthw_nv_chip_by_device(uint32_t device)
{
	const struct nthw_nv_chip *chip;
	size_t i, k;

	for (i = 0; (chip = chip_at(i)); i++)
		for (k = 0; k < 2; k++)
			if (chip->pci[k][0] && device >= chip->pci[k][0] && device <= chip->pci[k][1])
				return chip;
	return NULL;
}
