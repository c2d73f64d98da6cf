// SPDX-License-Identifier: MIT
/* libzstd: traces compressed with zstd, and blocks of binary ones. */
#include <zstd.h>
#include <zstd_errors.h>

#include "base/lazy/define.h"

#define FUNCTIONS(F)                                                                               \
	F(ZSTD_CCtx *, NULL, ZSTD_createCCtx, (void), ())                                          \
	F(size_t, 0, ZSTD_freeCCtx, (ZSTD_CCtx * c), (c))                                          \
	F(size_t, (size_t)-1, ZSTD_compressCCtx,                                                   \
	  (ZSTD_CCtx * c, void *out, size_t room, const void *in, size_t bytes, int level),        \
	  (c, out, room, in, bytes, level))                                                        \
	F(ZSTD_DCtx *, NULL, ZSTD_createDCtx, (void), ())                                          \
	F(size_t, 0, ZSTD_freeDCtx, (ZSTD_DCtx * d), (d))                                          \
	F(size_t, (size_t)-1, ZSTD_decompressDCtx,                                                 \
	  (ZSTD_DCtx * d, void *out, size_t room, const void *in, size_t bytes),                   \
	  (d, out, room, in, bytes))                                                               \
	F(ZSTD_DStream *, NULL, ZSTD_createDStream, (void), ())                                    \
	F(size_t, 0, ZSTD_freeDStream, (ZSTD_DStream * d), (d))                                    \
	F(size_t, (size_t)-1, ZSTD_decompressStream,                                               \
	  (ZSTD_DStream * d, ZSTD_outBuffer * out, ZSTD_inBuffer * in), (d, out, in))              \
	F(unsigned, 1, ZSTD_isError, (size_t code), (code))                                        \
	F(ZSTD_ErrorCode, ZSTD_error_GENERIC, ZSTD_getErrorCode, (size_t code), (code))

NTI_LAZY_DEFINE(zstd, "libzstd.so.1", "libzstd1", "traces compressed with zstd", FUNCTIONS)
