// SPDX-License-Identifier: MIT
/* One line on the terminal while commands run. */
#include "cli/compare/progress.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/compare/experiment.h"
#include "cli/compare/words.h"
#include "cli/compare/verdict.h"
#include "cli/output/clean.h"
#include "cli/output/memory.h"
#include "cli/output/term.h"

/* Often enough to be looked at, and seldom enough to cost nothing. */
#define EVERY_NS 200000000ull

void cli_progress_init(struct cli_progress *p)
{
	*p = (struct cli_progress){ .is_on = isatty(STDERR_FILENO) };
}

/* What it looks like, of the second command alone: more do not fit. */
static char *present(const struct cli_experiment *e)
{
	size_t by = cli_results_decider(&e->results);

	if (by == SIZE_MAX)
		return NULL;
	return cli_compare_short(&e->results, 1, by);
}

void cli_progress_show(struct cli_progress *p, const struct cli_experiment *e)
{
	uint64_t now_ns;
	size_t done, all;
	char *line, *text;
	double left_s;

	if (!p->is_on || (now_ns = cli_now_ns()) < p->next_ns)
		return;
	done = e->rounds + 1;
	all = e->stop.plan > done ? e->stop.plan : done;
	left_s = (double)(now_ns - e->began_ns) / 1e9 / (double)done * (double)(all - done);
	text = present(e);
	line = cli_format("round %zu of %s%zu%s%s, %.0f s left", done,
			  e->stop.is_fixed ? "" : "about ", all, text ? ": " : "", text ? text : "",
			  left_s);
	/* A line that is broken could not be cleared. */
	fprintf(stderr, "\r%.*s\033[K", (int)cli_look_at(STDERR_FILENO).width - 1, cli_clean(line));
	fflush(stderr);
	free(text);
	free(line);
	p->is_shown = true;
	p->next_ns = now_ns + EVERY_NS;
}

void cli_progress_clear(struct cli_progress *p)
{
	if (p->is_shown)
		fputs("\r\033[K", stderr);
	fflush(stderr);
	p->is_shown = false;
}
