// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What tells which chip it is and which units it has (PMC, PBUS, PGRAPH), and the multiplexers that choose which wires of PGRAPH's units go to PCOUNTER:
 * G80 to GT21x and MCP7x/MCP89. Tables of units (ROP, TPC, MP) hold offsets in the unit.
 *
 * Read in envytools, rnndb graph/g80_pgraph and bus/pmc.xml, and compared with what NVIDIA's driver wrote in traces of G96, G200, GT215 and GT218 (the
 * public collection of re-pcounter-tools). Where the two differ the row says which was taken.
 */
#include "core/regs/nv50_chip.h"

#define PGRAPH "envytools rnndb graph/g80_pgraph/pgraph.xml"
#define TPC "envytools rnndb graph/g80_pgraph/tpc.xml"
#define MPC "envytools rnndb graph/g80_pgraph/mpc.xml"
#define MP "envytools rnndb graph/g80_pgraph/mp.xml"
#define EVENTS "re-pcounter-tools, tables of events of Tesla chips"
#define TRACES "re-pcounter-tools, traces of NVIDIA's driver"

#define ROW(id, label, at, width, mask, list, from, belief)                                        \
	static const struct nthw_reg id = {                                                        \
		.name = (label), .space = NTHW_SPACE_MMIO, .addr = (at), .count = 1, .bits = (width), .writable = (mask), NTHW_FIELDS(list), \
		.source = (from), .trust = (belief), .scope = NTHW_SCOPE_DEVICE,                       \
	}
/* A multiplexer with a bit that leads its wires out. */
#define MUX(id, label, at, mask, enable, list, from, belief)                                       \
	static const struct nthw_reg id = {                                                        \
		.name = (label), .space = NTHW_SPACE_MMIO, .addr = (at), .count = 1, .bits = 32, .writable = (mask), NTHW_FIELDS(list), \
		.source = (from), .trust = (belief), .scope = NTHW_SCOPE_DEVICE, .role = NTHW_ROLE_SELECT, .runs = (enable), \
	}
#define ROWS(id, label, at, width, gap, n, mask, list, from, belief)                               \
	static const struct nthw_reg id = {                                                        \
		.name = (label), .space = NTHW_SPACE_MMIO, .addr = (at), .step = (gap), .count = (n), .bits = (width), .writable = (mask), \
		NTHW_FIELDS(list), .source = (from), .trust = (belief), .scope = NTHW_SCOPE_DEVICE,    \
	}
#define TABLE(id, label, list)                                                                     \
	const struct nthw_nv_table id = {                                                          \
		.rows = { .name = (label), .regs = (list), .count = NTHW_ARRAY_SIZE(list) },           \
		.choices = choices, .choice_count = NTHW_ARRAY_SIZE(choices),                      \
	}

/* PMC.BOOT_0: the first that a driver reads. */
#define CHIP_FIELDS                                                                                \
	{ "CHIPSET", 20, 9, NTHW_RO, "which chip" },                                               \
	{ "FOUNDRY", 29, 3, NTHW_RO, "who made it" }
static const struct nthw_field boot_fields_g80[] = {
	{ "STEPPING", 0, 8, NTHW_RO, "revision of the chip" },
	{ "unknown8", 8, 8, NTHW_RO, "nothing is known of them" },
	{ "DEVICE_ID", 16, 4, NTHW_RO, "low bits of the PCI device id, from straps" },
	CHIP_FIELDS,
};
static const struct nthw_field boot_fields_g92[] = {
	{ "STEPPING", 0, 8, NTHW_RO, "revision of the chip" },
	{ "unknown8", 8, 7, NTHW_RO, "nothing is known of them" },
	{ "DEVICE_ID", 15, 5, NTHW_RO, "low bits of the PCI device id, from straps" },
	CHIP_FIELDS,
};
ROW(boot_0_g80, "BOOT_0", 0, 32, 0, boot_fields_g80, "envytools rnndb bus/pmc.xml", NTHW_DOCUMENTED);
ROW(boot_0_g92, "BOOT_0", 0, 32, 0, boot_fields_g92, "envytools rnndb bus/pmc.xml", NTHW_DOCUMENTED);

