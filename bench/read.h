/* SPDX-License-Identifier: MIT */
/*
 * One method to read counters, as the benchmark of reads sees it: opened once, then read in a loop.
 */
#ifndef BENCH_READ_H
#define BENCH_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/reader.h>
#include <ntime/session.h>

/* Events of the larger readings: the same eight for every library. */
#define BENCH_EVENTS 8

/*
 * What a loop works on. Every loop leaves its counts in memory, as a caller who wants them would
 * have it.
 */
struct bench_state {
	struct ntime_session *session;
	struct ntime_frames *frames;
	struct ntime_reader reader;
	struct ntime_value values[BENCH_EVENTS];
	size_t items;
	struct ntime_ctx *ctx;	   /* shared */
	struct ntime_ctx *own_ctx; /* of this method alone, or NULL */
	int fd;			   /* of a group's leader */
	int event_set;		   /* PAPI's */
	uint64_t count;
	uint64_t raw[3 + BENCH_EVENTS];
	long long papi[BENCH_EVENTS];
	bool has_failed;
	char reason[256]; /* why it could not be opened, or what must be known to read its row */
};

/*
 * A row: how it is opened (0, or -1 with .reason) and the loop of @n reads, a function called
 * loop_<name>. .begin and .end come before and after a loop where only one at a time may be
 * counting (0 or -1); NULL: nothing to do.
 */
struct bench_method {
	const char *name;
	unsigned int events;
	bool is_native_only; /* valgrind does not know the instruction */
	const char *what;
	int (*open)(struct bench_state *s, unsigned int events);
	void (*loop)(struct bench_state *s, uint64_t n);
	int (*begin)(struct bench_state *s);
	int (*end)(struct bench_state *s);
};

/*
 * A loop of reads, the same for all but @read. The asm makes the compiler believe that everything
 * is read and changed by others in each turn: nothing is kept in registers or moved out of the
 * loop.
 */
#define BENCH_LOOP(name, read)                                                                     \
	__attribute__((noinline)) static void loop_##name(struct bench_state *s, uint64_t n)       \
	{                                                                                          \
		for (; n; n--) {                                                                   \
			read;                                                                      \
			__asm__ volatile("" : : "r"(s) : "memory");                                \
		}                                                                                  \
	}

/* A read that is not as it should be; a read that cannot fail costs nothing here. */
#define BENCH_FAIL_IF(s, failed)                                                                   \
	do {                                                                                       \
		if (__builtin_expect((failed), 0))                                                 \
			(s)->has_failed = true;                                                    \
	} while (0)

/* PAPI's rows; none when it was not there at configure time. */
extern const struct bench_method bench_papi_methods[];
extern const size_t bench_papi_method_count;

#endif
