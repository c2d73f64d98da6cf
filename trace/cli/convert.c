// SPDX-License-Identifier: MIT
/* ntime trace convert: a trace in another form. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ntime/trace/writer.h>

#include "base/command/options.h"
#include "base/output/file.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "trace/cli/show.h"

enum {
	ID_TO = CLI_TRACE_OWN,
	ID_REBASE,
	ID_KEEP_TID,
	ID_ID,
	ID_BAR,
	ID_STYLE,
	ID_NO_MARKS,
	ID_IO_MARKS,
};

/* What can be written. */
static const struct {
	const char *name;
	uint32_t form;
} forms[] = { { "mmiotrace", NTIME_TRACE_MMIOTRACE },
	      { "vfio", NTIME_TRACE_VFIO },
	      { "json", NTIME_TRACE_JSON },
	      { "binary", NTIME_TRACE_BINARY } };

static const char *to_word(size_t i)
{
	return i < sizeof(forms) / sizeof(forms[0]) ? forms[i].name : NULL;
}

static const struct cli_option options[] = {
	{ 't', "to", "FORM", "what to write: mmiotrace (if not given), vfio, json, binary",
	  .word = to_word },
	{ ID_REBASE, "rebase", NULL, "times begin at 0" },
	{ ID_KEEP_TID, "keep-tid", NULL,
	  "mmiotrace: write the thread as the pid, which other tools expect to be 0" },
	{ ID_ID, "id", "BDF=VVVV:DDDD",
	  "mmiotrace: vendor and device of a function, if the trace lacks them" },
	{ ID_BAR, "bar", "BDF=N=START[+BYTES]",
	  "mmiotrace: address and size of a BAR, if the trace lacks them" },
	{ ID_STYLE, "style", "NAME", "vfio: prefix of the events: plain, pid@time, iso, ..." },
	{ ID_NO_MARKS, "no-marks", NULL, "mmiotrace: no MARK lines" },
	{ ID_IO_MARKS, "io-marks", NULL, "mmiotrace: accesses to I/O regions become marks" },
	CLI_OPTION_END,
};

/* What is asked for besides the common options. */
struct convert {
	struct ntime_trace_writer_options writer;
	char *hints;
	size_t hint_bytes;
	uint32_t given; /* bit ID - CLI_TRACE_OWN of each option of its own */
};

static void add_hint(struct convert *c, const char *kind, const char *value)
{
	size_t bytes = strlen(kind) + 1 + strlen(value) + 1;

	c->hints = cli_realloc(c->hints, c->hint_bytes + bytes + 1, 1);
	c->hint_bytes += (size_t)sprintf(c->hints + c->hint_bytes, "%s=%s\n", kind, value);
}

static int set_option(struct cli_trace *t, const struct cli_option *o, const char *value)
{
	struct convert *c = t->own;
	int word;

	if (o->id >= CLI_TRACE_OWN)
		c->given |= 1u << (o->id - CLI_TRACE_OWN);
	switch (o->id) {
	case 't':
		word = cli_option_word(t->self->name, o, value);
		if (word < 0)
			return word;
		c->writer.form = forms[word].form;
		return 0;
	case ID_REBASE:
		c->writer.flags |= NTIME_WRITER_REBASE;
		return 0;
	case ID_KEEP_TID:
		c->writer.flags |= NTIME_WRITER_KEEP_THREAD;
		return 0;
	case ID_NO_MARKS:
		c->writer.flags |= NTIME_WRITER_NO_MARKS;
		return 0;
	case ID_IO_MARKS:
		c->writer.flags |= NTIME_WRITER_IO_MARKS;
		return 0;
	case ID_ID:
	case ID_BAR:
		if (cli_trace_add_word(t, &t->places, o->name, value))
			return -EINVAL;
		add_hint(c, o->name, value);
		return 0;
	default:
		add_hint(c, o->name, value);
		return 0;
	}
}

static int put_bytes(void *arg, const void *bytes, size_t n)
{
	struct cli_output *o = arg;

	if (fwrite(bytes, 1, n, o->f) == n)
		return 0;
	if (!o->error)
		o->error = errno ? -errno : -EIO;
	return o->error;
}

