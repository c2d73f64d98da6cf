// SPDX-License-Identifier: MIT
/* The three forms of a report, from values made up here. */
#include <jansson.h>
#include <math.h>
#include <signal.h>

#include <ntime/reason.h>

#include "base/output/json.h"
#include "count/cli/report/report.h"
#include "base/tests/tt.h"

#define NO_PMU "the hypervisor (KVM) exposes no core PMU to this guest"
#define REMEDY "start the guest with a virtual PMU"

#define NEVER_RAN                                                                                  \
	"<not counted>: its counter never ran: other users (perf, the NMI watchdog) held\n"        \
	"all counters,"

#define WHERE .unit = "cpu", .method = "perf", .beside = "", .scale = 1
#define TEXTS WHERE, .reason = "", .remedy = "", .about = "", .cause = ""
#define ABSENT                                                                                     \
	.reason = NO_PMU, .remedy = REMEDY, .about = "core PMU", .cause = NO_PMU,                  \
	.reason_code = NTIME_REASON_HYPERVISOR, .remedy_kind = NTIME_REMEDY_ELSEWHERE

static struct cli_item items[] = {
	{ TEXTS, .name = "task-clock", .unit_text = "ns",
	  .value = { .count = 2500000, .value = 2500000 } },
	{ TEXTS, .name = "page-faults", .unit_text = "",
	  .value = { .count = 1234567, .value = 1234567 } },
	{ TEXTS, .name = "cycles", .unit_text = "",
	  .value = { .count = 500,
		     .value = 1000,
		     .error = 12,
		     .below = 12,
		     .above = 11,
		     .wanted_ns = 100,
		     .counted_ns = 50,
		     .flags = NTIME_SCALED },
	  .has_bounds = true, .least = 500, .most = INFINITY },
	{ TEXTS, .name = "idle", .unit_text = "",
	  .value = { .value = NAN, .flags = NTIME_NOT_COUNTED } },
	{ TEXTS, .name = "hidden", .unit_text = "", .is_hidden = true,
	  .value = { .count = 9, .value = 9 } },
	{ .name = "GHz",
	  .unit = "",
	  .unit_text = "GHz",
	  .method = "",
	  .reason = "",
	  .remedy = "",
	  .about = "",
	  .cause = "",
	  .beside = "cycles",
	  .is_metric = true,
	  .value = { .value = 3.25, .flags = NTIME_METRIC } },
	{ WHERE, .name = "branches", .unit_text = "", ABSENT,
	  .value = { .value = NAN, .flags = NTIME_ABSENT } },
	{ WHERE, .name = "od\"d,name", .unit_text = "", ABSENT,
	  .value = { .value = NAN, .flags = NTIME_ABSENT } },
	{ WHERE, .name = "msr/aperf/", .unit_text = "", .reason = "no permission", .remedy = "none",
	  .about = "msr", .cause = "no permission", .reason_code = NTIME_REASON_NO_HARDWARE,
	  .value = { .value = NAN, .flags = NTIME_ABSENT } },
};

static char *argv[] = { (char *)"prog",
			(char *)"bad\xff"
				"byte",
			NULL };

/* Of one run, which nobody frees. */
static struct cli_spread once(double *run)
{
	return (struct cli_spread){ .run = run, .n = 1, .mean = *run, .min = *run, .max = *run };
}

static struct cli_report report(void)
{
	static double real = 1002914000, user = 1000000, sys = 2000000, rss = 2 << 20;
	struct cli_report r = {
		.version = "9.9",
		.argv = argv,
		.target = "",
		.item = items,
		.items = sizeof(items) / sizeof(items[0]),
		.runs = 1,
		.passes = 1,
		.has_ended = true,
		.status = 3 << 8,
	};

	r.figure[CLI_REAL] = once(&real);
	r.figure[CLI_USER] = once(&user);
	r.figure[CLI_SYS] = once(&sys);
	r.figure[CLI_MAX_RSS] = once(&rss);
	return r;
}

