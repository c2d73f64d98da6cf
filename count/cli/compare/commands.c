// SPDX-License-Identifier: MIT
/* The commands that are compared. */
#include "count/cli/compare/commands.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/command/shell.h"
#include "count/cli/compare/scan.h"
#include "base/output/memory.h"

static size_t length_of(char *const *words)
{
	size_t n = 0;

	while (words[n])
		n++;
	return n;
}

/* The words of @line, for cli_shell_words_free(); NULL after a sentence. */
static char **split(const char *line)
{
	struct cli_shell_why why;
	char **words;

	words = cli_shell_split(line, &why);
	if (!words)
		(void)cli_compare_misuse("'%s' has %s, and no shell runs it: add --shell=sh, quote "
					 "it, or write sh -c '...'",
					 line, why.text);
	if (!words || (words[0] && *words[0]))
		return words;
	cli_shell_words_free(words);
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

static bool has_twins(const struct cli_compare_commands *c)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(c->of[i].name, c->of[k].name) == 0)
				return true;
	return false;
}

/* "threads=4"; behind the name of the command where there are several. */
static char *name_with(const struct cli_compare_command *c, const char *name, bool is_only)
{
	return cli_parameters_text(is_only && c->parameters ? "" : name, c->parameter,
				   c->parameters);
}

/* Commands are told apart by the names of their programs, where that is enough. */
static void name_by_program(struct cli_compare_commands *c, bool is_only)
{
	for (size_t i = 0; i < c->n; i++) {
		const char *program = c->of[i].argv[0], *slash = strrchr(program, '/');

		c->of[i].name = name_with(&c->of[i], slash ? slash + 1 : program, is_only);
	}
	if (!has_twins(c))
		return;
	for (size_t i = 0; i < c->n; i++) {
		size_t at = c->of[i].operand;
		/* A, B, ... Z, 27, 28 ... */
		char *name =
			at < 26 ? cli_format("%c", (char)('A' + at)) : cli_format("%zu", at + 1);

		free(c->of[i].name);
		c->of[i].name = name_with(&c->of[i], name, is_only);
		free(name);
	}
}

/* What is given once a command was put there as its values were. */
static int name_all(struct cli_compare_commands *c, const struct cli_words *name, size_t operands)
{
	if (!name->n) {
		name_by_program(c, operands == 1);
		return 0;
	}
	if (name->n != operands && name->n != c->n)
		return cli_compare_misuse("--name is given %zu times and there are %zu commands: "
					  "give it once for each",
					  name->n, c->n);
	for (size_t i = 0; i < c->n && name->n != operands; i++)
		c->of[i].name = cli_strdup(name->word[i]);
	return has_twins(c) ? cli_compare_misuse("two commands have the same --name") : 0;
}

/* All setups are made before the first run: the last one would be what each of these runs. */
static int check_setups(const struct cli_compare_commands *c)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < i; k++)
			if (c->of[i].setup && strcmp(c->of[i].setup, c->of[k].setup) != 0 &&
			    strcmp(c->of[i].line, c->of[k].line) == 0)
				return cli_compare_misuse(
					"--setup differs and the commands do not: as all of it "
					"comes before the first run, they would be the same; let "
					"each --setup make a file of another name, or use "
					"--prepare");
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

static const char *hook_of(const struct cli_words *w, size_t i)
{
	return w->n ? w->word[w->n == 1 ? 0 : i] : NULL;
}

static void add_parameters(struct cli_compare_command *of, const struct cli_scans *scans)
{
	of->parameter = cli_calloc(scans->n + 1, sizeof(*of->parameter));
	for (size_t i = 0; i < scans->n; i++) {
		const struct cli_scan *s = &scans->of[i];

		if (s->at == SIZE_MAX)
			continue;
		of->parameter[of->parameters++] =
			(struct cli_parameter){ .name = cli_strdup(s->name),
						.value = cli_strdup(s->value[s->at]) };
	}
}

/* Lines of an argument, in the order of struct cli_compare_command. */
enum { LINE, SETUP, PREPARE, CLEANUP, NAME, LINES };

/* The command of the values that are chosen. */
static int add_command(struct cli_compare_commands *c, const struct cli_scans *scans,
		       const char *const *line, size_t operand, const char *shell)
{
	struct cli_compare_command *of;
	char *made[LINES];

	for (int i = 0; i < LINES; i++)
		made[i] = line[i] ? cli_scans_replace(scans, line[i]) : NULL;
	cli_grow(&c->of, c->n);
	of = &c->of[c->n++];
	*of = (struct cli_compare_command){ .line = made[LINE],
					    .setup = made[SETUP],
					    .prepare = made[PREPARE],
					    .cleanup = made[CLEANUP],
					    .name = made[NAME],
					    .operand = operand };
	add_parameters(of, scans);
	of->argv = words_of(of->line, shell);
	return of->argv ? 0 : -EINVAL;
}

static int add_operand(struct cli_compare_commands *c, struct cli_scans *scans, bool *is_used,
		       const struct cli_compare_options *o, size_t i)
{
	bool has_name = o->name.n == o->operand.n && !o->file.n;
	const char *const line[LINES] = { [LINE] = o->operand.word[i],
					  [NAME] = has_name ? o->name.word[i] : NULL,
					  [SETUP] = hook_of(&o->setup, i),
					  [PREPARE] = hook_of(&o->prepare, i),
					  [CLEANUP] = hook_of(&o->cleanup, i) };
	int ret;

	cli_scans_begin(scans, line, LINES);
	for (size_t k = 0; k < scans->n; k++)
		is_used[k] |= scans->of[k].at != SIZE_MAX;
	do
		ret = add_command(c, scans, line, i, o->shell);
	while (!ret && cli_scans_next(scans));
	return ret;
}

static int add_all(struct cli_compare_commands *c, struct cli_scans *scans,
		   const struct cli_compare_options *o)
{
	bool *is_used = cli_calloc(scans->n + 1, sizeof(*is_used));
	int ret = 0;

	for (size_t i = 0; i < o->operand.n && !ret; i++)
		ret = add_operand(c, scans, is_used, o, i);
	for (size_t i = 0; i < scans->n && !ret; i++)
		if (!is_used[i])
			ret = cli_compare_misuse("-L %s: no command has {%s} in it",
						 scans->of[i].name, scans->of[i].name);
	free(is_used);
	return ret;
}

int cli_compare_commands_make(struct cli_compare_commands *c, const struct cli_compare_options *o)
{
	static const struct cli_words none;
	struct cli_scans scans;
	int ret;

	*c = (struct cli_compare_commands){ 0 };
	if (check_hooks(o->operand.n, "--setup", &o->setup) ||
	    check_hooks(o->operand.n, "--prepare", &o->prepare) ||
	    check_hooks(o->operand.n, "--cleanup", &o->cleanup))
		return -EINVAL;
	ret = cli_scans_make(&scans, &o->list);
	if (!ret)
		ret = add_all(c, &scans, o);
	cli_scans_fini(&scans);
	if (!ret && !c->n)
		ret = cli_compare_misuse("there is nothing to run: name commands, each one in "
					 "quotes");
	if (!ret && c->n + o->file.n < 2 && o->fail_above > 0)
		ret = cli_compare_misuse(CLI_NO_SECOND);
	if (!ret)
		ret = check_setups(c);
	/* Beside files, names are of their commands too. */
	return ret ? ret : name_all(c, o->file.n ? &none : &o->name, o->operand.n);
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
		cli_shell_words_free(of->argv);
		cli_parameters_free(of->parameter, of->parameters);
	}
	free(c->of);
	*c = (struct cli_compare_commands){ 0 };
}
