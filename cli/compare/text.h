/* SPDX-License-Identifier: MIT */
/* A comparison for people. */
#ifndef CLI_COMPARE_TEXT_H
#define CLI_COMPARE_TEXT_H

#include <stdio.h>

#include "cli/compare/comparison.h"
#include "cli/output/term.h"

void cli_compare_write_text(FILE *f, const struct cli_look *look, const struct cli_comparison *c);

/* "new 4.8 % faster (+-0.2 %)", for free(3). */
char *cli_compare_text_short(const struct cli_results *r, size_t side, size_t metric);

#endif
