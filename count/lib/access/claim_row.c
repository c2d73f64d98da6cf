// SPDX-License-Identifier: MIT
/* Rows of the registers that claims name. */
#include <string.h>

#include "core/regs/devices.h"
#include "core/regs/regs.h"
#include "core/seq/box.h"
#include "count/lib/access/claim_file.h"
#include "count/lib/access/claim_row.h"

/* The row of @table at @address, if it is what @line says. */
static const struct nthw_reg *row_of(const struct nthw_table *table, uint32_t address,
				     const struct nti_claim_line *line)
{
	char name[NTHW_NAME_SIZE];
	uint32_t index;
	const struct nthw_reg *row = nthw_table_find(table, address, &index);

	if (!row || row->space != line->space)
		return NULL;
	if (line->bits != (line->space == NTHW_SPACE_MSR ? 64 : row->bits))
		return NULL;
	(void)nthw_reg_name(row, index, name, sizeof(name));
	return strcmp(name, line->name) == 0 ? row : NULL;
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

bool nti_claim_is_of_device(const struct nthw_pci_device *device, uint32_t address)
{
	uint32_t index;
	const struct nthw_reg *row =
		device ? nthw_table_find(device->table, address, &index) : NULL;

	return row && row->space == NTHW_SPACE_PCI;
}
