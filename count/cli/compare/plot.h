/* SPDX-License-Identifier: MIT */
/* A comparison as a picture: SVG, which browsers show. */
#ifndef CLI_COMPARE_PLOT_H
#define CLI_COMPARE_PLOT_H

#include <stdio.h>

#include "count/cli/compare/comparison.h"

/*
 * A strip for each command: a dot for each run of the metric that decides, a line at the median,
 * and behind the dots a band where the median would be, with 95 %, if it were the reference's times
 * the factor. Each dot has its number in the attribute data-value.
 */
void cli_compare_plot(FILE *f, const struct cli_comparison *c);

#endif
