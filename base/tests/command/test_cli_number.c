// SPDX-License-Identifier: MIT
/* base/output/number.h: numbers as text and text as numbers. */
#include <errno.h>
#include <math.h>

#include "base/output/number.h"
#include "base/tests/tt.h"

static const struct time_row {
	int line;
	const char *text;
	int ret;
	uint64_t ns;
} time_rows[] = {
	{ __LINE__, "5", 0, 5000000000 },
	{ __LINE__, "0.01", 0, 10000000 },
	{ __LINE__, "100ms", 0, 100000000 },
	{ __LINE__, "1.5s", 0, 1500000000 },
	{ __LINE__, ".5s", 0, 500000000 },
	{ __LINE__, "2min", 0, 120000000000 },
	{ __LINE__, "7us", 0, 7000 },
	{ __LINE__, "7ns", 0, 7 },
	{ __LINE__, "0", 0, 0 },
	{ __LINE__, "1424299207.280000001", 0, 1424299207280000001 },
	{ __LINE__, "1.0000000004", 0, 1000000000 },
	{ __LINE__, "0.1min", 0, 6000000000 },
	{ __LINE__, "", -EINVAL, 0 },
	{ __LINE__, "s", -EINVAL, 0 },
	{ __LINE__, "-1", -EINVAL, 0 },
	{ __LINE__, "+1", -EINVAL, 0 },
	{ __LINE__, " 1", -EINVAL, 0 },
	{ __LINE__, "1 s", -EINVAL, 0 },
	{ __LINE__, "1h", -EINVAL, 0 },
	{ __LINE__, "1ss", -EINVAL, 0 },
	{ __LINE__, "0x10", -EINVAL, 0 },
	{ __LINE__, "nan", -EINVAL, 0 },
	{ __LINE__, "inf", -EINVAL, 0 },
	{ __LINE__, ".s", -EINVAL, 0 },
	{ __LINE__, "1e3ms", -EINVAL, 0 },
	{ __LINE__, "1.", -EINVAL, 0 },
	{ __LINE__, "99999999999999999999999", -ERANGE, 0 },
	{ __LINE__, "99999999999s", -ERANGE, 0 },
};

TEST(times)
{
	TT_FOR_EACH_ROW(r, time_rows) {
		uint64_t ns = 0;

		TT_EQ(r, cli_time_parse(r->text, &ns), r->ret);
		TT_EQ(r, ns, r->ns);
	}
}

static const struct parse_row {
	int line;
	const char *text;
	int ret;
	uint64_t number;
} parse_rows[] = {
	{ __LINE__, "1", 0, 1 },	 { __LINE__, "100", 0, 100 },
	{ __LINE__, "007", 0, 7 },	 { __LINE__, "0", -ERANGE, 0 },
	{ __LINE__, "101", -ERANGE, 0 }, { __LINE__, "", -EINVAL, 0 },
	{ __LINE__, "1x", -EINVAL, 0 },	 { __LINE__, "-1", -EINVAL, 0 },
	{ __LINE__, " 1", -EINVAL, 0 },	 { __LINE__, "1.0", -EINVAL, 0 },
	{ __LINE__, "0x1", -EINVAL, 0 }, { __LINE__, "99999999999999999999999", -ERANGE, 0 },
};

TEST(numbers)
{
	TT_FOR_EACH_ROW(r, parse_rows) {
		uint64_t number = 0;

		TT_EQ(r, cli_number_parse(r->text, 1, 100, &number), r->ret);
		TT_EQ(r, number, r->number);
	}
}

static const struct grouped_row {
	int line;
	double value;
	int decimals;
	const char *text;
} grouped_rows[] = {
	{ __LINE__, 0, 0, "0" },
	{ __LINE__, 999, 0, "999" },
	{ __LINE__, 1000, 0, "1,000" },
	{ __LINE__, -1000, 0, "-1,000" },
	{ __LINE__, -100, 0, "-100" },
	{ __LINE__, 1234567.891, 2, "1,234,567.89" },
	{ __LINE__, 999999.999, 2, "1,000,000.00" },
	{ __LINE__, 123456789012345, 0, "123,456,789,012,345" },
	{ __LINE__, 1e15, 0, "1e+15" },
	{ __LINE__, 1e300, 3, "1e+300" },
	{ __LINE__, INFINITY, 0, "inf" },
};

