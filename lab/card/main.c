// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * ntime-model: a graphics card that is a model, and commands to it; "ntime model" starts it. Exit
 * status: 0; 1: a vector is wrong; 125 after one sentence on stderr.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/command/alone.h"
#include "base/command/help.h"
#include "base/command/options.h"
#include "base/output/exit.h"
#include "base/output/say.h"
#include "core/regs/nv50_wires.h"
#include "base/os/clock.h"
#include "base/os/file.h"
#include "base/os/socket.h"
#include "lab/card/lines.h"
#include "lab/card/server.h"
#include "lab/card/vectors.h"

#define complain(...) (cli_say(__VA_ARGS__), CLI_EXIT_FAILED)

static int print_line(const char *text)
{
	if (puts(text) < 0 || fflush(stdout))
		return complain("standard output: %s", strerror(errno));
	return 0;
}

/* ---- run ---- */

/* What options say; NULL: nothing. */
struct run {
	const char *path, *scene, *log, *busy, *context;
	const char *units[NTM_NV50_KINDS]; /* masks */
	uint32_t keep[NTM_NV50_KINDS];
};

static const struct {
	const char *option, *name;
} unit_kinds[NTM_NV50_KINDS] = {
	[NTM_NV50_TPCS] = { "--tpc", "TPCs" },
	[NTM_NV50_ROPS] = { "--rop", "memory partitions" },
	[NTM_NV50_MPS] = { "--mp", "MPs in a TPC" },
};

/* The masks that options give, for a board with @chip. 0 or after a sentence. */
static int parse_units(struct run *r, const struct nthw_nv_chip *chip)
{
	for (unsigned int k = 0; k < NTM_NV50_KINDS; k++) {
		const char *text = r->units[k], *at = text;
		uint32_t most = ntm_nv50_units_of(chip, k);
		uint64_t mask;

		if (!text)
			continue;
		if (!ntm_number_take(&at, UINT16_MAX, &mask) || *at || !mask)
			return complain("%s '%.40s' is no mask of %s, as in 0x6",
					unit_kinds[k].option, text, unit_kinds[k].name);
		if (mask >> most)
			return complain("%s %s: bits 0 to %u stand for the %s of a die of %s",
					unit_kinds[k].option, text, most - 1, unit_kinds[k].name,
					chip->name);
		r->keep[k] = (uint32_t)mask;
	}
	return 0;
}

/* The chips that there are models of, each behind @mark. */
static void list_chips(char *list, size_t bytes, char mark)
{
	size_t at = 0;

	for (size_t i = 0; i < nthw_nv_chip_count && at < bytes; i++)
		if (nthw_nv_has_wires(&nthw_nv_chips[i]))
			at += (size_t)snprintf(list + at, bytes - at, "%c%s", mark,
					       nthw_nv_chips[i].name);
}

/* Readable when SIGINT or SIGTERM came; -1. */
static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int cannot_listen(const char *path, int error)
{
	if (error == -EADDRINUSE)
		return complain("%s: a model serves there already", path);
	if (error == -EEXIST)
		return complain("%s: there is a file that is no socket; name another path", path);
	return complain("cannot listen at %s: %s", path,
			error == -ENAMETOOLONG ? nti_socket_why(error) : strerror(-error));
}

/* The text of file @path in new memory; NULL after a sentence. */
static char *load_text(const char *path, size_t *bytes)
{
	char *text = malloc(NTM_LINES_BYTES_MAX + 1);
	int fd = nti_file_open(path);
	ssize_t n = fd;

	if (fd >= 0) {
		n = text ? nti_file_read_all(fd, text, NTM_LINES_BYTES_MAX + 1) : -ENOMEM;
		nti_file_close(fd);
	}
	if (n >= 0) {
		*bytes = (size_t)n;
		return text;
	}
	(void)complain("cannot read %s: %s", path, strerror((int)-n));
	free(text);
	return NULL;
}

/* The scene in file @path, or the built-in one; NULL after a sentence. */
static struct ntm_scene *load_scene(const char *path, const struct nthw_nv_chip *chip)
{
	size_t bytes = strlen(ntm_scene_default);
	char *text = path ? load_text(path, &bytes) : NULL, why[512] = "";
	struct ntm_scene *scene;
	int ret;

