/* SPDX-License-Identifier: MIT */
/* Memory that is freed as a whole: what a database is made of lives as long as it does. */
#ifndef NTI_REGDB_ARENA_H
#define NTI_REGDB_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct nti_arena_block;

/* Zero-initialise, then set @limit. */
struct nti_arena {
	struct nti_arena_block *blocks;
	size_t used;  /* bytes of the newest block */
	size_t total; /* bytes of all blocks */
	size_t limit; /* how many those may become */
	bool is_full; /* the limit was the reason for a NULL */
};

/* Zeroed and aligned for anything; NULL when there is no memory or the limit is reached. */
void *nti_arena_new(struct nti_arena *a, size_t bytes);

/* @count of @bytes each; NULL as well when the product is too large. */
void *nti_arena_array(struct nti_arena *a, size_t count, size_t bytes);

/* Copy of @bytes of @text with a NUL behind them. */
char *nti_arena_text(struct nti_arena *a, const char *text, size_t bytes);

/* All of it, so that it can be used again. */
void nti_arena_free(struct nti_arena *a);

#endif
