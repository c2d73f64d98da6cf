/* SPDX-License-Identifier: MIT */
/* --format: a line of the user's own, as that of time(1). */
#ifndef CLI_REPORT_FORMAT_H
#define CLI_REPORT_FORMAT_H

#include "count/cli/report/report.h"

/*
 * Walk @format and call @name with each EVENT of "%{EVENT}", which lives as long as @format, not
 * ended by a NUL: @chars of it. NULL, or the first piece that is none.
 */
const char *cli_format_check(const char *format,
			     void (*name)(void *arg, const char *event, size_t chars), void *arg);

/* Writes cli_style.format. */
extern const struct cli_writer cli_format_writer;

#endif
