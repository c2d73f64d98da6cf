/* SPDX-License-Identifier: MIT */
/* Results of several files as one. */
#ifndef CLI_COMPARE_FILES_H
#define CLI_COMPARE_FILES_H

#include <stdbool.h>

#include "cli/compare/options.h"
#include "cli/compare/results.h"

/* Is what the user wants to compare in files? Their names end with ".json" and have no blanks. */
bool cli_operands_are_files(const struct cli_words *operand);
/* Is a part of it? */
bool cli_operands_are_mixed(const struct cli_words *operand);

/*
 * A single file is compared within itself. Of several, each command of the first is what the same
 * command of the others is compared with; where each has one command, that is the same. 0; -EINVAL
 * after a sentence. In both cases cli_results_fini() frees.
 */
int cli_results_of_files(struct cli_results *r, const struct cli_compare_options *o);

#endif
