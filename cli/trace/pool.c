// SPDX-License-Identifier: MIT
/*
 * Threads that make lines of records: jobs are handed out in order, worked on in any, and written
 * in order.
 *
 * Each thread has a decoder and caches of its own. A job knows how much had been learnt of chips
 * when it was made, so that what is written does not depend on how many threads there are.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output/memory.h"
#include "cli/output/say.h"
#include "cli/trace/show.h"

/* Jobs in flight for each thread: one is worked on while the other waits. */
#define JOBS_EACH 2u
#define MOST_THREADS 64u

enum job_state { JOB_FREE, JOB_READY, JOB_BUSY, JOB_DONE };

struct job {
	enum job_state state;
	struct ntime_record *records;
	size_t n, room;
	char *text;
	size_t text_bytes, text_room;
	uint64_t access;
	const struct cli_learnt *last;
	char *out;
	size_t out_bytes, out_room;
	int error;
};

struct worker {
	struct cli_pool *pool;
	struct ntime_decoder *decoder;
	struct cli_lines *lines;
	const struct cli_learnt *known;
	pthread_t thread;
};

/* @lock is for the states of jobs and all behind @jobs; who set @is_writing writes without it. */
struct cli_pool {
	struct cli_show *show;
	struct worker worker[MOST_THREADS];
	unsigned int workers;
	struct job job[MOST_THREADS * JOBS_EACH];
	size_t jobs, head, tail,
		in_flight; /* the one to fill, the one to write, and how many are between */
	size_t next;	   /* the one to work on */
	bool is_ended, is_writing;
	int error; /* the first one, in the order of the jobs; nothing is written behind it */
	pthread_mutex_t lock;
	pthread_cond_t ready, done;
};

static int work(struct worker *w, struct job *j)
{
	size_t bytes;
	const char *text;
	int ret = w->decoder ? cli_chips_tell(w->decoder, &w->known, j->last) : 0;

	if (ret > 0)
		cli_lines_forget(w->lines);
	if (ret < 0)
		return ret;
	cli_lines_clear(w->lines);
	cli_lines_put(w->lines, j->records, j->n, j->text, j->access);
	text = cli_lines_text(w->lines, &bytes);
	if (bytes > j->out_room) {
		free(j->out);
		j->out = cli_malloc(bytes);
		j->out_room = bytes;
	}
	memcpy(j->out, text, bytes);
	j->out_bytes = bytes;
	return 0;
}

/*
 * Write what is ready, in order. Whoever made the oldest does so at once, for the thread that reads
 * may be waiting for input. Locked, but not while it writes.
 */
static void write_ready(struct cli_pool *p)
{
	struct job *j;
	int ret;

	while (!p->is_writing && p->job[p->tail].state == JOB_DONE) {
		j = &p->job[p->tail];
		p->is_writing = true;
		ret = p->error ? p->error : j->error;
		pthread_mutex_unlock(&p->lock);
		if (!ret && j->out_bytes)
			ret = cli_show_write(p->show, j->out, j->out_bytes);
		/* Somebody may be looking at a trace that grows. */
		if (!ret)
			ret = cli_output_flush(&p->show->out);
		pthread_mutex_lock(&p->lock);
		p->error = ret;
		p->is_writing = false;
		p->tail = (p->tail + 1) % p->jobs;
		p->in_flight--;
		j->state = JOB_FREE;
		pthread_cond_signal(&p->done);
	}
}

