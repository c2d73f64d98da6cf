// SPDX-License-Identifier: MIT
/* Small things with text that the C library lacks. */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"

#define DISTANCE_MAX_CHARS 255

locale_t nti_text_use_c(void)
{
	return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

char *nti_text_vformat(const char *format, va_list args)
{
	locale_t before = nti_text_use_c();
	char *text;
	int n = vasprintf(&text, format, args);

	uselocale(before);
	return n < 0 ? NULL : text; /* vasprintf() leaves it undefined */
}

char *nti_text_format(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = nti_text_vformat(format, args);
	va_end(args);
	return text;
}

int nti_text_vprint(char *buf, size_t size, const char *format, va_list args)
{
	locale_t before = nti_text_use_c();
	int n = vsnprintf(buf, size, format, args);

	uselocale(before);
	return n;
}

int nti_text_print(char *buf, size_t size, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = nti_text_vprint(buf, size, format, args);
	va_end(args);
	return n;
}

int nti_text_scan(const char *text, const char *format, ...)
{
	locale_t before = nti_text_use_c();
	va_list args;
	int n;

	va_start(args, format);
	n = vsscanf(text, format, args);
	va_end(args);
	uselocale(before);
	return n;
}

bool nti_text_fits(const char *pattern, const char *text)
{
	locale_t before = nti_text_use_c();
	int ret = fnmatch(pattern, text, 0);

	uselocale(before);
	return ret == 0;
}

char nti_text_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

bool nti_text_is_alnum(char c)
{
	return isdigit((unsigned char)c) || (nti_text_lower(c) >= 'a' && nti_text_lower(c) <= 'z');
}

int nti_text_compare_n(const char *a, const char *b, size_t n)
{
	for (; n; n--, a++, b++) {
		char ca = nti_text_lower(*a), cb = nti_text_lower(*b);

		if (ca != cb || !ca)
			return (unsigned char)ca - (unsigned char)cb;
	}
	return 0;
}

int nti_text_compare(const char *a, const char *b)
{
	return nti_text_compare_n(a, b, SIZE_MAX);
}

char *nti_text_find(const char *text, const char *part)
{
	size_t chars = strlen(part);

	for (; nti_text_compare_n(text, part, chars) != 0; text++)
		if (!*text)
			return NULL;
	return (char *)(uintptr_t)text;
}

bool nti_text_has_word(const char *list, const char *word, size_t bytes)
{
	for (; *list; list += strspn(list, " ")) {
		size_t n = strcspn(list, " ");

		if (n == bytes && nti_text_compare_n(list, word, n) == 0)
			return true;
		list += n;
	}
	return false;
}

bool nti_text_append(char *buf, size_t size, const char *more)
{
	size_t used = strlen(buf), bytes = strlen(more) + 1;

	if (bytes > size - used)
		return false;
	memcpy(buf + used, more, bytes);
	return true;
}

int nti_text_parse_u64(const char *text, uint64_t *out)
{
	unsigned long long number;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	number = strtoull(text, &end, 0);
	if (errno)
		return -ERANGE;
	if (*end)
		return -EINVAL;
	*out = number;
	return 0;
}

int nti_text_parse_real(const char *text, double *out)
{
	locale_t before = nti_text_use_c();
	char *end;

	*out = strtod(text, &end);
	uselocale(before);
	return end == text || *end ? -EINVAL : 0;
}

bool nti_text_take_u32(const char **at, int base, uint32_t *out)
{
	unsigned long long number;
	char *end;

	if (!isxdigit((unsigned char)**at) || nti_text_compare_n(*at, "0x", 2) == 0)
		return false;
	number = strtoull(*at, &end, base);
	if (end == *at || number > UINT32_MAX)
		return false;
	*at = end;
	*out = (uint32_t)number;
	return true;
}

char *nti_text_trim(char *text)
{
	static const char blanks[] = " \t\n\v\f\r";
	char *end;

	text += strspn(text, blanks);
	end = text + strlen(text);
	while (end > text && strchr(blanks, end[-1]))
		end--;
	*end = '\0';
	return text;
}

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static bool is_same_letter(char a, char b)
{
	return nti_text_lower(a) == nti_text_lower(b);
}

/* Three rows of the classic table are enough: the swap looks back two. */
unsigned int nti_text_distance(const char *a, const char *b, unsigned int limit)
{
	unsigned int rows[3][DISTANCE_MAX_CHARS + 1];
	unsigned int *before = rows[0], *last = rows[1], *now = rows[2], *spare;
	size_t la = strlen(a), lb = strlen(b), i, j;

	if (la > DISTANCE_MAX_CHARS || lb > DISTANCE_MAX_CHARS)
		return limit + 1;
	if ((la > lb ? la - lb : lb - la) > limit)
		return limit + 1;
	for (j = 0; j <= lb; j++)
		last[j] = (unsigned int)j;
	for (i = 1; i <= la; i++) {
		now[0] = (unsigned int)i;
		for (j = 1; j <= lb; j++) {
			unsigned int cost = is_same_letter(a[i - 1], b[j - 1]) ? 0 : 1;

			now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + cost);
			if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) &&
			    is_same_letter(a[i - 2], b[j - 1]) && before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[lb] > limit ? limit + 1 : last[lb];
}

/* One "a", "a-b" or "a-b:used/group" of a list; *text moves behind it. */
struct range {
	unsigned long first, last, used, group;
};

static int parse_number(const char **text, unsigned long *out)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	errno = 0;
	*out = strtoul(*text, &end, 10);
	if (errno)
		return -ERANGE;
	*text = end;
	return 0;
}

