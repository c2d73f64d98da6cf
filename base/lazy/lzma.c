// SPDX-License-Identifier: MIT
/* liblzma: traces compressed with xz. */
#include <lzma.h>

#include "base/lazy/define.h"

#define FUNCTIONS(F)                                                                               \
	F(lzma_ret, LZMA_MEM_ERROR, lzma_stream_decoder,                                           \
	  (lzma_stream * stream, uint64_t memory, uint32_t flags), (stream, memory, flags))        \
	F(lzma_ret, LZMA_PROG_ERROR, lzma_code, (lzma_stream * stream, lzma_action action),        \
	  (stream, action))                                                                        \
	F(void, (void)0, lzma_end, (lzma_stream * stream), (stream))

NTI_LAZY_DEFINE(lzma, "liblzma.so.5", "liblzma5", "traces compressed with xz", FUNCTIONS)
