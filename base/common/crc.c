// SPDX-License-Identifier: MIT
/*
 * The polynomial reflected, 0xedb88320; eight bytes at a time. Tables are linear: an entry is the
 * sum of what its bits are worth, so that 64 numbers are enough and the compiler makes the rest.
 */
#include <string.h>

#include "base/common/crc.h"

#define BIT(i, b, value) ((i) >> (b)&1 ? (value) : 0)
#define ENTRY(i, a, b, c, d, e, f, g, h)                                                           \
	(BIT(i, 0, a) ^ BIT(i, 1, b) ^ BIT(i, 2, c) ^ BIT(i, 3, d) ^ BIT(i, 4, e) ^ BIT(i, 5, f) ^ \
	 BIT(i, 6, g) ^ BIT(i, 7, h))
#define E2(i, ...) ENTRY(i, __VA_ARGS__), ENTRY((i) + 1u, __VA_ARGS__)
#define E4(i, ...) E2(i, __VA_ARGS__), E2((i) + 2u, __VA_ARGS__)
#define E8(i, ...) E4(i, __VA_ARGS__), E4((i) + 4u, __VA_ARGS__)
#define E16(i, ...) E8(i, __VA_ARGS__), E8((i) + 8u, __VA_ARGS__)
#define E32(i, ...) E16(i, __VA_ARGS__), E16((i) + 16u, __VA_ARGS__)
#define E64(i, ...) E32(i, __VA_ARGS__), E32((i) + 32u, __VA_ARGS__)
#define E128(i, ...) E64(i, __VA_ARGS__), E64((i) + 64u, __VA_ARGS__)
#define TABLE(...)                                                                                 \
	{                                                                                          \
		E128(0u, __VA_ARGS__), E128(128u, __VA_ARGS__)                                     \
	}

/* What a byte is worth with 0 to 7 bytes behind it. */
static const uint32_t tables[8][256] = {
	TABLE(0x77073096, 0xee0e612c, 0x076dc419, 0x0edb8832, 0x1db71064, 0x3b6e20c8, 0x76dc4190,
	      0xedb88320),
	TABLE(0x191b3141, 0x32366282, 0x646cc504, 0xc8d98a08, 0x4ac21251, 0x958424a2, 0xf0794f05,
	      0x3b83984b),
	TABLE(0x01c26a37, 0x0384d46e, 0x0709a8dc, 0x0e1351b8, 0x1c26a370, 0x384d46e0, 0x709a8dc0,
	      0xe1351b80),
	TABLE(0xb8bc6765, 0xaa09c88b, 0x8f629757, 0xc5b428ef, 0x5019579f, 0xa032af3e, 0x9b14583d,
	      0xed59b63b),
	TABLE(0x3d6029b0, 0x7ac05360, 0xf580a6c0, 0x30704bc1, 0x60e09782, 0xc1c12f04, 0x58f35849,
	      0xb1e6b092),
	TABLE(0xcb5cd3a5, 0x4dc8a10b, 0x9b914216, 0xec53826d, 0x03d6029b, 0x07ac0536, 0x0f580a6c,
	      0x1eb014d8),
	TABLE(0xa6770bb4, 0x979f1129, 0xf44f2413, 0x33ef4e67, 0x67de9cce, 0xcfbd399c, 0x440b7579,
	      0x8816eaf2),
	TABLE(0xccaa009e, 0x4225077d, 0x844a0efa, 0xd3e51bb5, 0x7cbb312b, 0xf9766256, 0x299dc2ed,
	      0x533b85da),
};

uint32_t nti_crc32(uint32_t crc, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	crc = ~crc;
	for (; n >= 8; n -= 8, p += 8) {
		uint64_t x;

		memcpy(&x, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		x = __builtin_bswap64(x);
#endif
		x ^= crc;
		crc = tables[7][x & 0xff] ^ tables[6][x >> 8 & 0xff] ^ tables[5][x >> 16 & 0xff] ^
		      tables[4][x >> 24 & 0xff] ^ tables[3][x >> 32 & 0xff] ^
		      tables[2][x >> 40 & 0xff] ^ tables[1][x >> 48 & 0xff] ^ tables[0][x >> 56];
	}
	for (; n; n--)
		crc = tables[0][(crc ^ *p++) & 0xff] ^ crc >> 8;
	return ~crc;
}
