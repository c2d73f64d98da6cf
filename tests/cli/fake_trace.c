// SPDX-License-Identifier: MIT
/* In place of "ntime trace", which needs the library's reader of traces: test_trace.py tries it with the real library. */
#include "cli/base/command.h"
#include "cli/base/options.h"
#include "cli/output/say.h"

static int run(const struct cli_command *self, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return cli_say_misuse(self->name, "the stand-in has no traces");
}

static const struct cli_option options[] = {
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

const struct cli_command cli_trace_command = {
	.name = "trace",
	.usage = "trace ACTION",
	.about = "convert, decode and compare traces of register accesses",
	.details = "",
	.options = options,
	.run = run,
};
