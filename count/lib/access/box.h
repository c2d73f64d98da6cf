/* SPDX-License-Identifier: MIT */
/* Where a block of counters is that registers reach. */
#ifndef NTI_ACCESS_BOX_H
#define NTI_ACCESS_BOX_H

#include <stdbool.h>
#include <stdint.h>

struct nthw_box_kind;

/* One box of a unit, that registers reach: what core/seq/box.h counts with. */
struct nti_unit_box {
	const struct nthw_box_kind *kind; /* static memory */
	uint32_t number;      /* among those of its kind that one CPU or PCI function reaches */
	unsigned int cpu;     /* on line, of the box's package, last level cache or core */
	unsigned int package; /* as the kernel's physical_package_id has it */
	bool has_dies;	      /* the package has several, and one of this box in each: */
	unsigned int die;     /* as the kernel's die_id has it */
	char function[16];    /* PCI address "0000:7f:10.0"; "" for MSRs */
};

struct nthw_nv_chip;

/* A graphics card, whose counters are one unit. */
struct nti_unit_card {
	const struct nthw_nv_chip *chip; /* static memory */
	uint32_t units;			 /* which it has: NTHW_NV_UNITS of core/regs/nv50_wires.h */
	char *socket;			 /* of a model; owned by the unit; NULL: it is on the bus */
	char function[16];		 /* there: PCI address "0000:01:00.0" */
	/*
	 * Its multiprocessors as one context has them, a unit of which nobody knows but the
	 * sessions that count there; NULL: no channel can be had
	 */
	struct nti_unit *mps;
	bool is_mps; /* it is that one */
};

/* Of what a unit has one instance each. */
enum nti_unit_scope {
	NTI_SCOPE_CPU,
	NTI_SCOPE_CORE,
	NTI_SCOPE_L3,
	NTI_SCOPE_PACKAGE,
	NTI_SCOPE_DEVICE = 5, /* as in enum ntime_scope */
};

#endif
