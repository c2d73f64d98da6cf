// SPDX-License-Identifier: MIT
/* The registers of a machine, collected and put in order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"
#include "count/lib/machine/register/register.h"

struct nti_register *nti_registers_add(struct nti_registers *r, const struct nthw_table *table,
				       const struct nthw_reg *row, uint32_t index,
				       enum nthw_scope scope, unsigned int number)
{
	struct nti_register *reg;
	char file[16];

	if (!nti_grow(&r->reg, r->count))
		return NULL;
	reg = &r->reg[r->count++];
	*reg = (struct nti_register){ .table = table,
				      .row = row,
				      .index = index,
				      .address = nthw_reg_addr(row, index),
				      .scope = scope,
				      .number = number };
	(void)nthw_reg_name(row, index, reg->name, sizeof(reg->name));
	(void)nthw_reg_linux_name(row, index, reg->linux_name, sizeof(reg->linux_name));
	nti_register_file(row->space, reg->address, file, sizeof(file));
	(void)snprintf(reg->unit, sizeof(reg->unit), "%s%u",
		       scope == NTHW_SCOPE_CPU ? "core" : "uncore", number);
	(void)snprintf(reg->path, sizeof(reg->path), "%s/%s/%s", reg->unit,
		       nti_space_names[row->space], file);
	return reg;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_place(const void *left, const void *right)
{
	const struct nti_register *a = left, *b = right;
	int order = compare((uint64_t)a->scope, (uint64_t)b->scope);

	if (!order)
		order = compare(a->number, b->number);
	if (!order)
		order = strcmp(a->unit, b->unit);
	if (!order)
		order = compare((uint64_t)a->row->space, (uint64_t)b->row->space);
	if (!order)
		order = compare(a->address, b->address);
	return order ? order : strcmp(a->path, b->path);
}

/* Where the driver is, it has asked the hardware; what it does not show is not there. */
static int collect(struct nti_registers *r)
{
	int ret = nti_registers_from_tree(r);

	if (ret == 0)
		ret = nti_registers_from_processor(r);
	if (ret >= 0)
		ret = nti_registers_from_functions(r);
	if (ret >= 0 && r->count)
		qsort(r->reg, r->count, sizeof(*r->reg), by_place);
	return ret < 0 ? ret : 0;
}

int nti_registers_new(const struct nti_register_source *handles, struct nti_registers **out)
{
	struct nti_registers *r = calloc(1, sizeof(*r));
	int ret;

	*out = NULL;
	if (!r)
		return -ENOMEM;
	r->handles = handles;
	r->os = handles->os;
	r->msr = handles->msr;
	ret = nti_pci_new(r->os, &r->pci);
	if (ret == 0)
		ret = collect(r);
	r->handles = NULL;
	if (ret < 0) {
		nti_registers_free(r);
		return ret;
	}
	*out = r;
	return 0;
}

void nti_registers_free(struct nti_registers *r)
{
	if (!r)
		return;
	nti_pci_free(r->pci);
	free(r->reg);
	free(r);
}
