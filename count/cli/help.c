// SPDX-License-Identifier: MIT
/* What ntime is and what it knows: "ntime --help", "ntime help", and what completion asks for. */
#include <stdio.h>
#include <string.h>

#include "base/command/alone.h"
#include "base/command/help.h"
#include "base/command/program.h"
#include "count/cli/help.h"
#include "base/output/say.h"
#include "count/cli/shared/commands.h"
#include "base/output/term.h"

void cli_help_overview(FILE *f)
{
	struct cli_look look = cli_help_look(f);

	fputs("Usage: ntime [stat] [OPTION...] [--] COMMAND [ARG...]\n"
	      "       ntime SUBCOMMAND [OPTION...] [ARG...]\n"
	      "       ntime --help | --version | help [SUBCOMMAND [ACTION]]\n\n",
	      f);
	cli_wrap(f, &look, 0, 0,
		 "ntime runs a command and prints how long it took, with the machine's performance "
		 "counters. Events that cannot be counted are listed with the reason; they are "
		 "never shown as 0.");
	fputs("\nSubcommands:\n", f);
	for (size_t i = 0; cli_commands[i]; i++) {
		if (cli_commands[i]->is_hidden)
			continue;
		fprintf(f, "  %-8s ", cli_commands[i]->name);
		cli_wrap(f, &look, 11, 11, cli_commands[i]->about);
	}
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) the first is always there */
	fprintf(f, "\nOptions of ntime %s:\n", cli_commands[0]->name);
	cli_help_print_options(f, &look, cli_commands[0]->options);
	fputs("  -V, --version             print the version and exit\n\nExamples:\n  ntime make   "
	      "                     times and the default counters\n  ntime -r 5 -e page-faults "
	      "./prog  five runs and their mean\n  ntime -a -I 1s                    the whole "
	      "machine, one block a second\n  ntime list miss                   events and metrics "
	      "with 'miss' in them\n  ntime doctor                      problems of this "
	      "machine, with remedies\n\nThe manual page is ntime(1).\n",
	      f);
}

/* cli_help_options() of subcommand @name, NULL: of all. What is not installed has none. */
static void print_options(const char *name)
{
	if (!name || strcmp(name, "ntime") == 0 || strcmp(name, cli_commands[0]->name) == 0)
		fputs("ntime\t--help\t-h\t\tprint what ntime is and its subcommands and options\n"
		      "ntime\t--version\t-V\t\tprint the version and exit\n",
		      stdout);
	for (size_t i = 0; cli_commands[i]; i++) {
		const struct cli_command *c = cli_commands[i];

		if (c->is_hidden || (name && strcmp(name, c->name) != 0))
			continue;
		if (c->program)
			cli_program_ask(c->program,
					(char *[]){ (char *)c->name, CLI_COMPLETE_OPTIONS, NULL });
		else
			cli_help_options(stdout, c);
	}
}

static int run_help(const struct cli_command *self, int argc, char **argv)
{
	const struct cli_command *c;

	if (argc > 3)
		return cli_say_misuse(
			self->name, "help takes a subcommand and one of its actions, not %d words",
			argc - 1);
	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		cli_help_overview(stdout);
		return cli_say_stdout_end();
	}
	c = cli_command_find(argv[1]);
	if (c && c->program)
		return cli_program_become(
			c->program, (char *[]){ argv[1], argc == 3 ? CLI_HELP_ACTION : "--help",
						argv[2], NULL });
	if (c && argc == 3)
		return cli_help_action(c, argv[2]);
	if (c) {
		cli_help_print(stdout, c);
		return cli_say_stdout_end();
	}
	for (size_t i = 0; cli_commands[i]; i++)
		if (!cli_commands[i]->is_hidden && cli_word_is_near(argv[1], cli_commands[i]->name))
			return cli_say_misuse("", "there is no subcommand '%s'; did you mean '%s'?",
					      argv[1], cli_commands[i]->name);
	return cli_say_misuse("", "there is no subcommand '%s'", argv[1]);
}

const struct cli_command cli_help_command = {
	.name = "help",
	.usage = "help [SUBCOMMAND [ACTION]]",
	.about = "print the options of ntime or of a subcommand",
	.details = "",
	.run = run_help,
};

static int run_complete(const struct cli_command *self, int argc, char **argv)
{
	/* An action's are those of its subcommand. */
	if (argc > 3)
		return cli_say_misuse("", "%s takes a subcommand and an action", self->name);
	print_options(argv[1]);
	return cli_say_stdout_end();
}

const struct cli_command cli_complete_options_command = {
	.name = CLI_COMPLETE_OPTIONS,
	.usage = CLI_COMPLETE_OPTIONS " [SUBCOMMAND [ACTION]]",
	.about = "print every option, or a subcommand's, one per line, for completion and checks",
	.details = "",
	.is_hidden = true,
	.run = run_complete,
};

static int run_complete_subcommands(const struct cli_command *self, int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return cli_say_misuse("", "%s takes no argument", self->name);
	for (size_t i = 0; cli_commands[i]; i++)
		if (!cli_commands[i]->is_hidden)
			printf("%s\t%s\n", cli_commands[i]->name, cli_commands[i]->about);
	return cli_say_stdout_end();
}

/* cli_help_words(), one per line, with "<TAB>what it is" where there is more to say. */
static int run_complete_words(const struct cli_command *self, int argc, char **argv)
{
	const struct cli_command *c = argc > 1 ? cli_command_find(argv[1]) : NULL;

	if (!c)
		return cli_say_misuse("", "%s takes a subcommand and the words behind it",
				      self->name);
	if (!c->program)
		return cli_help_words(c, argc - 1, argv + 1);
	argv[0] = argv[1];
	argv[1] = CLI_COMPLETE_WORDS;
	return cli_program_become(c->program, argv);
}

const struct cli_command cli_complete_words_command = {
	.name = CLI_COMPLETE_WORDS,
	.usage = CLI_COMPLETE_WORDS " SUBCOMMAND [WORD...]",
	.about = "print the words that may follow, one per line, for completion",
	.details = "",
	.is_hidden = true,
	.run = run_complete_words,
};

const struct cli_command cli_complete_subcommands_command = {
	.name = "complete-subcommands",
	.usage = "complete-subcommands",
	.about = "print every subcommand and what it does, one per line, for completion and checks",
	.details = "",
	.is_hidden = true,
	.run = run_complete_subcommands,
};
