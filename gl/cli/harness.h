/* SPDX-License-Identifier: MIT */
/* ntime gl harness: the same work each time, and its results in the published form. */
#ifndef CLI_GL_HARNESS_H
#define CLI_GL_HARNESS_H

#include <stdio.h>

#include "gl/cli/report.h"
#include "gl/cli/scene.h"

/**
 * struct cli_gl_harness - what is drawn
 * @trace:	a recording of apitrace in its place; NULL: the scene
 */
struct cli_gl_harness {
	struct cli_gl_scene scene;
	const char *trace;
};

/*
 * The program that draws it: words that live as long as @text, which is for free(3). NULL after a
 * sentence.
 */
char **cli_gl_harness_program(const struct cli_gl_harness *h);

/* A block of OPTIONS and STATS for each counter, as the SDK sample of NVIDIA wrote them. */
void cli_gl_harness_write(FILE *f, const struct cli_gl_run *run);

#endif
