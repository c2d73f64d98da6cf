/* SPDX-License-Identifier: MIT */
/* Small things with text that the C library lacks. Nothing here knows about counters. */
#ifndef NTI_TEXT_H
#define NTI_TEXT_H

#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/common/compiler.h"

/* printf into new memory; NULL when memory is short. Caller frees. */
char *nti_text_format(const char *format, ...) NTI_PRINTF(1, 2);
char *nti_text_vformat(const char *format, va_list args) NTI_PRINTF(1, 0);

/*
 * The library runs in programs of others, in whose locale 1.5 may be "1,5", and the small letter of
 * I another one than i. So what is here is as in the locale "C", whatever the program's, and
 * scripts/check-house refuses the functions of the C library. isdigit(3) and isxdigit(3) are the
 * same in every locale.
 */

/* snprintf(3), vsnprintf(3), sscanf(3). */
int nti_text_print(char *buf, size_t size, const char *format, ...) NTI_PRINTF(3, 4);
int nti_text_vprint(char *buf, size_t size, const char *format, va_list args) NTI_PRINTF(3, 0);
int nti_text_scan(const char *text, const char *format, ...) __attribute__((format(scanf, 2, 3)));

/* tolower(3), isalnum(3), strcasecmp(3), strncasecmp(3), strcasestr(3). */
char nti_text_lower(char c);
bool nti_text_is_alnum(char c);
int nti_text_compare(const char *a, const char *b);
int nti_text_compare_n(const char *a, const char *b, size_t n);
char *nti_text_find(const char *text, const char *part);

/* Is @text one of those that @pattern stands for (fnmatch(3))? */
bool nti_text_fits(const char *pattern, const char *text);

/*
 * For calls of other libraries: this thread is in "C" until uselocale(3) gets what is returned.
 * Nothing is allocated, for the C library has that one.
 */
locale_t nti_text_use_c(void);

/* Is @word, of @bytes, among the words of @list, which blanks separate? Letters of both cases. */
bool nti_text_has_word(const char *list, const char *word, size_t bytes);

/*
 * Put @more behind the text in @buf of @size bytes. False, and @buf as before, when it does not
 * fit.
 */
bool nti_text_append(char *buf, size_t size, const char *more);

/*
 * Parse the whole of @text as an unsigned number (0x, 0 and decimal forms). 0, -EINVAL or -ERANGE.
 */
int nti_text_parse_u64(const char *text, uint64_t *out);

/* The same for a number with a point. 0 or -EINVAL. */
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
