// SPDX-License-Identifier: MIT
/* Command lines: getopt_long(3) fed from the option table, with sentences of our own. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/command/help.h"
#include "base/command/options.h"
#include "base/output/json.h"
#include "base/output/number.h"
#include "base/output/say.h"

/* Options without a number of their own have that of their row, from here on. */
#define FIRST_ROW 0x10000

/* Those of other programs that are understood. */
#define FIRST_FOREIGN 0x20000

/* What getopt_long() wants to see of a table. */
struct tables {
	struct option longs[2 * CLI_OPTIONS_MAX + 1];
	char shorts[4 * CLI_OPTIONS_MAX + 3];
	size_t n, chars;
};

static void add(struct tables *t, const char *name, char letter, bool has_arg, int val)
{
	if (t->n == 2 * CLI_OPTIONS_MAX)
		return;
	if (name)
		t->longs[t->n++] = (struct option){ .name = name, .has_arg = has_arg, .val = val };
	if (letter)
		t->shorts[t->chars++] = letter;
	if (letter && has_arg)
		t->shorts[t->chars++] = ':';
}

static const struct cli_option *find_name(const struct cli_command *c, const char *name)
{
	const struct cli_option *o = c->options;

	while (o->name && strcmp(o->name, name) != 0)
		o++;
	return o;
}

static void tables_init(struct tables *t, const struct cli_command *c)
{
	int n = 0;

	/* A missing argument is told apart from an unknown option. */
	t->chars = c->is_permuting ? 0 : 1;
	t->shorts[0] = '+';
	t->shorts[t->chars++] = ':';
	for (const struct cli_option *o = c->options; o->name; o++, n++)
		add(t, o->name, cli_option_has_letter(o) ? (char)o->id : '\0', !!o->arg,
		    o->id ? o->id : FIRST_ROW + n);
	n = 0;
	for (const struct cli_foreign *f = c->foreign; f && f->name; f++, n++) {
		bool has_arg = f->mark ||
			       (f->means && *f->means && !f->value && find_name(c, f->means)->arg);

		if (f->means && f->name[1])
			add(t, f->name, '\0', has_arg, FIRST_FOREIGN + n);
		else if (f->means)
			add(t, NULL, *f->name, has_arg, FIRST_FOREIGN + n);
	}
}

/* The options of the default subcommand are in "ntime --help" itself. */
static const char *help_of(const struct cli_command *c)
{
	return c->is_default ? "" : c->name;
}

/* Entry with that @id, or NULL. */
static const struct cli_option *find_option(const struct cli_command *c, int id)
{
	if (id >= FIRST_FOREIGN)
		return NULL;
	if (id >= FIRST_ROW)
		return &c->options[id - FIRST_ROW];
	for (const struct cli_option *o = c->options; o && o->name; o++)
		if (o->id == id)
			return o;
	return NULL;
}

/* What getopt_long() gave @id for, or NULL. */
static const struct cli_foreign *find_foreign(const struct cli_command *c, int id)
{
	const struct cli_foreign *f = c->foreign;

	if (f && id >= FIRST_FOREIGN)
		return &f[id - FIRST_FOREIGN];
	for (; f && f->name; f++)
		if (f->means && *f->name == id && !f->name[1])
			return f;
	return NULL;
}

bool cli_option_store(const struct cli_option *o, void *options, const char *value)
{
	void *at = (char *)options + o->at;

	switch (o->sets) {
	case CLI_SETS_FLAG:
		*(bool *)at = true;
		break;
	case CLI_SETS_TEXT:
		*(const char **)at = value;
		break;
	case CLI_SETS_COUNT:
		++*(unsigned int *)at;
		break;
	default:
		break;
	}
	return o->sets != CLI_SETS_NOTHING;
}

/* What is said to those who know @word from another program, or NULL. */
static const char *answer_to(const struct cli_command *c, const char *word)
{
	for (const struct cli_foreign *f = c->foreign; f && f->name; f++)
		if (strcmp(f->name, word) == 0)
			return f->answer;
	return NULL;
}

/* Is @word what another program calls it? Then it was said. */
static bool say_foreign(const struct cli_command *c, const char *word)
{
	const char *answer = answer_to(c, word);

	if (answer)
		cli_say_misuse(help_of(c), "unknown option '%s%s': %s", word[1] ? "--" : "-", word,
			       answer);
	return answer;
}

/* Say which option someone who wrote --@typed may have meant. */
static void say_unknown_long(const struct cli_command *c, const char *typed)
{
	char word[64], names[256] = "";
	size_t used = 0, matches = 0;
	bool is_prefix;

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(typed, "="), typed);
	if (say_foreign(c, word))
		return;
	for (int pass = 0; pass < 2 && !used; pass++) {
		for (const struct cli_option *o = c->options; o->name; o++) {
			is_prefix = *word && strncmp(o->name, word, strlen(word)) == 0;
			if (pass == 0 ? !is_prefix : !cli_word_is_near(word, o->name))
				continue;
			matches++;
			if (used < sizeof(names) - 32)
				used += (size_t)snprintf(names + used, sizeof(names) - used,
							 "%s--%.24s", used ? ", " : "", o->name);
		}
		if (pass == 0 && matches > 1) {
			cli_say_misuse(help_of(c), "option '--%s' is ambiguous: %s", word, names);
			return;
		}
	}
	if (used)
		cli_say_misuse(help_of(c), "unknown option '--%s'; did you mean %s?", word, names);
	else
		cli_say_misuse(help_of(c), "unknown option '--%s'", word);
}

