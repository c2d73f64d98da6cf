/* SPDX-License-Identifier: MIT */
/*
 * Where in an array the element with a key is: a hash table beside the array, which is its owner's.
 */
#ifndef NTI_TRACE_SLOTS_H
#define NTI_TRACE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/common/hash.h"

/* @slot: @slots of 1 + places, a power of two and at least twice the elements, or none. */
struct nti_slots {
	uint32_t *slot;
	size_t slots;
};

#define NTI_NO_SLOT UINT32_MAX

static inline size_t nti_slots_hash(const struct nti_slots *s, const void *key, size_t key_bytes)
{
	uint64_t h = 0, number;

	for (size_t i = 0; i < key_bytes; i += sizeof(number)) {
		memcpy(&number, (const char *)key + i, sizeof(number));
		h = nti_hash_number(h, number);
	}
	return (size_t)h & (s->slots - 1);
}

static inline uint32_t nti_slots_find_bytes(const struct nti_slots *s, const void *array,
					    size_t bytes, const void *key, size_t key_bytes)
{
	if (!s->slots)
		return NTI_NO_SLOT;
	for (size_t i = nti_slots_hash(s, key, key_bytes); s->slot[i]; i = (i + 1) & (s->slots - 1))
		if (memcmp((const char *)array + (s->slot[i] - 1) * bytes, key, key_bytes) == 0)
			return s->slot[i] - 1;
	return NTI_NO_SLOT;
}

uint32_t nti_slots_new_bytes(struct nti_slots *s, void *array, size_t *n, size_t bytes,
			     const void *key, size_t key_bytes);

/*
 * Place of the element that begins with *@key, NTI_NO_SLOT when there is none. Keys are multiples
 * of 8 bytes, without padding.
 */
#define nti_slots_find(s, array, key)                                                              \
	nti_slots_find_bytes((s), (array), sizeof(*(array)), (key), sizeof(*(key)))
/*
 * Place of a new element with *@key and zeros, behind the *@n of *@array, which nothing else but
 * nti_grow() has allocated. NTI_NO_SLOT, and nothing changed: no memory.
 */
#define nti_slots_new(s, array, n, key)                                                            \
	nti_slots_new_bytes((s), (array), (n), sizeof(**(array)), (key), sizeof(*(key)))

#endif
