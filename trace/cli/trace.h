/* SPDX-License-Identifier: MIT */
/* ntime trace: what its actions are, and what they share. */
#ifndef CLI_TRACE_TRACE_H
#define CLI_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/trace/regdb.h>
#include <ntime/trace/trace.h>
#include <ntime/trace/filter.h>

#include "base/command/command.h"
#include "base/command/progress.h"
#include "base/output/term.h"

/* Groups of common options that an action may have; -q, -v and -h all have. */
#define CLI_TRACE_FORMS 0x01u	/* --from */
#define CLI_TRACE_FILTERS 0x02u /* --device ... --not; those of names as well */
#define CLI_TRACE_NAMES 0x04u	/* --regs, --chip, --domain */
#define CLI_TRACE_FOLLOWS 0x08u /* --follow */
#define CLI_TRACE_OUTPUT 0x10u	/* --output */
#define CLI_TRACE_CSV 0x20u	/* --csv */
#define CLI_TRACE_JSON 0x40u	/* --json */
#define CLI_TRACE_COLOUR 0x80u	/* --color */
/* What whoever reads traces has. */
#define CLI_TRACE_READS (CLI_TRACE_FORMS | CLI_TRACE_FILTERS | CLI_TRACE_NAMES)

/* Options of an action's own have ids from here on, or letters that no common option has. */
#define CLI_TRACE_OWN 1024

/* Filters, chips, databases or domains that may be given. */
#define CLI_TRACE_TERMS 256

/* Room for what one access reaches. */
#define CLI_TRACE_NAME 512

struct cli_trace;

/**
 * struct cli_trace_action - one action; a row of the table in trace.c
 * @name:	what the user types behind "ntime trace"
 * @usage:	what follows the name; several lines are separated by newlines
 * @about:	one line
 * @details:	paragraphs below the options in --help
 * @groups:	CLI_TRACE_*: which common options it has
 * @min, @max:	operands; @max of -1: any number
 * @options:	its own, ended by CLI_OPTION_END; NULL: none
 * @set:	takes one of its own options; 0, or -EINVAL after a sentence
 * @uses_machine: it looks at devices or runs commands; all others read files alone (cli_confine())
 * @own_bytes:	memory that it gets as cli_trace.own, zeroed before the options are parsed
 * @run:	the exit status of ntime
 */
struct cli_trace_action {
	const char *name;
	const char *usage;
	const char *about;
	const char *details;
	uint32_t groups;
	int min, max;
	const struct cli_option *options;
	int (*set)(struct cli_trace *t, const struct cli_option *o, const char *value);
	bool uses_machine;
	size_t own_bytes;
	int (*run)(struct cli_trace *t);
};

/* "TERM" of a filter as ntime_trace_filter_add() takes it, and whether it removes. */
struct cli_trace_term {
	char *text;
	bool is_negated;
};

/* A growing list of strings of the command line. */
struct cli_trace_words {
	const char *word[CLI_TRACE_TERMS];
	size_t n;
};

/* Warnings about databases that are printed without -vv. */
#define CLI_TRACE_WARNINGS 10u

/**
 * struct cli_trace - one run of "ntime trace"; strings are the command line's
 * @self:	the action as a command of its own, "trace show": for cli_say_misuse()
 * @root:	directory put before the system's files, of actions with --root; NULL: none
 * @operand, @n: what follows the options
 * @terms:	filters in the order of the command line
 * @regs, @chips, @domains: arguments of those options
 * @places: what an action was told of devices itself, "DEVICE=..."
 * @form:	enum ntime_trace_form of --from
 * @own:	the action's own memory
 * @db:		databases of names, once cli_trace_names() loaded them
 * @filter:	what to keep, once cli_trace_filter() made it; NULL: all
 */
struct cli_trace {
	const struct cli_trace_action *action;
	const struct cli_command *self;
	const char *root;
	struct ntime_trace_ctx *ctx;
	char **operand;
	int n;
	struct cli_trace_term terms[CLI_TRACE_TERMS];
	size_t n_terms;
	struct cli_trace_words regs, chips, domains, places;
	uint32_t form;
	bool follows, is_csv, is_json, is_quiet;
	enum cli_trace_colour { CLI_TRACE_AUTO, CLI_TRACE_ALWAYS, CLI_TRACE_NEVER } colour;
	unsigned int verbose, warnings; /* about databases */
	const char *output;
	void *own;
	struct ntime_regdb *db;
	struct ntime_trace_filter *filter;
};

/* The actions, each in its own file; a NULL ends. */
extern const struct cli_trace_action *const cli_trace_actions[];
extern const struct cli_trace_action cli_trace_bind;
extern const struct cli_trace_action cli_trace_convert;
extern const struct cli_trace_action cli_trace_cost;
extern const struct cli_trace_action cli_trace_derive;
extern const struct cli_trace_action cli_trace_diff;
extern const struct cli_trace_action cli_trace_doctor;
extern const struct cli_trace_action cli_trace_info;
extern const struct cli_trace_action cli_trace_lookup;
extern const struct cli_trace_action cli_trace_show;
extern const struct cli_trace_action cli_trace_stat;
extern const struct cli_trace_action cli_trace_state;
extern const struct cli_trace_action cli_trace_unbind;

/* ---- trace.c ---- */

/*
 * Print the sentence of libntime-trace for its last error; when it has none, what @ret means.
 * Returns CLI_EXIT_FAILED.
 */
