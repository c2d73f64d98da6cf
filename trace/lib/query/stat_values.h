/* SPDX-License-Identifier: MIT */
/*
 * Sets of values, one for each register, in memory that they share.
 *
 * A set has its first eight values beside it. Behind that it is a hash table of a power of two
 * slots, at most three quarters full, where 0 is an empty slot; whether 0 is a value stands in its
 * word. It moves to a larger one when it is full, and the old slots go to the next set of that
 * size. A set that may not grow any more gives its table back: that there are more values is all
 * that will be said.
 */
#ifndef NTI_TRACE_STAT_VALUES_H
#define NTI_TRACE_STAT_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NTI_VALUES_SIZES 18
#define NTI_VALUES_FEW 8

/* Of struct nti_value_set.word. */
#define NTI_VALUES_ORDER 0x1fu /* binary logarithm of its slots */
#define NTI_VALUES_ZERO 0x20u  /* 0 is one of the values; where there is a table */
/* one more value was seen than there was room for: the number is final, and not all */
#define NTI_VALUES_FULL 0x40u
#define NTI_VALUES_ONE 0x100u /* from here on: how many */

/**
 * struct nti_values - the memory
 * @slot:	all slots; the first one is nobody's, so that 0 is no place
 * @used, @room, @limit: slots
 * @most:	values that a set may have
 * @free:	by binary logarithm of the size: first free table, whose first slot is the place of
 *		the next
 */
struct nti_values {
	uint64_t *slot;
	size_t used, room, limit;
	uint32_t most;
	uint32_t free[NTI_VALUES_SIZES];
};

/**
 * struct nti_value_set - one set, all zero at the start
 * @place:	of its first slot, 0: none
 * @word:	NTI_VALUES_*
 */
struct nti_value_set {
	uint32_t place;
	uint32_t word;
};

void nti_values_init(struct nti_values *v, uint32_t most, uint64_t limit_bytes);
void nti_values_fini(struct nti_values *v);

static inline uint32_t nti_values_count(const struct nti_value_set *set)
{
	return set->word / NTI_VALUES_ONE;
}

static inline bool nti_values_is_full(const struct nti_value_set *set)
{
	return set->word & NTI_VALUES_FULL;
}

/* Where a value is in a table of 1 << @order slots, or the next ones behind it. */
static inline size_t nti_values_at(unsigned int order, uint64_t value)
{
	return (size_t)(value * 0x9e3779b97f4a7c15u >> (64 - order));
}

/* Soon it will be asked for @value. */
static inline void nti_values_prefetch(const struct nti_values *v, const struct nti_value_set *set,
				       const uint64_t *few, uint64_t value)
{
	const uint64_t *at =
		set->place
			? &v->slot[set->place + nti_values_at(set->word & NTI_VALUES_ORDER, value)]
			: few;

	if (!nti_values_is_full(set))
		__builtin_prefetch(at);
}

/* @value is one of @few, all of which are asked: which one it would be cannot be foreseen. */
static inline bool nti_values_has_few(const uint64_t *few, uint64_t value)
{
	uint64_t none = UINT64_MAX;

	/* The sign is that of x | -x: 0 where x is 0. */
	for (unsigned int i = 0; i < NTI_VALUES_FEW; i++)
		none &= (few[i] ^ value) | -(few[i] ^ value);
	return !(none >> 63);
}

/* It is one of the few, or where it must be in the table: nothing is to be looked up. */
static inline bool nti_values_has(const struct nti_values *v, const struct nti_value_set *set,
				  const uint64_t *few, uint64_t value)
{
	if (set->place)
		return value &&
		       v->slot[set->place + nti_values_at(set->word & NTI_VALUES_ORDER, value)] ==
			       value;
	return set->word >= NTI_VALUES_ONE && nti_values_has_few(few, value);
}

/*
 * One value more, which nti_values_has() does not know, or not; memory that is short makes the set
 * full.
 */
void nti_values_add(struct nti_values *v, struct nti_value_set *set, uint64_t *few, uint64_t value);

/* The same for any value; @few are the set's own. */
static inline void nti_values_see(struct nti_values *v, struct nti_value_set *set, uint64_t *few,
				  uint64_t value)
{
	if (!nti_values_is_full(set) && !nti_values_has(v, set, few, value))
		nti_values_add(v, set, few, value);
}

#endif
