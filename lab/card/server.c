// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Serves one card over a socket. */
#include "lab/card/server.h"

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
#include "lab/card/truth.h"

#define CLIENTS_MAX 64

/* What takes long, done frame by frame, so that others are served meanwhile. */
struct job {
	char text[NTIME_MODEL_TEXT_BYTES + 1]; /* of truth; "": play */
	uint32_t next, last;		       /* frames */
	uint64_t sum;
	char context[NTIME_MODEL_NAME_BYTES]; /* of play */
	struct ntm_scene *work;		      /* that it plays; NULL: frames of the scene */
};

/* Of a program that works on the card. */
struct context {
	char name[NTIME_MODEL_NAME_BYTES]; /* "": there is none here */
	struct ntm_nv50_context state;
	int holder; /* descriptor of the client that has its counters; -1: nobody */
	uint32_t before[NTHW_NV_MP_SLOTS]; /* what the slots had when it came */
};

struct client {
	int fd;
	pid_t pid;
	struct job *job; /* until it is done nothing else of the client is heard; NULL: none */
	/* number n is place n - 1; .context NULL: it has ended */
	struct ntm_nv50_channel *channel[NTIME_MODEL_CHANNELS_MAX];
	bool is_showing; /* what slots of contexts see, in domain 3 */
};

struct ntm_server {
	struct ntm_nv50_card card;
	uint32_t *bar, boot_0;
	uint32_t keep[NTM_NV50_KINDS]; /* of the die's units; 0: all */
	char *path;
	int listener;
	struct stat own; /* the socket as we made it */
	struct client client[CLIENTS_MAX];
	size_t clients;
	bool is_full; /* of descriptors: nobody is accepted until a client goes */
	int holder;   /* descriptor of the client that holds the card; -1: nobody */
	const struct ntm_scene *scene;
	struct context context[NTIME_MODEL_CONTEXTS_MAX];
	struct ntm_scene *work;		      /* of the last "play"; NULL: frames of .scene */
	char running[NTIME_MODEL_NAME_BYTES]; /* where that names no context */
	uint32_t frames;		      /* of that */
	uint64_t busy;			      /* clocks of "work" since then */
	FILE *log;			      /* NULL: none */
};

struct answer {
	struct ntime_model_reply reply;
	char text[NTIME_MODEL_TEXT_BYTES + 1];
	bool is_later; /* a job gives it */
};

/* ---- commands ---- */

static struct context *find_context(struct ntm_server *s, const char *name)
{
	for (size_t i = 0; *name && i < NTIME_MODEL_CONTEXTS_MAX; i++)
		if (strcmp(s->context[i].name, name) == 0)
			return &s->context[i];
	return NULL;
}

/* It begins when it is named first. NULL: there are too many. */
static struct context *need_context(struct ntm_server *s, const char *name)
{
	struct context *c = find_context(s, name);

	for (size_t i = 0; !c && i < NTIME_MODEL_CONTEXTS_MAX; i++)
		if (!*s->context[i].name) {
			c = &s->context[i];
			*c = (struct context){ .holder = -1,
					       .state.mps = ntm_nv50_mps_of(&s->card) };
			memcpy(c->name, name, strlen(name));
		}
	return c;
}

static void advance(void *arg, const struct ntm_stretch *played)
{
	struct ntm_server *s = arg;
	struct ntm_stretch stretch = *played;
	const struct ntm_mp_signals *mp = &played->mp;
	struct context *c;
	struct ntm_nv50_wires wires;

	c = find_context(s, *stretch.context ? stretch.context : s->running);
	for (uint32_t i = 0; c && i < NTM_MPS_MAX; i++)
		stretch.slots[i] = (uint8_t)ntm_nv50_context_slots(&c->state, mp, i);
	ntm_wires_of(&stretch, &s->card, &wires);
	ntm_nv50_card_advance(&s->card, &wires, stretch.clocks);
	if (c)
		ntm_nv50_context_advance(&c->state, mp, stretch.clocks);
}

static const struct ntm_scene *played(const struct ntm_server *s)
{
	return s->work ? s->work : s->scene;
}

