// SPDX-License-Identifier: MIT
/* zstd: any number of frames, those that are to be skipped among them. */
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "trace/lib/read/unpack.h"

struct zstd {
	ZSTD_DStream *z;
	bool is_whole;
	size_t begun; /* bytes of the frame that has begun last */
};

static void *zstd_make(void)
{
	struct zstd *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	/* Its own limit of the window, 128 MiB, bounds the memory. */
	s->z = ZSTD_createDStream();
	s->is_whole = true;
	if (!s->z) {
		free(s);
		return NULL;
	}
	return s;
}

static int zstd_run(void *state, struct nti_unpack_step *step)
{
	struct zstd *s = state;
	ZSTD_inBuffer in = { step->in, step->in_bytes, 0 };
	ZSTD_outBuffer out = { step->out, step->out_bytes, 0 };
	size_t ret;

	/* Without input it would take the beginning of a frame for one that has begun. */
	if (s->is_whole && !step->in_bytes)
		return 0;
	ret = ZSTD_decompressStream(s->z, &out, &in);
	step->in += in.pos;
	step->in_bytes -= in.pos;
	step->out += out.pos;
	step->out_bytes -= out.pos;
	s->begun = in.pos + (s->is_whole ? 0 : s->begun);
	if (ZSTD_isError(ret)) {
		if (ZSTD_getErrorCode(ret) == ZSTD_error_prefix_unknown) {
			step->back = s->begun;
			return -EILSEQ;
		}
		if (ZSTD_getErrorCode(ret) == ZSTD_error_frameParameter_windowTooLarge)
			return -E2BIG;
		return ZSTD_getErrorCode(ret) == ZSTD_error_memory_allocation ? -ENOMEM : -EBADMSG;
	}
	s->is_whole = ret == 0;
	return 0;
}

static bool zstd_is_whole(const void *state)
{
	return ((const struct zstd *)state)->is_whole;
}

static void zstd_free(void *state)
{
	struct zstd *s = state;

	if (!s)
		return;
	(void)ZSTD_freeDStream(s->z);
	free(s);
}

const struct nti_unpack nti_unpack_zstd = {
	.name = "zstd",
	.library = &nti_lazy_zstd,
	.make = zstd_make,
	.run = zstd_run,
	.is_whole = zstd_is_whole,
	.free = zstd_free,
};
