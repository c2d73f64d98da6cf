// SPDX-License-Identifier: MIT
/* Help texts, and what completion asks for, made from the table of a subcommand. */
#include <string.h>
#include <unistd.h>

#include "base/command/help.h"
#include "base/output/say.h"
#include "base/output/term.h"

#define OPTION_COLUMNS 28

struct cli_look cli_help_look(FILE *f)
{
	struct cli_look look = cli_look_at(fileno(f));

	/* Sentences that run over the whole of a wide screen are hard to read. */
	if (look.width > 100)
		look.width = 100;
	return look;
}

static void print_usage(FILE *f, const struct cli_command *c)
{
	const char *line = c->usage, *end;

	for (int n = 0; line; n++) {
		end = strchr(line, '\n');
		fprintf(f, "%s ntime %.*s\n",
			n ? "      " : "Usage:", (int)(end ? end - line : (long)strlen(line)),
			line);
		line = end ? end + 1 : NULL;
	}
}

static void print_option(FILE *f, const struct cli_look *look, const struct cli_option *o)
{
	size_t column = look->width < 60 ? 8 : OPTION_COLUMNS + 2;
	int n;

	if (cli_option_has_letter(o))
		n = fprintf(f, "  -%c, --%s", o->id, o->name);
	else
		n = fprintf(f, "      --%s", o->name);
	if (o->arg)
		n += fprintf(f, " %s", o->arg);
	if ((size_t)n + 2 > column) {
		putc('\n', f);
		n = 0;
	}
	fprintf(f, "%*s", (int)column - n, "");
	cli_wrap(f, look, column, column, o->help);
}

void cli_help_print_options(FILE *f, const struct cli_look *look, const struct cli_option *o)
{
	for (; o && o->name; o++)
		print_option(f, look, o);
}

/* Paragraphs are separated by newlines; a line that begins with a blank is printed as it is. */
static void print_details(FILE *f, const struct cli_look *look, const char *text)
{
	while (*text) {
		size_t bytes = strcspn(text, "\n");
		char line[1024];

		snprintf(line, sizeof(line), "%.*s", (int)bytes, text);
		if (line[0] == ' ')
			fprintf(f, "%s\n", line);
		else
			cli_wrap(f, look, 0, 0, line);
		text += bytes + (text[bytes] == '\n');
	}
}

/* The second word of "trace show". */
static const char *action_name(const struct cli_command *action)
{
	return strchr(action->name, ' ') + 1;
}

static int print_action(void *arg, const struct cli_command *action)
{
	struct cli_look look = cli_help_look(arg);

	fprintf(arg, "  %-8s ", action_name(action));
	cli_wrap(arg, &look, 11, 11, action->about);
	return 0;
}

void cli_help_print(FILE *f, const struct cli_command *c)
{
	struct cli_look look = cli_help_look(f);

	print_usage(f, c);
	putc('\n', f);
	cli_wrap(f, &look, 0, 0, c->about);
	if (c->for_each_action) {
		fputs("\nActions:\n", f);
		c->for_each_action(print_action, f);
	}
	if (c->options && c->options->name) {
		fputs("\nOptions:\n", f);
		cli_help_print_options(f, &look, c->options);
	}
	if (*c->details) {
		putc('\n', f);
		print_details(f, &look, c->details);
	}
}

static int print_options(void *arg, const struct cli_command *c)
{
	for (const struct cli_option *o = c->options; o && o->name; o++) {
		char letter[3] = "";

		if (cli_option_has_letter(o))
			snprintf(letter, sizeof(letter), "-%c", o->id);
		fprintf(arg, "%s\t--%s\t%s\t%s\t%s\n", c->name, o->name, letter,
			o->arg ? o->arg : "", o->help);
	}
	return 0;
}

void cli_help_options(FILE *f, const struct cli_command *c)
{
	(void)print_options(f, c);
	if (c->for_each_action)
		c->for_each_action(print_options, f);
}

struct wanted_action {
	const char *name;
	bool is_found;
};

static int help_action(void *arg, const struct cli_command *action)
{
	struct wanted_action *wanted = arg;

	wanted->is_found = strcmp(action_name(action), wanted->name) == 0;
	if (wanted->is_found)
		cli_help_print(stdout, action);
	return wanted->is_found;
}

/* An action without a table of its own, "reg ls": the usage has a line that begins with it. */
static bool is_in_usage(const struct cli_command *c, const char *name)
{
	char words[64];
	size_t bytes;

	snprintf(words, sizeof(words), "%s %s", c->name, name);
	bytes = strlen(words);
	for (const char *line = c->usage; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, words, bytes) == 0 && strchr(" \n", line[bytes]))
			return true;
	}
	return false;
}

int cli_help_action(const struct cli_command *c, const char *name)
{
	struct wanted_action wanted = { .name = name };

	if (c->for_each_action)
		c->for_each_action(help_action, &wanted);
	else if (is_in_usage(c, name)) {
		cli_help_print(stdout, c);
		wanted.is_found = true;
	}
	if (wanted.is_found)
		return cli_say_stdout_end();
	return cli_say_misuse(c->name, "there is no '%s %s'", c->name, name);
}

/* What follows option @option of @c. */
static void print_words_of_option(const struct cli_command *c, const char *option)
{
	for (const struct cli_option *o = c->options; o && o->name; o++) {
		bool is_long = strncmp(option, "--", 2) == 0 && strcmp(option + 2, o->name) == 0;
		bool is_short = cli_option_has_letter(o) && option[0] == '-' &&
				option[1] == o->id && !option[2];

		for (size_t i = 0; (is_long || is_short) && o->word && o->word(i); i++)
			puts(o->word(i));
	}
}

/* @arg: the action and the option. */
static int print_words_of_action(void *arg, const struct cli_command *action)
{
	char **argv = arg;

	if (strcmp(action_name(action), argv[0]) == 0)
		print_words_of_option(action, argv[1]);
	return 0;
}

int cli_help_words(const struct cli_command *c, int argc, char **argv)
{
	if (c->words)
		return c->words(c, argc, argv);
	for (size_t i = 0; argc == 1 && c->action && c->action(i); i++)
		puts(c->action(i));
	if (argc == 2)
		print_words_of_option(c, argv[1]);
	else if (argc == 3 && c->for_each_action)
		c->for_each_action(print_words_of_action, argv + 1);
	return cli_say_stdout_end();
}
