// SPDX-License-Identifier: MIT
/* count/cli/stat/options.h and base/command/options.h: command lines, understood or refused. */
#include <errno.h>
#include <unistd.h>

#include "base/command/help.h"
#include "count/cli/stat/options.h"
#include "base/output/term.h"
#include "base/tests/tt.h"

/* What options.c wants of the rest of the command. */
static const struct cli_command stat_command = { .name = "stat",
						 .is_default = true,
						 .usage = "",
						 .about = "",
						 .details = "",
						 .options = cli_stat_option_table,
						 .foreign = cli_stat_foreign };

void cli_help_print(FILE *f, const struct cli_command *c)
{
	(void)f;
	(void)c;
}

#define MAX_WORDS 16

/* Split at blanks, parse; what was said on stderr goes to @said. */
static int parse(const char *line, struct cli_stat_options *o, char *said, size_t size)
{
	static char words[256], *argv[MAX_WORDS + 2];
	int argc = 1, ret, saved = dup(2);
	FILE *f = tmpfile();
	size_t n;

	argv[0] = (char *)"stat";
	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok(words, " "); word && argc <= MAX_WORDS; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	fflush(stderr);
	dup2(fileno(f), 2);
	ret = cli_stat_options_parse(o, &stat_command, argc, argv);
	fflush(stderr);
	dup2(saved, 2);
	close(saved);
	rewind(f);
	n = fread(said, 1, size - 1, f);
	said[n] = '\0';
	fclose(f);
	return ret;
}

static const struct bad_row {
	int line;
	const char *text, *said;
} bad_rows[] = {
	{ __LINE__, "", "no command to run" },
	{ __LINE__, "--", "no command to run" },
	{ __LINE__, "-e cycles", "no command to run" },
	{ __LINE__, "--even cycles -Z ls", "unknown option '-Z'" },
	{ __LINE__, "--evnet=x ls", "unknown option '--evnet'; did you mean --event?" },
	{ __LINE__, "-x; ls", "';' of '-x' is not understood: comma-separated values are --csv" },
	{ __LINE__, "--field-separator=| ls", "'|' of '--field-separator' is not understood: " },
	{ __LINE__, "-x", "option '-x' needs an argument" },
	{ __LINE__, "-n ls", "unknown option '-n': to repeat is -r N" },
	{ __LINE__, "-x, -j ls", "--csv, --json and --format cannot be combined" },
	{ __LINE__, "--per-core ls", "--per is for counts of CPUs: add -a or -C CPUS" },
	{ __LINE__, "--per none -a ls",
	  "--per takes socket, core, thread or function, not 'none'" },
	{ __LINE__, "--per core -a -r 2 ls", "--per cannot be combined with -r" },
	{ __LINE__, "-p ls", "'ls' is not a process or thread id (for what time -p writes: -f" },
	{ __LINE__, "--xyzzy ls", "unknown option '--xyzzy'\n" },
	{ __LINE__, "--no ls", "option '--no' is ambiguous: --no-inherit, --no-scale" },
	{ __LINE__, "--csv=x ls", "option '--csv' takes no argument" },
	{ __LINE__, "--per-core=x ls", "option '--per-core' takes no argument" },
	/* All that perf stat --help lists and is not here has an answer. */
	{ __LINE__, "-G x ls", "unknown option '-G': not in ntime, which counts commands," },
	{ __LINE__, "--for-each-cgroup x ls", "'--for-each-cgroup': not in ntime, which" },
	{ __LINE__, "--bpf-counters ls", "'--bpf-counters': not in ntime, which" },
	{ __LINE__, "--topdown ls", "'--topdown': a metric is -m METRIC" },
	{ __LINE__, "--metric-only ls", "'--metric-only': metrics alone, in a line, are -f" },
	{ __LINE__, "--no-big-num ls", "'--no-big-num': numbers without separators are in --csv" },
	{ __LINE__, "-T ls", "unknown option '-T': what to count is -e LIST" },
	{ __LINE__, "--all-kernel ls", "'--all-kernel': kernel mode alone is EVENT:k" },
	{ __LINE__, "--per-die ls", "'--per-die': --per takes socket, core or thread" },
	{ __LINE__, "--interval-count 3 ls", "'--interval-count': the end is --timeout TIME" },
	{ __LINE__, "--control fd:3 ls", "'--control': not in ntime" },
	{ __LINE__, "--big-num=x ls", "option '--big-num' takes no argument" },
	{ __LINE__, "-e", "option '-e' (--event) needs an argument: LIST" },
	{ __LINE__, "--timeout", "option '--timeout' needs an argument: TIME" },
	{ __LINE__, "-r 0 ls", "-r '0' is not a number of runs" },
	{ __LINE__, "-r x ls", "-r 'x' is not a number of runs" },
	{ __LINE__, "-I 10parsec ls", "-I '10parsec' is not a time" },
	{ __LINE__, "-I 0 ls", "-I '0' is out of range: at least 1ms" },
	{ __LINE__, "--timeout 0 ls", "--timeout '0' is out of range: more than 0" },
	{ __LINE__, "--timeout 9999999999999min ls",
	  "--timeout '9999999999999min' is out of range: at most 100 years" },
	{ __LINE__, "-p 1,x", "'x' is not a process or thread id" },
	{ __LINE__, "-p 1,", "'' is not a process or thread id" },
	{ __LINE__, "-p 99999999999", "'99999999999' is not a process or thread id" },
	{ __LINE__, "-p 1 -t 2", "-p and -t cannot be combined" },
	{ __LINE__, "-p 1 -a", "-p and -t cannot be combined with -a or -C" },
	{ __LINE__, "-a -C 0 ls", "-a and -C cannot be combined" },
	{ __LINE__, "--csv --json ls", "--csv, --json and --format cannot be combined" },
	{ __LINE__, "--append ls", "--append needs -o FILE" },
	{ __LINE__, "--append -o - ls", "--append needs -o FILE" },
	{ __LINE__, "-a -r 3", "-r needs a command to run" },
	{ __LINE__, "-a --passes", "--passes needs a command to run" },
	{ __LINE__, "-r 2 -I 100 ls", "-I and -r cannot be combined" },
	{ __LINE__, "--passes -I 100 ls", "-I and --passes cannot be combined" },
	{ __LINE__, "-q -v ls", "-q and -v cannot be combined" },
	{ __LINE__, "--dry-run --json ls", "--dry-run prints text only" },
};

