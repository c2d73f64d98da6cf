// SPDX-License-Identifier: MIT
/*
 * The least that a program does which counts a command with the kernel's own events as ntime and
 * perf stat do by default: least COMMAND [ARG...]. It forks, opens the counters on the child, lets
 * it exec, waits for its end and reads. No program that counts so starts faster.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t events[] = { PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_CONTEXT_SWITCHES,
				   PERF_COUNT_SW_CPU_MIGRATIONS, PERF_COUNT_SW_PAGE_FAULTS };
#define EVENTS (sizeof(events) / sizeof(events[0]))

/* The whole group counts from exec on. Its leader's descriptor, -1: refused. */
static int open_group(pid_t pid)
{
	int leader = -1;

	for (size_t i = 0; i < EVENTS; i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_SOFTWARE,
			.size = sizeof(attr),
			.config = events[i],
			.read_format = PERF_FORMAT_GROUP,
			.disabled = !i,
			.enable_on_exec = !i,
		};
		int fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, leader,
				      PERF_FLAG_FD_CLOEXEC);

		if (fd < 0)
			return -1;
		if (!i)
			leader = fd;
	}
	return leader;
}

int main(int argc, char **argv)
{
	uint64_t values[1 + EVENTS];
	int door[2], status, group;
	char go = 0;
	pid_t pid;

	if (argc < 2 || pipe(door) < 0)
		return 2;
	pid = fork();
	if (pid == 0) {
		(void)close(door[1]);
		if (read(door[0], &go, 1) == 1)
			(void)execvp(argv[1], argv + 1);
		_exit(127);
	}
	group = pid < 0 ? -1 : open_group(pid);
	if (group < 0 || write(door[1], &go, 1) != 1 || waitpid(pid, &status, 0) != pid ||
	    read(group, values, sizeof(values)) != sizeof(values)) {
		fprintf(stderr, "least: the kernel's own events cannot be counted here\n");
		return 1;
	}
	for (size_t i = 0; i < EVENTS; i++)
		fprintf(stderr, "%llu\n", (unsigned long long)values[1 + i]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
