// SPDX-License-Identifier: MIT
/*
 * Keys of a row, one for each kind of chip that it may be: which signal is the constant of a
 * domain, where multiplexers are and which arguments have alternates differs between chips, so what
 * is one set-up on all of them is another function on each.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/lib/derive/state.h"

/* Those of @chips that count as @chip does in domain @set. */
static uint64_t alike(uint64_t chips, unsigned int chip, unsigned int set)
{
	const struct nthw_nv_chip *own = nti_derive_chip_at(chip);
	uint64_t out = 0;

	for (unsigned int i = 0; i < nti_derive_chips(); i++) {
		const struct nthw_nv_chip *other = nti_derive_chip_at(i);

		if (chips >> i & 1 && other->family == own->family &&
		    other->has_alternates == own->has_alternates &&
		    nti_derive_zero(UINT64_C(1) << i, set) ==
			    nti_derive_zero(UINT64_C(1) << chip, set))
			out |= UINT64_C(1) << i;
	}
	return out;
}

static const char *text_of(const struct nti_derive_text *t)
{
	return t->p ? t->p : "";
}

/* The key of the set-up on @chips, unless it is the one that the row has anyway. */
static bool add_key(struct nti_derive_row *r, const struct nti_derive_device *dev,
		    struct nti_derive_domain *dom, unsigned int slot, uint64_t chips)
{
	struct nti_derive_device as = *dev;
	struct nti_derive_key *bigger;
	struct nti_derive_row own;

	nti_derive_set_chips(&as, chips);
	nti_derive_row_make_key(&own, &as, dom, slot);
	r->looked += own.looked;
	r->key.failed |= nti_derive_row_is_short(&own);
	if (strcmp(text_of(&own.key), text_of(&r->key)) != 0) {
		bigger = realloc(r->own, (r->owns + 1) * sizeof(*bigger));
		if (bigger) {
			r->own = bigger;
			r->own[r->owns++] = (struct nti_derive_key){ chips, own.key };
			own.key = (struct nti_derive_text){ 0 };
		} else {
			r->key.failed = true;
		}
	}
	nti_derive_row_fini(&own);
	return !r->key.failed;
}

bool nti_derive_keys_make(struct nti_derive_row *r, const struct nti_derive_device *dev,
			  struct nti_derive_domain *dom, unsigned int slot)
{
	uint64_t left = dev->chips;

	/* Only events have names. */
	if (dom->unit != NTI_UNIT_PCOUNTER || r->d.role != NTIME_DERIVED_EVENT)
		return true;
	while (left) {
		uint64_t chips = alike(left, (unsigned int)__builtin_ctzll(left), dom->set);

		if (chips == dev->chips)
			return true;
		if (!add_key(r, dev, dom, slot, chips))
			return false;
		left &= ~chips;
	}
	return true;
}

const char *nti_derive_key_on(const struct nti_derive_row *r, unsigned int chip)
{
	for (unsigned int i = 0; i < r->owns; i++)
		if (r->own[i].chips >> chip & 1)
			return text_of(&r->own[i].text);
	return text_of(&r->key);
}

bool nti_derive_keys_are_same(const struct nti_derive_row *a, const struct nti_derive_row *b)
{
	if (a->owns != b->owns)
		return false;
	for (unsigned int i = 0; i < a->owns; i++)
		if (a->own[i].chips != b->own[i].chips ||
		    strcmp(text_of(&a->own[i].text), text_of(&b->own[i].text)) != 0)
			return false;
	return true;
}

void nti_derive_keys_fini(struct nti_derive_row *r)
{
	for (unsigned int i = 0; i < r->owns; i++)
		nti_derive_text_fini(&r->own[i].text);
	free(r->own);
	r->own = NULL;
	r->owns = 0;
}