static char *written(const struct cli_writer *w, const struct cli_style *style,
		     const struct cli_report *r, double interval)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	if (w->begin)
		w->begin(f, style, r);
	if (interval > 0)
		w->interval(f, style, r, interval);
	else
		w->summary(f, style, r);
	fclose(f);
	assert_non_null(text);
	return text;
}

/* @part of what is written. */
static void is_in(const struct cli_writer *w, const struct cli_style *style,
		  const struct cli_report *r, double interval, const char *part)
{
	char *text = written(w, style, r, interval);

	TT_HAS(text, part);
	free(text);
}

TEST(text)
{
	struct cli_style style = { .look = { .width = 80, .utf8 = true } };
	struct cli_report r = report();
	char *text = written(&cli_text_writer, &style, &r, 0);

	TT_TEXT(text, "\n"
		      "        2.500 ms  task-clock\n"
		      "    1,234,567     page-faults\n"
		      "       ~1,000     cycles       # GHz 3.250 GHz  [50% counted, ±1.20%]\n"
		      "<not counted>     idle\n"
		      "\n" NEVER_RAN " or nothing ran on a core of its kind; see ntime(1)\n"
		      "\n"
		      "Not counted here:\n"
		      "  branches od\"d,name\n"
		      "    " NO_PMU "\n"
		      "    remedy: " REMEDY "\n"
		      "  msr/aperf/\n"
		      "    no permission\n"
		      "    remedy: none\n"
		      "\n"
		      "ended with status 3\n"
		      "real   1.003 s    0 % of a CPU\n"
		      "user   0.001 s\n"
		      "sys    0.002 s    peak 2.00 MiB\n");
	free(text);
}

TEST(what_may_be_twice_as_much_has_no_percentage)
{
	struct cli_style style = { .look = { .width = 80 } };
	struct cli_report r = report();
	struct ntime_value *v = &items[2].value, kept = *v;

	v->error = v->above = 1001;
	is_in(&cli_text_writer, &style, &r, 0,
	      "~1,000     cycles       # GHz 3.250 GHz  [50% counted, at least 988]\n");
	*v = kept;
}

TEST(a_counter_that_never_ran_is_explained)
{
	struct cli_style style = { .look = { .width = 80 } };
	struct cli_report r = report();
	char *text;

	r.passes = 2;
	text = written(&cli_text_writer, &style, &r, 0);
	TT_HAS(text, NEVER_RAN " the command ended before the event's pass, or nothing");
	free(text);
	r.is_too_early = true;
	text = written(&cli_text_writer, &style, &r, 0);
	TT_HAS(text,
	       "<not counted>: the measurement ended before the --delay did; choose a shorter");
	assert_null(strstr(text, "never ran"));
	free(text);
	/* Without what never ran: without the sentence; and not for those who want none. */
	r.items = 3;
	text = written(&cli_text_writer, &style, &r, 0);
	assert_null(strstr(text, "never ran"));
	free(text);
	r = report();
	style.quiet = true;
	text = written(&cli_text_writer, &style, &r, 0);
	TT_HAS(text, "<not counted>     idle\n");
	assert_null(strstr(text, "never ran"));
	free(text);
}

TEST(a_metric_that_divides_by_0_is_explained)
{
	struct cli_item metric = { TEXTS, .name = "x", .is_metric = true,
				   .value = { .value = NAN, .flags = NTIME_NOT_COUNTED } };
	struct cli_style style = { .look = { .width = 80 } };
	struct cli_report r = report();

	r.item = &metric;
	r.items = 1;
	is_in(&cli_text_writer, &style, &r, 0, "\n<not counted>: the formula divides by 0\n");
}

