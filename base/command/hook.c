// SPDX-License-Identifier: MIT
/* What the shell does beside the runs of a command. */
#include "base/command/hook.h"

#include <string.h>

#include "base/command/child.h"
#include "base/command/signals.h"
#include "base/output/exit.h"
#include "base/output/say.h"

int cli_hook_run(const char *option, const char *line)
{
	int status;

	if (!line)
		return 0;
	/* Held for the command: what cleans up behind it is not to be ended by it. */
	cli_signals_drop_held();
	status = cli_child_shell(line);
	if (!status)
		return 0;
	if (status < 0)
		cli_say("%s '%s' cannot be started: %s", option, line, strerror(-status));
	else if (!cli_signals_stop() || status != 128 + cli_signals_stop())
		cli_say("%s '%s' ended with status %d", option, line, status);
	return CLI_EXIT_FAILED;
}
