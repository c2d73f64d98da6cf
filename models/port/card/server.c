// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Serves one card over a socket. */
#include "models/port/card/server.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "include/uapi/ntime_model.h"
#include "models/port/card/truth.h"

#define CLIENTS_MAX 64

struct client {
	int fd;
	pid_t pid;
};

struct ntm_server {
	struct ntm_nv50_card card;
	uint32_t *bar, boot_0;
	char *path;
	int listener;
	struct stat own; /* the socket as we made it */
	struct client client[CLIENTS_MAX];
	size_t clients;
	bool is_full; /* of descriptors: nobody is accepted until a client goes */
	int holder;   /* descriptor of the client that holds the card; -1: nobody */
	const struct ntm_scene *scene;
	uint32_t frames; /* of the last "play" */
	uint64_t busy;	 /* clocks of "work" since then */
};

struct answer {
	struct ntime_model_reply reply;
	char text[NTIME_MODEL_TEXT_BYTES + 1];
};

/* ---- commands ---- */

static void advance(void *arg, const struct ntm_stretch *stretch)
{
	struct ntm_server *s = arg;
	struct ntm_nv50_wires wires;

	ntm_wires_of(stretch, &s->card, &wires);
	ntm_nv50_card_advance(&s->card, &wires, stretch->clocks);
}

static void play_on(struct ntm_server *s, uint32_t frames)
{
	for (; frames; frames--)
		ntm_scene_frame(s->scene, ++s->frames, advance, s);
}

/* Always from the first one on: who runs a program again gets the same counts. */
static void play(struct ntm_server *s, uint32_t frames)
{
	s->frames = 0;
	s->busy = 0;
	play_on(s, frames);
}

static void work(struct ntm_server *s, uint32_t clocks)
{
	const struct ntm_stretch stretch = ntm_scene_busy(clocks);

	advance(s, &stretch);
	s->busy += clocks;
}

static int parse_count(const char *text, uint32_t most, uint32_t *out)
{
	unsigned long n;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || *end || n < 1 || n > most)
		return -EINVAL;
	*out = (uint32_t)n;
	return 0;
}

/* Commands with a number. */
static const struct order {
	const char *verb; /* with the blank behind it */
	const char *of;
	uint32_t most;
	void (*run)(struct ntm_server *s, uint32_t count);
} orders[] = {
	{ "play ", "frames", NTIME_MODEL_FRAMES_MAX, play },
	{ "more ", "frames", NTIME_MODEL_FRAMES_MAX, play_on },
	{ "work ", "clocks", NTIME_MODEL_WORK_MAX, work },
};

static int take_order(struct ntm_server *s, const struct order *order, const char *text,
		      struct answer *a)
{
	uint32_t count;
	int ret = parse_count(text, order->most, &count);

	if (ret < 0)
		(void)snprintf(a->text, sizeof(a->text),
			       "'%.40s' is no number of %s from 1 to %" PRIu32, text, order->of,
			       order->most);
	else
		order->run(s, count);
	return ret;
}

/* "FIRST LAST TEXT", or TEXT of all frames. Clocks that drew on are with the first one. */
static int take_truth(struct ntm_server *s, const char *text, bool is_part, struct answer *a)
{
	uint32_t first = 1, last = s->frames;
	uint64_t clocks;
	int at = 0, ret;

	if (is_part && (sscanf(text, "%9" SCNu32 " %9" SCNu32 " %n", &first, &last, &at) != 2 ||
			first < 1 || last > s->frames)) {
		(void)snprintf(a->text, sizeof(a->text),
			       "'%.40s' does not begin with two of %" PRIu32 " frames", text,
			       s->frames);
		return -EINVAL;
	}
	ret = ntm_truth(text + at, s->scene, first, last, first == 1 ? s->busy : 0, &clocks,
			a->text, sizeof(a->text));
	if (ret == 0)
		(void)snprintf(a->text, sizeof(a->text), "%" PRIu64, clocks);
	return ret;
}

static int take_text(struct ntm_server *s, const char *text, struct answer *a)
{
	for (const char *c = text; *c; c++)
		if (*c < ' ' || *c > '~') {
			(void)snprintf(a->text, sizeof(a->text), "a command is printable ASCII");
			return -EINVAL;
		}
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (strncmp(text, orders[i].verb, strlen(orders[i].verb)) == 0)
			return take_order(s, &orders[i], text + strlen(orders[i].verb), a);
	if (strncmp(text, "truth ", 6) == 0)
		return take_truth(s, text + 6, false, a);
	if (strncmp(text, "part ", 5) == 0)
		return take_truth(s, text + 5, true, a);
	if (strcmp(text, "frames") == 0) {
		a->reply.value = s->frames;
		return 0;
	}
	(void)snprintf(a->text, sizeof(a->text),
		       "'%.40s' is no command; there are play, more, frames, work, truth and part",
		       text);
	return -EINVAL;
}

/* ---- requests ---- */

/* A client that ended may not have been dropped yet. */
static bool is_gone(int fd)
{
	struct pollfd p = { .fd = fd };

	return poll(&p, 1, 0) == 1 && p.revents & (POLLHUP | POLLERR);
}

static int hold(struct ntm_server *s, const struct client *c, struct answer *a)
{
	if (s->holder < 0 || is_gone(s->holder))
		s->holder = c->fd;
	if (s->holder == c->fd)
		return 0;
	for (size_t i = 0; i < s->clients; i++)
		if (s->client[i].fd == s->holder)
			a->reply.value = (uint32_t)s->client[i].pid;
	return -EBUSY;
}

static int access_of(int ret)
{
	return ret < 0 ? -EINVAL : 0;
}

