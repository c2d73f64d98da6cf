// SPDX-License-Identifier: MIT
/* Run a program of the system to its end. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command/child.h"
#include "base/command/signals.h"

/* The exit status as a shell has it, or -errno. */
static int wait_for(pid_t pid)
{
	int status, ret;

	cli_signals_forward(pid);
	do
		ret = waitpid(pid, &status, 0) < 0 ? -errno : 0;
	while (ret == -EINTR);
	cli_signals_forward(0);
	if (ret)
		return ret;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run(char *const argv[], bool has_input)
{
	posix_spawn_file_actions_t actions;
	int error;
	pid_t pid;

	error = posix_spawn_file_actions_init(&actions);
	if (error)
		return -error;
	if (!has_input)
		error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
							 O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	if (!error)
		error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error ? -error : wait_for(pid);
}

int cli_child_run(char *const argv[])
{
	return run(argv, true);
}

int cli_child_shell(const char *line)
{
	char *argv[] = { "sh", "-c", (char *)line, NULL };

	return run(argv, false);
}

/* Standard output goes to @out, standard error and input nowhere. 0 or an errno. */
static int start_quietly(char *const argv[], int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!error)
		error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
							 O_WRONLY, 0);
	if (!error)
		error = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* To the end, also what does not fit: the program must not be ended by a closed pipe. */
static void read_all(int fd, char *text, size_t size)
{
	char rest[512];
	size_t used = 0;
	ssize_t n;

	do {
		bool fits = used + 1 < size;

		n = fits ? read(fd, text + used, size - 1 - used) : read(fd, rest, sizeof(rest));
		if (n > 0 && fits)
			used += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	text[used] = '\0';
}

int cli_child_read(char *const argv[], char *text, size_t size)
{
	int ends[2], error;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	error = start_quietly(argv, ends[1], &pid);
	close(ends[1]);
	if (!error)
		read_all(ends[0], text, size);
	close(ends[0]);
	return error ? -error : wait_for(pid);
}