TEST(upper_bounds_say_so)
{
	struct cli_style style = { .look = { .width = 80 }, .by_run = true, .verbose = 1 };
	struct cli_report r = report();
	char *text;

	r.at_most[CLI_MAX_RSS] = true;
	is_in(&cli_text_writer, &style, &r, 0, "max-rss                     at most 2,048 KiB\n");
	is_in(&cli_csv_writer, &style, &r, 0,
	      "max-rss,2097152,bytes,0,,,,,2097152,,,at-most,command,wait4,,");
	text = written(&cli_json_writer, &style, &r, 0);
	TT_HAS(text, "\"max_rss_bytes_at_most\": 2097152,");
	TT_HAS(text, "\"max_rss_bytes_at_most\": {");
	assert_null(strstr(text, "\"max_rss_bytes\""));
	free(text);
}

TEST(quiet_text_still_names_what_is_missing)
{
	struct cli_style style = { .look = { .width = 80, .utf8 = true }, .quiet = true };
	struct cli_report r = report();
	char *text = written(&cli_text_writer, &style, &r, 0);

	assert_int_equal(text[0], '\n');
	assert_int_not_equal(text[1], '\n');
	TT_HAS(text, "Not counted here:\n  branches od\"d,name\n  msr/aperf/\n");
	assert_null(strstr(text, "real"));
	assert_null(strstr(text, "remedy"));
	free(text);
}

/* In characters, not bytes. */
static size_t longest_line(const char *text)
{
	size_t longest = 0, columns = 0;

	for (; *text; text++) {
		if (*text == '\n')
			columns = 0;
		else
			columns += ((unsigned char)*text & 0xc0) != 0x80;
		longest = columns > longest ? columns : longest;
	}
	return longest;
}

#define COUNT(event, number)                                                                       \
	{                                                                                          \
		TEXTS, .name = event, .unit_text = "", .value = {                                  \
			.count = number,                                                           \
			.value = number                                                            \
		}                                                                                  \
	}
#define METRIC(metric, number)                                                                     \
	{                                                                                          \
		TEXTS, .name = metric, .unit_text = "", .is_metric = true, .value = {              \
			.value = number,                                                           \
			.flags = NTIME_METRIC                                                      \
		}                                                                                  \
	}

/* What the default events may be. */
static struct cli_item defaults[] = {
	COUNT("context-switches", 46),
	COUNT("page-faults", 4153),
	COUNT("tsc", 99),
	COUNT("cycles", 812400000),
	COUNT("instructions", 1604000000),
	COUNT("branches", 200310000),
	COUNT("branch-misses", 1600000),
	COUNT("cache-references", 4120000),
	COUNT("cache-misses", 500000),
	METRIC("GHz", 2.912),
	METRIC("IPC", 1.974),
	METRIC("branch-miss-ratio", 0.8004),
	METRIC("cache-miss-ratio", 12.13),
	METRIC("CPUs-used", 0.668),
};

/* The report of who asked for nothing, of a machine with counters. */
static struct cli_report brief_report(void)
{
	static double real = 279000000, user = 184100000, sys = 2900000, rss = 18245222, none,
		      involuntary = 43;
	struct cli_report r = report();

	r.item = defaults;
	r.items = sizeof(defaults) / sizeof(defaults[0]);
	r.status = SIGSEGV | 0x80; /* core dumped */
	r.figure[CLI_REAL] = once(&real);
	r.figure[CLI_USER] = once(&user);
	r.figure[CLI_SYS] = once(&sys);
	r.figure[CLI_MAX_RSS] = once(&rss);
	r.figure[CLI_MAJOR_FAULTS] = once(&none);
	r.figure[CLI_INVOLUNTARY_SWITCHES] = once(&involuntary);
	return r;
}

#define BRIEF_TIMES                                                                                \
	"\n"                                                                                       \
	"real   0.279 s    67 % of a CPU\n"                                                        \
	"user   0.184 s\n"                                                                         \
	"sys    0.003 s    peak 17.4 MiB\n"
#define BRIEF_ROWS                                                                                 \
	"\n"                                                                                       \
	"   812.4 M  cycles          2.91 GHz\n"                                                   \
	"   1.604 G  instructions    1.97 per cycle\n"                                             \
	"   200.3 M  branches        0.8 % mispredicted\n"                                         \
	"   4.120 M  cache accesses  12.1 % missed\n"                                              \
	"     4,153  page faults     0 from disk\n"                                                \
	"        46  switches        43 involuntary\n"

