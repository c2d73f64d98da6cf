/* SPDX-License-Identifier: MIT */
/* Results of several files as one. */
#ifndef CLI_COMPARE_FILES_H
#define CLI_COMPARE_FILES_H

#include <stdbool.h>

#include "count/cli/compare/commands.h"
#include "count/cli/compare/options.h"
#include "count/cli/compare/results.h"

/* Is @operand a file with results? Its name ends with ".json" and has no blanks. */
bool cli_operand_is_file(const char *operand);

/* What the files have now is what is compared, whatever becomes of them. 0; -EINVAL, a sentence. */
int cli_files_load(struct cli_compare_options *o);

/*
 * A single file is compared within itself. Of several, each command of the first is what the same
 * command of the others is compared with; where each has one command, that is the same. @now, which
 * may be NULL, is what has been run, before all files or after them as the user named it; commands
 * are compared with the only one of a file, whatever they are. 0; -EINVAL after a sentence. In both
 * cases cli_results_fini() frees @r; @now stays the caller's, without its contents.
 */
int cli_results_of_files(struct cli_results *r, const struct cli_compare_options *o,
			 struct cli_results *now);

/*
 * Can all files be read, and what these commands give be compared with them? 0, or 1 where they are
 * of commands in the emulator; -EINVAL after a sentence. What has no rights reads them.
 */
int cli_files_check(const struct cli_compare_options *o, const struct cli_compare_commands *c);

#endif
