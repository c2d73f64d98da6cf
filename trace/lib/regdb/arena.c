// SPDX-License-Identifier: MIT
/* Blocks of memory, each cut from its beginning. */
#include "trace/lib/regdb/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 * 1024)
#define ALIGN 8u

struct nti_arena_block {
	struct nti_arena_block *next;
	size_t bytes;
	uint64_t room[];
};

static struct nti_arena_block *add_block(struct nti_arena *a, size_t bytes)
{
	size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
	struct nti_arena_block *b;

	if (room > a->limit || a->total > a->limit - room) {
		a->is_full = true;
		return NULL;
	}
	b = calloc(1, sizeof(*b) + room);
	if (!b)
		return NULL;
	b->next = a->blocks;
	b->bytes = room;
	a->blocks = b;
	a->used = 0;
	a->total += room;
	return b;
}

void *nti_arena_new(struct nti_arena *a, size_t bytes)
{
	struct nti_arena_block *b = a->blocks;
	void *out;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!b || bytes > b->bytes - a->used) {
		b = add_block(a, bytes);
		if (!b)
			return NULL;
	}
	out = (char *)b->room + a->used;
	a->used += bytes;
	return out;
}

void *nti_arena_array(struct nti_arena *a, size_t count, size_t bytes)
{
	if (bytes && count > SIZE_MAX / 2 / bytes)
		return NULL;
	return nti_arena_new(a, count * bytes);
}

char *nti_arena_text(struct nti_arena *a, const char *text, size_t bytes)
{
	char *out = nti_arena_new(a, bytes + 1);

	if (out)
		memcpy(out, text, bytes);
	return out;
}

void nti_arena_free(struct nti_arena *a)
{
	while (a->blocks) {
		struct nti_arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
	a->used = 0;
	a->total = 0;
}
