// SPDX-License-Identifier: MIT
/* Frames of a command, into a ring. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/command/cut.h"
#include "count/cli/shared/machine.h"
#include "base/command/wait.h"
#include "base/output/say.h"
#include "count/cli/stat/frames.h"

static int failed(const struct cli_frames *f, const char *what, int error)
{
	cli_say("%s %s: %s", what, f->path, strerror(-error));
	return error;
}

int cli_frames_init(struct cli_frames *f, struct ntime_ctx *ctx, const char *path)
{
	int ends[2] = { -1, -1 };
	char number[16];

	*f = (struct cli_frames){
		.path = path, .ctx = ctx, .ours = -1, .theirs = -1, .pidfd = -1, .file.fd = -1
	};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return failed(f, "cannot count frames into", -errno);
	/* The lower one: dash takes one digit. */
	f->theirs = ends[0];
	f->ours = ends[1];
	(void)snprintf(number, sizeof(number), "%d", f->theirs);
	if (fcntl(f->theirs, F_SETFD, 0) || setenv(CLI_FRAMES_VARIABLE, number, 1))
		return failed(f, "cannot count frames into", -errno);
	return 0;
}

int cli_frames_file_begin(struct cli_whole *w, const char *path)
{
	int ret = cli_place_find(&w->place, path);

	if (!ret && w->place.stream >= 0) {
		cli_say("%s is no regular file: a ring of frames needs one", path);
		return -EINVAL;
	}
	if (!ret)
		ret = cli_whole_begin(w);
	if (!ret)
		return 0;
	cli_say("cannot write to %s: %s", path, *w->place.why ? w->place.why : strerror(-ret));
	return ret;
}

int cli_frames_begin(struct cli_frames *f, struct ntime_session *s, pid_t pid)
{
	int ret = cli_frames_file_begin(&f->file, f->path);

	f->has_file = true;
	/* The command has its own by now. */
	(void)close(f->theirs);
	f->theirs = -1;
	(void)unsetenv(CLI_FRAMES_VARIABLE);
	if (ret < 0)
		return ret;
	f->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (f->pidfd < 0)
		return failed(f, "cannot count frames into", -errno);
	cli_cut_survive();
	ret = ntime_frames_new(s, CLI_FRAMES_DEPTH, f->file.fd, &f->clock);
	return cli_machine_check(f->ctx, ret);
}

int cli_frames_show(struct cli_frames *f)
{
	int ret = cli_whole_end(&f->file);

	return ret < 0 ? failed(f, "cannot write to", ret) : 0;
}

static void stop(struct cli_frames *f)
{
	ntime_frames_free(f->clock);
	f->clock = NULL;
}

static void fail(struct cli_frames *f)
{
	f->has_failed = true;
	stop(f);
}

/*
 * @n ends of frames came. Of several at once nobody knows which counts are of which frame: the
 * command has not waited for the first answer.
 */
static void end_frames(struct cli_frames *f, size_t n)
{
	int ret;

	if (!f->clock)
		return;
	if (n > 1) {
		cli_say("frame %llu and those behind it are not counted: the command ended %zu at "
			"once, where it must read a byte after each that it writes; ntime(1), "
			"FRAMES",
			(unsigned long long)f->n, n);
		fail(f);
		return;
	}
	ret = ntime_frame_end(f->clock, NULL);
	if (cli_cut_happened()) {
		cli_say("%s was cut short by somebody: frame %llu and those behind it are not "
			"there",
			f->path, (unsigned long long)f->n);
		fail(f);
		return;
	}
	if (ret < 0) {
		cli_machine_say(f->ctx, ret);
		fail(f);
		return;
	}
	f->n++;
}

/* What has come, and the answers to it. False: nothing will come any more. */
static bool take(struct cli_frames *f)
{
	char bytes[64];
	ssize_t n = recv(f->ours, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0)
		return false;
	end_frames(f, (size_t)n);
	/*
	 * Who reads no answer needs none (EAGAIN, EPIPE). Who waits for one that cannot be sent
	 * reads the end instead.
	 */
	if (send(f->ours, bytes, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 || errno == EAGAIN ||
	    errno == EPIPE)
		return true;
	cli_say("%s is not continued: the command cannot be answered: %s", f->path,
		strerror(errno));
	fail(f);
	return false;
}

int cli_frames_wait(struct cli_frames *f, uint64_t left_ns)
{
	uint64_t end_ns = left_ns == UINT64_MAX ? UINT64_MAX : cli_now_ns() + left_ns;
	enum { COMMAND, MARKS };

	for (;;) {
		struct pollfd p[] = { { .fd = f->pidfd, .events = POLLIN },
				      { .fd = f->ours, .events = POLLIN } };
		uint64_t now = cli_now_ns(), left = end_ns > now ? end_ns - now : 0;
		struct timespec time = { (time_t)(left / 1000000000u), (long)(left % 1000000000u) };

		if (ppoll(p, 2, left_ns == UINT64_MAX ? NULL : &time, NULL) < 0)
			return -errno;
		if (p[MARKS].revents && !take(f)) {
			(void)close(f->ours);
			f->ours = -1;
		}
		/* Whatever still comes: it is not the command's, or waits for what is due. */
		if (p[COMMAND].revents || !left)
			return 0;
	}
}

static void close_one(int fd)
{
	if (fd >= 0)
		(void)close(fd);
}

void cli_frames_end(struct cli_frames *f)
{
	if (!f->has_failed && !f->n)
		cli_say("the command ended no frame: it must write a byte to descriptor "
			"$" CLI_FRAMES_VARIABLE " at the end of each, and read one; ntime(1), "
			"FRAMES");
	stop(f);
}

void cli_frames_fini(struct cli_frames *f)
{
	if (!f->path)
		return;
	stop(f);
	if (f->has_file)
		cli_whole_drop(&f->file);
	close_one(f->ours);
	close_one(f->theirs);
	close_one(f->pidfd);
	*f = (struct cli_frames){ 0 };
}
