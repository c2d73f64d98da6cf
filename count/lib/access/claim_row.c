// SPDX-License-Identifier: MIT
/* Rows of the registers that claims name. */
#include <string.h>

#include "core/regs/devices.h"
#include "core/regs/nv50_chip.h"
#include "core/regs/regs.h"
#include "core/seq/box.h"
#include "count/lib/access/claim_file.h"

/* @row, if it is what @line says. */
static const struct nthw_reg *if_named(const struct nthw_reg *row, uint32_t index,
				       const struct nti_claim_line *line)
{
	char name[NTHW_NAME_SIZE];

	if (!row || row->space != line->space)
		return NULL;
	if (line->bits != (line->space == NTHW_SPACE_MSR ? 64 : row->bits))
		return NULL;
	(void)nthw_reg_name(row, index, name, sizeof(name));
	return strcmp(name, line->name) == 0 ? row : NULL;
}

/* The row of @table at @address, likewise. */
static const struct nthw_reg *row_of(const struct nthw_table *table, uint32_t address,
				     const struct nti_claim_line *line)
{
	uint32_t index = 0;
	const struct nthw_reg *row = nthw_table_find(table, address, &index);

	return if_named(row, index, line);
}

/* Chips have registers of one name with other bits: the first one that has those on record. */
static const struct nthw_reg *row_of_chips(const struct nti_claim_line *line)
{
	const struct nthw_reg *row, *any = NULL;
	uint32_t index = 0;
	size_t i;

	for (i = 0; i < nthw_nv_chip_count; i++) {
		row = if_named(nthw_nv_reg_at(&nthw_nv_chips[i], line->address, &index), index,
			       line);
		if (row && !(line->ours & ~nthw_reg_stored(row)))
			return row;
		any = row ? row : any;
	}
	return any;
}

static const struct nthw_reg *row_of_kind(const struct nthw_box_kind *kind,
					  const struct nti_claim_line *line)
{
	const struct nthw_reg *row;
	uint32_t number;

	for (number = 1; number < kind->boxes && number * kind->step <= line->address; number++) {
		row = row_of(kind->table, line->address - number * kind->step, line);
		if (row)
			return row;
	}
	return NULL;
}

const struct nthw_reg *nti_claim_row(const struct nti_claim_line *line)
{
	const struct nthw_reg *row;
	size_t i;

	if (line->space == NTHW_SPACE_MMIO)
		return row_of_chips(line);
	for (i = 0; i < nthw_table_count; i++) {
		row = row_of(nthw_tables[i], line->address, line);
		if (row)
			return row;
	}
	for (i = 0; i < nthw_box_kind_count; i++) {
		row = row_of_kind(nthw_box_kinds[i], line);
		if (row)
			return row;
	}
	return NULL;
}

bool nti_claim_is_repairable(const struct nti_claim_line *line)
{
	const struct nthw_reg *row = nti_claim_row(line);

	return row && row->role == NTHW_ROLE_SELECT && row->runs &&
	       !(line->ours & ~nthw_reg_stored(row));
}

bool nti_claim_is_of_device(uint32_t vendor_id, uint32_t device_id, const char *name,
			    uint32_t address)
{
	const struct nthw_pci_device *device = nthw_pci_device(vendor_id, device_id);
	const struct nthw_nv_chip *chip =
		vendor_id == NTHW_NV_VENDOR ? nthw_nv_chip_by_device(device_id) : NULL;
	const struct nthw_reg *row = NULL;
	char its[NTHW_NAME_SIZE];
	uint32_t index = 0;

	if (chip)
		row = nthw_nv_reg_at(chip, address, &index);
	else if (device)
		row = nthw_table_find(device->table, address, &index);
	if (!row || row->role != NTHW_ROLE_SELECT || !row->runs)
		return false;
	(void)nthw_reg_name(row, index, its, sizeof(its));
	return strcmp(its, name) == 0;
}
