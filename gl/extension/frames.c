// SPDX-License-Identifier: MIT
/* Frames of drawables: a clock and the driver's queries for each. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "gl/extension/context.h"
#include "gl/extension/frames.h"
#include "gl/extension/wire.h"

/* Seconds that ntime may take to answer: after them the program goes on without frames. */
#define PATIENCE_SECONDS 5
/* Frames whose queries have no result yet; then the oldest is waited for. */
#define MOST_FRAMES 8

/**
 * struct part - the driver's queries of a frame
 * @serial:	of the context that @span is of
 * @is_over:	the frame ended
 * @has_span:	@span is begun, and not in @count yet
 * @is_lost:	it has more than its frame: who swapped, or compiled a list, could not end it
 * @is_void:	of a query: its count cannot be known
 */
struct part {
	uint64_t frame, serial;
	bool is_over, has_span, is_lost, is_void[GLP_N_QUERIES];
	struct glp_span span[GLP_N_QUERIES];
	uint64_t count[GLP_N_QUERIES];
};

/* A session, which drawables share that need no passes in turn; @users of them. */
struct counting {
	struct ntime_ctx *ctx;
	struct ntime_session *session;
	unsigned int users;
	pid_t pid;
};

/**
 * struct glp_frames - of a drawable
 * @pid:	process that counts; in others it is a copy of no use
 * @clock:	NULL: they could not be counted
 * @number:	of the frame that runs
 * @is_drawing:	the spans of the last part run
 * @threads:	in which it is current
 * @used:	when it was used last, of all
 * @may_wait:	results are waited for where they would be lost
 * @query:	@n of the driver's, by number
 * @part:	@parts that are not stored yet, the oldest first
 */
struct glp_frames {
	struct glp_frames *next;
	const void *drawable;
	pid_t pid;
	struct counting *counting;
	struct ntime_frames *clock;
	uint64_t number;
	bool is_context, is_drawing, has_failed, may_wait;
	unsigned int threads;
	uint64_t used;
	unsigned int query[GLP_N_QUERIES];
	size_t n, parts;
	struct part part[MOST_FRAMES];
};

/* Drawables that are counted at one time: of more the one that was not used for longest ends. */
#define MOST_CLOCKS 16

static struct glp_frames *all;
static struct counting *shared;
static uint64_t uses;
/* Of all that is here: a swap holds it for some thousand instructions. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Those of what is current in this thread. */
static __thread struct glp_frames *current;

#define QUERY(name_, unit_, behind, target)                                                        \
	{ .size = sizeof(struct ntime_item),                                                       \
	  .name = name_,                                                                           \
	  .unit = unit_,                                                                           \
	  .unit_text = unit_,                                                                      \
	  .scale = 1,                                                                              \
	  .method = "OpenGL",                                                                      \
	  .scope = NTIME_SCOPE_DEVICE },
static const struct ntime_item queries[GLP_N_QUERIES] = { GLP_QUERIES(QUERY) };

/* NULL: nobody wants frames. */
static const char *socket_name;

__attribute__((constructor)) static void find_socket(void)
{
	/* A program that gained rights tells nobody whom its user names. */
	const char *name = secure_getenv(GLP_WIRE_VARIABLE);

	socket_name = name && *name ? name : NULL;
}

/* To ntime, or -1. */
static int call(const char *name)
{
	const struct timeval patience = { .tv_sec = PATIENCE_SECONDS };
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t chars = strlen(name);
	socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + chars);
	int fd;

	if (chars + 1 > sizeof(to.sun_path))
		return -1;
	memcpy(to.sun_path + 1, name, chars);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&to, bytes) == 0 && glp_wire_is_trusted(fd))
		return fd;
	(void)close(fd);
	return -1;
}

