/* SPDX-License-Identifier: MIT */
/* A comparison for people. */
#ifndef CLI_COMPARE_TEXT_H
#define CLI_COMPARE_TEXT_H

#include <stdio.h>

#include "count/cli/compare/comparison.h"
#include "base/output/term.h"

void cli_compare_write_text(FILE *f, const struct cli_look *look, const struct cli_comparison *c);

#endif
