/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text and text as numbers. The decimal point is '.', groups are separated by ','
 * whatever the locale.
 */
#ifndef CLI_OUTPUT_NUMBER_H
#define CLI_OUTPUT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLI_NUMBER_CHARS 64

/* Caller's storage, returned by value, so that a printf may have several. */
struct cli_number {
	char text[CLI_NUMBER_CHARS];
};

/*
 * A length of time: a number with ns, us, ms, s or min behind it; seconds where nothing is. "1.5s"
 * works. 0; -EINVAL (no such thing, negative); -ERANGE (more than 100 years).
 */
int cli_time_parse(const char *text, uint64_t *ns);

/* A decimal number from @low to @high. 0, -EINVAL or -ERANGE. */
int cli_number_parse(const char *text, uint64_t low, uint64_t high, uint64_t *out);

/*
 * "1,234,567" or "1,234.50"; from 1e15 on as %.6g because a double has no more whole digits worth
 * showing in full.
 */
struct cli_number cli_number_grouped(double value, int decimals);
/* The same for a whole 64-bit number, always in full. */
struct cli_number cli_number_count(uint64_t count);
/* "1234567", and "0x1f" with at least @digits digits; for machines. */
struct cli_number cli_number_digits(uint64_t count);
struct cli_number cli_number_hex(uint64_t value, unsigned int digits);

/*
 * At least four significant digits where there are so many: "0.00123", "1.234", "12.35", "123.5",
 * "1,235", "0".
 */
struct cli_number cli_number_short(double value);

/* A count of at most seven digits: "46", "4,153", from a million on "812.4 M", "1.604 G". */
struct cli_number cli_number_large(double value);
/* "812 KiB", "17.4 MiB", "1.25 GiB" */
struct cli_number cli_number_bytes(double bytes);

/* "1.002914" seconds */
struct cli_number cli_number_seconds(double ns);
/*
 * As cli_number_spread() where both sides are about alike; else "-1.20% +34.0%". Of a @value of 0,
 * of which nothing is a percentage: "0 .. 12,345".
 */
struct cli_number cli_number_interval(double below, double above, double value, bool utf8);
/* "±" or "+-", then a percentage of @value, "±0.12%"; "±?" when @value is 0 */
struct cli_number cli_number_spread(double error, double value, bool utf8);
/*
 * The shortest decimal form that reads back as the same double; for machines. Whole numbers cost
 * little.
 */
struct cli_number cli_number_exact(double value);
/* Six significant digits, as %g has them; without stdio for numbers that rates usually are. */
struct cli_number cli_number_rate(double value);

/*
 * A value in its unit, for people. Nanoseconds are shown as µs, ms or s; plain events ("" as @unit)
 * as whole numbers. *@shown becomes the unit to print: static memory or @unit.
 */
struct cli_number cli_number_value(double value, const char *unit, bool utf8, const char **shown);
/* The same in the unit of @like, beside which it stands. */
struct cli_number cli_number_value_like(double value, double like, const char *unit, bool utf8,
					const char **shown);

#endif