TEST(bad_lines)
{
	TT_FOR_EACH_ROW(r, bad_rows) {
		struct cli_stat_options o;
		char said[512];

		TT_EQ(r, parse(r->text, &o, said, sizeof(said)), -EINVAL);
		tt_has_(said, r->said, "said", __FILE__, r->line);
		tt_has_(said, "\nTry 'ntime --help'.\n", "said", __FILE__, r->line);
		TT_EQ(r, strncmp(said, "ntime: ", 7), 0);
		cli_stat_options_fini(&o);
	}
}

static const struct same_row {
	int line;
	const char *foreign, *own;
} same_rows[] = {
	{ __LINE__, "-x, ls", "--csv ls" },
	{ __LINE__, "-x , ls", "--csv ls" },
	{ __LINE__, "--field-separator , ls", "--csv ls" },
	{ __LINE__, "-vj ls", "-v --json ls" },
	{ __LINE__, "-M IPC ls", "-m IPC ls" },
	{ __LINE__, "-Mx=a/b ls", "-m x=a/b ls" },
	{ __LINE__, "-B --scale -v --big-num ls", "-v ls" },
	{ __LINE__, "-a -A ls", "-a --per thread ls" },
	{ __LINE__, "-a --no-aggr ls", "-a --per thread ls" },
	{ __LINE__, "-a --per-core ls", "-a --per core ls" },
	{ __LINE__, "-a --per-socket ls", "-a --per socket ls" },
};

/* What people know from perf stat means the same here. */
TEST(foreign_options)
{
	TT_FOR_EACH_ROW(r, same_rows) {
		struct cli_stat_options o, own;
		char said[512];

		TT_EQ(r, parse(r->foreign, &o, said, sizeof(said)), 0);
		TT_STR(r, said, "");
		TT_EQ(r, o.wishes, strstr(r->own, "-m") != NULL);
		if (o.wishes)
			TT_EQ(r, o.wish[0].is_formula, strchr(r->own, '=') != NULL);
		TT_EQ(r, parse(r->own, &own, said, sizeof(said)), 0);
		assert_ptr_equal(o.writer, own.writer);
		TT_EQ(r, o.verbose, own.verbose);
		TT_EQ(r, o.per, own.per);
		cli_stat_options_fini(&o);
		cli_stat_options_fini(&own);
	}
}

