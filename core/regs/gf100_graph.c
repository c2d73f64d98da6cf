// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Units of Fermi, Kepler and Maxwell whose counters and multiplexers NVIDIA's driver sets: the multiprocessor (MP) of a TPC, TPCs, GPCs, memory
 * controllers (PBFB), slices of the L2 (PMFB), and what PCOUNTER has beside its domains. Addresses are offsets in the unit.
 *
 * Read in envytools, rnndb graph/gf100_pgraph, memory/gf100_pbfb.xml, memory/gf100_pmfb.xml and gf100_pcounter.xml, and compared with what NVIDIA's
 * driver wrote in traces of GF100 to GF116, GK104 to GK110 and GM206 (the public collection of re-pcounter-tools). Units that have no name are called
 * by their offset, as in rnndb.
 */
#include "core/regs/nv50_chip.h"

#define GPC "envytools rnndb graph/gf100_pgraph/gpc.xml"
#define TPC "envytools rnndb graph/gf100_pgraph/tpc.xml"
#define PCOUNTER "envytools rnndb gf100_pcounter.xml"
#define TRACES "re-pcounter-tools, traces of NVIDIA's driver"
#define GM206 TRACES " on GM206"

#define ROWS(id, label, at, gap, n, mask, list, from, belief)                                      \
	static const struct nthw_reg id = {                                                        \
		.name = (label), .space = NTHW_SPACE_MMIO, .addr = (at), .step = (gap), .count = (n), .bits = 32, .writable = (mask), \
		NTHW_FIELDS(list), .source = (from), .trust = (belief), .scope = NTHW_SCOPE_DEVICE,    \
	}
#define ROW(id, label, at, mask, list, from) ROWS(id, label, at, 0, 1, mask, list, from, NTHW_DOCUMENTED)
#define TABLE(id, label, list)                                                                     \
	const struct nthw_nv_table id = {                                                          \
		.rows = { .name = (label), .regs = (list), .count = NTHW_ARRAY_SIZE(list) },           \
		.choices = choices, .choice_count = NTHW_ARRAY_SIZE(choices),                      \
	}

/* ---- one multiprocessor: eight counters; their selectors belong to the context ---- */

