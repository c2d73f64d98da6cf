/* SPDX-License-Identifier: MIT */
/*
 * The pci and mmio access methods: configuration space and memory of PCI functions, by
 * libpciaccess, as root.
 */
#ifndef NTI_PCI_H
#define NTI_PCI_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/reg.h"
#include "base/common/error.h"
#include "base/os/os.h"

#define NTI_PCI_PUBLIC_BYTES 64 /* of its configuration space: what every user may read */

/* One function; lives as long as the struct nti_pci it is of. */
struct nti_pci_function {
	uint32_t domain, bus, device, function;
	uint32_t vendor_id, device_id;
	char address[16]; /* "0000:7f:10.0" */
};

struct nti_pci;

/*
 * Look at the bus. *@out is NULL with 0 returned where PCI is out of reach: libntime was built
 * without libpciaccess, @os is a recording or below another root directory, or there is no such
 * bus. -ENOMEM.
 */
int nti_pci_new(struct nti_os *os, struct nti_pci **out);
void nti_pci_free(struct nti_pci *p);
/* What it is done with; NULL: nothing, libntime was built without it. */
struct nti_lazy *nti_pci_library(void);

/* Who drives the function at @address: 1, and its @name; 0: nobody; -errno: that cannot be told. */
int nti_pci_driver(struct nti_os *os, const char *address, char *name, size_t size);

/* Functions in the order of their addresses; NULL behind the last. */
const struct nti_pci_function *nti_pci_get(const struct nti_pci *p, size_t index);
/* The function at @address, and its number in *@index (may be NULL); NULL: there is none. */
const struct nti_pci_function *nti_pci_find(const struct nti_pci *p, const char *address,
					    unsigned int *index);

/*
 * Registers of @space: of 8, 16, 24, 32 or 64 bits in configuration space (NTHW_SPACE_PCI), or of
 * 32 or 64 bits in BAR 0 (NTHW_SPACE_MMIO), which is mapped the first time, for writing as well
 * when that is asked for first. 64 bits are read as high, low, high half until the high ones agree,
 * and written low half last. 0, -EACCES, -ENODEV (gone), -EIO with a sentence.
 */
int nti_pci_read(const struct nti_pci_function *f, enum nthw_space space, uint32_t address,
		 uint32_t bits, uint64_t *value, struct nti_error *e);
int nti_pci_write(const struct nti_pci_function *f, enum nthw_space space, uint32_t address,
		  uint32_t bits, uint64_t value, struct nti_error *e);

/*
 * Map the first @bytes of BAR 0, for reading and writing, before anything in it is accessed; what
 * is behind them cannot be. All of a process share one such mapping of a function, as libpciaccess
 * knows one. Errors as of reading.
 */
int nti_pci_memory_share(const struct nti_pci_function *f, uint32_t bytes, struct nti_error *e);

#endif
