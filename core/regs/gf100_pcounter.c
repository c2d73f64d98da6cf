// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * One domain of PCOUNTER of Fermi (GF100 to GF119): the same counters as before in another layout, one block of 0x200 bytes each, in every GPC, every
 * memory partition and once for the rest. Addresses are offsets in the block.
 *
 * Read in envytools, rnndb gf100_pcounter.xml, and compared with what NVIDIA's driver wrote in traces of GF108 (the public collection of
 * re-pcounter-tools): CTRL is written 0x40002 | mode << 3, SWAP_SRC, one acknowledge.
 */
#include "core/regs/nv50_chip.h"

#define RNNDB "envytools rnndb gf100_pcounter.xml"

#define ROW(id, label, at, mask, list)                                                             \
	static const struct nthw_reg id = {                                                        \
		.name = (label), .space = NTHW_SPACE_MMIO, .addr = (at), .count = 1, .bits = 32, .writable = (mask), NTHW_FIELDS(list), \
		.source = RNNDB, .trust = NTHW_DOCUMENTED, .scope = NTHW_SCOPE_DEVICE,             \
	}

static const struct nthw_field signal_fields[] = {
	{ "LEVELS", 0, 32, NTHW_RO, "level of 32 signals now: signal 32 i + bit" },
};
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
#define DELAY_FIELDS                                                                               \
	{ "ARG2", 19, 1, NTHW_RW, "argument 2 is what signal 0 was one clock ago" },               \
	{ "ARG3_SRC", 20, 1, NTHW_RW, "argument 3 is what signal 1 was one clock ago" },           \
	{ "unknown21", 21, 11, NTHW_RO, "nothing is known of them" }
