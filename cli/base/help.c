// SPDX-License-Identifier: MIT
/*
 * Help texts made from the tables of the subcommands; the subcommand "help" and those for
 * completion.
 */
#include <string.h>
#include <unistd.h>

#include "cli/base/help.h"
#include "cli/output/say.h"
#include "cli/output/term.h"

#define OPTION_COLUMNS 28

static struct cli_look look_of(FILE *f)
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
	struct cli_look look = look_of(arg);

	fprintf(arg, "  %-8s ", action_name(action));
	cli_wrap(arg, &look, 11, 11, action->about);
	return 0;
}

void cli_help_print(FILE *f, const struct cli_command *c)
{
	struct cli_look look = look_of(f);

	print_usage(f, c);
	putc('\n', f);
	cli_wrap(f, &look, 0, 0, c->about);
	if (c->for_each_action) {
		fputs("\nActions:\n", f);
		c->for_each_action(print_action, f);
	}
	if (c->options && c->options->name) {
		fputs("\nOptions:\n", f);
		for (const struct cli_option *o = c->options; o->name; o++)
			print_option(f, &look, o);
	}
	if (*c->details) {
		putc('\n', f);
		print_details(f, &look, c->details);
	}
}

void cli_help_overview(FILE *f)
{
	struct cli_look look = look_of(f);

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
	for (const struct cli_option *o = cli_commands[0]->options; o && o->name; o++)
		print_option(f, &look, o);
	fputs("  -V, --version             print the version and exit\n\nExamples:\n  ntime make   "
	      "                     times and the default counters\n  ntime -r 5 -e page-faults "
	      "./prog  five runs and their mean\n  ntime -a -I 1s                    the whole "
	      "machine, one block a second\n  ntime list miss                   events and metrics "
	      "with 'miss' in them\n  ntime doctor                      problems of this "
	      "machine, with remedies\n\nThe manual page is ntime(1).\n",
	      f);
}

static int complete_options(void *arg, const struct cli_command *c)
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

/*
 * One line per option, of actions with "subcommand action" in front:
 * "subcommand<TAB>--long<TAB>-s<TAB>ARG<TAB>help"; empty where there is no letter or argument.
 */
static void help_complete(FILE *f)
{
	fputs("ntime\t--help\t-h\t\tprint what ntime is and its subcommands and options\n"
	      "ntime\t--version\t-V\t\tprint the version and exit\n",
	      f);
	for (size_t i = 0; cli_commands[i]; i++) {
		if (cli_commands[i]->is_hidden)
			continue;
		complete_options(f, cli_commands[i]);
		if (cli_commands[i]->for_each_action)
			cli_commands[i]->for_each_action(complete_options, f);
	}
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

static int run_help_action(const struct cli_command *c, const char *name)
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
	if (c && argc == 3)
		return run_help_action(c, argv[2]);
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
	(void)argv;
	if (argc > 1)
		return cli_say_misuse("", "%s takes no argument", self->name);
	help_complete(stdout);
	return cli_say_stdout_end();
}

const struct cli_command cli_complete_options_command = {
	.name = "complete-options",
	.usage = "complete-options",
	.about = "print every option, one per line, for completion and checks",
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

/*
 * What may stand behind words of a command line, where that is one of a closed set: behind a
 * subcommand its actions, behind an option its arguments; one per line, with "<TAB>what it is"
 * where there is more to say.
 */
static int run_complete_words(const struct cli_command *self, int argc, char **argv)
{
	const struct cli_command *c = argc > 1 ? cli_command_find(argv[1]) : NULL;

	if (!c)
		return cli_say_misuse("", "%s takes a subcommand and the words behind it",
				      self->name);
	if (c->words) {
		argv[0] = argv[1];
		argv[1] = (char *)self->name;
		return c->words(c, argc, argv);
	}
	for (size_t i = 0; argc == 2 && c->action && c->action(i); i++)
		puts(c->action(i));
	if (argc == 3)
		print_words_of_option(c, argv[2]);
	else if (argc == 4 && c->for_each_action)
		c->for_each_action(print_words_of_action, argv + 2);
	return cli_say_stdout_end();
}

const struct cli_command cli_complete_words_command = {
	.name = "complete-words",
	.usage = "complete-words SUBCOMMAND [WORD...]",
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
