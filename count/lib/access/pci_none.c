// SPDX-License-Identifier: MIT
/*
 * The pci and mmio access methods of a library that was built without libpciaccess: there is no PCI
 * function to be seen.
 */
#include <errno.h>

#include "count/lib/access/pci.h"

int nti_pci_new(struct nti_os *os, struct nti_pci **out)
{
	(void)os;
	*out = NULL;
	return 0;
}

struct nti_lazy *nti_pci_library(void)
{
	return NULL;
}

void nti_pci_free(struct nti_pci *p)
{
	(void)p;
}

const struct nti_pci_function *nti_pci_get(const struct nti_pci *p, size_t index)
{
	(void)p;
	(void)index;
	return NULL;
}

static int missing(struct nti_error *e)
{
	return nti_error(e, -ENOTSUP, "this libntime was built without libpciaccess");
}

int nti_pci_read(const struct nti_pci_function *f, enum nthw_space space, uint32_t address,
		 uint32_t bits, uint64_t *value, struct nti_error *e)
{
	(void)f, (void)space, (void)address, (void)bits, (void)value;
	return missing(e);
}

int nti_pci_write(const struct nti_pci_function *f, enum nthw_space space, uint32_t address,
		  uint32_t bits, uint64_t value, struct nti_error *e)
{
	(void)f, (void)space, (void)address, (void)bits, (void)value;
	return missing(e);
}

int nti_pci_memory_share(const struct nti_pci_function *f, uint32_t bytes, struct nti_error *e)
{
	(void)f, (void)bytes;
	return missing(e);
}
