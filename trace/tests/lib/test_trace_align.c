// SPDX-License-Identifier: MIT
/*
 * Aligning sequences: valid always, the shortest possible where they are small, cheap where they
 * are large.
 */
#include "trace/lib/query/diff_align.h"
#include "base/tests/tt.h"

#define MOST 400

struct pair {
	struct nti_sequence a, b;
	uint32_t *id[2];
};

static void pair_new(struct pair *p, size_t n, size_t m)
{
	p->id[0] = calloc(n + 1, sizeof(uint32_t));
	p->id[1] = calloc(m + 1, sizeof(uint32_t));
	p->a = (struct nti_sequence){ p->id[0], calloc(n + 1, 1), n };
	p->b = (struct nti_sequence){ p->id[1], calloc(m + 1, 1), m };
	assert_true(p->id[0] && p->id[1] && p->a.changed && p->b.changed);
}

static void pair_free(struct pair *p)
{
	free(p->id[0]);
	free(p->id[1]);
	free(p->a.changed);
	free(p->b.changed);
}

/* What is not marked is equal in both; returns how much is marked. */
static size_t check(const struct pair *p)
{
	size_t i = 0, j = 0, marked = 0;

	for (;;) {
		while (i < p->a.n && p->a.changed[i]) {
			assert_int_equal(p->a.changed[i++], 1);
			marked++;
		}
		while (j < p->b.n && p->b.changed[j]) {
			assert_int_equal(p->b.changed[j++], 1);
			marked++;
		}
		if (i == p->a.n || j == p->b.n)
			break;
		assert_int_equal(p->a.id[i++], p->b.id[j++]);
	}
	assert_int_equal(i, p->a.n);
	assert_int_equal(j, p->b.n);
	return marked;
}

/* Fewest marks there can be, from the longest common subsequence, in n * m steps. */
static size_t fewest(const struct pair *p)
{
	static unsigned int row[MOST + 1];

	memset(row, 0, sizeof(row));
	for (size_t i = 0; i < p->a.n; i++) {
		unsigned int corner = 0;

		for (size_t j = 0; j < p->b.n; j++) {
			unsigned int above = row[j + 1];

			if (p->a.id[i] == p->b.id[j])
				row[j + 1] = corner + 1;
			else if (row[j] > above)
				row[j + 1] = row[j];
			corner = above;
		}
	}
	return p->a.n + p->b.n - 2 * (size_t)row[p->b.n];
}

/*
 * Rounds of two sequences below @length of up to @most different numbers: none may be aligned with
 * more than the fewest left over.
 */
static void random_ones_are_shortest(int rounds, size_t length, unsigned int most)
{
	uint64_t seed = tt_seed();

	for (int round = 0; round < rounds; round++) {
		size_t n = tt_random(&seed) % length, m = tt_random(&seed) % length;
		unsigned int letters = 1 + tt_random(&seed) % most;
		struct pair p;

		pair_new(&p, n, m);
		for (size_t i = 0; i < n; i++)
			p.id[0][i] = tt_random(&seed) % letters;
		for (size_t i = 0; i < m; i++)
			p.id[1][i] = tt_random(&seed) % letters;
		assert_int_equal(nti_align(&p.a, &p.b), 0);
		assert_int_equal(check(&p), fewest(&p));
		pair_free(&p);
	}
}

TEST(small_ones_are_shortest)
{
	random_ones_are_shortest(20000, 40, 8);
}

/* Up to 512 numbers together no search ends early. */
TEST(middle_ones_are_shortest)
{
	random_ones_are_shortest(300, 257, 300);
}

