// SPDX-License-Identifier: MIT
/* Sets of values, one for each register, in memory that they share. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/page.h"
#include "trace/lib/query/stat_values.h"

#define FIRST_ORDER 4u

void nti_values_init(struct nti_values *v, uint32_t most, uint64_t limit_bytes)
{
	uint64_t limit = limit_bytes / sizeof(*v->slot);

	/* Places are 32 bits wide. */
	if (limit > UINT32_MAX)
		limit = UINT32_MAX;
	*v = (struct nti_values){ .most = most, .limit = (size_t)limit, .used = 1 };
}

void nti_values_fini(struct nti_values *v)
{
	free(v->slot);
	*v = (struct nti_values){ 0 };
}

/* Make room for @n slots behind those in use. */
static bool grow(struct nti_values *v, size_t n)
{
	size_t room = v->room ? v->room : 512;
	uint64_t *slot;

	if (n > v->limit || v->used > v->limit - n)
		return false;
	while (room < v->used + n)
		room *= 2;
	if (room > v->limit)
		room = v->limit;
	if (room == v->room)
		return true;
	slot = nti_page_large_alloc(room * sizeof(*slot));
	if (!slot)
		return false;
	if (v->slot)
		memcpy(slot, v->slot, v->used * sizeof(*slot));
	free(v->slot);
	v->slot = slot;
	v->room = room;
	return true;
}

/* Empty table of 1 << @order slots; 0 without memory. */
static uint32_t take(struct nti_values *v, unsigned int order)
{
	size_t n = (size_t)1 << order;
	uint32_t place = v->free[order];

	if (place) {
		v->free[order] = (uint32_t)v->slot[place];
	} else {
		if (!grow(v, n))
			return 0;
		place = (uint32_t)v->used;
		v->used += n;
	}
	memset(v->slot + place, 0, n * sizeof(*v->slot));
	return place;
}

/* Slot of @value in a table, or the empty one where it belongs. */
static uint64_t *look(uint64_t *table, unsigned int order, uint64_t value)
{
	size_t mask = ((size_t)1 << order) - 1;
	size_t i = nti_values_at(order, value);

	while (table[i] && table[i] != value)
		i = (i + 1) & mask;
	return table + i;
}

static void give_back(struct nti_values *v, struct nti_value_set *set)
{
	unsigned int order = set->word & NTI_VALUES_ORDER;

	if (!set->place)
		return;
	v->slot[set->place] = v->free[order];
	v->free[order] = set->place;
	set->place = 0;
	set->word &= ~NTI_VALUES_ORDER;
}

/* Move to a table twice as large, or the first one. */
static bool widen(struct nti_values *v, struct nti_value_set *set, const uint64_t *few)
{
	unsigned int old = set->word & NTI_VALUES_ORDER, order = set->place ? old + 1 : FIRST_ORDER;
	size_t n = set->place ? (size_t)1 << old : NTI_VALUES_FEW;
	const uint64_t *from;
	uint32_t place;

	if (order >= NTI_VALUES_SIZES)
		return false;
	place = take(v, order);
	if (!place)
		return false;
	from = set->place ? v->slot + set->place : few;
	for (size_t i = 0; i < n; i++) {
		if (from[i])
			*look(v->slot + place, order, from[i]) = from[i];
		else if (!set->place)
			set->word |= NTI_VALUES_ZERO;
	}
	give_back(v, set);
	set->place = place;
	set->word |= order;
	return true;
}

static bool has(const struct nti_values *v, const struct nti_value_set *set, uint64_t value)
{
	if (!set->place)
		return false;
	if (!value)
		return set->word & NTI_VALUES_ZERO;
	return *look(v->slot + set->place, set->word & NTI_VALUES_ORDER, value);
}

/* A value that is new, into the table. False: there is no memory. */
static bool add_to_table(struct nti_values *v, struct nti_value_set *set, const uint64_t *few,
			 uint64_t value)
{
	uint32_t held = nti_values_count(set) - !!(set->word & NTI_VALUES_ZERO);

	/* At most three quarters of a table are in use. */
	if ((!set->place || held >= 3u << (set->word & NTI_VALUES_ORDER) >> 2) &&
	    !widen(v, set, few))
		return false;
	if (value)
		*look(v->slot + set->place, set->word & NTI_VALUES_ORDER, value) = value;
	else
		set->word |= NTI_VALUES_ZERO;
	return true;
}

void nti_values_add(struct nti_values *v, struct nti_value_set *set, uint64_t *few, uint64_t value)
{
	uint32_t n = nti_values_count(set);

	if (!n) {
		/* Places without a value have the first one again. */
		for (unsigned int i = 0; i < NTI_VALUES_FEW; i++)
			few[i] = value;
		set->word += NTI_VALUES_ONE;
		return;
	}
	if (has(v, set, value))
		return;
	if (n == v->most || (n >= NTI_VALUES_FEW && !add_to_table(v, set, few, value))) {
		give_back(v, set);
		set->word |= NTI_VALUES_FULL;
		return;
	}
	if (n < NTI_VALUES_FEW)
		few[n] = value;
	set->word += NTI_VALUES_ONE;
}
