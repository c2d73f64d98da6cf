// SPDX-License-Identifier: MIT
/* Pages of memory, as the kernel gives them. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/os/page.h"

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