static void make_absent(struct cli_item *item)
{
	static const struct cli_item absent = { WHERE, .unit_text = "", ABSENT,
						.value = { .value = NAN, .flags = NTIME_ABSENT } };
	const char *name = item->name;

	*item = absent;
	item->name = name;
}

static const struct screen {
	unsigned int width;
	bool is_terminal, is_quiet;
	/* 0: all are there; from this item to the metrics none is */
	size_t from, to;
	const char *text;
} screens[] = {
	{ 80, true, false, 0, 0, BRIEF_ROWS "\nkilled by SIGSEGV (core dumped)" BRIEF_TIMES },
	{ 200, true, false, 0, 0, BRIEF_ROWS "\nkilled by SIGSEGV (core dumped)" BRIEF_TIMES },
	{ 80, false, false, 0, 0, BRIEF_ROWS "\nkilled by SIGSEGV (core dumped)" BRIEF_TIMES },
	{ 40, true, false, 0, 0,
	  "\n"
	  "   812.4 M  cycles\n"
	  "    2.91 GHz\n"
	  "   1.604 G  instructions\n"
	  "    1.97 per cycle\n"
	  "   200.3 M  branches\n"
	  "    0.8 % mispredicted\n"
	  "   4.120 M  cache accesses\n"
	  "    12.1 % missed\n"
	  "     4,153  page faults\n"
	  "    0 from disk\n"
	  "        46  switches\n"
	  "    43 involuntary\n"
	  "\nkilled by SIGSEGV (core dumped)" BRIEF_TIMES },
	{ 80, true, true, 0, 0, BRIEF_ROWS },
	{ 80, true, false, 3, 14,
	  "\n"
	  "     4,153  page faults  0 from disk\n"
	  "        46  switches     43 involuntary\n"
	  "no cycles, instructions, branches, caches: this VM has none (ntime doctor)\n"
	  "instructions: --via emulator counts them, 4 to 16 times slower\n"
	  "\nkilled by SIGSEGV (core dumped)\n"
	  "real   0.279 s    67 % of a CPU\n"
	  "user   0.184 s\n"
	  "sys    0.003 s    peak 17.4 MiB\n" },
	/* Branches are there, and what was mispredicted is not. */
	{ 40, true, false, 6, 7,
	  "\n"
	  "   812.4 M  cycles\n"
	  "    2.91 GHz\n"
	  "   1.604 G  instructions\n"
	  "    1.97 per cycle\n"
	  "   200.3 M  branches\n"
	  "   4.120 M  cache accesses\n"
	  "    12.1 % missed\n"
	  "     4,153  page faults\n"
	  "    0 from disk\n"
	  "        46  switches\n"
	  "    43 involuntary\n"
	  "no branch-misses: this VM has none\n"
	  "  (ntime doctor)\n"
	  "\nkilled by SIGSEGV (core dumped)" BRIEF_TIMES },
};

/* On one screen, with the times last. */
TEST(brief)
{
	struct cli_item before[sizeof(defaults) / sizeof(defaults[0])];

	memcpy(before, defaults, sizeof(before));
	for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
		const struct screen *s = &screens[i];
		struct cli_style style = {
			.look = { .width = s->width, .is_terminal = s->is_terminal, .utf8 = true },
			.quiet = s->is_quiet,
			.brief = true
		};
		struct cli_report r = brief_report();
		char *text;

		for (size_t k = s->from; k < s->to; k++) {
			make_absent(&defaults[k]);
			/* The whole tells them apart, a few words do not. */
			defaults[k].about = k % 2 ? "branches" : "caches";
			defaults[k].remedy = k % 2 ? "one" : "another one";
		}
		if (s->to == 7)
			make_absent(&defaults[11]);
		text = written(&cli_text_writer, &style, &r, 0);
		TT_TEXT(text, s->text);
		free(text);
		memcpy(defaults, before, sizeof(before));
	}
}

