/* SPDX-License-Identifier: MIT */
/* Frames for people and programs. */
#ifndef CLI_GL_REPORT_H
#define CLI_GL_REPORT_H

#include <stdio.h>

#include <ntime/command.h>

#include "cli/gl/frames.h"

/**
 * struct cli_gl_run - a program that ended
 * @name:	of the program
 * @argv:	its words
 */
struct cli_gl_run {
	const char *name;
	char **argv;
	struct ntime_command_end end;
	struct cli_gl_frames frames;
};

void cli_gl_write_text(FILE *f, const struct cli_gl_run *run);
void cli_gl_write_csv(FILE *f, const struct cli_gl_run *run);
void cli_gl_write_json(FILE *f, const struct cli_gl_run *run);
/*
 * A file a counter, with a number a line, as GALLIUM_HUD_DUMP_DIR has them: frame 0 is left out. 0
 * or -errno after a sentence.
 */
int cli_gl_write_hud(const char *folder, const struct cli_gl_run *run);

#endif
