// SPDX-License-Identifier: MIT
/* ntime trace cost: runs of a command with tracing and without, one after the other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/command/child.h"
#include "base/output/say.h"
#include "trace/cli/cost.h"
#include "base/command/wait.h"
#include "base/output/memory.h"

/* Words of a command line that ntime puts together; the last is NULL. */
struct words {
	char **word;
	size_t n;
};

static void add_word(struct words *w, char *word)
{
	cli_grow(&w->word, w->n);
	w->word[w->n++] = word;
}

/* One word of @text into new memory: quotes of either kind keep blanks. *@end is behind it. */
static char *take_word(const char *text, const char **end)
{
	char *word = cli_malloc(strlen(text) + 1), *to = word, quote = '\0';

	for (; *text && (quote || (*text != ' ' && *text != '\t')); text++) {
		if (quote ? *text == quote : *text == '\'' || *text == '"')
			quote = quote ? '\0' : *text;
		else
			*to++ = *text;
	}
	*to = '\0';
	*end = text;
	return word;
}

static void add_args(struct words *w, const char *text)
{
	const char *at = text ? text : "";

	for (at += strspn(at, " \t"); *at; at += strspn(at, " \t"))
		add_word(w, take_word(at, &at));
}

static void put_together(struct words *w, char *const *command, const char *args)
{
	bool is_in = false;

	for (; *command; command++) {
		if (strcmp(*command, "{}") == 0) {
			add_args(w, args);
			is_in = true;
		} else {
			add_word(w, cli_strdup(*command));
		}
	}
	if (!is_in)
		add_args(w, args);
	add_word(w, NULL);
}

int cli_cost_count(struct cli_trace *t, const char *log, uint64_t *accesses)
{
	struct ntime_trace_batch batch = { 0 };
	struct cli_trace_input in;
	int ret;

	*accesses = 0;
	if (cli_trace_input_open(&in, t, log, 0))
		return CLI_EXIT_FAILED;
	while ((ret = cli_trace_input_next(&in, &batch)) > 0)
		for (size_t i = 0; i < batch.n; i++)
			*accesses += batch.records[i].kind <= NTIME_RECORD_WRITE &&
				     !(batch.records[i].flags & NTIME_RECORD_SYNTHETIC);
	cli_trace_input_close(&in);
	return ret < 0 ? CLI_EXIT_FAILED : 0;
}

/* What tells a file that was written again from one that was not. */
struct look {
	bool is_there;
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec changed;
};

static struct look look_at(const char *path)
{
	struct stat st;

	if (!path || stat(path, &st))
		return (struct look){ 0 };
	return (struct look){ true, st.st_dev, st.st_ino, st.st_size, st.st_mtim };
}

static bool is_written(const struct look *before, const struct look *after)
{
	return after->is_there &&
	       (!before->is_there || before->dev != after->dev || before->ino != after->ino ||
		before->size != after->size || before->changed.tv_sec != after->changed.tv_sec ||
		before->changed.tv_nsec != after->changed.tv_nsec);
}

static int say_failed(const char *program, const char *kind, int status)
{
	if (status < 0)
		cli_say("%s cannot be run: %s", program, strerror(-status));
	else if (status >= 128)
		cli_say("a run %s was ended by signal %d; what it took cannot be compared", kind,
			status - 128);
	else
		cli_say("a run %s ended with status %d; what it took cannot be compared", kind,
			status);
	return CLI_EXIT_FAILED;
}

/* One run; what it left in the log, 0 when it did not write one. */
static int run_once(struct cli_trace *t, const struct cli_cost_live *live, bool is_traced,
		    struct cli_cost_runs *runs)
{
	const char *kind = is_traced ? "with tracing" : "without tracing";
	struct look before = look_at(live->log), after;
	struct words w = { .n = 0 };
	uint64_t start;
	int ret = CLI_EXIT_FAILED, status;

	put_together(&w, live->command, is_traced ? live->with : live->without);
	start = cli_now_ns();
	status = cli_child_run(w.word);
	runs->ns[runs->n] = cli_now_ns() - start;
	if (status) {
		say_failed(live->command[0], kind, status);
		goto out;
	}
	after = look_at(live->log);
	ret = 0;
	runs->accesses[runs->n] = 0;
	/* An empty log is one of a run that wrote no accesses, and has no form. */
	if (is_written(&before, &after) && after.size)
		ret = cli_cost_count(t, live->log, &runs->accesses[runs->n]);
	else if (is_traced && live->log && !is_written(&before, &after)) {
		cli_say("a run with tracing did not write %s, so its accesses cannot be counted",
			live->log);
		ret = CLI_EXIT_FAILED;
	}
	if (t->verbose)
		cli_say("%s: %.6f s, %llu accesses", kind, (double)runs->ns[runs->n] / 1e9,
			(unsigned long long)runs->accesses[runs->n]);
	runs->n++;
out:
	for (size_t i = 0; i < w.n; i++)
		free(w.word[i]);
	free(w.word);
	return ret;
}

int cli_cost_run(struct cli_trace *t, const struct cli_cost_live *live, struct cli_cost_runs *with,
		 struct cli_cost_runs *without)
{
	int ret = 0;

	/*
	 * Without, with, with, without: what gets slower or faster over time falls on both alike.
	 */
	for (size_t i = 0; i < live->pairs && !ret; i++) {
		ret = run_once(t, live, i % 2, i % 2 ? with : without);
		if (!ret)
			ret = run_once(t, live, !(i % 2), i % 2 ? without : with);
	}
	return ret;
}
