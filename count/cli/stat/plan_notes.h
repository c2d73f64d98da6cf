/* SPDX-License-Identifier: MIT */
/* How each item is counted, as lines for people (-v and --dry-run). */
#ifndef CLI_STAT_PLAN_NOTES_H
#define CLI_STAT_PLAN_NOTES_H

#include <stddef.h>

#include <ntime/session.h>

#include "count/cli/report/report.h"

struct cli_notes {
	char **line;
	size_t n;
};

/*
 * Describe the items of @r that are not absent, then what forced each further pass. 0 or -ENOMEM.
 */
int cli_notes_take(struct cli_notes *notes, struct ntime_ctx *ctx, struct ntime_session *s,
		   const struct cli_report *r);
void cli_notes_fini(struct cli_notes *notes);

#endif
