/* SPDX-License-Identifier: MIT */
/*
 * The end of a report for people, next to the prompt: how the command ended, and time(1)'s lines.
 */
#ifndef CLI_REPORT_TIMES_H
#define CLI_REPORT_TIMES_H

#include "count/cli/report/report.h"

void cli_times_put(FILE *f, const struct cli_style *style, const struct cli_report *r);

#endif
