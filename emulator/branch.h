/* SPDX-License-Identifier: MIT */
/* Which instructions are branches: jumps, calls, returns and loops, but no exceptions. */
#ifndef NTE_BRANCH_H
#define NTE_BRANCH_H

#include <stddef.h>
#include <stdint.h>

enum nte_branch {
	NTE_NO_BRANCH,	  /* also what is no instruction */
	NTE_ALWAYS_TAKEN, /* jumps, calls and returns */
	NTE_MAY_BE_TAKEN  /* depends on a condition or a counter */
};

/*
 * @code has the @bytes bytes of one instruction as they are in memory; any bytes may be asked of.
 */
enum nte_branch nte_x86_branch(const uint8_t *code, size_t bytes); /* of 64-bit mode */
enum nte_branch nte_aarch64_branch(const uint8_t *code, size_t bytes);
enum nte_branch nte_riscv_branch(const uint8_t *code, size_t bytes); /* RV64 with C */
enum nte_branch nte_ppc_branch(const uint8_t *code, size_t bytes);   /* 64 bits, little-endian */

/* Also an instruction of x86 that does the same again and again: a string instruction with REP. */
int nte_x86_is_rep(const uint8_t *code, size_t bytes);

#endif
