// SPDX-License-Identifier: MIT
/* Long texts on terminals. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command/pager.h"

/* less(1): no pager for one screen, colours as they are, the text stays on the screen. */
#define LESS_OPTIONS "FRX"
#define NOT_STARTED 126 /* sh(1): this and 127 */

static bool is_longer_than_screen(const char *text, size_t bytes)
{
	struct winsize size;
	size_t lines = 0;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		return false;
	for (size_t i = 0; i < bytes; i++)
		lines += text[i] == '\n';
	return lines >= size.ws_row;
}

/* The reader may leave before the end. */
static void feed(int fd, const char *text, size_t bytes)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;

	(void)sigaction(SIGPIPE, &ignore, &before);
	while (bytes) {
		ssize_t n = write(fd, text, bytes);

		if (n <= 0)
			break;
		text += n;
		bytes -= (size_t)n;
	}
	(void)close(fd);
	(void)sigaction(SIGPIPE, &before, NULL);
}

static bool start(char *const argv[], int in, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	bool is_started;

	if (posix_spawn_file_actions_init(&actions))
		return false;
	is_started = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO) == 0 &&
		     posix_spawnp(pid, argv[0], &actions, NULL, argv, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	return is_started;
}

/* Show @text by @argv; false: it does not start. */
static bool show(char *const argv[], const char *text, size_t bytes)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	int ends[2], status = 0;
	pid_t pid, ended;
	bool is_started;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	is_started = start(argv, ends[0], &pid);
	(void)close(ends[0]);
	if (!is_started) {
		(void)close(ends[1]);
		return false;
	}
	/* Ctrl-C is the pager's. */
	(void)sigaction(SIGINT, &ignore, &before);
	feed(ends[1], text, bytes);
	do
		ended = waitpid(pid, &status, 0);
	while (ended < 0 && errno == EINTR);
	(void)sigaction(SIGINT, &before, NULL);
	return !WIFEXITED(status) || WEXITSTATUS(status) < NOT_STARTED;
}

void cli_pager_write(const char *text, size_t bytes)
{
	const char *pager = getenv("PAGER");
	char *by_name[] = { (char *)"less", NULL };
	char *by_shell[] = { (char *)"sh", (char *)"-c", (char *)pager, NULL };
	bool is_wanted = !pager || (*pager && strcmp(pager, "cat") != 0);

	if (is_wanted && is_longer_than_screen(text, bytes)) {
		(void)fflush(stdout);
		(void)setenv("LESS", LESS_OPTIONS, false);
		if (show(pager ? by_shell : by_name, text, bytes))
			return;
	}
	fwrite(text, 1, bytes, stdout);
}
