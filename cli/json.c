// SPDX-License-Identifier: MIT
/* JSON values from what C has. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"

/* Bytes of the UTF-8 character at @s, 0 when it is none (RFC 3629: no surrogates, shortest form, below U+110000). */
static size_t utf8_bytes(const unsigned char *s)
{
	size_t more;
	uint32_t code, least;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf) {
		more = 1, code = s[0] & 0x1f, least = 0x80;
	} else if ((s[0] & 0xf0) == 0xe0) {
		more = 2, code = s[0] & 0x0f, least = 0x800;
	} else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		more = 3, code = s[0] & 0x07, least = 0x10000;
	} else {
		return 0;
	}
	for (size_t i = 1; i <= more; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return more + 1;
}

json_t *cli_json_text(const char *text)
{
	const unsigned char *from = (const unsigned char *)text;
	json_t *json = json_string(text); /* NULL unless it is UTF-8 */
	char *clean, *to;

	if (json)
		return json;
	clean = malloc(3 * strlen(text) + 1);
	if (!clean)
		return NULL;
	for (to = clean; *from;) {
		size_t bytes = utf8_bytes(from);

		memcpy(to, bytes ? (const char *)from : "\xef\xbf\xbd", bytes ? bytes : 3);
		to += bytes ? bytes : 3;
		from += bytes ? bytes : 1;
	}
	*to = '\0';
	json = json_string(clean);
	free(clean);
	return json;
}

json_t *cli_json_count(uint64_t count)
{
	return count <= INT64_MAX ? json_integer((json_int_t)count) : json_real((double)count);
}

json_t *cli_json_number(double number)
{
	if (!isfinite(number))
		return json_null();
	if (number == nearbyint(number) && fabs(number) < 9007199254740992.0)
		return json_integer((json_int_t)number);
	return json_real(number);
}

int cli_json_write(FILE *f, json_t *root, int is_indented)
{
	int failed;

	if (!root)
		return -ENOMEM;
	failed = json_dumpf(root, f, is_indented ? JSON_INDENT(2) : JSON_COMPACT);
	json_decref(root);
	putc('\n', f);
	return failed || ferror(f) ? -EIO : 0;
}
