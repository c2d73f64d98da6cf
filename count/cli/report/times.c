// SPDX-License-Identifier: MIT
/*
 * The end of a report for people:
 *
 *     ended with status 3
 *     real   0.279 s    67 % of a CPU
 *     user   0.184 s
 *     sys    0.003 s    peak 17.4 MiB
 *
 * With -v all figures in full, each on a line of its own.
 */
#include <math.h>
#include <string.h>

#include "base/output/number.h"
#include "count/cli/report/brief.h"
#include "count/cli/report/times.h"

/* Shorter ones are told in ms. */
#define SECONDS_FROM_NS 1e8
/* wait4(2)'s times begin at fork: of shorter runs they would be no share of real time. */
#define SHARE_FROM_NS 1e7

/* Of a figure: by what it is divided, with how many decimals, and what stands behind it. */
struct form {
	double one;
	int decimals;
	const char *unit;
};

static struct form form_of(const struct cli_style *style, const struct cli_report *r, int i)
{
	const char *unit = cli_figure_forms[i].unit;

	if (strcmp(unit, "bytes") == 0)
		return (struct form){ 1024, 0, " KiB" };
	if (strcmp(unit, "ns") != 0)
		return (struct form){ 1, 0, "" };
	if (style->verbose)
		return (struct form){ 1e9, 6, " s" };
	/* One unit for all three. */
	return r->figure[CLI_REAL].mean < SECONDS_FROM_NS ? (struct form){ 1e6, 3, " ms" }
							  : (struct form){ 1e9, 3, " s" };
}

static struct cli_number number_of(const struct form *form, double value)
{
	return cli_number_grouped(value / form->one, form->decimals);
}

/* How much of a CPU the command used; "" where that is not known. */
static void tell_share(const struct cli_report *r, char text[CLI_BRIEF_CHARS])
{
	const struct cli_item *counted = cli_report_find(r, "CPUs-used");
	double real = r->figure[CLI_REAL].mean, share;

	*text = '\0';
	/* Beside what runs already a command has times of its own. */
	if (r->is_of_cpus || (*r->target && r->argv))
		return;
	if (counted && cli_value_is_known(&counted->value))
		share = counted->value.value;
	else if (r->figure[CLI_USER].n && real >= SHARE_FROM_NS)
		share = (r->figure[CLI_USER].mean + r->figure[CLI_SYS].mean) / real;
	else
		return;
	if (share < 1.995)
		snprintf(text, CLI_BRIEF_CHARS, "%.0f %% of a CPU", 100 * share);
	else
		snprintf(text, CLI_BRIEF_CHARS, "%.3g CPUs", share);
}

/* The most memory that it had, if that is more than ntime itself can have been. */
static void tell_peak(const struct cli_report *r, char text[CLI_BRIEF_CHARS])
{
	const struct cli_spread *s = &r->figure[CLI_MAX_RSS];

	*text = '\0';
	if (s->n && !r->at_most[CLI_MAX_RSS])
		snprintf(text, CLI_BRIEF_CHARS, "peak %.40s", cli_number_bytes(s->mean).text);
}

/* Behind @used columns, and @pad blanks if there is room. Ends the line. */
static void put_spread(FILE *f, const struct cli_style *style, const struct form *form,
		       const struct cli_spread *s, size_t used, size_t pad)
{
	char text[320] = "[same in all runs]";

	if (s->n < 2) {
		putc('\n', f);
		return;
	}
	if (s->min != s->max)
		snprintf(text, sizeof(text), "[runs %s, median %s, %s .. %s]",
			 cli_number_spread(cli_spread_ci95(s), s->mean, style->look.utf8).text,
			 number_of(form, cli_spread_median(s)).text, number_of(form, s->min).text,
			 number_of(form, s->max).text);
	if (style->look.is_terminal && used + pad + 2 + cli_text_columns(text) > style->look.width)
		fprintf(f, "\n     ");
	else
		fprintf(f, "%*s", (int)pad + 2, "");
	cli_wrap(f, &style->look, 5, 6, text);
}

static void put_figure(FILE *f, const struct cli_style *style, const struct cli_report *r, int i,
		       const char *aside)
{
	const struct cli_spread *s = &r->figure[i];
	struct form form = form_of(style, r, i);
	struct cli_number number = number_of(&form, s->mean);
	char text[sizeof(number.text) + 16];
	int used, room;

	if (!s->n)
		return;
	snprintf(text, sizeof(text), "%s%s", r->at_most[i] ? "at most " : "", number.text);
	used = fprintf(f, "%-*s %*s%s", style->verbose ? 27 : 4, cli_figure_forms[i].name,
		       style->verbose ? 13 : 7, text, form.unit);
	room = used + 18;
	if (*aside)
		used += fprintf(f, "%s    %s",
				style->look.is_terminal && style->look.width < 40 ? "\n" : "",
				aside);
	put_spread(f, style, &form, s, (size_t)used,
		   room > used && !style->verbose ? (size_t)(room - used) : 0);
}

static void put_end(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	const struct cli_outcome outcome = { .status = r->status, .timed_out = r->timed_out };

	if (!r->has_ended || style->by_run || cli_outcome_is_good(&outcome))
		return;
	fprintf(f, "%s%s%s\n", cli_colour(&style->look, CLI_WARN), cli_outcome_text(&outcome).text,
		cli_colour(&style->look, CLI_PLAIN));
}

static void put_left(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	char text[sizeof(r->left_reason) + 80];

	if (!r->left)
		return;
	snprintf(text, sizeof(text), "partial: %s (%s)", r->left_reason, CLI_LEFT_REMEDY);
	fputs(cli_colour(&style->look, CLI_WARN), f);
	cli_wrap(f, &style->look, 0, 2, text);
	fputs(cli_colour(&style->look, CLI_PLAIN), f);
}

void cli_times_put(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	char share[CLI_BRIEF_CHARS], peak[CLI_BRIEF_CHARS];

	if (style->quiet)
		return;
	putc('\n', f);
	put_end(f, style, r);
	put_left(f, style, r);
	if (style->verbose) {
		for (int i = CLI_REAL; i < CLI_FIGURES; i++)
			put_figure(f, style, r, i, "");
		return;
	}
	tell_share(r, share);
	tell_peak(r, peak);
	put_figure(f, style, r, CLI_REAL, share);
	put_figure(f, style, r, CLI_USER, "");
	put_figure(f, style, r, CLI_SYS, peak);
}
