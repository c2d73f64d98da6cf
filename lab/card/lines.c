// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Text files of words. */
#include "lab/card/lines.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ntm_lines_fail(struct ntm_lines *l, const char *format, ...)
{
	int at = snprintf(l->why, l->why_bytes, "%s:%zu: ", l->file, l->line);
	va_list args;

	va_start(args, format);
	if (at >= 0 && (size_t)at < l->why_bytes)
		(void)vsnprintf(l->why + at, l->why_bytes - (size_t)at, format, args);
	va_end(args);
	return -EINVAL;
}

bool ntm_number_take(const char **text, uint64_t most, uint64_t *out)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*out = strtoull(*text, &end, strncmp(*text, "0x", 2) == 0 ? 16 : 10);
	*text = end;
	return !errno && *out <= most;
}

static int check_line(struct ntm_lines *l, const char *text, size_t bytes)
{
	if (bytes >= NTM_LINE_BYTES)
		return ntm_lines_fail(l, "the line is longer than %d bytes", NTM_LINE_BYTES - 1);
	for (size_t i = 0; i < bytes; i++)
		if ((text[i] < ' ' && text[i] != '\t' && text[i] != '\r') || text[i] > '~')
			return ntm_lines_fail(
				l, "the byte 0x%02x in column %zu is not printable ASCII",
				(unsigned int)(unsigned char)text[i], i + 1);
	return 0;
}

static int split(struct ntm_lines *l, char *line)
{
	char *save = NULL, *comment = strchr(line, '#'), *word;

	if (comment)
		*comment = '\0';
	l->words = 0;
	for (word = strtok_r(line, " \t\r", &save); word; word = strtok_r(NULL, " \t\r", &save)) {
		if (l->words == NTM_LINE_WORDS)
			return ntm_lines_fail(l, "more than %d words", NTM_LINE_WORDS);
		l->word[l->words++] = word;
	}
	return 0;
}

static int parse(struct ntm_lines *l, const struct ntm_lines_word *words, size_t count, void *arg)
{
	char names[128] = "";
	size_t i, n = 0;

	for (i = 0; i < count; i++)
		if (strcmp(words[i].name, l->word[0]) == 0)
			return words[i].parse(arg);
	for (i = 0; i < count && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s",
				      !i	      ? ""
				      : i + 1 < count ? ", "
						      : " and ",
				      words[i].name);
	return ntm_lines_fail(l, "there is no word '%.40s'; there are %s", l->word[0], names);
}

int ntm_lines_each(struct ntm_lines *l, const char *text, size_t bytes,
		   const struct ntm_lines_word *words, size_t count, void *arg)
{
	const char *end = text + bytes;
	char line[NTM_LINE_BYTES];
	int ret = 0;

	l->line = bytes > NTM_LINES_BYTES_MAX;
	if (l->line)
		return ntm_lines_fail(l, "the file is larger than 1 MiB");
	while (ret == 0 && text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline : end) - text);

		l->line++;
		ret = check_line(l, text, length);
		if (ret < 0)
			return ret;
		memcpy(line, text, length);
		line[length] = '\0';
		ret = split(l, line);
		if (ret == 0 && l->words)
			ret = parse(l, words, count, arg);
		text += length + 1;
	}
	return ret;
}
