// SPDX-License-Identifier: MIT
/* A fork storm: N children one after another, each of which writes to a few pages, and ends. */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

#define CHILD_PAGES 16

static void touch(volatile char *pages, long page_bytes)
{
	for (long i = 0; i < CHILD_PAGES; i++)
		pages[i * page_bytes] = 1;
}

/* The pages are the parent's own and shared by fork, so each child's write is one fault: a copy. */
static int run_child(volatile char *pages, long page_bytes)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		touch(pages, page_bytes);
		_exit(0);
	}
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
	long page_bytes = sysconf(_SC_PAGESIZE);
	struct workload w;
	char *pages;

	pages = mmap(NULL, (size_t)(CHILD_PAGES * page_bytes), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED ||
	    madvise(pages, (size_t)(CHILD_PAGES * page_bytes), MADV_NOHUGEPAGE) < 0) {
		perror("forkstorm");
		return 1;
	}
	workload_begin(&w, "forkstorm", argc, argv);
	touch(pages, page_bytes);
	for (unsigned long i = 0; i < w.n; i++) {
		if (run_child(pages, page_bytes) < 0) {
			perror("forkstorm: a child");
			return 1;
		}
	}
	return workload_end(&w, "\"children\": %lu, \"pages\": %lu", w.n, (w.n + 1) * CHILD_PAGES);
}