/* getopt_long() returned '?': find out which of its three reasons it was. */
static void say_bad(const struct cli_command *c, char **argv)
{
	const char *word = argv[optind - 1];
	const struct cli_foreign *f = find_foreign(c, optopt);
	const struct cli_option *o = find_option(c, optopt);
	const char letter[] = { (char)optopt, '\0' }, *name = f ? f->name : o ? o->name : "";
	/* Of the same name, with an argument there. */
	const char *answer = answer_to(c, name);

	if (!optopt)
		say_unknown_long(c, word + 2);
	else if (f || o)
		cli_say_misuse(help_of(c), "option '--%s' takes no argument%s%s", name,
			       answer ? ": " : "", answer ? answer : "");
	else if (!say_foreign(c, letter))
		cli_say_misuse(help_of(c), "unknown option '-%c'", optopt);
}

static void say_missing(const struct cli_command *c)
{
	const struct cli_foreign *f = find_foreign(c, optopt);
	const struct cli_option *o = f ? NULL : find_option(c, optopt);

	if (f)
		cli_say_misuse(help_of(c), "option '%s%s' needs an argument: %s",
			       f->name[1] ? "--" : "-", f->name, f->answer);
	else if (o && cli_option_has_letter(o))
		cli_say_misuse(help_of(c), "option '-%c' (--%s) needs an argument: %s", o->id,
			       o->name, o->arg);
	else if (o)
		cli_say_misuse(help_of(c), "option '--%s' needs an argument: %s", o->name, o->arg);
}

int cli_options_parse(const struct cli_command *c, int argc, char **argv,
		      int (*fn)(void *arg, const struct cli_option *o, const char *value),
		      void *arg)
{
	struct tables tables = { 0 };
	const struct cli_foreign *f;
	const struct cli_option *o;
	const char *value;
	int id, ret;

	tables_init(&tables, c);
	optind = 0; /* glibc and musl: start anew */
	opterr = 0;
	while ((id = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1) {
		if (id == ':') {
			say_missing(c);
			return -EINVAL;
		}
		if (id == '?') {
			say_bad(c, argv);
			return -EINVAL;
		}
		if (id == 'h') {
			cli_help_print(stdout, c);
			return -ECANCELED;
		}
		f = find_foreign(c, id);
		if (f && f->mark && strcmp(optarg, f->mark) != 0)
			return cli_misuse(help_of(c), "'%s' of '%s%s' is not understood: %s",
					  optarg, f->name[1] ? "--" : "-", f->name, f->answer);
		if (f && !*f->means)
			continue;
		o = f ? find_name(c, f->means) : find_option(c, id);
		value = f && f->value ? f->value : optarg;
		if (!o || (strcmp(o->name, "json") == 0 && cli_json_check() < 0))
			return -EINVAL;
		ret = fn(arg, o, value);
		if (ret)
			return ret;
	}
	return optind;
}

static int find_word(cli_word_fn *word, const char *typed)
{
	for (int i = 0; word((size_t)i); i++)
		if (strcmp(word((size_t)i), typed) == 0)
			return i;
	return -EINVAL;
}

/* "load, unload or status", with @last before the last one. */
static const char *join_words(char *out, size_t size, cli_word_fn *word, const char *last)
{
	size_t used = 0;

	for (size_t i = 0; word(i) && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s",
					 !i	       ? ""
					 : word(i + 1) ? ", "
						       : last,
					 word(i));
	return out;
}

int cli_option_word(const char *command, const struct cli_option *option, const char *value)
{
	int i = find_word(option->word, value);
	char names[256] = "";

	if (i >= 0)
		return i;
	return cli_misuse(command, "--%s takes %s, not '%s'", option->name,
			  join_words(names, sizeof(names), option->word, " or "), value);
}

int cli_options_end(int ret)
{
	return ret == -ECANCELED ? cli_say_stdout_end() : CLI_EXIT_FAILED;
}

int cli_action_find(const struct cli_command *self, int argc, char **argv)
{
	const char *typed = argc > 1 ? argv[1] : "-";
	int i = find_word(self->action, typed);
	char names[256] = "";

	if (i >= 0)
		return i;
	if (strcmp(typed, "--help") == 0 || strcmp(typed, "-h") == 0) {
		cli_help_print(stdout, self);
		return -ECANCELED;
	}
	if (typed[0] == '-')
		return cli_misuse(self->name, "name an action: %s",
				  join_words(names, sizeof(names), self->action, " or "));
	for (size_t n = 0; self->action(n); n++)
		if (cli_word_is_near(typed, self->action(n)))
			return cli_misuse(self->name, "%s has no action '%s'; did you mean '%s'?",
					  self->name, typed, self->action(n));
	return cli_misuse(self->name, "%s has no action '%s', only %s", self->name, typed,
			  join_words(names, sizeof(names), self->action, " and "));
}

int cli_option_time(const char *command, const struct cli_option *option, const char *value,
		    uint64_t least_ns, uint64_t *ns)
{
	int ret = cli_time_parse(value, ns);
	char name[32];

	if (cli_option_has_letter(option))
		snprintf(name, sizeof(name), "-%c", option->id);
	else
		snprintf(name, sizeof(name), "--%s", option->name);

	if (ret == -ERANGE || (!ret && *ns < least_ns)) {
		return cli_misuse(command, "%s '%s' is out of range: %s", name, value,
				  ret		 ? "at most 100 years"
				  : least_ns > 1 ? "at least 1ms"
						 : "more than 0");
	}
	if (ret < 0)
		return cli_misuse(command,
				  "%s '%s' is not a time: write 2 or 2s for seconds, 100ms, or "
				  "another number with ns, us or min",
				  name, value);
	return 0;
}
