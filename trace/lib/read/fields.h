/* SPDX-License-Identifier: MIT */
/*
 * Fields of a line that are separated by spaces or tabs, read one after another. What does not fit
 * makes the whole line unfit.
 */
#ifndef NTI_TRACE_FIELDS_H
#define NTI_TRACE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What is left of a line; .is_bad once a field was missing or something else. */
struct nti_fields {
	const char *p, *end;
	bool is_bad;
};

/* Values of hexadecimal digits, 0xff: none. */
extern const uint8_t nti_hex_values[256];

/* The line at @p that ends before @end, without what ends it: CR and LF. */
static inline struct nti_fields nti_fields(const char *p, const char *end)
{
	while (end > p && (end[-1] == '\r' || end[-1] == '\n'))
		end--;
	return (struct nti_fields){ p, end, false };
}

static inline void nti_fields_skip(struct nti_fields *f)
{
	while (f->p < f->end && (*f->p == ' ' || *f->p == '\t'))
		f->p++;
}

static inline bool nti_fields_is_end(struct nti_fields *f)
{
	nti_fields_skip(f);
	return f->p == f->end;
}

/* A number ends where its field ends. */
static inline void nti_fields_close(struct nti_fields *f)
{
	if (f->p < f->end && *f->p != ' ' && *f->p != '\t')
		f->is_bad = true;
}

/* Digits only; at most @max of them. */
static inline uint64_t nti_fields_digits(struct nti_fields *f, unsigned int max)
{
	const char *begin = f->p;
	uint64_t value = 0;

	for (; f->p < f->end && (unsigned char)(*f->p - '0') < 10; f->p++)
		value = value * 10 + (uint64_t)(*f->p - '0');
	if (f->p == begin || f->p - begin > (ptrdiff_t)max)
		f->is_bad = true;
	return value;
}

static inline uint64_t nti_fields_dec(struct nti_fields *f)
{
	uint64_t value;

	nti_fields_skip(f);
	value = nti_fields_digits(f, 19);
	nti_fields_close(f);
	return value;
}

/* Hexadecimal digits, with or without 0x. */
static inline uint64_t nti_fields_hex_digits(struct nti_fields *f)
{
	const char *begin;
	uint64_t value = 0;
	uint8_t digit;

	if (f->end - f->p > 2 && f->p[0] == '0' && (f->p[1] | 0x20) == 'x')
		f->p += 2;
	for (begin = f->p; f->p < f->end; f->p++) {
		digit = nti_hex_values[(unsigned char)*f->p];
		if (digit > 15)
			break;
		value = value << 4 | digit;
	}
	if (f->p == begin || f->p - begin > 16)
		f->is_bad = true;
	return value;
}

static inline uint64_t nti_fields_hex(struct nti_fields *f)
{
	uint64_t value;

	nti_fields_skip(f);
	value = nti_fields_hex_digits(f);
	nti_fields_close(f);
	return value;
}

/* "SECONDS.FRACTION" in nanoseconds. */
static inline uint64_t nti_fields_seconds(struct nti_fields *f)
{
	static const uint32_t scale[10] = { 1000000000, 100000000, 10000000, 1000000, 100000,
					    10000,	1000,	   100,	     10,      1 };
	uint64_t seconds, part = 0;
	const char *begin;

	nti_fields_skip(f);
	seconds = nti_fields_digits(f, 10);
	if (f->p < f->end && *f->p == '.') {
		begin = ++f->p;
		part = nti_fields_digits(f, 9);
		if (!f->is_bad)
			part *= scale[f->p - begin];
	}
	nti_fields_close(f);
	return seconds * 1000000000 + part;
}

/* A literal that may stand here. */
static inline bool nti_fields_take(struct nti_fields *f, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(f->end - f->p) < n || memcmp(f->p, text, n) != 0)
		return false;
	f->p += n;
	return true;
}

/* One that must. */
static inline void nti_fields_literal(struct nti_fields *f, const char *text)
{
	f->is_bad |= !nti_fields_take(f, text);
}

/* The same with any white space, or none, in front and where @text has a blank. */
void nti_fields_loose(struct nti_fields *f, const char *text);

#endif
