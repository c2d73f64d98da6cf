// SPDX-License-Identifier: MIT
/*
 * Threads that read ahead.
 *
 *     take (one at a time) --> make (all at once) --> turn 0 (in order) --> ... --> turn 1 (in
 *     order)
 *
 * The one lock is held for a few instructions a piece, and a piece is some 1500 lines.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trace/base/context.h"
#include "trace/base/device.h"
#include "trace/read/front.h"
#include "trace/read/pool.h"

static void lock(struct nti_pool *p)
{
	(void)pthread_mutex_lock(&p->lock);
}

static void unlock(struct nti_pool *p)
{
	(void)pthread_mutex_unlock(&p->lock);
}

static void wake(struct nti_pool *p)
{
	(void)pthread_cond_broadcast(&p->changed);
}

/* All ends. */
static void wake_all(struct nti_pool *p)
{
	wake(p);
	(void)pthread_cond_broadcast(&p->turned);
	(void)pthread_cond_broadcast(&p->ended);
}

static void wait(struct nti_pool *p)
{
	(void)pthread_cond_wait(&p->changed, &p->lock);
}

/* Is a piece before @number still being made? */
static bool is_behind(const struct nti_pool *p, uint64_t number)
{
	size_t i;

	for (i = 0; i < p->seats; i++) {
		if (p->seat[i].state == NTI_SEAT_MAKING && p->seat[i].number < number)
			return true;
	}
	return false;
}

/*
 * Called by a parser that meets a device nobody saw before. Devices get their numbers in the order
 * of the trace, however many threads there are: so it waits for the pieces before its own to be
 * made. The first of all waits for nobody. A front end that gives numbers in settle() gives all of
 * them there, for settle() of the pieces before may come later than this.
 */
static void wait_for_earlier(void *arg)
{
	struct nti_pool *p = arg;
	const struct nti_seat *own = NULL;
	size_t i;

	lock(p);
	for (i = 0; i < p->seats; i++) {
		if (p->seat[i].state == NTI_SEAT_MAKING &&
		    pthread_equal(p->seat[i].thread, pthread_self()))
			own = &p->seat[i];
	}
	while (own && is_behind(p, own->number))
		wait(p);
	unlock(p);
}

static struct nti_seat *free_seat(struct nti_pool *p)
{
	size_t i;

	for (i = 0; i < p->seats; i++) {
		if (p->seat[i].state == NTI_SEAT_FREE)
			return &p->seat[i];
	}
	return NULL;
}

/*
 * @own or a free seat, once nobody else takes a piece; NULL: there is nothing left to do. Locked.
 */
static struct nti_seat *find_seat(struct nti_pool *p, struct nti_seat *own)
{
	struct nti_seat *seat;

	while (!p->is_over && !p->is_stopping && !p->error) {
		seat = own ? own : free_seat(p);
		if (seat && !p->is_taking)
			return seat;
		wait(p);
	}
	return NULL;
}

/* Take a piece into @own, else into any seat that is free. NULL: there are no more. */
static struct nti_seat *take(struct nti_pool *p, struct nti_seat *own)
{
	struct nti_seat *seat;
	int ret;

	lock(p);
	seat = find_seat(p, own);
	if (seat) {
		p->is_taking = true;
		seat->number = p->next++;
		seat->thread = pthread_self();
		seat->state = NTI_SEAT_MAKING;
	}
	unlock(p);
	if (!seat)
		return NULL;
	do
		ret = nti_trace_take(p->t, &seat->lane);
	while (ret == -EINTR);
	lock(p);
	p->is_taking = false;
	seat->ret = ret;
	if (ret <= 0)
		p->is_over = true;
	wake(p);
	unlock(p);
	return seat;
}

static void fail(struct nti_pool *p, int ret)
{
	lock(p);
	if (!p->error)
		p->error = ret;
	wake_all(p);
	unlock(p);
}

static void set_made(struct nti_pool *p, struct nti_seat *seat)
{
	lock(p);
	seat->state = NTI_SEAT_MADE;
	wake(p);
	unlock(p);
}

/*
 * Where pieces are used by who made them, a thread keeps its seat: its memory stays in the cache of
 * one core.
 */
static void *work(void *arg)
{
	struct nti_pool *p = arg;
	struct nti_seat *seat = NULL;
	int ret;

	while ((seat = take(p, p->use ? seat : NULL))) {
		if (seat->ret > 0) {
			ret = nti_trace_make(p->t, &seat->lane);
			if (ret < 0)
				seat->ret = ret;
		}
		set_made(p, seat);
		if (!p->use)
			continue;
		ret = p->use(p, seat);
		if (ret)
			fail(p, ret);
	}
	lock(p);
	p->running--;
	wake_all(p);
	unlock(p);
	return NULL;
}

