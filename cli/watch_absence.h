/* SPDX-License-Identifier: MIT */
/* What is missing, in sentences: names that share a reason share a sentence. */
#ifndef CLI_WATCH_ABSENCE_H
#define CLI_WATCH_ABSENCE_H

#include "cli/watch_items.h"

/*
 * Call @say with each sentence ("a, b: reason (remedy)"). With @is_brief there is one for all, without reasons.
 */
void cli_watch_absences_tell(const struct cli_watch_items *items, bool is_brief,
			     void (*say)(void *arg, const char *sentence), void *arg);

#endif
