/* SPDX-License-Identifier: MIT */
/* A comparison in the forms of hyperfine, which other programs read, and as a table of Markdown. */
#ifndef CLI_COMPARE_EXPORT_H
#define CLI_COMPARE_EXPORT_H

#include <stdio.h>

#include "count/cli/compare/comparison.h"

/* As hyperfine 1.20 has them: times are seconds, of all runs, also of those that failed. */
void cli_compare_export_json(FILE *f, const struct cli_comparison *c);
void cli_compare_export_csv(FILE *f, const struct cli_comparison *c);

void cli_compare_export_markdown(FILE *f, const struct cli_comparison *c);

#endif
