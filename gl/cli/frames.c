// SPDX-License-Identifier: MIT
/* Frames of a program: rings for its drawables, copied before they are overwritten. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/command/cut.h"
#include "count/cli/shared/machine.h"
#include "gl/cli/frames.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "count/cli/stat/frames.h"
#include "count/cli/report/wide.h"

/* Of a ring, and how often it is looked at: 80,000 frames a second are copied. */
#define DEPTH 4096
#define LOOK_MS 50
/* Of all drawables: who makes more swaps none of them often. */
#define MOST_SERIES 256
/*
 * That a program sends late, and programs that are heard at one look: nobody holds the others up.
 */
#define MOST_RECORDS 16
#define MOST_CALLS 64

static int listen_to_programs(struct cli_gl_frames *f)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	socklen_t bytes = sizeof(name);

	f->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* Bound to no name, it gets one of five characters that nobody has (unix(7), autobind). */
	if (f->socket < 0 || bind(f->socket, (struct sockaddr *)&name, sizeof(sa_family_t)) ||
	    listen(f->socket, 64) || getsockname(f->socket, (struct sockaddr *)&name, &bytes))
		return -errno;
	name.sun_path[bytes - sizeof(sa_family_t)] = '\0';
	return setenv(GLP_WIRE_VARIABLE, name.sun_path + 1, 1) ? -ENOMEM : 0;
}

int cli_gl_frames_begin(struct cli_gl_frames *f, struct ntime_ctx *ctx)
{
	int ret;

	f->ctx = ctx;
	f->answer.version = GLP_WIRE_VERSION;
	f->answer.depth = DEPTH;
	f->has_whole = f->path;
	ret = f->path ? cli_frames_file_begin(&f->whole, f->path) : 0;
	if (ret)
		return ret;
	cli_cut_survive();
	ret = listen_to_programs(f);
	if (ret)
		cli_say("frames cannot be counted: no socket can be made: %s", strerror(-ret));
	return ret;
}

static struct cli_gl_series *find_series(struct cli_gl_frames *f,
					 const struct glp_wire_hello *hello)
{
	/* The last one: a handle is used again, and so is a process id. */
	for (size_t i = f->n; i-- > 0;) {
		const struct glp_wire_hello *of = &f->series[i].hello;

		if (of->pid == hello->pid && of->drawable == hello->drawable)
			return &f->series[i];
	}
	return NULL;
}

static bool send_answer(int fd, struct glp_wire_answer *answer, int file)
{
	char room[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = { 0 };
	struct iovec from = { .iov_base = answer, .iov_len = sizeof(*answer) };
	struct msghdr message = { .msg_iov = &from,
				  .msg_iovlen = 1,
				  .msg_control = room,
				  .msg_controllen = sizeof(room) };
	struct cmsghdr *with = CMSG_FIRSTHDR(&message);

	*with = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS,
				  .cmsg_len = CMSG_LEN(sizeof(int)) };
	memcpy(CMSG_DATA(with), &file, sizeof(file));
	return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(*answer);
}

