// SPDX-License-Identifier: MIT
/* A comparison as a picture. */
#include "count/cli/compare/plot.h"

#include <math.h>
#include <stdlib.h>

#include "count/cli/compare/verdict.h"
#include "count/cli/compare/words.h"
#include "base/output/memory.h"
#include "base/output/number.h"
#include "base/output/svg.h"

/* Pixels. */
#define LABEL 180
#define PLOT 620
#define RIGHT 30
#define STRIP 74
#define TOP 44
#define BOTTOM 40
/* Share of a strip's height that dots are spread over, so that those of equal runs do not hide. */
#define SCATTER 34.0
#define NAME_CHARS 26
/* Of the axis, at most. */
#define TICKS 7

/**
 * struct plot - what is drawn
 * @low, @high:	ends of the axis, in the metric's unit
 */
struct plot {
	FILE *f;
	const struct cli_comparison *c;
	size_t metric;
	double low, high;
};

static double x_of(const struct plot *p, double value)
{
	return LABEL + (value - p->low) / (p->high - p->low) * PLOT;
}

static void find_ends(struct plot *p)
{
	const struct cli_results *r = p->c->results;
	double room;

	p->low = INFINITY;
	p->high = -INFINITY;
	for (size_t i = 0; i < r->sides; i++) {
		double *number;
		size_t n;

		number = cli_side_numbers(r, i, p->metric, &n);
		for (size_t k = 0; k < n; k++) {
			p->low = fmin(p->low, number[k]);
			p->high = fmax(p->high, number[k]);
		}
		free(number);
	}
	if (!isfinite(p->low))
		p->low = p->high = 0;
	room = p->high > p->low ? (p->high - p->low) * 0.05 : fmax(fabs(p->high) * 0.01, 1);
	p->low -= room;
	p->high += room;
}

static void put_axis(const struct plot *p, double bottom)
{
	const char *unit = p->c->results->metric[p->metric].unit;
	double step = cli_svg_step(p->low, p->high, TICKS);

	/* Counted, as a step may be too small to change a large number. */
	for (int i = 0; i <= TICKS; i++) {
		double at = (ceil(p->low / step) + i) * step;
		const char *shown;
		struct cli_number n = cli_number_value(at, unit, true, &shown);
		double x = x_of(p, at);

		if (at > p->high)
			break;
		fprintf(p->f,
			"<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x,
			TOP, x, bottom);
		fprintf(p->f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s %s</text>\n",
			x, bottom + 18, n.text, shown);
	}
}

/* Where the truth is, and what that is called. */
static void put_interval(const struct plot *p, size_t side, double middle)
{
	const struct cli_results *r = p->c->results;
	size_t reference = r->side[side].reference;
	struct cli_change change;
	double median, low, high;

	if (reference == SIZE_MAX)
		return;
	change = cli_change_of(r, side, p->metric);
	median = cli_side_median(r, reference, p->metric);
	low = fmax(p->low, change.factor.low * median);
	high = fmin(p->high, change.factor.high * median);
	if (!change.factor.is_known || low > high)
		return;
	fprintf(p->f,
		"<rect class=\"interval\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" "
		"data-low=\"%s\" data-high=\"%s\"/>\n",
		x_of(p, low), middle - SCATTER / 2 - 4, fmax(x_of(p, high) - x_of(p, low), 1),
		SCATTER + 8, cli_number_exact(change.factor.low).text,
		cli_number_exact(change.factor.high).text);
}

static void put_dots(const struct plot *p, size_t side, double middle)
{
	double *number, median;
	size_t n;

	number = cli_side_numbers(p->c->results, side, p->metric, &n);
	for (size_t i = 0; i < n; i++) {
		/* Multiples of the golden section never come together. */
		double share = fmod((double)i * 0.6180339887498949, 1) - 0.5;

		fprintf(p->f,
			"<circle class=\"run\" cx=\"%.2f\" cy=\"%.1f\" r=\"2.5\" "
			"data-value=\"%s\"/>\n",
			x_of(p, number[i]), middle + share * SCATTER,
			cli_number_exact(number[i]).text);
	}
	free(number);
	if (!n)
		return;
	median = x_of(p, cli_side_median(p->c->results, side, p->metric));
	fprintf(p->f, "<line class=\"median\" x1=\"%.2f\" y1=\"%.1f\" x2=\"%.2f\" y2=\"%.1f\"/>\n",
		median, middle - SCATTER / 2 - 6, median, middle + SCATTER / 2 + 6);
}

/* Under the name: the median, and by how much it differs. */
static void put_label(const struct plot *p, size_t side, double middle)
{
	const struct cli_results *r = p->c->results;
	char *number = cli_compare_numbers(r, side, p->metric, false, true);
	struct cli_change change;

	fprintf(p->f, "<text class=\"name\" x=\"10\" y=\"%.1f\">", middle - 8);
	cli_svg_text(p->f, r->side[side].name, NAME_CHARS);
	fprintf(p->f, "</text>\n<text x=\"10\" y=\"%.1f\">", middle + 9);
	cli_svg_text(p->f, number, NAME_CHARS);
	fputs("</text>\n", p->f);
	free(number);
	if (r->side[side].reference == SIZE_MAX)
		return;
	change = cli_change_of(r, side, p->metric);
	fprintf(p->f, "<text x=\"10\" y=\"%.1f\">", middle + 26);
	if (change.differs)
		cli_svg_text(
			p->f,
			cli_compare_say(&change, cli_metric_is_speed(r->metric[p->metric].name))
				.what,
			NAME_CHARS);
	else
		fputs(change.factor.is_known ? "no difference found"
		      : change.drifts	     ? "runs drift"
					     : "too few runs",
		      p->f);
	fputs("</text>\n", p->f);
}

void cli_compare_plot(FILE *f, const struct cli_comparison *c)
{
	size_t real = cli_results_find_metric(c->results, CLI_METRIC_REAL);
	struct plot p = { .f = f, .c = c, .metric = c->by == SIZE_MAX ? real : c->by };
	int bottom = TOP + (int)c->results->sides * STRIP, width = LABEL + PLOT + RIGHT;

	if (p.metric == SIZE_MAX)
		p.metric = 0;
	find_ends(&p);
	cli_svg_begin(f, width, bottom + BOTTOM,
		      ".run { fill: #2166ac; fill-opacity: 0.55 } "
		      ".median { stroke: #111; stroke-width: 2 } "
		      ".interval { fill: #f4a582; fill-opacity: 0.6 }");
	fprintf(f, "<text class=\"name\" x=\"%d\" y=\"24\">", LABEL);
	cli_svg_text(f, cli_compare_metric(c->results->metric[p.metric].name), SIZE_MAX);
	fputs(" of each run; line: median; band: 95 % interval of the difference</text>\n", f);
	put_axis(&p, bottom);
	for (size_t i = 0; i < c->results->sides; i++) {
		double middle = TOP + ((double)i + 0.5) * STRIP;

		put_interval(&p, i, middle);
		put_dots(&p, i, middle);
		put_label(&p, i, middle);
	}
	fputs("</svg>\n", f);
}
