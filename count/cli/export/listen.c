// SPDX-License-Identifier: MIT
/* Where ntime export listens. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/output/memory.h"
#include "base/output/number.h"
#include "base/output/say.h"
#include "count/cli/export/listen.h"

#define UNIX "unix:"

union address {
	struct sockaddr any;
	struct sockaddr_in ip4;
	struct sockaddr_in6 ip6;
	struct sockaddr_un file;
	struct sockaddr_storage room;
};

static int fail(const char *address, int error)
{
	cli_say("cannot listen on %s: %s", address,
		error == EADDRINUSE	 ? "something listens there already"
		: error == EADDRNOTAVAIL ? "this machine has no such address"
					 : strerror(error));
	return -error;
}

/* "HOST:PORT" apart, and numbers alone: names may mean several addresses. 0 or -EINVAL. */
static int resolve(const char *address, union address *out, socklen_t *bytes)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
					.ai_socktype = SOCK_STREAM };
	const char *colon = strrchr(address, ':');
	bool has_brackets = colon && *address == '[' && colon[-1] == ']';
	size_t chars = colon ? (size_t)(colon - address) : 0;
	struct addrinfo *found = NULL;
	uint64_t port;
	char *host;
	int ret;

	if (!chars || cli_number_parse(colon + 1, 0, UINT16_MAX, &port) ||
	    (!has_brackets && memchr(address, ':', chars)))
		return -EINVAL;
	host = has_brackets ? cli_strndup(address + 1, chars - 2) : cli_strndup(address, chars);
	ret = getaddrinfo(host, colon + 1, &hints, &found);
	free(host);
	if (ret)
		return -EINVAL;
	memcpy(out, found->ai_addr, found->ai_addrlen);
	*bytes = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}

/* A socket of the file system of which nobody hears any more, as one that was killed leaves it. */
static bool is_left_over(const union address *a, socklen_t bytes)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat file;
	/* The kernel says the same of a file that is no socket. */
	bool is_dead = fd >= 0 && lstat(a->file.sun_path, &file) == 0 && S_ISSOCK(file.st_mode) &&
		       connect(fd, &a->any, bytes) < 0 && errno == ECONNREFUSED;

	if (fd >= 0)
		close(fd);
	return is_dead;
}

static int open_file(struct cli_listener *l, const char *address)
{
	union address a = { .file = { .sun_family = AF_UNIX } };
	const char *path = address + strlen(UNIX);
	struct stat file;
	int ret;

	if (strlen(path) >= sizeof(a.file.sun_path))
		return fail(address, ENAMETOOLONG);
	strcpy(a.file.sun_path, path);
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ret = l->fd < 0 ? -1 : bind(l->fd, &a.any, sizeof(a.file));
	if (ret < 0 && errno == EADDRINUSE) {
		if (is_left_over(&a, sizeof(a.file)))
			(void)unlink(path);
		/* Whoever made it meanwhile has it. */
		ret = bind(l->fd, &a.any, sizeof(a.file));
		if (ret < 0 && !lstat(path, &file) && !S_ISSOCK(file.st_mode))
			return fail(address, EEXIST);
	}
	/* From now on another one sees that it is in use; nobody is answered yet. */
	if (ret < 0 || listen(l->fd, 0) || lstat(path, &file))
		return fail(address, errno);
	l->made = (struct cli_old_file){ .device = file.st_dev, .inode = file.st_ino };
	l->path = cli_strdup(path);
	l->text = cli_strdup(address);
	return 0;
}

static int open_port(struct cli_listener *l, const char *address)
{
	char host[INET6_ADDRSTRLEN], port[8];
	union address a = { 0 };
	socklen_t bytes;
	int on = 1;

	if (resolve(address, &a, &bytes))
		return cli_misuse("export",
				  "--listen takes an address and a port in numbers, as in "
				  "127.0.0.1:9743 or [::1]:9743, or unix:PATH, not '%s'",
				  address);
	l->fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->fd < 0 || setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    (a.any.sa_family == AF_INET6 &&
	     setsockopt(l->fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on))) ||
	    bind(l->fd, &a.any, bytes) || getsockname(l->fd, &a.any, &bytes))
		return fail(address, errno);
	if (getnameinfo(&a.any, bytes, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return fail(address, EINVAL);
	l->text = cli_format(a.any.sa_family == AF_INET6 ? "http://[%s]:%s/metrics"
							 : "http://%s:%s/metrics",
			     host, port);
	return 0;
}

int cli_listener_open(struct cli_listener *l, const char *address)
{
	*l = (struct cli_listener){ .fd = -1 };
	return strncmp(address, UNIX, strlen(UNIX)) == 0 && address[strlen(UNIX)]
		       ? open_file(l, address)
		       : open_port(l, address);
}

bool cli_listener_is_open_to_others(const struct cli_listener *l)
{
	union address a = { 0 };
	socklen_t bytes = sizeof(a);

	if (getsockname(l->fd, &a.any, &bytes))
		return false;
	if (a.any.sa_family == AF_INET)
		return ntohl(a.ip4.sin_addr.s_addr) >> 24 != 127;
	return a.any.sa_family == AF_INET6 && !IN6_IS_ADDR_LOOPBACK(&a.ip6.sin6_addr);
}

void cli_listener_close(struct cli_listener *l)
{
	struct stat file;

	if (l->fd >= 0)
		close(l->fd);
	if (l->path && lstat(l->path, &file) == 0 && file.st_dev == l->made.device &&
	    file.st_ino == l->made.inode)
		(void)unlink(l->path);
	free(l->path);
	free(l->text);
	*l = (struct cli_listener){ .fd = -1 };
}
