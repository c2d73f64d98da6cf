// SPDX-License-Identifier: MIT
/* Text of others, made fit for a terminal. */
#include <string.h>

#include "base/output/clean.h"

#define TEXTS 8
#define TEXT_BYTES 4096

size_t cli_utf8_char(const char *s, size_t bytes, uint32_t *code)
{
	const unsigned char *c = (const unsigned char *)s;
	uint32_t least;
	size_t more;

	*code = c[0];
	if (c[0] < 0x80)
		return 1;
	if (c[0] >= 0xc2 && c[0] <= 0xdf) {
		more = 1, *code = c[0] & 0x1f, least = 0x80;
	} else if ((c[0] & 0xf0) == 0xe0) {
		more = 2, *code = c[0] & 0x0f, least = 0x800;
	} else if (c[0] >= 0xf0 && c[0] <= 0xf4) {
		more = 3, *code = c[0] & 0x07, least = 0x10000;
	} else {
		return 0;
	}
	if (more >= bytes)
		return 0;
	for (size_t i = 1; i <= more; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (c[i] & 0x3f);
	}
	if (*code < least || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return more + 1;
}

int cli_is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x202a && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

/* Most text is: how many bytes of it are printable ASCII. */
static size_t plain_bytes(const char *text, size_t bytes)
{
	size_t i = 0;

	while (i < bytes && text[i] >= 0x20 && text[i] < 0x7f)
		i++;
	return i;
}

/* How many bytes at @text may be printed; 0: none, but @bad of them become one '?'. */
static size_t good_bytes(const char *text, size_t bytes, size_t *bad)
{
	size_t n = plain_bytes(text, bytes);
	uint32_t code;

	*bad = 0;
	if (n || !bytes)
		return n;
	n = cli_utf8_char(text, bytes, &code);
	*bad = n ? n : 1;
	return n && !cli_is_control(code) ? n : 0;
}

size_t cli_clean_copy(char *to, const char *text, size_t bytes)
{
	size_t from = 0, n = 0, some, bad;

	while (from < bytes) {
		some = good_bytes(text + from, bytes - from, &bad);
		memmove(to + n, text + from, some);
		n += some;
		from += some;
		if (!some) {
			to[n++] = '?';
			from += bad;
		}
	}
	return n;
}

const char *cli_clean(const char *text)
{
	static char texts[TEXTS][TEXT_BYTES];
	static unsigned int next;
	size_t bytes = strlen(text), at = 0, some = 1, bad;
	char *to;

	for (; some; at += some)
		some = good_bytes(text + at, bytes - at, &bad);
	if (at == bytes)
		return text;
	to = texts[next++ % TEXTS];
	to[cli_clean_copy(to, text, bytes < TEXT_BYTES ? bytes : TEXT_BYTES - 1)] = '\0';
	return to;
}

void cli_clean_print(FILE *f, const char *text, size_t bytes)
{
	size_t some, bad;

	for (; bytes; text += some, bytes -= some) {
		some = good_bytes(text, bytes, &bad);
		fwrite(text, 1, some, f);
		if (!some) {
			putc('?', f);
			some = bad;
		}
	}
}
