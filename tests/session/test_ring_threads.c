// SPDX-License-Identifier: MIT
/*
 * lib/ring: one writer and three readers at full speed. Every word of a period follows from its
 * sequence number, so that a mixture of two periods cannot pass for one. Bounded by the number of
 * periods, not by time; the thread sanitizer watches too.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include <ntime/ring.h>

#include "tests/tt.h"

#define READERS 3
#define VALUES 16 /* enough words that a copy takes as long as the writer's push */
/* The thread sanitizer slows this down about twentyfold. */
#if defined(__SANITIZE_THREAD__)
#define PERIODS 100000u
#else
#define PERIODS 2000000u
#endif

/*
 * A hash, so that neighbouring periods differ in every word (Stafford's variant 13 of MurmurHash3's
 * finalizer).
 */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static void fill(uint64_t sequence, uint64_t *time_ns, struct ntime_value *values)
{
	size_t i;

	*time_ns = mix(sequence);
	for (i = 0; i < VALUES; i++) {
		uint64_t h = mix(*time_ns + i);

		values[i] = (struct ntime_value){ .count = h,
						  .value = (double)(h >> 11),
						  .error = (double)(h & 0xffff),
						  .scale = (double)(h >> 32),
						  .wanted_ns = ~h,
						  .counted_ns = h ^ sequence,
						  .flags = (uint32_t)h,
						  .hotplugs = (uint32_t)(h >> 32) };
	}
}

struct shared {
	struct ntime_ring *ring;
	pthread_barrier_t begin;
};

/* Asserts belong to the main thread alone: readers count what they saw. */
struct reader {
	struct shared *shared;
	/* always at the oldest period, where the writer is next; else one by one */
	bool is_hunting;
	uint64_t good, torn, stale, early, wrong_order;
};

static void *write_all(void *arg)
{
	struct shared *s = arg;
	struct ntime_value values[VALUES];
	uint64_t n, time_ns, out_of_order = 0;

	(void)pthread_barrier_wait(&s->begin);
	for (n = 0; n < PERIODS; n++) {
		fill(n, &time_ns, values);
		out_of_order += ntime_ring_push(s->ring, time_ns, values) != n;
		/*
		 * With fewer processors than threads the readers would meet the writer once a time
		 * slice.
		 */
		if (n % 1024 == 0)
			(void)sched_yield();
	}
	return (void *)(uintptr_t)out_of_order;
}

/* Bit by bit: a NaN equals itself, and -0 is not 0. */
static bool is_same(const void *a, const void *b, size_t bytes)
{
	return memcmp(a, b, bytes) == 0;
}

static void look(struct reader *r, uint64_t sequence)
{
	struct ntime_value values[VALUES], wanted[VALUES];
	uint64_t time_ns = 0, wanted_ns;

	switch (ntime_ring_read(r->shared->ring, sequence, &time_ns, values)) {
	case 0:
		fill(sequence, &wanted_ns, wanted);
		if (time_ns == wanted_ns && is_same(values, wanted, sizeof(wanted)))
			r->good++;
		else
			r->torn++;
		break;
	case -ESTALE:
		r->stale++;
		break;
	default:
		/* A period below next was written, so it can be gone but not be missing. */
		r->early++;
		break;
	}
}

/* Where the next period will be written: the reader that is overtaken most. */
static void hunt(struct reader *r)
{
	uint64_t next = 0, before;

	while (next < PERIODS) {
		before = next;
		next = ntime_ring_next(r->shared->ring);
		r->wrong_order += next < before;
		if (next)
			look(r, ntime_ring_oldest(r->shared->ring));
	}
}

static void follow(struct reader *r)
{
	uint64_t sequence = 0, next = 0, oldest, before;

	while (sequence < PERIODS) {
		before = next;
		next = ntime_ring_next(r->shared->ring);
		r->wrong_order += next < before;
		if (next <= sequence) {
			(void)sched_yield();
			continue;
		}
		oldest = ntime_ring_oldest(r->shared->ring);
		if (oldest > sequence)
			sequence = oldest;
		look(r, sequence++);
	}
}

static void *read_all(void *arg)
{
	struct reader *r = arg;

	(void)pthread_barrier_wait(&r->shared->begin);
	if (r->is_hunting)
		hunt(r);
	else
		follow(r);
	return NULL;
}

/* A ring of @periods with everybody at it; what is left at the end must be right as well. */
static void race(size_t periods)
{
	struct shared s;
	struct reader readers[READERS] = { { 0 } };
	pthread_t writer, thread[READERS];
	struct reader last = { .shared = &s };
	void *out_of_order;
	uint64_t n;
	size_t i;

	TT_IS(ntime_ring_new(periods, VALUES, &s.ring), 0);
	TT_IS(pthread_barrier_init(&s.begin, NULL, READERS + 1), 0);
	for (i = 0; i < READERS; i++) {
		readers[i] = (struct reader){ .shared = &s, .is_hunting = i == 0 };
		TT_IS(pthread_create(&thread[i], NULL, read_all, &readers[i]), 0);
	}
	TT_IS(pthread_create(&writer, NULL, write_all, &s), 0);
	TT_IS(pthread_join(writer, &out_of_order), 0);
	TT_IS((uintptr_t)out_of_order, 0);
	for (i = 0; i < READERS; i++) {
		TT_IS(pthread_join(thread[i], NULL), 0);
		print_message("# ring of %zu, reader %zu: %llu good, %llu lost to the writer\n",
			      periods, i, (unsigned long long)readers[i].good,
			      (unsigned long long)readers[i].stale);
		TT_IS(readers[i].torn, 0);
		TT_IS(readers[i].early, 0);
		TT_IS(readers[i].wrong_order, 0);
		/*
		 * The last period of all is never overwritten: each reader has seen that one at
		 * least.
		 */
		TT_IS(readers[i].good > 0, 1);
	}
	TT_IS(ntime_ring_next(s.ring), PERIODS);
	for (n = PERIODS - periods; n < PERIODS; n++)
		look(&last, n);
	TT_IS(last.good, periods);
	(void)pthread_barrier_destroy(&s.begin);
	ntime_ring_free(s.ring);
}

/* Two periods: readers and writer meet in the same slot all the time. */
TEST(narrow)
{
	race(2);
}

TEST(wide)
{
	race(1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(narrow),
		cmocka_unit_test(wide),
	};

	return TT_RUN(tests);
}
