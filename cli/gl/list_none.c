// SPDX-License-Identifier: MIT
/* ntime gl list of a build without the headers of OpenGL. */
#include "cli/gl/gl.h"
#include "cli/output/exit.h"
#include "cli/output/say.h"

int cli_gl_list(const struct cli_gl *gl)
{
	(void)gl;
	cli_say("this ntime was built without the headers of OpenGL and cannot list its counters; "
		"build it again with libgl-dev, libegl-dev and libglvnd-core-dev");
	return CLI_EXIT_FAILED;
}