/* @b is @a with pieces dropped, doubled and put in; returns how many numbers were touched. */
static size_t edit(struct pair *p, size_t n, unsigned int letters, unsigned int edits,
		   uint64_t *seed)
{
	size_t i = 0, m = 0, touched = 0, until = n / (edits + 1);

	while (i < n) {
		size_t piece = 1 + tt_random(seed) % 50;

		if (i >= until && touched < (size_t)edits * 50 && i + piece < n) {
			until += n / (edits + 1);
			touched += piece;
			switch (tt_random(seed) % 3) {
			case 0: /* dropped */
				i += piece;
				break;
			case 1: /* put in */
				while (piece--)
					p->id[1][m++] = tt_random(seed) % letters;
				break;
			default: /* done twice */
				for (size_t k = 0; k < piece; k++)
					p->id[1][m++] = p->id[0][i + k];
			}
		}
		p->id[1][m++] = p->id[0][i++];
	}
	p->b.n = m;
	return touched;
}

/*
 * Large ones, from two letters to hardly a repetition, as one long loop, and as noise: never much
 * more than what was really touched.
 */
TEST(large_ones_are_near)
{
	static const unsigned int letters[] = { 2, 5, 40, 1000, 1000000 };
	uint64_t seed = tt_seed();

	for (int round = 0; round < 30; round++) {
		size_t n = 20000 + tt_random(&seed) % 20000, touched, marked;
		unsigned int of = letters[round % 5], edits = 1 + tt_random(&seed) % 40;
		unsigned int loop = round % 3 == 0 ? 200 : 0;
		struct pair p;

		pair_new(&p, n, 2 * n + 4096);
		for (size_t i = 0; i < n; i++)
			p.id[0][i] = loop ? (i % loop) % of : tt_random(&seed) % of;
		touched = edit(&p, n, of, edits, &seed);
		assert_int_equal(nti_align(&p.a, &p.b), 0);
		marked = check(&p);
		if (marked > 3 * touched + 100)
			print_error("%zu marked, %zu touched, %u letters, loop %u\n", marked,
				    touched, of, loop);
		assert_true(marked <= 3 * touched + 100);
		pair_free(&p);
	}
}

/* Nothing in common, and nothing but repetitions: the worst there is must end soon and be right. */
TEST(worst_cases_end)
{
	uint64_t seed = tt_seed();

	for (int kind = 0; kind < 6; kind++) {
		size_t n = 100000, m = kind == 3 ? 3 : 90000;
		struct pair p;

		pair_new(&p, n, m);
		for (size_t i = 0; i < n; i++)
			p.id[0][i] = kind == 0	 ? 1
				     : kind == 1 ? i % 2
				     : kind == 5 ? i * 7919 % 100003
						 : tt_random(&seed) % 3;
		for (size_t i = 0; i < m; i++)
			p.id[1][i] = kind == 0	 ? 2
				     : kind == 1 ? i % 3
				     : kind == 4 ? 3 + tt_random(&seed) % 3
				     : kind == 5 ? 100003 - i * 7919 % 100003
						 : tt_random(&seed) % 3;
		assert_int_equal(nti_align(&p.a, &p.b), 0);
		assert_true(check(&p) <= n + m);
		if (kind == 0 || kind == 4)
			assert_int_equal(check(&p), n + m);
		pair_free(&p);
	}
}

/* More than two million numbers, so that only some of the runs are looked at. */
TEST(samples)
{
	uint64_t seed = tt_seed();
	size_t n = 2500000, m = 0;
	struct pair p;

	pair_new(&p, n, n + 100);
	for (size_t i = 0; i < n; i++)
		p.id[0][i] = tt_random(&seed) % 5000;
	for (size_t i = 0; i < n; i++) {
		if (i / 1000 != 1234) /* 1000 are missing */
			p.id[1][m++] = p.id[0][i];
		if (i % 50000 == 49999) /* and 50 are more */
			p.id[1][m++] = 9999;
	}
	p.b.n = m;
	assert_int_equal(nti_align(&p.a, &p.b), 0);
	assert_int_equal(check(&p), 1050);
	pair_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_ones_are_shortest),
		cmocka_unit_test(middle_ones_are_shortest),
		cmocka_unit_test(large_ones_are_near),
		cmocka_unit_test(worst_cases_end),
		cmocka_unit_test(samples),
	};

	return TT_RUN(tests);
}
