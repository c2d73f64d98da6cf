/* SPDX-License-Identifier: MIT */
/* The exit statuses that are ntime's own. */
#ifndef CLI_OUTPUT_EXIT_H
#define CLI_OUTPUT_EXIT_H

/* As env(1) and timeout(1) have them: a command's own status may be any other number. */
enum cli_exit {
	CLI_EXIT_TIMEOUT = 124,
	CLI_EXIT_FAILED = 125,
	CLI_EXIT_NOT_EXECUTABLE = 126,
	CLI_EXIT_NOT_FOUND = 127,
};

#endif
