// SPDX-License-Identifier: MIT
/* What is known of each register, and how to find it by its place. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/page.h"
#include "trace/lib/query/stat_rows.h"

/* Copies, because realloc() keeps no alignment. */
static struct nti_stat_row *more_rows(const struct nti_stat_rows *t, size_t room)
{
	struct nti_stat_row *row = nti_page_large_alloc(room * sizeof(*row));

	if (row && t->n)
		memcpy(row, t->row, t->n * sizeof(*row));
	return row;
}

static void put_slot(struct nti_stat_rows *t, size_t n)
{
	uint64_t h = nti_stat_hash(t->row[n].offset, t->row[n].place);
	size_t mask = ((size_t)1 << t->order) - 1, i = (size_t)h & mask;

	while (t->slot[i].row)
		i = (i + 1) & mask;
	t->slot[i] = (struct nti_stat_slot){ (uint32_t)(h >> 32), (uint32_t)n + 1 };
}

/* Memory for what masked writes need: all at once, because they are rare. */
static bool make_masked(struct nti_stat_rows *t, size_t room)
{
	struct nti_stat_masked *masked = realloc(t->masked, room * sizeof(*masked));

	if (masked)
		t->masked = masked;
	return masked;
}

/*
 * Twice as many rows, and a hash table of four times that, so that most are in their first slot. 0
 * or -ENOMEM with nothing changed.
 */
static int grow(struct nti_stat_rows *t)
{
	unsigned int order = t->room ? t->order + 1 : 10;
	size_t room = (size_t)1 << (order - 2);
	struct nti_stat_slot *slot;
	struct nti_stat_row *row;

	if (t->masked && !make_masked(t, room))
		return -ENOMEM;
	slot = nti_page_large_alloc(sizeof(*slot) << order);
	row = slot ? more_rows(t, room) : NULL;
	if (!row) {
		free(slot);
		return -ENOMEM;
	}
	memset(slot, 0, sizeof(*slot) << order);
	free(t->row);
	free(t->slot);
	t->row = row;
	t->slot = slot;
	t->room = room;
	t->order = order;
	for (size_t i = 0; i < t->n; i++)
		put_slot(t, i);
	return 0;
}

int nti_stat_rows_init(struct nti_stat_rows *t, size_t most)
{
	*t = (struct nti_stat_rows){ .most = most };
	return grow(t);
}

void nti_stat_rows_fini(struct nti_stat_rows *t)
{
	free(t->row);
	free(t->masked);
	free(t->slot);
	*t = (struct nti_stat_rows){ 0 };
}

uint32_t nti_stat_rows_find(const struct nti_stat_rows *t, uint64_t hash, uint64_t offset,
			    uint32_t place)
{
	size_t mask = ((size_t)1 << t->order) - 1;
	uint32_t tag = (uint32_t)(hash >> 32);

	for (size_t i = (size_t)hash & mask; t->slot[i].row; i = (i + 1) & mask) {
		if (t->slot[i].tag == tag &&
		    nti_stat_is_at(&t->row[t->slot[i].row - 1], offset, place))
			return t->slot[i].row - 1;
	}
	return NTI_NO_ROW;
}

int nti_stat_rows_add(struct nti_stat_rows *t, uint64_t offset, uint32_t place, uint32_t *out)
{
	*out = NTI_NO_ROW;
	if (t->n == t->most)
		return 0;
	if (t->n == t->room && grow(t) < 0)
		return -ENOMEM;
	t->row[t->n] = (struct nti_stat_row){ .offset = offset, .place = place };
	put_slot(t, t->n);
	*out = (uint32_t)t->n++;
	return 0;
}

struct nti_stat_masked *nti_stat_rows_masked(struct nti_stat_rows *t,
					     const struct nti_stat_row *row)
{
	if (!t->masked && !make_masked(t, t->room))
		return NULL;
	return &t->masked[row - t->row];
}
