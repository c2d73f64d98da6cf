/* SPDX-License-Identifier: MIT */
/* A scene that is the same work each time: what ntime gl harness counts. */
#ifndef CLI_GL_SCENE_H
#define CLI_GL_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/command/command.h"

enum cli_gl_mode { CLI_GL_IMMEDIATE, CLI_GL_ARRAY, CLI_GL_VBO };

/**
 * struct cli_gl_scene - of the command line; NULL: as usual
 * @model:	for cli_gl_mesh_make()
 * @count:	copies of it, on a grid of 3 x 3 x 3
 * @mode:	how they are drawn: "immediate", "array", "vbo"
 * @texture:	"small", "large"
 * @frames:	frames that are drawn
 * @is_window:	in a window of X11
 */
struct cli_gl_scene {
	const char *model, *mode, *texture, *count_text, *frames_text;
	uint64_t count, frames;
	enum cli_gl_mode mode_is;
	bool has_large_texture, is_window;
};

#define CLI_GL_MOST_COPIES 27
#define CLI_GL_MOST_FRAMES 1000000

/* Rows of an option table of struct @of, which has a struct cli_gl_harness, @harness. */
#define CLI_GL_SCENE_OPTIONS(of)                                                                   \
	{ 0, "model", "MESH", "cube, sphere, torus, or a file of the form OBJ (torus)",            \
	  CLI_TEXT(of, harness.scene.model) },                                                     \
		{ 0, "model-count", "N", "copies of it, from 1 to 27 (1)",                         \
		  CLI_TEXT(of, harness.scene.count_text) },                                        \
		{ 0,                                                                               \
		  "render-mode",                                                                   \
		  "MODE",                                                                          \
		  "how it is drawn: immediate, array or vbo (vbo)",                                \
		  CLI_TEXT(of, harness.scene.mode),                                                \
		  .word = cli_gl_mode_word },                                                      \
		{ 0,                                                                               \
		  "texture",                                                                       \
		  "SIZE",                                                                          \
		  "small or large (small)",                                                        \
		  CLI_TEXT(of, harness.scene.texture),                                             \
		  .word = cli_gl_texture_word },                                                   \
		{ 0, "num-frames", "N", "frames that are drawn (100)",                             \
		  CLI_TEXT(of, harness.scene.frames_text) },                                       \
	{                                                                                          \
		0, "window", NULL, "in a window of X11", CLI_FLAG(of, harness.scene.is_window)     \
	}

cli_word_fn cli_gl_mode_word, cli_gl_texture_word;

/* Numbers of texts, and what is usual. 0 or -EINVAL after a sentence of subcommand @name. */
int cli_gl_scene_check(struct cli_gl_scene *s, const char *name, uint64_t most_frames);
/* Draw it. An exit status. */
int cli_gl_scene_draw(const struct cli_gl_scene *s);

#endif
