// SPDX-License-Identifier: MIT
/* Frames as a picture: a strip a counter, a bar a frame. */
#include <stdlib.h>

#include "gl/cli/report.h"
#include "base/output/memory.h"
#include "base/output/number.h"
#include "base/output/svg.h"

/* Pixels. */
#define LABEL 180
#define PLOT 620
#define RIGHT 90
#define STRIP 110
#define BARS 80
#define TOP 44
#define BOTTOM 30
#define NAME_CHARS 26
#define TICKS 3

/**
 * struct strip - of one counter of a drawable
 * @item:	its number; SIZE_MAX: the lengths of frames
 * @bottom:	where its bars stand
 */
struct strip {
	const struct cli_gl_series *s;
	size_t item;
	const char *name, *unit;
	double most;
	int bottom;
};

static double x_of(const struct strip *p, uint64_t number)
{
	uint64_t last = p->s->frame[p->s->n - 1].number;

	return LABEL + (double)number / (double)(last ? last : 1) * PLOT;
}

static double y_of(const struct strip *p, double value)
{
	return p->bottom - value / p->most * BARS;
}

static char *text_of(const struct strip *p, double value)
{
	const char *shown;
	struct cli_number n = cli_number_value_like(value, p->most, p->unit, true, &shown);

	return cli_format("%s %s", n.text, shown);
}

/* Of frames that share a pixel, the largest: none that is slow goes under. */
static void put_bars(FILE *f, const struct strip *p)
{
	double most = -1, x = 0;

	fputs("<path class=\"frame\" d=\"", f);
	for (size_t i = 0; i <= p->s->n; i++) {
		double at = i < p->s->n ? x_of(p, p->s->frame[i].number) : 0, value;

		if (most > 0 && (i == p->s->n || (int)at != (int)x)) {
			fprintf(f, "M%.1f %dV%.1f", x, p->bottom, y_of(p, most));
			most = -1;
		}
		if (i == p->s->n || !p->s->frame[i].number)
			continue;
		value = cli_gl_number(p->s, i, p->item);
		x = at;
		/* What has no number has no bar. */
		if (value > most)
			most = value;
	}
	fputs("\"/>\n", f);
}

static void put_grid(FILE *f, const struct strip *p)
{
	double step = cli_svg_step(0, p->most, TICKS);

	for (int i = 0; i * step <= p->most; i++) {
		char *text = text_of(p, i * step);

		fprintf(f,
			"<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n"
			"<text x=\"%d\" y=\"%.1f\">%s</text>\n",
			LABEL, y_of(p, i * step), LABEL + PLOT, y_of(p, i * step), LABEL + PLOT + 6,
			y_of(p, i * step) + 4, text);
		free(text);
	}
}

static void put_strip(FILE *f, struct strip *p)
{
	struct cli_gl_summary sum = cli_gl_summarize(p->s, p->item);
	char *median, *most;

	p->most = sum.max > 0 ? sum.max : 1;
	median = text_of(p, sum.median);
	most = text_of(p, sum.max);
	put_grid(f, p);
	put_bars(f, p);
	fprintf(f, "<text class=\"name\" x=\"10\" y=\"%d\">", p->bottom - 50);
	cli_svg_text(f, p->name, NAME_CHARS);
	fprintf(f,
		"</text>\n<text x=\"10\" y=\"%d\">median %s</text>\n"
		"<text x=\"10\" y=\"%d\">worst %s</text>\n",
		p->bottom - 33, median, p->bottom - 16, most);
	if (sum.n && sum.max > 0)
		fprintf(f,
			"<circle class=\"worst\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\" "
			"data-frame=\"%llu\" data-value=\"%s\"/>\n"
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">frame %llu</text>\n",
			x_of(p, sum.worst), y_of(p, sum.max), (unsigned long long)sum.worst,
			cli_number_exact(sum.max).text, x_of(p, sum.worst), y_of(p, sum.max) - 6,
			(unsigned long long)sum.worst);
	free(median);
	free(most);
}

static size_t strips_of(const struct cli_gl_series *s)
{
	size_t n = s->n > 1;

	for (size_t i = 0; i < s->items && s->n > 1; i++)
		n += !s->item[i].is_hidden;
	return n;
}

void cli_gl_write_plot(FILE *f, const struct cli_gl_run *run)
{
	size_t strips = 0;
	int bottom = TOP;

	for (size_t i = 0; i < run->frames.n; i++)
		strips += strips_of(&run->frames.series[i]);
	cli_svg_begin(f, LABEL + PLOT + RIGHT, TOP + (int)strips * STRIP + BOTTOM,
		      ".frame { stroke: #2166ac } .worst { fill: #b2182b }");
	fprintf(f, "<text class=\"name\" x=\"%d\" y=\"24\">", LABEL);
	cli_svg_text(f, run->name, SIZE_MAX);
	fputs(": a bar a frame, without frame 0</text>\n", f);
	for (size_t i = 0; i < run->frames.n; i++) {
		const struct cli_gl_series *s = &run->frames.series[i];

		if (s->n <= 1)
			continue;
		CLI_GL_FOR_EACH_ITEM(k, s)
		{
			struct strip p = { .s = s,
					   .item = k,
					   .name = k == SIZE_MAX ? "frame time" : s->item[k].name,
					   .unit = k == SIZE_MAX ? "ns" : s->item[k].unit_text,
					   .bottom = bottom + STRIP };

			bottom += STRIP;
			put_strip(f, &p);
		}
	}
	fputs("</svg>\n", f);
}
