// SPDX-License-Identifier: MIT
/*
 * SipHash-2-4. Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012, section 2;
 * its appendix A is the test.
 */
#include "trace/lib/base/siphash.h"

static inline uint64_t rotate(uint64_t x, unsigned int by)
{
	return x << by | x >> (64 - by);
}

static void rounds(uint64_t v[4], unsigned int n)
{
	while (n--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static void mix(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	rounds(v, 2);
	v[0] ^= word;
}

/* Little-endian, whatever the machine is. */
static uint64_t load(const unsigned char *p, size_t n)
{
	uint64_t word = 0;

	while (n--)
		word = word << 8 | p[n];
	return word;
}

uint64_t nti_siphash(const uint64_t key[2], const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	uint64_t v[4] = { key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
			  key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u };
	size_t left = n;

	for (; left >= 8; left -= 8, p += 8)
		mix(v, load(p, 8));
	mix(v, load(p, left) | (uint64_t)n << 56);
	v[2] ^= 0xff;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
