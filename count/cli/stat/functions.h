/* SPDX-License-Identifier: MIT */
/* --per function: the rows of a report, of what the emulator counted. */
#ifndef CLI_STAT_FUNCTIONS_H
#define CLI_STAT_FUNCTIONS_H

#include "count/cli/stat/per.h"

/*
 * Give @r, whose items have their values, rows of the functions that emulator @e saw, those with
 * most of the first column first. As cli_per_rows_make().
 */
int cli_functions_make(struct cli_per_rows *p, struct cli_report *r, const struct cli_style *style,
		       struct ntime_ctx *ctx, const struct ntime_session *s,
		       struct ntime_emulator *e);

#endif
