// SPDX-License-Identifier: MIT
/* Which way a file is compressed: its first bytes tell. */
#include <errno.h>
#include <string.h>

#include "base/common/compiler.h"
#include "trace/lib/read/unpack.h"

static const struct {
	const struct nti_unpack *unpack;
	const char *magic;
	size_t bytes;
	unsigned char first; /* bits of the first byte that tell */
} ways[] = {
	/* RFC 1952, 2.3.1: ID1, ID2; the only method is 8 */
	{ &nti_unpack_gzip, "\x1f\x8b\x08", 3, 0xff },
	/* the .xz file format 1.1, 2.1.1.1 */
	{ &nti_unpack_xz, "\xfd\x37zXZ\0", 6, 0xff },
	/* RFC 8878, 3.1.1 and 3.1.2: a frame of data, or one to be skipped */
	{ &nti_unpack_zstd, "\x28\xb5\x2f\xfd", 4, 0xff },
	{ &nti_unpack_zstd, "\x50\x2a\x4d\x18", 4, 0xf0 },
};

const struct nti_unpack *nti_unpack_find(const unsigned char *magic, size_t n)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(ways); i++) {
		if (n >= ways[i].bytes &&
		    (magic[0] & ways[i].first) == (unsigned char)ways[i].magic[0] &&
		    memcmp(magic + 1, ways[i].magic + 1, ways[i].bytes - 1) == 0)
			return ways[i].unpack;
	}
	return NULL;
}

/* Text that is left as it was between such bytes looks like a trace with few lines. */
static const struct nti_unpack_other others[] = {
	/* LZ4 frame format 1.6.4: a frame of data, and the legacy one */
	{ "lz4", "lz4 -dc", "\x04\x22\x4d\x18", 4 }, { "lz4", "lz4 -dc", "\x02\x21\x4c\x18", 4 },
	{ "bzip2", "bzip2 -dc", "BZh", 3 },	     { "lzip", "lzip -dc", "LZIP\x01", 5 },
	{ "lzop", "lzop -dc", "\x89LZO\0", 5 },	     { "compress", "gzip -dc", "\x1f\x9d", 2 },
	{ "zip", "unzip -p", "PK\x03\x04", 4 },	     { "7z", "7z x -so", "7z\xbc\xaf\x27\x1c", 6 },
};

const struct nti_unpack_other *nti_unpack_find_other(const unsigned char *magic, size_t n)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(others); i++) {
		if (n >= others[i].bytes && memcmp(magic, others[i].magic, others[i].bytes) == 0)
			return &others[i];
	}
	return NULL;
}

static int refuse(struct nti_unpack_step *step, size_t back)
{
	step->back = back;
	return -EILSEQ;
}

int nti_unpack_gap_run(struct nti_unpack_gap *gap, struct nti_unpack_step *step)
{
	for (; step->in_bytes && !*step->in && !gap->found; step->in++, step->in_bytes--)
		gap->zeros++;
	if ((step->in_bytes || step->is_last) && gap->zeros % gap->pad)
		return refuse(step, gap->zeros % gap->pad);
	for (; step->in_bytes && gap->found < gap->bytes; step->in++, step->in_bytes--) {
		if (*step->in != (unsigned char)gap->magic[gap->found])
			return refuse(step, gap->found);
		gap->found++;
	}
	return gap->found == gap->bytes;
}

bool nti_unpack_gap_is_end(const struct nti_unpack_gap *gap)
{
	return !gap->found && !(gap->zeros % gap->pad);
}
