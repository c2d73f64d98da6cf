/* SPDX-License-Identifier: MIT */
/*
 * libpciaccess as count/lib/access/pci.c sees it, made of functions that a test lends: a program
 * that has this file linked in has these instead of the library's. Configuration space only.
 */
#ifndef TT_FAKE_PCIACCESS_H
#define TT_FAKE_PCIACCESS_H

#include <stddef.h>
#include <stdint.h>

#include <pciaccess.h>

#define FAKE_PCI_MAX 16

/*
 * What the bus has; one at a time. Errors of .read and .write are libpciaccess's: positive errno.
 */
struct fake_pci {
	struct pci_device device[FAKE_PCI_MAX];
	size_t count;
	void *arg;
	int (*read)(void *arg, size_t index, uint32_t address, uint32_t bytes, uint32_t *value);
	int (*write)(void *arg, size_t index, uint32_t address, uint32_t bytes, uint32_t value);
};

/* Lent until it is replaced; NULL: no device. */
void fake_pci_use(struct fake_pci *bus);

#endif