static void open_ring(struct cli_gl_frames *f, struct cli_gl_series *s)
{
	struct ntime_frame_ring_info info = { .size = sizeof(info) };

	/* Who cuts it now gets an error. */
	(void)fcntl(s->file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	if (ntime_frame_ring_open(f->ctx, s->file, &s->ring) < 0 ||
	    ntime_frame_ring_get_info(s->ring, &info) < 0 || info.depth != DEPTH) {
		cli_machine_say(f->ctx, -EBADMSG);
		return;
	}
	s->items = info.items;
	s->item = cli_calloc(s->items + 1, sizeof(*s->item));
	s->got = cli_calloc(s->items + 1, sizeof(*s->got));
	for (size_t i = 0; i < s->items; i++) {
		s->item[i].size = sizeof(s->item[i]);
		(void)ntime_frame_ring_item(s->ring, i, &s->item[i]);
		if (f->hides_events && i + (size_t)__builtin_popcount(f->answer.queries) < s->items)
			s->item[i].is_hidden = 1;
	}
	if (f->path && s == f->series && cli_whole_end(&f->whole) < 0)
		cli_say("cannot write to %s", f->path);
}

/* The program has made its ring, or could not. */
static void hear(struct cli_gl_frames *f, struct cli_gl_series *s)
{
	struct glp_wire_done done = { .error = -ECONNRESET };
	ssize_t got = recv(s->fd, &done, sizeof(done), MSG_DONTWAIT);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	(void)close(s->fd);
	s->fd = -1;
	done.why[sizeof(done.why) - 1] = '\0';
	if (got == sizeof(done) && done.error == 0)
		open_ring(f, s);
	else if (got == sizeof(done))
		cli_say("frames of process %d are not counted: %s", s->hello.pid,
			*done.why ? done.why : strerror(-done.error));
}

static struct ntime_value *value_of(const struct cli_gl_series *s, size_t frame, size_t item)
{
	return &s->value[frame * s->items + item];
}

/* A number comes so many frames later at most: passes, or results that the driver keeps back. */
#define MOST_LATE 1024

/* The place of frame @number, or SIZE_MAX. */
static size_t place_of(const struct cli_gl_series *s, uint64_t number)
{
	for (size_t i = s->n; i > 0 && s->n - i <= MOST_LATE; i--)
		if (s->frame[i - 1].number == number)
			return i - 1;
	return SIZE_MAX;
}

static void keep(struct cli_gl_series *s, const struct ntime_frame *frame)
{
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 256;
		s->frame = cli_realloc(s->frame, s->room, sizeof(*s->frame));
		s->value = cli_realloc(s->value, s->room * (s->items + 1), sizeof(*s->value));
	}
	s->frame[s->n++] = *frame;
	for (size_t i = 0; i < s->items; i++) {
		struct ntime_value *v = value_of(s, s->n - 1, i);
		size_t at = place_of(s, s->got[i].last);

		*v = s->got[i].value;
		if (at == s->n - 1)
			continue;
		/* Of an older frame: it is that one's, and this one's may come. */
		if (at != SIZE_MAX)
			*value_of(s, at, i) = *v;
		v->flags = (v->flags & NTIME_ABSENT) | NTIME_NOT_COUNTED;
		v->value = NAN;
	}
}

static void copy_frames(struct cli_gl_series *s)
{
	struct ntime_frame_ring_info info = { .size = sizeof(info) };
	struct ntime_frame frame = { .size = sizeof(frame) };

	if (!s->ring || ntime_frame_ring_get_info(s->ring, &info) < 0)
		return;
	if (s->next < info.oldest) {
		s->lost += info.oldest - s->next;
		s->next = info.oldest;
	}
	for (; s->next < info.next; s->next++) {
		if (ntime_frame_read(s->ring, s->next, &frame, s->got, s->items) == 0)
			keep(s, &frame);
		else
			s->lost++;
	}
}

/* Results that came when no frame followed. */
static void take_late(struct cli_gl_series *s, uint32_t queries, int fd)
{
	size_t n = (size_t)__builtin_popcount(queries);
	struct glp_wire_late late;

	copy_frames(s);
	for (int i = 0; i < MOST_RECORDS && recv(fd, &late, sizeof(late), 0) == sizeof(late); i++) {
		size_t at = place_of(s, late.frame);

		for (size_t k = 0; k < n && n <= s->items && at != SIZE_MAX; k++)
			if (late.known >> k & 1)
				*value_of(s, at, s->items - n + k) =
					(struct ntime_value){ .count = late.count[k],
							      .scale = 1,
							      .value = (double)late.count[k] };
	}
}

