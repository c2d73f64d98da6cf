// SPDX-License-Identifier: MIT
/* The server of ntime export. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <microhttpd.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/command/confine.h"
#include "base/command/wait.h"
#include "base/lazy/lazy.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "count/cli/export/export.h"
#include "count/cli/export/server.h"

#define CONNECTIONS 16
#define CONNECTION_NS (UINT64_C(10) * 1000000000)
#define HEADER_BYTES 16384
/* What has begun is answered for so long when the collector has ended. */
#define END_NS (UINT64_C(2) * 1000000000)
/* Smaller answers are not compressed. */
#define ZIP_BYTES 4096
#define NOBODY 65534

static const char text_type[] = "text/plain; version=0.0.4; charset=utf-8";
static const char open_type[] = "application/openmetrics-text; version=1.0.0; charset=utf-8";

struct connection {
	int fd; /* -1: free */
	uint64_t since_ns;
};

struct server {
	const struct cli_listener *listener;
	size_t listeners;
	int ask, reply, text;
	bool is_alone; /* the collector has ended */
	struct MHD_Daemon *daemon;
	struct connection connection[CONNECTIONS];
	struct connection *adding;
};

/* ---- an answer ---- */

/* The collector's text as it stands now, for free(3); NULL: there is none. */
static char *ask(struct server *s, char format, size_t *bytes)
{
	uint64_t have = 0;
	char *text;

	if (write(s->ask, &format, 1) != 1 || read(s->reply, &have, sizeof(have)) != sizeof(have)) {
		s->is_alone = true;
		return NULL;
	}
	text = cli_malloc(have + 1);
	if (!have || pread(s->text, text, have, 0) != (ssize_t)have) {
		free(text);
		return NULL;
	}
	*bytes = have;
	return text;
}

/* The same in gzip's form, for free(3); NULL where that cannot be. */
static char *zip(const char *text, size_t *bytes)
{
	z_stream z = { .next_in = (Bytef *)text, .avail_in = (uInt)*bytes };
	char *out;

	if (*bytes > UINT32_MAX / 2 || deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, 0) != Z_OK)
		return NULL;
	z.avail_out = (uInt)deflateBound(&z, *bytes);
	out = cli_malloc(z.avail_out);
	z.next_out = (Bytef *)out;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END) {
		free(out);
		out = NULL;
	}
	*bytes = z.total_out;
	deflateEnd(&z);
	return out;
}

static enum MHD_Result queue(struct MHD_Connection *c, unsigned int status,
			     struct MHD_Response *response, const char *type)
{
	enum MHD_Result ret;

	if (!response)
		return MHD_NO;
	(void)MHD_add_response_header(response, "Content-Type", type);
	(void)MHD_add_response_header(response, "Connection", "close");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		(void)MHD_add_response_header(response, "Allow", "GET, HEAD");
	ret = MHD_queue_response(c, status, response);
	MHD_destroy_response(response);
	return ret;
}

static enum MHD_Result say(struct MHD_Connection *c, unsigned int status, const char *sentence)
{
	return queue(c, status,
		     MHD_create_response_from_buffer(strlen(sentence), (void *)sentence,
						     MHD_RESPMEM_PERSISTENT),
		     "text/plain; charset=utf-8");
}

struct wish {
	const char *header, *word;
	bool is_there;
};

/* A header may come in several lines, and has words with their parameters between commas. */
static enum MHD_Result look_for(void *arg, enum MHD_ValueKind kind, const char *header,
				const char *value)
{
	struct wish *wish = arg;
	size_t bytes = strlen(wish->word), chars;

	(void)kind;
	if (strcasecmp(header, wish->header) != 0 || !value)
		return MHD_YES;
	for (; *value; value += chars + (value[chars] == ',')) {
		const char *at = value + strspn(value, " \t");
		double quality = 1;

		chars = strcspn(value, ",");
		if (strncasecmp(at, wish->word, bytes) != 0 || !strchr(" \t;,", at[bytes]))
			continue;
		while ((at = memchr(at, ';', (size_t)(value + chars - at)))) {
			at += 1 + strspn(at + 1, " \t");
			if (strncasecmp(at, "q=", 2) == 0)
				quality = strtod(at + 2, NULL);
		}
		/* What has a quality of 0 is not wanted. */
		wish->is_there = wish->is_there || quality > 0;
	}
	return MHD_YES;
}