#define ENABLE31 { "ENABLE", 31, 1, NTHW_RW, "drive the wires; NVIDIA's driver sets it in one unit and clears it in the others" }
static const struct nthw_field mp_mux_fields[] = {
	{ "SEL", 0, 7, NTHW_RW, "what goes to PCOUNTER" },
	{ "unknown7", 7, 24, NTHW_RO, "nothing is known of them" },
	ENABLE31,
};
static const struct nthw_field unknown_fields[] = {
	{ "UNK0", 0, 32, NTHW_RO, "exists; what it does is unknown" },
};
static const struct nthw_field sigsel_fields[] = {
	{ "SIG0", 0, 8, NTHW_RW, "group of signals of the first counter" },
	{ "SIG1", 8, 8, NTHW_RW, "of the second" },
	{ "SIG2", 16, 8, NTHW_RW, "of the third" },
	{ "SIG3", 24, 8, NTHW_RW, "of the fourth" },
};
#define MODE_GF100(i, shift)                                                                       \
	{ "unknown" #shift, shift, 3, NTHW_RO, "nothing is known of them" },                       \
	{ "MODE" #i, (shift) + 3, 1, NTHW_RW, "counter " #i " counts clocks, or edges" }
static const struct nthw_field mode_fields_gf100[] = {
	MODE_GF100(0, 0), MODE_GF100(1, 4), MODE_GF100(2, 8), MODE_GF100(3, 12),
	MODE_GF100(4, 16), MODE_GF100(5, 20), MODE_GF100(6, 24), MODE_GF100(7, 28),
};
static const struct nthw_field mode_fields_gk104[] = {
	{ "MODE0", 0, 4, NTHW_RW, "what the first counter of the group adds in a clock" },
	{ "MODE1", 4, 4, NTHW_RW, "what the second adds" },
	{ "MODE2", 8, 4, NTHW_RW, "what the third adds" },
	{ "MODE3", 12, 4, NTHW_RW, "what the fourth adds" },
	{ "unknown16", 16, 16, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field func_fields[] = {
	{ "FUNC0", 0, 16, NTHW_RW, "truth table over four sources, of an even counter" },
	{ "FUNC1", 16, 16, NTHW_RW, "of the odd one behind it" },
};
static const struct nthw_field overflow_fields_gf100[] = {
	{ "OVERFLOW", 0, 8, NTHW_RO, "bit n: counter n overflowed" },
	{ "unknown8", 8, 24, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field overflow_fields_gk104[] = {
	{ "OVERFLOW", 0, 4, NTHW_RO, "bit n: counter n of the group overflowed" },
	{ "unknown4", 4, 28, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field count_fields[] = {
	{ "COUNT", 0, 32, NTHW_RW, "value of the counter" },
};
static const struct nthw_field srcsel_fields_gf100[] = {
	{ "GRP0", 0, 3, NTHW_RW, "source 0: number of the counter whose group of signals is meant" },
	{ "unknown3", 3, 1, NTHW_RO, "nothing is known of it" },
	{ "SIG0", 4, 3, NTHW_RW, "source 0: number of the signal in its group" },
	{ "unknown7", 7, 1, NTHW_RO, "nothing is known of it" },
	{ "GRP1", 8, 3, NTHW_RW, "source 1" },
	{ "unknown11", 11, 1, NTHW_RO, "nothing is known of it" },
	{ "SIG1", 12, 3, NTHW_RW, "source 1" },
	{ "unknown15", 15, 1, NTHW_RO, "nothing is known of it" },
	{ "GRP2", 16, 3, NTHW_RW, "source 2" },
	{ "unknown19", 19, 1, NTHW_RO, "nothing is known of it" },
	{ "SIG2", 20, 3, NTHW_RW, "source 2" },
	{ "unknown23", 23, 1, NTHW_RO, "nothing is known of it" },
	{ "GRP3", 24, 3, NTHW_RW, "source 3" },
	{ "unknown27", 27, 1, NTHW_RO, "nothing is known of it" },
	{ "SIG3", 28, 3, NTHW_RW, "source 3" },
	{ "unknown31", 31, 1, NTHW_RO, "nothing is known of it" },
};
#define SOURCE_GK104(i, shift)                                                                     \
	{ "GRP" #i, shift, 2, NTHW_RW, "source " #i ": counter whose group of signals is meant" },  \
	{ "SIG" #i, (shift) + 2, 3, NTHW_RW, "source " #i ": number of the signal in its group" }
static const struct nthw_field srcsel_fields_gk104[] = {
	SOURCE_GK104(0, 0), SOURCE_GK104(1, 5), SOURCE_GK104(2, 10), SOURCE_GK104(3, 15), SOURCE_GK104(4, 20), SOURCE_GK104(5, 25),
	{ "unknown30", 30, 2, NTHW_RO, "nothing is known of them" },
};
ROW(mp_mux, "PM_MUX", 0, 0x8000007f, mp_mux_fields, TPC);
ROW(mp_unk0, "PM_UNK000", 0, 0, unknown_fields, TPC);
ROWS(mp_sigsel, "PM_SIGSEL", 0x4, 4, 2, 0xffffffff, sigsel_fields, TPC, NTHW_DOCUMENTED);
ROW(mp_a_sigsel, "PM_A_SIGSEL", 0x4, 0xffffffff, sigsel_fields, TPC);
ROW(mp_b_sigsel, "PM_B_SIGSEL", 0x8, 0xffffffff, sigsel_fields, TPC);
ROW(mp_b_mode, "PM_B_MODE", 0x58, 0xffff, mode_fields_gk104, TPC);
ROW(mp_a_mode, "PM_A_MODE", 0x5c, 0xffff, mode_fields_gk104, TPC);
ROW(mp_mode, "PM_MODE", 0x5c, 0x88888888, mode_fields_gf100, TPC);
ROWS(mp_func, "PM_FUNC", 0x60, 4, 4, 0xffffffff, func_fields, TPC, NTHW_DOCUMENTED);
ROW(mp_overflow, "PM_COUNTER_OVERFLOW", 0x70, 0, overflow_fields_gf100, TPC);
ROW(mp_overflow_a, "PM_COUNTER_OVERFLOW_A", 0x70, 0, overflow_fields_gk104, TPC);
ROWS(mp_counter, "PM_COUNTER", 0x74, 4, 8, 0xffffffff, count_fields, TPC, NTHW_DOCUMENTED);
ROW(mp_overflow_b, "PM_COUNTER_OVERFLOW_B", 0x94, 0, overflow_fields_gk104, TPC);
ROWS(mp_counter_f0, "PM_COUNTER_F0", 0xf0, 4, 16, 0xffffffff, count_fields, GM206 ": cleared and read as counters", NTHW_MEASURED);
ROWS(mp_srcsel, "PM_SRCSEL", 0x130, 4, 8, 0x77777777, srcsel_fields_gf100, TPC, NTHW_DOCUMENTED);
ROWS(mp_a_srcsel, "PM_A_SRCSEL", 0x130, 4, 4, 0x3fffffff, srcsel_fields_gk104, TPC, NTHW_DOCUMENTED);
ROWS(mp_b_srcsel, "PM_B_SRCSEL", 0x140, 4, 4, 0x3fffffff, srcsel_fields_gk104, TPC, NTHW_DOCUMENTED);

/* ---- multiplexers: which of a unit's wires go to PCOUNTER ---- */

#define SELECTOR(bits)                                                                             \
	{ "SEL", 0, bits, NTHW_RW, "what goes to the wires" },                                     \
	{ "unknown" #bits, bits, 31 - (bits), NTHW_RO, "nothing is known of them" }, ENABLE31
static const struct nthw_field mux3_fields[] = { SELECTOR(3) };
static const struct nthw_field mux4_fields[] = { SELECTOR(4) };
static const struct nthw_field mux5_fields[] = { SELECTOR(5) };
static const struct nthw_field mux6_fields[] = { SELECTOR(6) };
static const struct nthw_field mux8_fields[] = { SELECTOR(8) };
static const struct nthw_field tex_cd_fields[] = {
	{ "SEL_C", 0, 4, NTHW_RW, "what goes to the first wires" },
	{ "unknown4", 4, 4, NTHW_RO, "nothing is known of them" },
	{ "SEL_D", 8, 3, NTHW_RW, "what goes to the last wires" },
	{ "unknown11", 11, 20, NTHW_RO, "GK110 and later select by bit 11, too" },
	ENABLE31,
};
ROW(tex_a, "TEX.PM_MUX_A", 0x2b0, 0x8000003f, mux6_fields, TPC);
ROW(tex_b8, "TEX.PM_UNKB8", 0x2b8, 0x800000ff, mux8_fields, TPC);
ROW(tex_b_gf100, "TEX.PM_MUX_B", 0x2bc, 0x80000007, mux3_fields, TPC);
ROW(tex_b_gk104, "TEX.PM_MUX_B", 0x2bc, 0x8000000f, mux4_fields, TPC);
ROW(tex_cd, "TEX.PM_MUX_C_D", 0x2c0, 0x8000070f, tex_cd_fields, TPC);
ROW(tex_c8, "TEX.PM_UNKC8", 0x2c8, 0x8000001f, mux5_fields, TPC);
ROW(tpc_400, "UNK400.PM_MUX", 0x40c, 0x8000003f, mux6_fields, TPC);
ROW(tpc_l1, "L1.PM_MUX", 0x4a8, 0x8000003f, mux6_fields, TPC);
ROW(tpc_master, "MASTER.PM_MUX", 0x52c, 0x8000000f, mux4_fields, TPC);

ROW(gpc_prop, "PROP.PM_MUX", 0x4a0, 0x800000ff, mux8_fields, GPC);
ROW(gpc_600, "UNK600.PM_MUX", 0x604, 0x8000000f, mux4_fields, GPC);
ROW(gpc_680, "UNK680.PM_MUX", 0x680, 0x8000000f, mux4_fields, GPC);
ROW(gpc_700, "UNK700.PM_MUX", 0x714, 0x8000000f, mux4_fields, GPC);
ROW(gpc_esetup, "ESETUP.PM_MUX", 0x81c, 0x8000001f, mux5_fields, GPC);
ROW(gpc_ffb, "FFB.PM_MUX_B", 0x8c8, 0x8000000f, mux4_fields, GPC);
ROW(gpc_tpbus, "TPBUS.PM_MUX", 0xb04, 0x8000000f, mux4_fields, GPC);

static const struct nthw_field pbfb_100_fields[] = {
	{ "UNK0", 0, 1, NTHW_RW, "NVIDIA's driver sets it while it counts" },
	{ "unknown1", 1, 3, NTHW_RO, "nothing is known of them" },
	{ "UNK4", 4, 6, NTHW_RW, "what goes to the wires" },
	{ "unknown10", 10, 22, NTHW_RO, "GK110 and later select by bit 10, too" },
};
static const struct nthw_field pbfb_sel_fields[] = {
	{ "SEL", 0, 3, NTHW_RW, "what goes to the wires" },
	{ "unknown3", 3, 1, NTHW_RO, "nothing is known of it" },
	{ "ENABLE", 4, 1, NTHW_RW, "drive the wires" },
	{ "unknown5", 5, 27, NTHW_RO, "nothing is known of them" },
};
#define PBFB "envytools rnndb memory/gf100_pbfb.xml"
ROW(pbfb_100, "PM_UNK100", 0x100, 0x3f1, pbfb_100_fields, PBFB " and " TRACES);
ROW(pbfb_sel, "PM_SEL", 0x160, 0x17, pbfb_sel_fields, PBFB);

static const struct nthw_field pmfb_28_fields[] = {
	{ "UNK0", 0, 14, NTHW_RW, "what goes to the wires" },
	{ "unknown14", 14, 2, NTHW_RO, "nothing is known of them" },
	{ "UNK16", 16, 3, NTHW_RW, "what goes to the wires" },
	{ "unknown19", 19, 5, NTHW_RO, "NVIDIA's driver sets some of them on Kepler" },
	{ "UNK24", 24, 2, NTHW_RW, "what goes to the wires" },
	{ "unknown26", 26, 3, NTHW_RO, "NVIDIA's driver sets some of them on Kepler" },
	{ "UNK29", 29, 1, NTHW_RW, "what goes to the wires" },
	{ "unknown30", 30, 2, NTHW_RO, "nothing is known of them" },
};
ROW(pmfb_28, "PM_UNK28", 0x28, 0x23073fff, pmfb_28_fields, "envytools rnndb memory/gf100_pmfb.xml and " TRACES);

/* ---- PCOUNTER beside its domains: records, and what the driver writes before each set-up ---- */

#define WRITTEN(value) { { "UNK0", 0, 32, NTHW_RO, "NVIDIA's driver writes " value "; what it does is unknown" } }
static const struct nthw_field main_00_fields[] = WRITTEN("4, then 0");
static const struct nthw_field main_08_fields[] = WRITTEN("0x701");
static const struct nthw_field main_ones_fields[] = WRITTEN("0xffffffff");
static const struct nthw_field main_zero_fields[] = WRITTEN("0");
static const struct nthw_field chan_fields[] = {
	{ "CHAN", 0, 30, NTHW_RW, "channel whose address space records go to" },
	{ "unknown30", 30, 1, NTHW_RO, "nothing is known of it" },
	{ "VALID", 31, 1, NTHW_RW, "CHAN is one" },
};
static const struct nthw_field record_fields[] = {
	{ "VALUE", 0, 32, NTHW_RO, "of records; its fields are not known" },
};
#define SETUP(id, label, at, gap, n, list) ROWS(id, label, at, gap, n, 0, list, TRACES ", before each set-up", NTHW_MEASURED)
SETUP(main_00, "UNK00", 0x00, 0, 1, main_00_fields);
SETUP(main_08, "UNK08", 0x08, 0, 1, main_08_fields);
SETUP(main_20, "UNK20", 0x20, 4, 3, main_ones_fields);
SETUP(main_40, "UNK40", 0x40, 4, 3, main_ones_fields);
SETUP(main_50, "UNK50", 0x50, 4, 3, main_zero_fields);
ROW(record_chan, "RECORD_CHAN", 0x70, 0xbfffffff, chan_fields, PCOUNTER);
ROW(record_start, "RECORD_START", 0x74, 0, record_fields, PCOUNTER);
ROW(record_address_high, "RECORD_ADDRESS_HIGH", 0x78, 0, record_fields, PCOUNTER);
ROW(record_limit, "RECORD_LIMIT", 0x7c, 0, record_fields, PCOUNTER);
ROW(record_pos, "RECORD_POS", 0x80, 0, record_fields, PCOUNTER);
ROW(record_count, "RECORD_COUNT", 0x84, 0, record_fields, PCOUNTER);
SETUP(main_104, "UNK104", 0x104, 0, 1, main_ones_fields);

#define MODES_GK104(number)                                                                        \
	{ mode_fields_gk104, "MODE" number, 0, "LOGOP" }, { mode_fields_gk104, "MODE" number, 1, "LOGOP_PULSE" }, \
	{ mode_fields_gk104, "MODE" number, 2, "B6" }, { mode_fields_gk104, "MODE" number, 4, "LOGOP_B6" }, \
	{ mode_fields_gk104, "MODE" number, 5, "LOGOP_B6_PULSE" }
#define MODES_GF100(number)                                                                        \
	{ mode_fields_gf100, "MODE" number, 0, "LOGOP" }, { mode_fields_gf100, "MODE" number, 1, "LOGOP_PULSE" }
static const struct nthw_choice choices[] = {
	MODES_GF100("0"), MODES_GF100("1"), MODES_GF100("2"), MODES_GF100("3"), MODES_GF100("4"), MODES_GF100("5"), MODES_GF100("6"),
	MODES_GF100("7"), MODES_GK104("0"), MODES_GK104("1"), MODES_GK104("2"), MODES_GK104("3"),
};

static const struct nthw_reg *const mp_gf100[] = {
	&mp_mux, &mp_sigsel, &mp_mode, &mp_func, &mp_overflow, &mp_counter, &mp_srcsel,
};
#define MP_GK104 &mp_unk0, &mp_a_sigsel, &mp_b_sigsel, &mp_b_mode, &mp_a_mode, &mp_func, &mp_overflow_a, &mp_counter, &mp_overflow_b
static const struct nthw_reg *const mp_gk104[] = { MP_GK104, &mp_a_srcsel, &mp_b_srcsel };
static const struct nthw_reg *const mp_gm107[] = { MP_GK104, &mp_counter_f0, &mp_a_srcsel, &mp_b_srcsel };
TABLE(nthw_nv_mp_gf100, "nv_mp_gf100", mp_gf100);
TABLE(nthw_nv_mp_gk104, "nv_mp_gk104", mp_gk104);
TABLE(nthw_nv_mp_gm107, "nv_mp_gm107", mp_gm107);

static const struct nthw_reg *const tpc_gf100[] = { &tex_a, &tex_b_gf100, &tex_cd, &tex_c8, &tpc_400, &tpc_l1, &tpc_master };
static const struct nthw_reg *const tpc_gk104[] = { &tex_a, &tex_b8, &tex_b_gk104, &tex_cd, &tex_c8, &tpc_400, &tpc_l1, &tpc_master };
static const struct nthw_reg *const gpc[] = { &gpc_prop, &gpc_600, &gpc_680, &gpc_700, &gpc_esetup, &gpc_ffb, &gpc_tpbus };
static const struct nthw_reg *const pbfb[] = { &pbfb_100, &pbfb_sel };
static const struct nthw_reg *const pmfb[] = { &pmfb_28 };
TABLE(nthw_nv_tpc_gf100, "nv_tpc_gf100", tpc_gf100);
TABLE(nthw_nv_tpc_gk104, "nv_tpc_gk104", tpc_gk104);
TABLE(nthw_nv_gpc, "nv_gpc", gpc);
TABLE(nthw_nv_pbfb, "nv_pbfb", pbfb);
TABLE(nthw_nv_pmfb, "nv_pmfb", pmfb);

static const struct nthw_reg *const pcounter_main[] = {
	&main_00, &main_08, &main_20, &main_40, &main_50, &record_chan, &record_start, &record_address_high, &record_limit, &record_pos,
	&record_count, &main_104,
};
TABLE(nthw_nv_pcounter_main, "nv_pcounter_main", pcounter_main);