/* What is no part of the count is not shown as one: wait4(2) counts from fork on. */
TEST(brief_parts_are_not_larger_than_the_whole)
{
	struct cli_style style = { .look = { .width = 80 }, .brief = true };
	static double more = 47;
	struct cli_report r = brief_report();

	r.figure[CLI_INVOLUNTARY_SWITCHES] = once(&more);
	is_in(&cli_text_writer, &style, &r, 0, "        46  switches\n");
	r.target = "the machine";
	is_in(&cli_text_writer, &style, &r, 0, "     4,153  page faults\n");
}

TEST(text_fits_terminals)
{
	struct cli_report r = report();

	for (unsigned int width = 30; width < 160; width++) {
		struct cli_style style = {
			.look = { .width = width, .is_terminal = true, .utf8 = true }
		};
		char *text = written(&cli_text_writer, &style, &r, 0);

		if (longest_line(text) > width)
			print_error("%u columns:\n%s", width, text);
		assert_true(longest_line(text) <= width);
		/* Nothing may get lost on the way. */
		TT_HAS(text, "1,234,567");
		TT_HAS(text, "GHz 3.250");
		TT_HAS(text, "50% counted");
		free(text);
	}
}

TEST(text_marks)
{
	struct cli_style style = { .look = { .width = 80 }, .by_run = true };
	struct cli_item item = { TEXTS, .name = "x", .unit_text = "",
				 .value = { .count = 7, .value = 7 } };
	struct cli_report r = { .version = "1",
				.target = "process 12",
				.item = &item,
				.items = 1,
				.runs = 2,
				.passes = 1 };
	char *text;

	r.is_simulated = r.is_recording = true;
	item.value.flags = NTIME_OVERFLOWED | NTIME_PARTIAL | NTIME_SIMULATED;
	cli_spread_add(&item.spread, 6);
	cli_spread_add(&item.spread, 8);
	text = written(&cli_text_writer, &style, &r, 0);
	TT_HAS(text, "SIMULATED: this is a recorded machine, not this one");
	TT_HAS(text, "Measured: process 12");
	TT_HAS(text, "Mean of 2 runs; +- is its 95 % interval.");
	TT_HAS(text, ">=7");
	TT_HAS(text, "[the counter wrapped and the wrap was missed, some CPUs or units are "
		     "missing, runs +-181.5%, median 7, 6 .. 8]");
	assert_null(strchr(text, '\033'));
	free(text);
	style.look.colour = true;
	text = written(&cli_text_writer, &style, &r, 0);
	assert_non_null(strchr(text, '\033'));
	free(text);
	cli_spread_fini(&item.spread);
}