static bool has_word(struct MHD_Connection *c, const char *header, const char *word)
{
	struct wish wish = { header, word, false };

	(void)MHD_get_connection_values(c, MHD_HEADER_KIND, look_for, &wish);
	return wish.is_there;
}

static enum MHD_Result answer(struct server *s, struct MHD_Connection *c)
{
	bool is_open = has_word(c, "Accept", "application/openmetrics-text");
	bool is_zipped = has_word(c, "Accept-Encoding", "gzip");
	struct MHD_Response *response;
	char *text, *zipped = NULL;
	size_t bytes = 0;

	text = ask(s, is_open ? CLI_EXPORT_OPENMETRICS : CLI_EXPORT_TEXT, &bytes);
	if (!text)
		return say(c, MHD_HTTP_INTERNAL_SERVER_ERROR,
			   "The counters cannot be read; the log of ntime says why.\n");
	if (is_zipped && bytes > ZIP_BYTES)
		zipped = zip(text, &bytes);
	if (zipped)
		free(text);
	response = MHD_create_response_from_buffer(bytes, zipped ? zipped : text,
						   MHD_RESPMEM_MUST_FREE);
	if (!response)
		free(zipped ? zipped : text);
	else if (zipped)
		(void)MHD_add_response_header(response, "Content-Encoding", "gzip");
	return queue(c, MHD_HTTP_OK, response, is_open ? open_type : text_type);
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *data,
			      size_t *bytes, void **state)
{
	(void)version, (void)data, (void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return say(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET and HEAD are all there is.\n");
	*bytes = 0;
	/* As one asks a proxy for it. */
	if (strncasecmp(url, "http://", 7) == 0)
		url = url + 7 + strcspn(url + 7, "/");
	if (strcmp(url, "/metrics") != 0)
		return say(c, MHD_HTTP_NOT_FOUND, "The counters are at /metrics.\n");
	return answer(arg, c);
}

/* ---- connections ---- */

static void note_connection(void *arg, struct MHD_Connection *c, void **place,
			    enum MHD_ConnectionNotificationCode what)
{
	struct server *s = arg;

	(void)c;
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		*place = s->adding;
	else if (*place)
		((struct connection *)*place)->fd = -1;
}

static struct connection *find_free(struct server *s)
{
	for (size_t i = 0; i < CONNECTIONS; i++)
		if (s->connection[i].fd < 0)
			return &s->connection[i];
	return NULL;
}

static bool has_connections(const struct server *s)
{
	for (size_t i = 0; i < CONNECTIONS; i++)
		if (s->connection[i].fd >= 0)
			return true;
	return false;
}

/* Who came first has had the longest time. */
static void end_oldest(struct server *s)
{
	struct connection *oldest = NULL;

	for (size_t i = 0; i < CONNECTIONS; i++)
		if (s->connection[i].fd >= 0 &&
		    (!oldest || s->connection[i].since_ns < oldest->since_ns))
			oldest = &s->connection[i];
	if (!oldest)
		return;
	(void)shutdown(oldest->fd, SHUT_RDWR);
	(void)MHD_run(s->daemon);
}

static void accept_one(struct server *s, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	const struct sockaddr nobody = { .sa_family = AF_UNIX };

	/* Too many are open, here or anywhere: whoever waits longest makes room, or all wait. */
	if (fd < 0 && errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) {
		if (has_connections(s))
			end_oldest(s);
		else
			(void)poll(NULL, 0, 100);
	}
	if (fd < 0)
		return;
	if (!find_free(s))
		end_oldest(s);
	s->adding = find_free(s);
	if (!s->adding) {
		close(fd);
		return;
	}
	*s->adding = (struct connection){ fd, cli_now_ns() };
	/* It closes what it does not take. */
	if (MHD_add_connection(s->daemon, fd, &nobody, sizeof(nobody)) != MHD_YES)
		s->adding->fd = -1;
	(void)MHD_run(s->daemon);
}

/* Nobody has longer than that, however little he sends. When the first one's time is over. */
static uint64_t end_late(struct server *s, uint64_t now)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < CONNECTIONS; i++) {
		struct connection *c = &s->connection[i];

		if (c->fd < 0)
			continue;
		if (now >= c->since_ns + CONNECTION_NS)
			(void)shutdown(c->fd, SHUT_RDWR);
		else if (c->since_ns + CONNECTION_NS < next)
			next = c->since_ns + CONNECTION_NS;
	}
	return next;
}

