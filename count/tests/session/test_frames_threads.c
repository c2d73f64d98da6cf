// SPDX-License-Identifier: MIT
/*
 * count/lib/frame: one writer and three readers at full speed, one of them ten times slower than
 * the writer. Every count of a frame follows from its number, so that a mixture of two frames
 * cannot pass for one. Bounded by the number of frames, not by time; the thread sanitizer watches
 * too.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include "count/tests/session/truth.h"

#define READERS 3
/* The thread sanitizer slows this down about twentyfold. */
#if defined(__SANITIZE_THREAD__)
#define FRAMES 50000u
#else
#define FRAMES 400000u
#endif

enum manner {
	HUNT, /* always at the oldest frame, where the writer is next */
	FOLLOW,
	LAG /* ten frames are ended for each that it reads */
};

struct shared {
	const struct ntime_frame_ring *ring;
	struct ntime_frames *frames;
	struct fake_pmu *pmu;
	pthread_barrier_t begin;
};

/* Asserts belong to the main thread alone: readers count what they saw. */
struct reader {
	struct shared *shared;
	enum manner manner;
	uint64_t good, torn, stale, early, wrong_order;
};

static void *write_all(void *arg)
{
	struct shared *s = arg;
	uint64_t n, number, wrong = 0;

	(void)pthread_barrier_wait(&s->begin);
	for (n = 0; n < FRAMES; n++) {
		truth_work(s->pmu, n);
		wrong += ntime_frame_end(s->frames, &number) != 0 || number != n;
		/*
		 * With fewer processors than threads the readers would meet the writer once a time
		 * slice.
		 */
		if (n % 1024 == 0)
			(void)sched_yield();
	}
	return (void *)(uintptr_t)wrong;
}

static bool is_whole(const struct ntime_frame *frame, const struct ntime_frame_value *v, uint64_t n)
{
	bool is = frame->number == n && frame->end_ns > frame->begin_ns;
	size_t i;

	for (i = 0; i < TRUTH_EVENTS; i++)
		is = is && v[i].first == n && v[i].last == n && v[i].value.flags == 0 &&
		     v[i].value.count == truth_of(i, n);
	return is;
}

static void look(struct reader *r, uint64_t n)
{
	struct ntime_frame_value v[TRUTH_EVENTS];
	struct ntime_frame frame = { .size = sizeof(frame) };

	switch (ntime_frame_read(r->shared->ring, n, &frame, v, TRUTH_EVENTS)) {
	case 0:
		if (is_whole(&frame, v, n))
			r->good++;
		else
			r->torn++;
		break;
	case -ESTALE:
		r->stale++;
		break;
	default:
		/* A frame below next was stored, so it can be gone but not be missing. */
		r->early++;
		break;
	}
}

static struct ntime_frame_ring_info info_of(const struct reader *r)
{
	struct ntime_frame_ring_info info = { .size = sizeof(info) };

	(void)ntime_frame_ring_get_info(r->shared->ring, &info);
	return info;
}

static void hunt(struct reader *r)
{
	struct ntime_frame_ring_info info = { 0 };
	uint64_t before;

	while (info.next < FRAMES) {
		before = info.next;
		info = info_of(r);
		r->wrong_order += info.next < before;
		if (info.next)
			look(r, info.oldest);
	}
}

/* One by one, each when @behind frames have ended since the last one. */
static void follow(struct reader *r, uint64_t behind)
{
	struct ntime_frame_ring_info info;
	uint64_t n = 0, seen = 0;

	while (n < FRAMES) {
		info = info_of(r);
		if (info.next <= n || (info.next < seen + behind && info.next < FRAMES)) {
			(void)sched_yield();
			continue;
		}
		seen = info.next;
		look(r, n++);
		/* What is lost is lost: go on where there is something. */
		if (info.oldest > n)
			n = info.oldest;
	}
}

static void *read_all(void *arg)
{
	struct reader *r = arg;

	(void)pthread_barrier_wait(&r->shared->begin);
	if (r->manner == HUNT)
		hunt(r);
	else
		follow(r, r->manner == LAG ? 10 : 1);
	return NULL;
}

/* A ring of @depth with everybody at it; what is left at the end must be right as well. */
static void race(size_t depth)
{
	struct shared s;
	struct reader readers[READERS] = { { 0 } };
	struct reader last = { .shared = &s };
	pthread_t writer, thread[READERS];
	struct ntime_session *session;
	struct fake_pmu pmu;
	void *wrong;
	uint64_t n;
	size_t i;

	fake_pmu_init(&pmu, TRUTH_EVENTS);
	session = truth_session(&pmu, TRUTH_EVENTS);
	s.pmu = &pmu;
	TT_IS(ntime_frames_new(session, depth, -1, &s.frames), 0);
	s.ring = ntime_frames_ring(s.frames);
	TT_IS(pthread_barrier_init(&s.begin, NULL, READERS + 1), 0);
	for (i = 0; i < READERS; i++) {
		readers[i] = (struct reader){ .shared = &s, .manner = (enum manner)i };
		TT_IS(pthread_create(&thread[i], NULL, read_all, &readers[i]), 0);
	}
	TT_IS(pthread_create(&writer, NULL, write_all, &s), 0);
	TT_IS(pthread_join(writer, &wrong), 0);
	TT_IS((uintptr_t)wrong, 0);
	for (i = 0; i < READERS; i++) {
		TT_IS(pthread_join(thread[i], NULL), 0);
		print_message("# ring of %zu, reader %zu: %llu good, %llu lost to the writer\n",
			      depth, i, (unsigned long long)readers[i].good,
			      (unsigned long long)readers[i].stale);
		TT_IS(readers[i].torn, 0);
		TT_IS(readers[i].early, 0);
		TT_IS(readers[i].wrong_order, 0);
		/*
		 * The last frame of all is never overwritten: each reader has seen that at least.
		 */
		TT_IS(readers[i].good > 0, 1);
	}
	/* Nobody waited for the slow one. */
	TT_IS(readers[LAG].good <= FRAMES / 10 + depth, 1);
	for (n = FRAMES - depth; n < FRAMES; n++)
		look(&last, n);
	TT_IS(last.good, depth);
	(void)pthread_barrier_destroy(&s.begin);
	ntime_frames_free(s.frames);
	ntime_session_free(session);
	fake_pmu_fini(&pmu);
}

TEST(rings)
{
	/* Two frames: readers and writer meet in the same slot all the time. */
	static const size_t depths[] = { 2, 8, 1024 };

	TT_FOR_EACH_ROW(depth, depths)
		race(*depth);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings),
	};

	return TT_RUN(tests);
}
