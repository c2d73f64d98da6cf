// SPDX-License-Identifier: MIT
/* Numbers as text and text as numbers. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/number.h"

/* Doubles below have every whole number. */
#define WHOLE_MAX 9007199254740992.0

static const struct time_unit {
	const char *suffix;
	uint64_t ns;
} time_units[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { "min", 60000000000 },
};

#define TIME_MAX_NS (UINT64_C(100) * 365 * 86400 * 1000000000)

/* A double of seconds since 1970 has no nanoseconds: the whole part stays whole. */
int cli_time_parse(const char *text, uint64_t *ns)
{
	static const char digits[] = "0123456789";
	size_t whole = strspn(text, digits);
	const char *dot = text + whole;
	size_t part = *dot == '.' ? strspn(dot + 1, digits) : 0;
	const char *suffix = part ? dot + 1 + part : dot;
	unsigned long long number = strtoull(whole ? text : "0", NULL, 10);
	double fraction = part ? strtod(dot, NULL) : 0;

	if (!whole && !part)
		return -EINVAL;
	suffix = *suffix ? suffix : "s";
	for (size_t i = 0; i < sizeof(time_units) / sizeof(time_units[0]); i++) {
		if (strcmp(suffix, time_units[i].suffix) != 0)
			continue;
		if (number > TIME_MAX_NS / time_units[i].ns)
			return -ERANGE;
		*ns = number * time_units[i].ns +
		      (uint64_t)llround(fraction * (double)time_units[i].ns);
		return 0;
	}
	return -EINVAL;
}

int cli_number_parse(const char *text, uint64_t low, uint64_t high, uint64_t *out)
{
	unsigned long long number;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno || number < low || number > high)
		return -ERANGE;
	*out = number;
	return 0;
}

/* Copy a number, with a comma before each group of three digits of its whole part. */
static struct cli_number group(const char *plain)
{
	struct cli_number n;
	size_t sign = plain[0] == '-';
	size_t whole = strspn(plain + sign, "0123456789");
	size_t to = 0;

	for (size_t i = 0; plain[i] && to + 2 < sizeof(n.text); i++) {
		size_t left = sign + whole - i;

		if (i > sign && i < sign + whole && left % 3 == 0)
			n.text[to++] = ',';
		n.text[to++] = plain[i];
	}
	n.text[to] = '\0';
	return n;
}

struct cli_number cli_number_grouped(double value, int decimals)
{
	struct cli_number n;
	char plain[CLI_NUMBER_CHARS];

	if (!isfinite(value) || fabs(value) >= 1e15) {
		snprintf(n.text, sizeof(n.text), "%.6g", value);
		return n;
	}
	snprintf(plain, sizeof(plain), "%.*f", decimals, value);
	return group(plain);
}

struct cli_number cli_number_count(uint64_t count)
{
	return group(cli_number_digits(count).text);
}

struct cli_number cli_number_digits(uint64_t count)
{
	char digits[24], *p = digits + sizeof(digits) - 1;
	struct cli_number n;

	*p = '\0';
	do
		*--p = (char)('0' + count % 10);
	while (count /= 10);
	memcpy(n.text, p, (size_t)(digits + sizeof(digits) - p));
	return n;
}

struct cli_number cli_number_hex(uint64_t value, unsigned int digits)
{
	unsigned int wanted = 16 - (unsigned int)__builtin_clzll(value | 1) / 4;
	struct cli_number n;

	if (wanted > digits)
		digits = wanted;
	n.text[0] = '0';
	n.text[1] = 'x';
	for (unsigned int i = 0; i < digits; i++)
		n.text[2 + i] = "0123456789abcdef"[value >> 4 * (digits - 1 - i) & 15];
	n.text[2 + digits] = '\0';
	return n;
}

/* @digits of them, with leading zeros. */
static void put_digits(char *text, uint64_t number, size_t digits)
{
	text[digits] = '\0';
	while (digits) {
		text[--digits] = (char)('0' + number % 10);
		number /= 10;
	}
}

/* cli_number_grouped(@thousandths / 1000, 3), without printf: tables have many of them. */
static struct cli_number group_thousandths(uint64_t thousandths)
{
	struct cli_number n = cli_number_count(thousandths / 1000);
	char *p = n.text + strlen(n.text);

	*p++ = '.';
	put_digits(p, thousandths % 1000, 3);
	return n;
}

struct cli_number cli_number_short(double value)
{
	double size = fabs(value);
	struct cli_number n;

	if (size == 0 || size >= 999.95)
		return cli_number_grouped(value, 0);
	if (size >= 99.995)
		return cli_number_grouped(value, 1);
	if (size >= 9.9995)
		return cli_number_grouped(value, 2);
	if (size >= 0.1)
		return cli_number_grouped(value, 3);
	/*
	 * Small numbers keep three digits, however many zeros stand before them: none of them is 0.
	 */
	snprintf(n.text, sizeof(n.text), "%.3g", value);
	return n;
}