static void work(struct ntm_server *s, uint32_t clocks)
{
	const struct ntm_stretch stretch = ntm_scene_busy(clocks);

	advance(s, &stretch);
	s->busy += clocks;
}

static bool is_play(const struct job *job)
{
	return !*job->text;
}

/* Nobody's frames come between those of another one: a play waits until no other goes on. */
static bool is_waiting(const struct ntm_server *s, const struct client *c)
{
	for (size_t i = 0; is_play(c->job) && i < s->clients; i++)
		if (&s->client[i] != c && s->client[i].job && is_play(s->client[i].job) &&
		    s->client[i].job->next > 1)
			return true;
	return false;
}

static void free_job(struct client *c)
{
	if (c->job)
		ntm_scene_free(c->job->work);
	free(c->job);
	c->job = NULL;
}

static int begin_job(struct client *c, const char *text, uint32_t first, uint32_t last,
		     struct answer *a)
{
	c->job = calloc(1, sizeof(*c->job));
	if (!c->job)
		return -ENOMEM;
	(void)snprintf(c->job->text, sizeof(c->job->text), "%s", text);
	c->job->next = first;
	c->job->last = last;
	a->is_later = true;
	return 0;
}

static bool is_name(const char *name)
{
	size_t chars = strlen(name);

	for (const char *at = name; *at; at++)
		if (*at <= ' ' || *at > '~')
			return false;
	return chars && chars < NTIME_MODEL_NAME_BYTES;
}

/* " in NAME", which is cut off. */
static int split_context(char *text, const char **name, struct answer *a)
{
	char *in = strstr(text, " in ");

	*name = "";
	if (!in)
		return 0;
	*in = '\0';
	*name = in + strlen(" in ");
	if (is_name(*name))
		return 0;
	(void)snprintf(a->text, sizeof(a->text),
		       "'%.40s' is no name of a context: at most %d characters without blanks",
		       *name, NTIME_MODEL_NAME_BYTES - 1);
	return -EINVAL;
}

/* Nobody ran in it, and no frame will. */
static int deny_context(struct answer *a, const char *name)
{
	(void)snprintf(a->text, sizeof(a->text), "there is no context '%.40s'", name);
	return -EINVAL;
}

/* The frames that were played, and the clocks that drew on. */
static int begin_truth(struct ntm_server *s, struct client *c, const char *text, struct answer *a)
{
	char copy[NTIME_MODEL_TEXT_BYTES + 1];
	const char *context;
	uint64_t busy;
	int ret;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	ret = split_context(copy, &context, a);
	if (ret == 0 && *context && !find_context(s, context) &&
	    !ntm_scene_context(played(s), context))
		ret = deny_context(a, context);
	if (ret == 0)
		ret = ntm_truth(text, played(s), s->running, 1, 0, s->busy, &busy, a->text,
				sizeof(a->text));
	if (ret == 0)
		ret = begin_job(c, text, 1, s->frames, a);
	if (ret == 0)
		c->job->sum = busy;
	return ret;
}

static int parse_number(const char *text, const char *of, uint32_t most, uint32_t *count,
			struct answer *a)
{
	bool is_number = *text >= '0' && *text <= '9';
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (!is_number || errno || *end || n < 1 || n > most) {
		(void)snprintf(a->text, sizeof(a->text),
			       "'%.40s' is no number of %s from 1 to %" PRIu32, text, of, most);
		return -EINVAL;
	}
	*count = (uint32_t)n;
	return 0;
}

/* A frame by itself: the first one, or the one behind those that were played. */
static int begin_frame(struct ntm_server *s, struct client *c, uint32_t number, const char *context,
		       struct answer *a)
{
	if (number > 1 && strcmp(context, s->running) != 0) {
		(void)snprintf(a->text, sizeof(a->text),
			       "frame %" PRIu32 " is of another context than frame 1", number);
		return -EINVAL;
	}
	if (number > 1 && number != s->frames + 1) {
		(void)snprintf(a->text, sizeof(a->text),
			       "frame %" PRIu32 " does not follow frame %" PRIu32
			       ": somebody else has played",
			       number, s->frames);
		return -EBUSY;
	}
	return begin_job(c, "", number, number, a);
}

