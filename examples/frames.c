// SPDX-License-Identifier: MIT
/*
 * Frames of a program that counts itself: each round of work is one. Another thread, the display,
 * looks at them and is too slow for all.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep() with -std=c11 */

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ntime/ntime.h>

#define FRAMES 200
#define DEPTH 8
#define ITEMS 2

static void print(const struct ntime_frame *frame, const struct ntime_frame_value *v)
{
	int i;

	printf("frame %3llu: %6.3f ms", (unsigned long long)frame->number,
	       (double)(frame->end_ns - frame->begin_ns) / 1e6);
	for (i = 0; i < ITEMS; i++) {
		if (v[i].value.flags & NTIME_ABSENT)
			printf("  absent");
		else if (v[i].value.flags & NTIME_NOT_COUNTED)
			printf("  not counted");
		else
			printf("  %.0f", v[i].value.value);
	}
	printf("\n");
}

static void *display(void *arg)
{
	static const struct timespec pause = { .tv_nsec = 5000000 };
	struct ntime_frame_value values[ITEMS];
	struct ntime_frame_ring_info info = { .size = sizeof(info) };
	struct ntime_frame frame = { .size = sizeof(frame) };
	const struct ntime_frame_ring *ring = arg;
	uint64_t n = 0;

	while (n < FRAMES) {
		switch (ntime_frame_read(ring, n, &frame, values, ITEMS)) {
		case 0:
			print(&frame, values);
			n++;
			break;
		/* too slow, and the program does not wait: go on where there is something */
		case -ESTALE:
			(void)ntime_frame_ring_get_info(ring, &info);
			printf("frames %llu to %llu are lost\n", (unsigned long long)n,
			       (unsigned long long)info.oldest - 1);
			n = info.oldest;
			break;
		default: /* -EAGAIN: not there yet */
			(void)nanosleep(&pause, NULL);
			break;
		}
	}
	return NULL;
}

static volatile unsigned int sink;

/* A frame's work: it is not the same in each. */
static void draw(int n)
{
	size_t i, bytes = 65536u * (size_t)(1 + n % 4);
	char *memory = malloc(bytes);

	if (!memory)
		return;
	for (i = 0; i < bytes; i++)
		memory[i] = (char)i;
	for (i = 0; i < 100000; i++)
		sink += (unsigned int)memory[i % bytes];
	free(memory);
}

static int draw_all(struct ntime_frames *frames)
{
	pthread_t thread;
	int i, ret = 0;

	if (pthread_create(&thread, NULL, display, (void *)ntime_frames_ring(frames)) != 0)
		return -EAGAIN;
	for (i = 0; i < FRAMES; i++) {
		draw(i);
		/* A frame that could not be read is there, without numbers. */
		if (ntime_frame_end(frames, NULL) < 0)
			ret = -EIO;
	}
	(void)pthread_join(thread, NULL);
	return ret;
}

int main(void)
{
	struct ntime_session *session = NULL;
	struct ntime_frames *frames = NULL;
	struct ntime_ctx *ctx;
	int ret = ntime_open(&ctx, NULL);

	if (ret == 0)
		ret = ntime_session_new(ctx, NULL, &session);
	if (ret == 0)
		ret = ntime_session_add_list(session, "page-faults,instructions");
	if (ret == 0)
		ret = ntime_session_start(session);
	if (ret == 0)
		ret = ntime_frames_new(session, DEPTH, -1, &frames);
	if (ret == 0)
		ret = draw_all(frames);
	if (ret < 0)
		fprintf(stderr, "frames: %s\n",
			ctx && *ntime_error_text(ctx) ? ntime_error_text(ctx) : strerror(-ret));
	ntime_frames_free(frames);
	ntime_session_free(session);
	ntime_close(ctx);
	return ret < 0;
}