static bool say(int fd, const void *what, size_t bytes)
{
	return send(fd, what, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
}

static bool say_hello(int fd, const struct glp_frames *f, enum glp_wire_kind kind)
{
	const struct glp_wire_hello hello = { .version = GLP_WIRE_VERSION,
					      .kind = kind,
					      .pid = f->pid,
					      .frame = f->number,
					      .drawable = (uintptr_t)f->drawable };

	return say(fd, &hello, sizeof(hello));
}

/* The ring's file, or -1. */
static int hear(int fd, struct glp_wire_answer *answer)
{
	char room[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
	struct iovec to = { .iov_base = answer, .iov_len = sizeof(*answer) };
	struct msghdr message = {
		.msg_iov = &to, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)
	};
	struct cmsghdr *with;
	ssize_t got;
	int file;

	do
		got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	with = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (!with || with->cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&file, CMSG_DATA(with), sizeof(file));
	if (got == sizeof(*answer) && answer->version == GLP_WIRE_VERSION)
		return file;
	(void)close(file);
	return -1;
}

static void release(struct counting *k)
{
	if (!k || --k->users)
		return;
	if (k == shared)
		shared = NULL;
	if (k->pid == getpid()) {
		ntime_session_free(k->session);
		ntime_close(k->ctx);
	}
	free(k);
}

static int open_counting(struct counting *k, const struct glp_wire_answer *answer)
{
	const struct ntime_target target = {
		.size = sizeof(target),
		.kind = answer->of_machine ? NTIME_TARGET_MACHINE : NTIME_TARGET_PROCESS,
		.flags = NTIME_BY_PASS | (answer->of_machine ? 0 : NTIME_CHILDREN),
		.pid = answer->of_machine ? 0 : k->pid
	};
	int ret = ntime_open(&k->ctx, NULL);

	if (ret == 0)
		ret = ntime_session_new(k->ctx, &target, &k->session);
	if (ret == 0)
		ret = ntime_session_add_list(k->session, answer->events);
	if (ret == 0)
		ret = ntime_session_open(k->session);
	return ret < 0 ? ret : ntime_session_start(k->session);
}

/* What the answer asks for; of one process that is the same each time. 0 or -errno. */
static int find_counting(struct glp_frames *f, const struct glp_wire_answer *answer)
{
	int ret;

	if (shared && shared->pid == f->pid) {
		f->counting = shared;
		shared->users++;
		return 0;
	}
	f->counting = calloc(1, sizeof(*f->counting));
	if (!f->counting)
		return -ENOMEM;
	f->counting->users = 1;
	f->counting->pid = f->pid;
	ret = open_counting(f->counting, answer);
	if (ret >= 0 && ntime_session_passes(f->counting->session) == 1)
		shared = f->counting;
	return ret < 0 ? ret : 0;
}

static int make_clock(struct glp_frames *f, const struct glp_wire_answer *answer, int file)
{
	struct ntime_item own[GLP_N_QUERIES];
	int ret = find_counting(f, answer);

	for (unsigned int q = 0; q < GLP_N_QUERIES; q++) {
		if (!(answer->queries >> q & 1))
			continue;
		own[f->n] = queries[q];
		f->query[f->n++] = q;
	}
	if (ret == 0)
		ret = ntime_frames_new_own(f->counting->session, own, f->n, answer->depth, file,
					   &f->clock);
	return ret < 0 ? ret : 0;
}

static void stop(struct glp_frames *f)
{
	ntime_frames_free(f->clock);
	release(f->counting);
	f->clock = NULL;
	f->counting = NULL;
}

static void begin(struct glp_frames *f)
{
	struct glp_wire_answer answer;
	struct glp_wire_done done = { .error = 0 };
	int fd = call(socket_name), file;

	if (fd < 0)
		return;
	file = say_hello(fd, f, f->is_context ? GLP_WIRE_CONTEXT : GLP_WIRE_DRAWABLE)
		       ? hear(fd, &answer)
		       : -1;
	if (file >= 0) {
		answer.events[sizeof(answer.events) - 1] = '\0';
		done.error = make_clock(f, &answer, file);
		if (done.error < 0)
			snprintf(done.why, sizeof(done.why), "%s",
				 f->counting && f->counting->ctx
					 ? ntime_error_text(f->counting->ctx)
					 : "");
		(void)close(file);
		(void)say(fd, &done, sizeof(done));
		if (done.error < 0)
			stop(f);
	}
	(void)close(fd);
}

static void tell_late(struct glp_frames *f);

/*
 * One more clock: the one that was not used for longest ends, as no window says that it has gone.
 */
static void make_room(void)
{
	struct glp_frames **oldest = NULL, *gone;
	size_t n = 0;

	for (struct glp_frames **p = &all; *p; p = &(*p)->next) {
		n++;
		if (!(*p)->threads && (!oldest || (*p)->used < (*oldest)->used))
			oldest = p;
	}
	if (n <= MOST_CLOCKS || !oldest)
		return;
	gone = *oldest;
	*oldest = gone->next;
	if (gone->pid == getpid()) {
		tell_late(gone);
		stop(gone);
	}
	free(gone);
}

/*
 * With the lock: those of a drawable, which begin if they are new and @begins; NULL: nobody wants
 * them, or they cannot be counted.
 */
static struct glp_frames *find(const void *drawable, bool is_context, bool begins)
{
	struct glp_frames *f = all;

	if (!socket_name || !drawable)
		return NULL;
	while (f && (f->drawable != drawable || f->is_context != is_context || f->pid != getpid()))
		f = f->next;
	if (!f && begins) {
		f = calloc(1, sizeof(*f));
		if (!f)
			return NULL;
		f->drawable = drawable;
		f->is_context = is_context;
		f->pid = getpid();
		f->used = ++uses;
		f->next = all;
		all = f;
		make_room();
		begin(f);
	}
	return f && f->clock ? f : NULL;
}

/* What its spans counted, waited for or if it is there. Is it in @p->count now? */
static bool settle(struct glp_frames *f, struct part *p, bool waits)
{
	struct glp_context *c = glp_context_current();
	bool is_here = c && c->serial == p->serial;

	for (size_t i = 0; i < f->n && p->has_span && is_here && !waits; i++)
		if (!p->is_void[i] && !glp_pipeline_is_ready(c, f->query[i], &p->span[i]))
			return false;
	for (size_t i = 0; i < f->n && p->has_span; i++) {
		uint64_t count = 0;

		if (p->is_void[i])
			continue;
		p->is_void[i] = !is_here || !glp_pipeline_get(c, f->query[i], &p->span[i], &count);
		p->count[i] += count;
		if (is_here)
			glp_pipeline_drop(c, f->query[i], &p->span[i]);
	}
	p->has_span = false;
	return true;
}

/* Of one frame at most, as the frame that ends can store one. */
static void take_results(struct glp_frames *f)
{
	struct part *p = &f->part[0];

	if (!f->parts || !p->is_over || !settle(f, p, f->parts == MOST_FRAMES))
		return;
	for (size_t i = 0; i < f->n; i++)
		if (!p->is_void[i] && !p->is_lost)
			(void)ntime_frame_put(f->clock, i, p->frame, p->count[i]);
	memmove(p, p + 1, --f->parts * sizeof(*p));
}

/* Frames that have ended and that no later one may follow: their results are told as they are. */
static void tell_late(struct glp_frames *f)
{
	int fd = f->parts && f->part[0].is_over ? call(socket_name) : -1;
	size_t taken = 0;

	if (fd < 0)
		return;
	if (say_hello(fd, f, GLP_WIRE_LATE))
		for (; taken < f->parts && f->part[taken].is_over; taken++) {
			struct part *p = &f->part[taken];
			struct glp_wire_late late = { .frame = p->frame };

			(void)settle(f, p, true);
			for (size_t i = 0; i < f->n; i++) {
				late.known |= (uint32_t)(!p->is_void[i] && !p->is_lost) << i;
				late.count[i] = p->count[i];
			}
			if (!say(fd, &late, sizeof(late)))
				break;
		}
	(void)close(fd);
	f->parts -= taken;
	memmove(f->part, f->part + taken, f->parts * sizeof(f->part[0]));
}

/* Nobody will ask for it. */
static void give_up(struct glp_frames *f, struct part *p)
{
	for (size_t i = 0; i < f->n; i++) {
		if (!p->is_void[i])
			glp_pipeline_drop(glp_context_current(), f->query[i], &p->span[i]);
		p->is_void[i] = true;
	}
	p->has_span = false;
}

/*
 * @c goes from this thread, and results are asked for in their context. @is_end: perhaps for good.
 * What another thread draws on is left alone.
 */
static void settle_all(const struct glp_context *c, bool is_end)
{
	for (struct glp_frames *f = all; f; f = f->next) {
		if (f->pid != getpid() || f->is_drawing)
			continue;
		for (size_t i = 0; i < f->parts; i++)
			if (f->part[i].serial == c->serial && !settle(f, &f->part[i], f->may_wait))
				give_up(f, &f->part[i]);
		if (is_end && f->parts && !f->part[0].has_span)
			tell_late(f);
	}
}

static void end_part(struct glp_frames *f);

/* The program ends in this thread, and its context is still there. */
static void end_of_program(void)
{
	const struct glp_context *c = glp_context_current();

	pthread_mutex_lock(&lock);
	/* The driver of a window that is gone would end the program with an error of X. */
	if (current && current->pid == getpid() && current->may_wait) {
		end_part(current);
		current = NULL;
		if (c)
			settle_all(c, true);
	}
	pthread_mutex_unlock(&lock);
}

static void wait_for_end(void)
{
	(void)atexit(end_of_program);
}

static void begin_part(struct glp_frames *f)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct glp_context *c = glp_context_current();
	struct part *p = f->parts ? &f->part[f->parts - 1] : NULL;

	if (!f->n || !c || f->is_drawing)
		return;
	if (!p || p->is_over) {
		p = &f->part[f->parts++];
		*p = (struct part){ .frame = f->number };
	}
	(void)settle(f, p, true);
	/* Behind what the driver does at the end, which so comes later. */
	(void)pthread_once(&once, wait_for_end);
	glp_context_learn(c);
	glp_pipeline_probe(c);
	p->serial = c->serial;
	for (size_t i = 0; i < f->n; i++)
		p->is_void[i] |= c->pipeline.queries[f->query[i]].why ||
				 glp_pipeline_begin(c, f->query[i], &p->span[i]) < 0;
	p->has_span = true;
	f->is_drawing = true;
}

