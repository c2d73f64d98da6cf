/* SPDX-License-Identifier: MIT */
/* A subcommand that is a program of its own. */
#ifndef CLI_BASE_ALONE_H
#define CLI_BASE_ALONE_H

#include "base/command/command.h"

/* What ntime asks it, in place of its first word; an action comes behind the last. */
#define CLI_COMPLETE_OPTIONS "complete-options"
#define CLI_COMPLETE_WORDS "complete-words"
#define CLI_HELP_ACTION "help-action"

/* What each is, one line; lab/options.py has its own. */
#define CLI_ABOUT_TRACE "convert, decode and compare traces of register accesses"
#define CLI_ABOUT_GL "count the frames of an OpenGL program, and give it counters"
#define CLI_ABOUT_LAB "run commands in emulated machines whose true counts are known"
#define CLI_ABOUT_MODEL "a graphics card that is emulated, to try its counters on"

/* Before anything is read or written. */
void cli_begin(void);

/* All that main() has to do; an exit status. */
int cli_alone_main(const struct cli_command *c, int argc, char **argv);

#endif