/* A program has something to say. True: @fd is kept. */
static bool greet(struct cli_gl_frames *f, int fd)
{
	const struct timeval patience = { .tv_sec = 1 };
	struct glp_wire_hello hello;
	struct cli_gl_series *s;
	int file;

	/* It says it right behind connect(). */
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (!glp_wire_is_trusted(fd)) {
		f->has_stranger = true;
		return false;
	}
	if (recv(fd, &hello, sizeof(hello), 0) != sizeof(hello) ||
	    hello.version != GLP_WIRE_VERSION)
		return false;
	s = find_series(f, &hello);
	if (hello.kind == GLP_WIRE_SWAP_FAILED && s)
		s->failed_at = hello.frame;
	if (hello.kind == GLP_WIRE_LATE && s && s->fd >= 0)
		hear(f, s);
	if (hello.kind == GLP_WIRE_LATE && s)
		take_late(s, f->answer.queries, fd);
	f->is_full |= f->n == MOST_SERIES;
	if (hello.kind >= GLP_WIRE_SWAP_FAILED || f->is_full)
		return false;
	/* The user's for the first one; -1 where there is no memory for another. */
	file = f->path && !f->n ? fcntl(f->whole.fd, F_DUPFD_CLOEXEC, 0)
				: memfd_create("ntime-frames", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (file < 0 || !send_answer(fd, &f->answer, file)) {
		if (file >= 0)
			(void)close(file);
		return false;
	}
	cli_grow(&f->series, f->n);
	f->series[f->n++] = (struct cli_gl_series){
		.hello = hello, .fd = fd, .file = file, .failed_at = UINT64_MAX
	};
	return true;
}

static void accept_programs(struct cli_gl_frames *f)
{
	int fd;

	// cppcheck-suppress nullPointer ; NULL: nobody asks who it is
	for (int i = 0; i < MOST_CALLS && (fd = accept4(f->socket, NULL, NULL, SOCK_CLOEXEC)) >= 0;
	     i++)
		if (!greet(f, fd))
			(void)close(fd);
}

static void look(struct cli_gl_frames *f)
{
	accept_programs(f);
	for (size_t i = 0; i < f->n; i++) {
		if (f->series[i].fd >= 0)
			hear(f, &f->series[i]);
		copy_frames(&f->series[i]);
	}
}

int cli_gl_frames_follow(struct cli_gl_frames *f, pid_t pid)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0), ret = 0;
	struct pollfd p[MOST_SERIES + 2];

	if (pidfd < 0)
		return -errno;
	do {
		nfds_t n = 2;

		p[0] = (struct pollfd){ .fd = pidfd, .events = POLLIN };
		p[1] = (struct pollfd){ .fd = f->socket, .events = POLLIN };
		for (size_t i = 0; i < f->n; i++)
			if (f->series[i].fd >= 0)
				p[n++] = (struct pollfd){ .fd = f->series[i].fd, .events = POLLIN };
		if (poll(p, n, f->n ? LOOK_MS : -1) < 0 && errno != EINTR)
			ret = -errno;
		look(f);
	} while (!ret && !p[0].revents);
	/* What came at the very end. */
	look(f);
	(void)close(pidfd);
	return ret;
}

static void free_series(struct cli_gl_series *s)
{
	if (s->fd >= 0)
		(void)close(s->fd);
	(void)close(s->file);
	ntime_frame_ring_close(s->ring);
	free(s->item);
	free(s->frame);
	free(s->value);
	free(s->got);
}

void cli_gl_frames_fini(struct cli_gl_frames *f)
{
	for (size_t i = 0; i < f->n; i++)
		free_series(&f->series[i]);
	free(f->series);
	if (f->socket >= 0)
		(void)close(f->socket);
	if (f->has_whole)
		cli_whole_drop(&f->whole);
}

double cli_gl_number(const struct cli_gl_series *s, size_t i, size_t item)
{
	const struct ntime_frame *frame = &s->frame[i];
	const struct ntime_value *v;

	if (item == SIZE_MAX)
		return (double)(frame->end_ns - frame->begin_ns);
	v = value_of(s, i, item);
	return cli_wide_has_number(v) ? v->value : NAN;
}
