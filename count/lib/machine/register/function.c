// SPDX-License-Identifier: MIT
/* Registers of PCI functions, which tell by their ids what they are. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/regs/devices.h"
#include "core/regs/regs.h"
#include "count/lib/machine/register/register.h"

/*
 * The register of the driver's tree that is the same: it only says "D16:F4" of a package, so there
 * must be one alone.
 */
static struct nti_register *find_in_tree(struct nti_registers *r, const struct nti_pci_function *f,
					 const struct nthw_reg *row, uint32_t index)
{
	char folder[24];
	struct nti_register *found = NULL;
	size_t i;

	(void)snprintf(folder, sizeof(folder), "/pci/D%u:F%u/", f->device, f->function);
	for (i = 0; i < r->count; i++) {
		struct nti_register *reg = &r->reg[i];

		if (!reg->is_in_tree || reg->row != row || reg->index != index ||
		    (row->space == NTHW_SPACE_PCI && !strstr(reg->path, folder)))
			continue;
		if (found)
			return NULL;
		found = reg;
	}
	return found;
}

static size_t twins(struct nti_registers *r, const struct nti_pci_function *f)
{
	const struct nti_pci_function *other;
	size_t i, n = 0;

	for (i = 0; (other = nti_pci_get(r->pci, i)); i++)
		n += other->vendor_id == f->vendor_id && other->device_id == f->device_id;
	return n;
}

static int add(struct nti_registers *r, const struct nti_pci_function *f,
	       const struct nthw_table *table, const struct nthw_reg *row, uint32_t index)
{
	struct nti_register *reg = twins(r, f) == 1 ? find_in_tree(r, f, row, index) : NULL;
	char file[16];

	if (reg) {
		reg->function = f;
		return 0;
	}
	reg = nti_registers_add(r, table, row, index, NTHW_SCOPE_DEVICE,
				f->bus << 8 | f->device << 3 | f->function);
	if (!reg)
		return -ENOMEM;
	reg->function = f;
	nti_register_file(row->space, reg->address, file, sizeof(file));
	(void)snprintf(reg->unit, sizeof(reg->unit), "pci/%s", f->address);
	(void)snprintf(reg->path, sizeof(reg->path), "%s/%s%s", reg->unit,
		       row->space == NTHW_SPACE_MMIO ? "mmio/" : "", file);
	return 0;
}

static int add_table(struct nti_registers *r, const struct nti_pci_function *f,
		     const struct nthw_table *table)
{
	size_t k;
	uint32_t i;
	int ret = 0;

	for (k = 0; k < table->count && !ret; k++) {
		for (i = 0; i < table->regs[k]->count && !ret; i++)
			ret = add(r, f, table, table->regs[k], i);
	}
	return ret;
}

int nti_registers_from_functions(struct nti_registers *r)
{
	const struct nti_pci_function *f;
	const struct nthw_pci_device *known;
	size_t i;
	int ret = 0;

	for (i = 0; (f = nti_pci_get(r->pci, i)) && !ret; i++) {
		uint64_t type;

		/*
		 * Every function has the first 64 bytes; of the rest only some are known. Bridges
		 * have another header: the table is of type 0.
		 */
		if (nti_pci_read(f, NTHW_SPACE_PCI, 0x0e, 8, &type, NULL) == 0 && !(type & 0x7f))
			ret = add_table(r, f, &nthw_pci);
		known = nthw_pci_device(f->vendor_id, f->device_id);
		if (known && !ret)
			ret = add_table(r, f, known->table);
	}
	return ret;
}
