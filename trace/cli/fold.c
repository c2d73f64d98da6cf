// SPDX-License-Identifier: MIT
/* Polling loops and repeats of a trace, folded into one line each. */
#include <stdbool.h>
#include <string.h>

#include "trace/cli/fold.h"

/* Accesses with the same key may stand for each other: reads may give another value. */
static uint64_t key_of(const struct ntime_record *r)
{
	uint64_t key = (uint64_t)r->device << 24 | (uint64_t)r->region << 16 |
		       (uint64_t)r->width << 8 | r->kind;

	key = (key ^ r->offset * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
	if (r->kind == NTIME_RECORD_WRITE)
		key = (key ^ key >> 29 ^ r->value) * 0x9e3779b97f4a7c15u + r->mask;
	return key ^ key >> 32;
}

static struct ntime_record *at(struct cli_fold *f, uint64_t n)
{
	return &f->ring[n % CLI_FOLD_RING];
}

static void push(struct cli_fold *f, const struct ntime_record *r, uint64_t key)
{
	*at(f, f->n) = *r;
	f->key[f->n % CLI_FOLD_RING] = key;
	f->n++;
}

static void make_again(struct cli_fold *f, uint64_t count, uint64_t last, struct ntime_record *out)
{
	*out = *at(f, last);
	out->kind = CLI_RECORD_AGAIN;
	out->source = f->round;
	out->thread = (uint32_t)count;
	out->mask = (uint32_t)(count >> 32);
	out->time_ns = out->time_ns > f->start_ns ? out->time_ns - f->start_ns : 0;
	out->reserved = f->changes > 0;
}

/*
 * Show what was folded: a note, the last round if it read something else, and what of another round
 * had begun.
 */
static size_t flush(struct cli_fold *f, struct ntime_record *out)
{
	uint64_t begun = f->round ? f->folded % f->round : 0, whole = f->folded - begun,
		 shown = begun;
	size_t n = 0;

	if (!f->folded) {
		f->round = 0;
		return 0;
	}
	if (whole && (f->changes || whole == 1) && (f->round > 1 || whole == 1))
		shown += f->round;
	if (f->folded > shown)
		make_again(f, f->folded - shown, f->n - shown - 1, &out[n++]);
	for (uint64_t i = f->n - shown; i < f->n; i++)
		out[n++] = *at(f, i);
	f->round = 0;
	f->folded = 0;
	f->changes = 0;
	memset(f->run, 0, sizeof(f->run));
	return n;
}

/* Does the access go on with what repeats? */
static bool goes_on(struct cli_fold *f, const struct ntime_record *r, uint64_t key)
{
	uint64_t before = f->n - f->round;

	if (!f->round || f->key[before % CLI_FOLD_RING] != key)
		return false;
	f->changes += r->value != at(f, before)->value;
	f->folded++;
	push(f, r, key);
	return true;
}

/* Two equal rounds were shown: from now on only count. */
static void look_for_rounds(struct cli_fold *f, uint64_t key)
{
	for (unsigned int round = 1; round <= CLI_FOLD_ROUND; round++) {
		bool is_same = f->n >= round && f->key[(f->n - round) % CLI_FOLD_RING] == key;

		f->run[round] = is_same ? f->run[round] + 1 : 0;
		if (!f->round && f->run[round] >= round)
			f->round = round;
	}
}

size_t cli_fold_put(struct cli_fold *f, const struct ntime_record *r, struct ntime_record *out)
{
	bool is_access = r->kind <= NTIME_RECORD_WRITE;
	uint64_t key = is_access ? key_of(r) : 0;
	size_t n;

	if (is_access && goes_on(f, r, key))
		return 0;
	n = flush(f, out);
	out[n++] = *r;
	if (!is_access) {
		f->n = 0;
		return n;
	}
	look_for_rounds(f, key);
	push(f, r, key);
	f->start_ns = r->time_ns;
	return n;
}

size_t cli_fold_end(struct cli_fold *f, struct ntime_record *out)
{
	size_t n = flush(f, out);

	f->n = 0;
	return n;
}
