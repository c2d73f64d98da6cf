// SPDX-License-Identifier: MIT
/* Commands with {VAR} in them. */
#include "count/cli/compare/scan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/memory.h"

/* Is "{NAME}" at @at? */
static bool is_at(const char *at, const char *name)
{
	size_t chars = strlen(name);

	return at[0] == '{' && strncmp(at + 1, name, chars) == 0 && at[1 + chars] == '}';
}

static bool has_name(const char *text, const char *name)
{
	for (; text && *text; text++)
		if (is_at(text, name))
			return true;
	return false;
}

static int parse(struct cli_scan *s, const char *list)
{
	char *equal, *rest, *value;

	s->text = cli_strdup(list);
	s->at = SIZE_MAX;
	equal = strchr(s->text, '=');
	if (!equal || equal == s->text || !equal[1])
		return cli_compare_misuse("-L '%s' is no list: write -L VAR VALUE,VALUE", list);
	*equal = '\0';
	s->name = s->text;
	for (rest = equal + 1; (value = strsep(&rest, ","));) {
		if (!*value)
			return cli_compare_misuse("-L %s: a value is empty", s->name);
		cli_grow(&s->value, s->n);
		s->value[s->n++] = value;
		for (size_t i = 0; i + 1 < s->n; i++)
			if (strcmp(s->value[i], value) == 0)
				return cli_compare_misuse("-L %s: %s is there twice", s->name,
							  value);
	}
	return 0;
}

int cli_scans_make(struct cli_scans *s, const struct cli_words *list)
{
	int ret = 0;

	*s = (struct cli_scans){ .of = cli_calloc(list->n + 1, sizeof(*s->of)) };
	for (size_t i = 0; i < list->n && !ret; i++) {
		ret = parse(&s->of[s->n++], list->word[i]);
		for (size_t k = 0; k < i && !ret; k++)
			if (strcmp(s->of[k].name, s->of[i].name) == 0)
				ret = cli_compare_misuse("-L %s is given twice", s->of[i].name);
	}
	return ret;
}

void cli_scans_fini(struct cli_scans *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->of[i].text);
		free(s->of[i].value);
	}
	free(s->of);
	*s = (struct cli_scans){ 0 };
}

void cli_scans_begin(struct cli_scans *s, const char *const *text, size_t n)
{
	for (size_t i = 0; i < s->n; i++) {
		s->of[i].at = SIZE_MAX;
		for (size_t k = 0; k < n; k++)
			if (has_name(text[k], s->of[i].name))
				s->of[i].at = 0;
	}
}

bool cli_scans_next(struct cli_scans *s)
{
	for (size_t i = s->n; i > 0; i--) {
		struct cli_scan *of = &s->of[i - 1];

		if (of->at == SIZE_MAX)
			continue;
		if (++of->at < of->n)
			return true;
		of->at = 0;
	}
	return false;
}

char *cli_scans_replace(const struct cli_scans *s, const char *text)
{
	struct cli_text out;

	cli_text_begin(&out);
	for (; *text; text++) {
		size_t i = 0;

		while (i < s->n && (s->of[i].at == SIZE_MAX || !is_at(text, s->of[i].name)))
			i++;
		if (i == s->n) {
			putc(*text, out.f);
			continue;
		}
		fputs(s->of[i].value[s->of[i].at], out.f);
		text += strlen(s->of[i].name) + 1;
	}
	return cli_text_end(&out);
}
