/* SPDX-License-Identifier: MIT */
/* When enough rounds were made. */
#ifndef CLI_COMPARE_STOP_H
#define CLI_COMPARE_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/cli/compare/results.h"

/**
 * struct cli_stop - a rule and where it stands
 * @precision:	half of the interval that is wanted, as a logarithm of a factor
 * @is_named:	the user said so, and waits longer
 * @plan:	how many rounds there will be, as far as is known
 * @is_fixed:	that is certain
 * @next_look:	rounds after which the interval is looked at
 */
struct cli_stop {
	double precision;
	bool is_named;
	size_t plan;
	bool is_fixed;
	size_t next_look;
};

/* @rounds: so many; 0: until the interval is narrow enough. */
void cli_stop_init(struct cli_stop *s, const struct cli_results *r, size_t rounds, double precision,
		   bool is_named);

/* @rounds were made, in @spent_ns. Is it over? Asked after each round. */
bool cli_stop_is_over(struct cli_stop *s, const struct cli_results *r, size_t rounds,
		      uint64_t spent_ns);

#endif