/* @digits of them at least, with the first unit of @units in which there are not more than that. */
static struct cli_number in_units(double value, double step, int digits, const char *const *units)
{
	struct cli_number n;
	double limit = pow(10, 3) - 0.5 * pow(10, 3 - digits);
	int before;

	while (fabs(value) >= limit && units[1]) {
		value /= step;
		units++;
	}
	before = fabs(value) >= 100 ? 3 : fabs(value) >= 10 ? 2 : 1;
	snprintf(n.text, sizeof(n.text), "%.*f %s", digits > before ? digits - before : 0, value,
		 *units);
	return n;
}

struct cli_number cli_number_large(double value)
{
	static const char *const units[] = { "M", "G", "T", "P", "E", NULL };

	if (fabs(value) < 999999.5)
		return cli_number_grouped(value, 0);
	return in_units(value / 1e6, 1000, 4, units);
}

struct cli_number cli_number_bytes(double bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", NULL };

	return in_units(bytes / 1024, 1024, 3, units);
}

struct cli_number cli_number_seconds(double ns)
{
	return cli_number_grouped(ns / 1e9, 6);
}

struct cli_number cli_number_spread(double error, double value, bool utf8)
{
	const char *sign = utf8 ? "±" : "+-";
	double percent = 100 * error / fabs(value);
	struct cli_number n;

	if (!isfinite(percent))
		snprintf(n.text, sizeof(n.text), "%s?", sign);
	else
		snprintf(n.text, sizeof(n.text), "%s%.*f%%", sign, percent < 9.995 ? 2 : 1,
			 percent);
	return n;
}

static int decimals_of(double percent)
{
	return percent < 9.995 ? 2 : percent < 99.95 ? 1 : 0;
}

struct cli_number cli_number_interval(double below, double above, double value, bool utf8)
{
	double low = 100 * below / fabs(value), high = 100 * above / fabs(value);
	struct cli_number n;

	if (value == 0 && isfinite(above)) {
		struct cli_number least = cli_number_short(value - below);
		struct cli_number most = cli_number_short(value + above);

		snprintf(n.text, sizeof(n.text), "%.24s .. %.24s", least.text, most.text);
		return n;
	}
	if (!isfinite(low) || !isfinite(high) || fmax(low, high) <= 1.25 * fmin(low, high))
		return cli_number_spread(fmax(below, above), value, utf8);
	snprintf(n.text, sizeof(n.text), "-%.*f%% +%.*f%%", decimals_of(low), low,
		 decimals_of(high), high);
	return n;
}

struct cli_number cli_number_exact(double value)
{
	struct cli_number n;

	/* -0.0 is whole too, and is 0. */
	if (value >= 0 && value < WHOLE_MAX && value == (double)(uint64_t)value)
		return cli_number_digits((uint64_t)value);
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(n.text, sizeof(n.text), "%.*g", digits, value);
		if (strtod(n.text, NULL) == value)
			break;
	}
	return n;
}

struct cli_number cli_number_rate(double value)
{
	static const uint64_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
	struct cli_number n;
	size_t decimals = 0, used;
	uint64_t scaled;

	if (value == 0)
		return cli_number_digits(0);
	if (!(value >= 0.1 && value < 1e15)) {
		snprintf(n.text, sizeof(n.text), "%.6g", value);
		return n;
	}
	while (decimals < 6 && value * (double)powers[decimals] < 1e5)
		decimals++;
	scaled = (uint64_t)(value * (double)powers[decimals] + 0.5);
	while (decimals && scaled % 10 == 0) {
		scaled /= 10;
		decimals--;
	}
	n = cli_number_digits(scaled / powers[decimals]);
	if (!decimals)
		return n;
	used = strlen(n.text);
	n.text[used] = '.';
	put_digits(n.text + used + 1, scaled % powers[decimals], decimals);
	return n;
}

struct cli_number cli_number_value(double value, const char *unit, bool utf8, const char **shown)
{
	return cli_number_value_like(value, value, unit, utf8, shown);
}

struct cli_number cli_number_value_like(double value, double like, const char *unit, bool utf8,
					const char **shown)
{
	*shown = unit;
	if (strcmp(unit, "ns") == 0) {
		double ns = 1e3;

		*shown = utf8 ? "µs" : "us";
		if (fabs(like) >= 1e10) {
			*shown = "s";
			ns = 1e9;
		} else if (fabs(like) >= 1e6 || like == 0) {
			*shown = "ms";
			ns = 1e6;
		}
		if (!signbit(value) && value < 86400e9)
			/* Divided once, so that what lies in the middle is there, and goes up. */
			return group_thousandths((uint64_t)llround(value / (ns / 1000)));
		return cli_number_grouped(value / ns, 3);
	}
	if (!*unit || value == nearbyint(value))
		return cli_number_grouped(value, 0);
	return cli_number_short(value);
}