static const struct nthw_field enable_fields[] = {
	{ "unknown0", 0, 28, NTHW_RO, "other engines" },
	{ "PCOUNTER", 28, 1, NTHW_RW, "0 holds PCOUNTER in reset" },
	{ "unknown29", 29, 3, NTHW_RO, "other engines" },
};
ROW(enable_gf100, "ENABLE", 0x200, 32, 0x10000000, enable_fields, "envytools rnndb bus/pmc.xml", NTHW_DOCUMENTED);

static const struct nthw_field bus_units_fields[] = {
	{ "TPC_MASK", 0, 16, NTHW_RO, "TPCs that there are" },
	{ "unknown16", 16, 8, NTHW_RO, "nothing is known of them" },
	{ "MP_MASK", 24, 4, NTHW_RO, "multiprocessors that each TPC has" },
	{ "unknown28", 28, 4, NTHW_RO, "nothing is known of them" },
};
ROW(bus_units, "UNITS", 0x1540, 32, 0, bus_units_fields,
    "Linux 6.1 drivers/gpu/drm/nouveau/nvkm/engine/gr/nv50.c, nv50_gr_units() (address), and Mesa's use of the value (fields)", NTHW_DOCUMENTED);

static const struct nthw_field debug_1_fields[] = {
	{ "unknown0", 0, 5, NTHW_RO, "nothing is known of them; who writes writes them as they are" },
	{ "PM_TRIGGER", 5, 1, NTHW_W1C, "pulse of the signal PM_TRIGGER in all domains of PCOUNTER" },
	{ "unknown6", 6, 26, NTHW_RO, "nothing is known of them; who writes writes them as they are" },
};
ROW(debug_1, "DEBUG_1", 0x400084, 32, 0x20, debug_1_fields, PGRAPH " and " TRACES, NTHW_DOCUMENTED);

static const struct nthw_field ctxctl_fields[] = {
	{ "unknown0", 0, 28, NTHW_RO, "not of counters" },
	{ "USER", 28, 4, NTHW_RW, "levels of the signals CTXCTL.USER" },
};
ROW(ctxctl, "CTXCTL.FLAGS", 0x400824, 32, 0xf0000000, ctxctl_fields, PGRAPH " and the list of signals of the same project", NTHW_DOCUMENTED);

