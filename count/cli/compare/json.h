/* SPDX-License-Identifier: MIT */
/* A comparison in JSON, with each run; and results back from JSON. */
#ifndef CLI_COMPARE_JSON_H
#define CLI_COMPARE_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "count/cli/compare/comparison.h"

void cli_compare_write_json(FILE *f, const struct cli_comparison *c);

/* {"threads": "4"} */
json_t *cli_parameters_json(const struct cli_side *s);

/* *@bytes of @path, for free(3) in both cases. 0; -EINVAL after a sentence. */
int cli_results_load(const char *path, char **text, size_t *bytes);

/*
 * Read the results that @path had in @text: what the above wrote, what ntime -r N --json did, or
 * what hyperfine --export-json does. 0; -EINVAL after a sentence. In both cases cli_results_fini()
 * frees.
 */
int cli_results_read(struct cli_results *r, const char *path, const char *text, size_t bytes);

#endif
