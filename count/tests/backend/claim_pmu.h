/* SPDX-License-Identifier: MIT */
/* A PMU of made-up registers below a root directory of its own, for tests of claims. */
#ifndef TT_CLAIM_PMU_H
#define TT_CLAIM_PMU_H

#include <limits.h>

#include "core/seq/box.h"
#include "count/lib/access/claim.h"

#define PMU_REGISTERS_MAX 24

/* The registers used here, of one uncore of Nehalem. */
#define ENABLE 0x391
#define COUNT2 0x3b2
#define SELECT2 0x3c2
#define COUNT3 0x3b3
#define SELECT3 0x3c3
#define CLEARS 0x393

struct pmu_register {
	uint32_t address;
	uint64_t value;
};

/* All registers of CPU 1, or of one PCI function. */
struct pmu {
	struct nthw_io io; /* first: its functions get this pointer */
	struct nti_claim_access handles;
	const char *device; /* where they have to be asked for */
	struct pmu_register reg[PMU_REGISTERS_MAX];
	size_t count;
	unsigned int accesses, fail_at; /* 1: the first one; 0: none */
	int error;
	void (*before_write)(struct pmu *pmu); /* as well as after it */
	void *arg;
};

extern char pmu_root[];
extern struct nti_os *pmu_os;
extern struct nthw_box_kind pmu_uncore;
extern const struct nti_claim_pmu pmu_claim;

/* cmocka's: make the root directory and the operating system below it, and remove it. */
int pmu_set_up(void **state);
int pmu_tear_down(void **state);
/* Remove every claim. */
void pmu_clear(void);

/* Registers hold what nobody's program would leave in them. */
void pmu_init(struct pmu *pmu);
uint64_t *pmu_at(struct pmu *pmu, uint32_t address);
/* The value of all registers alike? Says which is not. */
void pmu_compare(const struct pmu *got, const struct pmu *want);

/* Path below the root, static memory. */
const char *pmu_path(const char *path);
/* The file of claim "uncore-0": length, or -1 when there is none. */
long pmu_read_file(char *buf, size_t size);
void pmu_write_file(const char *name, const void *text, size_t bytes);

struct nti_claim *pmu_take(struct pmu *pmu);
/* Have two counters count, as core/seq does it. First error. */
int pmu_program(struct nthw_io *io);
/* And put all of it back. */
int pmu_restore(struct nthw_io *io, const struct pmu *before);

#endif
