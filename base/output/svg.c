// SPDX-License-Identifier: MIT
/* Pictures: SVG, which browsers show. */
#include "base/output/svg.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/output/clean.h"

void cli_svg_begin(FILE *f, int width, int height, const char *style)
{
	fprintf(f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\">\n"
		"<style>text { font: 12px sans-serif; fill: #333 } .name { font-weight: bold } "
		".grid { stroke: #ddd } %s</style>\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
		width, height, width, height, style, width, height);
}

void cli_svg_text(FILE *f, const char *text, size_t most)
{
	const char *at = cli_clean(text);
	size_t chars = 0, bytes;
	uint32_t code;

	for (; *at && chars < most; at += bytes, chars++) {
		bytes = cli_utf8_char(at, strlen(at), &code);
		if (!bytes)
			bytes = 1;
		if (*at == '<' || *at == '>' || *at == '&' || *at == '"')
			fprintf(f, "&#%d;", *at);
		else
			fprintf(f, "%.*s", (int)bytes, at);
	}
	if (*at)
		fputs("…", f);
}

double cli_svg_step(double low, double high, int ticks)
{
	double least = (high - low) / ticks, power = pow(10, floor(log10(least)));
	double times = least / power;

	return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}
