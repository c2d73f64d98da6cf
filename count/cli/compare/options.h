/* SPDX-License-Identifier: MIT */
/* The command line of ntime compare, understood but not yet acted upon. */
#ifndef CLI_COMPARE_OPTIONS_H
#define CLI_COMPARE_OPTIONS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/command/command.h"
#include "base/output/say.h"
#include "count/cli/stat/options.h"

/* Arguments of an option that may be repeated. */
struct cli_words {
	char **word;
	size_t n;
};

/**
 * struct cli_compare_options - all strings are the command line's
 * @run:	what each run is measured with; .argv is not set
 * @operand:	the commands
 * @file:	files with results
 * @text, @bytes: with files what each of them has, from cli_files_load() on; owned
 * @runs_first:	a command stands before the first of these
 * @rounds:	-n; 0: until the interval is narrow enough
 * @precision:	half of that, as a logarithm of a factor; 0: not given
 * @fail_above:	factor above which a command is too slow; 0: not given
 * @tolerance:	a part by which counters of frames may differ; NAN: not given
 * @has_frames:	all of @file are of frames
 * @name, @setup, @prepare, @cleanup: one for all commands, or one a command
 * @list:	each "VAR=VALUE,VALUE" of -L
 * @joined:	words that were made of several; owned
 * @export_json, @export_csv, @export_markdown, @plot: files, NULL: none
 * @by:		metric that decides, NULL: the steadiest
 * @shell:	words of the shell that runs the commands, NULL: they run without
 */
struct cli_compare_options {
	struct cli_stat_options run;
	struct cli_words operand, file;
	char **text;
	size_t *bytes;
	bool runs_first;
	uint64_t rounds;
	double precision;
	double fail_above;
	double tolerance;
	bool has_frames;
	struct cli_words name, setup, prepare, cleanup;
	struct cli_words list, joined;
	uint64_t warmups;
	const char *export_json, *export_csv, *export_markdown, *plot;
	const char *by;
	const char *shell;
	const char *output;
	bool is_json, ignore_failure;
	unsigned int verbose;
};

extern const struct cli_option cli_compare_option_table[];
extern const struct cli_foreign cli_compare_foreign[];

/*
 * 0; -EINVAL after a sentence; -ECANCELED after --help. In every case cli_compare_options_fini()
 * frees.
 */
int cli_compare_options_parse(struct cli_compare_options *o, const struct cli_command *self,
			      int argc, char **argv);
void cli_compare_options_fini(struct cli_compare_options *o);

#define CLI_NO_SECOND "--fail-above needs a second command, which may be slower than the first"

/* A sentence about the command line, then -EINVAL. */
#define cli_compare_misuse(...) cli_misuse("compare", __VA_ARGS__)

#endif