	if (path && !text)
		return NULL;
	ret = ntm_scene_parse(path ? path : "scene", text ? text : ntm_scene_default, bytes, chip,
			      &scene, why, sizeof(why));
	if (ret < 0)
		(void)complain("%s", *why ? why : strerror(-ret));
	free(text);
	return scene;
}

static int serve(const struct ntm_scene *scene, const struct run *r)
{
	struct ntm_server *server;
	FILE *log = NULL;
	int signals, ret;

	/* Who does not read the line any more shall not leave the socket behind. */
	(void)signal(SIGPIPE, SIG_IGN);
	signals = open_signals();
	if (signals < 0)
		return complain("cannot take signals: %s", strerror(errno));
	if (r->log) {
		log = fopen(r->log, "we");
		if (!log)
			return complain("cannot write %s: %s", r->log, strerror(errno));
		(void)setvbuf(log, NULL, _IOLBF, BUFSIZ);
	}
	ret = ntm_server_new(scene, r->keep, r->path, &server);
	if (ret < 0) {
		if (log)
			(void)fclose(log);
		return cannot_listen(r->path, ret);
	}
	ntm_server_log(server, log);
	/* Who waits for this line finds the socket there. */
	printf("%s listens at %s\n", ntm_scene_chip(scene)->name, r->path);
	(void)fflush(stdout);
	ret = ntm_server_run(server, signals);
	ntm_server_free(server);
	(void)close(signals);
	if (log && (ferror(log) | fclose(log)))
		return complain("%s lacks accesses: it could not be written", r->log);
	return ret < 0 ? complain("model run: %s", strerror(-ret)) : 0;
}

static int run(struct run *r, int argc, char **argv)
{
	const struct nthw_nv_chip *chip = argc > 1 ? nthw_nv_chip_by_name(argv[1]) : NULL;
	struct ntm_scene *scene;
	int ret;

	if (argc > 1 && (!chip || !nthw_nv_has_wires(chip))) {
		char list[256] = "";

		list_chips(list, sizeof(list), ' ');
		return complain("there is no model of a chip '%.40s'; there are:%s", argv[1], list);
	}
	if (argc != 2 || !r->path || !*r->path)
		return complain("model run: expected CHIP --listen SOCKET [--scene FILE] "
				"[--log FILE] [--tpc MASK] [--rop MASK] [--mp MASK]");
	if (parse_units(r, chip) != 0)
		return CLI_EXIT_FAILED;
	scene = load_scene(r->scene, chip);
	if (!scene)
		return CLI_EXIT_FAILED;
	for (uint32_t i = 0; i < NTM_NV50_KINDS; i++)
		if (r->keep[i])
			ntm_scene_keep(scene, i, r->keep[i]);
	ret = serve(scene, r);
	ntm_scene_free(scene);
	return ret;
}

/* ---- commands to one that runs ---- */

/* A descriptor, or negative after a sentence. */
static int reach(const char *path)
{
	struct ntime_model_hello hello;
	int fd = nti_socket_open(path, &hello);

	if (fd < 0)
		(void)complain("cannot reach a model at %s: %s", path, nti_socket_why(fd));
	return fd;
}