/* Runs that did not end well are listed, and in no mean. */
TEST(runs_left_out)
{
	static const struct cli_outcome bad[] = {
		{ .status = 1 << 8 },
		{ .status = SIGKILL },
		{ .status = 1 << 8 },
		{ .status = SIGTERM, .timed_out = true },
		{ .status = 0, .was_interrupted = true },
		{ .status = SIGINT, .was_interrupted = true },
	};
	const struct cli_style text_style = { .look = { .width = 80 }, .by_run = true };
	const struct cli_style style = { .by_run = true };
	struct cli_outcomes left_out = { 0 };
	struct cli_report r = report();
	char *text;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		TT_IS(cli_outcome_is_good(&bad[i]), 0);
		cli_outcomes_add(&left_out, &bad[i]);
	}
	TT_IS(left_out.n, 4);
	r.left_out = &left_out;
	text = written(&cli_text_writer, &text_style, &r, 0);
	TT_HAS(text, "Mean of 1 run.\n");
	TT_HAS(text, "Not in the mean, 2 of 7 runs: ended with status 1.\n");
	TT_HAS(text, "Not in the mean, 1 of 7 runs: killed by SIGKILL.\n");
	TT_HAS(text, "Not in the mean, 1 of 7 runs: ended by --timeout.\n");
	TT_HAS(text, "Not in the mean, 2 of 7 runs: interrupted.\n");
	free(text);
	text = written(&cli_csv_writer, &style, &r, 0);
	TT_HAS(text, "median,sd,ci95,runs_left_out\n");
	TT_HAS(text, "real,1002914000,ns,0,,,,,1002914000,,,,command,wait4,,,1,1002914000,"
		     "1002914000,1002914000,0,0,6\n");
	free(text);
	text = written(&cli_json_writer, &style, &r, 0);
	TT_HAS(text, "\"runs\": 2");
	TT_HAS(text, "\"interrupted\": true");
	free(text);

	r.runs = 0;
	text = written(&cli_text_writer, &text_style, &r, 0);
	TT_HAS(text, "No run ended with status 0: the numbers are those of the last run.\n");
	TT_HAS(text, "2 of 6 runs: ended with status 1.\n");
	assert_null(strstr(text, "ean"));
	free(text);
	is_in(&cli_csv_writer, &style, &r, 0,
	      "real,1002914000,ns,0,,,,,1002914000,,,,command,wait4,,,0,,,,,,6\n");
	cli_outcomes_fini(&left_out);
	TT_IS(left_out.runs, 0);
}

TEST(control_characters_do_not_reach_the_terminal)
{
	struct cli_style style = { .look = { .width = 80 } };
	struct cli_item item = { TEXTS, .name = "a\033[2Jb", .unit_text = "",
				 .value = { .count = 7, .value = 7 } };
	struct cli_report r = {
		.version = "1", .target = "", .item = &item, .items = 1, .runs = 1, .passes = 1
	};
	char *text = written(&cli_text_writer, &style, &r, 0);

	TT_HAS(text, "a?[2Jb");
	free(text);
}

TEST(csv)
{
	struct cli_style style = { .look = { .width = 80 } };
	struct cli_report r = report();
	char *text = written(&cli_csv_writer, &style, &r, 0);

	TT_TEXT(text, "name,value,unit,error,low,high,least,most,count,wanted_ns,counted_ns,flags,"
		      "unit_name,method,reason,"
		      "remedy\n"
		      "real,1002914000,ns,0,,,,,1002914000,,,,command,wait4,,\n"
		      "user,1000000,ns,0,,,,,1000000,,,,command,wait4,,\n"
		      "sys,2000000,ns,0,,,,,2000000,,,,command,wait4,,\n"
		      "max-rss,2097152,bytes,0,,,,,2097152,,,,command,wait4,,\n"
		      "task-clock,2500000,ns,0,,,,,2500000,0,0,,cpu,perf,,\n"
		      "page-faults,1234567,,0,,,,,1234567,0,0,,cpu,perf,,\n"
		      "cycles,1000,,12,988,1011,500,,500,100,50,scaled,cpu,perf,,\n"
		      "idle,,,,,,,,,0,0,not-counted,cpu,perf,,\n"
		      "GHz,3.25,GHz,0,,,,,,,,metric,,,,\n"
		      "branches,,,,,,,,,,,absent,cpu,perf," NO_PMU "," REMEDY "\n"
		      "\"od\"\"d,name\",,,,,,,,,,,absent,cpu,perf," NO_PMU "," REMEDY "\n"
		      "msr/aperf/,,,,,,,,,,,absent,cpu,perf,no permission,none\n");
	free(text);
}

static size_t fields_of(const char *line)
{
	size_t fields = 1;
	bool is_quoted = false;

	for (; *line && (is_quoted || *line != '\n'); line++) {
		if (*line == '"')
			is_quoted = !is_quoted;
		fields += *line == ',' && !is_quoted;
	}
	return fields;
}

