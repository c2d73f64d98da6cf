/* SPDX-License-Identifier: MIT */
/**
 * DOC: The context of libntime-trace: where errors and log lines go, and which files are looked at
 *
 * Everything that libntime-trace makes belongs to a context. It looks at no machine and needs no
 * libntime. One thread uses a context at a time; different contexts are independent of each other.
 * There are no globals.
 */
#ifndef NTIME_TRACE_CONTEXT_H
#define NTIME_TRACE_CONTEXT_H

#include <stdint.h>

#include <ntime/export.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntime_trace_ctx;

/**
 * struct ntime_trace_ctx_options - how to make a context; zero-initialise, then set @size
 * @size:	sizeof(struct ntime_trace_ctx_options)
 * @flags:	0; unknown bits are refused
 * @root:	directory put before the names of the system's files (/sys, /proc, /dev, /run), for
 *		<ntime/trace/vfio.h>; NULL: the real root. Files that the caller names, traces and
 *		databases, are never looked for below it
 * @log:	called with one line (no newline) for each decision the library takes; NULL: silent.
 *		"warning: " begins one that says what is wrong in a file and was passed over
 * @log_arg:	first argument of @log
 * @reserved:	must be 0
 *
 * All strings are copied. Since 0.1.
 */
struct ntime_trace_ctx_options {
	uint32_t size;
	uint32_t flags;
	const char *root;
	void (*log)(void *arg, const char *line);
	void *log_arg;
	uint64_t reserved[4];
};

/**
 * ntime_trace_ctx_new() - make a context
 * @out:	the new context; NULL on failure unless the error below says otherwise. Free with
 *		ntime_trace_ctx_free()
 * @options:	NULL for everything at its default
 *
 * Opens no file. Return: 0; -ENOMEM; -EINVAL (size, flags or reserved of @options); -ENOENT,
 * -ENAMETOOLONG (root). When the failure has a sentence, *@out is a context that only
 * ntime_trace_error_text() and ntime_trace_ctx_free() may use; it is NULL only after -ENOMEM and
 * -EINVAL. Since 0.1.
 */
NTIME_API int ntime_trace_ctx_new(struct ntime_trace_ctx **out,
				  const struct ntime_trace_ctx_options *options);

/**
 * ntime_trace_ctx_free() - free a context, after everything that was made with it
 * @ctx:	may be NULL
 */
NTIME_API void ntime_trace_ctx_free(struct ntime_trace_ctx *ctx);

/**
 * ntime_trace_error_text() - the sentence for the last error of a context
 * @ctx:	context
 *
 * Return: what failed, on what and what to do, one line without newline or final stop; "" before
 * the first error. Valid until the next call with @ctx or what was made with it. Since 0.1.
 */
NTIME_API const char *ntime_trace_error_text(const struct ntime_trace_ctx *ctx);

/**
 * ntime_trace_version() - version of the libntime-trace that runs, as "0.1.0"; static memory. Since
 * 0.1.
 */
NTIME_API const char *ntime_trace_version(void);

#ifdef __cplusplus
}
#endif
#endif
