// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * PCOUNTER of G80 to GT21x and MCP7x/MCP89: up to eight domains, each with four inputs made of four signals and five counters. Addresses are offsets
 * in BAR 0. Steps of the hardware: G80 as its forerunners; G84 records and has periodic pulses; G92 delays more arguments; GT215 has signals
 * that software sets.
 *
 * Read in envytools, rnndb nv40_pcounter.xml and the chapter on PCOUNTER of its documentation, and compared with what NVIDIA's driver wrote in
 * traces of G96, G200, GT215 and GT218 (the public collection of re-pcounter-tools).
 */
#include "core/regs/nv50_chip.h"

#define RNNDB "envytools rnndb nv40_pcounter.xml"
#define HWDOCS "envytools documentation of PCOUNTER"

#define ROW(id, label, at, mask, list, from)                                                       \
	static const struct nthw_reg id = {                                                        \
		.name = (label), .space = NTHW_SPACE_MMIO, .addr = (at), .step = 4, .count = 8, .bits = 32, .writable = (mask), \
		NTHW_FIELDS(list), .source = (from), .trust = NTHW_DOCUMENTED, .scope = NTHW_SCOPE_DEVICE,   \
	}
#define ONE(id, label, at, mask, list, from)                                                       \
	static const struct nthw_reg id = {                                                        \
		.name = (label), .space = NTHW_SPACE_MMIO, .addr = (at), .count = 1, .bits = 32, .writable = (mask), \
		NTHW_FIELDS(list), .source = (from), .trust = NTHW_DOCUMENTED, .scope = NTHW_SCOPE_DEVICE,   \
	}

/* What a period had. */
#define COUNT(id, label, at, mask, list, kind, from)                                               \
	static const struct nthw_reg id = {                                                        \
		.name = (label), .space = NTHW_SPACE_MMIO, .addr = (at), .step = 4, .count = 8, .bits = 32, .writable = (mask), \
		NTHW_FIELDS(list), .source = (from), .trust = NTHW_DOCUMENTED, .scope = NTHW_SCOPE_DEVICE, .role = (kind), \
	}

static const struct nthw_field source_fields[] = {
	{ "SRC0", 0, 8, NTHW_RW, "signal of argument 0, a number of the domain's own" },
	{ "SRC1", 8, 8, NTHW_RW, "signal of argument 1" },
	{ "SRC2", 16, 8, NTHW_RW, "signal of argument 2" },
	{ "SRC3", 24, 8, NTHW_RW, "signal of argument 3" },
};
#define TABLE_FIELDS                                                                               \
	{ "FUNC", 0, 16, NTHW_RW, "truth table: bit a0 + 2 a1 + 4 a2 + 8 a3 is the result" },      \
	{ "ARG0_DELAY1", 16, 1, NTHW_RW, "argument 0 is what its signal was one clock ago" },      \
	{ "ARG1_DELAY1", 17, 1, NTHW_RW, "argument 1 is what its signal was one clock ago" }
