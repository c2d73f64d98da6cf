// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * ntime-pci-model: serve models as PCI functions to stock QEMU's x-pci-proxy-dev, over sockets that
 * the caller has made and passes to both. Ends with 0 when QEMU has closed all of them, with 1 and
 * one sentence when something is wrong, with 2 for wrong arguments.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/proxy/control.h"

#define DEVICES 64
#define CONTROLS 4

struct server {
	struct ntm_proxy device[DEVICES];
	size_t device_count;
	char *spec[DEVICES]; /* owned: names live in them */
	struct ntm_control control[CONTROLS];
	size_t control_count;
	FILE *log;
};

static const char usage[] =
	"usage: ntime-pci-model [--log FILE] [--control FD]... --serve NAME=KIND[:ARGUMENT]@FD...\n"
	"\n"
	"Serve models of PCI functions to qemu-system-x86_64 -device x-pci-proxy-dev,fd=N.\n"
	"FD is our end of a socketpair whose other end QEMU has; each function has its own.\n"
	"\n"
	"  --serve NAME=KIND[:ARGUMENT]@FD   a function, and the name it has in log and commands\n"
	"  --control FD                      take commands there; 0 answers on standard output\n"
	"  --log FILE                        a line for each access\n"
	"  --list                            the kinds of devices\n"
	"  --help, --version\n";

__attribute__((format(printf, 1, 2))) static int complain(const char *format, ...)
{
	va_list args;

	fputs("ntime-pci-model: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return 2;
}

static int list_kinds(void)
{
	size_t i;

	for (i = 0; i < ntm_proxy_kind_count; i++) {
		const struct ntm_proxy_kind *k = ntm_proxy_kinds[i];

		printf("%-10s %s\n", k->name, k->about);
		printf("%-10s   argument: %s; %s: %s\n", "", k->arguments ? k->arguments : "none",
		       k->commands ? "commands" : "counts",
		       k->commands ? k->commands
		       : k->counts ? k->counts
				   : "nothing");
	}
	return 0;
}

/* A descriptor that somebody gave us; -1 when @text is none. */
static int parse_fd(const char *text)
{
	struct stat st;
	char *end;
	long fd;

	errno = 0;
	fd = strtol(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || fd > 0xffff || fstat((int)fd, &st) < 0)
		return -1;
	return (int)fd;
}

static const struct ntm_proxy_kind *find_kind(const char *name)
{
	size_t i;

	for (i = 0; i < ntm_proxy_kind_count; i++)
		if (strcmp(ntm_proxy_kinds[i]->name, name) == 0)
			return ntm_proxy_kinds[i];
	return NULL;
}

static bool is_taken(const struct server *s, const char *name, int fd)
{
	size_t i;

	for (i = 0; i < s->device_count; i++)
		if (s->device[i].fd == fd || strcmp(s->device[i].name, name) == 0)
			return true;
	return false;
}

/* NAME=KIND[:ARGUMENT]@FD */
static int add_device(struct server *s, const char *text)
{
	char *name = strdup(text), *kind_name, *argument, *fd_text;
	const struct ntm_proxy_kind *kind;
	struct ntm_proxy *p = &s->device[s->device_count];
	struct stat st;
	int fd;

	if (!name || s->device_count == DEVICES) {
		free(name);
		return complain("no room for more than %d devices", DEVICES);
	}
	s->spec[s->device_count] = name;
	kind_name = strchr(name, '=');
	fd_text = strrchr(name, '@');
	if (!kind_name || kind_name == name || !fd_text || fd_text < kind_name)
		return complain("--serve %s: expected NAME=KIND[:ARGUMENT]@FD", text);
	*kind_name++ = '\0';
	*fd_text++ = '\0';
	argument = strchr(kind_name, ':');
	if (argument)
		*argument++ = '\0';
	kind = find_kind(kind_name);
	if (!kind)
		return complain("--serve %s: there is no kind \"%s\"; --list has them", text,
				kind_name);
	fd = parse_fd(fd_text);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISSOCK(st.st_mode))
		return complain("--serve %s: %s is not the number of an open socket", text,
				fd_text);
	if (is_taken(s, name, fd))
		return complain("--serve %s: name and socket must be this device's alone", text);
	if (ntm_proxy_init(p, kind, argument ? argument : "", name, fd, s->log) < 0) {
		complain("%s", p->error);
		ntm_proxy_fini(p);
		return 2;
	}
	s->device_count++;
	return 0;
}

