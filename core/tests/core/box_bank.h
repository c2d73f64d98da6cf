/* SPDX-License-Identifier: MIT */
/* Boxes over a bank: what the tests of core/seq/box share. */
#ifndef BOX_BANK_H
#define BOX_BANK_H

#include "core/seq/box.h"
#include "core/tests/core/bank.h"

#define CPU 3 /* the bank's */
#define FIXED BIT(32)
#define PCI(a) NTHW_SPACE_PCI, a

/* The kind of that name; there must be one. */
const struct nthw_box_kind *kind_of(const char *name);
/* Box @number of kind @name, over @bank, which gets the kind's table as it is after reset. */
struct nthw_box box_of(struct bank *bank, const char *name, uint32_t number);

struct bank *copy_of(const struct bank *bank);

/* The event of perf's words; they must be one. */
struct nthw_box_event event_of(const struct nthw_box *box, uint64_t config, uint64_t config1);
/* Program it. */
int program(const struct nthw_box *box, uint32_t counter, uint64_t config, uint64_t config1,
	    struct nthw_box_state *state);

/*
 * Calls and registers as in script.h: "program COUNTER CONFIG CONFIG1", "start SET" and so on.
 * "set", "has" and "changed" take pairs of address and value: others write them, they are compared,
 * they are to be found at the end. "restore" checks that all is as at the first call, "found" that
 * it is as at the last "remember".
 */
struct box_row {
	int line;
	const char *kind;
	uint32_t number;
	const char *text;
};
void box_play(const struct box_row *r);

#endif
