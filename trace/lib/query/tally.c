// SPDX-License-Identifier: MIT
/* Sums by a number, few of them. */
#include <stdlib.h>

#include "trace/lib/query/tally.h"

void nti_tally_fini(struct nti_tally *t)
{
	free(t->sum);
	free(t->slots.slot);
	*t = (struct nti_tally){ 0 };
}

const struct nti_tally_sum *nti_tally_find(const struct nti_tally *t, uint64_t key)
{
	uint32_t i = nti_slots_find(&t->slots, t->sum, &key);

	return i == NTI_NO_SLOT ? NULL : &t->sum[i];
}

struct nti_tally_sum *nti_tally_at(struct nti_tally *t, uint64_t key)
{
	uint32_t i = nti_slots_find(&t->slots, t->sum, &key);

	if (i != NTI_NO_SLOT)
		return &t->sum[i];
	if (t->n >= t->most)
		return &t->rest;
	i = nti_slots_new(&t->slots, &t->sum, &t->n, &key);
	return i == NTI_NO_SLOT ? NULL : &t->sum[i];
}
