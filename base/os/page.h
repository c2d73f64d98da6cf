/* SPDX-License-Identifier: MIT */
/* Pages of memory, as the kernel gives them, and its random bytes. */
#ifndef NTI_PAGE_H
#define NTI_PAGE_H

#include <stddef.h>

/* Bytes of one page. */
size_t nti_page_bytes(void);

/*
 * Zeroed memory of at least @bytes that reads 0 in a forked child (MADV_WIPEONFORK, Linux 4.14);
 * *@room are its bytes, whole pages. To be given back with nti_page_wiped_free(). 0, -ENOMEM,
 * -EINVAL (a kernel without it).
 */
int nti_page_wiped_new(size_t bytes, void **out, size_t *room);
/* NULL is accepted. */
void nti_page_wiped_free(void *memory, size_t room);

/*
 * Aligned memory for free(3) that is looked into all over: in large pages where the kernel has
 * them, for among small ones most looks must first find their page. NULL without memory.
 */
void *nti_page_large_alloc(size_t bytes);

/* Fill @out with random bytes, without waiting for them. 0, or -EAGAIN: the system has none yet. */
int nti_page_random(void *out, size_t bytes);

#endif
