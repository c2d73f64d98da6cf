/* SPDX-License-Identifier: MIT */
/* Registers that a measurement of ours could not restore. */
#ifndef CLI_SHARED_LEFTOVER_H
#define CLI_SHARED_LEFTOVER_H

#include <ntime/context.h>

/*
 * Call it when all sessions of @ctx are freed: tells what this process still has on record, and
 * why. 0 or CLI_EXIT_FAILED. NULL is accepted.
 */
int cli_leftover_say(struct ntime_ctx *ctx);

#endif
