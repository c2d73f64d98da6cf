/* SPDX-License-Identifier: MIT */
/* Finds by a number of 32 bits the place of what has that number in an array. */
#ifndef NTI_TRACE_DERIVE_INDEX_H
#define NTI_TRACE_DERIVE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One key; @place: 1 + index in the array, 0 free. */
struct nti_derive_entry {
	uint32_t key, place;
};

/**
 * struct nti_derive_index - open addressing, at most half full. Zeroed at first
 * @room:	a power of two, or 0
 */
struct nti_derive_index {
	struct nti_derive_entry *entry;
	size_t n, room;
};

void nti_derive_index_fini(struct nti_derive_index *x);
/* 1 + index of what has @key, 0 none. */
uint32_t nti_derive_index_find(const struct nti_derive_index *x, uint32_t key);
/* @key must not be in it. False: no memory. */
bool nti_derive_index_add(struct nti_derive_index *x, uint32_t key, uint32_t place);

#endif
