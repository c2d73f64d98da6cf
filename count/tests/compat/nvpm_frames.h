/* SPDX-License-Identifier: MIT */
/*
 * What the clients share: frames that a command draws, one by one, which says where each ends
 * (ntime(1), FRAMES).
 */
#ifndef NVPM_FRAMES_H
#define NVPM_FRAMES_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct frames {
	char **command;
	pid_t pid; /* 0: not started */
	int fd;
};

/* A result of NVPerfKit that is not 0 ends the program, as it does many. */
static inline void need(int result, const char *what)
{
	if (result == 0)
		return;
	fprintf(stderr, "%s: %d\n", what, result);
	exit(1);
}

static inline void frames_fail(const char *what)
{
	perror(what);
	exit(2);
}

static inline void frames_begin(struct frames *f)
{
	char number[16];
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		frames_fail("socketpair");
	f->fd = pair[0];
	f->pid = fork();
	if (f->pid < 0)
		frames_fail("fork");
	if (f->pid == 0) {
		(void)snprintf(number, sizeof(number), "%d", pair[1]);
		(void)setenv("NTIME_FRAME_FD", number, 1);
		(void)close(pair[0]);
		execvp(f->command[0], f->command);
		frames_fail(f->command[0]);
	}
	(void)close(pair[1]);
}

/* 1: the next frame was drawn; 0: there is none. */
static inline int frame_draw(struct frames *f)
{
	char byte = '\n';

	if (!f->pid)
		frames_begin(f);
	else if (send(f->fd, &byte, 1, MSG_NOSIGNAL) != 1)
		return 0;
	return read(f->fd, &byte, 1) == 1;
}

static inline void frames_end(struct frames *f)
{
	int status;

	while (frame_draw(f))
		;
	(void)close(f->fd);
	if (waitpid(f->pid, &status, 0) < 0 || status)
		exit(3);
	f->pid = 0;
}

#endif
