// SPDX-License-Identifier: MIT
/*
 * By how much a counter of frames differs from that of other frames, and by how many frames it is
 * later.
 */
#include <stdlib.h>
#include <string.h>

#include "count/cli/compare/frames.h"
#include "count/cli/compare/verdict.h"
#include "base/output/memory.h"
#include "base/statistics/spread.h"

/*
 * Frames that follow each other are alike, so that there are fewer independent numbers than frames:
 * means of so many stretches take their place.
 */
#define BLOCKS 16
/*
 * By how much times of two runs may differ though they do the same, a logarithm of a factor: what
 * else the machine does meanwhile shows in no run by itself. Measured: count/docs/compare.md,
 * "Frames".
 */
#define RUN_OF_TIMES 0.2
/* Frames by which series are tried against each other. */
#define MOST_SHIFT 8
/* How much better than no shift one has to fit, and how well at least; both are parts of 1. */
#define CLEARLY 0.2
#define FITS 0.5
/* Standard errors of a correlation that chance does not reach in all shifts. */
#define ERRORS 4

static bool are_equal(const struct cli_frame_counter *a, const struct cli_frame_counter *b)
{
	bool are = a->n == b->n;

	if (a->min == a->max && b->min == b->max && a->min == b->min)
		return true;
	for (size_t i = 0; i < a->n && are; i++)
		are = a->value[i] == b->value[i] || (isnan(a->value[i]) && isnan(b->value[i]));
	return are;
}

/* ---- shift ---- */

/* -1, 0 or 1: the side of the median, so that no single frame decides. */
static double *sides_of_median(const struct cli_frame_counter *c)
{
	double *side = cli_calloc(c->n + 1, sizeof(*side)), median;
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (!isnan(c->value[i]))
			side[n++] = c->value[i];
	cli_sort(side, n);
	median = cli_quantile(side, n, 0.5);
	for (size_t i = 0; i < c->n; i++)
		side[i] = (c->value[i] > median) - (c->value[i] < median);
	return side;
}

/**
 * struct fit - how well frames fit those of the other series that are so many later
 * @pairs:	of frames
 * @equal:	of those, a part
 * @alike:	correlation by the sides of the medians; 0 where there is none
 */
struct fit {
	double pairs, equal, alike;
};

static struct fit fit_at(const struct cli_frame_counter *a, const double *side_a,
			 const struct cli_frame_counter *b, const double *side_b, int shift)
{
	double both = 0, of_a = 0, of_b = 0;
	struct fit fit = { 0 };

	for (size_t i = shift < 0 ? (size_t)-shift : 0; i < a->n; i++) {
		size_t k = i + (size_t)shift;

		if (k >= b->n)
			break;
		fit.pairs++;
		fit.equal += a->value[i] == b->value[k];
		both += side_a[i] * side_b[k];
		of_a += side_a[i] * side_a[i];
		of_b += side_b[k] * side_b[k];
	}
	fit.equal /= fmax(fit.pairs, 1);
	fit.alike = of_a > 0 && of_b > 0 ? both / sqrt(of_a * of_b) : 0;
	return fit;
}

/* The shift of the best fit, where that is clear. */
static int find_shift(const struct cli_frame_counter *a, const struct cli_frame_counter *b)
{
	double *side_a = sides_of_median(a), *side_b = sides_of_median(b);
	struct fit none = fit_at(a, side_a, b, side_b, 0), equal = none, alike = none;
	int by_equal = 0, by_alike = 0;

	for (int i = 1; i <= 2 * MOST_SHIFT; i++) {
		/* 1, -1, 2, -2, ...: of shifts that fit as well the least. */
		int shift = i % 2 ? (i + 1) / 2 : -i / 2;
		struct fit fit = fit_at(a, side_a, b, side_b, shift);

		if (fit.pairs < 2 * MOST_SHIFT)
			continue;
		if (fit.equal > equal.equal) {
			equal = fit;
			by_equal = shift;
		}
		if (fit.alike > alike.alike) {
			alike = fit;
			by_alike = shift;
		}
	}
	free(side_a);
	free(side_b);
	/* Where most frames are equal, the few others may be anything. */
	if (equal.equal >= FITS)
		return equal.equal - none.equal >= CLEARLY ? by_equal : 0;
	if (alike.alike < fmax(FITS, ERRORS / sqrt(fmax(alike.pairs, 1))))
		return 0;
	return alike.alike - none.alike >= CLEARLY ? by_alike : 0;
}

/* ---- difference ---- */