TEST(whole_line)
{
	struct cli_stat_options o;
	char said[512];

	TT_IS(parse("-e a,b -m x=min(a,b) -r3 -vv --delay 1s ls -e", &o, said, sizeof(said)), 0);
	TT_TEXT(said, "");
	TT_IS(o.wishes, 2);
	TT_TEXT(o.wish[0].text, "a,b");
	assert_false(o.wish[0].is_formula);
	TT_TEXT(o.wish[1].text, "x=min(a,b)");
	assert_true(o.wish[1].is_formula);
	TT_IS(o.runs, 3);
	TT_IS(o.verbose, 2);
	TT_IS(o.delay_ns, 1000000000);
	/* options behind the command are the command's */
	TT_TEXT(o.argv[0], "ls");
	TT_TEXT(o.argv[1], "-e");
	assert_null(o.argv[2]);
	cli_stat_options_fini(&o);
}

TEST(attaching)
{
	struct cli_stat_options o;
	char said[512];

	TT_IS(parse("-p 12,13 -p 12 -p 14", &o, said, sizeof(said)), 0);
	TT_IS(o.pids, 3);
	TT_IS(o.pid[2], 14);
	assert_null(o.argv);
	cli_stat_options_fini(&o);
	TT_IS(parse("-a -- ls", &o, said, sizeof(said)), 0);
	TT_TEXT(o.argv[0], "ls");
	cli_stat_options_fini(&o);
	TT_IS(parse("--dry-run", &o, said, sizeof(said)), 0);
	cli_stat_options_fini(&o);
	TT_IS(parse("--help", &o, said, sizeof(said)), -ECANCELED);
	cli_stat_options_fini(&o);
}

TEST(the_table_is_sound)
{
	for (const struct cli_option *o = cli_stat_option_table; o->name; o++) {
		size_t chars = strlen(o->help);

		assert_true(chars > 0 && o->help[chars - 1] != '.');
		for (const struct cli_option *p = o + 1; p->name; p++) {
			assert_true(o->id ? o->id != p->id : o->sets != CLI_SETS_NOTHING);
			assert_string_not_equal(o->name, p->name);
		}
	}
}

static const struct wrap_row {
	int line;
	unsigned int width;
	size_t column, indent;
	const char *text, *out;
} wrap_rows[] = {
	{ __LINE__, 20, 0, 0, "one two", "one two\n" },
	{ __LINE__, 20, 0, 2, "aaaaaaaaa bbbbbbbbb ccc", "aaaaaaaaa bbbbbbbbb\n  ccc\n" },
	{ __LINE__, 20, 0, 2, "aaaaaaaaa bbbbbbbbbb c", "aaaaaaaaa bbbbbbbbbb\n  c\n" },
	{ __LINE__, 20, 0, 0, "a-word-longer-than-the-line x", "a-word-longer-than-the-line\nx\n" },
	{ __LINE__, 20, 0, 0, "  blanks   go ", "blanks go\n" },
	{ __LINE__, 20, 0, 0, "", "\n" },
	/* ± is one column */
	{ __LINE__, 20, 0, 0, "±±±±±±±±± ±±±±±±±±±± x", "±±±±±±±±± ±±±±±±±±±±\nx\n" },
	/* the first line is taken up already */
	{ __LINE__, 20, 18, 2, "word", "\n  word\n" },
};

TEST(wrapping)
{
	TT_FOR_EACH_ROW(r, wrap_rows) {
		struct cli_look look = { .width = r->width };
		char *text = NULL;
		size_t bytes;
		FILE *f = open_memstream(&text, &bytes);

		cli_wrap(f, &look, r->column, r->indent, r->text);
		fclose(f);
		TT_STR(r, text, r->out);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_lines),	      cmocka_unit_test(foreign_options),
		cmocka_unit_test(whole_line),	      cmocka_unit_test(attaching),
		cmocka_unit_test(the_table_is_sound), cmocka_unit_test(wrapping),
	};

	return TT_RUN(tests);
}