static void end_part(struct glp_frames *f)
{
	struct glp_context *c = glp_context_current();
	struct part *p = &f->part[f->parts - 1];

	if (!f->is_drawing)
		return;
	/* The end would become a part of the program's list. */
	if (c && glp_pipeline_is_compiling(c)) {
		p->is_lost = true;
		return;
	}
	for (size_t i = 0; i < f->n; i++)
		if (!p->is_void[i] && c && c->serial == p->serial)
			glp_pipeline_end(c, f->query[i], &p->span[i]);
	f->is_drawing = false;
}

struct glp_frames *glp_frames_leave(const void *context)
{
	struct glp_context *c = glp_context_current();
	struct glp_frames *f = current;

	current = NULL;
	if (!f)
		return NULL;
	pthread_mutex_lock(&lock);
	f->threads--;
	end_part(f);
	if (c && c->handle != context)
		settle_all(c, !context);
	pthread_mutex_unlock(&lock);
	return f;
}

void glp_frames_enter(struct glp_frames *before, bool has_changed, const void *drawable,
		      const void *context, bool may_wait)
{
	if (!socket_name)
		return;
	pthread_mutex_lock(&lock);
	current = before;
	if (has_changed)
		current = context ? find(drawable ? drawable : context, !drawable, true) : NULL;
	if (current) {
		current->may_wait = may_wait;
		current->threads++;
		current->used = ++uses;
		begin_part(current);
	}
	pthread_mutex_unlock(&lock);
}

