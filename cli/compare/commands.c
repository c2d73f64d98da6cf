// SPDX-License-Identifier: MIT
/* The commands that are compared. */
#include "cli/compare/commands.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

#include "cli/output/memory.h"

static size_t length_of(char *const *words)
{
	size_t n = 0;

	while (words[n])
		n++;
	return n;
}

static void free_words(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

/* The words of @line, for free_words(); NULL after a sentence. */
static char **split(const char *line)
{
	wordexp_t found;
	char **words;
	int ret;

	ret = wordexp(line, &found, WRDE_NOCMD);
	if (ret == WRDE_NOSPACE)
		cli_memory_end();
	if (ret) {
		(void)cli_compare_misuse("'%s' %s: add --shell=sh, or quote it", line,
					 ret == WRDE_SYNTAX
						 ? "has a quote or brace that does not end"
						 : "is shell syntax");
		return NULL;
	}
	words = cli_calloc(found.we_wordc + 1, sizeof(*words));
	for (size_t i = 0; i < found.we_wordc; i++)
		words[i] = cli_strdup(found.we_wordv[i]);
	wordfree(&found);
	if (words[0])
		return words;
	free(words);
	(void)cli_compare_misuse("a command is empty");
	return NULL;
}

/* The words that run @line. */
static char **words_of(const char *line, const char *shell)
{
	char **words = split(shell ? shell : line);
	size_t n;

	if (!words || !shell)
		return words;
	n = length_of(words);
	words = cli_realloc(words, n + 3, sizeof(*words));
	words[n] = cli_strdup("-c");
	words[n + 1] = cli_strdup(line);
	words[n + 2] = NULL;
	return words;
}

/* Those of several commands are told apart by the name of the program, where that is enough. */
static char *short_name(const struct cli_compare_command *c)
{
	const char *slash = strrchr(c->argv[0], '/');

	return cli_strdup(slash ? slash + 1 : c->argv[0]);
}

static bool has_twins(const struct cli_compare_commands *c)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(c->of[i].name, c->of[k].name) == 0)
				return true;
	return false;
}

/* A, B, ... Z, 27, 28 ... */
static char *letter(size_t i)
{
	return i < 26 ? cli_format("%c", (char)('A' + i)) : cli_format("%zu", i + 1);
}

static int name_all(struct cli_compare_commands *c, const struct cli_words *name)
{
	if (name->n && name->n != c->n)
		return cli_compare_misuse("--name is given %zu times and there are %zu commands: "
					  "give it once for each",
					  name->n, c->n);
	for (size_t i = 0; i < c->n; i++)
		c->of[i].name = name->n ? cli_strdup(name->word[i]) : short_name(&c->of[i]);
	if (!has_twins(c))
		return 0;
	if (name->n)
		return cli_compare_misuse("two commands have the same --name");
	for (size_t i = 0; i < c->n; i++) {
		free(c->of[i].name);
		c->of[i].name = letter(i);
	}
	return 0;
}

static int check_hooks(size_t commands, const char *option, const struct cli_words *w)
{
	if (w->n <= 1 || w->n == commands)
		return 0;
	return cli_compare_misuse("%s is given %zu times and there are %zu commands: give it once, "
				  "or once for each",
				  option, w->n, commands);
}

static char *hook_of(const struct cli_words *w, size_t i)
{
	return w->n ? cli_strdup(w->word[w->n == 1 ? 0 : i]) : NULL;
}

int cli_compare_commands_make(struct cli_compare_commands *c, const struct cli_compare_options *o)
{
	*c = (struct cli_compare_commands){ 0 };
	if (o->operand.n < 2)
		return cli_compare_misuse(
			"there is nothing to compare: name two commands, each one "
			"in quotes (ntime -r N measures one)");
	if (check_hooks(o->operand.n, "--setup", &o->setup) ||
	    check_hooks(o->operand.n, "--prepare", &o->prepare) ||
	    check_hooks(o->operand.n, "--cleanup", &o->cleanup))
		return -EINVAL;
	c->of = cli_calloc(o->operand.n, sizeof(*c->of));
	for (size_t i = 0; i < o->operand.n; i++) {
		struct cli_compare_command *of = &c->of[c->n++];

		of->line = cli_strdup(o->operand.word[i]);
		of->setup = hook_of(&o->setup, i);
		of->prepare = hook_of(&o->prepare, i);
		of->cleanup = hook_of(&o->cleanup, i);
		of->argv = words_of(of->line, o->shell);
		if (!of->argv)
			return -EINVAL;
	}
	return name_all(c, &o->name);
}

void cli_compare_commands_fini(struct cli_compare_commands *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct cli_compare_command *of = &c->of[i];

		free(of->name);
		free(of->line);
		free(of->setup);
		free(of->prepare);
		free(of->cleanup);
		free_words(of->argv);
	}
	free(c->of);
	*c = (struct cli_compare_commands){ 0 };
}
