// SPDX-License-Identifier: MIT
/*
 * Terms of a PMU's events and the bits that they fill. The rules are those of
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-format of Linux and of perf-list(1).
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"
#include "count/lib/event/format.h"

bool nti_term_next(char **list, struct nti_term *term)
{
	char *text = *list;

	if (!text)
		return false;
	*list = strchr(text, ',');
	if (*list)
		*(*list)++ = '\0';
	term->name = text;
	term->value = strchr(text, '=');
	if (term->value)
		*term->value++ = '\0';
	term->name = nti_text_trim(term->name);
	if (term->value)
		term->value = nti_text_trim(term->value);
	return true;
}

int nti_term_value(const struct nti_term *term, uint64_t *out)
{
	bool is_hex = term->value && term->value[0] == '0' && (term->value[1] | 0x20) == 'x';
	char *end;

	*out = 1;
	if (!term->value)
		return 0;
	if (!isxdigit((unsigned char)term->value[is_hex ? 2 : 0]))
		return -EINVAL;
	errno = 0;
	*out = strtoull(term->value, &end, is_hex ? 16 : 10);
	if (errno == ERANGE)
		return -ERANGE;
	return *end ? -EINVAL : 0;
}

/* The next "first-last" or "bit" of a format; *text moves behind it. */
static bool next_range(const char **text, unsigned int *first, unsigned int *last)
{
	unsigned long a, z;
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	a = strtoul(*text, &end, 10);
	z = a;
	if (*end == '-' && isdigit((unsigned char)end[1]))
		z = strtoul(end + 1, &end, 10);
	if (a > 63 || z > 63 || z < a || (*end && !strchr(",+", *end)))
		return false;
	*first = (unsigned int)a;
	*last = (unsigned int)z;
	*text = *end == ',' ? end + 1 : end;
	return true;
}

/* "+17" at the end: what is added to a value. */
static bool read_offset(const char *text, uint64_t *offset)
{
	char *end;

	if (!isdigit((unsigned char)text[1]))
		return false;
	*offset = strtoull(text + 1, &end, 10);
	return !*end;
}

int nti_format_scatter(const char *ranges, uint64_t value, __u64 *word, unsigned int *width)
{
	const char *plus = strchr(ranges, '+');
	unsigned int first, last, bit;
	uint64_t offset = 0;
	__u64 result = *word;

	*width = 0;
	if (plus && !read_offset(plus, &offset))
		return -EBADMSG;
	if (value > UINT64_MAX - offset)
		return -ERANGE;
	value += offset;
	do {
		if (!next_range(&ranges, &first, &last))
			return -EBADMSG;
		for (bit = first; bit <= last; bit++) {
			uint64_t digit = *width < 64 ? value >> *width & 1 : 0;

			result = (result & ~(1ull << bit)) | digit << bit;
			(*width)++;
		}
	} while (*ranges && ranges != plus);
	if (*width < 64 && value >> *width)
		return -ERANGE;
	*word = result;
	return 0;
}
