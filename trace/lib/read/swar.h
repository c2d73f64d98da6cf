/* SPDX-License-Identifier: MIT */
/*
 * Letters and digits many at a time, without branches: the numbers of a trace have any length, and
 * a branch that guesses it wrong costs more than all else of a line. What reads blocks of 16 uses
 * the compiler's vectors, which it makes of whatever the machine has; some functions are also
 * written with SSE2, because they need what vectors of C cannot say.
 */
#ifndef NTI_TRACE_SWAR_H
#define NTI_TRACE_SWAR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__) && !defined(NTI_PORTABLE)
#include <emmintrin.h>
#endif

#define NTI_ONES 0x0101010101010101ull
#define NTI_TOPS 0x8080808080808080ull

/* Sixteen letters, for comparing. */
typedef uint64_t nti_block __attribute__((vector_size(16)));

static inline nti_block nti_block_load(const void *p)
{
	nti_block b;

	memcpy(&b, p, sizeof(b));
	return b;
}

/*
 * The same at a multiple of 16 bytes in memory that malloc() gave, which is aligned so wherever
 * there is SSE2.
 */
static inline nti_block nti_block_kept(const void *p)
{
#if defined(__SSE2__) && !defined(NTI_PORTABLE)
	return (nti_block)_mm_load_si128((const __m128i *)p);
#else
	return nti_block_load(p);
#endif
}

static inline uint64_t nti_block_any(nti_block b)
{
	return b[0] | b[1];
}

