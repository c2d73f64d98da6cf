/* SPDX-License-Identifier: MIT */
/* Commands with {VAR} in them, which are run once for each value: -L VAR LIST. */
#ifndef CLI_COMPARE_SCAN_H
#define CLI_COMPARE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "count/cli/compare/options.h"

/**
 * struct cli_scan - a VAR and its values
 * @text:	what the others point into; owned
 * @at:		of the values: the one that is chosen, SIZE_MAX: none
 */
struct cli_scan {
	char *text;
	const char *name;
	char **value;
	size_t n;
	size_t at;
};

struct cli_scans {
	struct cli_scan *of;
	size_t n;
};

/* "VAR=VALUE,VALUE": 0; -EINVAL after a sentence. In both cases cli_scans_fini() frees. */
int cli_scans_make(struct cli_scans *s, const struct cli_words *list);
void cli_scans_fini(struct cli_scans *s);

/*
 * Choose the first value of each VAR that stands in one of @text (NULL: no text), none of others.
 */
void cli_scans_begin(struct cli_scans *s, const char *const *text, size_t n);
/* The next combination; false: that was the last one, and the first is chosen again. */
bool cli_scans_next(struct cli_scans *s);

/* @text with what is chosen in its places, for free(3). */
char *cli_scans_replace(const struct cli_scans *s, const char *text);

#endif
