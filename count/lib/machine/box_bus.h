/* SPDX-License-Identifier: MIT */
/* Which package a PCI bus belongs to: boxes in configuration space do not say so themselves. */
#ifndef NTI_BOX_BUS_H
#define NTI_BOX_BUS_H

#include <stdbool.h>

#include "count/lib/access/pci.h"
#include "base/os/os.h"

/* PCI functions, and 32 bits of their configuration space: struct nti_pci, or a test's. */
struct nti_box_pci {
	void *arg;
	/* In the order of their addresses; NULL behind the last. */
	const struct nti_pci_function *(*get)(void *arg, size_t index);
	int (*read)(void *arg, const struct nti_pci_function *f, uint32_t address, uint64_t *value);
};

struct nti_box_buses;

/* Look at the functions that tell. 0 or -ENOMEM. */
int nti_box_buses_new(struct nti_os *os, const struct nti_box_pci *pci, struct nti_box_buses **out);
void nti_box_buses_free(struct nti_box_buses *b);

/* Package of @f's bus as the kernel's physical_package_id has it; -1: nobody tells. */
int nti_box_buses_package(const struct nti_box_buses *b, const struct nti_pci_function *f);

/* Package of CPU @cpu by the same number; 0 where the kernel does not tell: then there is one. */
unsigned int nti_box_package_of(struct nti_os *os, unsigned int cpu);

#endif
