/* SPDX-License-Identifier: MIT */
/* What every report says of a comparison, in the same words. */
#ifndef CLI_COMPARE_WORDS_H
#define CLI_COMPARE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "count/cli/compare/verdict.h"
#include "base/output/term.h"

struct cli_percent {
	char text[40];
};

/* "4.8 % faster" or "4.8 % less", and "4.71 .. 4.90 %" where the truth is. */
struct cli_saying {
	char what[128];
	char range[128];
};

struct cli_saying cli_compare_say(const struct cli_change *c, bool is_speed);

/* The smallest difference that would have been found, rounded up to two digits. */
struct cli_percent cli_compare_bound(const struct cli_change *c);

/* "new 4.8 % faster (+-0.2 %)", for free(3); NULL: no interval yet. */
char *cli_compare_short(const struct cli_results *r, size_t side, size_t metric);

/* "real time" of "real"; of others their name. */
const char *cli_compare_metric(const char *name);

/* "1.204 s", for free(3). */
char *cli_compare_value(double value, const char *unit, bool utf8);

/*
 * "1.204 s (1.187 s .. 1.290 s)", the median and the range, or without that; "-": no number. For
 * free(3).
 */
char *cli_compare_numbers(const struct cli_results *r, size_t side, size_t metric, bool has_range,
			  bool utf8);

/* "11.07 ms (95 %: 10.95 ms .. 11.25 ms)"; for free(3). */
char *cli_compare_interval(const struct cli_interval *of, const char *unit, bool utf8);

#endif
