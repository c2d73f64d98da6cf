// SPDX-License-Identifier: MIT
/*
 * Subcommands that are programs of their own, as those of git are: each from its own part of the
 * tree.
 */
#include <stddef.h>

#include "base/command/alone.h"
#include "base/command/program.h"

/* Where "make install" puts them; meson says. */
#ifndef NTIME_PROGRAMS
#define NTIME_PROGRAMS "/usr/libexec/ntime"
#endif

static int run_program(const struct cli_command *self, int argc, char **argv)
{
	(void)argc;
	argv[0] = (char *)self->name;
	return cli_program_become(self->program, argv);
}

#define PROGRAM(word, named, place, of, text)                                                      \
	static const struct cli_program word##_program = {                                         \
		.variable = named,                                                                 \
		.file = #word "-program",                                                          \
		.installed = NTIME_PROGRAMS "/" place,                                             \
		.package = of,                                                                     \
	};                                                                                         \
	const struct cli_command cli_##word##_command = {                                          \
		.name = #word,                                                                     \
		.about = text,                                                                     \
		.program = &word##_program,                                                        \
		.run = run_program,                                                                \
	}

PROGRAM(trace, "NTIME_TRACE", "ntime-trace", "ntime", CLI_ABOUT_TRACE);
PROGRAM(gl, "NTIME_GL", "ntime-gl", "ntime-gl", CLI_ABOUT_GL);
PROGRAM(lab, "NTIME_LAB", "lab/ntime-lab", "ntime-lab", CLI_ABOUT_LAB);
PROGRAM(model, "NTIME_MODEL_PROGRAM", "ntime-model", "ntime-lab", CLI_ABOUT_MODEL);
