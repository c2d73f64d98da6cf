/* SPDX-License-Identifier: MIT */
/* Arrays that grow one by one, without a count of the room they have. */
#ifndef NTI_GROW_H
#define NTI_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* @array: the address of a pointer to objects of @size bytes each. Of nti_grow(). */
static inline bool nti_grow_bytes(void *array, size_t n, size_t size)
{
	size_t room = n ? 2 * n : 1;
	void *objects, *more;

	/* It has room for the next power of two. */
	if (n & (n - 1))
		return true;
	memcpy(&objects, array, sizeof(objects));
	more = realloc(objects, room * size);
	if (!more)
		return false;
	memcpy(array, &more, sizeof(more));
	// cppcheck-suppress memleak ; the copy is *@array's
	return true;
}

/*
 * Room for one more behind the @n objects of *@array, which only nti_grow() has allocated, from n =
 * 0 on: NULL then, or what is to be used again. False, and all as before: memory is short. To be
 * freed with free(3).
 */
#define nti_grow(array, n) nti_grow_bytes((array), (n), sizeof(**(array)))

#endif
