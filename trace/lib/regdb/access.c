// SPDX-License-Identifier: MIT
/* What an access reaches: one register, a part of one, or several that lie side by side. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/lib/base/digits.h"
#include "trace/lib/regdb/decoder.h"

/* Bytes of an access that are of one register, or of none. */
struct piece {
	struct nti_hit *hit; /* NULL: none */
	uint32_t at, width;
};

/* As wide as registers are where nothing is known. */
#define WORD 4u

/* The piece that begins behind @at bytes of the access at @offset. */
static struct piece piece_at(struct ntime_decoder *d, uint32_t device, uint8_t region,
			     uint64_t offset, uint32_t width, uint32_t at)
{
	struct piece p = { .hit = nti_decoder_hit(d, device, region, offset + at),
			   .at = at,
			   .width = width - at };
	uint32_t bytes = WORD - (uint32_t)((offset + at) % WORD);

	if (p.hit && !(p.hit->is_found && *p.hit->name))
		p.hit = NULL;
	if (p.hit && p.hit->bits / 8 > p.hit->skew)
		bytes = p.hit->bits / 8 - p.hit->skew;
	if (bytes < p.width)
		p.width = bytes;
	return p;
}

struct text {
	char *buf;
	size_t bytes, n;
};

static void put(struct text *t, const char *word, size_t n)
{
	size_t room = t->bytes - t->n - 1;

	n = n < room ? n : room;
	memcpy(t->buf + t->n, word, n);
	t->n += n;
	t->buf[t->n] = '\0';
}

/* "0x..." with @sign in front, which may be "". */
static void put_hex(struct text *t, const char *sign, uint64_t value)
{
	char number[24];

	put(t, sign, strlen(sign));
	memcpy(number, "0x", 2);
	put(t, number, (size_t)(nti_put_hex(number + 2, value) - number));
}

static void put_name(struct text *t, const struct piece *p, uint64_t offset)
{
	if (t->n)
		put(t, ", ", 2);
	if (!p->hit) {
		put_hex(t, "", offset + p->at);
		return;
	}
	put(t, p->hit->name, strlen(p->hit->name));
	if (p->hit->skew)
		put_hex(t, "+", p->hit->skew);
}

size_t ntime_decoder_name(struct ntime_decoder *d, uint32_t device, uint8_t region, uint64_t offset,
			  uint32_t width, char *buf, size_t bytes)
{
	struct text t = { .buf = buf, .bytes = bytes };
	bool is_known = false;
	uint32_t at = 0;

	*buf = '\0';
	do {
		struct piece p = piece_at(d, device, region, offset, width, at);

		if (!p.hit && p.width == width)
			return 0;
		put_name(&t, &p, offset);
		is_known = is_known || p.hit;
		at += p.width;
	} while (at < width);
	if (!is_known)
		*buf = '\0';
	return is_known ? t.n : 0;
}

size_t ntime_decoder_words(struct ntime_decoder *d, uint32_t device, uint8_t region,
			   uint64_t offset, uint32_t width, uint64_t value, char *buf, size_t bytes)
{
	struct text t = { .buf = buf, .bytes = bytes };
	bool has_words = false;
	uint32_t at = 0;

	*buf = '\0';
	do {
		struct piece p = piece_at(d, device, region, offset, width, at);
		uint64_t part = value >> 8 * at;

		if (p.width < 8)
			part &= (UINT64_C(1) << 8 * p.width) - 1;
		if (at)
			put(&t, ", ", 2);
		if (p.hit)
			t.n += nti_decoder_value(d, p.hit, p.width, part, buf + t.n, bytes - t.n);
		else
			t.n += (size_t)snprintf(buf + t.n, bytes - t.n, "0x%0*" PRIx64,
						(int)(2 * p.width), part);
		t.n = t.n < bytes ? t.n : bytes - 1;
		/* One number says what the value says. */
		has_words = has_words || (p.hit && (at || p.width < width)) ||
			    (p.hit && strncmp(buf, "0x", 2) != 0);
		at += p.width;
	} while (at < width && at < 8);
	if (!has_words)
		*buf = '\0';
	return has_words ? t.n : 0;
}
