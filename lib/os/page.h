/* SPDX-License-Identifier: MIT */
/* Pages of memory, as the kernel gives them. */
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

#endif
