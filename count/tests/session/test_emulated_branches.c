// SPDX-License-Identifier: MIT
/*
 * Which instructions are branches. Encodings are what GNU as 2.40 makes of the text beside them,
 * bytes in the order of memory.
 */
#include "emulator/branch.h"
#include "base/tests/tt.h"

#define BYTES_MOST 16

struct row {
	int line;
	const char *bytes, *text;
	enum nte_branch branch;
};

/* The class is 1 for what repeats, else 0. */
static const struct row rep_rows[] = {
	{ __LINE__, "f3 a4", "rep movsb", 1 },
	{ __LINE__, "f3 48 a5", "rep movsq", 1 },
	{ __LINE__, "f3 66 ab", "rep stosw", 1 },
	{ __LINE__, "f2 ae", "repne scasb", 1 },
	{ __LINE__, "f3 a6", "repe cmpsb", 1 },
	{ __LINE__, "f3 48 ad", "rep lodsq", 1 },
	{ __LINE__, "f3 6e", "rep outsb", 1 },
	{ __LINE__, "f3 6c", "rep insb", 1 },
	{ __LINE__, "a4", "movsb", 0 },
	{ __LINE__, "48 ab", "stosq", 0 },
	{ __LINE__, "f3 90", "pause", 0 },
	{ __LINE__, "f3 c3", "rep ret", 0 },
	{ __LINE__, "f3 a8 01", "rep test $1, %al", 0 },
	{ __LINE__, "f3 0f a5 c0", "no string instruction", 0 },
};

static const struct row x86_rows[] = {
	{ __LINE__, "eb 0e", "jmp .+0x10", NTE_ALWAYS_TAKEN },
	{ __LINE__, "e9 00 01 00 00", "jmp .+0x105", NTE_ALWAYS_TAKEN },
	{ __LINE__, "ff e0", "jmp *%rax", NTE_ALWAYS_TAKEN },
	{ __LINE__, "41 ff 63 08", "jmp *8(%r11)", NTE_ALWAYS_TAKEN },
	{ __LINE__, "48 ff 28", "rex.W ljmp *(%rax)", NTE_ALWAYS_TAKEN },
	{ __LINE__, "e8 fb 00 00 00", "call .+0x100", NTE_ALWAYS_TAKEN },
	{ __LINE__, "41 ff d4", "call *%r12", NTE_ALWAYS_TAKEN },
	{ __LINE__, "ff 18", "lcall *(%rax)", NTE_ALWAYS_TAKEN },
	{ __LINE__, "c3", "ret", NTE_ALWAYS_TAKEN },
	{ __LINE__, "c2 08 00", "ret $8", NTE_ALWAYS_TAKEN },
	{ __LINE__, "f3 c3", "rep ret", NTE_ALWAYS_TAKEN },
	{ __LINE__, "cb", "lret", NTE_ALWAYS_TAKEN },
	{ __LINE__, "ca 08 00", "lret $8", NTE_ALWAYS_TAKEN },
	{ __LINE__, "3e ff e0", "notrack jmp *%rax", NTE_ALWAYS_TAKEN },
	{ __LINE__, "f2 e9 fa 01 00 00", "bnd jmp .+0x200", NTE_ALWAYS_TAKEN },
	{ __LINE__, "70 0e", "jo .+0x10", NTE_MAY_BE_TAKEN },
	{ __LINE__, "7f 0e", "jg .+0x10", NTE_MAY_BE_TAKEN },
	{ __LINE__, "0f 85 fa 0f 00 00", "jne .+0x1000", NTE_MAY_BE_TAKEN },
	{ __LINE__, "0f 8f fa 0f 00 00", "jg .+0x1000", NTE_MAY_BE_TAKEN },
	{ __LINE__, "e0 fe", "loopne .", NTE_MAY_BE_TAKEN },
	{ __LINE__, "e1 fe", "loope .", NTE_MAY_BE_TAKEN },
	{ __LINE__, "e2 fe", "loop .", NTE_MAY_BE_TAKEN },
	{ __LINE__, "e3 fe", "jrcxz .", NTE_MAY_BE_TAKEN },
	{ __LINE__, "67 e3 fd", "jecxz .", NTE_MAY_BE_TAKEN },
	{ __LINE__, "ff c0", "incl %eax", NTE_NO_BRANCH },
	{ __LINE__, "ff 08", "decl (%rax)", NTE_NO_BRANCH },
	{ __LINE__, "50", "push %rax", NTE_NO_BRANCH },
	{ __LINE__, "ff 30", "pushq (%rax)", NTE_NO_BRANCH },
	{ __LINE__, "90", "nop", NTE_NO_BRANCH },
	{ __LINE__, "0f 05", "syscall", NTE_NO_BRANCH },
	{ __LINE__, "cc", "int3", NTE_NO_BRANCH },
	{ __LINE__, "cd 80", "int $0x80", NTE_NO_BRANCH },
	{ __LINE__, "0f 0b", "ud2", NTE_NO_BRANCH },
	{ __LINE__, "f3 a4", "rep movsb", NTE_NO_BRANCH },
	{ __LINE__, "f3 0f 1e fa", "endbr64", NTE_NO_BRANCH },
	{ __LINE__, "0f 95 c0", "setne %al", NTE_NO_BRANCH },
	{ __LINE__, "48 0f 45 d8", "cmovne %rax,%rbx", NTE_NO_BRANCH },
	{ __LINE__, "0f a2", "cpuid", NTE_NO_BRANCH },
	{ __LINE__, "48 05 7f 7f 7f 7f", "addq $0x7f7f7f7f,%rax", NTE_NO_BRANCH },
	{ __LINE__, "b0 e9", "mov $0xe9,%al", NTE_NO_BRANCH },
	{ __LINE__, "c5 f4 58 d0", "vaddps %ymm0,%ymm1,%ymm2", NTE_NO_BRANCH },
	{ __LINE__, "c5 f8 77", "vzeroupper", NTE_NO_BRANCH },
};