TEST(grouping)
{
	TT_FOR_EACH_ROW(r, grouped_rows)
		TT_STR(r, cli_number_grouped(r->value, r->decimals).text, r->text);
	TT_TEXT(cli_number_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
	TT_TEXT(cli_number_count(0).text, "0");
	TT_TEXT(cli_number_count(100).text, "100");
}

static const struct short_row {
	int line;
	double value;
	const char *text;
} short_rows[] = {
	{ __LINE__, 0, "0" },
	{ __LINE__, 1.23456, "1.235" },
	{ __LINE__, 9.9996, "10.00" },
	{ __LINE__, 12.3456, "12.35" },
	{ __LINE__, 123.456, "123.5" },
	{ __LINE__, 999.96, "1,000" },
	{ __LINE__, 1234.56, "1,235" },
	{ __LINE__, 0.123456, "0.123" },
	{ __LINE__, 0.0123456, "0.0123" },
	{ __LINE__, 1.5e-9, "1.5e-09" },
	{ __LINE__, -2.5, "-2.500" },
};

TEST(short_numbers)
{
	TT_FOR_EACH_ROW(r, short_rows)
		TT_STR(r, cli_number_short(r->value).text, r->text);
}

static const struct value_row {
	int line;
	double value;
	const char *unit;
	bool utf8;
	const char *text, *shown;
} value_rows[] = {
	{ __LINE__, 1234567, "", true, "1,234,567", "" },
	{ __LINE__, 300, "ns", true, "0.300", "µs" },
	{ __LINE__, 300, "ns", false, "0.300", "us" },
	{ __LINE__, 912345, "ns", false, "912.345", "us" },
	{ __LINE__, 1234567, "ns", true, "1.235", "ms" },
	{ __LINE__, 12e9, "ns", true, "12.000", "s" },
	/* In the middle, up: from an even digit and from an odd one. */
	{ __LINE__, 1002500, "ns", true, "1.003", "ms" },
	{ __LINE__, 1003500, "ns", true, "1.004", "ms" },
	{ __LINE__, 1002499, "ns", true, "1.002", "ms" },
	{ __LINE__, 2.5, "ns", true, "0.003", "µs" },
	{ __LINE__, 0, "ns", true, "0.000", "ms" },
	{ __LINE__, 250.25, "Joules", true, "250.2", "Joules" },
	{ __LINE__, 250, "Joules", true, "250", "Joules" },
};

TEST(values)
{
	TT_FOR_EACH_ROW(r, value_rows) {
		const char *shown;
		struct cli_number number = cli_number_value(r->value, r->unit, r->utf8, &shown);

		TT_STR(r, number.text, r->text);
		TT_STR(r, shown, r->shown);
	}
}

static const struct spread_row {
	int line;
	double error, value;
	bool utf8;
	const char *text;
} spread_rows[] = {
	{ __LINE__, 1, 100, true, "±1.00%" },  { __LINE__, 1, 100, false, "+-1.00%" },
	{ __LINE__, 1, -100, true, "±1.00%" }, { __LINE__, 50, 100, true, "±50.0%" },
	{ __LINE__, 1, 0, true, "±?" },	       { __LINE__, 0, 0, true, "±?" },
	{ __LINE__, 1, 3, true, "±33.3%" },
};

TEST(spreads)
{
	TT_FOR_EACH_ROW(r, spread_rows)
		TT_STR(r, cli_number_spread(r->error, r->value, r->utf8).text, r->text);
}

static const struct interval_row {
	int line;
	double below, above, value;
	const char *text;
} interval_rows[] = {
	{ __LINE__, 1, 1, 100, "+-1.00%" },
	/* nearly alike: the larger one stands for both */
	{ __LINE__, 4, 5, 100, "+-5.00%" },
	{ __LINE__, 1, 34, 100, "-1.00% +34.0%" },
	{ __LINE__, 12.3, 1500, 100, "-12.3% +1500%" },
	/* of 0 nothing is a percentage, and it is not certain */
	{ __LINE__, 0, 250, 0, "0 .. 250.0" },
	{ __LINE__, 1, INFINITY, 100, "+-?" },
};

TEST(intervals)
{
	TT_FOR_EACH_ROW(r, interval_rows)
		TT_STR(r, cli_number_interval(r->below, r->above, r->value, false).text, r->text);
}

TEST(exact_numbers_read_back)
{
	uint64_t random = tt_seed();

	for (int i = 0; i < 10000; i++) {
		uint64_t bits = tt_random(&random);
		double value, back;

		memcpy(&value, &bits, sizeof(value));
		if (!isfinite(value))
			continue;
		back = strtod(cli_number_exact(value).text, NULL);
		assert_memory_equal(&back, &value, sizeof(value));
	}
	TT_TEXT(cli_number_exact(0.1).text, "0.1");
	TT_TEXT(cli_number_exact(1234567).text, "1234567");
}

static const struct count_row {
	int line;
	uint64_t count;
	const char *text;
} count_rows[] = {
	{ __LINE__, 0, "0" },
	{ __LINE__, 9, "9" },
	{ __LINE__, 10, "10" },
	{ __LINE__, UINT64_MAX, "18446744073709551615" },
};

TEST(digits)
{
	TT_FOR_EACH_ROW(r, count_rows) {
		TT_STR(r, cli_number_digits(r->count).text, r->text);
	}
}

static const struct rate_row {
	int line;
	double number;
	const char *text;
} rate_rows[] = {
	{ __LINE__, 0, "0" },
	{ __LINE__, -0.0, "0" },
	{ __LINE__, 1, "1" },
	{ __LINE__, 0.5, "0.5" },
	{ __LINE__, 0.1, "0.1" },
	{ __LINE__, 0.0123456789, "0.0123457" },
	{ __LINE__, 1.23456789, "1.23457" },
	{ __LINE__, 12.3456789, "12.3457" },
	{ __LINE__, 99999.94, "99999.9" },
	{ __LINE__, 999999.4, "999999" },
	{ __LINE__, 1234567.8, "1234568" },
	{ __LINE__, 123456789012.0, "123456789012" },
	{ __LINE__, 2e15, "2e+15" },
	{ __LINE__, -12.5, "-12.5" },
	{ __LINE__, 1e-9, "1e-09" },
};

TEST(rates)
{
	TT_FOR_EACH_ROW(r, rate_rows) {
		TT_STR(r, cli_number_rate(r->number).text, r->text);
	}
}

/* Six digits are six digits, whatever the number. */
TEST(rates_are_near)
{
	uint64_t seed = tt_seed();

	for (int i = 0; i < 100000; i++) {
		double number = ldexp((double)(tt_random(&seed) >> 11) + 1,
				      (int)(tt_random(&seed) % 60) - 60);
		double back;

		back = strtod(cli_number_rate(number).text, NULL);
		if (!(fabs(back - number) <= number * 5.1e-6))
			fail_msg("%.17g was written as %.17g", number, back);
	}
}

TEST(whole_numbers_read_back)
{
	uint64_t seed = tt_seed();

	for (int i = 0; i < 20000; i++) {
		double number = ldexp((double)tt_random(&seed), (int)(tt_random(&seed) % 100) - 80);

		if (i % 3 == 0)
			number = floor(number);
		number = i % 2 ? number : -number;
		if (strtod(cli_number_exact(number).text, NULL) != number)
			fail_msg("%.17g does not read back", number);
	}
	TT_TEXT(cli_number_exact(12345).text, "12345");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),	  cmocka_unit_test(numbers),
		cmocka_unit_test(grouping),	  cmocka_unit_test(short_numbers),
		cmocka_unit_test(values),	  cmocka_unit_test(spreads),
		cmocka_unit_test(intervals),	  cmocka_unit_test(exact_numbers_read_back),
		cmocka_unit_test(digits),	  cmocka_unit_test(rates),
		cmocka_unit_test(rates_are_near), cmocka_unit_test(whole_numbers_read_back),
	};

	return TT_RUN(tests);
}