/* ---- the process ---- */

/* Until the collector has ended, and what had begun then is answered. */
static void serve(struct server *s)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd p[2 + CLI_LISTEN_MAX] = { { .fd = s->reply, .events = POLLIN },
						{ .fd = info ? info->epoll_fd : -1,
						  .events = POLLIN } };
	uint64_t end = UINT64_MAX;
	MHD_UNSIGNED_LONG_LONG left;

	for (size_t i = 0; i < s->listeners; i++)
		p[2 + i] = (struct pollfd){ .fd = s->listener[i].fd, .events = POLLIN };
	while (!s->is_alone || has_connections(s)) {
		uint64_t now = cli_now_ns(), next = end_late(s, now);
		int wait;

		if (s->is_alone && end == UINT64_MAX)
			end = now + END_NS;
		if (now >= end)
			break;
		(void)MHD_run(s->daemon);
		next = next < end ? next : end;
		wait = next == UINT64_MAX ? -1 : (int)((next - now) / 1000000) + 1;
		/* What it has read already waits in no descriptor. */
		if (MHD_get_timeout(s->daemon, &left) == MHD_YES && !left)
			wait = 0;
		if (poll(p, s->is_alone ? 2 : 2 + s->listeners, wait) < 0 && errno != EINTR)
			break;
		/* Answers are read where they are asked for. */
		if (p[0].revents) {
			s->is_alone = true;
			p[0].fd = -1;
		}
		(void)MHD_run(s->daemon);
		for (size_t i = 0; i < s->listeners && !s->is_alone; i++)
			if (p[2 + i].revents)
				accept_one(s, p[2 + i].fd);
	}
	MHD_stop_daemon(s->daemon);
}

static struct MHD_Daemon *start_daemon(struct server *s, unsigned int flags, ...)
{
	struct MHD_Daemon *daemon;
	va_list options;

	va_start(options, flags);
	daemon = MHD_start_daemon_va(flags, 0, NULL, NULL, handle, s, options);
	va_end(options);
	return daemon;
}

/* Of what its parent has open nothing is left but its pipes, its sockets and standard error. */
static int close_others(struct server *s)
{
	int text = s->text, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	DIR *folder = cli_opendir("/proc/self/fd");
	struct dirent *entry;
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", text);
	s->text = open(path, O_RDONLY | O_CLOEXEC);
	if (!folder || s->text < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0) {
		if (folder)
			closedir(folder);
		return -errno;
	}
	while ((entry = readdir(folder))) {
		int fd = (int)strtol(entry->d_name, NULL, 10);
		bool is_kept = fd <= STDERR_FILENO || fd == dirfd(folder) || fd == s->ask ||
			       fd == s->reply || fd == s->text;

		for (size_t i = 0; i < s->listeners; i++)
			is_kept = is_kept || fd == s->listener[i].fd;
		if (!is_kept)
			close(fd);
	}
	closedir(folder);
	return 0;
}

/* Of root: nobody. Then no calls but those that answering takes. 0 or -errno. */
static int give_up_rights(void)
{
	if (geteuid() == 0 && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
			       setresuid(NOBODY, NOBODY, NOBODY)))
		return -errno;
	cli_confine_server(0);
	return 0;
}

/* The collector's word comes first: until then nobody is heard. */
static int wait_for_word(const struct server *s)
{
	uint64_t word;

	return read(s->reply, &word, sizeof(word)) == sizeof(word) ? 0 : -EPIPE;
}

