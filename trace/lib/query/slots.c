// SPDX-License-Identifier: MIT
/* Where in an array the element with a key is. */
#include <stdlib.h>

#include "base/common/grow.h"
#include "trace/lib/query/slots.h"

static void put(struct nti_slots *s, const char *array, size_t n, size_t bytes, size_t key_bytes)
{
	size_t i = nti_slots_hash(s, array + n * bytes, key_bytes);

	while (s->slot[i])
		i = (i + 1) & (s->slots - 1);
	s->slot[i] = (uint32_t)n + 1;
}

static bool add(struct nti_slots *s, const void *array, size_t n, size_t bytes, size_t key_bytes)
{
	struct nti_slots bigger = { .slots = s->slots ? 2 * s->slots : 32 };

	if (2 * n >= s->slots) {
		/* Places are 32 bits wide. */
		bigger.slot = n < INT32_MAX ? calloc(bigger.slots, sizeof(*bigger.slot)) : NULL;
		if (!bigger.slot)
			return false;
		for (size_t i = 0; i < n; i++)
			put(&bigger, array, i, bytes, key_bytes);
		free(s->slot);
		*s = bigger;
	}
	put(s, array, n, bytes, key_bytes);
	return true;
}

uint32_t nti_slots_new_bytes(struct nti_slots *s, void *array, size_t *n, size_t bytes,
			     const void *key, size_t key_bytes)
{
	char *elements;

	if (!nti_grow_bytes(array, *n, bytes))
		return NTI_NO_SLOT;
	memcpy(&elements, array, sizeof(elements));
	memset(elements + *n * bytes, 0, bytes);
	memcpy(elements + *n * bytes, key, key_bytes);
	return add(s, elements, *n, bytes, key_bytes) ? (uint32_t)(*n)++ : NTI_NO_SLOT;
}
