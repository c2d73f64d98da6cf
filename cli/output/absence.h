/* SPDX-License-Identifier: MIT */
/* What is missing, in sentences: names that share a reason share a sentence. */
#ifndef CLI_OUTPUT_ABSENCE_H
#define CLI_OUTPUT_ABSENCE_H

#include <stdbool.h>
#include <stddef.h>

/* What was asked for and is not there. */
struct cli_absence {
	const char *name, *reason, *remedy;
};

#define CLI_ABSENCE_BYTES 2048 /* of a sentence */

/* Does one sentence tell of both? Then their reasons differ in an event's name at most, and their remedies do not. */
bool cli_absence_is_alike(const struct cli_absence *a, const struct cli_absence *b);

/* Was one before the one at @i like it? */
bool cli_absence_was_told(const struct cli_absence *all, size_t i);

/* Why the @first one of @all is missing, and all that are like it. */
void cli_absence_why(const struct cli_absence *all, size_t n, size_t first,
		     char text[CLI_ABSENCE_BYTES]);

/*
 * Call @say with each sentence ("a, b: reason (remedy)"). With @is_brief there is one for all, without reasons.
 */
void cli_absences_tell(const struct cli_absence *all, size_t n, bool is_brief,
		       void (*say)(void *arg, const char *sentence), void *arg);

#endif
