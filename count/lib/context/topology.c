// SPDX-License-Identifier: MIT
/* The topology of a context, loaded once. */
#include <errno.h>

#include "count/lib/context/context.h"
#include "count/lib/machine/topology.h"

int nti_context_topology(struct ntime_ctx *ctx, const struct nti_topology **out)
{
	int ret = ctx->topology ? 0 : nti_topology_new(ctx->os, &ctx->topology, &ctx->error);

	*out = ret == 0 ? ctx->topology : NULL;
	return ret;
}

int nti_context_scopes(struct ntime_ctx *ctx)
{
	const struct nti_topology *t;
	int ret = ctx->has_scopes ? 0 : nti_context_topology(ctx, &t);

	if (ret == 0 && !ctx->has_scopes) {
		ret = nti_topology_scopes(t, &ctx->units);
		ctx->has_scopes = ret == 0;
	}
	return ret;
}

int ntime_topology_get(struct ntime_ctx *ctx, struct ntime_topology *out)
{
	const struct nti_topology *t = NULL;
	int ret;

	ret = nti_error_check_size(&ctx->error, "struct ntime_topology", out->size, sizeof(*out));
	if (ret < 0)
		return ret;
	ret = nti_context_topology(ctx, &t);
	if (ret == 0)
		*out = t->total;
	return ret;
}
