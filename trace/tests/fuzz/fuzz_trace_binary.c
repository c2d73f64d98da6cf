// SPDX-License-Identifier: MIT
/*
 * The input as a trace in ntime's own form: as it is, which its checksums nearly always refuse, and
 * with checksums made right.
 */
#include "trace/lib/base/blocks.h"
#include "trace/tests/fuzz/trace_front.h"

static void make_right(uint8_t *p, size_t n)
{
	uint8_t *end = p + n;
	size_t stored;

	if (n < NTI_BLOCKS_HEADER_BYTES)
		return;
	memcpy(p, NTI_BLOCKS_MAGIC, 8);
	nti_put_le(p + 8, NTI_BLOCKS_VERSION, 4);
	nti_put_le(p + 12, nti_crc32(0, p, 12), 4);
	for (p += NTI_BLOCKS_HEADER_BYTES; end - p >= NTI_BLOCK_HEAD_BYTES;
	     p += NTI_BLOCK_HEAD_BYTES + stored) {
		stored = (size_t)nti_get_le(p + 4, 4);
		if (stored > (size_t)(end - p) - NTI_BLOCK_HEAD_BYTES)
			return;
		p[2] = p[3] = 0;
		nti_put_le(p + 16, nti_crc32(nti_crc32(0, p, 16), p + NTI_BLOCK_HEAD_BYTES, stored),
			   4);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t *copy = malloc(bytes + 1);

	(void)fuzz_front(&nti_trace_binary, data, bytes);
	fuzz_expect(copy);
	memcpy(copy, data, bytes);
	make_right(copy, bytes);
	(void)fuzz_front(&nti_trace_binary, copy, bytes);
	free(copy);
	return 0;
}
