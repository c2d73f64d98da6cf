// SPDX-License-Identifier: MIT
/* lib/ring: what one thread sees of a ring. tests/session/test_ring_threads.c has the races. */
#include <errno.h>

#include <ntime/ring.h>

#include "tests/tt.h"

#define VALUES 3

static const struct new_row {
	int line;
	size_t periods, values;
	int ret;
} new_rows[] = {
	{ __LINE__, 2, 1, 0 },
	{ __LINE__, 1024, 1, 0 },
	{ __LINE__, 2, 4096, 0 },
	/* a power of two, from 2 on */
	{ __LINE__, 0, 1, -EINVAL },
	{ __LINE__, 1, 1, -EINVAL },
	{ __LINE__, 3, 1, -EINVAL },
	{ __LINE__, 1023, 1, -EINVAL },
	{ __LINE__, (size_t)1 << 21, 1, -EINVAL },
	{ __LINE__, SIZE_MAX, 1, -EINVAL },
	{ __LINE__, 2, 0, -EINVAL },
	{ __LINE__, 2, 4097, -EINVAL },
	{ __LINE__, 2, SIZE_MAX, -EINVAL },
};

TEST(sizes)
{
	TT_FOR_EACH_ROW(r, new_rows) {
		struct ntime_ring *ring = (struct ntime_ring *)&ring;

		TT_EQ(r, ntime_ring_new(r->periods, r->values, &ring), r->ret);
		TT_EQ(r, ring != NULL, r->ret == 0);
		ntime_ring_free(ring);
	}
	ntime_ring_free(NULL);
}

/*
 * Every field of every value of a period follows from its number, so that nothing can be mixed up
 * unseen.
 */
static void fill(uint64_t sequence, struct ntime_value *values)
{
	size_t i;

	for (i = 0; i < VALUES; i++) {
		uint64_t base = 100 * sequence + 10 * i;

		values[i] = (struct ntime_value){ .count = base,
						  .value = (double)base + 1,
						  .error = (double)base + 2,
						  .scale = (double)base + 3,
						  .wanted_ns = base + 4,
						  .counted_ns = base + 5,
						  .flags = (uint32_t)base + 6 };
	}
}

static void push(struct ntime_ring *ring, uint64_t sequence)
{
	struct ntime_value values[VALUES];

	fill(sequence, values);
	TT_IS(ntime_ring_push(ring, 7 * sequence + 1, values), sequence);
}

/* Period @sequence must come back as @ret, and when that is 0 byte by byte. */
static void check(const struct ntime_ring *ring, uint64_t sequence, int ret)
{
	struct ntime_value values[VALUES], wanted[VALUES];
	uint64_t time_ns = 0;

	memset(values, 0xee, sizeof(values));
	TT_IS(ntime_ring_read(ring, sequence, &time_ns, values), ret);
	if (ret)
		return;
	fill(sequence, wanted);
	TT_IS(time_ns, 7 * sequence + 1);
	assert_memory_equal(values, wanted, sizeof(wanted));
	TT_IS(ntime_ring_read(ring, sequence, NULL, values), 0);
}

TEST(order)
{
	struct ntime_ring *ring;
	uint64_t next, n;

	TT_IS(ntime_ring_new(4, VALUES, &ring), 0);
	TT_IS(ntime_ring_next(ring), 0);
	TT_IS(ntime_ring_oldest(ring), 0);
	/*
	 * "The newest one" of an empty ring, and other numbers whose versions do not fit into 64
	 * bits.
	 */
	check(ring, ntime_ring_next(ring) - 1, -EAGAIN);
	check(ring, UINT64_MAX / 2, -EAGAIN);
	check(ring, UINT64_MAX / 2 + 1, -EAGAIN);
	for (next = 0; next < 4; next++) {
		check(ring, next, -EAGAIN);
		push(ring, next);
		TT_IS(ntime_ring_next(ring), next + 1);
		for (n = 0; n <= next; n++)
			check(ring, n, 0);
	}
	/* Full: each push takes the place of the period that is four older. */
	for (; next < 100; next++) {
		push(ring, next);
		for (n = 0; n + 4 <= next; n++)
			check(ring, n, -ESTALE);
		for (n = next - 3; n <= next; n++)
			check(ring, n, 0);
		for (n = next + 1; n < next + 9; n++)
			check(ring, n, -EAGAIN);
		/* The oldest one that a writer about to push leaves alone. */
		TT_IS(ntime_ring_oldest(ring), next - 2);
	}
	ntime_ring_free(ring);
}

/* NaN has many bit patterns, and absent values have no number: both must come back as they were. */
TEST(absent_values)
{
	struct ntime_value in = { .flags = NTIME_ABSENT }, out = { 0 };
	uint64_t pattern = 0x7ff8dead0000beefull;
	struct ntime_ring *ring;

	memcpy(&in.value, &pattern, sizeof(pattern));
	TT_IS(ntime_ring_new(2, 1, &ring), 0);
	TT_IS(ntime_ring_push(ring, 1, &in), 0);
	TT_IS(ntime_ring_read(ring, 0, NULL, &out), 0);
	assert_memory_equal(&in, &out, sizeof(in));
	ntime_ring_free(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(order),
		cmocka_unit_test(absent_values),
	};

	return TT_RUN(tests);
}
