// SPDX-License-Identifier: MIT
/* zlib: traces, and answers of ntime export, compressed with gzip. */
#include <zlib.h>

#include "base/lazy/define.h"

#define FUNCTIONS(F)                                                                               \
	F(int, Z_MEM_ERROR, inflateInit2_,                                                         \
	  (z_streamp stream, int bits, const char *version, int bytes),                            \
	  (stream, bits, version, bytes))                                                          \
	F(int, Z_STREAM_ERROR, inflateReset, (z_streamp stream), (stream))                         \
	F(int, Z_STREAM_ERROR, inflate, (z_streamp stream, int flush), (stream, flush))            \
	F(int, Z_STREAM_ERROR, inflateEnd, (z_streamp stream), (stream))                           \
	F(int, Z_MEM_ERROR, deflateInit2_,                                                         \
	  (z_streamp stream, int level, int method, int bits, int memory, int strategy,            \
	   const char *version, int bytes),                                                        \
	  (stream, level, method, bits, memory, strategy, version, bytes))                         \
	F(uLong, 0, deflateBound, (z_streamp stream, uLong bytes), (stream, bytes))                \
	F(int, Z_STREAM_ERROR, deflate, (z_streamp stream, int flush), (stream, flush))            \
	F(int, Z_STREAM_ERROR, deflateEnd, (z_streamp stream), (stream))

NTI_LAZY_DEFINE(zlib, "libz.so.1", "zlib1g", "traces compressed with gzip", FUNCTIONS)
