/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Graphics chips of NVIDIA whose counters the rows describe: the Tesla family (G80 to GT21x and the chipsets of its time) and Fermi to Maxwell. Their tables stand
 * apart from nthw_tables: the driver offers none of them, and "ntime reg" has no such devices. They name accesses in traces.
 */
#ifndef NTHW_NV50_CHIP_H
#define NTHW_NV50_CHIP_H

#include "core/base/reg.h"

#define NTHW_NV_VENDOR 0x10de

/* What a value of a field is called. */
struct nthw_choice {
	const struct nthw_field *fields; /* list that has the field */
	const char *field;
	uint32_t value;
	const char *name; /* NULL: all values are ids of chips */
};

/* A table and the names of its values. */
struct nthw_nv_table {
	struct nthw_table rows;
	const struct nthw_choice *choices;
	size_t choice_count;
};

/*
 * Where in BAR 0 the rows of a table are: once, or as often as there are units of a kind, and those once more in each of a larger kind. In .name
 * "[#]" stands for the number of the unit; where there are more counts than that, the number goes to the register: PCOUNTER.SIG_STATUS[dom][i].
 */
struct nthw_nv_place {
	const char *name;
	uint32_t base;
	uint32_t step[2];
	uint32_t count[2]; /* 0 as 1 */
	const struct nthw_nv_table *table;
};

/* Chips whose units' wires are at the same places, and how many domains there can be. */
enum nthw_nv_family {
	NTHW_NV_G80,
	NTHW_NV_G84,   /* to G98 */
	NTHW_NV_G200,  /* and MCP77, MCP79 */
	NTHW_NV_GT215, /* to GT218, and MCP89 */
	NTHW_NV_FERMI, /* and later: another block of counters */
};
#define NTHW_NV_DOMAINS 8
#define NTHW_NV_NONE (-1)

struct nthw_nv_chip {
	const char *name;
	const char *alias[2]; /* what nouveau and others call it; NULL: nothing else */
	uint16_t id;	      /* bits 20 to 28 of PMC.BOOT_0 */
	uint16_t pci[2][2];   /* first and last PCI device id; 0 where there is no such range */
	uint8_t family;	      /* enum nthw_nv_family */
	bool has_alternates;  /* OP can take argument 2 and 3 from the clock before: from G92 on */
	uint8_t tpcs, mps, parts; /* at most on a die: TPCs, MPs of each TPC, partitions; 0 from Fermi on */
	uint8_t last[NTHW_NV_DOMAINS]; /* last signal of each domain's trailer; 0: no such domain, or not known */
	const struct nthw_nv_place *places;
	size_t place_count;
};

/* In the order in which features came, which is not the order of ids: G98 has more than G200. */
extern const struct nthw_nv_chip nthw_nv_chips[];
extern const size_t nthw_nv_chip_count;

/*
 * The chip of this name, alias or number ("GT218", "NVA8", "0xa8"; in either case), or that PMC.BOOT_0 or a PCI device id tells; NULL when none does.
 * Newer chips are found, too: they have a name and a number and no places.
 */
const struct nthw_nv_chip *nthw_nv_chip_by_name(const char *name);
const struct nthw_nv_chip *nthw_nv_chip_by_boot(uint32_t boot_0);
const struct nthw_nv_chip *nthw_nv_chip_by_device(uint32_t device);

/* The row of @chip that has a register at @address of BAR 0, and which of its registers that is; NULL: there is none. */
const struct nthw_reg *nthw_nv_reg_at(const struct nthw_nv_chip *chip, uint32_t address, uint32_t *index);

/* The signal of @domain that is always 0, NTHW_NV_NONE where it is not known. */
int nthw_nv_zero(const struct nthw_nv_chip *chip, uint32_t domain);

/* Number of the chip that is called so, which may be one of which nothing else is known ("NV40"); 0: no chip is. */
uint16_t nthw_nv_chip_number(const char *name);

/* Tables, for tests: each is in a place of some chip. */
extern const struct nthw_nv_table nthw_nv_pmc_g80, nthw_nv_pmc_g92, nthw_nv_pmc_gf100, nthw_nv_bus;
extern const struct nthw_nv_table nthw_nv_pcounter_g80, nthw_nv_pcounter_g84, nthw_nv_pcounter_g92,
	nthw_nv_pcounter_gt215, nthw_nv_signals, nthw_nv_pcounter_gf100;
extern const struct nthw_nv_table nthw_nv_graph_g80, nthw_nv_graph_g84, nthw_nv_graph_g200,
	nthw_nv_graph_gt215;
extern const struct nthw_nv_table nthw_nv_rop_g80, nthw_nv_rop_g84, nthw_nv_rop_g200;
extern const struct nthw_nv_table nthw_nv_tpc_g80, nthw_nv_tpc_g84, nthw_nv_tpc_g200, nthw_nv_mp;
extern const struct nthw_nv_table nthw_nv_mp_gf100, nthw_nv_mp_gk104, nthw_nv_mp_gm107;
extern const struct nthw_nv_table nthw_nv_tpc_gf100, nthw_nv_tpc_gk104, nthw_nv_gpc, nthw_nv_pbfb,
	nthw_nv_pmfb, nthw_nv_pcounter_main;

#endif
