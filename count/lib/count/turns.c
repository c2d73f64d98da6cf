// SPDX-License-Identifier: MIT
/* The order and the lengths of turns: turns.h says why so. */
#include "count/lib/count/turns.h"

/* xorshift64*: G. Marsaglia, "Xorshift RNGs", 2003; S. Vigna, 2016. */
static uint64_t draw(struct nti_turns *t)
{
	t->state ^= t->state >> 12;
	t->state ^= t->state << 25;
	t->state ^= t->state >> 27;
	return t->state * 0x2545f4914f6cdd1dull;
}

/* R. A. Fisher's and F. Yates's shuffle. */
static void shuffle(struct nti_turns *t)
{
	unsigned int i;

	for (i = t->passes; i > 1; i--) {
		unsigned int k = (unsigned int)((draw(t) >> 32) * i >> 32), other = t->order[k];

		t->order[k] = t->order[i - 1];
		t->order[i - 1] = other;
	}
	t->at = 0;
}

void nti_turns_init(struct nti_turns *t, unsigned int *order, unsigned int passes, uint64_t seed)
{
	unsigned int i;

	*t = (struct nti_turns){ .order = order, .passes = passes, .at = passes };
	/* Near seeds would begin alike. */
	t->state = (seed ^ 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
	t->state = t->state ? t->state : 1;
	for (i = 0; i < passes; i++)
		order[i] = i;
}

unsigned int nti_turns_next(struct nti_turns *t, uint64_t elapsed_ns, uint64_t *length_ns)
{
	uint64_t length = elapsed_ns / NTI_TURNS_SHARE(t->passes);

	if (length < NTI_TURNS_LEAST_NS)
		length = NTI_TURNS_LEAST_NS;
	if (length > NTI_TURNS_MOST_NS)
		length = NTI_TURNS_MOST_NS;
	/* Half of it to one and a half. */
	*length_ns = length / 2 + (draw(t) >> 32) * length / UINT32_MAX;
	if (t->at == t->passes)
		shuffle(t);
	return t->order[t->at++];
}
