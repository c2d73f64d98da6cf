/* SPDX-License-Identifier: MIT */
/*
 * The log bits of the thermal status registers: they say what happened since somebody cleared them.
 */
#ifndef CLI_WATCH_LOG_H
#define CLI_WATCH_LOG_H

#include <ntime/context.h>

/*
 * Clear those of @cpus (NULL: all) and say what was set. 0; -errno after a sentence (no such
 * register here, no permission).
 */
int cli_watch_log_clear(struct ntime_ctx *ctx, const char *cpus, int is_quiet);

#endif
