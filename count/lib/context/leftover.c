// SPDX-License-Identifier: MIT
/* What killed programs left running, and switching it off. */
#include <errno.h>
#include <string.h>

#include <ntime/list.h>

#include "count/lib/access/claim.h"
#include "count/lib/context/context.h"

struct leftover_walk {
	int (*fn)(void *arg, const struct ntime_leftover *left);
	void *arg;
	int ended; /* what @fn ended the walk with */
};

static int tell_leftover(void *arg, const struct nti_claim_leftover *left)
{
	struct leftover_walk *w = arg;

	w->ended = w->fn(w->arg, &(struct ntime_leftover){
					 .size = sizeof(struct ntime_leftover),
					 .pid = (int32_t)left->owner.pid,
					 .name = left->name,
					 .what = left->what,
					 .command = left->owner.command,
					 .registers = left->registers,
				 });
	return w->ended;
}

int ntime_leftover_for_each(struct ntime_ctx *ctx,
			    int (*fn)(void *arg, const struct ntime_leftover *left), void *arg)
{
	struct leftover_walk w = { .fn = fn, .arg = arg };
	int ret = nti_claim_for_each_leftover(ctx->os, tell_leftover, &w);

	if (ret == w.ended)
		return ret;
	switch (ret) {
	case -EACCES:
	case -EPERM:
		return nti_error(
			&ctx->error, -EACCES,
			"what programs left in registers is written down in " NTI_CLAIM_DIRECTORY
			", which can be read by root only");
	case -ENOTDIR:
		return nti_error(&ctx->error, ret,
				 NTI_CLAIM_DIRECTORY
				 " is not a directory that only root can write to: remove it");
	default:
		return nti_error(&ctx->error, ret, "cannot read " NTI_CLAIM_DIRECTORY ": %s",
				 strerror(-ret));
	}
}

struct repair_walk {
	int (*fn)(void *arg, const struct ntime_repair_step *step);
	void *arg;
};

static int tell_step(void *arg, const struct nti_claim_repair *step)
{
	struct repair_walk *w = arg;

	if (!w->fn)
		return 0;
	return w->fn(w->arg, &(struct ntime_repair_step){
				     .size = sizeof(struct ntime_repair_step),
				     .error = step->error,
				     .device = step->device,
				     .name = step->name,
				     .found = step->found,
				     .now = step->now,
				     .why = step->why,
			     });
}

int ntime_repair(struct ntime_ctx *ctx, const char *name, uint32_t flags,
		 int (*fn)(void *arg, const struct ntime_repair_step *step), void *arg)
{
	struct repair_walk w = { .fn = fn, .arg = arg };

	if (flags & ~NTIME_REPAIR_LOOK)
		return nti_error(&ctx->error, -EINVAL, "flags %#x of a repair are unknown", flags);
	return nti_claim_repair(ctx->os, name, flags & NTIME_REPAIR_LOOK ? NTI_CLAIM_LOOK : 0,
				tell_step, &w, &ctx->error);
}
