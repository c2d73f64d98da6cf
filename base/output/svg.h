/* SPDX-License-Identifier: MIT */
/* What pictures have in common: their head, texts, and the steps of an axis. */
#ifndef CLI_OUTPUT_SVG_H
#define CLI_OUTPUT_SVG_H

#include <stddef.h>
#include <stdio.h>

/* The head of a picture of so many pixels, with a style sheet; "</svg>" ends it. */
void cli_svg_begin(FILE *f, int width, int height, const char *style);
/* In XML, and as clean.h has it; at most @most characters. */
void cli_svg_text(FILE *f, const char *text, size_t most);
/* 1, 2 or 5 times a power of ten, so that at most @ticks of them are between @low and @high. */
double cli_svg_step(double low, double high, int ticks);

#endif
