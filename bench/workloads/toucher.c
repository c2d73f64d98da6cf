// SPDX-License-Identifier: MIT
/* A page toucher: writes to each of N pages, several times; the first time each is one fault. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workload.h"

#define ROUNDS 4

int main(int argc, char **argv)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *pages;
	struct workload w;
	void *map;

	workload_begin(&w, "toucher", argc, argv);
	map = mmap(NULL, (w.n + 1) * page_bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/*
	 * Huge pages of any size would take many of them in one fault. EINVAL: a kernel that has
	 * none.
	 */
	if (map == MAP_FAILED) {
		perror("toucher: mmap");
		return 1;
	}
	(void)madvise(map, (w.n + 1) * page_bytes, MADV_NOHUGEPAGE);
	pages = map;
	for (int round = 0; round < ROUNDS; round++) {
		for (unsigned long i = 0; i < w.n; i++)
			pages[i * page_bytes] = (char)round;
	}
	return workload_end(&w, "\"pages\": %lu, \"rounds\": %d", w.n, ROUNDS);
}
