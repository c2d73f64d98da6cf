// SPDX-License-Identifier: MIT
/*
 * Everything from a reader into a writer.
 *
 * With several threads each parses and formats its pieces; what they must do in turn is to learn
 * from the records (turn 0) and to write the bytes (turn 1). A thread formats with a copy of the
 * writer's state as it was before its piece.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/shared.h"
#include "trace/base/context.h"
#include "trace/read/pool.h"
#include "trace/read/trace.h"
#include "trace/write/writer.h"

#define PROGRESS_MS 100

/* What a seat needs for writing. */
struct desk {
	void *state;
	struct nti_trace_bytes out;
};

struct copy {
	struct ntime_trace_writer *w;
	struct desk *desk;		    /* one a seat */
	struct nti_shared_counter position; /* behind what was written */
};

static struct desk *desk_of(struct nti_pool *p, const struct nti_seat *seat)
{
	return &((struct copy *)p->arg)->desk[seat - p->seat];
}

/* The caller's thread alone. */
static int copy_alone(struct ntime_trace *t, struct ntime_trace_writer *w,
		      int (*progress)(void *arg, uint64_t position), void *arg)
{
	struct ntime_trace_batch batch = { .size = sizeof(batch) };
	int ret;

	do {
		ret = ntime_trace_next(t, &batch);
		if (!ret && batch.n)
			ret = ntime_trace_writer_put(w, &batch);
		if (!ret && progress)
			ret = progress(arg, batch.position);
	} while (!ret && batch.n);
	return ret;
}

static int put(struct ntime_trace_writer *w, const struct nti_trace_batch *b)
{
	const struct ntime_trace_batch batch = {
		.size = sizeof(batch), .n = b->n, .records = b->rec, .text = b->text
	};

	return ntime_trace_writer_put(w, &batch);
}

/*
 * In turn: learn from the records and move the writer's state on. While the writer still looks
 * ahead it takes the records itself, when all before was written. 1: they are written.
 */
static int in_order(struct nti_pool *p, struct nti_seat *seat)
{
	struct ntime_trace_writer *w = ((struct copy *)p->arg)->w;
	struct nti_trace_batch *b = &seat->lane.b;
	struct desk *d = desk_of(p, seat);
	int ret = nti_trace_order(p->t, &seat->lane);

	if (ret < 0)
		return ret;
	if (w->is_looking) {
		ret = nti_pool_wait(p, 1, seat);
		if (!ret)
			ret = put(w, b);
		return ret ? ret : 1;
	}
	ret = w->back->copy(d->state, w->state);
	if (!ret && w->back->advance)
		w->back->advance(w->state, b);
	return ret;
}

static int write_out(struct nti_pool *p, struct nti_seat *seat, bool is_written)
{
	struct copy *c = p->arg;
	struct desk *d = desk_of(p, seat);
	int ret = nti_pool_wait(p, 1, seat);

	if (!ret && !is_written)
		ret = nti_trace_writer_bytes(c->w, d->out.p, d->out.n);
	if (ret)
		return ret;
	nti_shared_counter_set(&c->position, seat->lane.b.position);
	nti_pool_pass(p, 1);
	return 0;
}

/* In the same parts as the writer itself does. */
static int format(struct ntime_trace_writer *w, struct desk *d, const struct nti_trace_batch *b)
{
	struct nti_trace_batch part = *b;
	size_t i;
	int ret = 0;

	for (i = 0; i < b->n && !ret; i += part.n) {
		part.rec = b->rec + i;
		part.n = b->n - i < NTI_PART_RECORDS ? b->n - i : NTI_PART_RECORDS;
		ret = w->back->format(d->state, &part, &d->out);
	}
	return ret;
}

/* A piece that was made: write it. 0; non-zero ends all. */
static int use(struct nti_pool *p, struct nti_seat *seat)
{
	struct ntime_trace_writer *w = ((struct copy *)p->arg)->w;
	struct desk *d = desk_of(p, seat);
	int ret = nti_pool_wait(p, 0, seat), written;

	if (ret)
		return ret;
	if (seat->ret <= 0) {
		/* What came before is valid. */
		ret = nti_pool_wait(p, 1, seat);
		return ret ? ret : seat->ret;
	}
	written = in_order(p, seat);
	if (written < 0)
		return written;
	nti_pool_pass(p, 0);
	d->out.n = 0;
	if (!written)
		ret = format(w, d, &seat->lane.b);
	return ret < 0 ? ret : write_out(p, seat, written);
}

static void free_desks(struct ntime_trace_writer *w, struct desk *desk, size_t n)
{
	size_t i;

	for (i = 0; desk && i < n; i++) {
		if (desk[i].state)
			w->back->free(desk[i].state);
		free(desk[i].out.p);
	}
	free(desk);
}

static struct desk *make_desks(struct ntime_trace_writer *w, size_t n)
{
	struct desk *desk = calloc(n, sizeof(*desk));
	size_t i;
	int ret = desk ? 0 : -ENOMEM;

	for (i = 0; i < n && !ret; i++)
		ret = nti_trace_writer_state(w, &desk[i].state);
	if (!ret)
		return desk;
	free_desks(w, desk, n);
	return NULL;
}

/* Wait for the threads and tell how far they are. */
static int watch(struct nti_pool *p, struct copy *c, int (*progress)(void *arg, uint64_t position),
		 void *arg)
{
	int ret = 0;

	while (!nti_pool_join(p, PROGRESS_MS) && !ret) {
		if (progress)
			ret = progress(arg, nti_shared_counter_get(&c->position));
	}
	return ret;
}

static int copy_together(struct ntime_trace *t, struct ntime_trace_writer *w,
			 int (*progress)(void *arg, uint64_t position), void *arg)
{
	/* A thread keeps its seat until its piece is written. */
	size_t seats = t->threads;
	struct desk *desk = make_desks(w, seats);
	struct copy c = { .w = w, .desk = desk };
	struct nti_pool p;
	int ret;

	if (!desk)
		return nti_error(&t->ctx->error, -ENOMEM, "no memory for %u threads", t->threads);
	ret = nti_pool_start(&p, t, t->threads, seats, use, &c);
	if (!ret) {
		ret = watch(&p, &c, progress, arg);
		nti_pool_stop(&p);
		if (!ret)
			ret = p.error == -ECANCELED ? 0 : p.error;
		t->is_ended = !ret;
	}
	free_desks(w, desk, seats);
	return nti_trace_fail(t, ret);
}

int ntime_trace_copy(struct ntime_trace *t, struct ntime_trace_writer *w,
		     int (*progress)(void *arg, uint64_t position), void *arg)
{
	if (nti_trace_is_shared(t))
		return copy_together(t, w, progress, arg);
	return copy_alone(t, w, progress, arg);
}
