/* SPDX-License-Identifier: MIT */
/*
 * ntime's own binary form, what its reader and writer share. Byte by byte it is in
 * trace/man/ntime-trace.5; in short:
 *
 *     file   = header { block }                      the last block is END
 *     header = magic[8] version:16 zeros:16 crc:32   numbers are little-endian; the checksum is of
 *                                                    what stands before it
 *     block  = type:8 codec:8 zeros:16 stored:32 raw:32 count:32 crc:32 payload[stored]
 *
 * A block of records needs nothing of other blocks but the numbers of devices. Its payload has a
 * column after the other: what repeats (kind, device, region, width, thread ...) is a line of a
 * table and a number; times and offsets are differences.
 */
#ifndef NTI_TRACE_BLOCKS_H
#define NTI_TRACE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <ntime/trace/trace.h>

#include "base/common/crc.h"

#define NTI_BLOCKS_MAGIC "\x89ntr\r\n\x1a\n"
#define NTI_BLOCKS_VERSION 1
#define NTI_BLOCKS_HEADER_BYTES 16
#define NTI_BLOCK_HEAD_BYTES 20
/* A reader has a block as a whole, and takes no more than this from a file that says so. */
#define NTI_BLOCK_STORED_MAX (96u << 10)
#define NTI_BLOCK_RAW_MAX (96u << 10)
/* Texts above come in parts. */
#define NTI_BLOCK_TEXT_MAX (32u << 10)
#define NTI_BLOCK_RECORDS_MAX 4096u
#define NTI_BLOCK_SHAPES_MAX 1024u
#define NTI_BLOCK_COLUMNS 6

enum nti_block_type {
	NTI_BLOCK_DEVICE = 1,  /* raw payload: the name; .count is its number */
	NTI_BLOCK_RECORDS = 2, /* .count of them */
	NTI_BLOCK_TEXT = 3,    /* stands in front of the first text of the next block of records */
	NTI_BLOCK_END = 4,     /* no payload */

};

enum nti_block_codec { NTI_CODEC_NONE = 0, NTI_CODEC_ZSTD = 1 };

/* Columns of a block of records, in their order: their lengths come first, as numbers. */
enum nti_block_column {
	NTI_COLUMN_SHAPES, /* lines of the table */
	NTI_COLUMN_SHAPE,  /* number of the line, one a record */
	/*
	 * zigzag difference to the time before, of those that are timed; in units of .TIME's first
	 * number
	 */
	NTI_COLUMN_TIME,
	NTI_COLUMN_OFFSET, /* zigzag difference to the offset before of the same shape */
	NTI_COLUMN_VALUE,
	NTI_COLUMN_TEXT, /* length and bytes, of those that have one */
};

/* Flags of a shape, beside NTIME_RECORD_*. */
#define NTI_SHAPE_TEXT 0x80u

struct nti_block_head {
	uint8_t type, codec;
	uint32_t stored, raw, count;
};

/* What many records have in common. */
struct nti_shape {
	uint8_t kind, flags, region, width;
	uint16_t device;
	uint32_t thread, mask, source;
};

static inline void nti_put_le(uint8_t *p, uint64_t value, unsigned int bytes)
{
	unsigned int i;

	for (i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

static inline uint64_t nti_get_le(const uint8_t *p, unsigned int bytes)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < bytes; i++)
		value |= (uint64_t)p[i] << 8 * i;
	return value;
}

/*
 * Seven bits a byte, the lowest first; the top bit says that there are more. Up to ten bytes, and
 * eight are written in any case: how long the numbers of a trace are cannot be predicted, so that
 * no question is asked about it.
 */
static inline uint8_t *nti_put_varint(uint8_t *p, uint64_t value)
{
	unsigned int last;

	for (; value >> 56; value >>= 7)
		*p++ = (uint8_t)(value | 0x80);
	/* Make room for a bit in front of each half, quarter and eighth of 56 bits. */
	value += 15 * (value & 0x00fffffff0000000ull);
	value += 3 * (value & 0x0fffc0000fffc000ull);
	value += value & 0x3f803f803f803f80ull;
	/* Bits below the last byte that is not 0. */
	last = (63 - (unsigned int)__builtin_clzll(value | 1)) & 56;
	value |= 0x0080808080808080ull >> (last ^ 56);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value = __builtin_bswap64(value);
#endif
	memcpy(p, &value, 8);
	return p + last / 8 + 1;
}

/* Differences: small ones of both signs become small numbers. */
static inline uint64_t nti_zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t) - (int64_t)(difference >> 63);
}

static inline uint64_t nti_unzigzag(uint64_t number)
{
	return number >> 1 ^ (uint64_t) - (int64_t)(number & 1);
}

/*
 * Compression of payloads; without zstd none is done. nti_pack() returns the bytes in @out, 0 when
 * it is not worth it. nti_pack_undo() returns 0, -EBADMSG, or -EOPNOTSUPP in a build without
 * zstd. @state keeps memory between calls; free with nti_pack_free().
 */
struct nti_pack;
size_t nti_pack(struct nti_pack **state, void *out, size_t room, const void *in, size_t n);
int nti_pack_undo(struct nti_pack **state, void *out, size_t bytes, const void *in, size_t n);
void nti_pack_free(struct nti_pack *state);

#endif
