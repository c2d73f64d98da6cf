// SPDX-License-Identifier: MIT
/*
 * What writing mmiotrace knows of all devices: its memory, and copies of it of which only what
 * changed is copied.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/write/mm.h"

void nti_mm_free(void *state)
{
	struct nti_mm *s = state;

	if (!s)
		return;
	if (s->hints && !s->is_copy) {
		nti_hints_fini(s->hints);
		free(s->hints);
	}
	nti_places_fini(&s->places);
	free(s->entries);
	free(s->ahead);
	free(s->changed);
	free(s);
}

/* Something of the place with this index may change. */
void nti_mm_note(struct nti_mm *s, size_t index)
{
	if (s->room)
		s->changed[s->changes % s->room] = (uint16_t)index;
	s->changes++;
}

/* Entries for @n places. */
static int grow(struct nti_mm *s, size_t n)
{
	size_t room = n + n / 2 + 8;
	struct nti_mm_entry *entries;
	struct nti_mm_ahead *ahead;
	uint16_t *changed;

	if (n <= s->room)
		return 0;
	entries = realloc(s->entries, room * NTI_PLACE_REGIONS * sizeof(*entries));
	if (entries)
		s->entries = entries;
	ahead = realloc(s->ahead, room * sizeof(*ahead));
	if (ahead)
		s->ahead = ahead;
	changed = realloc(s->changed, room * sizeof(*changed));
	if (changed)
		s->changed = changed;
	if (!entries || !ahead || !changed)
		return -ENOMEM;
	memset(entries + s->room * NTI_PLACE_REGIONS, 0,
	       (room - s->room) * NTI_PLACE_REGIONS * sizeof(*entries));
	memset(ahead + s->room, 0, (room - s->room) * sizeof(*ahead));
	s->room = room;
	/* What is in .changed is not where it belongs any more. */
	s->noted = s->changes;
	return 0;
}

static void copy_places(struct nti_mm *to, const struct nti_mm *from, size_t i, size_t n)
{
	if (!n)
		return;
	memcpy(to->places.list + i, from->places.list + i, n * sizeof(*to->places.list));
	memcpy(to->entries + i * NTI_PLACE_REGIONS, from->entries + i * NTI_PLACE_REGIONS,
	       n * NTI_PLACE_REGIONS * sizeof(*to->entries));
	memcpy(to->ahead + i, from->ahead + i, n * sizeof(*to->ahead));
}

/*
 * Formatting a batch changes a state as advancing over it does, and both count it: what is changed
 * in @from since @to was formatted with is what its later changes name. @to had @n places.
 */
static void copy_changed(struct nti_mm *to, const struct nti_mm *from, size_t n)
{
	uint64_t i, changes = from->changes - to->changes;

	/* The same place may have changed time and again. */
	if (!to->is_copy || to->changes < from->noted || changes > from->room ||
	    changes > from->places.n) {
		copy_places(to, from, 0, from->places.n);
		return;
	}
	for (i = to->changes; i < from->changes; i++)
		if (from->changed[i % from->room] < n)
			copy_places(to, from, from->changed[i % from->room], 1);
	copy_places(to, from, n, from->places.n - n);
}

int nti_mm_copy(void *to, const void *from)
{
	struct nti_mm *t = to;
	const struct nti_mm *f = from;
	size_t n = t->places.n < f->places.n ? t->places.n : f->places.n, places_room, room;
	struct nti_mm_entry *entries;
	struct nti_mm_ahead *ahead;
	struct nti_place *list;
	uint16_t *changed;
	int ret = grow(t, f->places.n);

	if (!ret)
		ret = nti_places_reserve(&t->places, f->places.n);
	if (ret < 0)
		return ret;
	copy_changed(t, f, n);
	if (t->hints && !t->is_copy && t->hints != f->hints) {
		nti_hints_fini(t->hints);
		free(t->hints);
	}
	/* All but the memory of its own; the whole is large, and others wait. */
	list = t->places.list;
	places_room = t->places.room;
	entries = t->entries;
	ahead = t->ahead;
	changed = t->changed;
	room = t->room;
	*t = *f;
	t->is_copy = true;
	t->places.list = list;
	t->places.room = places_room;
	t->entries = entries;
	t->ahead = ahead;
	t->changed = changed;
	t->room = room;
	return 0;
}

/* The place of a record's device; NULL without memory, and s->error tells. */
struct nti_place *nti_mm_place(struct nti_mm *s, uint16_t device)
{
	struct nti_place *p = nti_places_at(&s->places, s->devices, s->hints, device);

	if (!p || grow(s, s->places.n) < 0) {
		s->error = -ENOMEM;
		return NULL;
	}
	return p;
}

/* Regions that changed take the slow way. */
void nti_mm_forget(struct nti_mm *s, const struct nti_place *p, uint32_t regions)
{
	struct nti_mm_entry *e = nti_mm_entries(s, p);
	unsigned int i;

	for (i = 0; i < NTI_PLACE_REGIONS; i++)
		if (regions & 1u << i)
			e[i].limit = 0;
}