/* One request to the model at @path, on @fd; its answer to @text. Returns an exit status. */
static int ask_on(int fd, const char *path, const struct ntime_model_request *request,
		  const char *command, uint32_t *value, char *text, size_t bytes)
{
	int ret = nti_socket_ask(fd, request, command, value, text, bytes);

	/* Whoever serves there. */
	for (char *c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	if (ret == 0)
		return 0;
	return *text ? complain("%s", text) : complain("%s: %s", path, nti_socket_why(ret));
}

__attribute__((format(printf, 5, 6))) static int ask_text_on(int fd, const char *path, char *text,
							     size_t bytes, const char *format, ...)
{
	const struct ntime_model_request request = { .kind = NTIME_MODEL_TEXT };
	char command[NTIME_MODEL_TEXT_BYTES + 1];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (n >= (int)sizeof(command))
		return complain("model: more than %d bytes of a command", NTIME_MODEL_TEXT_BYTES);
	return ask_on(fd, path, &request, command, NULL, text, bytes);
}

static int read_register(struct run *r, int argc, char **argv)
{
	struct ntime_model_request request = { .kind = NTIME_MODEL_READ };
	char text[NTIME_MODEL_TEXT_BYTES + 1], *end;
	unsigned long address;
	uint32_t value = 0;
	int fd, ret;

	(void)r;
	if (argc != 3)
		return complain("model read: expected SOCKET ADDRESS");
	errno = 0;
	address = strtoul(argv[2], &end, 0);
	if (argv[2][0] < '0' || argv[2][0] > '9' || *end || errno || address % 4 ||
	    address >= NTM_NV50_BAR_BYTES)
		return complain("model read: '%.40s' is no register: expected a multiple of 4 "
				"below %#x",
				argv[2], NTM_NV50_BAR_BYTES);
	request.address = (uint32_t)address;
	fd = reach(argv[1]);
	if (fd < 0)
		return CLI_EXIT_FAILED;
	ret = ask_on(fd, argv[1], &request, NULL, &value, text, sizeof(text));
	nti_socket_close(fd);
	if (ret)
		return ret;
	(void)snprintf(text, sizeof(text), "0x%08" PRIx32, value);
	return print_line(text);
}

#define NS_PER_MS 1000000

/* Most that a card is busy: a quarter of an hour. */
#define BUSY_MAX UINT64_C(1000000000000)

/*
 * So many clocks, each a nanosecond long, so that who counts can read while they go by. Who comes
 * late goes on from there: a few milliseconds at once are the most.
 */
static int work(int fd, const char *path, uint64_t clocks)
{
	const struct timespec pause = { .tv_nsec = NS_PER_MS };
	char text[NTIME_MODEL_TEXT_BYTES + 1];
	uint64_t last = nti_clock_ns(), now, due;
	int ret = 0;

	for (; !ret && clocks; clocks -= due) {
		(void)nanosleep(&pause, NULL);
		now = nti_clock_ns();
		due = now - last < 5 * NS_PER_MS ? now - last : 5 * NS_PER_MS;
		due = due < clocks ? due : clocks;
		last = now;
		ret = ask_text_on(fd, path, text, sizeof(text), "work %" PRIu64, due);
	}
	return ret;
}

/* 0, or -EINVAL: @text is no number from @least to @most. */
static int parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return *text < '0' || *text > '9' || *end || errno || *out < least || *out > most ? -EINVAL
											  : 0;
}

/* Where ntime stat --frames wants to be told of the end of each frame; ntime(1). */
#define FRAME_VARIABLE "NTIME_FRAME_FD"

