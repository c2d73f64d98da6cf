// SPDX-License-Identifier: MIT
/* Sums by a number, few of them. */
#include <stdlib.h>

#include "trace/lib/query/tally.h"

void nti_tally_fini(struct nti_tally *t)
{
	free(t->sum);
	free(t->slot);
	*t = (struct nti_tally){ 0 };
}

static size_t first_slot(const struct nti_tally *t, uint64_t key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (t->slots - 1);
}

const struct nti_tally_sum *nti_tally_find(const struct nti_tally *t, uint64_t key)
{
	if (!t->slots)
		return NULL;
	for (size_t i = first_slot(t, key); t->slot[i]; i = (i + 1) & (t->slots - 1))
		if (t->sum[t->slot[i] - 1].key == key)
			return &t->sum[t->slot[i] - 1];
	return NULL;
}

static void put_slot(struct nti_tally *t, size_t n)
{
	size_t i = first_slot(t, t->sum[n].key);

	while (t->slot[i])
		i = (i + 1) & (t->slots - 1);
	t->slot[i] = (uint32_t)n + 1;
}

/* Room for one sum more. */
static bool grow(struct nti_tally *t)
{
	size_t room = t->room ? 2 * t->room : 16;
	struct nti_tally_sum *sum;
	uint32_t *slot;

	if (t->n < t->room)
		return true;
	slot = calloc(2 * room, sizeof(*slot));
	sum = slot ? realloc(t->sum, room * sizeof(*sum)) : NULL;
	if (!sum) {
		free(slot);
		return false;
	}
	free(t->slot);
	t->sum = sum;
	t->room = room;
	t->slot = slot;
	t->slots = 2 * room;
	for (size_t i = 0; i < t->n; i++)
		put_slot(t, i);
	return true;
}

struct nti_tally_sum *nti_tally_at(struct nti_tally *t, uint64_t key)
{
	const struct nti_tally_sum *found = nti_tally_find(t, key);

	if (found)
		return &t->sum[found - t->sum];
	if (t->n >= t->most)
		return &t->rest;
	if (!grow(t))
		return NULL;
	t->sum[t->n] = (struct nti_tally_sum){ .key = key };
	put_slot(t, t->n);
	return &t->sum[t->n++];
}
