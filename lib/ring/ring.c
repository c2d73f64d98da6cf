// SPDX-License-Identifier: MIT
/*
 * A ring of sampled periods: one writer, any number of readers, no locks.
 *
 *     period n lives in slot n % periods:
 *     +---------+---------+----------------------------------+
 *     | version | time_ns | values: words[values * WORDS]    |
 *     +---------+---------+----------------------------------+
 *     version 2n + 1: period n is being written; 2n + 2: period n is complete; 0: never written
 *
 * A sequence lock per slot whose version also names the period. All shared words are atomics
 * (lib/base/shared.h): a reader that loses the race reads a mixture, notices it by the version and
 * throws it away; under the C11 memory model that is no data race. H.-J. Boehm, "Can seqlocks get
 * along with programming language memory models?", MSPC 2012.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/ring.h>

#include "lib/base/shared.h"

#define MAX_PERIODS ((size_t)1 << 20)
#define MAX_VALUES 4096
#define VALUE_WORDS (sizeof(struct ntime_value) / sizeof(uint64_t))

_Static_assert(sizeof(struct ntime_value) % sizeof(uint64_t) == 0,
	       "values are copied word by word");

struct slot {
	struct nti_shared_counter version;
	struct nti_shared_word time_ns;
};

struct ntime_ring {
	size_t periods;
	size_t words;			/* of one period */
	struct nti_shared_counter next; /* sequence number of the next push */
	struct slot *slot;
	struct nti_shared_word *word; /* periods * words */
};

int ntime_ring_new(size_t periods, size_t values, struct ntime_ring **out)
{
	struct ntime_ring *r;

	*out = NULL;
	if (periods < 2 || periods > MAX_PERIODS || (periods & (periods - 1)))
		return -EINVAL;
	if (!values || values > MAX_VALUES)
		return -EINVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->periods = periods;
	r->words = values * VALUE_WORDS;
	r->slot = calloc(periods, sizeof(*r->slot));
	r->word = calloc(periods, r->words * sizeof(*r->word));
	if (!r->slot || !r->word) {
		ntime_ring_free(r);
		return -ENOMEM;
	}
	*out = r;
	return 0;
}

void ntime_ring_free(struct ntime_ring *r)
{
	if (!r)
		return;
	free(r->slot);
	free(r->word);
	free(r);
}

uint64_t ntime_ring_push(struct ntime_ring *r, uint64_t time_ns, const struct ntime_value *values)
{
	uint64_t sequence = nti_shared_counter_get(&r->next);
	size_t i = (size_t)(sequence & (r->periods - 1));
	struct nti_shared_word *word = r->word + i * r->words;
	struct slot *slot = &r->slot[i];
	const char *from = (const char *)values;
	uint64_t one;
	size_t w;

	nti_shared_counter_set(&slot->version, 2 * sequence + 1);
	/*
	 * The mark above must be seen before any word below: each is a release store, which nothing
	 * before it may pass.
	 */
	nti_shared_word_set(&slot->time_ns, time_ns);
	for (w = 0; w < r->words; w++) {
		memcpy(&one, from + w * sizeof(one), sizeof(one));
		nti_shared_word_set(&word[w], one);
	}
	nti_shared_counter_set(&slot->version, 2 * sequence + 2);
	nti_shared_counter_set(&r->next, sequence + 1);
	return sequence;
}

int ntime_ring_read(const struct ntime_ring *r, uint64_t sequence, uint64_t *time_ns,
		    struct ntime_value *values)
{
	size_t i = (size_t)(sequence & (r->periods - 1));
	const struct nti_shared_word *word = r->word + i * r->words;
	const struct slot *slot = &r->slot[i];
	uint64_t version, time, one;
	char *to = (char *)values;
	size_t w;

	version = nti_shared_counter_get(&slot->version);
	/* A sequence number that was never given out must not wrap around to one that was. */
	if (sequence >= UINT64_MAX / 2 || version < 2 * sequence + 2)
		return -EAGAIN;
	if (version > 2 * sequence + 2)
		return -ESTALE;
	/* Acquire loads: the second look at the version cannot come before any of them. */
	time = nti_shared_word_get(&slot->time_ns);
	for (w = 0; w < r->words; w++) {
		one = nti_shared_word_get(&word[w]);
		memcpy(to + w * sizeof(one), &one, sizeof(one));
	}
	if (nti_shared_counter_get(&slot->version) != version)
		return -ESTALE;
	if (time_ns)
		*time_ns = time;
	return 0;
}

uint64_t ntime_ring_next(const struct ntime_ring *r)
{
	return nti_shared_counter_get(&r->next);
}

uint64_t ntime_ring_oldest(const struct ntime_ring *r)
{
	uint64_t next = ntime_ring_next(r);

	/* The slot of next is being written, or will be at any moment. */
	return next < r->periods ? 0 : next - r->periods + 1;
}