/* Eight letters, the first in the lowest byte whatever the machine's order is. */
static inline uint64_t nti_word(const char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

/*
 * Eight decimal digits, already without their '0', as a number. *@bad gets bits when one is no
 * digit.
 */
static inline uint64_t nti_word_decimal(uint64_t d, uint64_t *bad)
{
	/*
	 * 0 to 9 and nothing else: neither the byte nor the byte and 6 more reach above the low
	 * half.
	 */
	*bad |= (d | (d + NTI_ONES * 6)) & (NTI_ONES * 0xf0);
	d = d * 10 + (d >> 8);
	return ((d & 0xff000000ffull) * (100 + (1000000ull << 32)) +
		((d >> 16) & 0xff000000ffull) * (1 + (10000ull << 32))) >>
	       32;
}

/**
 * struct nti_digits - hexadecimal digits (0-9, a-f)
 * @end:	behind the last one; 16 bytes before it can be read
 * @n:		1 to 16
 */
struct nti_digits {
	const char *end;
	uint32_t n;
};

#if defined(__SSE2__) && !defined(NTI_PORTABLE)

/*
 * How many letters at @p stand in front of the first that is those of @letter (sixteen times the
 * same); 16: all.
 */
static inline uint32_t nti_find16(const char *p, const char *letter)
{
	__m128i b = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i l = _mm_loadu_si128((const __m128i *)(const void *)letter);

	return (uint32_t)__builtin_ctz((unsigned int)_mm_movemask_epi8(_mm_cmpeq_epi8(b, l)) |
				       0x10000);
}

/*
 * Sixteen letters as nibbles; *@wrong gets bits in bytes of @keep that are no digits, and
 * where @lead has 1 and the digit is 0.
 */
static inline __m128i nti_nibbles(__m128i b, __m128i keep, __m128i lead, __m128i *wrong)
{
	/*
	 * '0' to '9' become 0 to 9 and all else more than 15; 'a' to 'f' become 10 to 15 and all
	 * else more; the less of both is the digit.
	 */
	__m128i digit = _mm_sub_epi8(
		_mm_subs_epu8(_mm_add_epi8(b, _mm_set1_epi8((char)(0xff - '9'))), _mm_set1_epi8(6)),
		_mm_set1_epi8((char)0xf0));
	__m128i letter = _mm_adds_epu8(_mm_sub_epi8(b, _mm_set1_epi8('a')), _mm_set1_epi8(10));
	__m128i d = _mm_and_si128(_mm_min_epu8(digit, letter), keep);

	*wrong = _mm_or_si128(*wrong, _mm_and_si128(_mm_or_si128(d, _mm_sub_epi8(d, lead)),
						    _mm_set1_epi8((char)0xf0)));
	/* Two nibbles to a byte, in the low halves of 16 bits. */
	d = _mm_or_si128(_mm_slli_epi16(d, 4), _mm_srli_epi16(d, 8));
	return _mm_and_si128(d, _mm_set1_epi16(255));
}

/* Sixteen letters, of which the last that count are those of @digits, as nibbles. */
static inline __m128i nti_nibbles16(struct nti_digits digits, __m128i *wrong)
{
	static const unsigned char keep[32] = { [16] = 255, 255, 255, 255, 255, 255, 255, 255,
						255,	    255, 255, 255, 255, 255, 255, 255 };
	static const unsigned char lead[32] = { [16] = 1 };
	/* A zero alone is as it should be. */
	const __m128i not_last = _mm_srli_si128(_mm_set1_epi8(1), 1);
	uint32_t n = digits.n;
	__m128i first = _mm_loadu_si128((const __m128i *)(const void *)(lead + n));

	return nti_nibbles(_mm_loadu_si128((const __m128i *)(const void *)(digits.end - 16)),
			   _mm_loadu_si128((const __m128i *)(const void *)(keep + n)),
			   _mm_and_si128(first, not_last), wrong);
}

/*
 * Two numbers; *@diff gets bits when anything in them is no digit, and when they have zeros in
 * front.
 */
static inline void nti_hex(struct nti_digits a, struct nti_digits b, uint64_t *first,
			   uint64_t *second, nti_block *diff)
{
	__m128i wrong = _mm_setzero_si128(), x;

	x = nti_nibbles16(a, &wrong);
	x = _mm_packus_epi16(x, nti_nibbles16(b, &wrong));
	*diff |= (nti_block)wrong;
	*first = __builtin_bswap64(((nti_block)x)[0]);
	*second = __builtin_bswap64(((nti_block)x)[1]);
}

/*
 * Eight decimal digits, of which those count that @keep has 255 for, as pairs of numbers below 100;
 * *@diff gets bits when one is none.
 */
static inline __m128i nti_decimal_pairs(const char *p, __m128i keep, nti_block *diff)
{
	__m128i d =
		_mm_sub_epi8(_mm_loadl_epi64((const __m128i *)(const void *)p), _mm_set1_epi8('0'));

	d = _mm_and_si128(d, keep);
	*diff |= (nti_block)_mm_and_si128(_mm_or_si128(d, _mm_add_epi8(d, _mm_set1_epi8(6))),
					  _mm_set1_epi8((char)0xf0));
	d = _mm_madd_epi16(_mm_unpacklo_epi8(d, _mm_setzero_si128()),
			   _mm_setr_epi16(10, 1, 10, 1, 10, 1, 10, 1));
	return _mm_packs_epi32(d, d);
}

/* Six decimal digits; *@diff gets bits when one is none. */
static inline uint32_t nti_decimal6(const char *p, nti_block *diff)
{
	__m128i d = nti_decimal_pairs(p, _mm_setr_epi16(-1, -1, -1, 0, 0, 0, 0, 0), diff);
	uint64_t w = ((nti_block)_mm_madd_epi16(d, _mm_setr_epi16(100, 1, 1, 0, 0, 0, 0, 0)))[0];

	return (uint32_t)w * 100 + (uint32_t)(w >> 32);
}

/* Eight. */
static inline uint32_t nti_decimal8(const char *p, nti_block *diff)
{
	__m128i d = nti_decimal_pairs(p, _mm_setr_epi16(-1, -1, -1, -1, 0, 0, 0, 0), diff);
	uint64_t w = ((nti_block)_mm_madd_epi16(d, _mm_setr_epi16(100, 1, 100, 1, 0, 0, 0, 0)))[0];

	return (uint32_t)w * 10000 + (uint32_t)(w >> 32);
}

/* Eight bytes at @low and eight at @high. */
static inline __m128i nti_two_words(const void *low, const void *high)
{
	return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)low),
				  _mm_loadl_epi64((const __m128i *)high));
}

