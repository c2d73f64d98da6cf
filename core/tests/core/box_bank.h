/* SPDX-License-Identifier: MIT */
/* Boxes over a bank: what the tests of core/seq/box share. */
#ifndef BOX_BANK_H
#define BOX_BANK_H

#include "core/seq/box.h"
#include "core/tests/core/bank.h"

#define CPU 3 /* the bank's */
#define BIT(n) ((uint64_t)1 << (n))
#define FIXED BIT(32)
#define M48 0xffffffffffffull
#define MSR(a) NTHW_SPACE_MSR, a
#define PCI(a) NTHW_SPACE_PCI, a

/* The kind of that name; there must be one. */
const struct nthw_box_kind *kind_of(const char *name);
/* Box @number of kind @name, over @bank, which gets the kind's table as it is after reset. */
struct nthw_box box_of(struct bank *bank, const char *name, uint32_t number);

void set(struct bank *bank, enum nthw_space space, uint32_t address, uint64_t value);
uint64_t at(struct bank *bank, enum nthw_space space, uint32_t address);
/* The log since the last time is @expected. */
void went(struct bank *bank, const char *expected);
struct bank *copy_of(const struct bank *bank);
/*
 * All registers are as in @before, but for bits @flags at address @flags_at and what a guarded
 * handle keeps for itself.
 */
void is_as_found(struct bank *now, struct bank *before, uint32_t flags_at, uint64_t flags);

/* The event of perf's words; they must be one. */
struct nthw_box_event event_of(const struct nthw_box *box, uint64_t config, uint64_t config1);
/* Program it. */
int program(const struct nthw_box *box, uint32_t counter, uint64_t config, uint64_t config1,
	    struct nthw_box_state *state);

#endif