static const struct nthw_field units_fields_g80[] = {
	{ "TPC_MASK", 0, 16, NTHW_RO, "TPCs that there are" },
	{ "ROP_MASK", 16, 6, NTHW_RO, "memory partitions that there are" },
	{ "MP_MASK", 22, 2, NTHW_RO, "multiprocessors that each TPC has" },
	{ "unknown24", 24, 8, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field units_fields_g200[] = {
	{ "TPC_MASK", 0, 16, NTHW_RO, "TPCs that there are" },
	{ "ROP_MASK", 16, 8, NTHW_RO, "memory partitions that there are" },
	{ "unknown24", 24, 4, NTHW_RO, "nothing is known of them" },
	{ "MP_MASK", 28, 4, NTHW_RO, "multiprocessors that each TPC has" },
};
ROW(units_g80, "UNITS", 0x4008fc, 32, 0, units_fields_g80, PGRAPH " and " TRACES, NTHW_DOCUMENTED);
ROW(units_g200, "UNITS", 0x4008fc, 32, 0, units_fields_g200, PGRAPH " and " TRACES, NTHW_DOCUMENTED);

static const struct nthw_field vfetch_fields_g80[] = {
	{ "PM_MUX", 0, 1, NTHW_RW, "which of its wires go to PCOUNTER" },
	{ "unknown1", 1, 3, NTHW_RO, "nothing is known of them" },
	{ "UNK4", 4, 3, NTHW_RO, "exists; what it does is unknown" },
	{ "unknown7", 7, 25, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field vfetch_fields_g84[] = {
	{ "PM_MUX", 0, 2, NTHW_RW, "which of its wires go to PCOUNTER: 0, 1 or 2" },
	{ "unknown2", 2, 2, NTHW_RO, "nothing is known of them" },
	{ "UNK4", 4, 3, NTHW_RO, "exists; what it does is unknown" },
	{ "unknown7", 7, 25, NTHW_RO, "nothing is known of them" },
};
ROW(vfetch_g80, "VFETCH.PM_MUX", 0x400c0c, 32, 1, vfetch_fields_g80, PGRAPH, NTHW_DOCUMENTED);
ROW(vfetch_g84, "VFETCH.PM_MUX", 0x400c0c, 32, 3, vfetch_fields_g84, PGRAPH, NTHW_DOCUMENTED);

static const struct nthw_field zcull_fields[] = {
	{ "SEL", 0, 15, NTHW_RW, "which of its wires go to PCOUNTER: 0 tiles in, 7 tiles killed" },
	{ "unknown15", 15, 17, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field zcull_fields_gt215[] = {
	{ "SEL", 0, 15, NTHW_RW, "which of its wires go to PCOUNTER: 0 tiles in, 7 tiles killed" },
	{ "unknown15", 15, 9, NTHW_RO, "nothing is known of them" },
	{ "UNK24", 24, 8, NTHW_RW, "exists; what it does is unknown" },
};
#define ZCULL_SOURCE PGRAPH " (address), Linux 4.19 drivers/gpu/drm/nouveau/nvkm/engine/pm (mask) and " EVENTS " (values)"
ROW(zcull, "ZCULL.PM_MUX", 0x402ca4, 32, 0x7fff, zcull_fields, ZCULL_SOURCE, NTHW_DOCUMENTED);
ROW(zcull_gt215, "ZCULL.PM_MUX", 0x402ca4, 32, 0xff007fff, zcull_fields_gt215, ZCULL_SOURCE, NTHW_DOCUMENTED);

static const struct nthw_field four_fields[] = {
	{ "PM_SEL_0", 0, 8, NTHW_RW, "what goes to wire 0" },
	{ "PM_SEL_1", 8, 8, NTHW_RW, "what goes to wire 1" },
	{ "PM_SEL_2", 16, 8, NTHW_RW, "what goes to wire 2" },
	{ "PM_SEL_3", 24, 8, NTHW_RW, "what goes to wire 3" },
};
ROW(zbar, "ZBAR.PM", 0x407c04, 32, 0xffffffff, four_fields, PGRAPH, NTHW_DOCUMENTED);
ROWS(cbar, "CBAR.PM", 0x407d10, 32, 4, 2, 0xffffffff, four_fields, PGRAPH, NTHW_DOCUMENTED);

/* One memory partition. The first one whose ENABLE is set drives the wires. */
#define ENABLE31 { "ENABLE", 31, 1, NTHW_RW, "drive the wires; the first that does so wins" }
static const struct nthw_field crop_fields_g80[] = {
	{ "SEL0", 0, 3, NTHW_RW, "what goes to the first wires" },
	{ "unknown3", 3, 13, NTHW_RO, "nothing is known of them" },
	{ "SEL1", 16, 3, NTHW_RW, "what goes to the last wires" },
	{ "unknown19", 19, 12, NTHW_RO, "nothing is known of them" },
	ENABLE31,
};
static const struct nthw_field crop_fields_g84[] = {
	{ "SEL0", 0, 4, NTHW_RW, "what goes to the first wires" },
	{ "unknown4", 4, 12, NTHW_RO, "nothing is known of them" },
	{ "SEL1", 16, 3, NTHW_RW, "what goes to the last wires" },
	{ "unknown19", 19, 12, NTHW_RO, "nothing is known of them" },
	ENABLE31,
};
static const struct nthw_field crop_fields_g200[] = {
	{ "SEL0", 0, 4, NTHW_RW, "what goes to the first wires" },
	{ "unknown4", 4, 12, NTHW_RO, "nothing is known of them" },
	{ "SEL1", 16, 5, NTHW_RW, "what goes to the last wires" },
	{ "unknown21", 21, 10, NTHW_RO, "nothing is known of them" },
	ENABLE31,
};
static const struct nthw_field zrop_fields[] = {
	{ "SEL0", 0, 4, NTHW_RW, "what goes to the first wires" },
	{ "unknown4", 4, 12, NTHW_RO, "nothing is known of them" },
	{ "SEL1", 16, 4, NTHW_RW, "what goes to the last wires" },
	{ "unknown20", 20, 11, NTHW_RO, "nothing is known of them" },
	ENABLE31,
};
MUX(crop_g80, "CROP.PM_MUX", 0x08, 0x80070007, 0x80000000, crop_fields_g80, PGRAPH, NTHW_DOCUMENTED);
MUX(crop_g84, "CROP.PM_MUX", 0x08, 0x8007000f, 0x80000000, crop_fields_g84, PGRAPH, NTHW_DOCUMENTED);
MUX(crop_g200, "CROP.PM_MUX", 0x08, 0x801f000f, 0x80000000, crop_fields_g200, PGRAPH, NTHW_DOCUMENTED);
MUX(zrop, "ZROP.PM_MUX", 0x8c, 0x800f000f, 0x80000000, zrop_fields, PGRAPH, NTHW_DOCUMENTED);

/* One TPC. */
static const struct nthw_field prop_fields_g80[] = {
	{ "SEL", 0, 5, NTHW_RW, "what goes to the wires" },
	{ "unknown5", 5, 26, NTHW_RO, "nothing is known of them" },
	ENABLE31,
};
static const struct nthw_field prop_fields_g200[] = {
	{ "SEL", 0, 6, NTHW_RW, "what goes to the wires" },
	{ "unknown6", 6, 25, NTHW_RO, "nothing is known of them" },
	ENABLE31,
};
static const struct nthw_field geom_fields_0[] = {
	{ "PM_SEL_0", 0, 6, NTHW_RW, "what goes to wire 0" },
	{ "unknown6", 6, 2, NTHW_RO, "nothing is known of them" },
	{ "PM_SEL_1", 8, 6, NTHW_RW, "what goes to wire 1" },
	{ "unknown14", 14, 2, NTHW_RO, "nothing is known of them" },
	{ "PM_SEL_2", 16, 6, NTHW_RW, "what goes to wire 2" },
	{ "unknown22", 22, 2, NTHW_RO, "nothing is known of them" },
	{ "PM_SEL_3", 24, 6, NTHW_RW, "what goes to wire 3" },
	{ "unknown30", 30, 2, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field geom_fields_1[] = {
	{ "PM_SEL_4", 0, 6, NTHW_RW, "what goes to wire 4" },
	{ "unknown6", 6, 2, NTHW_RO, "nothing is known of them" },
	{ "PM_SEL_5", 8, 6, NTHW_RW, "what goes to wire 5" },
	{ "unknown14", 14, 2, NTHW_RO, "nothing is known of them" },
	{ "PM_SEL_6", 16, 6, NTHW_RW, "what goes to wire 6" },
	{ "unknown22", 22, 2, NTHW_RO, "nothing is known of them" },
	{ "ENABLE", 24, 1, NTHW_RW, "drive the wires; the first that does so wins" },
	{ "unknown25", 25, 7, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field rast_fields[] = {
	{ "UNK0", 0, 32, NTHW_RO, "envytools calls the register PM_ENABLE; no event needs it" },
};
/* envytools gives bit 9, the table of events of the same project bit 11 */
static const struct nthw_field tex_fields_g80[] = {
	{ "unknown0", 0, 9, NTHW_RO, "not of counters" },
	{ "UNK9", 9, 1, NTHW_RO, "drive the wires, says envytools" },
	{ "unknown10", 10, 1, NTHW_RO, "not of counters" },
	{ "UNK11", 11, 1, NTHW_RW, "drive the wires, says the table of events" },
	{ "unknown12", 12, 20, NTHW_RO, "not of counters" },
};
static const struct nthw_field tex_fields_g84[] = {
	{ "unknown0", 0, 11, NTHW_RO, "not of counters" },
	{ "PM_ENABLE", 11, 1, NTHW_RW, "drive the wires; the first that does so wins" },
	{ "unknown12", 12, 20, NTHW_RO, "not of counters" },
};
static const struct nthw_field group_fields[] = {
	{ "GROUP0", 0, 8, NTHW_RW, "what goes to signals 0 to 3 of domain 3" },
	{ "GROUP1", 8, 8, NTHW_RW, "what goes to signals 4 to 7" },
	{ "GROUP2", 16, 8, NTHW_RW, "what goes to signals 8 to 11" },
	{ "GROUP3", 24, 8, NTHW_RW, "what goes to signals 12 to 15" },
};
static const struct nthw_field group_fields_g200[] = {
	{ "GROUP0", 0, 8, NTHW_RW, "what goes to signals 0 to 3 of domain 3" },
	{ "GROUP1", 8, 8, NTHW_RW, "what goes to signals 4 to 7" },
	{ "GROUP2", 16, 8, NTHW_RW, "what goes to signals 8 to 11" },
	{ "GROUP3", 24, 8, NTHW_RW, "what goes to signals 12 to 15" },
};
static const struct nthw_field out_fields[] = {
	{ "ENABLE", 0, 1, NTHW_RW, "drive the wires; the first TPC that does so wins" },
	{ "unknown1", 1, 31, NTHW_RO, "nothing is known of them" },
};
/* Of the second register events need the bit in the same place; rnndb does not know it. */
static const struct nthw_field tex2_fields[] = {
	{ "unknown0", 0, 11, NTHW_RO, "not of counters" },
	{ "PM_ENABLE", 11, 1, NTHW_RW, "needed for events of the texture cache" },
	{ "unknown12", 12, 20, NTHW_RO, "not of counters" },
};
#define TEX_TRACES "re-pcounter-tools, trace of tex_cache_hit on GT218: 0x408508 and 0x40851c are read and written with bit 11 set"
ROW(mpc_group_g80, "MPC.PM_GROUP_SEL", 0x330, 32, 0xffffffff, group_fields, MPC " and " TRACES, NTHW_DOCUMENTED);
MUX(mpc_out_g80, "MPC.PM_OUT_ENABLE", 0x334, 1, 1, out_fields, TRACES " on G96 write 0x334; envytools rnndb says 0x33c", NTHW_MEASURED);
ROW(geom_0, "GEOM.PM_0", 0x40c, 32, 0x3f3f3f3f, geom_fields_0, TPC, NTHW_DOCUMENTED);
ROW(geom_1, "GEOM.PM_1", 0x410, 32, 0x013f3f3f, geom_fields_1, TPC, NTHW_DOCUMENTED);
MUX(tex_g80, "TEX.PM_MUX", 0x808, 0x800, 0x800, tex_fields_g80, TPC " (bit 9) and " EVENTS " (bit 11) differ", NTHW_GUESSED);
MUX(tex_g84, "TEX.PM_MUX", 0x808, 0x800, 0x800, tex_fields_g84, TPC " and " EVENTS, NTHW_DOCUMENTED);
MUX(tex2_g84, "TEX.PM_MUX2", 0x81c, 0x800, 0x800, tex2_fields, EVENTS, NTHW_DOCUMENTED);
ROW(rast_g80, "RAST.PM_ENABLE", 0xc08, 32, 0, rast_fields, TPC, NTHW_DOCUMENTED);
MUX(prop_g80, "PROP.PM_MUX", 0xe50, 0x8000001f, 0x80000000, prop_fields_g80, TPC, NTHW_DOCUMENTED);
ROW(rast_g200, "RAST.PM_ENABLE", 0x088, 32, 0, rast_fields, TPC, NTHW_DOCUMENTED);
ROW(mpc_group_g200, "MPC.PM_GROUP_SEL", 0x33c, 32, 0xffffffff, group_fields_g200, MPC " and " TRACES, NTHW_DOCUMENTED);
MUX(mpc_out_g200, "MPC.PM_OUT_ENABLE", 0x340, 1, 1, out_fields, MPC " and " TRACES, NTHW_DOCUMENTED);
MUX(tex_g200, "TEX.PM_MUX", 0x508, 0x800, 0x800, tex_fields_g84, TPC " and " TEX_TRACES, NTHW_DOCUMENTED);
MUX(tex2_g200, "TEX.PM_MUX2", 0x51c, 0x800, 0x800, tex2_fields, TEX_TRACES, NTHW_MEASURED);
MUX(prop_g200, "PROP.PM_MUX", 0x750, 0x8000003f, 0x80000000, prop_fields_g200, TPC, NTHW_DOCUMENTED);

/* One multiprocessor: registers of the context, which drivers set by methods only. */
#define PER_SLOT(name, at, step, width, about)                                                     \
	{ name "0", at, width, NTHW_RO, about " of slot 0" },                                      \
	{ name "1", (at) + (step), width, NTHW_RO, about " of slot 1" },                               \
	{ name "2", (at) + 2 * (step), width, NTHW_RO, about " of slot 2" },                           \
	{ name "3", (at) + 3 * (step), width, NTHW_RO, about " of slot 3" }
static const struct nthw_field mp_signal_fields[] = { PER_SLOT("SIG", 0, 8, 8, "signal") };
static const struct nthw_field mp_error_fields[] = {
	{ "unknown0", 0, 5, NTHW_RO, "not of counters" },
	{ "PM_OVERFLOW", 5, 1, NTHW_RO, "a counter overflowed and its trap was enabled" },
	{ "unknown6", 6, 26, NTHW_RO, "not of counters" },
};
static const struct nthw_field mp_unit1_fields[] = {
	{ "unknown0", 0, 18, NTHW_RO, "not of counters" },
	PER_SLOT("PM_SIG_UNIT1_", 18, 8, 8, "signal in unit 1"),
	{ "unknown50", 50, 14, NTHW_RO, "not of counters" },
};
static const struct nthw_field mp_count_fields[] = {
	{ "COUNT", 0, 32, NTHW_RO, "value of the counter" },
};
static const struct nthw_field mp_func_fields[] = {
	{ "FUNC", 0, 16, NTHW_RO, "truth table over the signals of the four slots" },
};
static const struct nthw_field mp_unit0_fields[] = { PER_SLOT("SIG", 0, 8, 8, "signal in unit 0") };
static const struct nthw_field mp_mode_fields[] = {
	{ "unknown0", 0, 22, NTHW_RO, "not of counters" },
	PER_SLOT("PM_OVERFLOW_TRAP_ENABLE_", 22, 1, 1, "trap at overflow"),
	PER_SLOT("PM_UNIT_", 26, 3, 3, "unit whose signals the selector means"),
	{ "unknown38", 38, 8, NTHW_RO, "not of counters" },
	PER_SLOT("PM_MODE_", 46, 1, 1, "how it counts"),
	{ "unknown50", 50, 4, NTHW_RO, "not of counters" },
	PER_SLOT("PM_OVERFLOW_TRAP_", 54, 1, 1, "it overflowed"),
	{ "unknown58", 58, 6, NTHW_RO, "not of counters" },
};
static const struct nthw_field mp_unit2_fields[] = {
	{ "unknown0", 0, 2, NTHW_RO, "not of counters" },
	PER_SLOT("PM_SIG_UNIT2_", 2, 4, 4, "signal in unit 2"),
	{ "unknown18", 18, 46, NTHW_RO, "not of counters" },
};
ROW(mp_sig, "PM_SIG", 0x10, 32, 0, mp_signal_fields, MP, NTHW_DOCUMENTED);
ROW(mp_error, "ERROR_CODE", 0x14, 32, 0, mp_error_fields, MP, NTHW_DOCUMENTED);
ROW(mp_unit1, "PM_SIG_UNIT1", 0x18, 64, 0, mp_unit1_fields, MP, NTHW_DOCUMENTED);
ROWS(mp_counter, "PM_COUNTER", 0x28, 32, 4, 4, 0, mp_count_fields, MP " says 64 bits, which would reach into PM_FUNC: 32 are a guess", NTHW_GUESSED);
ROWS(mp_func, "PM_FUNC", 0x38, 16, 2, 4, 0, mp_func_fields, MP, NTHW_DOCUMENTED);
ROW(mp_unit0, "PM_SIG_UNIT0", 0x44, 32, 0, mp_unit0_fields, MP, NTHW_DOCUMENTED);
ROW(mp_mode, "PM_MODE", 0x58, 64, 0, mp_mode_fields, MP, NTHW_DOCUMENTED);
ROW(mp_unit2, "PM_SIG_UNIT2", 0x60, 64, 0, mp_unit2_fields, MP, NTHW_DOCUMENTED);

#define CHIPS(list)                                                                                \
	{ list, "CHIPSET", 0, NULL }, { list, "FOUNDRY", 0, "TSMC" }, { list, "FOUNDRY", 1, "UMC" }, { list, "FOUNDRY", 2, "IBM" }
#define GROUPS(number)                                                                             \
	{ group_fields_g200, "GROUP" number, 0x14, "MP0_FUNC" }, { group_fields_g200, "GROUP" number, 0x28, "MP1_FUNC" }, \
	{ group_fields_g200, "GROUP" number, 0x3c, "MP2_FUNC" },                                   \
	{ group_fields, "GROUP" number, 0x00, "MP0_FUNC" }, { group_fields, "GROUP" number, 0x01, "MP1_FUNC" }
static const struct nthw_choice choices[] = {
	CHIPS(boot_fields_g80), CHIPS(boot_fields_g92), GROUPS("0"), GROUPS("1"), GROUPS("2"), GROUPS("3"),
};

static const struct nthw_reg *const pmc_g80[] = { &boot_0_g80 };
static const struct nthw_reg *const pmc_g92[] = { &boot_0_g92 };
static const struct nthw_reg *const pmc_gf100[] = { &boot_0_g92, &enable_gf100 };
static const struct nthw_reg *const bus[] = { &bus_units };
TABLE(nthw_nv_pmc_g80, "nv_pmc_g80", pmc_g80);
TABLE(nthw_nv_pmc_g92, "nv_pmc_g92", pmc_g92);
TABLE(nthw_nv_pmc_gf100, "nv_pmc_gf100", pmc_gf100);
TABLE(nthw_nv_bus, "nv_bus", bus);

static const struct nthw_reg *const graph_g80[] = { &debug_1, &ctxctl, &units_g80, &vfetch_g80, &zcull, &zbar, &cbar };
static const struct nthw_reg *const graph_g84[] = { &debug_1, &ctxctl, &units_g80, &vfetch_g84, &zcull, &zbar, &cbar };
static const struct nthw_reg *const graph_g200[] = { &debug_1, &ctxctl, &units_g200, &vfetch_g84, &zcull, &zbar, &cbar };
static const struct nthw_reg *const graph_gt215[] = { &debug_1, &ctxctl, &units_g200, &vfetch_g84, &zcull_gt215, &zbar, &cbar };
TABLE(nthw_nv_graph_g80, "nv_graph_g80", graph_g80);
TABLE(nthw_nv_graph_g84, "nv_graph_g84", graph_g84);
TABLE(nthw_nv_graph_g200, "nv_graph_g200", graph_g200);
TABLE(nthw_nv_graph_gt215, "nv_graph_gt215", graph_gt215);

static const struct nthw_reg *const rop_g80[] = { &crop_g80, &zrop };
static const struct nthw_reg *const rop_g84[] = { &crop_g84, &zrop };
static const struct nthw_reg *const rop_g200[] = { &crop_g200, &zrop };
TABLE(nthw_nv_rop_g80, "nv_rop_g80", rop_g80);
TABLE(nthw_nv_rop_g84, "nv_rop_g84", rop_g84);
TABLE(nthw_nv_rop_g200, "nv_rop_g200", rop_g200);

static const struct nthw_reg *const tpc_g80[] = { &mpc_group_g80, &mpc_out_g80, &geom_0, &geom_1, &tex_g80, &rast_g80, &prop_g80 };
static const struct nthw_reg *const tpc_g84[] = { &mpc_group_g80, &mpc_out_g80, &geom_0, &geom_1, &tex_g84, &tex2_g84, &rast_g80, &prop_g80 };
static const struct nthw_reg *const tpc_g200[] = { &rast_g200, &mpc_group_g200, &mpc_out_g200, &geom_0, &geom_1, &tex_g200, &tex2_g200, &prop_g200 };
static const struct nthw_reg *const mp[] = { &mp_sig, &mp_error, &mp_unit1, &mp_counter, &mp_func, &mp_unit0, &mp_mode, &mp_unit2 };
TABLE(nthw_nv_tpc_g80, "nv_tpc_g80", tpc_g80);
TABLE(nthw_nv_tpc_g84, "nv_tpc_g84", tpc_g84);
TABLE(nthw_nv_tpc_g200, "nv_tpc_g200", tpc_g200);
TABLE(nthw_nv_mp, "nv_mp", mp);