static int parse_stride(const char **text, struct range *r)
{
	int ret;

	(*text)++;
	ret = parse_number(text, &r->used);
	if (ret < 0 || **text != '/')
		return ret < 0 ? ret : -EINVAL;
	(*text)++;
	ret = parse_number(text, &r->group);
	if (ret < 0)
		return ret;
	return r->used && r->group && r->used <= r->group ? 0 : -EINVAL;
}

static int parse_range(const char **text, struct range *r)
{
	int ret = parse_number(text, &r->first);

	if (ret < 0)
		return ret;
	r->last = r->first;
	r->used = 1;
	r->group = 1;
	if (**text != '-')
		return 0;
	(*text)++;
	ret = parse_number(text, &r->last);
	if (ret < 0)
		return ret;
	if (r->last < r->first)
		return -EINVAL;
	return **text == ':' ? parse_stride(text, r) : 0;
}

int nti_text_for_each_in_list(const char *list, unsigned int limit,
			      int (*fn)(void *arg, unsigned int n), void *arg)
{
	struct range r;
	unsigned long n;
	int ret;

	for (;;) {
		ret = parse_range(&list, &r);
		if (ret < 0)
			return ret;
		if (r.last >= limit)
			return -ERANGE;
		for (n = r.first; n <= r.last; n++) {
			if ((n - r.first) % r.group >= r.used)
				continue;
			ret = fn(arg, (unsigned int)n);
			if (ret)
				return ret;
		}
		if (!*list)
			return 0;
		if (*list++ != ',')
			return -EINVAL;
	}
}

bool nti_text_list_has(const char *list, unsigned int n)
{
	struct range r;

	/* Range by range: the numbers of one are many on a large machine. */
	while (parse_range(&list, &r) == 0 && r.last < UINT_MAX) {
		if (n >= r.first && n <= r.last && (n - r.first) % r.group < r.used)
			return true;
		if (*list++ != ',')
			break;
	}
	return false;
}

int nti_text_for_each_line(const char *text, size_t bytes,
			   int (*fn)(void *arg, const char *line, size_t bytes), void *arg)
{
	const char *end = text + bytes;
	int ret = 0;

	while (ret == 0 && text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		ret = fn(arg, text, (size_t)((stop ? stop : end) - text));
		text = stop ? stop + 1 : end;
	}
	return ret;
}
