/* SPDX-License-Identifier: MIT */
/*
 * The end of a report for people, next to the prompt: how the command ended, and time(1)'s lines.
 */
#ifndef CLI_STAT_TIMES_H
#define CLI_STAT_TIMES_H

#include "count/cli/stat/report.h"

void cli_times_put(FILE *f, const struct cli_style *style, const struct cli_report *r);

#endif