/* What follows is ready to be looked at by somebody who waits. */
static int copy_following(struct cli_trace_input *in, struct ntime_trace_writer *w,
			  struct cli_output *out)
{
	struct ntime_trace_batch batch = { 0 };
	int ret;

	while ((ret = cli_trace_input_next(in, &batch)) > 0) {
		ret = ntime_trace_writer_put(w, &batch);
		if (!ret)
			ret = cli_output_flush(out);
		if (ret)
			return ret;
	}
	return ret;
}

/* What progress() needs. */
struct copying {
	struct cli_trace_input *in;
	struct cli_output *out;
};

/*
 * A pipe may pause, and somebody look at what came out of it. What becomes of it is asked at the
 * end.
 */
static int progress(void *arg, uint64_t position)
{
	struct copying *c = arg;

	if (!c->out->is_whole)
		(void)fflush(c->out->f);
	return cli_trace_input_progress(c->in, position);
}

static int copy(struct cli_trace_input *in, struct ntime_trace_writer *w, struct cli_output *out)
{
	struct copying c = { in, out };
	int ret;

	if (in->t->follows)
		ret = copy_following(in, w, out);
	else
		ret = ntime_trace_copy(in->trace, w, progress, &c);
	if (!ret && !in->t->follows)
		ret = cli_trace_input_check_end(in);
	return ret ? ret : ntime_trace_writer_end(w);
}

/* Everything but opening and closing. Negative after a sentence. */
static int convert(struct cli_trace_input *in, struct cli_output *out)
{
	struct convert *c = in->t->own;
	struct ntime_trace_writer *w;
	int ret;

	c->writer.write = put_bytes;
	c->writer.write_arg = out;
	c->writer.hints = c->hints;
	if (in->t->follows)
		c->writer.flags |= NTIME_WRITER_LIVE;
	ret = ntime_trace_writer_new(in->t->ctx, in->trace, &c->writer, &w);
	if (ret < 0) {
		cli_trace_say(in->t->ctx, ret);
		return ret;
	}
	ret = copy(in, w, out);
	cli_progress_clear(&in->progress.line);
	/* What could not be written is told when the output is closed. */
	if (ret < 0 && ret != -EINTR && !out->error && !in->is_told)
		cli_trace_say(in->t->ctx, ret);
	if (!ret && !in->t->is_quiet)
		ntime_trace_writer_warnings(w, cli_trace_input_warn, in);
	ntime_trace_writer_free(w);
	return ret;
}

static int run_with_input(struct cli_trace_input *in)
{
	struct cli_trace *t = in->t;
	struct cli_output out;
	int ret;

	if (cli_output_open(&out, t->output ? t->output : "-", false))
		return CLI_EXIT_FAILED;
	ret = convert(in, &out);
	if (ret < 0 && !out.error && out.is_whole) {
		cli_output_abandon(&out);
		return CLI_EXIT_FAILED;
	}
	if (cli_output_close(&out) || ret < 0)
		return CLI_EXIT_FAILED;
	return cli_trace_input_tell(in);
}

/* A chip that nobody knows is refused, as where registers get names. */
static int check_chips(struct cli_trace *t)
{
	struct ntime_decoder *decoder;
	int ret;

	if (!t->chips.n)
		return 0;
	if (cli_trace_names(t) || cli_trace_decoder(t, &decoder))
		return CLI_EXIT_FAILED;
	for (size_t i = 0; i < t->chips.n; i++) {
		const char *chip = strrchr(t->chips.word[i], '=');

		ret = chip ? ntime_decoder_set_chip(decoder, 0, chip + 1) : 0;
		if (ret < 0) {
			cli_trace_say(t->ctx, ret);
			ntime_decoder_free(decoder);
			return CLI_EXIT_FAILED;
		}
	}
	ntime_decoder_free(decoder);
	return 0;
}

static bool chooses_by_name(const struct cli_trace *t)
{
	static const char term[] = "register=";

	for (size_t i = 0; i < t->n_terms; i++)
		if (strncmp(t->terms[i].text, term, sizeof(term) - 1) == 0)
			return true;
	return false;
}

