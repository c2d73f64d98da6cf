// SPDX-License-Identifier: MIT
/* Making and freeing a context. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/lib/base/context.h"
#include "base/common/text.h"

const char *ntime_trace_version(void)
{
	return NTIME_VERSION;
}

const char *ntime_trace_error_text(const struct ntime_trace_ctx *ctx)
{
	return ctx->error.text;
}

void nti_trace_log(struct ntime_trace_ctx *ctx, const char *format, ...)
{
	char line[NTI_ERROR_TEXT_BYTES];
	va_list args;

	if (!ctx->log)
		return;
	va_start(args, format);
	(void)nti_text_vprint(line, sizeof(line), format, args);
	va_end(args);
	ctx->log(ctx->log_arg, line);
}

static int check_options(const struct ntime_trace_ctx_options *o)
{
	if (o->size != sizeof(*o) || o->flags)
		return -EINVAL;
	for (size_t i = 0; i < NTI_ARRAY_SIZE(o->reserved); i++) {
		if (o->reserved[i])
			return -EINVAL;
	}
	return 0;
}

static int open_root(struct ntime_trace_ctx *ctx, const char *root)
{
	int ret = nti_os_linux_new(root, &ctx->os);

	if (ret == -ENAMETOOLONG)
		return nti_error(&ctx->error, ret, "the name of the root directory is too long");
	if (ret == 0 && root && ctx->os->ops->access(ctx->os, "/", F_OK) < 0)
		return nti_error(&ctx->error, -ENOENT, "there is no directory %s", root);
	return ret;
}

int ntime_trace_ctx_new(struct ntime_trace_ctx **out, const struct ntime_trace_ctx_options *options)
{
	static const struct ntime_trace_ctx_options defaults = { .size = sizeof(defaults) };
	const struct ntime_trace_ctx_options *o = options ? options : &defaults;
	struct ntime_trace_ctx *ctx;
	int ret = check_options(o);

	*out = NULL;
	if (ret < 0)
		return ret;
	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return -ENOMEM;
	ctx->log = o->log;
	ctx->log_arg = o->log_arg;
	ret = open_root(ctx, o->root);
	if (ret < 0 && !ctx->error.code) {
		ntime_trace_ctx_free(ctx);
		return ret;
	}
	*out = ctx;
	return ret;
}

void ntime_trace_ctx_free(struct ntime_trace_ctx *ctx)
{
	if (!ctx)
		return;
	if (ctx->os)
		ctx->os->ops->free(ctx->os);
	free(ctx);
}
