// SPDX-License-Identifier: MIT
/* Places in arrays by number. */
#include <stdlib.h>

#include "trace/lib/derive/index.h"

void nti_derive_index_fini(struct nti_derive_index *x)
{
	free(x->entry);
	*x = (struct nti_derive_index){ 0 };
}

/*
 * The entry of @key, or the free one where it belongs. Addresses differ in few bits, some of them
 * high: the product and its upper half spread them.
 */
static struct nti_derive_entry *entry_of(const struct nti_derive_index *x, uint32_t key)
{
	uint32_t h = key * 0x9e3779b1u;
	size_t i = (h ^ h >> 15) & (x->room - 1);

	while (x->entry[i].place && x->entry[i].key != key)
		i = (i + 1) & (x->room - 1);
	return &x->entry[i];
}

uint32_t nti_derive_index_find(const struct nti_derive_index *x, uint32_t key)
{
	return x->room ? entry_of(x, key)->place : 0;
}

static bool grow(struct nti_derive_index *x)
{
	struct nti_derive_index bigger = { .n = x->n };

	bigger.room = x->room ? 2 * x->room : 16;
	bigger.entry = calloc(bigger.room, sizeof(*bigger.entry));
	if (!bigger.entry)
		return false;
	for (size_t i = 0; i < x->room; i++)
		if (x->entry[i].place)
			*entry_of(&bigger, x->entry[i].key) = x->entry[i];
	free(x->entry);
	*x = bigger;
	return true;
}

bool nti_derive_index_add(struct nti_derive_index *x, uint32_t key, uint32_t place)
{
	if (2 * x->n >= x->room && !grow(x))
		return false;
	*entry_of(x, key) = (struct nti_derive_entry){ key, place };
	x->n++;
	return true;
}
