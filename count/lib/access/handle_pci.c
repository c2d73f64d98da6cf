// SPDX-License-Identifier: MIT
/* Registers of PCI functions: in their configuration space, and in their memory. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ntime/session.h>

#include "core/base/names.h"
#include "core/regs/nv50_wires.h"
#include "core/seq/box.h"
#include "count/lib/access/handle_inner.h"
#include "count/lib/access/why.h"

/*
 * A function that is gone answers with ones; so its vendor's number, which every function has,
 * tells.
 */
#define PCI_VENDOR 0x00u
#define PCI_VENDOR_BITS 16
#define PCI_NOBODY 0xffffu

/* The space of its registers: a card's are memory. */
static enum nthw_space space_of(const struct nti_handle *handle)
{
	return handle->kind ? NTHW_SPACE_PCI : NTHW_SPACE_MMIO;
}

static uint32_t bits_at(const struct nti_handle *handle, uint32_t address)
{
	uint32_t index;
	const struct nthw_reg *row =
		handle->kind ? nthw_table_find(handle->kind->table, address, &index) : NULL;

	return row ? row->bits : 32;
}

static uint64_t ones(uint32_t bits)
{
	return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

static bool is_gone(const struct nti_handle *handle)
{
	uint64_t vendor = PCI_NOBODY;

	return nti_pci_read(handle->function, NTHW_SPACE_PCI, PCI_VENDOR, PCI_VENDOR_BITS, &vendor,
			    NULL) < 0 ||
	       vendor == PCI_NOBODY;
}

static int pci_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		    uint64_t *value)
{
	struct nti_handle *handle = nti_handle_of(io);
	struct nti_error *e = &handle->handles->error;
	uint32_t bits = bits_at(handle, address);
	uint64_t raw;
	int ret;

	if (space != space_of(handle) || unit != handle->unit)
		return -ENOTSUP;
	ret = nti_pci_read(handle->function, space, address, bits, &raw, e);
	if (ret == 0 && raw == ones(bits) && is_gone(handle))
		ret = nti_error(e, -ENODEV, "PCI function %s is gone", handle->function->address);
	if (ret == 0)
		*value = raw;
	return ret;
}

static int pci_write(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t value)
{
	struct nti_handle *handle = nti_handle_of(io);

	if (space != space_of(handle) || unit != handle->unit)
		return -ENOTSUP;
	return nti_pci_write(handle->function, space, address, bits_at(handle, address), value,
			     &handle->handles->error);
}

const struct nti_pci_function *nti_pci_find(const struct nti_pci *p, const char *address,
					    unsigned int *index)
{
	const struct nti_pci_function *f;
	unsigned int i;

	for (i = 0; (f = nti_pci_get(p, i)) && strcmp(f->address, address) != 0; i++)
		;
	if (f && index)
		*index = i;
	return f;
}

int nti_pci_driver(struct nti_os *os, const char *address, char *name, size_t size)
{
	char path[96], target[256];
	const char *slash;
	int ret;

	(void)snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.32s/driver", address);
	ret = os->ops->link(os, path, target, sizeof(target));
	if (ret < 0)
		return ret == -ENOENT ? 0 : ret;
	slash = strrchr(target, '/');
	(void)snprintf(name, size, "%s", slash ? slash + 1 : target);
	return 1;
}

/* One may have come since the card was found. */
static int check_driver(struct nti_handles *l, const struct nti_pci_function *f)
{
	char name[32] = "";
	int ret = nti_pci_driver(l->os, f->address, name, sizeof(name));

	if (ret == 0)
		return 0;
	return nti_error(&l->error, ret < 0 ? ret : -EPERM, "the driver %s has PCI function %s",
			 ret < 0 ? "that is not known" : name, f->address);
}

static int open_pci(struct nti_handle *handle, const struct nti_handle_request *what)
{
	const char *address = what->card ? what->card->function : what->box->function;
	struct nti_handles *l = handle->handles;
	const struct nti_pci_function *f;
	int ret = l->pci ? 0 : nti_pci_new(l->os, &l->pci);

	if (ret < 0)
		return ret;
	f = nti_pci_find(l->pci, address, &handle->unit);
	if (!f)
		return nti_error(&l->error, -ENODEV, "there is no PCI function %s", address);
	handle->function = f;
	handle->io = (struct nthw_io){ .read = pci_read, .write = pci_write };
	ret = nti_handle_claim(handle, what);
	if (ret < 0 || !what->card)
		return ret;
	ret = check_driver(l, f);
	return ret < 0 ? ret : nti_pci_memory_share(f, NTHW_NV_COUNTING_BYTES, &l->error);
}

static int probe(struct nti_os *os, const struct nti_why **why)
{
	struct nti_pci *pci = NULL;
	int ret = nti_pci_new(os, &pci);
	bool is_there = ret == 0 && nti_pci_get(pci, 0);

	nti_pci_free(pci);
	*why = &nti_why_nothing;
	if (ret == -ENOMEM)
		return ret;
	if (!is_there) {
		*why = &nti_why_no_pci;
		return -ENOTSUP;
	}
	if (os->ops->is_privileged(os, false))
		return 0;
	*why = &nti_why_pci_for_root;
	return -EACCES;
}

static const struct nti_method_ops ops = {
	.spaces = 1u << NTHW_SPACE_PCI,
	.probe = probe,
	.open = open_pci,
	.explain = nti_handle_explain_access,
};

/* ---- one register ---- */

static bool is_of_config(const struct nti_access *a)
{
	return a->function && a->row->space == NTHW_SPACE_PCI;
}

static bool is_of_memory(const struct nti_access *a)
{
	return a->function && a->row->space == NTHW_SPACE_MMIO;
}

static int permits(const struct nti_access *a, int mode)
{
	bool is_public = is_of_config(a) && mode == R_OK && a->address < NTI_PCI_PUBLIC_BYTES;

	return is_public || a->os->ops->is_privileged(a->os, false) ? 0 : -EACCES;
}

/* Who may read is told by reading; a write is refused before anything is promised. */
static int open_one(struct nti_access *a)
{
	(void)snprintf(a->place, sizeof(a->place), "%s of PCI function %s at %#x",
		       is_of_config(a) ? "configuration space" : "memory", a->function->address,
		       a->address);
	if (!a->writes || permits(a, W_OK) == 0)
		return 0;
	return nti_error(a->e, -EACCES, "%s can be written by root only", a->place);
}

static int read_one(struct nti_access *a, uint64_t *value)
{
	return nti_pci_read(a->function, a->row->space, a->address, a->row->bits, value, a->e);
}

static int write_one(struct nti_access *a, uint64_t value)
{
	return nti_pci_write(a->function, a->row->space, a->address, a->row->bits, value, a->e);
}

static const struct nti_access_ops access_pci = {
	.reaches = is_of_config,
	.permits = permits,
	.open = open_one,
	.read = read_one,
	.write = write_one,
};

static const struct nti_access_ops access_mmio = {
	.reaches = is_of_memory,
	.permits = permits,
	.open = open_one,
	.read = read_one,
	.write = write_one,
};

const struct nti_method_row nti_method_pci = {
	.name = "pci",
	.via = NTIME_VIA_PCI,
	.reaches = "counters in the configuration space of PCI functions, such as memory "
		   "controllers, and in the memory of graphics cards",
	.cost = "three pread(2) of 32 bits; of a card, a read of its bus",
	.ops = &ops,
	.access = &access_pci,
	.outlives_cpu = true,
};

const struct nti_method_row nti_method_mmio = {
	.name = "mmio",
	.access = &access_mmio,
};
