// SPDX-License-Identifier: MIT
/* xz: any number of streams after each other, with their padding. */
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#include "trace/lib/read/unpack.h"

/*
 * xz -9 needs 65 MiB to be undone (xz(1)); a file that asks for much more was not made by its
 * presets.
 */
#define MOST_MEMORY_BYTES (256ull << 20)

struct xz {
	lzma_stream z;
	bool is_between; /* of two streams, or behind the last */
	struct nti_unpack_gap gap;
};

/* The .xz file format 1.1, 2.1.1.1 and 2.2: padding of streams is a multiple of four zeros. */
static const struct nti_unpack_gap fresh_gap = { .magic = "\xfd\x37zXZ\0", .bytes = 6, .pad = 4 };

static void *xz_make(void)
{
	static const lzma_stream fresh = LZMA_STREAM_INIT;
	struct xz *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->z = fresh;
	if (lzma_stream_decoder(&x->z, MOST_MEMORY_BYTES, 0) != LZMA_OK) {
		free(x);
		return NULL;
	}
	return x;
}

static int code_of(lzma_ret ret)
{
	if (ret == LZMA_MEM_ERROR)
		return -ENOMEM;
	if (ret == LZMA_MEMLIMIT_ERROR)
		return -E2BIG;
	return ret == LZMA_OK || ret == LZMA_STREAM_END || ret == LZMA_BUF_ERROR ? 0 : -EBADMSG;
}

/*
 * Another stream, whose first bytes are taken already. The library's own way to go on takes less
 * than a header for a stream that is cut off.
 */
static int begin_again(struct xz *x)
{
	unsigned char nothing[1];
	lzma_ret ret = lzma_stream_decoder(&x->z, MOST_MEMORY_BYTES, 0);

	if (ret != LZMA_OK)
		return code_of(ret);
	x->z.next_in = (const unsigned char *)x->gap.magic;
	x->z.avail_in = x->gap.bytes;
	x->z.next_out = nothing;
	x->z.avail_out = 0;
	x->is_between = false;
	return code_of(lzma_code(&x->z, LZMA_RUN));
}

static int xz_run(void *state, struct nti_unpack_step *step)
{
	struct xz *x = state;
	lzma_ret ret;
	int code;

	if (x->is_between) {
		code = nti_unpack_gap_run(&x->gap, step);
		if (code > 0)
			code = begin_again(x);
		if (code < 0 || x->is_between)
			return code;
	}
	x->z.next_in = step->in;
	x->z.avail_in = step->in_bytes;
	x->z.next_out = step->out;
	x->z.avail_out = step->out_bytes;
	ret = lzma_code(&x->z, LZMA_RUN);
	step->in = x->z.next_in;
	step->in_bytes = x->z.avail_in;
	step->out = x->z.next_out;
	step->out_bytes = x->z.avail_out;
	if (ret == LZMA_STREAM_END) {
		x->is_between = true;
		x->gap = fresh_gap;
	}
	return code_of(ret);
}

static bool xz_is_whole(const void *state)
{
	const struct xz *x = state;

	return x->is_between && nti_unpack_gap_is_end(&x->gap);
}

static void xz_free(void *state)
{
	struct xz *x = state;

	if (!x)
		return;
	lzma_end(&x->z);
	free(x);
}

const struct nti_unpack nti_unpack_xz = {
	.name = "xz",
	.library = &nti_lazy_lzma,
	.make = xz_make,
	.run = xz_run,
	.is_whole = xz_is_whole,
	.free = xz_free,
};
