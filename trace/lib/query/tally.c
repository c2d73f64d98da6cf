// SPDX-License-Identifier: MIT
/* Sums by a number, few of them. */
#include <stdlib.h>

#include "base/common/grow.h"
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
	if (!nti_grow(&t->sum, t->n))
		return NULL;
	t->sum[t->n] = (struct nti_tally_sum){ .key = key };
	return nti_slots_add(&t->slots, t->sum, t->n, sizeof(key)) ? &t->sum[t->n++] : NULL;
}
