// SPDX-License-Identifier: MIT
/* Cells that are members of a struct. */
#include <string.h>

#include "base/output/column.h"

static uint64_t number_of(const struct cli_column *column, const void *member)
{
	uint64_t n64;
	uint32_t n32;
	uint16_t n16;

	switch (column->bytes) {
	case 1:
		return *(const uint8_t *)member;
	case 2:
		memcpy(&n16, member, sizeof(n16));
		return n16;
	case 4:
		memcpy(&n32, member, sizeof(n32));
		return n32;
	default:
		memcpy(&n64, member, sizeof(n64));
		return n64;
	}
}

static struct cli_cell cell_of(const struct cli_column *column, const void *member)
{
	struct cli_cell cell = { .kind = column->kind };
	bool is_set = true;

	switch (column->kind) {
	case CLI_CELL_NONE:
		break;
	case CLI_CELL_TEXT:
	case CLI_CELL_WORDS:
		if (column->word)
			cell.text = column->word((uint32_t)number_of(column, member));
		else
			memcpy(&cell.text, member, sizeof(cell.text));
		/* NULL is no text whatever the flags say. */
		if (!cell.text)
			cell.kind = CLI_CELL_NONE;
		is_set = cell.text && *cell.text;
		break;
	case CLI_CELL_REAL:
	case CLI_CELL_RATE:
	case CLI_CELL_NS:
		memcpy(&cell.real, member, sizeof(cell.real));
		is_set = cell.real != 0;
		break;
	case CLI_CELL_BOOL:
		cell.count = number_of(column, member);
		cell.count = column->if_flag ? !!(cell.count & column->if_flag) : !!cell.count;
		break;
	default:
		cell.count = number_of(column, member);
		is_set = cell.count;
	}
	if (column->flags & CLI_COLUMN_SET && !is_set)
		cell.kind = CLI_CELL_NONE;
	return cell;
}

void cli_cells_fill(struct cli_cell *cell, const struct cli_columns *c, const void *of)
{
	const char *base = of;
	uint32_t flags;

	memset(cell, 0, c->n * sizeof(*cell));
	for (size_t i = 0; i < c->n; i++) {
		const struct cli_column *column = &c->column[i];

		if (!cli_column_is_on(c, column))
			continue;
		memcpy(&flags, base + column->flag_at, sizeof(flags));
		if (column->kind == CLI_CELL_BOOL || !column->if_flag || flags & column->if_flag)
			cell[i] = cell_of(column, base + column->at);
	}
}
