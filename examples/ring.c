// SPDX-License-Identifier: MIT
/*
 * A sampler thread stores periods of the main thread's counters in a ring; the main thread works
 * and looks at them.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime(), nanosleep() with -std=c11 */

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <ntime/ntime.h>

#define PERIODS 20
#define PERIOD_NS 5000000
#define ITEMS 2

struct sampler {
	struct ntime_session *session; /* this thread's alone while it runs */
	struct ntime_ring *ring;
	int error;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *sample(void *arg)
{
	static const struct timespec period = { .tv_nsec = PERIOD_NS };
	struct sampler *s = arg;
	struct ntime_value earlier[ITEMS], later[ITEMS], delta[ITEMS];
	int i, n, ret = ntime_session_read(s->session, earlier, ITEMS);

	for (n = 0; n < PERIODS; n++) {
		(void)nanosleep(&period, NULL);
		if (ret >= 0)
			ret = ntime_session_read(s->session, later, ITEMS);
		/* A period that could not be read has no number; 0 would be one. */
		if (ret < 0)
			s->error = ret;
		for (i = 0; i < ITEMS; i++) {
			if (ret < 0)
				delta[i] = (struct ntime_value){ .flags = NTIME_NOT_COUNTED };
			else
				ntime_value_delta(&earlier[i], &later[i], &delta[i]);
		}
		(void)ntime_ring_push(s->ring, now_ns(), delta);
		if (ret >= 0)
			memcpy(earlier, later, sizeof(earlier));
	}
	return NULL;
}

static volatile unsigned int sink;

static void work(void)
{
	unsigned int i;

	for (i = 0; i < 100000; i++)
		sink += i;
}

static void print(uint64_t sequence, const struct ntime_value *values)
{
	int i;

	printf("period %2llu:", (unsigned long long)sequence);
	for (i = 0; i < ITEMS; i++) {
		if (values[i].flags & NTIME_ABSENT)
			printf("  absent");
		else if (values[i].flags & NTIME_NOT_COUNTED)
			printf("  not counted");
		else
			printf("  %.0f", values[i].value);
	}
	printf("\n");
}

/* Work, and between two pieces of it look at all periods that came in. */
static void work_and_watch(const struct ntime_ring *ring)
{
	struct ntime_value values[ITEMS];
	uint64_t sequence = 0;

	while (sequence < PERIODS) {
		switch (ntime_ring_read(ring, sequence, NULL, values)) {
		case 0:
			print(sequence++, values);
			break;
		/* we were too slow, the writer does not wait: go on where there is something */
		case -ESTALE:
			printf("periods %llu and later are lost\n", (unsigned long long)sequence);
			sequence = ntime_ring_oldest(ring);
			break;
		default: /* -EAGAIN: not there yet */
			work();
			break;
		}
	}
}

int main(void)
{
	struct sampler sampler = { 0 };
	struct ntime_ctx *ctx;
	pthread_t thread;
	int ret = ntime_open(&ctx, NULL);

	if (ret == 0)
		ret = ntime_session_new(ctx, NULL, &sampler.session);
	if (ret == 0)
		ret = ntime_session_add_list(sampler.session, "task-clock,instructions");
	/* Opened here, so this thread is measured; read over there. */
	if (ret == 0)
		ret = ntime_session_start(sampler.session);
	if (ret == 0)
		ret = ntime_ring_new(64, ITEMS, &sampler.ring);
	if (ret == 0) {
		if (pthread_create(&thread, NULL, sample, &sampler) == 0) {
			printf("task-clock (ns), instructions\n");
			work_and_watch(sampler.ring);
			(void)pthread_join(thread, NULL);
			ret = sampler.error;
		} else {
			ret = -EAGAIN;
		}
	}
	if (ret < 0)
		fprintf(stderr, "ring: %s\n",
			ctx && *ntime_error_text(ctx) ? ntime_error_text(ctx) : strerror(-ret));
	ntime_ring_free(sampler.ring);
	ntime_session_free(sampler.session);
	ntime_close(ctx);
	return ret < 0;
}