/* Frames of the scene, or work that is known by name. */
static int begin_play(struct ntm_server *s, struct client *c, const char *text, struct answer *a)
{
	const char *work = ntm_scene_work(text);
	struct ntm_scene *scene = NULL;
	uint32_t count = 1;
	int ret;

	if (work)
		ret = ntm_scene_parse(text, work, strlen(work), s->card.chip, &scene, a->text,
				      sizeof(a->text));
	else
		ret = parse_number(text, "frames", NTIME_MODEL_FRAMES_MAX, &count, a);
	for (unsigned int i = 0; scene && i < NTM_NV50_KINDS; i++)
		if (s->keep[i])
			ntm_scene_keep(scene, i, s->keep[i]);
	if (ret == 0)
		ret = begin_job(c, "", 1, count, a);
	if (ret == 0)
		c->job->work = scene;
	else
		ntm_scene_free(scene);
	return ret;
}

/* "play 5 in a", "frame 3" */
static int begin_frames(struct ntm_server *s, struct client *c, const char *command,
			struct answer *a)
{
	bool is_one = strncmp(command, "frame ", 6) == 0;
	char text[NTIME_MODEL_TEXT_BYTES + 1];
	const char *context;
	uint32_t number;
	int ret;

	(void)snprintf(text, sizeof(text), "%s", command + (is_one ? 6 : 5));
	ret = split_context(text, &context, a);
	if (ret == 0 && !is_one)
		ret = begin_play(s, c, text, a);
	else if (ret == 0)
		ret = parse_number(text, "a frame", NTIME_MODEL_FRAME_LAST, &number, a);
	if (ret == 0 && is_one)
		ret = begin_frame(s, c, number, context, a);
	if (ret == 0 && *context && !need_context(s, context)) {
		(void)snprintf(a->text, sizeof(a->text), "more than %d contexts",
			       NTIME_MODEL_CONTEXTS_MAX);
		free_job(c);
		a->is_later = false;
		ret = -EINVAL;
	}
	if (ret == 0)
		memcpy(c->job->context, context, strlen(context));
	return ret;
}

/* The context and its channels, wherever they are. */
static int end_context(struct ntm_server *s, const char *name, struct answer *a)
{
	struct context *context = find_context(s, name);

	if (!context)
		return deny_context(a, name);
	for (size_t i = 0; i < s->clients; i++)
		for (size_t k = 0; k < NTIME_MODEL_CHANNELS_MAX; k++)
			if (s->client[i].channel[k] &&
			    s->client[i].channel[k]->context == &context->state)
				s->client[i].channel[k]->context = NULL;
	context->name[0] = '\0';
	return 0;
}

static int take_text(struct ntm_server *s, struct client *c, const char *text, struct answer *a)
{
	uint32_t count;
	int ret;

	for (const char *at = text; *at; at++)
		if (*at < ' ' || *at > '~') {
			(void)snprintf(a->text, sizeof(a->text), "a command is printable ASCII");
			return -EINVAL;
		}
	if (strncmp(text, "truth ", 6) == 0)
		return begin_truth(s, c, text + 6, a);
	if (strncmp(text, "play ", 5) == 0 || strncmp(text, "frame ", 6) == 0)
		return begin_frames(s, c, text, a);
	if (strncmp(text, "end ", 4) == 0)
		return end_context(s, text + 4, a);
	if (strncmp(text, "work ", 5) == 0) {
		ret = parse_number(text + 5, "clocks", NTIME_MODEL_WORK_MAX, &count, a);
		if (ret == 0)
			work(s, count);
		return ret;
	}
	(void)snprintf(a->text, sizeof(a->text),
		       "'%.40s' is no command; there are play, frame, work, truth and end", text);
	return -EINVAL;
}

/* ---- requests ---- */