static const struct nthw_field op_fields[] = {
	TABLE_FIELDS,
	{ "unknown18", 18, 1, NTHW_RO, "without effect" },
	DELAY_FIELDS,
};
static const struct nthw_field flag_op_fields[] = {
	TABLE_FIELDS,
	{ "ARG3", 18, 1, NTHW_RW, "argument 3 is the output of SETFLAG" },
	DELAY_FIELDS,
};
static const struct nthw_field status_fields[] = {
	{ "PRE", 0, 4, NTHW_RO, "levels of the four signals of PRE_SRC now" },
	{ "START", 4, 4, NTHW_RO, "of START_SRC" },
	{ "EVENT", 8, 4, NTHW_RO, "of EVENT_SRC" },
	{ "STOP", 12, 4, NTHW_RO, "of STOP_SRC" },
	{ "SETFLAG", 16, 4, NTHW_RO, "of the arguments of SETFLAG_OP" },
	{ "CLRFLAG", 20, 4, NTHW_RO, "of the arguments of CLRFLAG_OP" },
	{ "unknown24", 24, 8, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field swap_fields[] = {
	{ "SWAP", 0, 8, NTHW_RW, "signal that ends a period of QUAD mode" },
	{ "unknown8", 8, 24, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field count_fields[] = {
	{ "COUNT", 0, 32, NTHW_RO, "count of the last period; 0xffffffff: at least so many" },
};
static const struct nthw_field threshold_fields[] = {
	{ "EVENTS", 0, 32, NTHW_RW, "SINGLE mode: periods with so many events count in START" },
};
static const struct nthw_field trigger_fields[] = {
	{ "TRIGGER", 0, 32, NTHW_W1C, "a write acts" },
};
static const struct nthw_field ctrl_fields[] = {
	{ "MODE", 0, 3, NTHW_RW, "how a period begins and ends" },
	{ "CTR_MODE", 3, 3, NTHW_RW, "what EVENT adds in a clock" },
	{ "EVENT_CTR_PERIOD", 6, 1, NTHW_RW, "SINGLE mode: EVENT is of one period or of all" },
	{ "EVENT_IMPORT_MODE", 7, 1, NTHW_RW, "how EVENT of other domains comes over" },
	{ "FLAG_IMPORT_MODE", 8, 1, NTHW_RW, "how FLAG of other domains comes over" },
	{ "UNK9", 9, 8, NTHW_RW, "exists; what it does is unknown" },
	{ "unknown17", 17, 1, NTHW_RO, "nothing is known of it" },
	{ "UNK18", 18, 3, NTHW_RW, "NVIDIA's driver writes 1" },
	{ "PERIODIC_PERIOD", 21, 3, NTHW_RW, "clocks between two pulses of the signal PERIODIC" },
	{ "QUAD_STATE", 24, 2, NTHW_RO, "periods that were not acknowledged" },
	{ "UNK26", 26, 2, NTHW_RO, "exists; what it does is unknown" },
	{ "SINGLE_STATE", 28, 2, NTHW_RO, "what SINGLE mode waits for" },
	{ "unknown30", 30, 1, NTHW_RO, "nothing is known of it" },
	{ "UNK31", 31, 1, NTHW_RO, "exists; what it does is unknown" },
};
static const struct nthw_field ack_fields[] = {
	{ "ACK", 0, 1, NTHW_W1C, "QUAD_STATE goes one step down" },
	{ "unknown1", 1, 31, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field user_fields[] = {
	{ "VAL", 0, 4, NTHW_RW, "levels of signals USER_0 to USER_3" },
	{ "PULSE", 4, 4, NTHW_RW, "they go back to 0 one clock later" },
	{ "unknown8", 8, 24, NTHW_RO, "nothing is known of them" },
};
static const struct nthw_field filter_fields[] = {
	{ "SRC_MASK", 0, 31, NTHW_RW, "which sources come through" },
	{ "ENABLE", 31, 1, NTHW_RW, "the mask has an effect" },
};

static const struct nthw_reg sig_status = {
	.name = "STATUS", .space = NTHW_SPACE_MMIO, .addr = 0, .step = 4, .count = 8, .bits = 32, NTHW_FIELDS(signal_fields), .source = RNNDB,
	.trust = NTHW_DOCUMENTED, .scope = NTHW_SCOPE_DEVICE,
};
ROW(pre_src, "PRE_SRC", 0x40, 0xffffffff, source_fields);
ROW(pre_op, "PRE_OP", 0x44, 0x1bffff, op_fields);
ROW(start_src, "START_SRC", 0x48, 0xffffffff, source_fields);
ROW(start_op, "START_OP", 0x4c, 0x1bffff, op_fields);
ROW(event_src, "EVENT_SRC", 0x50, 0xffffffff, source_fields);
ROW(event_op, "EVENT_OP", 0x54, 0x1fffff, flag_op_fields);
ROW(stop_src, "STOP_SRC", 0x58, 0xffffffff, source_fields);
ROW(stop_op, "STOP_OP", 0x5c, 0x1fffff, flag_op_fields);
ROW(setflag_op, "SETFLAG_OP", 0x60, 0x1bffff, op_fields);
ROW(clrflag_op, "CLRFLAG_OP", 0x64, 0x1bffff, op_fields);
ROW(src_status, "SRC_STATUS", 0x68, 0, status_fields);
ROW(swap_src, "SWAP_SRC", 0x6c, 0xff, swap_fields);
ROW(ctr_cycles, "CTR_CYCLES", 0x70, 0, count_fields);
ROW(ctr_event, "CTR_EVENT", 0x80, 0, count_fields);
ROW(ctr_start, "CTR_START", 0x88, 0, count_fields);
ROW(ctr_pre, "CTR_PRE", 0x8c, 0, count_fields);
ROW(ctr_stop, "CTR_STOP", 0x90, 0, count_fields);
ROW(single_abort, "SINGLE_ABORT_TRIGGER", 0x94, 0xffffffff, trigger_fields);
ROW(threshold, "THRESHOLD", 0x98, 0xffffffff, threshold_fields);
ROW(ctrl, "CTRL", 0x9c, 0x00fdffff, ctrl_fields);
ROW(quad_ack_trigger, "QUAD_ACK_TRIGGER", 0xa0, 1, ack_fields);
ROW(single_begin, "SINGLE_BEGIN_TRIGGER", 0xe0, 0xffffffff, trigger_fields);
ROW(user_trigger, "USER_TRIGGER", 0xec, 0xff, user_fields);
ROW(filter, "FILTER", 0x100, 0xffffffff, filter_fields);

static const struct nthw_choice choices[] = {
	{ ctrl_fields, "MODE", 0, "HALTED" },
	{ ctrl_fields, "MODE", 1, "SINGLE" },
	{ ctrl_fields, "MODE", 2, "QUAD" },
	{ ctrl_fields, "CTR_MODE", 0, "SIMPLE" },
	{ ctrl_fields, "CTR_MODE", 1, "EVENT_B4" },
	{ ctrl_fields, "CTR_MODE", 2, "EVENT_B6" },
	{ ctrl_fields, "CTR_MODE", 3, "EXTRA_B4" },
	{ ctrl_fields, "CTR_MODE", 4, "EXTRA_B6_EVENT_B2" },
	{ ctrl_fields, "EVENT_CTR_PERIOD", 0, "ONE" },
	{ ctrl_fields, "EVENT_CTR_PERIOD", 1, "ALL" },
	{ ctrl_fields, "EVENT_IMPORT_MODE", 0, "CONTINUOUS" },
	{ ctrl_fields, "EVENT_IMPORT_MODE", 1, "PULSE" },
	{ ctrl_fields, "FLAG_IMPORT_MODE", 0, "CONTINUOUS" },
	{ ctrl_fields, "FLAG_IMPORT_MODE", 1, "PULSE" },
	{ ctrl_fields, "PERIODIC_PERIOD", 0, "DISABLED" },
	{ ctrl_fields, "PERIODIC_PERIOD", 1, "1K" },
	{ ctrl_fields, "PERIODIC_PERIOD", 2, "2K" },
	{ ctrl_fields, "PERIODIC_PERIOD", 3, "4K" },
	{ ctrl_fields, "PERIODIC_PERIOD", 4, "8K" },
	{ ctrl_fields, "PERIODIC_PERIOD", 5, "16K" },
	{ ctrl_fields, "PERIODIC_PERIOD", 6, "32K" },
	{ ctrl_fields, "PERIODIC_PERIOD", 7, "64K" },
	{ ctrl_fields, "QUAD_STATE", 0, "EMPTY" },
	{ ctrl_fields, "QUAD_STATE", 1, "VALID" },
	{ ctrl_fields, "QUAD_STATE", 3, "OVERFLOW" },
	{ ctrl_fields, "SINGLE_STATE", 0, "INACTIVE" },
	{ ctrl_fields, "SINGLE_STATE", 1, "WAIT_PRE" },
	{ ctrl_fields, "SINGLE_STATE", 2, "WAIT_START" },
	{ ctrl_fields, "SINGLE_STATE", 3, "COUNTING" },
	{ flag_op_fields, "ARG3", 0, "SRC" },
	{ flag_op_fields, "ARG3", 1, "SETFLAG" },
	{ flag_op_fields, "ARG2", 0, "SRC2" },
	{ flag_op_fields, "ARG2", 1, "SRC0_DELAY1" },
	{ flag_op_fields, "ARG3_SRC", 0, "SRC3" },
	{ flag_op_fields, "ARG3_SRC", 1, "SRC1_DELAY1" },
	{ op_fields, "ARG2", 0, "SRC2" },
	{ op_fields, "ARG2", 1, "SRC0_DELAY1" },
	{ op_fields, "ARG3_SRC", 0, "SRC3" },
	{ op_fields, "ARG3_SRC", 1, "SRC1_DELAY1" },
};

static const struct nthw_reg *const regs[] = {
	&sig_status, &pre_src, &pre_op, &start_src, &start_op, &event_src, &event_op, &stop_src, &stop_op, &setflag_op, &clrflag_op, &src_status,
	&swap_src, &ctr_cycles, &ctr_event, &ctr_start, &ctr_pre, &ctr_stop, &single_abort, &threshold, &ctrl, &quad_ack_trigger, &single_begin,
	&user_trigger, &filter,
};
const struct nthw_nv_table nthw_nv_pcounter_gf100 = {
	.rows = { .name = "nv_pcounter_gf100", .regs = regs, .count = NTHW_ARRAY_SIZE(regs) },
	.choices = choices, .choice_count = NTHW_ARRAY_SIZE(choices),
};
