/* SPDX-License-Identifier: MIT */
/* Looking at a line from left to right. Nothing is read at or behind @end. */
#ifndef NTI_TRACE_SCAN_H
#define NTI_TRACE_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/**
 * struct nti_scan - how far we are
 * @p, @end:	the rest of the line
 * @is_odd:	it was understood, but the tracer would have written it otherwise: zeros in front of
 *		a number, capitals
 */
struct nti_scan {
	const char *p, *end;
	bool is_odd;
};

static inline bool nti_scan_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Value of a hexadecimal digit, 16 and more: none. */
static inline unsigned int nti_scan_hex_digit(char c)
{
	if (nti_scan_is_digit(c))
		return (unsigned int)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned int)(c - 'a' + 10);
	return c >= 'A' && c <= 'F' ? (unsigned int)(c - 'A' + 10) : 16;
}

static inline bool nti_scan_text(struct nti_scan *s, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, text, n) != 0)
		return false;
	s->p += n;
	return true;
}

/* Decimal digits, 1 and more, that fit. */
static inline bool nti_scan_decimal(struct nti_scan *s, uint64_t *out)
{
	const char *start = s->p;
	uint64_t v = 0;

	while (s->p < s->end && nti_scan_is_digit(*s->p)) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*s->p - '0'), &v))
			return false;
		s->p++;
	}
	if (s->p - start > 1 && *start == '0')
		s->is_odd = true;
	*out = v;
	return s->p > start;
}

/* Hexadecimal digits, 1 and more, that fit, without 0x. */
static inline bool nti_scan_hex(struct nti_scan *s, uint64_t *out)
{
	const char *start = s->p;
	unsigned int digit;
	uint64_t v = 0;

	while (s->p < s->end && (digit = nti_scan_hex_digit(*s->p)) < 16) {
		if (v >> 60)
			return false;
		if (*s->p >= 'A' && *s->p <= 'F')
			s->is_odd = true;
		v = v << 4 | digit;
		s->p++;
	}
	if (s->p == start)
		return false;
	if (*start == '0' && s->p - start > 1)
		s->is_odd = true;
	*out = v;
	return true;
}

/* A number with 0x in front. */
static inline bool nti_scan_0x(struct nti_scan *s, uint64_t *out)
{
	return nti_scan_text(s, "0x") && nti_scan_hex(s, out);
}

static inline bool nti_scan_ended(const struct nti_scan *s)
{
	return s->p == s->end;
}

#endif