static int make_seats(struct nti_pool *p)
{
	size_t i;

	p->seat = calloc(p->seats, sizeof(*p->seat));
	p->thread = calloc(p->threads, sizeof(*p->thread));
	if (!p->seat || !p->thread)
		return -ENOMEM;
	for (i = 0; i < p->seats; i++) {
		if (nti_lane_init(&p->seat[i].lane, p->t->front) < 0)
			return -ENOMEM;
	}
	return 0;
}

int nti_pool_start(struct nti_pool *p, struct ntime_trace *t, size_t threads, size_t seats,
		   int (*use)(struct nti_pool *p, struct nti_seat *seat), void *arg)
{
	pthread_condattr_t monotonic;
	int ret;

	memset(p, 0, sizeof(*p));
	p->t = t;
	p->threads = threads;
	p->seats = seats;
	p->use = use;
	p->arg = arg;
	(void)pthread_mutex_init(&p->lock, NULL);
	(void)pthread_cond_init(&p->changed, NULL);
	(void)pthread_cond_init(&p->turned, NULL);
	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&p->ended, &monotonic);
	(void)pthread_condattr_destroy(&monotonic);
	ret = make_seats(p);
	nti_trace_devices_gate(t->devices, wait_for_earlier, p);
	while (!ret && p->started < threads) {
		lock(p);
		p->running++;
		unlock(p);
		ret = -pthread_create(&p->thread[p->started], NULL, work, p);
		if (!ret) {
			p->started++;
			continue;
		}
		lock(p);
		p->running--;
		unlock(p);
		/* With one of them the work is done, if slower. */
		if (p->started)
			ret = 0;
		break;
	}
	if (ret < 0)
		nti_pool_stop(p);
	return ret;
}

void nti_pool_stop(struct nti_pool *p)
{
	size_t i;

	lock(p);
	p->is_stopping = true;
	wake_all(p);
	unlock(p);
	for (i = 0; i < p->started; i++)
		(void)pthread_join(p->thread[i], NULL);
	nti_trace_devices_gate(p->t->devices, NULL, NULL);
	for (i = 0; p->seat && i < p->seats; i++)
		nti_lane_fini(&p->seat[i].lane, p->t->front);
	free(p->seat);
	free(p->thread);
	(void)pthread_cond_destroy(&p->changed);
	(void)pthread_cond_destroy(&p->turned);
	(void)pthread_cond_destroy(&p->ended);
	(void)pthread_mutex_destroy(&p->lock);
}

int nti_pool_wait(struct nti_pool *p, size_t turn, const struct nti_seat *seat)
{
	int ret;

	lock(p);
	while (p->turn[turn] != seat->number && !p->error && !p->is_stopping)
		(void)pthread_cond_wait(&p->turned, &p->lock);
	ret = p->error || p->is_stopping ? -ECANCELED : 0;
	unlock(p);
	return ret;
}

void nti_pool_pass(struct nti_pool *p, size_t turn)
{
	lock(p);
	p->turn[turn]++;
	(void)pthread_cond_broadcast(&p->turned);
	unlock(p);
}

static struct nti_seat *made_seat(struct nti_pool *p, uint64_t number)
{
	size_t i;

	for (i = 0; i < p->seats; i++) {
		if (p->seat[i].state == NTI_SEAT_MADE && p->seat[i].number == number)
			return &p->seat[i];
	}
	return NULL;
}

struct nti_seat *nti_pool_fetch(struct nti_pool *p, int *ret)
{
	struct nti_seat *seat = NULL;
	size_t i;

	lock(p);
	for (i = 0; i < p->seats; i++) {
		if (p->seat[i].state == NTI_SEAT_HELD)
			p->seat[i].state = NTI_SEAT_FREE;
	}
	wake(p);
	while (!(seat = made_seat(p, p->turn[0])) && (p->running || p->turn[0] < p->next))
		wait(p);
	*ret = 0;
	if (seat) {
		seat->state = NTI_SEAT_HELD;
		p->turn[0]++;
		*ret = seat->ret;
	}
	unlock(p);
	return seat && *ret > 0 ? seat : NULL;
}

bool nti_pool_join(struct nti_pool *p, int ms)
{
	struct nti_os *os = p->t->ctx->os;
	uint64_t ns = os->ops->now_ns(os) + (uint64_t)ms * 1000000;
	struct timespec until;
	bool is_over;

	until.tv_sec = (time_t)(ns / 1000000000);
	until.tv_nsec = (long)(ns % 1000000000);
	lock(p);
	if (p->running)
		(void)pthread_cond_timedwait(&p->ended, &p->lock, &until);
	is_over = !p->running;
	unlock(p);
	return is_over;
}