static void *run_worker(void *arg)
{
	struct worker *w = arg;
	struct cli_pool *p = w->pool;
	struct job *j;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (!p->is_ended && p->job[p->next].state != JOB_READY)
			pthread_cond_wait(&p->ready, &p->lock);
		if (p->is_ended)
			break;
		j = &p->job[p->next];
		p->next = (p->next + 1) % p->jobs;
		j->state = JOB_BUSY;
		pthread_mutex_unlock(&p->lock);
		j->error = work(w, j);
		pthread_mutex_lock(&p->lock);
		j->state = JOB_DONE;
		write_ready(p);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static int add_worker(struct cli_pool *p)
{
	struct worker *w = &p->worker[p->workers];
	struct cli_show *s = p->show;
	int ret;

	*w = (struct worker){ .pool = p, .known = &s->chips.first };
	if (!s->wanted.is_raw && cli_trace_decoder(s->t, &w->decoder))
		return CLI_EXIT_FAILED;
	w->lines = cli_lines_new(&s->style, w->decoder);
	ret = pthread_create(&w->thread, NULL, run_worker, w);
	if (ret) {
		cli_lines_free(w->lines);
		ntime_decoder_free(w->decoder);
		cli_say("cannot start a thread: %s; try a smaller --jobs", strerror(ret));
		return CLI_EXIT_FAILED;
	}
	p->workers++;
	return 0;
}

int cli_pool_new(struct cli_show *s, unsigned int threads, struct cli_pool **out)
{
	struct cli_pool *p = cli_calloc(1, sizeof(*p));

	p->show = s;
	p->jobs = JOBS_EACH * (threads < MOST_THREADS ? threads : MOST_THREADS);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->ready, NULL);
	pthread_cond_init(&p->done, NULL);
	for (unsigned int i = 0; i < threads && i < MOST_THREADS; i++)
		if (add_worker(p)) {
			cli_pool_free(p);
			return CLI_EXIT_FAILED;
		}
	*out = p;
	return 0;
}

void cli_pool_free(struct cli_pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->is_ended = true;
	pthread_cond_broadcast(&p->ready);
	pthread_mutex_unlock(&p->lock);
	for (unsigned int i = 0; i < p->workers; i++) {
		pthread_join(p->worker[i].thread, NULL);
		cli_lines_free(p->worker[i].lines);
		ntime_decoder_free(p->worker[i].decoder);
	}
	for (size_t i = 0; i < p->jobs; i++) {
		free(p->job[i].records);
		free(p->job[i].text);
		free(p->job[i].out);
	}
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->ready);
	pthread_cond_destroy(&p->done);
	free(p);
}

/* Wait until at most @n jobs are under way. 0 or the first error. */
static int wait_until(struct cli_pool *p, size_t n)
{
	int ret;

	pthread_mutex_lock(&p->lock);
	while (p->in_flight > n)
		pthread_cond_wait(&p->done, &p->lock);
	ret = p->error;
	pthread_mutex_unlock(&p->lock);
	return ret;
}

/* The texts of a batch that records need; where they lie in it changes. */
static void copy_text(struct job *j, struct ntime_record *r, const char *text)
{
	size_t bytes = strlen(text + r->text - 1) + 1, room;

	if (j->text_room - j->text_bytes < bytes) {
		room = 2 * (j->text_room + bytes);
		j->text = cli_realloc(j->text, room, 1);
		j->text_room = room;
	}
	memcpy(j->text + j->text_bytes, text + r->text - 1, bytes);
	r->text = (uint32_t)j->text_bytes + 1;
	j->text_bytes += bytes;
}

static void fill(struct job *j, const struct ntime_record *records, size_t n, const char *text,
		 bool is_for_people)
{
	if (j->room < n) {
		free(j->records);
		j->records = cli_malloc(n * sizeof(*j->records));
		j->room = n;
	}
	memcpy(j->records, records, n * sizeof(*records));
	j->n = n;
	j->text_bytes = 0;
	j->out_bytes = 0;
	for (size_t i = 0; i < n; i++)
		/* Those of accesses are not shown to people. */
		if (records[i].text && records[i].kind != CLI_RECORD_AGAIN &&
		    (records[i].kind >= NTIME_RECORD_MARK || !is_for_people))
			copy_text(j, &j->records[i], text);
}

int cli_pool_put(struct cli_pool *p, const struct ntime_record *records, size_t n, const char *text,
		 uint64_t access)
{
	struct job *j = &p->job[p->head];
	int ret;

	if (!n)
		return 0;
	ret = wait_until(p, p->jobs - 1);
	if (ret)
		return ret;
	fill(j, records, n, text, p->show->style.form == CLI_RECORD_LINES);
	j->access = access;
	j->last = p->show->chips.last;
	pthread_mutex_lock(&p->lock);
	j->state = JOB_READY;
	p->in_flight++;
	pthread_cond_signal(&p->ready);
	pthread_mutex_unlock(&p->lock);
	p->head = (p->head + 1) % p->jobs;
	return 0;
}

int cli_pool_end(struct cli_pool *p)
{
	return wait_until(p, 0);
}
