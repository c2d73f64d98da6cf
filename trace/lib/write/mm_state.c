// SPDX-License-Identifier: MIT
/* What writing mmiotrace knows of all devices: its memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lib/write/mm.h"

void nti_mm_free(void *state)
{
	struct nti_mm *s = state;

	if (!s)
		return;
	nti_hints_fini(&s->hints);
	nti_places_fini(&s->places);
	free(s->entries);
	free(s->ahead);
	free(s);
}

/* Entries for @n places. */
static int grow(struct nti_mm *s, size_t n)
{
	size_t room = n + n / 2 + 8;
	struct nti_mm_entry *entries;
	struct nti_mm_ahead *ahead;

	if (n <= s->room)
		return 0;
	entries = realloc(s->entries, room * NTI_PLACE_REGIONS * sizeof(*entries));
	if (entries)
		s->entries = entries;
	ahead = realloc(s->ahead, room * sizeof(*ahead));
	if (ahead)
		s->ahead = ahead;
	if (!entries || !ahead)
		return -ENOMEM;
	memset(entries + s->room * NTI_PLACE_REGIONS, 0,
	       (room - s->room) * NTI_PLACE_REGIONS * sizeof(*entries));
	memset(ahead + s->room, 0, (room - s->room) * sizeof(*ahead));
	s->room = room;
	return 0;
}

/* The place of a record's device; NULL without memory, and s->error tells. */
struct nti_place *nti_mm_place(struct nti_mm *s, uint16_t device)
{
	struct nti_place *p = nti_places_at(&s->places, s->devices, &s->hints, device);

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
