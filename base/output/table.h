/* SPDX-License-Identifier: MIT */
/*
 * A table of texts that is as wide as it may be: columns that find no room are left out, the least
 * important ones first.
 */
#ifndef CLI_OUTPUT_TABLE_H
#define CLI_OUTPUT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/output/column.h"
#include "base/output/term.h"

#define CLI_TABLE_COLUMNS 24

/**
 * struct cli_table - the table
 * @of:		the result's columns, of which those with a title are in the table
 * @column:	of those, .rank may be changed by the caller
 *		.from: index in @of; .width: characters of the longest cell
 * @text:	@cells texts, row after row, each with a NUL at its end
 * @bytes, @room: of @text
 */
struct cli_table {
	const struct cli_columns *of;
	bool utf8;
	struct cli_table_column {
		size_t from;
		unsigned int rank;
		size_t width;
	} column[CLI_TABLE_COLUMNS];
	size_t columns;
	char *text;
	size_t cells, bytes, room;
};

/* At most CLI_TABLE_COLUMNS columns of @of have a title. */
void cli_table_init(struct cli_table *t, const struct cli_columns *of, bool utf8);

/* @cell: one per column of the result; "-" where there is no value. */
void cli_table_row(struct cli_table *t, const struct cli_cell *cell);

void cli_table_print(struct cli_table *t, FILE *f, const struct cli_look *look);
void cli_table_fini(struct cli_table *t);

#endif
