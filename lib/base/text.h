/* SPDX-License-Identifier: MIT */
/* Small things with text that the C library lacks. Nothing here knows about counters. */
#ifndef NTI_TEXT_H
#define NTI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/compiler.h"

/* printf into new memory; NULL when memory is short. Caller frees. */
char *nti_text_format(const char *format, ...) NTI_PRINTF(1, 2);

/*
 * Put @more behind the text in @buf of @size bytes. False, and @buf as before, when it does not
 * fit.
 */
bool nti_text_append(char *buf, size_t size, const char *more);

/*
 * Parse the whole of @text as an unsigned number (0x, 0 and decimal forms). 0, -EINVAL or -ERANGE.
 */
int nti_text_parse_u64(const char *text, uint64_t *out);

/* The same for a number with a point, whatever the locale of the program. 0, -EINVAL or -ENOMEM. */
int nti_text_parse_real(const char *text, double *out);

/*
 * Take the number of base 10 or 16 that begins at @at, without sign, blanks or 0x, and step behind
 * it. False, and nothing changed, when there is none or it needs more than 32 bits.
 */
bool nti_text_take_u32(const char **at, int base, uint32_t *out);

/*
 * Call @fn for each line of @text, @bytes long, without its newline; the last one may lack one.
 * First non-zero of @fn is returned.
 */
int nti_text_for_each_line(const char *text, size_t bytes,
			   int (*fn)(void *arg, const char *line, size_t bytes), void *arg);

/* Cut white space at both ends, in place; returns the first character kept. */
char *nti_text_trim(char *text);

/*
 * Damerau-Levenshtein distance without case (one swap of neighbours costs 1), at most @limit + 1.
 * Texts longer than 255 characters count as @limit + 1 away.
 */
unsigned int nti_text_distance(const char *a, const char *b, unsigned int limit);

/* True when @text contains @part, without case. */
bool nti_text_contains(const char *text, const char *part);

/* Is @n in @list (below)? False also when it is not a list. */
bool nti_text_list_has(const char *list, unsigned int n);

/*
 * A list such as "0-3,8" (the kernel's cpulist form, also "0-7:2/4") calls @fn once per number,
 * ascending as written. Numbers stay below @limit. 0, the first non-zero of @fn, -EINVAL (not a
 * list) or -ERANGE (a number >= @limit).
 */
int nti_text_for_each_in_list(const char *list, unsigned int limit,
			      int (*fn)(void *arg, unsigned int n), void *arg);

#endif
