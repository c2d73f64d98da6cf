// SPDX-License-Identifier: MIT
/* Instructions that branch, by their encodings. */
#include "emulator/branch.h"

/* Legacy prefixes and REX of Intel's SDM vol. 2A, 2.1.1 and 2.2.1. */
static int is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e ||
	       byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65 ||
	       byte == 0xf0 || (byte & 0xf0) == 0x40;
}

/* SDM vol. 2D, appendix A: near and far ones. */
enum nte_branch nte_x86_branch(const uint8_t *code, size_t bytes)
{
	size_t i = 0;
	unsigned int what;

	while (i < bytes && is_prefix(code[i]))
		i++;
	if (i >= bytes)
		return NTE_NO_BRANCH;
	switch (code[i]) {
	case 0x0f: /* Jcc, far displacement */
		return i + 1 < bytes && (code[i + 1] & 0xf0) == 0x80 ? NTE_MAY_BE_TAKEN
								     : NTE_NO_BRANCH;
	case 0xff: /* CALL and JMP through a register or memory */
		what = i + 1 < bytes ? code[i + 1] >> 3 & 7 : 0;
		return what >= 2 && what <= 5 ? NTE_ALWAYS_TAKEN : NTE_NO_BRANCH;
	case 0xc2: /* RET */
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xe8: /* CALL */
	case 0xe9: /* JMP */
	case 0xeb:
		return NTE_ALWAYS_TAKEN;
	case 0xe0: /* LOOPNE, LOOPE, LOOP, JRCXZ */
	case 0xe1:
	case 0xe2:
	case 0xe3:
		return NTE_MAY_BE_TAKEN;
	default: /* Jcc, short */
		return (code[i] & 0xf0) == 0x70 ? NTE_MAY_BE_TAKEN : NTE_NO_BRANCH;
	}
}

/* SDM vol. 2B, REP: INS, OUTS, MOVS, CMPS, STOS, LODS, SCAS. */
int nte_x86_is_rep(const uint8_t *code, size_t bytes)
{
	int has_rep = 0;
	size_t i;

	for (i = 0; i < bytes && is_prefix(code[i]); i++)
		has_rep |= code[i] == 0xf2 || code[i] == 0xf3;
	return has_rep && i < bytes &&
	       ((code[i] >= 0x6c && code[i] <= 0x6f) || (code[i] >= 0xa4 && code[i] <= 0xa7) ||
		(code[i] >= 0xaa && code[i] <= 0xaf));
}

/* Instructions are little-endian on all processors that follow. */
static uint32_t half(const uint8_t *code)
{
	return (uint32_t)code[0] | (uint32_t)code[1] << 8;
}

static uint32_t word(const uint8_t *code)
{
	return half(code) | half(code + 2) << 16;
}

/* BR, BLR, RET, and with authentication of pointers BRAA, BLRAA, RETAA and their like. */
static enum nte_branch a64_register_branch(uint32_t op)
{
	unsigned int what = op >> 21 & 15, key = op >> 10 & 63;

	/* ERET and DRPS (4, 5) return from exceptions. */
	if ((op >> 16 & 31) != 31)
		return NTE_NO_BRANCH;
	if (what <= 2)
		return key == 0 || key == 2 || key == 3 ? NTE_ALWAYS_TAKEN : NTE_NO_BRANCH;
	return (what == 8 || what == 9) && (key == 2 || key == 3) ? NTE_ALWAYS_TAKEN
								  : NTE_NO_BRANCH;
}

/* Arm ARM (DDI 0487), C4.1: branches, exception generating and system instructions. */
enum nte_branch nte_aarch64_branch(const uint8_t *code, size_t bytes)
{
	uint32_t op;

	if (bytes < 4)
		return NTE_NO_BRANCH;
	op = word(code);
	if ((op & 0x7c000000) == 0x14000000) /* B, BL */
		return NTE_ALWAYS_TAKEN;
	if ((op & 0x7c000000) == 0x34000000) /* CBZ, CBNZ, TBZ, TBNZ */
		return NTE_MAY_BE_TAKEN;
	if ((op & 0xff000000) == 0x54000000) /* B.cond, BC.cond; AL and NV are always true */
		return (op & 14) == 14 ? NTE_ALWAYS_TAKEN : NTE_MAY_BE_TAKEN;
	if ((op & 0xfe000000) == 0xd6000000)
		return a64_register_branch(op);
	return NTE_NO_BRANCH;
}

/* RISC-V unprivileged ISA, table of RVC instructions, RV64. */
static enum nte_branch rvc_branch(uint32_t op)
{
	switch (op & 0xe003) {
	case 0xa001: /* C.J */
		return NTE_ALWAYS_TAKEN;
	case 0xc001: /* C.BEQZ */
	case 0xe001: /* C.BNEZ */
		return NTE_MAY_BE_TAKEN;
	case 0x8002: /* C.JR and C.JALR; with rs2 C.MV and C.ADD, without rs1 C.EBREAK */
		return (op >> 2 & 31) == 0 && (op >> 7 & 31) != 0 ? NTE_ALWAYS_TAKEN
								  : NTE_NO_BRANCH;
	default:
		return NTE_NO_BRANCH;
	}
}

enum nte_branch nte_riscv_branch(const uint8_t *code, size_t bytes)
{
	unsigned int funct3;
	uint32_t op;

	if (bytes < 2)
		return NTE_NO_BRANCH;
	if ((code[0] & 3) != 3)
		return rvc_branch(half(code));
	if (bytes < 4)
		return NTE_NO_BRANCH;
	op = word(code);
	funct3 = op >> 12 & 7;
	switch (op & 0x7f) {
	case 0x63: /* BRANCH; 2 and 3 are none */
		return funct3 == 2 || funct3 == 3 ? NTE_NO_BRANCH : NTE_MAY_BE_TAKEN;
	case 0x67: /* JALR */
		return funct3 == 0 ? NTE_ALWAYS_TAKEN : NTE_NO_BRANCH;
	case 0x6f: /* JAL */
		return NTE_ALWAYS_TAKEN;
	default:
		return NTE_NO_BRANCH;
	}
}

/* Power ISA 3.1, book I, 2.4 and 2.5. A prefix (opcode 1) is of none. */
enum nte_branch nte_ppc_branch(const uint8_t *code, size_t bytes)
{
	unsigned int extended;
	uint32_t op;

	if (bytes < 4)
		return NTE_NO_BRANCH;
	op = word(code);
	switch (op >> 26) {
	case 18: /* b */
		return NTE_ALWAYS_TAKEN;
	case 19: /* bclr, bcctr, bctar */
		extended = op >> 1 & 0x3ff;
		if (extended != 16 && extended != 528 && extended != 560)
			return NTE_NO_BRANCH;
		break;
	case 16: /* bc */
		break;
	default:
		return NTE_NO_BRANCH;
	}
	/* BO: 0x10 ignores the condition, 4 the counter. */
	return (op >> 21 & 0x14) == 0x14 ? NTE_ALWAYS_TAKEN : NTE_MAY_BE_TAKEN;
}
