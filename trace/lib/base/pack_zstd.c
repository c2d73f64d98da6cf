// SPDX-License-Identifier: MIT
/* Payloads of blocks compressed by libzstd. */
#include <errno.h>
#include <stdlib.h>

#include <zstd.h>

#include "base/lazy/lazy.h"
#include "trace/lib/base/blocks.h"

/* The fastest of the usual levels: columns of differences gain little from higher ones. */
#define LEVEL 1

struct nti_pack {
	ZSTD_CCtx *to;
	ZSTD_DCtx *from;
};

static struct nti_pack *get(struct nti_pack **state)
{
	if (!*state)
		*state = calloc(1, sizeof(**state));
	return *state;
}

size_t nti_pack(struct nti_pack **state, void *out, size_t room, const void *in, size_t n)
{
	struct nti_pack *p = get(state);
	size_t got;

	if (p && !p->to)
		p->to = ZSTD_createCCtx();
	if (!p || !p->to)
		return 0;
	got = ZSTD_compressCCtx(p->to, out, room, in, n, LEVEL);
	return ZSTD_isError(got) || got >= n ? 0 : got;
}

int nti_pack_undo(struct nti_pack **state, void *out, size_t bytes, const void *in, size_t n)
{
	struct nti_pack *p;
	size_t got;

	if (nti_lazy_load(&nti_lazy_zstd, NULL) < 0)
		return -EOPNOTSUPP;
	p = get(state);
	if (p && !p->from)
		p->from = ZSTD_createDCtx();
	if (!p || !p->from)
		return -ENOMEM;
	got = ZSTD_decompressDCtx(p->from, out, bytes, in, n);
	return ZSTD_isError(got) || got != bytes ? -EBADMSG : 0;
}

void nti_pack_free(struct nti_pack *state)
{
	if (!state)
		return;
	ZSTD_freeCCtx(state->to);
	ZSTD_freeDCtx(state->from);
	free(state);
}
