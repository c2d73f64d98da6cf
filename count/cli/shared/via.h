/* SPDX-License-Identifier: MIT */
/* The option --via. */
#ifndef CLI_SHARED_VIA_H
#define CLI_SHARED_VIA_H

#include <stdint.h>

#include "base/command/command.h"

/*
 * The argument of --via of subcommand @command: an NTIME_VIA_* in *@via. 0, or -EINVAL after a
 * sentence.
 */
int cli_option_via(const char *command, const char *value, uint32_t *via);
/* The words of --via. */
cli_word_fn cli_via_word;

#endif
