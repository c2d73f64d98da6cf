/* SPDX-License-Identifier: MIT */
/*
 * What ntime stat found out, and the three forms it is written in. Writers know nothing of how it
 * came about.
 */
#ifndef CLI_REPORT_REPORT_H
#define CLI_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <ntime/emulator.h>
#include <ntime/value.h>

#include "count/cli/report/outcome.h"
#include "count/cli/report/rows.h"
#include "count/cli/report/tally.h"
#include "base/output/term.h"

/**
 * struct cli_item - one event or metric
 * @name:	for people and machines
 * @beside:	of a metric: event whose line it shares, "" for a line of its own
 * @scale:	factor from .value.count to .value.value of an event
 * @value:	what was counted; over several runs the mean
 * @spread:	over the runs; not owned
 * @is_of_device: its unit counts a device, whatever the target is
 * @is_unscaled: --no-scale took an extrapolation back
 * @is_rusage:	its counter is refused for .reason, and the value is wait4(2)'s
 * @is_attached: with @is_rusage: it is that of /proc
 * @is_elsewhere: it stands in another row
 * @is_alike:	an estimate that cannot be told from that of the interval before
 * @max_rate:	as in struct ntime_item
 * @least, @most: with @has_bounds what @value, which is scaled, can be at all; @most may be
 *	INFINITY
 *
 * No string is NULL.
 */
struct cli_item {
	const char *name;
	const char *unit;
	const char *unit_text;
	const char *method;
	const char *reason;
	const char *remedy;
	const char *about;
	const char *cause;
	const char *beside;
	double scale;
	unsigned int pass;
	bool is_in_every_pass;
	bool is_of_device;
	bool is_metric;
	bool is_hidden;
	bool is_elsewhere;
	bool is_unscaled;
	bool is_rusage, is_attached;
	bool is_incomplete; /* a pass that has a part of the sum was not counted */
	unsigned int turns; /* passes that have a part */
	uint32_t reason_code;
	uint32_t remedy_kind;
	struct ntime_value value;
	double max_rate;
	double least, most;
	bool has_bounds;
	bool is_alike;
	struct cli_spread spread;
};

/* What time(1) and getrusage(2) tell. */
enum cli_figure_id {
	CLI_REAL,
	CLI_USER,
	CLI_SYS,
	CLI_MAX_RSS,
	CLI_MINOR_FAULTS,
	CLI_MAJOR_FAULTS,
	CLI_VOLUNTARY_SWITCHES,
	CLI_INVOLUNTARY_SWITCHES,
	CLI_IN_BLOCKS,
	CLI_OUT_BLOCKS,
	CLI_FIGURES
};

/*
 * How far max-rss must be above its floor to be the command's own: struct ntime_command_end tells
 * what the room is for.
 */
#define CLI_MAX_RSS_SLACK_BYTES (1024 * 1024)

/**
 * struct cli_figure_form - how a figure is called
 * @name:	for people, and of its row in CSV
 * @key:	in JSON
 * @key_at_most: in JSON, when it is only an upper bound; NULL: it never is
 * @unit:	"ns", "bytes", ""
 */
struct cli_figure_form {
	const char *name;
	const char *key;
	const char *key_at_most;
	const char *unit;
};
extern const struct cli_figure_form cli_figure_forms[CLI_FIGURES];

/**
 * struct cli_report_row - what was counted in a socket, a core, a CPU or a function
 * @where:	its name for programs
 * @place, @function: one of them; the other is NULL
 * @item:	those of the report, with other values
 */
struct cli_report_row {
	const char *where;
	const struct cli_row *place;
	const struct ntime_function *function;
	struct cli_item *item;
};

#define CLI_LEFT_REMEDY "--wait-all waits for them"

