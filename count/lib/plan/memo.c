// SPDX-License-Identifier: MIT
/* States that search refuted. */
#include <string.h>

#include "count/lib/plan/memo.h"

/*
 * The finaliser of MurmurHash3 (Appleby, public domain): two multiplications that reach every bit.
 */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

void nti_plan_memo_init(struct nti_plan_memo *memo)
{
	memset(memo, 0, sizeof(*memo));
}

/* The same for passes with the same numbers of each kind of twins; for others most likely not. */
static uint64_t pass_hash(const struct nti_plan_problem *pb, uint64_t items)
{
	uint64_t hash = 0;

	for (; items; items &= items - 1)
		hash += mix(pb->items[nti_plan_low(items)].twins);
	return hash;
}

/* Numbers of the passes with items, by hash: unlike numberings of one state only cost a find. */
static unsigned int sort_passes(const struct nti_plan_problem *pb, const uint64_t *in_pass,
				unsigned int passes, uint8_t order[NTI_PLAN_MEMO_MAX_PASSES])
{
	uint64_t hash[NTI_PLAN_MEMO_MAX_PASSES];
	unsigned int count = 0, pass, i;

	for (pass = 0; pass < passes; pass++) {
		uint64_t h = pass_hash(pb, in_pass[pass]);

		if (!in_pass[pass])
			continue;
		for (i = count++; i > 0 && hash[i - 1] > h; i--) {
			hash[i] = hash[i - 1];
			order[i] = order[i - 1];
		}
		hash[i] = h;
		order[i] = (uint8_t)pass;
	}
	return count;
}

void nti_plan_memo_key(const struct nti_plan_problem *pb, const uint64_t *in_pass,
		       unsigned int passes, struct nti_plan_memo_key *key)
{
	uint8_t order[NTI_PLAN_MEMO_MAX_PASSES];
	unsigned int count = sort_passes(pb, in_pass, passes, order), i;
	uint64_t used = 0, items;

	memset(key, 0, sizeof(*key));
	for (i = 0; i < count; i++) {
		for (items = in_pass[order[i]]; items; items &= items - 1) {
			/*
			 * Of the twins, the first that no earlier pass has taken stands for this
			 * one.
			 */
			unsigned int item =
				nti_plan_low(pb->items[nti_plan_low(items)].twins & ~used);

			used |= nti_plan_bit(item);
			key->words[item / 16] |= (uint64_t)(i + 1) << (item % 16 * 4);
		}
	}
}

static unsigned int entry_of(const struct nti_plan_memo_key *key)
{
	uint64_t hash = 0;
	unsigned int i;

	for (i = 0; i < NTI_PLAN_MAX_EVENTS / 16; i++)
		hash = mix(hash + key->words[i]);
	return (unsigned int)(hash % NTI_PLAN_MEMO_ENTRIES);
}

bool nti_plan_memo_find(const struct nti_plan_memo *memo, const struct nti_plan_memo_key *key)
{
	return memcmp(&memo->keys[entry_of(key)], key, sizeof(*key)) == 0;
}

void nti_plan_memo_add(struct nti_plan_memo *memo, const struct nti_plan_memo_key *key,
		       uint32_t cost)
{
	unsigned int i = entry_of(key);

	if (memo->cost[i] > cost)
		return;
	memo->keys[i] = *key;
	memo->cost[i] = cost;
}
