/* SPDX-License-Identifier: MIT */
/* --per function: how its rows are written. */
#ifndef CLI_REPORT_FUNCTIONS_H
#define CLI_REPORT_FUNCTIONS_H

#include "count/cli/report/report.h"

/*
 * The column they are sorted by: the first item shown that is an event; the number of items: there
 * is none.
 */
size_t cli_functions_first(const struct cli_style *style, const struct cli_report *r);
/* A line for each function that has a part of it worth a line; all with -v. */
void cli_functions_put(FILE *f, const struct cli_style *style, const struct cli_report *r);

#endif