/* Where both have a number; frame @i of @a stands beside frame @i + @shift of @b. */
static bool find_pair(const struct cli_frame_counter *a, const struct cli_frame_counter *b,
		      int shift, size_t i, double pair[2])
{
	size_t k = i + (size_t)shift;

	/* Before the first frame it is enormous. */
	if (i >= a->n || k >= b->n)
		return false;
	pair[0] = a->value[i];
	pair[1] = b->value[k];
	return !isnan(pair[0]) && !isnan(pair[1]);
}

/* Most do; of counters that are mostly 0 the numbers themselves are compared. */
static bool have_ratios(const struct cli_frame_counter *a, const struct cli_frame_counter *b,
			int shift)
{
	size_t ratios = 0, pairs = 0;
	double pair[2];

	for (size_t i = 0; i < a->n; i++) {
		if (!find_pair(a, b, shift, i, pair))
			continue;
		pairs++;
		if (pair[0] == 0 && pair[1] == 0)
			continue;
		if (!(pair[0] > 0 && pair[1] > 0))
			return false;
		ratios++;
	}
	return ratios && 2 * ratios >= pairs;
}

/*
 * The interval of the difference of @b to @a, by frames with the same number, which do the same
 * work if anything does. Frames in which both are 0 say nothing of a ratio.
 */
static void compare_pairs(struct cli_frame_change *c, const struct cli_frame_counter *a,
			  const struct cli_frame_counter *b)
{
	bool is_ratio = c->is_share && have_ratios(a, b, c->shift), drifts;
	double *of_a = cli_calloc(a->n + 1, sizeof(*of_a)),
	       *of_b = cli_calloc(a->n + 1, sizeof(*of_b)), block[BLOCKS], pair[2], wider;
	double scale = c->is_share ? a->mean : 1;
	size_t n = 0, blocks;
	struct cli_interval of;

	for (size_t i = 0; i < a->n; i++) {
		if (!find_pair(a, b, c->shift, i, pair) || (is_ratio && pair[0] == 0))
			continue;
		of_a[n] = pair[0];
		of_b[n++] = pair[1];
	}
	blocks = n < BLOCKS ? n : BLOCKS;
	for (size_t i = 0; i < blocks; i++) {
		size_t from = n * i / blocks, to = n * (i + 1) / blocks;
		double sum_a = 0, sum_b = 0;

		for (size_t k = from; k < to; k++) {
			sum_a += of_a[k] / (double)(to - from);
			sum_b += of_b[k] / (double)(to - from);
		}
		block[i] = is_ratio ? log(sum_b / sum_a) : sum_b - sum_a;
	}
	wider = CLI_PART_T * cli_deviation_of_parts(block, blocks, &drifts) +
		(is_ratio && strcmp(a->unit, "ns") == 0 ? RUN_OF_TIMES : 0);
	cli_sort(block, blocks);
	of = cli_signed_rank(block, blocks, CLI_COMPARE_LEVEL);
	free(of_a);
	free(of_b);
	c->is_known = of.is_known;
	c->difference = is_ratio ? expm1(of.estimate) : of.estimate / scale;
	c->low = is_ratio ? expm1(of.low - wider) : (of.low - wider) / scale;
	c->high = is_ratio ? expm1(of.high + wider) : (of.high + wider) / scale;
}

static enum cli_frame_verdict judge(const struct cli_frame_change *c, bool has_frames,
				    double tolerance)
{
	bool is_outside = c->low > 0 || c->high < 0;

	if (isnan(tolerance))
		return !c->is_known ? CLI_FRAMES_UNKNOWN
		       : is_outside ? CLI_FRAMES_DIFFER
				    : CLI_FRAMES_ALIKE;
	if (isnan(c->difference) || (has_frames && !c->is_known))
		return CLI_FRAMES_UNCLEAR;
	/* Of nothing any difference is more than a part. */
	tolerance = c->is_share ? tolerance : 0;
	if (c->low >= -tolerance && c->high <= tolerance)
		return CLI_FRAMES_WITHIN;
	return c->low > tolerance || c->high < -tolerance ? CLI_FRAMES_BEYOND : CLI_FRAMES_UNCLEAR;
}

struct cli_frame_change cli_frame_change(const struct cli_frame_counter *a,
					 const struct cli_frame_counter *b, double tolerance)
{
	struct cli_frame_change c = { .is_share = a->mean > 0 };
	bool has_frames = a->n && b->n;

	if (has_frames && are_equal(a, b)) {
		c.is_known = true;
		c.verdict = CLI_FRAMES_EQUAL;
		return c;
	}
	c.difference = (b->mean - a->mean) / (c.is_share ? a->mean : 1);
	c.low = c.high = c.difference;
	if (has_frames) {
		c.shift = a->min < a->max && b->min < b->max ? find_shift(a, b) : 0;
		compare_pairs(&c, a, b);
	}
	c.verdict = judge(&c, has_frames, tolerance);
	return c;
}
