/* SPDX-License-Identifier: MIT */
/* A bank of made-up registers below a root directory of its own, for tests of claims. */
#ifndef TT_CLAIM_BANK_H
#define TT_CLAIM_BANK_H

#include <limits.h>

#include "core/seq/box.h"
#include "lib/access/claim.h"

#define BANK_REGISTERS_MAX 24

/* The registers used here, of one uncore of Nehalem. */
#define ENABLE 0x391
#define COUNT2 0x3b2
#define SELECT2 0x3c2
#define COUNT3 0x3b3
#define SELECT3 0x3c3
#define CLEARS 0x393

struct bank_register {
	uint32_t address;
	uint64_t value;
};

/* All registers of CPU 1, or of one PCI function. */
struct bank {
	struct nthw_io io; /* first: its functions get this pointer */
	struct nti_claim_access handles;
	const char *device; /* where they have to be asked for */
	struct bank_register reg[BANK_REGISTERS_MAX];
	size_t count;
	unsigned int accesses, fail_at; /* 1: the first one; 0: none */
	int error;
	void (*before_write)(struct bank *bank); /* as well as after it */
	void *arg;
};

extern char bank_root[];
extern struct nti_os *bank_os;
extern struct nthw_box_kind bank_uncore;
extern const struct nti_claim_pmu bank_claim;

/* cmocka's: make the root directory and the operating system below it, and remove it. */
int bank_set_up(void **state);
int bank_tear_down(void **state);
/* Remove every claim. */
void bank_clear(void);

/* Registers hold what nobody's program would leave in them. */
void bank_init(struct bank *bank);
uint64_t *bank_at(struct bank *bank, uint32_t address);
/* The value of all registers alike? Says which is not. */
void bank_compare(const struct bank *got, const struct bank *want);

/* Path below the root, static memory. */
const char *bank_path(const char *path);
/* The file of claim "uncore-0": length, or -1 when there is none. */
long bank_read_file(char *buf, size_t size);
void bank_write_file(const char *name, const void *text, size_t bytes);

struct nti_claim *bank_take(struct bank *bank);
/* Have two counters count, as core/seq does it. First error. */
int bank_program(struct nthw_io *io);
/* And put all of it back. */
int bank_restore(struct nthw_io *io, const struct bank *before);

#endif
