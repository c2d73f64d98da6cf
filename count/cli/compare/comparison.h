/* SPDX-License-Identifier: MIT */
/* Results and what is asked of them: what reports are written from. */
#ifndef CLI_COMPARE_COMPARISON_H
#define CLI_COMPARE_COMPARISON_H

#include "count/cli/compare/results.h"

/**
 * struct cli_comparison - all of it
 * @by:		the metric that decides; SIZE_MAX: no run gave one
 * @is_verbose:	every metric is of interest
 */
struct cli_comparison {
	const struct cli_results *results;
	size_t by;
	bool is_verbose;
};

#endif
