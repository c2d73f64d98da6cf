// SPDX-License-Identifier: MIT
/*
 * The input as a compressed trace: the framing of gzip, xz and zstd around their libraries. It is
 * undone in one piece and in pieces of a few bytes, which must come to the same: the same bytes, as
 * far as there is room, accepted or refused.
 */
#include <errno.h>

#include "base/tests/fuzz/fuzz.h"
#include "trace/lib/read/unpack.h"

#define ROOM 4096

struct result {
	unsigned char out[ROOM];
	size_t n;
	int code;
	bool is_whole;
};

/* At most @piece bytes of the input at a time. */
static void undo(const struct nti_unpack *way, const uint8_t *data, size_t bytes, size_t piece,
		 struct result *r)
{
	void *state = way->make();
	size_t at = 0;

	fuzz_expect(state != NULL);
	r->n = 0;
	r->code = 0;
	do {
		size_t n = bytes - at < piece ? bytes - at : piece, room = ROOM - r->n;
		struct nti_unpack_step step = { .in = data + at,
						.in_bytes = n,
						.out = r->out + r->n,
						.out_bytes = room,
						.is_last = at + n == bytes };

		r->code = way->run(state, &step);
		fuzz_expect(step.in_bytes <= n && step.out_bytes <= room && step.back <= bytes);
		fuzz_expect(r->code == 0 || r->code == -EBADMSG || r->code == -EILSEQ ||
			    r->code == -E2BIG || r->code == -ENOMEM);
		/* Nothing goes on: it waits for what does not come. */
		if (step.in_bytes == n && step.out_bytes == room && at + n == bytes)
			break;
		at += n - step.in_bytes;
		r->n += room - step.out_bytes;
	} while (!r->code && r->n < ROOM);
	r->is_whole = way->is_whole(state);
	way->free(state);
}

static bool is_accepted(const struct result *r)
{
	return r->code == 0 && r->is_whole;
}

/*
 * What was refused may be so at another byte and with another code, and where the room ends the
 * state is another one.
 */
static void compare(const struct result *a, const struct result *b)
{
	if (a->n == ROOM || b->n == ROOM)
		return;
	fuzz_expect(is_accepted(a) == is_accepted(b));
	fuzz_expect(!is_accepted(a) || a->n == b->n);
	fuzz_expect(memcmp(a->out, b->out, a->n < b->n ? a->n : b->n) == 0);
}

/*
 * libzstd 1.5.4 knows frames of versions before 0.8 (0xfd2fb522 to 0xfd2fb527) where it gets more
 * than four bytes of one at once, and else refuses them.
 */
static bool has_old_zstd(const uint8_t *data, size_t bytes)
{
	for (size_t i = 0; i + 4 <= bytes; i++)
		if (data[i] >= 0x22 && data[i] <= 0x27 &&
		    memcmp(data + i + 1, "\xb5\x2f\xfd", 3) == 0)
			return true;
	return false;
}

/*
 * It compares the length that a frame's header promises where it gets the frame at once, and else
 * takes what comes.
 */
static bool may_have_wrong_length(const struct nti_unpack *way, const struct result *whole,
				  const struct result *pieces)
{
	return way == &nti_unpack_zstd && whole->code == -EBADMSG && is_accepted(pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct result whole, pieces;
	const struct nti_unpack *way = nti_unpack_find(data, bytes);
	uint8_t *copy;

	if (!way || !way->library)
		return 0;
	copy = (uint8_t *)fuzz_text(data, bytes);
	undo(way, copy, bytes, bytes, &whole);
	undo(way, copy, bytes, 1 + data[bytes - 1] % 7, &pieces);
	if (!has_old_zstd(data, bytes) && !may_have_wrong_length(way, &whole, &pieces))
		compare(&whole, &pieces);
	free(copy);
	return 0;
}
