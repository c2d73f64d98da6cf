/* SPDX-License-Identifier: MIT */
/* A table of texts that is as wide as it may be: columns that find no room are left out, the least important ones first. */
#ifndef CLI_OUTPUT_TABLE_H
#define CLI_OUTPUT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/output/term.h"

/**
 * struct cli_table_column - one column
 * @title:	its head
 * @rank:	0: always there; the larger, the sooner left out
 * @is_text:	aligned at the left; numbers are at the right
 * @width:	characters of the longest cell, filled by the table
 */
struct cli_table_column {
	const char *title;
	unsigned int rank;
	bool is_text;
	size_t width;
};

/**
 * struct cli_table - the table; zero-initialise, then set @columns and @column
 * @column:	the caller's; the first one may be shortened where even those of rank 0 are too wide
 * @text:	@cells texts, row after row, each with a NUL at its end
 * @bytes, @room: of @text
 * @error:	-ENOMEM once a cell found no memory
 */
struct cli_table {
	struct cli_table_column *column;
	size_t columns;
	char *text;
	size_t cells, bytes, room;
	int error;
};

/* One cell more, from the left to the right, row by row. */
void cli_table_put(struct cli_table *t, const char *text);
/* The same of two texts that stand together. */
void cli_table_put_two(struct cli_table *t, const char *first, const char *second);

/* 0, or -ENOMEM when a cell found no memory; then nothing is written. */
int cli_table_print(struct cli_table *t, FILE *f, const struct cli_look *look);
void cli_table_fini(struct cli_table *t);

#endif