/* -1: nobody wants to be told, or what has that number is something else by now. */
static int frame_descriptor(void)
{
	const char *text = getenv(FRAME_VARIABLE);
	uint64_t number;
	int type;
	socklen_t size = sizeof(type);

	if (!text || parse_number(text, 0, INT_MAX, &number) < 0 ||
	    getsockopt((int)number, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_STREAM)
		return -1;
	return (int)number;
}

/* " in NAME" behind a command, where there is a context. */
#define IN_FORMAT "%s%s"
#define IN_ARGS(context) ((context) ? " in " : ""), ((context) ? (context) : "")

static int play_frames(int fd, const char *path, uint64_t frames, const char *context)
{
	char text[NTIME_MODEL_TEXT_BYTES + 1];
	int told = frame_descriptor(), ret = 0;

	if (told < 0)
		return ask_text_on(fd, path, text, sizeof(text), "play %" PRIu64 IN_FORMAT, frames,
				   IN_ARGS(context));
	for (uint64_t i = 1; !ret && i <= frames; i++) {
		char byte = '\n';

		ret = ask_text_on(fd, path, text, sizeof(text), "frame %" PRIu64 IN_FORMAT, i,
				  IN_ARGS(context));
		/*
		 * The frame has ended; the next one begins when that is known. Who is gone wants no
		 * further one.
		 */
		if (!ret && told >= 0 &&
		    (send(told, &byte, 1, MSG_NOSIGNAL) != 1 || recv(told, &byte, 1, 0) != 1))
			told = -1;
	}
	return ret;
}

static int play(struct run *r, int argc, char **argv)
{
	char text[NTIME_MODEL_TEXT_BYTES + 1];
	uint64_t frames = 0, busy = 0;
	const char *what;
	int fd, ret;

	if (argc != 3)
		return complain("model play: expected SOCKET FRAMES|WORK [--context NAME] [--busy "
				"CLOCKS]");
	what = ntm_scene_work(argv[2]) ? argv[2] : NULL;
	if (!what && parse_number(argv[2], 1, NTIME_MODEL_FRAMES_MAX, &frames) < 0)
		return complain("model play: '%.40s' is neither a number of frames from 1 to %d "
				"nor work that the model has: vectoradd",
				argv[2], NTIME_MODEL_FRAMES_MAX);
	if (r->busy && parse_number(r->busy, 0, BUSY_MAX, &busy) < 0)
		return complain("model play: '%.40s' is no number of clocks up to %" PRIu64,
				r->busy, BUSY_MAX);
	fd = reach(argv[1]);
	if (fd < 0)
		return CLI_EXIT_FAILED;
	/* It is as patient as who asks: ^C ends it. */
	nti_socket_wait(fd);
	if (what)
		ret = ask_text_on(fd, argv[1], text, sizeof(text), "play %s" IN_FORMAT, what,
				  IN_ARGS(r->context));
	else
		ret = play_frames(fd, argv[1], frames, r->context);
	if (!ret)
		ret = work(fd, argv[1], busy);
	nti_socket_close(fd);
	return ret;
}

static int truth(struct run *r, int argc, char **argv)
{
	char text[NTIME_MODEL_TEXT_BYTES + 1];
	uint64_t clocks;
	int fd, ret;

	if (argc != 3)
		return complain("model truth: expected SOCKET EVENT, or a function of wires in "
				"quotes");
	fd = reach(argv[1]);
	if (fd < 0)
		return CLI_EXIT_FAILED;
	/* It is as patient as who asks: ^C ends it. */
	nti_socket_wait(fd);
	ret = ask_text_on(fd, argv[1], text, sizeof(text), "truth %s" IN_FORMAT, argv[2],
			  IN_ARGS(r->context));
	nti_socket_close(fd);
	if (!ret && parse_number(text, 0, UINT64_MAX, &clocks) < 0)
		ret = complain("%s: %s", argv[1], nti_socket_why(-EPROTO));
	return ret ? ret : print_line(text);
}

/* ---- channels ---- */

static int end(struct run *r, int argc, char **argv)
{
	char text[NTIME_MODEL_TEXT_BYTES + 1];
	int fd, ret;

	(void)r;
	if (argc != 3)
		return complain("model end: expected SOCKET CONTEXT");
	fd = reach(argv[1]);
	if (fd < 0)
		return CLI_EXIT_FAILED;
	ret = ask_text_on(fd, argv[1], text, sizeof(text), "end %s", argv[2]);
	nti_socket_close(fd);
	return ret;
}

/* "MP_PM_CONTROL[0]" */
static bool take_name(const char *line, uint32_t *method)
{
	static const struct {
		const char *name;
		uint32_t method;
	} names[] = { { "MP_PM_SET[", NTHW_NV_MP_SET }, { "MP_PM_CONTROL[", NTHW_NV_MP_CONTROL } };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *at = strstr(line, names[i].name);
		const char *slot = at ? at + strlen(names[i].name) : "";

		if (*slot < '0' || *slot >= '0' + NTHW_NV_MP_SLOTS || slot[1] != ']')
			continue;
		*method = names[i].method + 4 * (uint32_t)(*slot - '0');
		return true;
	}
	return false;
}

/* "0x2e0": what is behind it goes to *@end. */
static bool take_hex(const char *text, char **end, uint32_t *out)
{
	unsigned long number;

	text += strspn(text, " \t");
	errno = 0;
	number = strtoul(text, end, 16);
	*out = (uint32_t)number;
	return isxdigit((unsigned char)*text) && *end != text && !errno && number <= UINT32_MAX;
}

/*
 * A method and its value: "0x2e0 0x02aaaa40"; or as demmt prints it, by name and with the word that
 * was in the push buffer: "PB: 0x02aaaa40 NV50_COMPUTE.MP_PM_CONTROL[0] = { ... }".
 */
