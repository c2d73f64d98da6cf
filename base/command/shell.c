// SPDX-License-Identifier: MIT
/* What a shell understands and the kernel does not. */
#include "base/command/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/memory.h"

/* Of POSIX and bash, those that are no programs anywhere. */
static const char *const own[] = { ".",	      "alias",	  "bg",	     "builtin", "case",	  "cd",
				   "command", "declare",  "eval",    "exec",	"export", "fg",
				   "for",     "function", "history", "if",	"jobs",	  "let",
				   "local",   "pushd",	  "popd",    "read",	"set",	  "shift",
				   "source",  "trap",	  "type",    "typeset", "ulimit", "umask",
				   "unset",   "until",	  "wait",    "while",	"[[" };

bool cli_is_of_shell(const char *word)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strcmp(word, own[i]) == 0)
			return true;
	return word[strcspn(word, " \t\n|&;<>()$`*?{}=")];
}

/* ---- words ---- */

#define BLANKS " \t\n"
#define NAME_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* Outside of quotes, in a word that begins at @word: does only a shell know what it means? */
static bool needs_shell(const char *at, const char *word, bool is_first)
{
	bool begins = at == word, ends = !at[1] || strchr(BLANKS, at[1]);
	size_t chars;

	switch (*at) {
	case '$':
		return !ends;
	case '[':
		chars = strcspn(at, "]" BLANKS);
		return at[chars] == ']' && chars > 1;
	case '~':
	case '#':
		return begins;
	case '!':
	case '{':
		return is_first && begins && ends;
	case '=':
		return is_first && !begins && word + strspn(word, NAME_CHARS) == at;
	case '\n':
		return at[strspn(at, BLANKS)];
	default:
		return strchr("|&;<>()`*?", *at);
	}
}

/* What the quotes at @at hold, to *@to. The end behind them, NULL: there is none. */
static const char *unquote(const char *at, char **to)
{
	char quote = *at++;

	for (; *at != quote; at++) {
		if (!*at)
			return NULL;
		if (quote == '"' && *at == '\\' && at[1] && strchr("$`\"\\", at[1]))
			at++;
		*(*to)++ = *at;
	}
	return at + 1;
}

/* One word, to @to. Its end, NULL after *@why. */
static const char *take_word(const char *word, bool is_first, char *to, struct cli_shell_why *why)
{
	const char *at = word;

	*why = (struct cli_shell_why){ 0 };
	while (*at) {
		if (needs_shell(at, word, is_first)) {
			(void)snprintf(why->text, sizeof(why->text), "%s%.1s%s outside of quotes",
				       *at == '\n' ? "a line break" : "'", *at == '\n' ? "" : at,
				       *at == '\n' ? "" : "'");
			return NULL;
		}
		if (strchr(BLANKS, *at))
			break;
		if (*at == '\'' || *at == '"') {
			(void)snprintf(why->text, sizeof(why->text), "a quote, %c, without end",
				       *at);
			at = unquote(at, &to);
			if (!at)
				return NULL;
		} else if (*at == '\\' && at[1]) {
			*to++ = at[1];
			at += 2;
		} else {
			*to++ = *at++;
		}
	}
	*to = '\0';
	return at;
}

void cli_shell_words_free(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

/* @line in one piece: a backslash in front of a line break continues it, but between '. */
static char *join_lines(const char *line)
{
	char *all = cli_calloc(strlen(line) + 1, 1), *to = all, quote = 0;

	for (; *line; line++) {
		bool is_escape = *line == '\\' && line[1] && quote != '\'';

		if (is_escape && line[1] == '\n') {
			line++;
			continue;
		}
		if (is_escape)
			*to++ = *line++;
		else if (*line == quote)
			quote = 0;
		else if (!quote && (*line == '\'' || *line == '"'))
			quote = *line;
		*to++ = *line;
	}
	return all;
}

char **cli_shell_split(const char *line, struct cli_shell_why *why)
{
	char *joined = join_lines(line), **words = cli_calloc(1, sizeof(*words));
	/* What is unquoted is no longer. */
	char *one = cli_calloc(strlen(joined) + 1, 1);
	const char *at = joined + strspn(joined, BLANKS);
	size_t n = 0;

	while (at && *at && at[strspn(at, BLANKS)]) {
		at = take_word(at, !n, one, why);
		if (!at)
			break;
		words = cli_realloc(words, n + 2, sizeof(*words));
		words[n++] = cli_strdup(one);
		words[n] = NULL;
		at += strspn(at, " \t");
	}
	free(one);
	free(joined);
	if (at)
		return words;
	cli_shell_words_free(words);
	return NULL;
}
