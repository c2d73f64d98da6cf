// SPDX-License-Identifier: MIT
/*
 * The input as a command line of ntime watch, a word a line, and behind an empty line as samples of
 * what is watched. Alarms ring when a value rises above its limit and not before it was below
 * again; no value that is not known rings one; commands are started only then, and never more than
 * CLI_ALARM_CHILDREN at a time.
 */
#include <math.h>

#include "count/cli/watch/alarm.h"
#include "count/cli/watch/watch.h"
#include "count/tests/fuzz/cli_files.h"

#define WORDS 16
#define ITEMS 3
#define ROWS 2

static struct cli_row_item items_of_test[ITEMS] = {
	{ .name = (char *)"power", .is_shown = true, .info = { .unit_text = "W" } },
	{ .name = (char *)"cpu/event=0xc0/",
	  .is_shown = true,
	  .has_rate = true,
	  .info = { .unit_text = "" } },
	{ .name = (char *)"gone",
	  .is_missing = true,
	  .info = { .unit_text = "", .reason = "it is not there" } },
};
static const struct cli_watch_items items = { .item = items_of_test, .n = ITEMS, .shown = 2 };

static double number(uint64_t byte)
{
	static const double odd[] = { NAN, INFINITY, -INFINITY, 1e308, -0.0, 1e-320 };

	return byte < 250 ? (double)byte - 20 : odd[byte - 250];
}

static void sample(struct cli_watch_alarms *a, struct cli_rows *rows, struct fuzz_bytes *in)
{
	uint64_t how = fuzz_get(in, 1);
	unsigned int started;

	for (size_t i = 0; i < ROWS * ITEMS; i++)
		rows->value[i] = (struct ntime_value){ .value = number(fuzz_get(in, 1)),
						       .flags = how >> i & 1 ? NTIME_ABSENT : 0 };
	rows->is_unsure = how & 0x80;
	cli_watch_alarms_check(a, rows, &items, 1000000000, how & 0x40 ? 1000000 : 0);
	started = fuzz_started();
	for (size_t i = 0; i < ROWS * ITEMS; i++)
		fuzz_expect(!a->n || !rows->has_alarm[i] ||
			    (!isnan(rows->value[i].value) && !(how >> i & 1)));
	fuzz_expect(a->children <= CLI_ALARM_CHILDREN && (!started || (a->rang && a->command)));
	(void)fuzz_said();
}

static void watch(const struct cli_watch_options *o, struct fuzz_bytes *in)
{
	struct ntime_value values[ROWS * ITEMS] = { 0 };
	bool has_alarm[ROWS * ITEMS] = { 0 };
	struct cli_row row[ROWS] = { { .name = "socket 0", .kind = CLI_ROW_SOCKET },
				     { .name = "socket 1", .kind = CLI_ROW_SOCKET } };
	struct cli_rows rows = { .per = CLI_PER_SOCKET,
				 .items = ITEMS,
				 .n = ROWS,
				 .row = row,
				 .value = values,
				 .has_alarm = has_alarm };
	struct cli_watch_alarms a;
	sigset_t mask;
	int ret = cli_watch_alarms_init(&a, o, &items);

	fuzz_expect(ret == 0 || fuzz_said() > 0);
	sigemptyset(&mask);
	a.mask = &mask;
	if (ret == 0) {
		cli_watch_alarms_arrange(&a, &rows);
		while (in->at < in->end)
			sample(&a, &rows, in);
	}
	cli_watch_alarms_fini(&a);
}

/* Words of the command line, in the place of newlines; what follows an empty line is left. */
static int words_of(char *text, char **argv, struct fuzz_bytes *rest, size_t bytes)
{
	char *end = memmem(text, bytes, "\n\n", 2), *word;
	int argc = 1;

	rest->end = (const uint8_t *)text + bytes;
	rest->at = end ? (const uint8_t *)end + 2 : rest->end;
	if (end)
		*end = '\0';
	argv[0] = (char *)"watch";
	while (argc < WORDS && (word = strsep(&text, "\n")))
		argv[argc++] = word;
	argv[argc] = NULL;
	return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const struct cli_command self = { .name = "watch",
						 .usage = "watch",
						 .about = "",
						 .details = "",
						 .options = cli_watch_option_table,
						 .is_permuting = true };
	char *text = fuzz_text(data, bytes), *argv[WORDS + 1];
	struct cli_watch_options o;
	struct fuzz_bytes samples;
	int argc = words_of(text, argv, &samples, bytes), ret;

	fuzz_files(NULL, 0);
	ret = cli_watch_options_parse(&o, &self, argc, argv);
	fuzz_expect(ret <= 0);
	if (ret == 0)
		watch(&o, &samples);
	cli_watch_options_fini(&o);
	(void)fuzz_said();
	free(text);
	return 0;
}
