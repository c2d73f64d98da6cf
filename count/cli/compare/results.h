/* SPDX-License-Identifier: MIT */
/* Runs of several commands, each with everything that was measured of it: what is compared. */
#ifndef CLI_COMPARE_RESULTS_H
#define CLI_COMPARE_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "count/cli/report/outcome.h"
#include "count/cli/report/report.h"

/* Metrics that results have by name where they are known; the unit is "ns". */
#define CLI_METRIC_REAL "real"
#define CLI_METRIC_USER "user"
#define CLI_METRIC_SYS "sys"
/* The kernel knows it exactly, and how it parts into those two by ticks of a clock. */
#define CLI_METRIC_CPU "user+sys"
#define CLI_METRIC_INSTRUCTIONS "instructions:u"
#define CLI_METRIC_EMULATED "instructions"

/**
 * struct cli_metric - something that was measured of each run
 * @name, @unit: as in reports; owned
 * @reason:	why no run has it, "" where one does; owned
 * @is_wanted:	the user named it
 */
struct cli_metric {
	char *name;
	char *unit;
	char *reason;
	bool is_wanted;
};

/* A word of the command that was replaced: -L threads 1,2,4. Owned. */
struct cli_parameter {
	char *name;
	char *value;
};

/*
 * A run that did not end well: only exports that have all runs have its numbers. @value is owned.
 */
struct cli_failed_run {
	size_t round;
	struct cli_outcome outcome;
	double *value;
};

/**
 * struct cli_side - one of the commands
 * @name:	for people, of no other one; owned
 * @is_named:	by the user
 * @line:	the command as it was typed; owned
 * @parameter:	@parameters of them; owned
 * @reference:	the side that it is compared with; SIZE_MAX: it is only one for others
 * @value:	@runs rows of one number per metric, NAN where there is none; owned
 * @round:	of each run, rising: runs of one round were made one after the other; owned
 * @mean:	CLI_USER and CLI_SYS in ns, of files that have no such number of each run; else NAN
 * @left_out:	runs that did not end well, which have no row
 * @failed:	@n_failed of those, with their numbers, @round rising; owned
 * @outlived:	runs that left processes running, and of which only real time is known
 */
struct cli_side {
	char *name;
	char *line;
	bool is_named;
	struct cli_parameter *parameter;
	size_t parameters;
	size_t reference;
	double *value;
	size_t *round;
	size_t runs;
	double mean[CLI_FIGURES];
	struct cli_outcomes left_out;
	struct cli_failed_run *failed;
	size_t n_failed;
	size_t outlived;
};

/**
 * struct cli_results - all of it
 * @by:		the metric that the user wants to decide; NULL: the steadiest; owned
 * @host:	which machine it is of, NULL of several files; owned
 * @has_other_host: of several files: they are of different machines
 * @is_in_emulator: the runs were counted by the emulator, and their times are its own
 * @is_interleaved: rounds are of all sides, in random order
 * @is_finished: all runs that were wanted were made
 */
struct cli_results {
	struct cli_metric *metric;
	size_t metrics;
	struct cli_side *side;
	size_t sides;
	char *by;
	char *host;
	bool has_other_host;
	bool is_in_emulator;
	bool is_interleaved;
	bool is_finished;
};

/* Takes nothing over; no run has been made yet. The index of the new one. */
size_t cli_results_add_metric(struct cli_results *r, const char *name, const char *unit,
			      const char *reason);
/* Before all others: CLI_FIGURES metrics of any command, and its CPU time. */
void cli_results_add_figures(struct cli_results *r);
/* The first side is what others are compared with. */
size_t cli_results_add_side(struct cli_results *r, const char *name, const char *line);
/* Of @n, which are freed. */
void cli_parameters_free(struct cli_parameter *parameter, size_t n);
void cli_results_add_parameter(struct cli_results *r, size_t side, const char *name,
			       const char *value);
/* "sort threads=4 size=2", of @name "sort"; for free(3). */
char *cli_parameters_text(const char *name, const struct cli_parameter *parameter, size_t n);
/* "" where it has none of that name. */
const char *cli_side_parameter(const struct cli_side *s, const char *name);
/* @value: one number per metric. */
void cli_results_add_run(struct cli_results *r, size_t side, size_t round, const double *value);
/* The same of a run that failed, which the caller has counted in .left_out. */
void cli_results_add_failed(struct cli_results *r, size_t side, size_t round,
			    const struct cli_outcome *outcome, const double *value);
void cli_results_fini(struct cli_results *r);

/* Of one of the sides there is no run. */
bool cli_results_has_silent_side(const struct cli_results *r);

/* Every command has it, without counters. */
bool cli_metric_is_figure(const char *name);

/* SIZE_MAX where there is none. */
size_t cli_results_find_metric(const struct cli_results *r, const char *name);

/*
 * The numbers of @metric, of the runs that have one, in the order of the runs; the caller frees.
 * @n of them.
 */
double *cli_side_numbers(const struct cli_results *r, size_t side, size_t metric, size_t *n);

/* Is there one? */
bool cli_side_has_number(const struct cli_results *r, size_t side, size_t metric);

/* Of those; NAN where there is none. */
double cli_side_median(const struct cli_results *r, size_t side, size_t metric);

#endif
