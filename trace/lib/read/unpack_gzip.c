// SPDX-License-Identifier: MIT
/* gzip: any number of members after each other, and the zeros that tapes leave behind the last. */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "trace/lib/read/unpack.h"

struct gzip {
	z_stream z;
	bool is_between; /* of two members, or behind the last */
	struct nti_unpack_gap gap;
};

static const struct nti_unpack_gap fresh_gap = { .magic = "\x1f\x8b\x08", .bytes = 3, .pad = 1 };

static void *gzip_make(void)
{
	struct gzip *g = calloc(1, sizeof(*g));

	/* 15: the largest window; 16: with a header of gzip. */
	if (g && inflateInit2(&g->z, 15 + 16) != Z_OK) {
		free(g);
		return NULL;
	}
	return g;
}

static unsigned int at_most(size_t n)
{
	return n > UINT_MAX ? UINT_MAX : (unsigned int)n;
}

/* Another member, whose first bytes are taken already. */
static int begin_again(struct gzip *g)
{
	unsigned char nothing[1];
	int ret;

	if (inflateReset(&g->z) != Z_OK)
		return -ENOMEM;
	/* zlib's pointer lacks the const of what it only reads. */
	g->z.next_in = (Bytef *)(uintptr_t)g->gap.magic;
	g->z.avail_in = (unsigned int)g->gap.bytes;
	g->z.next_out = nothing;
	g->z.avail_out = 0;
	ret = inflate(&g->z, Z_NO_FLUSH);
	g->is_between = false;
	if (ret == Z_MEM_ERROR)
		return -ENOMEM;
	return (ret == Z_OK || ret == Z_BUF_ERROR) && !g->z.avail_in ? 0 : -EBADMSG;
}

static int gzip_run(void *state, struct nti_unpack_step *step)
{
	struct gzip *g = state;
	unsigned int in, out = at_most(step->out_bytes);
	int ret;

	if (g->is_between) {
		ret = nti_unpack_gap_run(&g->gap, step);
		if (ret > 0)
			ret = begin_again(g);
		if (ret < 0 || g->is_between)
			return ret;
	}
	in = at_most(step->in_bytes);
	g->z.next_in = (Bytef *)(uintptr_t)step->in;
	g->z.avail_in = in;
	g->z.next_out = step->out;
	g->z.avail_out = out;
	ret = inflate(&g->z, Z_NO_FLUSH);
	step->in += in - g->z.avail_in;
	step->in_bytes -= in - g->z.avail_in;
	step->out += out - g->z.avail_out;
	step->out_bytes -= out - g->z.avail_out;
	if (ret == Z_STREAM_END) {
		g->is_between = true;
		g->gap = fresh_gap;
	}
	if (ret == Z_MEM_ERROR)
		return -ENOMEM;
	return ret == Z_OK || ret == Z_STREAM_END || ret == Z_BUF_ERROR ? 0 : -EBADMSG;
}

static bool gzip_is_whole(const void *state)
{
	const struct gzip *g = state;

	return g->is_between && nti_unpack_gap_is_end(&g->gap);
}

static void gzip_free(void *state)
{
	struct gzip *g = state;

	if (!g)
		return;
	(void)inflateEnd(&g->z);
	free(g);
}

const struct nti_unpack nti_unpack_gzip = {
	.name = "gzip",
	.library = &nti_lazy_zlib,
	.make = gzip_make,
	.run = gzip_run,
	.is_whole = gzip_is_whole,
	.free = gzip_free,
};