struct glp_frames *glp_frames_ending(const void *drawable)
{
	struct glp_frames *f = current;

	if (!socket_name)
		return NULL;
	pthread_mutex_lock(&lock);
	if (!f || f->drawable != drawable || f->pid != getpid())
		f = find(drawable, false, false);
	if (f && f == current)
		end_part(f);
	/* Not to end while the driver swaps. */
	if (f)
		f->threads++;
	pthread_mutex_unlock(&lock);
	return f;
}

static void tell_failure(struct glp_frames *f)
{
	int fd = f->has_failed ? -1 : call(socket_name);

	f->has_failed = true;
	if (fd < 0)
		return;
	(void)say_hello(fd, f, GLP_WIRE_SWAP_FAILED);
	(void)close(fd);
}

void glp_frames_ended(struct glp_frames *f, bool has_swapped)
{
	if (!f)
		return;
	pthread_mutex_lock(&lock);
	f->threads--;
	f->used = ++uses;
	if (!has_swapped)
		tell_failure(f);
	if (has_swapped && f->parts) {
		/* What another thread draws goes on, and is of more frames than one. */
		f->part[f->parts - 1].is_over = !f->is_drawing;
		f->part[f->parts - 1].is_lost |= f->is_drawing;
	}
	if (has_swapped) {
		if (f == current)
			take_results(f);
		(void)ntime_frame_end(f->clock, &f->number);
		f->number++;
	}
	if (f == current)
		begin_part(f);
	pthread_mutex_unlock(&lock);
}

/* Of a context without a drawable. */
static void end_of_context(void (*function)(void))
{
	struct glp_frames *f = current && current->is_context ? current : NULL;

	f = f ? glp_frames_ending(f->drawable) : NULL;
	function();
	glp_frames_ended(f, true);
}

void glFlush(void)
{
	end_of_context(glp_context_driver(glp_context_current())->Flush);
}

void glFinish(void)
{
	end_of_context(glp_context_driver(glp_context_current())->Finish);
}
