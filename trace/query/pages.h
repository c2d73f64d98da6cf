/* SPDX-License-Identifier: MIT */
/*
 * Memory that is looked into all over: in large pages where the kernel has them, for among small
 * ones most looks must first find their page.
 */
#ifndef NTI_TRACE_PAGES_H
#define NTI_TRACE_PAGES_H

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#define NTI_PAGES_LARGE ((size_t)2 << 20)

/* Aligned memory for free(3); NULL without memory. */
static inline void *nti_pages_alloc(size_t bytes)
{
	size_t align = bytes < NTI_PAGES_LARGE ? 64 : NTI_PAGES_LARGE;
	void *memory = aligned_alloc(align, (bytes + align - 1) & ~(align - 1));

#ifdef MADV_HUGEPAGE
	if (memory && bytes >= NTI_PAGES_LARGE)
		(void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
	return memory;
}

#endif