/* The client @fd; NULL: it ended, and was or will be dropped. */
static const struct client *client_at(const struct ntm_server *s, int fd)
{
	struct pollfd at = { .fd = fd };

	for (size_t i = 0; fd >= 0 && i < s->clients; i++)
		if (s->client[i].fd == fd)
			return poll(&at, 1, 0) == 1 && at.revents & (POLLHUP | POLLERR)
				       ? NULL
				       : &s->client[i];
	return NULL;
}

static int busy_with(const struct client *other, struct answer *a)
{
	a->reply.value = (uint32_t)other->pid;
	return -EBUSY;
}

static int hold(struct ntm_server *s, struct client *c, uint32_t value, struct answer *a)
{
	const struct client *other = client_at(s, s->holder);

	if (other && other != c)
		return busy_with(other, a);
	for (size_t i = 0; value && i < NTIME_MODEL_CONTEXTS_MAX; i++) {
		other = *s->context[i].name ? client_at(s, s->context[i].holder) : NULL;
		if (other && other != c)
			return busy_with(other, a);
	}
	s->holder = c->fd;
	c->is_showing = value != 0;
	return 0;
}

/* ---- contexts ---- */

static int open_channel(struct ntm_server *s, struct client *c, const char *name, uint32_t *number)
{
	struct context *context;
	size_t i = 0;

	while (i < NTIME_MODEL_CHANNELS_MAX && c->channel[i])
		i++;
	/* Nobody knows of MPs' counters before G84. */
	if (i == NTIME_MODEL_CHANNELS_MAX || !is_name(name) || s->card.chip->family == NTHW_NV_G80)
		return -EINVAL;
	context = need_context(s, name);
	if (!context)
		return -EINVAL;
	c->channel[i] = calloc(1, sizeof(*c->channel[i]));
	if (!c->channel[i])
		return -ENOMEM;
	c->channel[i]->context = &context->state;
	*number = (uint32_t)i + 1;
	return 0;
}

/* Of @number, and its context. */
static struct ntm_nv50_channel *channel_of(struct ntm_server *s, const struct client *c,
					   uint32_t number, struct context **context, int *error)
{
	struct ntm_nv50_channel *channel =
		number && number <= NTIME_MODEL_CHANNELS_MAX ? c->channel[number - 1] : NULL;

	*error = channel ? channel->context ? 0 : -ENODEV : -EINVAL;
	for (size_t i = 0; i < NTIME_MODEL_CONTEXTS_MAX; i++)
		if (channel && channel->context == &s->context[i].state)
			*context = &s->context[i];
	return *error ? NULL : channel;
}

/* Its counters are this client's: nobody else sets them, or shows what they see. */
static int hold_context(struct ntm_server *s, const struct client *c, uint32_t number,
			struct answer *a)
{
	struct context *context = NULL;
	const struct client *other;
	int error;

	if (!channel_of(s, c, number, &context, &error))
		return error;
	other = client_at(s, context->holder);
	if (other && other != c)
		return busy_with(other, a);
	other = client_at(s, s->holder);
	if (other && other != c && other->is_showing)
		return busy_with(other, a);
	if (context->holder != c->fd)
		memcpy(context->before, context->state.control, sizeof(context->before));
	context->holder = c->fd;
	return 0;
}

static int submit(struct ntm_server *s, const struct client *c, const struct ntime_model_request *r,
		  struct answer *a)
{
	struct context *context = NULL;
	int error;
	struct ntm_nv50_channel *channel = channel_of(s, c, r->channel, &context, &error);
	const struct client *other = channel ? client_at(s, context->holder) : NULL;

	if (!channel)
		return error;
	if (other && other != c && r->address != NTHW_NV_MP_SAMPLE &&
	    r->address != NTHW_NV_MP_READ_OUT && r->address / 16 != NTHW_NV_MP_CONFIGURE / 16)
		return busy_with(other, a);
	return ntm_nv50_channel_method(channel, r->address, r->value) < 0 ? -EINVAL : 0;
}

static int read_memory(struct ntm_server *s, const struct client *c,
		       const struct ntime_model_request *r, uint32_t *value)
{
	struct context *context = NULL;
	int error;
	const struct ntm_nv50_channel *channel = channel_of(s, c, r->channel, &context, &error);

	if (!channel)
		return error;
	return ntm_nv50_channel_read(channel, r->address, value) < 0 ? -EINVAL : 0;
}

