/* SPDX-License-Identifier: MIT */
/* ntime gl: counters for OpenGL programs. */
#ifndef CLI_GL_H
#define CLI_GL_H

#include <stdbool.h>
#include <stdint.h>

#include "gl/cli/harness.h"

/* Of the environment: libraries of the real drivers for EGL; cli_gl_prepare() sets it. */
#define CLI_GL_VENDORS "NTIME_GL_EGL_VENDORS"

/**
 * struct cli_gl - the command line
 * @events:	-e, NULL: none; of several joined by commas. Queries of the driver are not in it
 * @queries:	those: bits of GLP_QUERIES
 * @of_machine:	the events count the whole machine
 * @vendor:	--vendor: "mesa", "nvidia"; NULL: what glvnd would take
 * @is_preload:	--preload: for systems without glvnd
 * @is_es:	list: of a context of OpenGL ES
 * @csv, @json, @hud, @plot, @frames: files, and a folder, for frames; NULL: none
 * @is_quiet:	no summary
 * @is_harness:	@harness is what runs
 */
struct cli_gl {
	char *events;
	uint32_t queries, of_machine;
	const char *vendor;
	bool is_preload, is_es, is_csv, is_json, is_quiet;
	const char *csv, *json, *hud, *plot, *frames;
	bool is_harness;
	struct cli_gl_harness harness;
};

/*
 * Set the environment that loads our libraries in front of the driver's. 0; -EPERM, -ENOENT after a
 * sentence: it is as it was.
 */
int cli_gl_prepare(const struct cli_gl *gl);

/* Can a program of this name be given libraries? False after a sentence. */
bool cli_gl_check_program(const char *name);

/* Run a program whose frames are counted. An exit status. */
int cli_gl_run(const struct cli_gl *gl, char **argv);

/* What a program would see here. An exit status. */
int cli_gl_list(const struct cli_gl *gl);

#endif
