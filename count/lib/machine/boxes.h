/* SPDX-License-Identifier: MIT */
/*
 * Which boxes of counters this machine has that registers reach: found by CPUID, by PCI ids and by
 * asking their registers, and attached to the units. A unit that the kernel has gets a box for each
 * of its CPUs; one that the kernel lacks is added under the name the kernel would give it, with a
 * box for each package, last level cache or core, or absent with the reason why its registers
 * cannot be reached.
 */
#ifndef NTI_BOXES_H
#define NTI_BOXES_H

#include <stddef.h>

#include "base/common/error.h"
#include "count/lib/machine/unit.h"
#include "base/os/os.h"

/* A CPU that is on line; -1 where the topology does not tell. */
struct nti_boxes_cpu {
	unsigned int cpu;
	int core, l3; /* numbers from 0, not the kernel's */
	/* likewise; where packages have several dies, of its die: boxes are once a die */
	int package;
};

struct nti_box_pci;

/* What the caller lends. */
struct nti_boxes_source {
	void *arg;
	/*
	 * The topology, asked only when a unit is to be added: all CPUs on line, ascending, in
	 * memory that stays. 0 or -errno.
	 */
	int (*cpus)(void *arg, const struct nti_boxes_cpu **out, size_t *n);
	const struct nti_box_pci *pci; /* NULL: those of this machine */
};

/*
 * Complete @units, which were loaded. Registers are read, never written. A box that nobody can ask
 * about makes its unit absent: the only error is -ENOMEM, with a sentence in @e.
 */
int nti_boxes_add(struct nti_os *os, const struct nti_boxes_source *lent, struct nti_units *units,
		  struct nti_error *e);

#endif
