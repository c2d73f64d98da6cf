// SPDX-License-Identifier: MIT
/* The ntime command: find the subcommand and run it. */
#include <stdio.h>
#include <string.h>

#include <ntime/context.h>

#include "base/command/alone.h"
#include "count/cli/help.h"
#include "base/output/say.h"
#include "count/cli/shared/commands.h"
#include "count/cli/subcommands.h" /* made by count/cli/meson.build */

/* Not shown to people. */
#define HIDDEN(X) X(complete_subcommands) X(complete_options) X(complete_words)

#define DECLARE(name) extern const struct cli_command cli_##name##_command;
#define POINTER(name) &cli_##name##_command,

// cppcheck-suppress unknownMacro ; of the header that meson makes
CLI_SUBCOMMANDS(DECLARE)
HIDDEN(DECLARE)

const struct cli_command *const cli_commands[] = { CLI_SUBCOMMANDS(POINTER) HIDDEN(POINTER) NULL };

const struct cli_command *cli_command_find(const char *name)
{
	for (size_t i = 0; cli_commands[i]; i++)
		if (strcmp(cli_commands[i]->name, name) == 0)
			return cli_commands[i];
	return NULL;
}

/* Options that may stand before a subcommand's name, where one of them says what machine it is. */
static const struct leading {
	const char *name;
	char letter;
	bool has_value, is_machine;
} leading[] = {
	{ "model", 0, true, true },	  { "machine", 0, true, true },	  { "root", 0, true, true },
	{ "verbose", 'v', false, false }, { "quiet", 'q', false, false },
};

static const struct leading *find_leading(const char *word)
{
	for (size_t i = 0; i < sizeof(leading) / sizeof(leading[0]); i++) {
		const struct leading *l = &leading[i];
		size_t length = strlen(l->name);

		if (word[0] == '-' && word[1] == l->letter && l->letter && !word[2])
			return l;
		if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, l->name, length) == 0 &&
		    (!word[2 + length] || (l->has_value && word[2 + length] == '=')))
			return l;
	}
	return NULL;
}

/* Words of the command line that it takes. */
static int words_of(const struct leading *l, const char *word)
{
	return l->has_value && !strchr(word, '=') ? 2 : 1;
}

/* Actions have options of their own, behind their names. */
static bool takes(const struct cli_command *c, const char *name)
{
	const struct cli_option *o = c->for_each_action ? NULL : c->options;

	while (o && o->name && strcmp(o->name, name) != 0)
		o++;
	return o && o->name;
}

/*
 * "ntime --model SOCKET list" becomes "ntime list --model SOCKET". Without a subcommand they are
 * the default one's options as they stand. 0, or an exit status after a sentence.
 */
static int put_subcommand_first(int argc, char **argv)
{
	const struct cli_command *c;
	const struct leading *l;
	bool has_machine = false;
	char *name;
	int at = 1;

	while (at < argc && (l = find_leading(argv[at]))) {
		has_machine |= l->is_machine;
		at += words_of(l, argv[at]);
	}
	c = has_machine && at < argc ? cli_command_find(argv[at]) : NULL;
	if (!c)
		return 0;
	for (int i = 1; i < at; i += words_of(l, argv[i])) {
		l = find_leading(argv[i]);
		if (!takes(c, l->name))
			return cli_say_misuse(c->name, "--%s cannot stand before %s", l->name,
					      c->name);
	}
	name = argv[at];
	memmove(&argv[2], &argv[1], (size_t)(at - 1) * sizeof(*argv));
	argv[1] = name;
	return 0;
}

int main(int argc, char **argv)
{
	const struct cli_command *c;
	int ret;

	cli_begin();
	ret = put_subcommand_first(argc, argv);
	if (ret)
		return ret;
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		cli_help_overview(stdout);
		return cli_say_stdout_end();
	}
	if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
		printf("ntime %s\n", ntime_version());
		return cli_say_stdout_end();
	}
	c = argc > 1 ? cli_command_find(argv[1]) : NULL;
	if (c)
		return c->run(c, argc - 1, argv + 1);
	/* "ntime PROG" is "ntime stat PROG". */
	return cli_commands[0]->run(cli_commands[0], argc, argv);
}
