// SPDX-License-Identifier: MIT
/* Pages of memory, as the kernel gives them, and its random bytes. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/os/page.h"

#define LARGE_BYTES ((size_t)2 << 20)

size_t nti_page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int nti_page_wiped_new(size_t bytes, void **out, size_t *room)
{
	size_t page = nti_page_bytes(), all = (bytes + page - 1) / page * page;
	void *memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret;

	if (memory == MAP_FAILED)
		return -ENOMEM;
	if (madvise(memory, all, MADV_WIPEONFORK) < 0) {
		ret = -errno;
		(void)munmap(memory, all);
		return ret;
	}
	*out = memory;
	*room = all;
	return 0;
}

void nti_page_wiped_free(void *memory, size_t room)
{
	if (memory)
		(void)munmap(memory, room);
}

void *nti_page_large_alloc(size_t bytes)
{
	size_t align = bytes < LARGE_BYTES ? 64 : LARGE_BYTES;
	void *memory = aligned_alloc(align, (bytes + align - 1) & ~(align - 1));

#ifdef MADV_HUGEPAGE
	if (memory && bytes >= LARGE_BYTES)
		(void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
	return memory;
}

int nti_page_random(void *out, size_t bytes)
{
	return getrandom(out, bytes, GRND_NONBLOCK) == (ssize_t)bytes ? 0 : -EAGAIN;
}