static int run(struct server *s)
{
	int ret = close_others(s);

	if (ret) {
		cli_say("the server cannot close what is not its own: %s", strerror(-ret));
		return ret;
	}
	for (size_t i = 0; i < CONNECTIONS; i++)
		s->connection[i].fd = -1;
	s->daemon = start_daemon(s, MHD_USE_NO_LISTEN_SOCKET | MHD_USE_EPOLL,
				 MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
				 MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_BYTES,
				 MHD_OPTION_NOTIFY_CONNECTION, note_connection, s, MHD_OPTION_END);
	if (!s->daemon) {
		cli_say("the server cannot be started: libmicrohttpd refuses");
		return -EINVAL;
	}
	/* What is not there by now cannot be loaded any more; then answers are not compressed. */
	(void)nti_lazy_load(&nti_lazy_zlib, NULL);
	ret = give_up_rights();
	if (ret)
		cli_say("the server cannot give up its rights: %s", strerror(-ret));
	if (!ret)
		ret = wait_for_word(s);
	for (size_t i = 0; i < s->listeners && !ret; i++)
		if (listen(s->listener[i].fd, SOMAXCONN)) {
			ret = -errno;
			cli_say("cannot listen on %s: %s", s->listener[i].text, strerror(errno));
		}
	if (!ret && write(s->ask, "", 1) != 1)
		ret = -EPIPE;
	if (!ret)
		serve(s);
	return ret;
}

/* Its end is the collector's business: keys of the terminal are not for it. */
static void ignore_signals(void)
{
	static const int ignored[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE };

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		(void)signal(ignored[i], SIG_IGN);
}

static void close_pair(int pair[2])
{
	close(pair[0]);
	close(pair[1]);
}

int cli_server_start(struct cli_server *s, const struct cli_listener *listener, size_t n)
{
	char why[NTI_LAZY_WHY_BYTES];
	int ask[2], reply[2], ret = nti_lazy_load(&nti_lazy_microhttpd, why);

	if (ret < 0) {
		cli_say("a server needs libmicrohttpd: %s (install %s, or use --textfile)", why,
			nti_lazy_microhttpd.package);
		return ret;
	}
	if (pipe2(ask, O_CLOEXEC))
		return -errno;
	if (pipe2(reply, O_CLOEXEC)) {
		ret = -errno;
		close_pair(ask);
		return ret;
	}
	s->text = memfd_create("ntime", MFD_CLOEXEC);
	s->pid = s->text < 0 ? -1 : fork();
	if (s->pid < 0) {
		ret = -errno;
		cli_say("the server cannot be started: %s", strerror(errno));
		close_pair(ask);
		close_pair(reply);
		s->pid = 0;
		return ret;
	}
	if (!s->pid) {
		struct server server = { .listener = listener,
					 .listeners = n,
					 .ask = ask[1],
					 .reply = reply[0],
					 .text = s->text };

		ignore_signals();
		close(ask[0]);
		close(reply[1]);
		_exit(run(&server) ? CLI_EXIT_FAILED : 0);
	}
	close(ask[1]);
	close(reply[0]);
	s->ask = ask[0];
	s->reply = reply[1];
	return 0;
}

static int reply(struct cli_server *s, uint64_t word)
{
	return write(s->reply, &word, sizeof(word)) == sizeof(word) ? 0 : -EPIPE;
}

int cli_server_open(struct cli_server *s)
{
	char word;
	int ret = reply(s, 0);

	return ret || read(s->ask, &word, 1) == 1 ? ret : -EPIPE;
}

int cli_server_answer(struct cli_server *s, const char *text, size_t bytes)
{
	bool is_written = pwrite(s->text, text, bytes, 0) == (ssize_t)bytes;

	return reply(s, is_written ? bytes : 0);
}

void cli_server_end(struct cli_server *s)
{
	if (!s->pid)
		return;
	close(s->ask);
	close(s->reply);
	close(s->text);
	while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
	s->pid = 0;
}
