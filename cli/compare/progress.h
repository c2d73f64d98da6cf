/* SPDX-License-Identifier: MIT */
/* One line on the terminal while commands run: how far they are, and what it looks like. */
#ifndef CLI_COMPARE_PROGRESS_H
#define CLI_COMPARE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct cli_experiment;

/**
 * struct cli_progress - the line
 * @is_on:	standard error is a terminal
 * @is_shown:	it stands there
 * @next_ns:	CLOCK_MONOTONIC before which it is not written again
 */
struct cli_progress {
	bool is_on;
	bool is_shown;
	uint64_t next_ns;
};

void cli_progress_init(struct cli_progress *p);
void cli_progress_show(struct cli_progress *p, const struct cli_experiment *e);
void cli_progress_clear(struct cli_progress *p);

#endif