/* The same of at most 8 digits each. */
static inline void nti_hex8(struct nti_digits a, struct nti_digits b, uint64_t *first,
			    uint64_t *second, nti_block *diff)
{
	/* By the number of digits: which bytes count, and which is the first one of several. */
	static const uint64_t keep[9] = { 0,
					  0xffull << 56,
					  0xffffull << 48,
					  0xffffffull << 40,
					  0xffffffffull << 32,
					  0xffffffffffull << 24,
					  0xffffffffffffull << 16,
					  0xffffffffffffffull << 8,
					  UINT64_MAX };
	static const uint64_t lead[9] = { 0,	      0,	  1ull << 48,
					  1ull << 40, 1ull << 32, 1ull << 24,
					  1ull << 16, 1ull << 8,  1 };
	__m128i wrong = _mm_setzero_si128(), x;
	uint64_t both;

	x = nti_nibbles(nti_two_words(a.end - 8, b.end - 8), nti_two_words(keep + a.n, keep + b.n),
			nti_two_words(lead + a.n, lead + b.n), &wrong);
	*diff |= (nti_block)wrong;
	both = __builtin_bswap64(((nti_block)_mm_packus_epi16(x, x))[0]);
	*first = both >> 32;
	*second = (uint32_t)both;
}

#else

/* Six decimal digits; *@diff gets bits when one is none. */
static inline uint32_t nti_decimal6(const char *p, nti_block *diff)
{
	uint64_t bad = 0, n = nti_word_decimal((nti_word(p) ^ (NTI_ONES * '0')) << 16, &bad);

	*diff |= bad;
	return (uint32_t)n;
}

/* Eight. */
static inline uint32_t nti_decimal8(const char *p, nti_block *diff)
{
	uint64_t bad = 0, n = nti_word_decimal(nti_word(p) ^ (NTI_ONES * '0'), &bad);

	*diff |= bad;
	return (uint32_t)n;
}

/* The top bit of each byte of @w that is @c; bytes behind the first such one may be wrong. */
static inline uint64_t nti_word_find(uint64_t w, uint64_t letter)
{
	uint64_t x = w ^ letter;

	return (x - NTI_ONES) & ~x & NTI_TOPS;
}

static inline uint32_t nti_find16(const char *p, const char *letter)
{
	uint64_t found = nti_word_find(nti_word(p), nti_word(letter));

	if (found)
		return (uint32_t)__builtin_ctzll(found) / 8;
	found = nti_word_find(nti_word(p + 8), nti_word(letter));
	return 8 + (found ? (uint32_t)__builtin_ctzll(found) / 8 : 8);
}

/* The upper @n letters of @w as digits. */
static inline uint64_t nti_word_hex(uint64_t w, uint32_t n, uint64_t *bad)
{
	uint64_t keep = n ? UINT64_MAX << (64 - 8 * n) : 0, d, letter;

	w &= keep;
	d = (w & (NTI_ONES * 15)) + ((w >> 6) & NTI_ONES) * 9;
	letter = ((d + NTI_ONES * 6) >> 4) & NTI_ONES;
	/* Written again it must be what it was: 39 letters lie between '9' + 1 and 'a'. */
	*bad |= (((d + NTI_ONES * '0' + letter * ('a' - '0' - 10)) ^ w) | (d & (NTI_ONES * 0xf0))) &
		keep;
	d = (d << 4 | d >> 8) & 0x00ff00ff00ff00ffull;
	d = (d << 8 | d >> 16) & 0x0000ffff0000ffffull;
	return (d << 16 | d >> 32) & 0xffffffffull;
}

static inline uint64_t nti_hex_one(struct nti_digits a, uint64_t *bad)
{
	uint64_t low = nti_word_hex(nti_word(a.end - 8), a.n < 8 ? a.n : 8, bad);

	return a.n > 8 ? low | nti_word_hex(nti_word(a.end - 16), a.n - 8, bad) << 32 : low;
}

/* Is there a zero in front of others? */
static inline uint64_t nti_is_padded(struct nti_digits a)
{
	return (uint64_t)(a.end[-(ptrdiff_t)a.n] == '0') & (uint64_t)(a.n > 1);
}

static inline void nti_hex(struct nti_digits a, struct nti_digits b, uint64_t *first,
			   uint64_t *second, nti_block *diff)
{
	uint64_t bad = 0;

	*first = nti_hex_one(a, &bad);
	*second = nti_hex_one(b, &bad);
	*diff |= bad | nti_is_padded(a) | nti_is_padded(b);
}

/* The same of at most 8 digits each. */
static inline void nti_hex8(struct nti_digits a, struct nti_digits b, uint64_t *first,
			    uint64_t *second, nti_block *diff)
{
	uint64_t bad = 0;

	*first = nti_word_hex(nti_word(a.end - 8), a.n, &bad);
	*second = nti_word_hex(nti_word(b.end - 8), b.n, &bad);
	*diff |= bad | nti_is_padded(a) | nti_is_padded(b);
}

#endif
#endif
