// SPDX-License-Identifier: MIT
/*
 * Rows of derived set-ups: what was counted before in the same way joins it, the rest is a row of
 * its own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/common/hash.h"
#include "trace/lib/derive/state.h"

static uint32_t hash_text(uint32_t h, const struct nti_derive_text *text)
{
	return nti_hash_text(nti_hash_text(h, text->p, text->n), "\xff", 1);
}

/*
 * Of the texts that are_same() compares: clocks and unused slots have one key, whatever is written
 * in their registers.
 */
static uint32_t hash(const struct nti_derive_row *r)
{
	uint32_t h = NTI_HASH_TEXT ^ r->d.device;

	h = hash_text(h, &r->key);
	h = hash_text(h, &r->counter);
	h = hash_text(h, &r->event_src);
	h = hash_text(h, &r->event_op);
	h = hash_text(h, &r->start_src);
	return h ^ h >> 16;
}

static bool is_same(const struct nti_derive_text *a, const struct nti_derive_text *b)
{
	return strcmp(a->p ? a->p : "", b->p ? b->p : "") == 0;
}

static bool are_same(const struct nti_derive_row *a, const struct nti_derive_row *b)
{
	return a->d.device == b->d.device && a->chips == b->chips && is_same(&a->key, &b->key) &&
	       is_same(&a->counter, &b->counter) && is_same(&a->event_src, &b->event_src) &&
	       is_same(&a->event_op, &b->event_op) && is_same(&a->start_src, &b->start_src) &&
	       nti_derive_keys_are_same(a, b);
}

static bool is_in_list(const struct nti_derive_text *list, const struct nti_derive_text *one)
{
	const char *at = list->p;
	size_t n = one->n;

	while (n && at && (at = strstr(at, one->p))) {
		if ((at == list->p || at[-1] == ',') && (at[n] == '\0' || at[n] == ','))
			return true;
		at += n;
	}
	return n == 0;
}

static void put_window(struct nti_derive_row *r, uint32_t window)
{
	/* Of thousands the first ones tell enough. */
	if (r->d.windows <= 16)
		nti_derive_put(&r->windows, "%s%u", r->windows.n ? "," : "", window);
	else if (r->d.windows == 17)
		nti_derive_put(&r->windows, ",...");
}

/* The same again: values join, the instance is added. */
static void join(struct nti_derive_row *to, const struct nti_derive_row *r, uint32_t window)
{
	nti_derive_tally_join(&to->tally, &r->tally);
	to->d.flags |= r->d.flags;
	if (!is_in_list(&to->instance, &r->instance))
		nti_derive_put(&to->instance, "%s%s", to->instance.n ? "," : "", r->instance.p);
	if (to->d.last_window != window) {
		to->d.windows++;
		to->d.last_window = window;
		put_window(to, window);
	}
}

static uint32_t *chain_of(const struct ntime_derive *d, const struct nti_derive_row *r)
{
	return &d->row_chain[hash(r) & (d->row_room - 1)];
}

/* Room for one more, with as many chains. */
static bool grow(struct ntime_derive *d)
{
	size_t room = d->row_room ? 2 * d->row_room : 16;
	struct nti_derive_row *bigger = realloc(d->row, room * sizeof(*bigger));
	uint32_t *chain = calloc(room, sizeof(*chain));

	if (bigger)
		d->row = bigger;
	if (!bigger || !chain) {
		free(chain);
		return false;
	}
	free(d->row_chain);
	d->row_chain = chain;
	d->row_room = room;
	for (size_t i = 0; i < d->rows; i++) {
		chain = chain_of(d, &d->row[i]);
		d->row[i].next = *chain;
		*chain = (uint32_t)i + 1;
	}
	return true;
}

static struct nti_derive_row *find(const struct ntime_derive *d, const struct nti_derive_row *r)
{
	for (uint32_t i = d->rows ? *chain_of(d, r) : 0; i; i = d->row[i - 1].next)
		if (are_same(&d->row[i - 1], r))
			return &d->row[i - 1];
	return NULL;
}

void nti_derive_row_join(struct ntime_derive *d, struct nti_derive_row *r, uint32_t window)
{
	struct nti_derive_row *to = find(d, r);
	uint32_t *chain;

	d->failed |= nti_derive_row_is_short(r);
	if (to) {
		join(to, r, window);
		d->failed |= nti_derive_row_is_short(to);
		nti_derive_row_fini(r);
		return;
	}
	if (d->rows == NTI_DERIVE_ROWS_MAX || d->text_bytes >= NTI_DERIVE_TEXT_MAX) {
		d->counts.left_out++;
		nti_derive_row_fini(r);
		return;
	}
	if (d->rows == d->row_room && !grow(d)) {
		d->failed = true;
		nti_derive_row_fini(r);
		return;
	}
	r->d.windows = 1;
	r->d.first_window = r->d.last_window = window;
	put_window(r, window);
	d->failed |= nti_derive_row_is_short(r);
	nti_derive_row_shrink(r);
	d->text_bytes += nti_derive_row_bytes(r);
	chain = chain_of(d, r);
	r->next = *chain;
	d->row[d->rows++] = *r;
	*chain = (uint32_t)d->rows;
}