static int add_control(struct server *s, const char *text)
{
	struct ntm_control *c = &s->control[s->control_count];
	int fd = parse_fd(text);

	if (fd < 0 || s->control_count == CONTROLS)
		return complain("--control %s: expected an open file descriptor, and at most %d of "
				"them",
				text, CONTROLS);
	*c = (struct ntm_control){ .devices = s->device, .in = fd, .out = fd ? fd : 1 };
	s->control_count++;
	return 0;
}

static int open_log(struct server *s, const char *path)
{
	if (s->log || s->device_count)
		return complain("--log %s: wanted once, and before the devices", path);
	s->log = fopen(path, "we");
	if (!s->log)
		return complain("--log %s: %s", path, strerror(errno));
	setvbuf(s->log, NULL, _IOLBF, 0);
	return 0;
}

static int parse(struct server *s, int argc, char **argv)
{
	static const struct option options[] = {
		{ "serve", required_argument, NULL, 's' },
		{ "control", required_argument, NULL, 'c' },
		{ "log", required_argument, NULL, 'l' },
		{ NULL, 0, NULL, 0 },
	};
	int option, ret = 0;

	while (!ret && (option = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (option) {
		case 's':
			ret = add_device(s, optarg);
			break;
		case 'c':
			ret = add_control(s, optarg);
			break;
		case 'l':
			ret = open_log(s, optarg);
			break;
		default:
			return 2; /* getopt has said why */
		}
	if (!ret && optind < argc)
		ret = complain("%s: not an option; --help has them", argv[optind]);
	if (!ret && !s->device_count)
		ret = complain("nothing to serve: --serve NAME=KIND@FD is wanted; --help");
	return ret;
}

/*
 * One round: wait, then serve who is ready. 1 to go on, 0 when all devices are gone, 2 after a
 * complaint.
 */
static int serve_once(struct server *s)
{
	struct pollfd poll_fds[DEVICES + CONTROLS];
	size_t i, gone = 0;
	int ret;

	for (i = 0; i < s->device_count; i++) {
		poll_fds[i] = (struct pollfd){ .fd = s->device[i].fd, .events = POLLIN };
		gone += s->device[i].fd < 0;
	}
	if (gone == s->device_count)
		return 0;
	for (i = 0; i < s->control_count; i++)
		poll_fds[s->device_count + i] =
			(struct pollfd){ .fd = s->control[i].in, .events = POLLIN };
	ret = poll(poll_fds, s->device_count + s->control_count, -1);
	if (ret < 0 && errno != EINTR)
		return complain("cannot wait for messages: %s", strerror(errno));
	if (ret < 0)
		return 1;
	for (i = 0; i < s->device_count; i++)
		if (poll_fds[i].revents && ntm_proxy_receive(&s->device[i]) < 0)
			return complain("%s", s->device[i].error);
	for (i = 0; i < s->control_count; i++)
		if (poll_fds[s->device_count + i].revents)
			(void)ntm_control_receive(&s->control[i]);
	return 1;
}

static int serve(struct server *s)
{
	size_t i;
	int ret;

	for (i = 0; i < s->control_count; i++)
		s->control[i].device_count = s->device_count;
	do
		ret = serve_once(s);
	while (ret == 1);
	if (s->log && (fflush(s->log) || ferror(s->log)))
		return complain("the log could not be written whole");
	return ret;
}

int main(int argc, char **argv)
{
	static struct server s;
	size_t i;
	int ret;

	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return fputs(usage, stdout) < 0;
	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return puts("ntime-pci-model " NTIME_VERSION) < 0;
	if (argc == 2 && strcmp(argv[1], "--list") == 0)
		return list_kinds();
	signal(SIGPIPE, SIG_IGN);
	ret = parse(&s, argc, argv);
	if (!ret)
		ret = serve(&s) ? 1 : 0;
	for (i = 0; i < s.device_count; i++)
		ntm_proxy_fini(&s.device[i]);
	for (i = 0; i < DEVICES; i++)
		free(s.spec[i]);
	if (s.log && fclose(s.log))
		ret = ret ? ret : 1;
	return ret;
}
