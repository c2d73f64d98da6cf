// SPDX-License-Identifier: MIT
/*
 * lib/base/wide.h: 128-bit arithmetic against values worked out by hand, against its own laws, and
 * against the compiler's.
 */
#include "lib/base/wide.h"
#include "tests/tt.h"

#define ALL UINT64_MAX
#define TOP (UINT64_C(1) << 63)

static const struct mul_row {
	int line;
	uint64_t a, b, high, low;
} mul_rows[] = {
	{ __LINE__, 0, ALL, 0, 0 },
	{ __LINE__, 1, ALL, 0, ALL },
	{ __LINE__, 2, TOP, 1, 0 },
	/* (2^64-1)^2 = 2^128 - 2^65 + 1 */
	{ __LINE__, ALL, ALL, ALL - 1, 1 },
	/* (2^32-1)^2 = 2^64 - 2^33 + 1 */
	{ __LINE__, UINT32_MAX, UINT32_MAX, 0, 0xfffffffe00000001 },
	/* 2^32 * 2^32 */
	{ __LINE__, UINT64_C(1) << 32, UINT64_C(1) << 32, 1, 0 },
	/* a day in ns at 3 GHz: python3 -c 'print(hex(86400 * 10**9 * 3 * 10**9))' */
	{ __LINE__, UINT64_C(86400000000000), UINT64_C(3000000000), 0x36e3, 0x42998b8b02000000 },
};

TEST(multiplies)
{
	TT_FOR_EACH_ROW(r, mul_rows) {
		struct nti_wide ab = nti_wide_mul(r->a, r->b), ba = nti_wide_mul(r->b, r->a);

		TT_EQ(r, ab.high, r->high);
		TT_EQ(r, ab.low, r->low);
		TT_EQ(r, ba.high, r->high);
		TT_EQ(r, ba.low, r->low);
	}
}

static const struct div_row {
	int line;
	struct nti_wide a;
	uint64_t by;
	struct nti_wide out;
} div_rows[] = {
	{ __LINE__, { 0, 0 }, 1, { 0, 0 } },
	{ __LINE__, { 0, 7 }, 8, { 0, 0 } },
	{ __LINE__, { 0, ALL }, 1, { 0, ALL } },
	{ __LINE__, { ALL, ALL }, 1, { ALL, ALL } },
	{ __LINE__, { ALL, ALL }, ALL, { 1, 1 } },
	{ __LINE__, { 1, 0 }, 2, { 0, TOP } },
	/* the rest passes 2^64 on the way */
	{ __LINE__, { TOP, 0 }, TOP + 1, { 0, ALL - 1 } },
	{ __LINE__, { ALL - 1, 1 }, ALL, { 0, ALL } },
	{ __LINE__, { 1, 1 }, TOP, { 0, 2 } },
};

TEST(divides)
{
	TT_FOR_EACH_ROW(r, div_rows) {
		struct nti_wide out = nti_wide_div(r->a, r->by);

		TT_EQ(r, out.high, r->out.high);
		TT_EQ(r, out.low, r->out.low);
	}
}

TEST(adds_and_subtracts)
{
	struct nti_wide one = { 0, 1 }, all = { ALL, ALL }, low = { 0, ALL }, out;

	out = nti_wide_add(low, one);
	TT_IS(out.high, 1);
	TT_IS(out.low, 0);
	out = nti_wide_sub(out, one);
	TT_IS(out.high, 0);
	TT_IS(out.low, ALL);
	/* modulo 2^128 */
	out = nti_wide_add(all, one);
	TT_IS(out.high, 0);
	TT_IS(out.low, 0);
	out = nti_wide_sub(out, one);
	TT_IS(out.high, ALL);
	TT_IS(out.low, ALL);
	out = nti_wide_scale(all, 3); /* -1 * 3 */
	TT_IS(out.high, ALL);
	TT_IS(out.low, ALL - 2);
}

/* Numbers of every length, with runs of ones and zeros. */
static uint64_t any_number(uint64_t *random)
{
	uint64_t number = tt_random(random) >> tt_random(random) % 64;

	return tt_random(random) % 2 ? number : ~number;
}

/*
 * (a / by) * by + rest is a, and rest is smaller than by: this tells right quotients from wrong
 * ones on every machine.
 */
TEST(quotient_and_rest_give_the_number)
{
	uint64_t seed = tt_seed();
	int i;

	for (i = 0; i < 100000; i++) {
		struct nti_wide a = { any_number(&seed), any_number(&seed) }, out, rest;
		uint64_t by = any_number(&seed);

		by += !by;
		out = nti_wide_div(a, by);
		rest = nti_wide_sub(a, nti_wide_scale(out, by));
		TT_IS(rest.high, 0);
		TT_IS(rest.low < by, 1);
		/* The product did not wrap, or the rest above would mean nothing. */
		TT_IS(nti_wide_mul(out.high, by).high, 0);
	}
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 u128;

static u128 u128_of(struct nti_wide a)
{
	return (u128)a.high << 64 | a.low;
}

#define SAME(wide, number) TT_IS(u128_of(wide) == (u128)(number), 1)

TEST(agrees_with_the_compiler)
{
	uint64_t seed = tt_seed();
	int i;

	for (i = 0; i < 100000; i++) {
		struct nti_wide a = { any_number(&seed), any_number(&seed) };
		struct nti_wide b = { any_number(&seed), any_number(&seed) };
		uint64_t n = any_number(&seed);

		n += !n;
		SAME(nti_wide_add(a, b), u128_of(a) + u128_of(b));
		SAME(nti_wide_sub(a, b), u128_of(a) - u128_of(b));
		SAME(nti_wide_mul(a.low, n), (u128)a.low * n);
		SAME(nti_wide_scale(a, n), u128_of(a) * n);
		SAME(nti_wide_div(a, n), u128_of(a) / n);
	}
}
#else
TEST(agrees_with_the_compiler)
{
	TT_SKIP("this compiler has no 128-bit integer to compare with");
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(multiplies),
		cmocka_unit_test(divides),
		cmocka_unit_test(adds_and_subtracts),
		cmocka_unit_test(quotient_and_rest_give_the_number),
		cmocka_unit_test(agrees_with_the_compiler),
	};

	return TT_RUN(tests);
}
