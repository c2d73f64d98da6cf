// SPDX-License-Identifier: MIT
/* Messages to a card that is a model. */
#include "base/os/socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* A model answers between two frames, of which one takes some milliseconds. */
#define PATIENCE_SECONDS 5

/* A whole message, through signals. Its bytes or -errno. */
static ssize_t receive(int fd, void *buf, size_t bytes)
{
	ssize_t got;

	do
		got = recv(fd, buf, bytes, 0);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? -ETIMEDOUT : -errno;
	return got > 0 ? got : -ECONNRESET;
}

static int greet(int fd, struct ntime_model_hello *hello)
{
	struct timeval patience = { .tv_sec = PATIENCE_SECONDS };
	ssize_t got;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0)
		return -errno;
	got = receive(fd, hello, sizeof(*hello));
	if (got < 0)
		return got == -ECONNRESET ? -ECONNABORTED : (int)got;
	/* Of all versions magic and version stand in front. */
	if ((size_t)got < offsetof(struct ntime_model_hello, boot_0) ||
	    hello->magic != NTIME_MODEL_MAGIC)
		return -EPROTO;
	if (hello->version != NTIME_MODEL_VERSION)
		return -EPROTONOSUPPORT;
	return got == sizeof(*hello) ? 0 : -EPROTO;
}

int nti_socket_open(const char *path, struct ntime_model_hello *hello)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t bytes = strlen(path) + 1;
	int fd, ret;

	*hello = (struct ntime_model_hello){ 0 };
	if (!*path)
		return -ENOENT;
	if (bytes > sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, bytes);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	ret = connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ? -errno
									    : greet(fd, hello);
	if (ret < 0) {
		(void)close(fd);
		return ret;
	}
	return fd;
}

void nti_socket_wait(int fd)
{
	const struct timeval patience = { .tv_sec = 0 };

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
}

void nti_socket_close(int fd)
{
	if (fd >= 0)
		(void)close(fd);
}

static int tell(int fd, const struct ntime_model_request *request, const char *text)
{
	struct iovec part[2] = { { .iov_base = (void *)request, .iov_len = sizeof(*request) },
				 { .iov_base = (void *)text, .iov_len = text ? strlen(text) : 0 } };
	struct msghdr message = { .msg_iov = part, .msg_iovlen = text ? 2 : 1 };
	ssize_t sent;

	if (text && strlen(text) > NTIME_MODEL_TEXT_BYTES)
		return -E2BIG;
	do
		sent = sendmsg(fd, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return -ETIMEDOUT;
	return sent < 0 ? (errno == EPIPE ? -ECONNRESET : -errno) : 0;
}

int nti_socket_ask(int fd, const struct ntime_model_request *request, const char *text,
		   uint32_t *value, char *answer, size_t bytes)
{
	struct {
		struct ntime_model_reply reply;
		char text[NTIME_MODEL_TEXT_BYTES + 1];
	} message = { 0 };
	ssize_t got;
	int ret = tell(fd, request, text);

	if (answer && bytes)
		*answer = '\0';
	if (ret < 0)
		return ret;
	got = receive(fd, &message, sizeof(message) - 1);
	if (got < 0)
		return (int)got;
	if ((size_t)got < sizeof(message.reply) || message.reply.error > 0)
		return -EPROTO;
	if (value)
		*value = message.reply.value;
	if (answer)
		(void)snprintf(answer, bytes, "%s", message.text);
	return message.reply.error;
}

bool nti_socket_is_answer(int error)
{
	return error == -EINVAL || error == -EBUSY || error == -EPERM || error == -ENODEV;
}

const char *nti_socket_why(int error)
{
	switch (error) {
	case -ENOENT:
		return "there is no such socket";
	case -ECONNREFUSED:
		return "nobody serves it";
	case -EACCES:
	case -EPERM:
		return "permission denied";
	case -EPROTOTYPE:
	case -EPROTO:
		return "what serves it is no model of a card";
	case -EPROTONOSUPPORT:
		return "the model speaks another version of the protocol";
	case -ENODEV:
		return "the context has ended";
	case -ETIMEDOUT:
		return "it does not answer";
	case -ECONNRESET:
		return "the model has ended";
	case -ECONNABORTED:
		return "it ended at once, or it has as many clients as it serves";
	case -ENAMETOOLONG:
		return "the path is too long for a socket";
	case -EBUSY:
		return "another program counts on this card";
	default:
		return strerror(-error);
	}
}
