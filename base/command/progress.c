// SPDX-License-Identifier: MIT
/* One line on the terminal while something runs. */
#include "base/command/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/command/wait.h"
#include "base/output/clean.h"
#include "base/output/memory.h"
#include "base/output/term.h"

/* Often enough to be looked at, and seldom enough to cost nothing. */
#define EVERY_NS 200000000ull

void cli_progress_init(struct cli_progress *p, const char *what)
{
	*p = (struct cli_progress){ .what = what,
				    .is_on = isatty(STDERR_FILENO),
				    .began_ns = cli_now_ns() };
}

bool cli_progress_is_due(struct cli_progress *p)
{
	uint64_t now_ns;

	if (!p->is_on || (now_ns = cli_now_ns()) < p->next_ns)
		return false;
	p->next_ns = now_ns + EVERY_NS;
	return true;
}

void cli_progress_show(struct cli_progress *p, size_t done, size_t all, bool is_about,
		       const char *text)
{
	double spent_s = (double)(cli_now_ns() - p->began_ns) / 1e9;
	char *line;

	all = all > done ? all : done;
	line = cli_format("%s %zu of %s%zu%s%s, %.0f s left", p->what, done,
			  is_about ? "about " : "", all, text ? ": " : "", text ? text : "",
			  spent_s / (double)done * (double)(all - done));
	cli_progress_put(p, line);
	free(line);
}

void cli_progress_put(struct cli_progress *p, const char *line)
{
	fprintf(stderr, "\r%.*s\033[K", (int)cli_look_at(STDERR_FILENO).width - 1, cli_clean(line));
	fflush(stderr);
	p->is_shown = true;
}

void cli_progress_clear(struct cli_progress *p)
{
	if (p->is_shown)
		fputs("\r\033[K", stderr);
	fflush(stderr);
	p->is_shown = false;
}