static int serve_request(struct ntm_server *s, const struct client *c,
			 const struct ntime_model_request *r, const char *text, struct answer *a)
{
	if (r->reserved || (*text && r->kind != NTIME_MODEL_TEXT))
		return -EINVAL;
	switch (r->kind) {
	case NTIME_MODEL_READ:
		return access_of(ntm_nv50_card_read(&s->card, r->address, &a->reply.value));
	case NTIME_MODEL_WRITE:
		if (s->holder != c->fd)
			return -EPERM;
		return access_of(ntm_nv50_card_write(&s->card, r->address, r->value));
	case NTIME_MODEL_HOLD:
		return hold(s, c, a);
	case NTIME_MODEL_TEXT:
		return take_text(s, text, a);
	default:
		return -EINVAL;
	}
}

/* False: the client is to be disconnected. */
static bool serve_client(struct ntm_server *s, const struct client *c)
{
	struct {
		struct ntime_model_request request;
		char text[NTIME_MODEL_TEXT_BYTES + 1];
	} message = { 0 };
	struct answer a = { 0 };
	ssize_t got = recv(c->fd, &message, sizeof(message), MSG_DONTWAIT);
	size_t bytes;

	if (got < 0)
		return errno == EAGAIN || errno == EINTR;
	if ((size_t)got < sizeof(message.request) ||
	    (size_t)got > sizeof(message.request) + NTIME_MODEL_TEXT_BYTES)
		return false;
	a.reply.error = serve_request(s, c, &message.request, message.text, &a);
	bytes = sizeof(a.reply) + strlen(a.text);
	/* Who does not take its answers is not waited for. */
	return send(c->fd, &a, bytes, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)bytes;
}

/* ---- clients ---- */

static void drop_client(struct ntm_server *s, size_t i)
{
	if (s->holder == s->client[i].fd)
		s->holder = -1;
	(void)close(s->client[i].fd);
	s->is_full = false;
	s->client[i] = s->client[--s->clients];
}

static void add_client(struct ntm_server *s)
{
	const struct ntime_model_hello hello = {
		.magic = NTIME_MODEL_MAGIC,
		.version = NTIME_MODEL_VERSION,
		.boot_0 = s->boot_0,
	};
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);
	int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);

	s->is_full = fd < 0 && (errno == EMFILE || errno == ENFILE) && s->clients;
	if (fd < 0)
		return;
	if (s->clients == CLIENTS_MAX ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
	    send(fd, &hello, sizeof(hello), MSG_DONTWAIT | MSG_NOSIGNAL) != sizeof(hello)) {
		(void)close(fd);
		return;
	}
	s->client[s->clients++] = (struct client){ .fd = fd, .pid = peer.pid };
}

int ntm_server_run(struct ntm_server *s, int until_fd)
{
	struct pollfd fds[2 + CLIENTS_MAX];

	for (;;) {
		fds[0] = (struct pollfd){ .fd = until_fd, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = s->is_full ? -1 : s->listener, .events = POLLIN };
		for (size_t i = 0; i < s->clients; i++)
			fds[2 + i] = (struct pollfd){ .fd = s->client[i].fd, .events = POLLIN };
		if (poll(fds, 2 + s->clients, -1) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (fds[0].revents)
			return 0;
		/* From the last one: the place of one that goes is the last one's. */
		for (size_t i = s->clients; i-- > 0;)
			if (fds[2 + i].revents && !serve_client(s, &s->client[i]))
				drop_client(s, i);
		if (fds[1].revents)
			add_client(s);
	}
}

/* ---- the socket ---- */

/* Nobody listens at what a server that was killed has left: it can be replaced. */
static int remove_left(const struct sockaddr_un *address)
{
	struct stat st;
	int fd, ret;

	if (lstat(address->sun_path, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	ret = connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ? -errno : 0;
	(void)close(fd);
	if (ret != -ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(address->sun_path) < 0 ? -errno : 0;
}

static int listen_at(struct ntm_server *s)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t bytes = strlen(s->path) + 1;
	int ret;

	if (bytes > sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, s->path, bytes);
	ret = remove_left(&address);
	if (ret < 0)
		return ret;
	s->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (s->listener < 0 ||
	    bind(s->listener, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    lstat(s->path, &s->own) < 0 || listen(s->listener, CLIENTS_MAX) < 0)
		return -errno;
	return 0;
}

int ntm_server_new(const struct ntm_scene *scene, uint32_t tpcs, const char *path,
		   struct ntm_server **out)
{
	struct ntm_server *s = calloc(1, sizeof(*s));
	int ret;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->scene = scene;
	s->listener = s->holder = -1;
	s->path = strdup(path);
	s->bar = calloc(1, NTM_NV50_BAR_BYTES);
	if (!s->path || !s->bar)
		ret = -ENOMEM;
	else if (!ntm_nv50_card_init(&s->card, ntm_scene_chip(scene), s->bar) ||
		 (tpcs && !ntm_nv50_card_keep_tpcs(&s->card, tpcs)) ||
		 ntm_nv50_card_read(&s->card, 0, &s->boot_0) < 0)
		ret = -EINVAL;
	else
		ret = listen_at(s);
	if (ret < 0) {
		ntm_server_free(s);
		return ret;
	}
	*out = s;
	return 0;
}

void ntm_server_free(struct ntm_server *s)
{
	struct stat st;

	if (!s)
		return;
	while (s->clients)
		drop_client(s, s->clients - 1);
	if (s->listener >= 0)
		(void)close(s->listener);
	if (s->own.st_ino && lstat(s->path, &st) == 0 && st.st_ino == s->own.st_ino &&
	    st.st_dev == s->own.st_dev)
		(void)unlink(s->path);
	free(s->bar);
	free(s->path);
	free(s);
}