/* PRE, START, SETFLAG and CLRFLAG; EVENT and STOP, where bits 18 and 19 mean something else. */
static const struct nthw_field op_fields[] = {
	TABLE_FIELDS,
	{ "unknown18", 18, 14, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field flag_op_fields[] = {
	TABLE_FIELDS,
	{ "ARG3", 18, 1, NTHW_RW, "argument 3 is the output of SETFLAG" },
	{ "unknown19", 19, 13, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field op_fields_g92[] = {
	TABLE_FIELDS,
	{ "ARG2", 18, 1, NTHW_RW, "argument 2 is what signal 0 was one clock ago" },
	{ "ARG3", 19, 1, NTHW_RW, "argument 3 is what signal 1 was one clock ago" },
	{ "unknown20", 20, 12, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field flag_op_fields_g92[] = {
	TABLE_FIELDS,
	{ "ARG3", 18, 1, NTHW_RW, "argument 3 is the output of SETFLAG, whatever ARG3_SRC is" },
	{ "ARG2", 19, 1, NTHW_RW, "argument 2 is what signal 0 was one clock ago" },
	{ "ARG3_SRC", 20, 1, NTHW_RW, "argument 3 is what signal 1 was one clock ago" },
	{ "unknown21", 21, 11, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field status_fields[] = {
	{ "PRE", 0, 4, NTHW_RO, "levels of the four signals of PRE_SRC now" },
	{ "START", 4, 4, NTHW_RO, "of START_SRC" },
	{ "EVENT", 8, 4, NTHW_RO, "of EVENT_SRC" },
	{ "STOP", 12, 4, NTHW_RO, "of STOP_SRC" },
	{ "unknown16", 16, 16, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field spec_fields[] = {
	{ "SWAP", 0, 8, NTHW_RW, "signal that ends a period of QUAD mode" },
	{ "UNK8", 8, 8, NTHW_RW, "a signal; what it does is unknown" },
	{ "unknown16", 16, 16, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field user_fields[] = {
	{ "VAL_0", 0, 1, NTHW_W1C, "new level of signal USER_0" },
	{ "VAL_1", 1, 1, NTHW_W1C, "new level of signal USER_1" },
	{ "PULSE_0", 2, 1, NTHW_W1C, "USER_0 goes back to 0 one clock later" },
	{ "PULSE_1", 3, 1, NTHW_W1C, "USER_1 goes back to 0 one clock later" },
	{ "unknown4", 4, 28, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field count_fields[] = {
	{ "COUNT", 0, 32, NTHW_RO, "count of the last period; 0xffffffff: at least so many" },
};
static const struct nthw_field preset_fields[] = {
	{ "COUNT", 0, 32, NTHW_RW, "count of the last period; written: what SINGLE mode counts down from" },
};
static const struct nthw_field high_fields[] = {
	{ "ADDRESS", 0, 8, NTHW_RW, "bits 32 to 39 of the address of records" },
	{ "unknown8", 8, 24, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field record_status_fields[] = {
	{ "FAULT", 0, 1, NTHW_RO, "a record could not be written: the domain hangs" },
	{ "unknown1", 1, 3, NTHW_RO, "nothing is known of them" },
	{ "POS", 4, 28, NTHW_RO, "address of the next record, in units of 16 bytes" },
};
static const struct nthw_field record_fields[] = {
	{ "unknown0", 0, 4, NTHW_RO, "nothing is known of them" },
	{ "ADDRESS", 4, 28, NTHW_RW, "address in units of 16 bytes" },
};
static const struct nthw_field threshold_fields[] = {
	{ "EVENTS", 0, 32, NTHW_RW, "SINGLE mode: periods with so many events count in START" },
};
#define CTRL_FIELDS                                                                                \
	{ "MODE", 0, 2, NTHW_RW, "how a period begins and ends" },                                 \
	{ "unknown2", 2, 2, NTHW_RO, "nothing is known of them" },                                 \
	{ "CTR_MODE", 4, 3, NTHW_RW, "what EVENT adds in a clock" },                               \
	{ "unknown7", 7, 1, NTHW_RO, "nothing is known of it" },                                   \
	{ "EVENT_CTR_PERIOD", 8, 1, NTHW_RW, "SINGLE mode: EVENT is of one period or of all" },    \
	{ "unknown9", 9, 2, NTHW_RO, "nothing is known of them" },                                 \
	{ "EVENT_IMPORT_MODE", 11, 1, NTHW_RW, "how EVENT of other domains comes over" },          \
	{ "unknown12", 12, 1, NTHW_RO, "nothing is known of it" },                                 \
	{ "FLAG_IMPORT_MODE", 13, 1, NTHW_RW, "how FLAG of other domains comes over" },            \
	{ "unknown14", 14, 2, NTHW_RO, "nothing is known of them" },                               \
	{ "UNK16", 16, 1, NTHW_RO, "exists; what it does is unknown" },                            \
	{ "unknown17", 17, 3, NTHW_RO, "nothing is known of them" }
#define CTRL_RECORD_FIELDS                                                                         \
	{ "RECORD_FORMAT", 20, 1, NTHW_RW, "size of records" },                                    \
	{ "PERIODIC_PERIOD", 21, 3, NTHW_RW, "clocks between two pulses of the signal PERIODIC" }
#define CTRL_STATE_FIELDS                                                                          \
	{ "QUAD_STATE", 24, 2, NTHW_RO, "periods that were not acknowledged" },                    \
	{ "unknown26", 26, 1, NTHW_RO, "nothing is known of it" },                                 \
	{ "FAULT_CLEAR", 27, 1, NTHW_W1C, "clears FAULT of RECORD_STATUS; the domain still hangs" }, \
	{ "SINGLE_STATE", 28, 2, NTHW_RO, "what SINGLE mode waits for" }
static const struct nthw_field ctrl_fields[] = {
	CTRL_FIELDS,
	{ "unknown20", 20, 4, NTHW_RO, "nothing is known of them" },
	CTRL_STATE_FIELDS,
	{ "unknown30", 30, 2, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field ctrl_fields_g84[] = {
	CTRL_FIELDS,
	CTRL_RECORD_FIELDS,
	CTRL_STATE_FIELDS,
	{ "unknown30", 30, 2, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field ctrl_fields_g92[] = {
	CTRL_FIELDS,
	CTRL_RECORD_FIELDS,
	CTRL_STATE_FIELDS,
	{ "UNK30", 30, 1, NTHW_RO, "exists; what it does is unknown" },
	{ "unknown31", 31, 1, NTHW_RO, "nothing is known of it" },
};
static const struct nthw_field ack_fields[] = {
	{ "ACK", 0, 1, NTHW_W1C, "QUAD_STATE goes one step down: OVERFLOW needs two" },
	{ "unknown1", 1, 31, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field signal_fields[] = {
	{ "LEVELS", 0, 32, NTHW_RO, "level of 32 signals now: signal 32 i + bit" },
};
static const struct nthw_field chan_fields[] = {
	{ "CHAN", 0, 30, NTHW_RW, "channel whose address space records go to" },
	{ "unknown30", 30, 1, NTHW_RO, "nothing is known of it" },
	{ "VALID", 31, 1, NTHW_RW, "CHAN is one" },
};
static const struct nthw_field dma_fields[] = {
	{ "OBJECT", 0, 16, NTHW_RW, "DMA object that records go to" },
	{ "unknown16", 16, 16, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field global_fields[] = {
	{ "RECORD_RESET", 0, 1, NTHW_RW, "holds the counters of records at 0" },
	{ "unknown1", 1, 3, NTHW_RO, "nothing is known of them" },
	{ "PERIODIC_RESET", 4, 1, NTHW_RW, "holds all PERIODIC generators; they start together" },
	{ "unknown5", 5, 3, NTHW_RO, "nothing is known of them" },
	{ "ENGINES", 8, 11, NTHW_RO,
	  "not understood, to be left as they are; engines whose triggers come through, perhaps: bit 8 PGRAPH, 9 PBSP or PVLD, 10 PCIPHER or PSEC, 11 PVP2 or PPDEC, 12 PPPP, 18 PVCOMP" },
	{ "unknown19", 19, 13, NTHW_RO, "nothing is known of them" },
};

ROW(pre_src, "PRE_SRC", 0xa400, 0xffffffff, source_fields, RNNDB);
ROW(pre_op, "PRE_OP", 0xa420, 0x3ffff, op_fields, RNNDB);
ROW(pre_op_g92, "PRE_OP", 0xa420, 0xfffff, op_fields_g92, RNNDB);
ROW(start_src, "START_SRC", 0xa440, 0xffffffff, source_fields, RNNDB);
ROW(start_op, "START_OP", 0xa460, 0x3ffff, op_fields, RNNDB);
ROW(start_op_g92, "START_OP", 0xa460, 0xfffff, op_fields_g92, RNNDB);
ROW(event_src, "EVENT_SRC", 0xa480, 0xffffffff, source_fields, RNNDB);
ROW(event_op, "EVENT_OP", 0xa4a0, 0x7ffff, flag_op_fields, RNNDB);
ROW(event_op_g92, "EVENT_OP", 0xa4a0, 0x1fffff, flag_op_fields_g92, RNNDB);
ROW(stop_src, "STOP_SRC", 0xa4c0, 0xffffffff, source_fields, RNNDB);
ROW(stop_op, "STOP_OP", 0xa4e0, 0x7ffff, flag_op_fields, RNNDB);
ROW(stop_op_g92, "STOP_OP", 0xa4e0, 0x1fffff, flag_op_fields_g92, RNNDB);
ROW(setflag_op, "SETFLAG_OP", 0xa500, 0x3ffff, op_fields, RNNDB);
ROW(setflag_op_g92, "SETFLAG_OP", 0xa500, 0xfffff, op_fields_g92, RNNDB);
ROW(clrflag_op, "CLRFLAG_OP", 0xa520, 0x3ffff, op_fields, RNNDB);
ROW(clrflag_op_g92, "CLRFLAG_OP", 0xa520, 0xfffff, op_fields_g92, RNNDB);
ROW(src_status, "SRC_STATUS", 0xa540, 0, status_fields, RNNDB);
ROW(spec_src, "SPEC_SRC", 0xa560, 0xffff, spec_fields, RNNDB);
ROW(user_trigger, "USER_TRIGGER", 0xa580, 0xf, user_fields, RNNDB);
COUNT(ctr_cycles, "CTR_CYCLES", 0xa600, 0, count_fields, NTHW_ROLE_GAUGE, RNNDB);
COUNT(ctr_cycles_alt, "CTR_CYCLES_ALT", 0xa640, 0, count_fields, NTHW_ROLE_GAUGE, RNNDB);
COUNT(ctr_event, "CTR_EVENT", 0xa680, 0, count_fields, NTHW_ROLE_GAUGE, RNNDB);
ROW(record_address_high, "RECORD_ADDRESS_HIGH", 0xa6a0, 0xff, high_fields, RNNDB);
COUNT(ctr_start, "CTR_START", 0xa6c0, 0, count_fields, NTHW_ROLE_GAUGE, RNNDB);
ROW(record_status, "RECORD_STATUS", 0xa6e0, 0, record_status_fields, RNNDB);
COUNT(ctr_pre, "CTR_PRE", 0xa700, 0xffffffff, preset_fields, NTHW_ROLE_COUNTER, RNNDB " and " HWDOCS);
ROW(record_limit, "RECORD_LIMIT", 0xa720, 0xfffffff0, record_fields, RNNDB " and " HWDOCS);
COUNT(ctr_stop, "CTR_STOP", 0xa740, 0xffffffff, preset_fields, NTHW_ROLE_COUNTER, RNNDB " and " HWDOCS);
ROW(record_start, "RECORD_START", 0xa760, 0xfffffff0, record_fields, RNNDB " and " HWDOCS);
ROW(threshold, "THRESHOLD", 0xa780, 0xffffffff, threshold_fields, RNNDB);
ONE(record_chan, "RECORD_CHAN", 0xa7a0, 0xbfffffff, chan_fields, RNNDB);
ONE(record_dma, "RECORD_DMA", 0xa7a4, 0xffff, dma_fields, RNNDB " and " HWDOCS);
ONE(gctrl, "GCTRL", 0xa7a8, 0x11, global_fields, RNNDB);
ROW(ctrl, "CTRL", 0xa7c0, 0x08002973, ctrl_fields, RNNDB);
ROW(ctrl_g84, "CTRL", 0xa7c0, 0x08f02973, ctrl_fields_g84, RNNDB);
ROW(ctrl_g92, "CTRL", 0xa7c0, 0x08f02973, ctrl_fields_g92, RNNDB);
ROW(quad_ack_trigger, "QUAD_ACK_TRIGGER", 0xa7e0, 1, ack_fields, RNNDB);
ROW(sig_status, "SIG_STATUS", 0xa800, 0, signal_fields, RNNDB);

#define MODES(list)                                                                                \
	{ list, "MODE", 0, "SINGLE" }, { list, "MODE", 1, "QUAD" },                                \
	{ list, "CTR_MODE", 0, "SIMPLE" }, { list, "CTR_MODE", 1, "EVENT_B4" },                    \
	{ list, "CTR_MODE", 2, "EVENT_B6" }, { list, "CTR_MODE", 3, "EXTRA_B4" },                  \
	{ list, "CTR_MODE", 4, "EXTRA_B6_EVENT_B2" },                                              \
	{ list, "EVENT_CTR_PERIOD", 0, "ONE" }, { list, "EVENT_CTR_PERIOD", 1, "ALL" },            \
	{ list, "EVENT_IMPORT_MODE", 0, "CONTINUOUS" }, { list, "EVENT_IMPORT_MODE", 1, "PULSE" }, \
	{ list, "FLAG_IMPORT_MODE", 0, "CONTINUOUS" }, { list, "FLAG_IMPORT_MODE", 1, "PULSE" },   \
	{ list, "QUAD_STATE", 0, "EMPTY" }, { list, "QUAD_STATE", 1, "VALID" },                    \
	{ list, "QUAD_STATE", 3, "OVERFLOW" },                                                     \
	{ list, "SINGLE_STATE", 0, "INACTIVE" }, { list, "SINGLE_STATE", 1, "WAIT_PRE" },          \
	{ list, "SINGLE_STATE", 2, "WAIT_START" }, { list, "SINGLE_STATE", 3, "COUNTING" }
#define RECORD_MODES(list)                                                                         \
	MODES(list), { list, "MODE", 2, "RECORD" },                                                \
	{ list, "RECORD_FORMAT", 0, "LONG" }, { list, "RECORD_FORMAT", 1, "SHORT" },               \
	{ list, "PERIODIC_PERIOD", 0, "DISABLED" }, { list, "PERIODIC_PERIOD", 1, "1K" },          \
	{ list, "PERIODIC_PERIOD", 2, "2K" }, { list, "PERIODIC_PERIOD", 3, "4K" },                \
	{ list, "PERIODIC_PERIOD", 4, "8K" }, { list, "PERIODIC_PERIOD", 5, "16K" },               \
	{ list, "PERIODIC_PERIOD", 6, "32K" }, { list, "PERIODIC_PERIOD", 7, "64K" }
static const struct nthw_choice choices[] = {
	MODES(ctrl_fields), RECORD_MODES(ctrl_fields_g84), RECORD_MODES(ctrl_fields_g92),
	{ flag_op_fields, "ARG3", 0, "SRC" }, { flag_op_fields, "ARG3", 1, "SETFLAG" },
	{ op_fields_g92, "ARG2", 0, "SRC2" }, { op_fields_g92, "ARG2", 1, "SRC0_DELAY1" },
	{ op_fields_g92, "ARG3", 0, "SRC3" }, { op_fields_g92, "ARG3", 1, "SRC1_DELAY1" },
	{ flag_op_fields_g92, "ARG3", 0, "SRC" }, { flag_op_fields_g92, "ARG3", 1, "SETFLAG" },
	{ flag_op_fields_g92, "ARG2", 0, "SRC2" }, { flag_op_fields_g92, "ARG2", 1, "SRC0_DELAY1" },
	{ flag_op_fields_g92, "ARG3_SRC", 0, "SRC3" }, { flag_op_fields_g92, "ARG3_SRC", 1, "SRC1_DELAY1" },
};

#define TABLE(id, label, list)                                                                     \
	const struct nthw_nv_table id = {                                                          \
		.rows = { .name = (label), .regs = (list), .count = NTHW_ARRAY_SIZE(list) },           \
		.choices = choices, .choice_count = NTHW_ARRAY_SIZE(choices),                      \
	}
#define OPS &pre_src, &pre_op, &start_src, &start_op, &event_src, &event_op, &stop_src, &stop_op, &setflag_op, &clrflag_op, &src_status
#define OPS_G92                                                                                    \
	&pre_src, &pre_op_g92, &start_src, &start_op_g92, &event_src, &event_op_g92, &stop_src, &stop_op_g92, &setflag_op_g92, \
	&clrflag_op_g92, &src_status
#define COUNTS_G92                                                                                 \
	&ctr_cycles, &ctr_cycles_alt, &ctr_event, &record_address_high, &ctr_start, &record_status, &ctr_pre, &record_limit, &ctr_stop, \
	&record_start, &threshold, &record_chan, &record_dma, &gctrl, &ctrl_g92, &quad_ack_trigger

static const struct nthw_reg *const regs_g80[] = {
	OPS, &ctr_cycles, &ctr_cycles_alt, &ctr_event, &ctr_start, &ctr_pre, &ctr_stop, &threshold, &ctrl, &quad_ack_trigger,
};
TABLE(nthw_nv_pcounter_g80, "nv_pcounter_g80", regs_g80);

static const struct nthw_reg *const regs_g84[] = {
	OPS, &spec_src, &ctr_cycles, &ctr_cycles_alt, &ctr_event, &ctr_start, &record_status, &ctr_pre, &record_limit, &ctr_stop,
	&record_start, &threshold, &record_chan, &record_dma, &gctrl, &ctrl_g84, &quad_ack_trigger,
};
TABLE(nthw_nv_pcounter_g84, "nv_pcounter_g84", regs_g84);

static const struct nthw_reg *const regs_g92[] = { OPS_G92, &spec_src, COUNTS_G92 };
TABLE(nthw_nv_pcounter_g92, "nv_pcounter_g92", regs_g92);

static const struct nthw_reg *const regs_gt215[] = { OPS_G92, &spec_src, &user_trigger, COUNTS_G92 };
TABLE(nthw_nv_pcounter_gt215, "nv_pcounter_gt215", regs_gt215);

/* Of one domain: 256 levels. The place has the step from domain to domain. */
static const struct nthw_reg *const regs_signals[] = { &sig_status };
TABLE(nthw_nv_signals, "nv_signals", regs_signals);
