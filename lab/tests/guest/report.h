/* SPDX-License-Identifier: MIT */
/*
 * What "ntime --json" says of items.
 */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include <jansson.h>
#include <stdbool.h>

bool lab_has_flag(const json_t *item, const char *flag);

/* How many items were asked for: metrics that ntime adds by itself stand behind them. */
size_t lab_asked(const json_t *items);

#endif
