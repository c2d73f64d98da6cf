/* SPDX-License-Identifier: MIT */
/*
 * Registers that behave as their rows say, behind struct nthw_io, with a log of what was accessed.
 * Access number .fail_at fails. With .is_guarded writing follows the rules of ntime.ko: bits that
 * the row gives away, and clearing of those that may be cleared.
 */
#ifndef BANK_H
#define BANK_H

#include "core/base/io.h"
#include "core/tests/core/script.h"

#define BIT(n) ((uint64_t)1 << (n))
#define M48 0xffffffffffffull
#define MSR(a) NTHW_SPACE_MSR, a

#define BANK_CELLS 400
#define BANK_LOG 8192

struct bank_cell {
	const struct nthw_table *table;
	const struct nthw_reg *reg;
	uint32_t index;
	uint64_t value;
};

struct bank {
	struct nthw_io io;
	unsigned int cpu; /* any other is an error of the test */
	bool is_guarded;
	int fail_at;	   /* access that fails, from 0; -1: none */
	bool fails_on;	   /* and all behind it: what was there has gone */
	bool fails_behind; /* a write that fails has been done all the same */
	int error;	   /* what it answers */
	int accesses;
	size_t cells;
	struct bank_cell cell[BANK_CELLS];
	char log[BANK_LOG];
};

/*
 * All registers of @tables, @count of them, as they are after reset; that of row .addr alone where
 * there are more than one of a PMU.
 */
void bank_init(struct bank *bank, const struct nthw_table *const *tables, size_t count);
/* NULL when there is none. */
struct bank_cell *bank_find(struct bank *bank, enum nthw_space space, uint32_t address);
uint64_t *bank_at(struct bank *bank, enum nthw_space space, uint32_t address);
/* Forget the log. */
void bank_forget(struct bank *bank);

void set(struct bank *bank, enum nthw_space space, uint32_t address, uint64_t value);
uint64_t at(struct bank *bank, enum nthw_space space, uint32_t address);
/*
 * All registers are as in @before, but for @bits of *@flags, a value in @before, and what a guarded
 * handle keeps for itself.
 */
void bank_is_as_found(const struct bank *now, const struct bank *before, const uint64_t *flags,
		      uint64_t bits);
/* Does it if the call is "set", "has" or "changed" (in @before), with pairs of address, value. */
bool bank_is_set(struct bank *bank, struct bank *before, const struct script_call *call);

#endif
