// SPDX-License-Identifier: MIT
/*
 * Start several commands in turn, again and again, and print for each run how long it took, its
 * processor time and its peak memory: spawn ROUNDS COMMAND..., each COMMAND one argument with its
 * words separated by spaces.
 *
 * A line a run, separated by tabs: number of the command, wall time in ns, user + system time in
 * us, peak resident memory in KiB, exit status. Standard input, output and error of the commands
 * are /dev/null.
 *
 * It is C because the kernel counts into a process's peak memory what its memory was before
 * exec(2), which is that of the process that started it (fs/exec.c, exec_mmap): the one that starts
 * must be smaller than what it measures.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#define MAX_COMMANDS 16
#define MAX_WORDS 32
#define MAX_ROUNDS 100000

extern char **environ;

struct command {
	char *words[MAX_WORDS + 1];
};

static int split(char *text, struct command *c)
{
	char *save = NULL;
	size_t n = 0;

	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (n == MAX_WORDS)
			return -E2BIG;
		c->words[n++] = word;
	}
	return n ? 0 : -EINVAL;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t us_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000u + (uint64_t)t->tv_usec;
}

/* Run once and print the line. 0 or -errno. */
static int run(size_t number, const struct command *c, const posix_spawn_file_actions_t *actions)
{
	uint64_t start = now_ns(), end;
	struct rusage usage;
	int ret, status;
	pid_t pid;

	ret = posix_spawnp(&pid, c->words[0], actions, NULL, c->words, environ);
	if (ret)
		return -ret;
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -errno;
	end = now_ns();
	printf("%zu\t%" PRIu64 "\t%" PRIu64 "\t%ld\t%d\n", number, end - start,
	       us_of(&usage.ru_utime) + us_of(&usage.ru_stime), usage.ru_maxrss,
	       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}

static int make_actions(posix_spawn_file_actions_t *actions)
{
	int ret = posix_spawn_file_actions_init(actions);

	for (int fd = 0; !ret && fd <= 2; fd++)
		ret = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR, 0);
	return -ret;
}

static int fail(const char *what, int error)
{
	fprintf(stderr, "spawn: %s: %s\n", what, strerror(-error));
	return 1;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	size_t count = argc > 2 ? (size_t)argc - 2 : 0;
	struct command commands[MAX_COMMANDS] = { 0 };
	posix_spawn_file_actions_t actions;
	int ret;

	if (!rounds || rounds > MAX_ROUNDS || !count || count > MAX_COMMANDS) {
		fprintf(stderr, "use: spawn ROUNDS (1-%d) COMMAND... (1-%d)\n", MAX_ROUNDS,
			MAX_COMMANDS);
		return 2;
	}
	for (size_t i = 0; i < count; i++) {
		ret = split(argv[i + 2], &commands[i]);
		if (ret < 0)
			return fail("a command without words, or with too many", ret);
	}
	ret = make_actions(&actions);
	if (ret < 0)
		return fail("/dev/null", ret);
	for (unsigned long round = 0; round < rounds; round++) {
		for (size_t i = 0; i < count; i++) {
			ret = run(i, &commands[i], &actions);
			if (ret < 0)
				return fail(commands[i].words[0], ret);
		}
	}
	(void)posix_spawn_file_actions_destroy(&actions);
	return 0;
}