static const struct row aarch64_rows[] = {
	{ __LINE__, "04 00 00 14", "b .+0x10", NTE_ALWAYS_TAKEN },
	{ __LINE__, "fc ff ff 17", "b .-0x10", NTE_ALWAYS_TAKEN },
	{ __LINE__, "04 00 00 94", "bl .+0x10", NTE_ALWAYS_TAKEN },
	{ __LINE__, "20 00 1f d6", "br x1", NTE_ALWAYS_TAKEN },
	{ __LINE__, "20 00 3f d6", "blr x1", NTE_ALWAYS_TAKEN },
	{ __LINE__, "c0 03 5f d6", "ret", NTE_ALWAYS_TAKEN },
	{ __LINE__, "60 00 5f d6", "ret x3", NTE_ALWAYS_TAKEN },
	{ __LINE__, "22 08 1f d7", "braa x1,x2", NTE_ALWAYS_TAKEN },
	{ __LINE__, "3f 0c 1f d7", "brab x1,sp", NTE_ALWAYS_TAKEN },
	{ __LINE__, "3f 08 1f d6", "braaz x1", NTE_ALWAYS_TAKEN },
	{ __LINE__, "3f 0c 1f d6", "brabz x1", NTE_ALWAYS_TAKEN },
	{ __LINE__, "22 08 3f d7", "blraa x1,x2", NTE_ALWAYS_TAKEN },
	{ __LINE__, "3f 0c 3f d7", "blrab x1,sp", NTE_ALWAYS_TAKEN },
	{ __LINE__, "3f 08 3f d6", "blraaz x1", NTE_ALWAYS_TAKEN },
	{ __LINE__, "3f 0c 3f d6", "blrabz x1", NTE_ALWAYS_TAKEN },
	{ __LINE__, "ff 0b 5f d6", "retaa", NTE_ALWAYS_TAKEN },
	{ __LINE__, "ff 0f 5f d6", "retab", NTE_ALWAYS_TAKEN },
	{ __LINE__, "40 00 00 54", "b.eq .+8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "cd ff ff 54", "b.le .-8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "4e 00 00 54", "b.al .+8", NTE_ALWAYS_TAKEN },
	{ __LINE__, "4f 00 00 54", "b.nv .+8", NTE_ALWAYS_TAKEN },
	{ __LINE__, "41 00 00 b4", "cbz x1,.+8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "41 00 00 34", "cbz w1,.+8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "41 00 00 b5", "cbnz x1,.+8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "41 00 00 35", "cbnz w1,.+8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "41 00 18 36", "tbz w1,#3,.+8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "c1 ff 47 b7", "tbnz x1,#40,.-8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "e0 03 9f d6", "eret", NTE_NO_BRANCH },
	{ __LINE__, "ff 0b 9f d6", "eretaa", NTE_NO_BRANCH },
	{ __LINE__, "e0 03 bf d6", "drps", NTE_NO_BRANCH },
	{ __LINE__, "01 00 00 d4", "svc #0", NTE_NO_BRANCH },
	{ __LINE__, "02 00 00 d4", "hvc #0", NTE_NO_BRANCH },
	{ __LINE__, "03 00 00 d4", "smc #0", NTE_NO_BRANCH },
	{ __LINE__, "20 00 20 d4", "brk #1", NTE_NO_BRANCH },
	{ __LINE__, "20 00 40 d4", "hlt #1", NTE_NO_BRANCH },
	{ __LINE__, "1f 20 03 d5", "nop", NTE_NO_BRANCH },
	{ __LINE__, "df 24 03 d5", "bti jc", NTE_NO_BRANCH },
	{ __LINE__, "3f 23 03 d5", "paciasp", NTE_NO_BRANCH },
	{ __LINE__, "bf 23 03 d5", "autiasp", NTE_NO_BRANCH },
	{ __LINE__, "9f 3f 03 d5", "dsb sy", NTE_NO_BRANCH },
	{ __LINE__, "df 3f 03 d5", "isb", NTE_NO_BRANCH },
	{ __LINE__, "40 d0 3b d5", "mrs x0,tpidr_el0", NTE_NO_BRANCH },
	{ __LINE__, "20 00 82 9a", "csel x0,x1,x2,eq", NTE_NO_BRANCH },
	{ __LINE__, "00 08 41 fa", "ccmp x0,#1,#0,eq", NTE_NO_BRANCH },
	{ __LINE__, "20 00 02 8b", "add x0,x1,x2", NTE_NO_BRANCH },
	{ __LINE__, "40 00 00 10", "adr x0,.+8", NTE_NO_BRANCH },
	{ __LINE__, "40 00 00 58", "ldr x0,.+8", NTE_NO_BRANCH },
	{ __LINE__, "00 00 00 00", "udf #0", NTE_NO_BRANCH },
};

static const struct row riscv_rows[] = {
	{ __LINE__, "63 04 b5 00", "beq a0,a1,.+8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "e3 1c b5 fe", "bne a0,a1,.-8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "63 44 b5 00", "blt a0,a1,.+8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "63 54 b5 00", "bge a0,a1,.+8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "63 64 b5 00", "bltu a0,a1,.+8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "63 74 b5 00", "bgeu a0,a1,.+8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "ef 00 00 10", "jal .+0x100", NTE_ALWAYS_TAKEN },
	{ __LINE__, "6f 00 00 10", "j .+0x100", NTE_ALWAYS_TAKEN },
	{ __LINE__, "e7 00 05 00", "jalr a0", NTE_ALWAYS_TAKEN },
	{ __LINE__, "67 00 05 00", "jr a0", NTE_ALWAYS_TAKEN },
	{ __LINE__, "67 80 00 00", "ret", NTE_ALWAYS_TAKEN },
	{ __LINE__, "73 00 00 00", "ecall", NTE_NO_BRANCH },
	{ __LINE__, "73 00 10 00", "ebreak", NTE_NO_BRANCH },
	{ __LINE__, "0f 00 f0 0f", "fence", NTE_NO_BRANCH },
	{ __LINE__, "13 05 15 00", "addi a0,a0,1", NTE_NO_BRANCH },
	{ __LINE__, "17 15 00 00", "auipc a0,1", NTE_NO_BRANCH },
	{ __LINE__, "37 15 00 00", "lui a0,1", NTE_NO_BRANCH },
	{ __LINE__, "03 b5 85 00", "ld a0,8(a1)", NTE_NO_BRANCH },
	{ __LINE__, "23 b4 a5 00", "sd a0,8(a1)", NTE_NO_BRANCH },
	{ __LINE__, "2f 25 b6 00", "amoadd.w a0,a1,(a2)", NTE_NO_BRANCH },
	{ __LINE__, "53 f5 c5 02", "fadd.d fa0,fa1,fa2", NTE_NO_BRANCH },
	{ __LINE__, "21 a0", "c.j .+8", NTE_ALWAYS_TAKEN },
	{ __LINE__, "01 c5", "c.beqz a0,.+8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "65 fd", "c.bnez a0,.-8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "02 85", "c.jr a0", NTE_ALWAYS_TAKEN },
	{ __LINE__, "82 80", "c.jr ra", NTE_ALWAYS_TAKEN },
	{ __LINE__, "02 95", "c.jalr a0", NTE_ALWAYS_TAKEN },
	{ __LINE__, "02 90", "c.ebreak", NTE_NO_BRANCH },
	{ __LINE__, "2e 85", "c.mv a0,a1", NTE_NO_BRANCH },
	{ __LINE__, "2e 95", "c.add a0,a1", NTE_NO_BRANCH },
	{ __LINE__, "05 05", "c.addi a0,1", NTE_NO_BRANCH },
	{ __LINE__, "05 25", "c.addiw a0,1", NTE_NO_BRANCH },
	{ __LINE__, "05 45", "c.li a0,1", NTE_NO_BRANCH },
	{ __LINE__, "05 65", "c.lui a0,1", NTE_NO_BRANCH },
	{ __LINE__, "41 61", "c.addi16sp sp,16", NTE_NO_BRANCH },
	{ __LINE__, "0d 8d", "c.sub a0,a1", NTE_NO_BRANCH },
	{ __LINE__, "88 65", "c.ld a0,8(a1)", NTE_NO_BRANCH },
	{ __LINE__, "88 e5", "c.sd a0,8(a1)", NTE_NO_BRANCH },
	{ __LINE__, "88 25", "c.fld fa0,8(a1)", NTE_NO_BRANCH },
	{ __LINE__, "22 65", "c.ldsp a0,8(sp)", NTE_NO_BRANCH },
	{ __LINE__, "2a e4", "c.sdsp a0,8(sp)", NTE_NO_BRANCH },
	{ __LINE__, "06 05", "c.slli a0,1", NTE_NO_BRANCH },
	{ __LINE__, "01 00", "c.nop", NTE_NO_BRANCH },
	{ __LINE__, "00 00", "c.unimp", NTE_NO_BRANCH },
};

static const struct row ppc_rows[] = {
	{ __LINE__, "00 01 00 48", "b .+0x100", NTE_ALWAYS_TAKEN },
	{ __LINE__, "01 01 00 48", "bl .+0x100", NTE_ALWAYS_TAKEN },
	{ __LINE__, "02 01 00 48", "ba 0x100", NTE_ALWAYS_TAKEN },
	{ __LINE__, "03 01 00 48", "bla 0x100", NTE_ALWAYS_TAKEN },
	{ __LINE__, "08 00 82 41", "beq .+8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "f8 ff 9e 40", "bne cr7,.-8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "f8 ff 00 42", "bdnz .-8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "08 00 40 42", "bdz .+8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "08 00 02 41", "bdnzt 2,.+8", NTE_MAY_BE_TAKEN },
	{ __LINE__, "08 00 80 42", "bc 20,0,.+8", NTE_ALWAYS_TAKEN },
	{ __LINE__, "05 00 9f 42", "bcl 20,31,.+4", NTE_ALWAYS_TAKEN },
	{ __LINE__, "20 00 80 4e", "blr", NTE_ALWAYS_TAKEN },
	{ __LINE__, "21 00 80 4e", "blrl", NTE_ALWAYS_TAKEN },
	{ __LINE__, "20 00 82 4d", "beqlr", NTE_MAY_BE_TAKEN },
	{ __LINE__, "20 00 00 4e", "bdnzlr", NTE_MAY_BE_TAKEN },
	{ __LINE__, "20 00 02 4c", "bclr 0,2", NTE_MAY_BE_TAKEN },
	{ __LINE__, "20 04 80 4e", "bctr", NTE_ALWAYS_TAKEN },
	{ __LINE__, "21 04 80 4e", "bctrl", NTE_ALWAYS_TAKEN },
	{ __LINE__, "20 04 82 4d", "beqctr", NTE_MAY_BE_TAKEN },
	{ __LINE__, "60 04 80 4e", "bctar 20,0", NTE_ALWAYS_TAKEN },
	{ __LINE__, "60 04 82 4d", "beqtar", NTE_MAY_BE_TAKEN },
	{ __LINE__, "61 04 80 4e", "bctarl 20,0", NTE_ALWAYS_TAKEN },
	{ __LINE__, "02 00 00 44", "sc", NTE_NO_BRANCH },
	{ __LINE__, "01 00 00 44", "scv 0", NTE_NO_BRANCH },
	{ __LINE__, "00 00 04 4c", "mcrf 0,1", NTE_NO_BRANCH },
	{ __LINE__, "02 12 01 4c", "crand 0,1,2", NTE_NO_BRANCH },
	{ __LINE__, "82 13 01 4c", "cror 0,1,2", NTE_NO_BRANCH },
	{ __LINE__, "2c 01 00 4c", "isync", NTE_NO_BRANCH },
	{ __LINE__, "24 00 00 4c", "rfid", NTE_NO_BRANCH },
	{ __LINE__, "04 00 60 4c", "addpcis 3,0", NTE_NO_BRANCH },
	{ __LINE__, "08 00 e0 7f", "trap", NTE_NO_BRANCH },
	{ __LINE__, "00 00 00 60", "nop", NTE_NO_BRANCH },
	{ __LINE__, "01 00 63 38", "addi 3,3,1", NTE_NO_BRANCH },
	{ __LINE__, "00 00 23 2c", "cmpdi 3,0", NTE_NO_BRANCH },
	{ __LINE__, "a6 03 69 7c", "mtctr 3", NTE_NO_BRANCH },
	{ __LINE__, "a6 02 08 7c", "mflr 0", NTE_NO_BRANCH },
	{ __LINE__, "08 00 64 e8", "ld 3,8(4)", NTE_NO_BRANCH },
	{ __LINE__, "08 00 64 f8", "std 3,8(4)", NTE_NO_BRANCH },
	{ __LINE__, "9e 28 64 7c", "isel 3,4,5,2", NTE_NO_BRANCH },
	{ __LINE__, "00 00 00 06 01 00 63 38", "paddi 3,3,1", NTE_NO_BRANCH },
};

static size_t decode(const char *text, uint8_t code[BYTES_MOST])
{
	size_t n = 0;
	char *end;

	for (; *text && n < BYTES_MOST; text = end)
		code[n++] = (uint8_t)strtoul(text, &end, 16);
	return n;
}

/* Also of as many bytes less, in memory that ends there: a sanitizer sees who looks behind it. */
static void check(const struct row *rows, size_t n,
		  enum nte_branch (*of)(const uint8_t *code, size_t bytes))
{
	for (const struct row *r = rows; r < rows + n; r++) {
		uint8_t code[BYTES_MOST];
		size_t bytes = decode(r->bytes, code), i;

		TT_EQ(r, of(code, bytes), r->branch);
		for (i = 1; i < bytes; i++) {
			uint8_t *part = malloc(i);

			assert_non_null(part);
			memcpy(part, code, i);
			(void)of(part, i);
			free(part);
		}
		TT_EQ(r, of(code, 0), NTE_NO_BRANCH);
	}
}

#define CHECK(rows, of) check((rows), sizeof(rows) / sizeof((rows)[0]), (of))

static enum nte_branch is_rep(const uint8_t *code, size_t bytes)
{
	return (enum nte_branch)nte_x86_is_rep(code, bytes);
}

TEST(string_instructions_that_repeat)
{
	CHECK(rep_rows, is_rep);
}

TEST(branches_are_known_by_their_encodings)
{
	CHECK(x86_rows, nte_x86_branch);
	CHECK(aarch64_rows, nte_aarch64_branch);
	CHECK(riscv_rows, nte_riscv_branch);
	CHECK(ppc_rows, nte_ppc_branch);
}

/* Of each half of which C makes an instruction: how many of each kind, counted by the manual. */
TEST(compressed_ones_are_few)
{
	unsigned int n[3] = { 0 }, op;

	for (op = 0; op < 0x10000; op++) {
		uint8_t code[2] = { (uint8_t)op, (uint8_t)(op >> 8) };

		if ((op & 3) != 3)
			n[nte_riscv_branch(code, 2)]++;
	}
	/* C.J of 11 bits of distance, C.JR and C.JALR of 31 registers each. */
	TT_IS(n[NTE_ALWAYS_TAKEN], 2048 + 2 * 31);
	/* C.BEQZ and C.BNEZ of 8 registers and 8 bits. */
	TT_IS(n[NTE_MAY_BE_TAKEN], 2 * 8 * 256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(string_instructions_that_repeat),
		cmocka_unit_test(branches_are_known_by_their_encodings),
		cmocka_unit_test(compressed_ones_are_few),
	};

	return TT_RUN(tests);
}