/**
 * struct cli_report - everything a writer needs
 * @version:	of ntime
 * @argv:	the command, NULL when something that runs already was measured
 * @target:	what was measured, for people: "the machine", "process 12"; "" for the command
 *		itself
 * @figure:	over the runs; entries with .n == 0 are not known
 * @at_most:	figure that is only an upper bound: in one of the runs at least, something else may
 *		have been that large
 * @status:	wait(2)'s status of the last run of the command
 * @row:	with --per: @rows of them; not owned
 * @note:	further lines for people (how it was counted); @notes of them
 * @runs:	runs that were counted (with @by_pass: rounds of @passes runs); 0: none ended well,
 *		and all values are those of the last one
 * @left_out:	runs that did not end well and are in no value, but for that last one; not owned
 * @passes:	passes of the plan
 * @by_pass:	one run per pass
 * @frames:	ring of --frames; NULL: none
 * @n_frames:	frames of the command, the last @kept_frames of which it has
 * @is_simulated: of a recorded machine (@is_recording), or values come from a model
 * @is_in_emulator: qemu-user ran the command
 * @emulated:	guest of the lab in which it was measured, NULL elsewhere
 * @is_of_cpus:	CPUs were measured, whatever ran there
 * @has_ended:	@status is valid
 * @timed_out:	--timeout ended it
 * @is_too_early: it ended before --delay did, in every run
 * @left:	processes that ran on after the command, in the run that had most of them: all but
 *	real time is partial, for .left_reason
 */
struct cli_report {
	const char *version;
	char *const *argv;
	const char *target;
	struct cli_item *item;
	size_t items;
	const struct cli_report_row *row;
	size_t rows;
	struct cli_spread figure[CLI_FIGURES];
	bool at_most[CLI_FIGURES];
	const char *const *note;
	size_t notes;
	size_t runs;
	const struct cli_outcomes *left_out;
	unsigned int passes;
	const char *frames;
	uint64_t n_frames, kept_frames;
	const char *emulated;
	int status;
	bool by_pass;
	bool is_simulated;
	bool is_in_emulator;
	bool is_of_cpus;
	bool is_recording;
	bool has_ended;
	bool timed_out;
	bool is_too_early;
	size_t left;
	char left_reason[96];
};

/**
 * struct cli_style - what the user asked of the output
 * @look:	terminal
 * @verbose:	times -v was given: from 1 on events that only metrics asked for are shown too
 * @quiet:	no explanations
 * @by_interval: interval lines
 * @by_run:	-r was given
 * @by_row:	--per was given (@by_function: --per function)
 * @format:	--format, which cli_format_check() has found good
 * @plan_only:	nothing was run: no values, only how they would be counted
 * @brief:	of the default events, which nobody asked for one by one: brief.h
 */
struct cli_style {
	struct cli_look look;
	unsigned int verbose;
	const char *format;
	bool quiet;
	bool by_interval;
	bool by_run;
	bool by_row;
	bool by_function;
	bool plan_only;
	bool brief;
};

/**
 * struct cli_writer - one form
 * @begin:	before the first interval or summary; may be NULL
 * @interval:	what happened in an interval that ended @time_s after the start
 * @summary:	the end
 * @has_head:	what @begin writes stands once in a file, however many reports follow
 */
struct cli_writer {
	void (*begin)(FILE *f, const struct cli_style *style, const struct cli_report *r);
	void (*interval)(FILE *f, const struct cli_style *style, const struct cli_report *r,
			 double time_s);
	void (*summary)(FILE *f, const struct cli_style *style, const struct cli_report *r);
	bool has_head;
};

extern const struct cli_writer cli_text_writer;
extern const struct cli_writer cli_csv_writer;
extern const struct cli_writer cli_json_writer;

/* The words of flags of a value in machine forms: calls @fn with "scaled", "not-counted" ... */
void cli_flag_words_for_each(uint32_t flags, void (*fn)(void *arg, const char *word), void *arg);

/* Words of flags, separated by blanks: an array in JSON. */
struct cli_flag_text {
	char text[176];
};

/* The @fn of these for a struct cli_flag_text, which is "" at first. */
void cli_flag_text_add(void *arg, const char *word);

/* The same for an item, which has more to tell. */
void cli_flags_for_each(const struct cli_item *item, void (*fn)(void *arg, const char *word),
			void *arg);

/* Is the reason of @item one of what is counted all the same? */
bool cli_item_is_noted(const struct cli_item *item);

struct cli_runs_text {
	char text[384];
};

/*
 * "Outliers: run 1 (0.512 s), 7 (0.300 s)" of real times in ns, and that the first run was slow; ""
 * where none is far from the others.
 */
struct cli_runs_text cli_outliers_text(const struct cli_spread *s);
/*
 * An interval is right only for runs that do not depend on the one before; "" where they do not.
 * @so: what follows from it.
 */
struct cli_runs_text cli_drift_text(const struct cli_spread *s, const char *so);

/* Whether @item is left out: a hidden one, unless the user is curious. */
bool cli_item_is_shown(const struct cli_style *style, const struct cli_item *item);

#endif
