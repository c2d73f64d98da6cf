// SPDX-License-Identifier: MIT
/* How runs of the command ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/output/memory.h"
#include "count/cli/report/outcome.h"

bool cli_outcome_is_good(const struct cli_outcome *o)
{
	return !o->timed_out && !o->was_interrupted && !o->was_killed && WIFEXITED(o->status) &&
	       WEXITSTATUS(o->status) == 0;
}

/* What ntime did to the command explains how it ended; without that the status does. */
static bool is_same(const struct cli_outcome *a, const struct cli_outcome *b)
{
	return a->timed_out == b->timed_out && a->was_interrupted == b->was_interrupted &&
	       a->was_killed == b->was_killed &&
	       (a->timed_out || a->was_interrupted || a->status == b->status);
}

void cli_outcomes_add(struct cli_outcomes *all, const struct cli_outcome *o)
{
	cli_outcomes_add_runs(all, o, 1);
}

void cli_outcomes_add_runs(struct cli_outcomes *all, const struct cli_outcome *o, size_t runs)
{
	size_t i = 0;

	while (i < all->n && !is_same(&all->of[i].outcome, o))
		i++;
	if (i == all->n) {
		cli_grow(&all->of, all->n);
		all->of[all->n++] = (struct cli_outcome_count){ .outcome = *o };
	}
	all->of[i].runs += runs;
	all->runs += runs;
}

void cli_outcomes_fini(struct cli_outcomes *all)
{
	free(all->of);
	*all = (struct cli_outcomes){ 0 };
}

/* "SIGSEGV", "signal 35" */
static void name_signal(int sig, char *text, size_t bytes)
{
	const char *name = sigabbrev_np(sig);

	if (name)
		snprintf(text, bytes, "SIG%s", name);
	else
		snprintf(text, bytes, "signal %d", sig);
}

struct cli_outcome_text cli_outcome_text(const struct cli_outcome *o)
{
	struct cli_outcome_text out;
	char name[24];

	if (o->timed_out) {
		snprintf(out.text, sizeof(out.text), "ended by --timeout");
	} else if (o->was_interrupted) {
		snprintf(out.text, sizeof(out.text), "interrupted");
	} else if (o->was_killed) {
		snprintf(out.text, sizeof(out.text), "killed by a signal");
	} else if (WIFSIGNALED(o->status)) {
		name_signal(WTERMSIG(o->status), name, sizeof(name));
		snprintf(out.text, sizeof(out.text), "killed by %s%s", name,
			 WCOREDUMP(o->status) ? " (core dumped)" : "");
	} else {
		snprintf(out.text, sizeof(out.text), "ended with status %d",
			 WEXITSTATUS(o->status));
	}
	return out;
}
