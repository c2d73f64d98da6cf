// SPDX-License-Identifier: MIT
/* Registers of PCI functions, which tell by their ids what they are. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/regs/regs.h"
#include "lib/machine/register/register.h"

#define INTEL 0x8086

/* Linux 6.1 arch/x86/events/intel/uncore_snbep.c, snbep_uncore_pci_ids to skx_uncore_pci_ids; the test device is models/pci_test.c. */
static const struct kind {
	uint32_t vendor, device;
	const struct nthw_table *table;
} kinds[] = {
	{ INTEL, 0x3cb0, &nthw_snbep_imc },  { INTEL, 0x3cb1, &nthw_snbep_imc },
	{ INTEL, 0x3cb4, &nthw_snbep_imc },  { INTEL, 0x3cb5, &nthw_snbep_imc },
	{ INTEL, 0x3ce0, &nthw_snbep_ubox }, { INTEL, 0x2042, &nthw_skx_imc },
	{ INTEL, 0x2046, &nthw_skx_imc },    { INTEL, 0x204a, &nthw_skx_imc },
	{ INTEL, 0x0e1e, &nthw_snbep_ubox }, { INTEL, 0x0eb4, &nthw_skx_imc },
	{ INTEL, 0x0eb5, &nthw_skx_imc },    { INTEL, 0x0eb0, &nthw_skx_imc },
	{ INTEL, 0x0eb1, &nthw_skx_imc },    { INTEL, 0x0ef4, &nthw_skx_imc },
	{ INTEL, 0x0ef5, &nthw_skx_imc },    { INTEL, 0x0ef0, &nthw_skx_imc },
	{ INTEL, 0x0ef1, &nthw_skx_imc },    { INTEL, 0x2f1e, &nthw_snbep_ubox },
	{ INTEL, 0x2fb0, &nthw_skx_imc },    { INTEL, 0x2fb1, &nthw_skx_imc },
	{ INTEL, 0x2fb4, &nthw_skx_imc },    { INTEL, 0x2fb5, &nthw_skx_imc },
	{ INTEL, 0x2fd0, &nthw_skx_imc },    { INTEL, 0x2fd1, &nthw_skx_imc },
	{ INTEL, 0x2fd4, &nthw_skx_imc },    { INTEL, 0x2fd5, &nthw_skx_imc },
	{ INTEL, 0x6f1e, &nthw_snbep_ubox }, { INTEL, 0x6fb0, &nthw_skx_imc },
	{ INTEL, 0x6fb1, &nthw_skx_imc },    { INTEL, 0x6fb4, &nthw_skx_imc },
	{ INTEL, 0x6fb5, &nthw_skx_imc },    { INTEL, 0x6fd0, &nthw_skx_imc },
	{ INTEL, 0x6fd1, &nthw_skx_imc },    { INTEL, 0x6fd4, &nthw_skx_imc },
	{ INTEL, 0x6fd5, &nthw_skx_imc },    { INTEL, 0x2066, &nthw_skx_m2m },
	{ INTEL, 0x2058, &nthw_skx_upi },    { INTEL, 0x2014, &nthw_skx_ubox },
	{ 0x1234, 0x6e74, &nthw_pci_test },
};

/* Every function has the first 64 bytes; of the rest only some are known. */
static const struct nthw_table *table_of(const struct nti_pci_function *f)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].vendor == f->vendor_id && kinds[i].device == f->device_id)
			return kinds[i].table;
	}
	return NULL;
}

/* The register of the driver's tree that is the same: it only says "D16:F4" of a package, so there must be one alone. */
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

/* Bridges have another header: the table is of type 0. */
static bool has_plain_header(struct nti_registers *r, const struct nti_pci_function *f)
{
	uint64_t type;

	return nti_pci_config_read(r->pci, f, 0x0e, 8, &type, NULL) == 0 && (type & 0x7f) == 0;
}

int nti_registers_from_functions(struct nti_registers *r)
{
	const struct nti_pci_function *f;
	const struct nthw_table *table;
	size_t i;
	int ret = 0;

	for (i = 0; (f = nti_pci_get(r->pci, i)) && !ret; i++) {
		if (has_plain_header(r, f))
			ret = add_table(r, f, &nthw_pci);
		table = table_of(f);
		if (table && !ret)
			ret = add_table(r, f, table);
	}
	return ret;
}