TEST(csv_rows_have_as_many_fields_as_the_header)
{
	static const struct {
		bool by_run;
		double interval;
		size_t fields;
	} forms[] = { { false, 0, 16 }, { true, 0, 23 }, { false, 1.5, 17 } };

	for (size_t i = 0; i < 3; i++) {
		struct cli_style style = {
			.look = { .width = 80 },
			.by_run = forms[i].by_run,
			.by_interval = forms[i].interval > 0,
			.verbose = 1,
		};
		struct cli_report r = report();
		char *text = written(&cli_csv_writer, &style, &r, forms[i].interval);

		for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
			TT_IS(fields_of(line), forms[i].fields);
		free(text);
	}
}

static const json_t *item_named(const json_t *root, const char *name)
{
	json_t *list = json_object_get(root, "items");

	for (size_t i = 0; i < json_array_size(list); i++)
		if (strcmp(json_string_value(json_object_get(json_array_get(list, i), "name")),
			   name) == 0)
			return json_array_get(list, i);
	return NULL;
}

static int collect(const char *text, size_t n, void *arg)
{
	return fwrite(text, 1, n, arg) == n ? 0 : -1;
}

/* Real numbers get short, and nothing else changes: not what looks like one in a text. */
TEST(json_real_numbers)
{
	static const double numbers[] = {
		0.2, -0.1, 1e300, 1.0 / 3, 2.5e-7, 5.0, 0.20308482999999999
	};
	json_t *root = json_array();
	char *text = NULL, *end;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	json_array_append_new(root, json_string("\"0.20000000000000001\\"));
	json_array_append_new(root, json_integer(INT64_MAX));
	json_array_append_new(root, json_true());
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		json_array_append_new(root, json_real(numbers[i]));
	TT_IS(cli_json_dump(root, JSON_COMPACT, collect, f), 0);
	TT_IS(fclose(f), 0);
	TT_TEXT(text, "[\"\\\"0.20000000000000001\\\\\",9223372036854775807,true,0.2,-0.1,1e+300,"
		      "0.3333333333333333,2.5e-07,5.0,0.20308483]");
	end = strstr(text, "0.333");
	assert_true(strtod(end, NULL) == 1.0 / 3);
	free(text);
	json_decref(root);
}

TEST(json)
{
	struct cli_style style = { .look = { .width = 80 } };
	struct cli_report r = report();
	char *text = written(&cli_json_writer, &style, &r, 0);
	json_t *root = json_loads(text, 0, NULL);
	const json_t *item;

	assert_non_null(root);
	TT_IS(json_integer_value(json_object_get(root, "schema")), 2);
	TT_TEXT(json_string_value(json_object_get(root, "ntime")), "9.9");
	TT_TEXT(json_string_value(json_array_get(json_object_get(root, "command"), 1)),
		"bad\xef\xbf\xbd"
		"byte");
	TT_IS(json_integer_value(json_object_get(json_object_get(root, "exit"), "status")), 3);
	TT_IS(json_integer_value(json_object_get(json_object_get(root, "time"), "real_ns")),
	      1002914000);
	item = item_named(root, "cycles");
	TT_IS(json_integer_value(json_object_get(item, "value")), 1000);
	TT_IS(json_integer_value(json_object_get(item, "count")), 500);
	TT_IS(json_integer_value(json_object_get(item, "counted_ns")), 50);
	TT_TEXT(json_string_value(json_array_get(json_object_get(item, "flags"), 0)), "scaled");
	item = item_named(root, "branches");
	assert_null(json_object_get(item, "value"));
	assert_null(json_object_get(item, "count"));
	TT_TEXT(json_string_value(json_object_get(json_object_get(item, "absent"), "reason")),
		NO_PMU);
	assert_null(json_object_get(item_named(root, "idle"), "value"));
	assert_null(json_object_get(item_named(root, "idle"), "absent"));
	assert_null(item_named(root, "hidden"));
	json_decref(root);
	free(text);
}

