/* SPDX-License-Identifier: MIT */
/*
 * Digits of numbers, written fast: printf costs more than the rest of a line. Callers have room for
 * 20 bytes more than they use.
 */
#ifndef NTI_TRACE_DIGITS_H
#define NTI_TRACE_DIGITS_H

#include <stdint.h>
#include <string.h>

/* SSE2 with a way to move 64 bits at once. */
#if defined(__x86_64__) && defined(__SSE2__) && !defined(NTI_PORTABLE)
#define NTI_DIGITS_SSE2
#include <emmintrin.h>
#endif

/* "000" to "999", four bytes each of which three count. */
extern const char nti_digit_triples[1000][4];

/* Eight hexadecimal digits, lower case. */
static inline void nti_put_hex8(char *p, uint32_t value)
{
	/*
	 * One digit a byte, the first one lowest: bytes swapped, then spread, then split in halves.
	 */
	uint64_t x = __builtin_bswap32(value);

	x = (x & 0xffff0000u) << 16 | (x & 0xffffu);
	x = (x << 8 | x) & 0x00ff00ff00ff00ffull;
	x = (x >> 4 | x << 8) & 0x0f0f0f0f0f0f0f0full;
	/* 10 and above are 39 further than '0' + 10: from ':' to 'a'. */
	x += 0x3030303030303030ull +
	     ((x + 0x0606060606060606ull) >> 4 & 0x0101010101010101ull) * 39;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	memcpy(p, &x, 8);
}

/* Sixteen of them. */
static inline void nti_put_hex16(char *p, uint64_t value)
{
#ifdef NTI_DIGITS_SSE2
	/* Halves of bytes side by side; 10 and above are 39 further than '0' + 10. */
	const __m128i low = _mm_set1_epi8(0x0f);
	__m128i x = _mm_cvtsi64_si128((long long)__builtin_bswap64(value));
	__m128i d = _mm_and_si128(_mm_unpacklo_epi8(_mm_srli_epi64(x, 4), x), low);
	__m128i letters = _mm_and_si128(_mm_cmpgt_epi8(d, _mm_set1_epi8(9)), _mm_set1_epi8(39));

	_mm_storeu_si128((__m128i *)(void *)p,
			 _mm_add_epi8(_mm_add_epi8(d, _mm_set1_epi8('0')), letters));
#else
	nti_put_hex8(p, (uint32_t)(value >> 32));
	nti_put_hex8(p + 8, (uint32_t)value);
#endif
}

static inline unsigned int nti_hex_digits(uint64_t value)
{
	return 16 - (unsigned int)__builtin_clzll(value | 1) / 4;
}

/*
 * Hexadecimal without padding, lower case; writes 16 bytes, whatever the number, and asks no
 * question about it. Returns the end.
 */
static inline char *nti_put_hex(char *p, uint64_t value)
{
	unsigned int digits = nti_hex_digits(value);

	nti_put_hex16(p, value << (64 - 4 * digits));
	return p + digits;
}

static inline char *nti_put_pair(char *p, uint32_t value)
{
	memcpy(p, nti_digit_triples[value] + 1, 2);
	return p + 2;
}

/* Six decimal digits of a number below a million. */
static inline char *nti_put_dec6(char *p, uint32_t value)
{
	memcpy(p, nti_digit_triples[value / 1000], 4);
	memcpy(p + 3, nti_digit_triples[value % 1000], 4);
	return p + 6;
}

/* Of a number below a thousand, without padding. */
static inline char *nti_put_dec3(char *p, uint32_t value)
{
	unsigned int skip = (value < 100) + (value < 10);

	memcpy(p, (const char *)nti_digit_triples + 4 * value + skip, 3);
	return p + 3 - skip;
}

/* Decimal without padding. Returns the end. */
static inline char *nti_put_dec(char *p, uint64_t value)
{
	uint32_t six[3];
	unsigned int n = 0;

	for (; value >= 1000000; value /= 1000000)
		six[n++] = (uint32_t)(value % 1000000);
	if (value < 1000) {
		p = nti_put_dec3(p, (uint32_t)value);
	} else {
		p = nti_put_dec3(p, (uint32_t)value / 1000);
		memcpy(p, nti_digit_triples[value % 1000], 4);
		p += 3;
	}
	while (n)
		p = nti_put_dec6(p, six[--n]);
	return p;
}

static inline char *nti_put_text(char *p, const char *text)
{
	size_t n = strlen(text);

	memcpy(p, text, n);
	return p + n;
}

/*
 * Seconds and microseconds of a time, with what is above them kept from the record before: most are
 * of the same millisecond.
 */
struct nti_seconds {
	uint64_t from_ns; /* of the millisecond in .digits */
	uint32_t bytes;	  /* 0: none yet */
	char digits[32];  /* "1424299207.289" */
};

void nti_seconds_keep(struct nti_seconds *s, uint64_t ns);

/* "1424299207.289770"; nanoseconds below a microsecond are cut. Returns the end. */
static inline char *nti_put_seconds(char *p, struct nti_seconds *s, uint64_t ns)
{
	uint64_t since = ns - s->from_ns;

	if (__builtin_expect(since >= 1000000 || !s->bytes, 0)) {
		nti_seconds_keep(s, ns);
		since = ns - s->from_ns;
	}
	memcpy(p, s->digits, 16);
	memcpy(p + 16, s->digits + 16, 8);
	p += s->bytes;
	memcpy(p, nti_digit_triples[(uint32_t)since / 1000], 4);
	return p + 3;
}

#endif
