// SPDX-License-Identifier: MIT
/*
 * Pieces of the input:
 *
 *     block:  | carry of before | read() ...         \n | rest of a line |
 *             |<------------- piece ----------------->| |<--- carry ---->|
 *
 * A line that ends in ':' stays with the one behind it: QEMU wrote some events in two lines. What
 * is whole is given before there is a wait for more: somebody may be looking at it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lib/read/input.h"
#include "trace/lib/read/pieces.h"

/* Of a line that is too long, what is given of it. */
#define LONG_LINE_BYTES 4096

int nti_pieces_init(struct nti_pieces *p, struct nti_input *in)
{
	memset(p, 0, sizeof(*p));
	p->in = in;
	p->is_first = true;
	p->is_text = true;
	p->carry_room = NTI_BLOCK_BYTES;
	p->carry = malloc(p->carry_room);
	return p->carry ? 0 : -ENOMEM;
}

void nti_pieces_fini(struct nti_pieces *p)
{
	free(p->carry);
	memset(p, 0, sizeof(*p));
}

int nti_pieces_return(struct nti_pieces *p, const char *bytes, size_t n)
{
	char *carry;

	if (n > p->carry_room) {
		carry = realloc(p->carry, n);
		if (!carry)
			return -ENOMEM;
		p->carry = carry;
		p->carry_room = n;
	}
	memcpy(p->carry, bytes, n);
	p->carry_n = n;
	return 0;
}

/*
 * Where the piece ends: behind the last newline that is not behind a ':', else the last of a full
 * block. 0: there is none.
 */
static size_t cut_at(const char *block, size_t n)
{
	const char *last = n ? memrchr(block, '\n', n) : NULL, *before;
	size_t at, text;

	if (!last)
		return 0;
	at = (size_t)(last - block);
	text = at && last[-1] == '\r' ? at - 1 : at;
	if (!text || block[text - 1] != ':')
		return at + 1;
	before = memrchr(block, '\n', at);
	if (before)
		return (size_t)(before - block) + 1;
	return n == NTI_BLOCK_BYTES ? at + 1 : 0;
}

/*
 * Give @n bytes of the block, keep the rest, behind which what follows a look at the beginning
 * stays.
 */
static int give(struct nti_pieces *p, char *block, size_t have, size_t n, struct nti_cut *out)
{
	memmove(p->carry + (have - n), p->carry, p->carry_n);
	memcpy(p->carry, block + n, have - n);
	p->carry_n += have - n;
	memset(block + n, 0, NTI_BLOCK_PAD);
	out->piece.bytes = block;
	out->piece.n = n;
	out->piece.is_last = p->ended;
	out->position = nti_input_position(p->in) - p->carry_n;
	p->is_first = false;
	return 1;
}

/* The first bytes of a line that fills the block; the rest is passed over. */
static int give_long(struct nti_pieces *p, char *block, struct nti_cut *out)
{
	out->is_long = true;
	p->is_skipping = true;
	block[LONG_LINE_BYTES] = '\0';
	out->piece.bytes = block;
	out->piece.n = LONG_LINE_BYTES;
	out->position = nti_input_position(p->in);
	p->is_first = false;
	return 1;
}

/* In a line that is too long: forget what is in the block up to its end. Bytes that are left. */
static size_t skip_line(struct nti_pieces *p, char *block, size_t n)
{
	const char *newline = memchr(block, '\n', n);

	if (!newline)
		return 0;
	p->is_skipping = false;
	n -= (size_t)(newline + 1 - block);
	memmove(block, newline + 1, n);
	return n;
}

/* The end, or what is as good as it. Who reads a binary form is told even when nothing is left. */
static int finish(struct nti_pieces *p, char *block, size_t have, struct nti_cut *out)
{
	bool is_stopped = nti_input_is_stopped(p->in);

	p->ended = true;
	/*
	 * A line or a block that is being written when we are told to stop is not torn: it is not
	 * there yet.
	 */
	if (is_stopped) {
		const char *last = have && p->is_text ? memrchr(block, '\n', have) : NULL;

		have = last ? (size_t)(last + 1 - block) : 0;
	}
	if (!have && (p->is_text || is_stopped || p->error))
		return 0;
	return give(p, block, have, have, out);
}

/* From a block that is full without reading more. */
static int give_full(struct nti_pieces *p, char *block, size_t have, struct nti_cut *out)
{
	size_t cut = p->is_text ? cut_at(block, have) : have;

	return cut ? give(p, block, have, cut, out) : give_long(p, block, out);
}

/* What was given back may be more than a block when it was a look at the beginning. Bytes taken. */
static size_t take_carry(struct nti_pieces *p, char *block)
{
	size_t n = p->carry_n < NTI_BLOCK_BYTES ? p->carry_n : NTI_BLOCK_BYTES;

	memcpy(block, p->carry, n);
	memmove(p->carry, p->carry + n, p->carry_n - n);
	p->carry_n -= n;
	return n;
}

int nti_pieces_next(struct nti_pieces *p, struct nti_error *e, char *block, struct nti_cut *out)
{
	size_t have, cut;
	ssize_t got;

	memset(out, 0, sizeof(*out));
	if (p->error)
		return p->error;
	if (p->ended && !p->carry_n)
		return 0;
	have = take_carry(p, block);
	for (;;) {
		if (p->is_skipping)
			have = skip_line(p, block, have);
		if (!have && p->carry_n) {
			have = take_carry(p, block);
			continue;
		}
		if (have && (p->carry_n || have == NTI_BLOCK_BYTES))
			return give_full(p, block, have, out);
		/*
		 * What a look at the beginning took may be all that there is for a long time. Else
		 * there is less than a line.
		 */
		cut = p->is_text ? cut_at(block, have) : p->is_first ? have : 0;
		if (cut)
			return give(p, block, have, cut, out);
		got = nti_input_read(p->in, e, block + have, NTI_BLOCK_BYTES - have);
		if (got == -EINTR) {
			memcpy(p->carry, block, have);
			p->carry_n = have;
			return -EINTR;
		}
		if (got == -ESTALE) {
			out->is_restart = true;
			return give(p, block, have, have, out);
		}
		if (got < 0)
			p->error = (int)got;
		if (got <= 0)
			return finish(p, block, have, out) ? 1 : p->error;
		have += (size_t)got;
		if (p->is_skipping)
			continue;
		cut = p->is_text ? cut_at(block, have) : have;
		if (cut)
			return give(p, block, have, cut, out);
	}
}