/* Shown as counted, marked, and with the reason, in each form. */
TEST(what_cannot_be_right_says_so)
{
	struct cli_item item = { WHERE,
				 .name = "instructions",
				 .unit_text = "",
				 .reason = "more than 16 a cycle",
				 .remedy = "none",
				 .about = "cpu",
				 .cause = "more than 16 a cycle",
				 .reason_code = NTIME_REASON_IMPLAUSIBLE,
				 .value = {
					 .count = 70, .value = 70, .flags = NTIME_IMPLAUSIBLE } };
	struct cli_style style = { .look = { .width = 80 } };
	struct cli_report r = report();
	const json_t *limited;
	json_t *root;
	char *text;

	r.item = &item;
	r.items = 1;
	text = written(&cli_text_writer, &style, &r, 0);
	TT_HAS(text, "          ?70  instructions   [implausible]\n");
	TT_HAS(text, "\nImplausible (marked ?), shown as counted:\n"
		     "  instructions\n"
		     "    more than 16 a cycle\n");
	free(text);
	is_in(&cli_text_writer, &style, &r, 1.5, "?70  instructions   [implausible]\n");
	is_in(&cli_csv_writer, &style, &r, 0,
	      "instructions,70,,0,,,,,70,0,0,implausible,cpu,perf,more than 16 a cycle,none\n");
	text = written(&cli_json_writer, &style, &r, 0);
	root = json_loads(text, 0, NULL);
	TT_IS(json_integer_value(json_object_get(item_named(root, "instructions"), "value")), 70);
	limited = json_object_get(item_named(root, "instructions"), "limited");
	TT_TEXT(json_string_value(json_object_get(limited, "reason")), "more than 16 a cycle");
	TT_TEXT(json_string_value(json_object_get(limited, "reason_code")), "implausible");
	json_decref(root);
	free(text);
	item.reason_code = NTIME_REASON_ERRATUM;
	item.value.flags = 0;
	text = written(&cli_text_writer, &style, &r, 0);
	TT_HAS(text, "           70  instructions\n");
	TT_HAS(text, "\nErrata of this processor:\n  instructions\n");
	free(text);
	is_in(&cli_json_writer, &style, &r, 0, "\"reason_code\": \"erratum\"");
	item.reason_code = NTIME_REASON_UNKNOWN_EVENT;
	text = written(&cli_text_writer, &style, &r, 0);
	TT_HAS(text, "           70  instructions\n");
	TT_HAS(text, "\nUnknown codes, shown as counted:\n  instructions\n");
	free(text);
	is_in(&cli_json_writer, &style, &r, 0, "\"reason_code\": \"unknown-event\"");
}

TEST(json_intervals_are_lines)
{
	struct cli_style style = { .look = { .width = 80 }, .by_interval = true };
	struct cli_report r = report();
	char *text = written(&cli_json_writer, &style, &r, 1.5);
	json_t *root = json_loads(text, 0, NULL);

	assert_non_null(root);
	TT_IS(strcspn(text, "\n"), strlen(text) - 1);
	assert_true(json_real_value(json_object_get(root, "time_s")) == 1.5);
	json_decref(root);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text),
		cmocka_unit_test(what_may_be_twice_as_much_has_no_percentage),
		cmocka_unit_test(a_counter_that_never_ran_is_explained),
		cmocka_unit_test(upper_bounds_say_so),
		cmocka_unit_test(a_metric_that_divides_by_0_is_explained),
		cmocka_unit_test(quiet_text_still_names_what_is_missing),
		cmocka_unit_test(brief),
		cmocka_unit_test(brief_parts_are_not_larger_than_the_whole),
		cmocka_unit_test(text_fits_terminals),
		cmocka_unit_test(text_marks),
		cmocka_unit_test(runs_left_out),
		cmocka_unit_test(control_characters_do_not_reach_the_terminal),
		cmocka_unit_test(what_cannot_be_right_says_so),
		cmocka_unit_test(csv),
		cmocka_unit_test(csv_rows_have_as_many_fields_as_the_header),
		cmocka_unit_test(json),
		cmocka_unit_test(json_real_numbers),
		cmocka_unit_test(json_intervals_are_lines),
	};

	return TT_RUN(tests);
}