/* What its own program had set up counts again. */
static void leave_contexts(struct ntm_server *s, struct client *c)
{
	for (size_t i = 0; i < NTIME_MODEL_CONTEXTS_MAX; i++) {
		if (!*s->context[i].name || s->context[i].holder != c->fd)
			continue;
		s->context[i].holder = -1;
		memcpy(s->context[i].state.control, s->context[i].before,
		       sizeof(s->context[i].before));
	}
	for (size_t i = 0; i < NTIME_MODEL_CHANNELS_MAX; i++)
		free(c->channel[i]);
}

/* ---- registers ---- */

#define LOG_PLACE "(0000:00:00.0:region0+0x%" PRIx32 ", "

static int read_register(struct ntm_server *s, uint32_t address, uint32_t *value)
{
	if (ntm_nv50_card_peek(&s->card, address, value) < 0)
		return -EINVAL;
	if (s->log)
		fprintf(s->log, "vfio_region_read  " LOG_PLACE "4) = 0x%" PRIx32 "\n", address,
			*value);
	ntm_scene_pass(&s->card);
	return 0;
}

static int write_register(struct ntm_server *s, uint32_t address, uint32_t value)
{
	if (ntm_nv50_card_poke(&s->card, address, value) < 0)
		return -EINVAL;
	if (s->log)
		fprintf(s->log, "vfio_region_write  " LOG_PLACE "0x%" PRIx32 ", 4)\n", address,
			value);
	ntm_scene_pass(&s->card);
	return 0;
}

static int serve_request(struct ntm_server *s, struct client *c,
			 const struct ntime_model_request *r, const char *text, struct answer *a)
{
	bool has_text = r->kind == NTIME_MODEL_TEXT || r->kind == NTIME_MODEL_CHANNEL;
	bool has_channel = r->kind >= NTIME_MODEL_METHOD || r->kind == NTIME_MODEL_HOLD;

	if ((r->channel && !has_channel) || (*text && !has_text))
		return -EINVAL;
	switch (r->kind) {
	case NTIME_MODEL_READ:
		return read_register(s, r->address, &a->reply.value);
	case NTIME_MODEL_WRITE:
		if (s->holder != c->fd)
			return -EPERM;
		return write_register(s, r->address, r->value);
	case NTIME_MODEL_HOLD:
		return r->channel ? hold_context(s, c, r->channel, a) : hold(s, c, r->value, a);
	case NTIME_MODEL_CHANNEL:
		return open_channel(s, c, text, &a->reply.value);
	case NTIME_MODEL_METHOD:
		return submit(s, c, r, a);
	case NTIME_MODEL_MEMORY:
		return read_memory(s, c, r, &a->reply.value);
	case NTIME_MODEL_TEXT:
		return take_text(s, c, text, a);
	default:
		return -EINVAL;
	}
}

/* Who does not take its answers is not waited for. */
static bool send_answer(const struct client *c, const struct answer *a)
{
	struct {
		struct ntime_model_reply reply;
		char text[NTIME_MODEL_TEXT_BYTES + 1];
	} message = { .reply = a->reply };
	size_t bytes = sizeof(message.reply) + strlen(a->text);

	memcpy(message.text, a->text, sizeof(message.text));
	return send(c->fd, &message, bytes, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)bytes;
}

/* A frame of the client's job, and the answer behind the last one. False: as below. */
static bool go_on(struct ntm_server *s, struct client *c)
{
	struct job *job = c->job;
	struct answer a = { 0 };
	uint64_t clocks = 0;
	bool is_sent;

	if (is_play(job) && job->next == 1) {
		s->frames = 0;
		s->busy = 0;
		ntm_scene_free(s->work);
		s->work = job->work;
		job->work = NULL;
	}
	if (is_play(job))
		memcpy(s->running, job->context, sizeof(s->running));
	if (job->next <= job->last && is_play(job))
		ntm_scene_frame(played(s), ++s->frames, advance, s);
	else if (job->next <= job->last)
		(void)ntm_truth(job->text, played(s), s->running, job->next, job->next, 0, &clocks,
				a.text, sizeof(a.text));
	job->sum += clocks;
	if (job->next++ < job->last)
		return true;
	if (!is_play(job))
		(void)snprintf(a.text, sizeof(a.text), "%" PRIu64, job->sum);
	is_sent = send_answer(c, &a);
	free_job(c);
	return is_sent;
}

