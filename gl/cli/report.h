/* SPDX-License-Identifier: MIT */
/* Frames for people and programs. */
#ifndef CLI_GL_REPORT_H
#define CLI_GL_REPORT_H

#include <stdio.h>

#include <ntime/command.h>

#include "gl/cli/frames.h"

struct cli_gl_harness;

/**
 * struct cli_gl_summary - a counter over frames, but for frame 0; all 0 where there is no number
 * @n:		frames that have one
 * @worst:	the frame that has @max
 */
struct cli_gl_summary {
	size_t n;
	double mean, median, p99, min, max;
	uint64_t worst;
};

/* NOLINTBEGIN(bugprone-macro-parentheses) the name of a variable cannot have any */
/* SIZE_MAX, the lengths of frames, and behind it each value that is shown. */
#define CLI_GL_FOR_EACH_ITEM(item_, s)                                                             \
	for (size_t item_ = SIZE_MAX; item_ == SIZE_MAX || item_ < (s)->items; item_++)            \
		if (item_ == SIZE_MAX || !(s)->item[item_].is_hidden)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Of value @item; SIZE_MAX: of the lengths of frames, in ns. */
struct cli_gl_summary cli_gl_summarize(const struct cli_gl_series *s, size_t item);

/**
 * struct cli_gl_run - a program that ended
 * @name:	of the program
 * @argv:	its words
 * @harness:	what it draws; NULL: that is not ours
 */
struct cli_gl_run {
	const char *name;
	char **argv;
	const struct cli_gl_harness *harness;
	struct ntime_command_end end;
	struct cli_gl_frames frames;
};

/* The program's exit status, as a shell has it. */
int cli_gl_status(const struct cli_gl_run *run);

void cli_gl_write_text(FILE *f, const struct cli_gl_run *run);
void cli_gl_write_csv(FILE *f, const struct cli_gl_run *run);
void cli_gl_write_json(FILE *f, const struct cli_gl_run *run);
/* As SVG. */
void cli_gl_write_plot(FILE *f, const struct cli_gl_run *run);
/*
 * A file a counter, with a number a line, as GALLIUM_HUD_DUMP_DIR has them: frame 0 is left out. 0
 * or -errno after a sentence.
 */
int cli_gl_write_hud(const char *folder, const struct cli_gl_run *run);

#endif
