/* SPDX-License-Identifier: MIT */
/* One line on the terminal while something runs: how far it is, and what it looks like. */
#ifndef CLI_BASE_PROGRESS_H
#define CLI_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct cli_progress - the line
 * @what:	is counted: "run"; NULL where lines are put
 * @is_on:	standard error is a terminal
 * @is_shown:	it stands there
 * @began_ns:	CLOCK_MONOTONIC, of the first one
 * @next_ns:	of the moment before which it is not written again
 */
struct cli_progress {
	const char *what;
	bool is_on;
	bool is_shown;
	uint64_t began_ns;
	uint64_t next_ns;
};

void cli_progress_init(struct cli_progress *p, const char *what);
/* Is anybody to see it now? Once, and then not for a moment. */
bool cli_progress_is_due(struct cli_progress *p);
/* @done of @all, or of about so many; @text may be NULL. */
void cli_progress_show(struct cli_progress *p, size_t done, size_t all, bool is_about,
		       const char *text);
/* @line, cut at the width: one that is broken could not be cleared. */
void cli_progress_put(struct cli_progress *p, const char *line);
/* Remove the line, if there is one. */
void cli_progress_clear(struct cli_progress *p);

#endif