/* False: the client is to be disconnected. */
static bool serve_client(struct ntm_server *s, struct client *c)
{
	struct {
		struct ntime_model_request request;
		char text[NTIME_MODEL_TEXT_BYTES + 1];
	} message = { 0 };
	struct answer a = { 0 };
	ssize_t got = recv(c->fd, &message, sizeof(message), MSG_DONTWAIT);

	if (got < 0)
		return errno == EAGAIN || errno == EINTR;
	if ((size_t)got < sizeof(message.request) ||
	    (size_t)got > sizeof(message.request) + NTIME_MODEL_TEXT_BYTES)
		return false;
	a.reply.error = serve_request(s, c, &message.request, message.text, &a);
	return a.is_later || send_answer(c, &a);
}

/* ---- clients ---- */

static void drop_client(struct ntm_server *s, size_t i)
{
	if (s->holder == s->client[i].fd)
		s->holder = -1;
	leave_contexts(s, &s->client[i]);
	(void)close(s->client[i].fd);
	free_job(&s->client[i]);
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
	// cppcheck-suppress nullPointer ; NULL: nobody asks who it is
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

/* What is wanted of a client: nothing but to know that it ended while its job goes on. */
static bool serve_or_go_on(struct ntm_server *s, struct client *c, short came)
{
	if (!c->job)
		return !came || serve_client(s, c);
	if (came & (POLLHUP | POLLERR))
		return false;
	return is_waiting(s, c) || go_on(s, c);
}

int ntm_server_run(struct ntm_server *s, int until_fd)
{
	struct pollfd fds[2 + CLIENTS_MAX];

	for (;;) {
		bool has_job = false;

		fds[0] = (struct pollfd){ .fd = until_fd, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = s->is_full ? -1 : s->listener, .events = POLLIN };
		for (size_t i = 0; i < s->clients; i++) {
			has_job = has_job || s->client[i].job;
			fds[2 + i] = (struct pollfd){ .fd = s->client[i].fd,
						      .events = s->client[i].job ? 0 : POLLIN };
		}
		if (poll(fds, 2 + s->clients, has_job ? 0 : -1) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (fds[0].revents)
			return 0;
		/* From the last one: the place of one that goes is the last one's. */
		for (size_t i = s->clients; i-- > 0;)
			if (!serve_or_go_on(s, &s->client[i], fds[2 + i].revents))
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

/* The card as the board has it. False: the die has no such units. */
static bool make_card(struct ntm_server *s)
{
	if (!ntm_nv50_card_init(&s->card, ntm_scene_chip(s->scene), s->bar))
		return false;
	for (unsigned int i = 0; i < NTM_NV50_KINDS; i++)
		if (s->keep[i] && !ntm_nv50_card_keep(&s->card, i, s->keep[i]))
			return false;
	return true;
}

int ntm_server_new(const struct ntm_scene *scene, const uint32_t keep[NTM_NV50_KINDS],
		   const char *path, struct ntm_server **out)
{
	struct ntm_server *s = calloc(1, sizeof(*s));
	int ret;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->scene = scene;
	memcpy(s->keep, keep, sizeof(s->keep));
	s->listener = s->holder = -1;
	s->path = strdup(path);
	s->bar = calloc(1, NTM_NV50_BAR_BYTES);
	if (!s->path || !s->bar)
		ret = -ENOMEM;
	else if (!make_card(s) || ntm_nv50_card_peek(&s->card, 0, &s->boot_0) < 0)
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

void ntm_server_log(struct ntm_server *s, FILE *log)
{
	s->log = log;
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
	ntm_scene_free(s->work);
	free(s->bar);
	free(s->path);
	free(s);
}
