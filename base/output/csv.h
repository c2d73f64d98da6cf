/* SPDX-License-Identifier: MIT */
/*
 * Results as CSV: fields with a comma, quote or line end are quoted (RFC 4180); lines end with a
 * newline alone. On a terminal texts are as clean.h has it; elsewhere they are exact.
 */
#ifndef CLI_OUTPUT_CSV_H
#define CLI_OUTPUT_CSV_H

#include <stdbool.h>
#include <stdio.h>

#include "base/output/column.h"

/* The names of the columns. */
void cli_csv_head(FILE *f, const struct cli_columns *c);

/* @cell: one per column. */
void cli_csv_row(FILE *f, const struct cli_columns *c, const struct cli_cell *cell);

/*
 * The same to somewhere else, which may be a terminal; the names where @cell is NULL. @put is
 * called at least once a line. Nothing is allocated.
 */
void cli_csv_row_to(const struct cli_columns *c, const struct cli_cell *cell, bool is_terminal,
		    void (*put)(void *arg, const char *text, size_t bytes), void *arg);

#endif
