/* SPDX-License-Identifier: MIT */
/* One field of CSV. */
#ifndef CLI_OUTPUT_CSV_H
#define CLI_OUTPUT_CSV_H

#include <stdio.h>

/* Quoted as RFC 4180 wants it where the text has a comma, quote or line end; else as it is. */
void cli_csv_put(FILE *f, const char *text);

#endif