static bool take_method(const char *line, uint32_t *method, uint32_t *value)
{
	const char *number = line + strspn(line, " \t");
	bool is_of_demmt = strncmp(number, "PB:", 3) == 0;
	char *end = (char *)number + 3;

	if (!is_of_demmt && !take_hex(number, &end, method))
		return false;
	if (!take_hex(end, &end, value))
		return false;
	return is_of_demmt ? take_name(end, method) : !end[strspn(end, " \t\n")];
}

static int submit_lines(int fd, const char *path, uint32_t channel)
{
	struct ntime_model_request request = { .kind = NTIME_MODEL_METHOD, .channel = channel };
	char line[NTM_LINE_BYTES];
	int ret;

	for (unsigned long n = 1; fgets(line, sizeof(line), stdin); n++) {
		if (!line[strspn(line, " \t\n")])
			continue;
		if ((!strchr(line, '\n') && !feof(stdin)) ||
		    !take_method(line, &request.address, &request.value))
			return complain(
				"standard input:%lu: expected a method and its value, as in "
				"0x2e0 0x02aaaa40, or a line of demmt that has one",
				n);
		ret = nti_socket_ask(fd, &request, NULL, NULL, NULL, 0);
		if (ret == -EINVAL)
			return complain(
				"standard input:%lu: method %#x with value %#x is none that "
				"the counters of multiprocessors have",
				n, request.address, request.value);
		if (ret < 0)
			return complain("standard input:%lu: %s: %s", n, path,
					ret == -EBUSY	 ? "another program counts in this context"
					: ret == -ENODEV ? "the context has ended"
							 : nti_socket_why(ret));
	}
	return ferror(stdin) ? complain("standard input: %s", strerror(errno)) : 0;
}

static int channel(struct run *r, int argc, char **argv)
{
	const struct ntime_model_request request = { .kind = NTIME_MODEL_CHANNEL };
	uint32_t number = 0;
	int fd, ret;

	(void)r;
	if (argc != 3)
		return complain("model channel: expected SOCKET CONTEXT, and methods as standard "
				"input");
	fd = reach(argv[1]);
	if (fd < 0)
		return CLI_EXIT_FAILED;
	ret = nti_socket_ask(fd, &request, argv[2], &number, NULL, 0);
	if (ret == 0)
		ret = submit_lines(fd, argv[1], number);
	else
		ret = complain("%s: there cannot be a context '%.40s': its name has at most %d "
			       "characters and no blanks, and there are at most %d",
			       argv[1], argv[2], NTIME_MODEL_NAME_BYTES - 1,
			       NTIME_MODEL_CONTEXTS_MAX);
	nti_socket_close(fd);
	return ret;
}

/* ---- vectors ---- */

static void say_vector(void *arg, const char *name, const char *wrong)
{
	(void)arg;
	if (wrong)
		printf("wrong  %s\n       %s\n", name, wrong);
	else
		printf("ok     %s\n", name);
}

/* Exit status: 0, 1 where one is wrong. */
static int vectors(struct run *r, int argc, char **argv)
{
	struct ntm_vectors_result result = { 0 };
	struct ntm_vectors *v;
	char *text, why[512] = "";
	size_t bytes;
	int ret;

	(void)r;
	if (argc != 2)
		return complain("model vectors: expected FILE");
	text = load_text(argv[1], &bytes);
	if (!text)
		return CLI_EXIT_FAILED;
	ret = ntm_vectors_parse(argv[1], text, bytes, &v, why, sizeof(why));
	if (ret == 0)
		ret = ntm_vectors_run(v, say_vector, NULL, &result);
	ntm_vectors_free(v);
	free(text);
	if (ret < 0)
		return complain("%s", *why ? why : strerror(-ret));
	printf("%zu vectors on %zu domains of chips, %zu wrong\n", result.vectors, result.runs,
	       result.failed);
	if (fflush(stdout) || ferror(stdout))
		return complain("standard output: %s", strerror(errno));
	return result.failed ? 1 : 0;
}

static const struct action {
	const char *name;
	int (*run)(struct run *r, int argc, char **argv);
} actions[] = {
	{ "run", run },		{ "read", read_register }, { "play", play }, { "truth", truth },
	{ "vectors", vectors }, { "channel", channel },	   { "end", end },
};