/* What the form has no place for is not passed over in silence. */
static int check_form(const struct cli_trace *t, const struct convert *c)
{
	static const struct {
		int id;
		uint32_t form;
		const char *option, *name;
	} only[] = {
		{ ID_KEEP_TID, NTIME_TRACE_MMIOTRACE, "--keep-tid", "mmiotrace" },
		{ ID_ID, NTIME_TRACE_MMIOTRACE, "--id", "mmiotrace" },
		{ ID_BAR, NTIME_TRACE_MMIOTRACE, "--bar", "mmiotrace" },
		{ ID_NO_MARKS, NTIME_TRACE_MMIOTRACE, "--no-marks", "mmiotrace" },
		{ ID_IO_MARKS, NTIME_TRACE_MMIOTRACE, "--io-marks", "mmiotrace" },
		{ ID_STYLE, NTIME_TRACE_VFIO, "--style", "vfio" },
	};

	for (size_t i = 0; i < sizeof(only) / sizeof(only[0]); i++)
		if (c->given & 1u << (only[i].id - CLI_TRACE_OWN) && c->writer.form != only[i].form)
			return cli_say_misuse(t->self->name, "%s is for --to %s alone",
					      only[i].option, only[i].name);
	if (t->chips.n &&
	    (c->writer.form == NTIME_TRACE_VFIO || c->writer.form == NTIME_TRACE_BINARY) &&
	    !chooses_by_name(t))
		return cli_say_misuse(t->self->name,
				      "--chip is for --to mmiotrace, for names of --to json and of "
				      "--register: the other forms cannot store a chip");
	return 0;
}

/* What else of the trace the form has a place for: NTIME_TRACE_OTHERS, NTIME_TRACE_REQUESTS. */
static uint32_t reads_all(uint32_t form)
{
	switch (form) {
	case NTIME_TRACE_BINARY:
		return NTIME_TRACE_OTHERS | NTIME_TRACE_REQUESTS;
	case NTIME_TRACE_VFIO:
		return NTIME_TRACE_OTHERS;
	default:
		return 0;
	}
}

static int run(struct cli_trace *t)
{
	struct convert *c = t->own;
	const char *path = cli_trace_operand(t, 0);
	struct cli_trace_input in;
	int ret = CLI_EXIT_FAILED;

	c->writer.size = sizeof(c->writer);
	if (!c->writer.form)
		c->writer.form = NTIME_TRACE_MMIOTRACE;
	if (check_form(t, c)) {
		free(c->hints);
		return CLI_EXIT_FAILED;
	}
	/* The writer of mmiotrace knows more of them, and refuses others itself. */
	if (c->writer.form != NTIME_TRACE_MMIOTRACE && check_chips(t)) {
		free(c->hints);
		return CLI_EXIT_FAILED;
	}
	if (path && c->writer.form == NTIME_TRACE_BINARY && !t->output && isatty(STDOUT_FILENO)) {
		cli_say_misuse(t->self->name,
			       "the binary form is not written to a terminal: use -o FILE");
		path = NULL;
	}
	if (path && c->writer.form == NTIME_TRACE_JSON) {
		free(c->hints);
		return cli_show_trace(t, path,
				      &(struct cli_show_wanted){
					      .form = CLI_RECORD_JSON,
					      .no_fold = true,
					      .is_rebased = c->writer.flags & NTIME_WRITER_REBASE,
					      .from_kept = true,
				      });
	}
	for (size_t i = 0; i < t->chips.n && path; i++)
		add_hint(c, "chip", t->chips.word[i]);
	if (path && !cli_trace_input_open(&in, t, path, reads_all(c->writer.form))) {
		ret = run_with_input(&in);
		cli_trace_input_close(&in);
	}
	free(c->hints);
	return ret;
}

const struct cli_trace_action cli_trace_convert = {
	.name = "convert",
	.usage = "[OPTION...] [FILE]",
	.about = "write a trace in another form: mmiotrace, VFIO text, JSON lines, binary",
	.details = "Values that mmiotrace requires and the trace lacks (addresses of BARs, the "
		   "identification of the device) are taken from --id, --bar and --chip, or made "
		   "up in a form that decoders accept, with a MARK that says so.",
	.groups = CLI_TRACE_READS | CLI_TRACE_FOLLOWS | CLI_TRACE_OUTPUT,
	.max = 1,
	.options = options,
	.set = set_option,
	.own_bytes = sizeof(struct convert),
	.run = run,
};
