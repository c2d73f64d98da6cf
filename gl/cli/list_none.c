// SPDX-License-Identifier: MIT
/* ntime gl list and scene of a build without the headers of OpenGL. */
#include "gl/cli/gl.h"
#include "base/output/exit.h"
#include "base/output/say.h"

static int say_none(void)
{
	cli_say("this ntime was built without the headers of OpenGL: it can neither list its "
		"counters nor draw; build it again with libgl-dev, libegl-dev, libx11-dev and "
		"libglvnd-core-dev");
	return CLI_EXIT_FAILED;
}

int cli_gl_list(const struct cli_gl *gl)
{
	(void)gl;
	return say_none();
}

int cli_gl_scene_draw(const struct cli_gl_scene *s)
{
	(void)s;
	return say_none();
}
