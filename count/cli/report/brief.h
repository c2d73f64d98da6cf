/* SPDX-License-Identifier: MIT */
/*
 * The report of who asked for nothing: what of the default events has a line, in which words, and
 * which number explains it.
 */
#ifndef CLI_REPORT_BRIEF_H
#define CLI_REPORT_BRIEF_H

#include "count/cli/report/report.h"

#define CLI_BRIEF_CHARS 64

/**
 * struct cli_brief - a line
 * @event:	of which the number is
 * @other:	that has it where @event is absent, in words of its own; NULL: none
 * @label:	for people
 * @kind:	for the line of what is missing
 * @part:	event that its comment needs too
 * @metric:	that stands beside it; NULL: @figure does
 * @words:	behind that
 */
struct cli_brief {
	const char *event;
	const char *other;
	const char *label;
	const char *kind;
	const char *part;
	const char *metric;
	enum cli_figure_id figure;
	const char *words;
};

/* Row @i in the order of the report, NULL behind the last one. */
const struct cli_brief *cli_brief_at(size_t i);

/* The item of @r that is called @name, NULL: there is none. */
const struct cli_item *cli_report_find(const struct cli_report *r, const char *name);

/* The item of a line, be it absent; NULL: there is none. */
const struct cli_item *cli_brief_item(const struct cli_report *r, const struct cli_brief *row);

/* "1.97 per cycle"; "" where it is not known. */
void cli_brief_comment(const struct cli_report *r, const struct cli_brief *row, const char *mark,
		       char text[CLI_BRIEF_CHARS]);

#endif