#define TEXT(member) CLI_TEXT(struct run, member)

static const struct cli_option options[] = {
	{ 0, "listen", "SOCKET", "run: serve the card at this socket", TEXT(path) },
	{ 0, "scene", "FILE", "run: what the card works on; ntime-model(1) has the form",
	  TEXT(scene) },
	{ 0, "log", "FILE", "run: write each access of a register there, for ntime trace",
	  TEXT(log) },
	{ 0, "tpc", "MASK", "run: the board has these TPCs alone, as in 0x6",
	  TEXT(units[NTM_NV50_TPCS]) },
	{ 0, "rop", "MASK", "run: and these memory partitions", TEXT(units[NTM_NV50_ROPS]) },
	{ 0, "mp", "MASK", "run: and these multiprocessors in each TPC",
	  TEXT(units[NTM_NV50_MPS]) },
	{ 0, "context", "NAME", "play, truth: in this context; scenes may name others",
	  TEXT(context) },
	{ 0, "busy", "CLOCKS", "play: draw for so many more clocks, at 1 GHz", TEXT(busy) },
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

static const char *action_word(size_t i)
{
	return i < sizeof(actions) / sizeof(actions[0]) ? actions[i].name : NULL;
}

/* What may stand behind these words of a command line, for completion. */
static int print_words(const struct cli_command *self, int argc, char **argv)
{
	char list[256] = "";

	for (size_t i = 0; argc == 1 && self->action(i); i++)
		puts(self->action(i));
	if (argc != 2 || strcmp(argv[1], "run") != 0)
		return 0;
	list_chips(list, sizeof(list), '\n');
	return print_line(list + 1);
}

static int set_option(void *arg, const struct cli_option *o, const char *value)
{
	(void)cli_option_store(o, arg, value);
	return 0;
}

/* Each option is of one action, which its help begins with. */
static int run_model(const struct cli_command *self, int argc, char **argv)
{
	struct run r = { 0 };
	int action = cli_action_find(self, argc, argv), first = action;
	bool has_run;

	if (action >= 0)
		first = cli_options_parse(self, argc - 1, argv + 1, set_option, &r);
	if (first < 0)
		return cli_options_end(first);
	has_run = r.path || r.scene || r.log || r.units[0] || r.units[1] || r.units[2];
	if ((has_run && actions[action].run != run) || (r.busy && actions[action].run != play) ||
	    (r.context && actions[action].run != play && actions[action].run != truth))
		return cli_say_misuse(self->name, "%s takes no such option", actions[action].name);
	return actions[action].run(&r, argc - first, argv + first);
}

static const struct cli_command command = {
	.name = "model",
	.usage = "model run CHIP --listen SOCKET [--scene FILE] [--log FILE] "
		 "[--tpc MASK] [--rop MASK] [--mp MASK]\n"
		 "model read SOCKET ADDRESS\n"
		 "model play SOCKET FRAMES|WORK [--context NAME] [--busy CLOCKS]\n"
		 "model truth SOCKET EVENT|FUNCTION [--context NAME]\n"
		 "model channel SOCKET CONTEXT\n"
		 "model end SOCKET CONTEXT\n"
		 "model vectors FILE",
	.about = CLI_ABOUT_MODEL,
	.details = "run is a card with this chip (G80, G84, G86, G92, G94, G96, G98, G200, GT215, "
		   "GT216 or GT218) until ^C; the socket goes away with it. read prints a register "
		   "of its BAR 0. play lets it work for so many frames, those of the scene or "
		   "made up, always the same, or for work that was published (vectoradd), and "
		   "draws on with --busy; its time stands still otherwise. channel submits "
		   "methods to a context, which begins when it is named first, and end ends it. "
		   "truth prints how often an event, or a function of wires such as "
		   "'trast.1 & trast.6', was true in the last play, or the sum of its amounts, "
		   "found without any counter. vectors runs test vectors of its counters from a "
		   "file. ntime counts on it with --model SOCKET.",
	.options = options,
	.is_permuting = true,
	.action = action_word,
	.words = print_words,
	.run = run_model,
};

int main(int argc, char **argv)
{
	return cli_alone_main(&command, argc, argv);
}