int cli_trace_say(const struct ntime_trace_ctx *ctx, int ret);

/* ---- options.c ---- */

/* What --from calls @form, enum ntime_trace_form; NULL: it cannot be read. */
const char *cli_trace_form_name(uint32_t form);

/*
 * Options of the groups, and the action's own, into @out, which has room for CLI_OPTIONS_MAX + 1.
 */
void cli_trace_options(const struct cli_trace_action *a, struct cli_option *out);
/* Take one option of either kind. 0, or -EINVAL after a sentence. */
int cli_trace_set(struct cli_trace *t, const struct cli_option *o, const char *value);
/* What is wrong with all of them together: 0, or CLI_EXIT_FAILED after a sentence. */
int cli_trace_check(const struct cli_trace *t);
void cli_trace_fini(struct cli_trace *t);

/* Keep one more argument of an option. 0, or -EINVAL after a sentence. */
int cli_trace_add_word(struct cli_trace *t, struct cli_trace_words *words, const char *option,
		       const char *value);
/*
 * A number as the command line has them, "0x10" or "16". 0, or -EINVAL after a sentence that
 * names @option.
 */
int cli_trace_number(const struct cli_trace *t, const char *option, const char *value,
		     uint64_t high, uint64_t *out);

/* ---- names.c ---- */

/* Load the databases into @t->db, unless they are. 0, or CLI_EXIT_FAILED after a sentence. */
int cli_trace_names(struct cli_trace *t);
/*
 * Make @t->filter of the terms; loads names where a term needs them. 0, or CLI_EXIT_FAILED after a
 * sentence.
 */
int cli_trace_filter(struct cli_trace *t);
/*
 * A decoder with the domains, and the chip that is meant for all. 0, or CLI_EXIT_FAILED after a
 * sentence. Needs cli_trace_names().
 */
int cli_trace_decoder(struct cli_trace *t, struct ntime_decoder **out);
/* Does the name in @bytes of @glob, as --device takes them, mean this device? */
bool cli_trace_is_device(const struct ntime_trace_device *device, const char *glob, size_t bytes);
/* The chip that --chip BDF=CHIP tells of a device, NULL: nothing was told of it alone. */
const char *cli_trace_chip_of(const struct cli_trace *t, const struct ntime_trace_device *device);

/* ---- input.c ---- */

/* How far reading is; @bytes of 0: there is no end that is known. */
struct cli_trace_progress {
	struct cli_progress line;
	uint64_t bytes;
};

/**
 * struct cli_trace_input - one trace that is read
 * @trace:	the reader
 * @flags:	NTIME_TRACE_*, that it was opened with
 * @is_told:	a sentence about what is wrong with it was printed
 */
struct cli_trace_input {
	struct cli_trace *t;
	const char *path;
	struct ntime_trace *trace;
	struct cli_trace_progress progress;
	uint32_t flags;
	bool is_told;
};

/*
 * Operand @i, or "-" for standard input where it is not given; NULL after a sentence when that is a
 * terminal.
 */
const char *cli_trace_operand(const struct cli_trace *t, int i);

/*
 * Open @path with the options of the command line and NTIME_TRACE_* @flags; makes the filter where
 * that was not done. From now on Ctrl-C and the like end following, and where a file is being
 * written they end all without leaving half of it. 0, or CLI_EXIT_FAILED after a sentence.
 */
int cli_trace_input_open(struct cli_trace_input *in, struct cli_trace *t, const char *path,
			 uint32_t flags);
/*
 * The next records: 1; 0 at the end; -errno after a sentence, -EINTR (a signal) without one. Shows
 * how far it is.
 */
int cli_trace_input_next(struct cli_trace_input *in, struct ntime_trace_batch *batch);
/*
 * At the end: a trace without times, where @is_asked or a filter asks for some. 0, or -EINVAL after
 * a sentence.
 */
int cli_trace_input_check_times(struct cli_trace_input *in, bool is_asked);
/*
 * The same, and text of which no line is one of the form that --from names: -EBADMSG. What
 * cli_trace_input_next() does by itself.
 */
int cli_trace_input_check_end(struct cli_trace_input *in);
/*
 * Tell what the trace lacks, and which options nothing in it fits, unless --quiet. 0; or the status
 * of an action that copies or counts what is there: lines could not be read.
 */
int cli_trace_input_tell(struct cli_trace_input *in);
/* One of the warnings of a reader or a writer; @arg: struct cli_trace_input. Returns 0. */
int cli_trace_input_warn(void *arg, const char *sentence, const char *remedy, uint64_t count);
void cli_trace_input_close(struct cli_trace_input *in);

/* True when a signal asked for an end that is no end of following. */
bool cli_trace_is_stopped(const struct cli_trace *t);
/* Which one, 0: none. */
int cli_trace_signal(void);
/* For ntime_trace_copy(): @arg is the input. Non-zero: -EINTR. */
int cli_trace_input_progress(void *arg, uint64_t position);

/* ---- unused.c ---- */

/*
 * Tell of devices and registers of the command line that nothing in the trace fits; once it was
 * read.
 */
void cli_trace_tell_unused(const struct cli_trace_input *in);

/* ---- progress.c ---- */

/* Wanted only where stderr is a terminal that nothing else is written to. @bytes of 0: unknown. */
void cli_trace_progress_begin(struct cli_trace_progress *p, uint64_t bytes, bool is_wanted);
void cli_trace_progress_at(struct cli_trace_progress *p, uint64_t position);

#endif
