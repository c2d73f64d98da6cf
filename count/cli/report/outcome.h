/* SPDX-License-Identifier: MIT */
/* How runs of the command ended: only those that ended well are comparable, and have a mean. */
#ifndef CLI_REPORT_OUTCOME_H
#define CLI_REPORT_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct cli_outcome - how a run ended
 * @status:	wait(2)'s
 * @timed_out:	--timeout ended it
 * @was_interrupted: ntime was asked to end while it ran
 * @was_killed:	by a signal that is not known: a file of another program says no more
 */
struct cli_outcome {
	int status;
	bool was_killed;
	bool timed_out;
	bool was_interrupted;
};

/* How many runs ended in the same way. */
struct cli_outcome_count {
	struct cli_outcome outcome;
	size_t runs;
};

/**
 * struct cli_outcomes - the runs that did not end well
 * @of:		each way of ending once, in the order in which they came; owned
 * @n:		ways
 * @runs:	runs of all of them
 */
struct cli_outcomes {
	struct cli_outcome_count *of;
	size_t n;
	size_t runs;
};

/* It ran to its own end, with exit status 0. */
bool cli_outcome_is_good(const struct cli_outcome *o);
void cli_outcomes_add(struct cli_outcomes *all, const struct cli_outcome *o);
void cli_outcomes_add_runs(struct cli_outcomes *all, const struct cli_outcome *o, size_t runs);
void cli_outcomes_fini(struct cli_outcomes *all);

struct cli_outcome_text {
	char text[96];
};

/* "ended with status 1", "killed by SIGSEGV (core dumped)", "ended by --timeout", ... */
struct cli_outcome_text cli_outcome_text(const struct cli_outcome *o);

#endif
