/* SPDX-License-Identifier: MIT */
/*
 * Threads that read ahead: each takes a piece of the input and makes its records; what depends on
 * the order is done in the order of the pieces.
 */
#ifndef NTI_TRACE_POOL_H
#define NTI_TRACE_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/read/trace.h"

struct nti_pool;

/**
 * struct nti_seat - a place for one piece
 * @lane:	its memory
 * @number:	of the piece, from 0
 * @ret:	of nti_trace_take() and nti_trace_make()
 */
struct nti_seat {
	struct nti_lane lane;
	uint64_t number;
	int ret;
	enum { NTI_SEAT_FREE, NTI_SEAT_MAKING, NTI_SEAT_MADE, NTI_SEAT_HELD } state;
	pthread_t thread; /* that makes it */
};

/**
 * struct nti_pool - the threads
 * @changed:	seats, who takes a piece
 * @turned:	turns; whoever waits for one is not woken for anything else
 * @ended:	a thread ended: the user's waits for that alone
 * @use:	called by the thread that made a piece, which may wait with nti_pool_wait(); NULL:
 *		pieces are fetched with nti_pool_fetch()
 * @turn:	numbers of the piece whose turn it is, a counter for each thing that is done in
 *		order
 * @next:	number of the next piece that is taken
 * @error:	the first one; ends all
 */
struct nti_pool {
	struct ntime_trace *t;
	pthread_mutex_t lock;
	pthread_cond_t changed, turned, ended;
	pthread_t *thread;
	struct nti_seat *seat;
	size_t threads, started, running, seats;
	int (*use)(struct nti_pool *p, struct nti_seat *seat);
	void *arg;
	uint64_t turn[2];
	uint64_t next;
	uint64_t position;
	bool is_taking, is_over, is_stopping;
	int error;
};

/*
 * Start @threads of them with @seats places; with @use as many, for each thread keeps its own. 0 or
 * -errno.
 */
int nti_pool_start(struct nti_pool *p, struct ntime_trace *t, size_t threads, size_t seats,
		   int (*use)(struct nti_pool *p, struct nti_seat *seat), void *arg);
/* End them all; waits. */
void nti_pool_stop(struct nti_pool *p);

/* Wait for the turn of a piece. 0; -ECANCELED: all is over. */
int nti_pool_wait(struct nti_pool *p, size_t turn, const struct nti_seat *seat);
/* Give the turn to the piece behind. */
void nti_pool_pass(struct nti_pool *p, size_t turn);

/* The next piece, made, in order; held until the next call. NULL at the end, *@ret tells why. */
struct nti_seat *nti_pool_fetch(struct nti_pool *p, int *ret);

/* Wait until all is over, for at most @ms. True when it is. */
bool nti_pool_join(struct nti_pool *p, int ms);

#endif
