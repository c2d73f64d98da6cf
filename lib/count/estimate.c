// SPDX-License-Identifier: MIT
/*
 * How far an extrapolated count may be off.
 *
 * Turns of one event, with what passed between them:
 *
 *     head | step 1 | gap | step 2 | gap | step 3 | tail
 *            c1 / x1        c2 / x2        c3 / x3
 *
 * Estimate: each gap gets the rate of its two neighbours together, (c1 + c2) / (x1 + x2), head and
 * tail that of the one they have (J. M. May, "MPX", IPDPS 2001; T. Mytkowicz et al., "Time
 * Interpolation", MICRO 2007). Slow phases of the program cost nothing then. The mean of both rates
 * would be nearer by a twentieth in bursts, and wrong where the measure is the count of an event,
 * of which a quiet turn has next to nothing. (Where neighbours are no more alike than any two steps
 * the mean of all would be better by a tenth. Mixing both by von Neumann's ratio was tried: it gave
 * half of that, and took as much from programs with bursts.)
 *
 * Neighbours that are less than a third of what is usual beside such a gap say little of it: quiet
 * turns around a busy gap, in work. The rate of all that was seen before has the missing share, and
 * what that changes goes into the scatter.
 *
 * Scatter: neighbours that differ show how much the rate moves (successive differences: K. M.
 * Wolter, "Introduction to Variance Estimation", 2nd ed., 8.2). With d = r1 - r2 white noise has
 * the variance d^2 / (1 / x1 + 1 / x2) for one of measure, estimated anew at each gap, as a program
 * has quiet parts and wild ones. A gap of length g then adds g times that for itself, and twice
 * g^2 / (x1 + x2) times that for its neighbours, each of which serves a gap on its other side, too:
 *
 *     Var = sum d^2 x1 x2 / (x1 + x2)^2 (g (x1 + x2) + 2 g^2)
 *
 * Few gaps may carry most of it: the quantile is Student's t, with as many degrees of freedom as
 * (sum v)^2 / sum v^2 says (F. E. Satterthwaite, Biometrics Bulletin 2 (1946), 110).
 *
 * What was missed: a short phase may lie in gaps alone, and then nothing of it is in the scatter.
 * With turns in random order the chance of that is below 2.5 % where these phases have together
 * more than the longest gap: for k passes of equal turns gaps are up to 2 (k - 1) turns, and m
 * phases of length b are all missed with (E[(gap - b)+] / turn k)^m. So the interval has room for
 * the longest gap at a high rate: as long as that gap exceeds SMALL_SHARE of the whole, HIGHER
 * times what the highest one of this event would be if it changed as much as the event that changed
 * most, and at most HIGHER times the highest one that any event had in any turn, since some event
 * was on its counter at any time; later the highest one that this event had, since of a phase with
 * a larger share than that some was seen. (A limit of a hundred times the event's own rate was
 * tried: bursts of 1 % were missed in 22 of 100 regions.)
 */
#include <math.h>
#include <stdbool.h>

#include "lib/count/estimate.h"

#define SMALL_SHARE 0.01
#define HIGHER 4
#define MANY 100  /* events of a turn, of which chance is a tenth */
#define SLIVER 16 /* of the step before: shorter is none */
#define FEW 3	  /* shares of what is usual */

/*
 * Before a gap of @gap were .length of measure, behind it @length, and the rates there were .rate
 * and @rate. Where these are much less beside the gap than is usual, they say little of it: then
 * the rate of all that was seen so far has the share that is missing.
 */
static double rate_of_gap(const struct nti_estimate *e, double gap, double length, double rate,
			  double *doubt)
{
	double both = length + e->length;
	double local = (rate * length + e->rate * e->length) / both;
	double usual = e->unseen > 0 ? 2 * e->seen / e->unseen : 0;
	double missing = gap * usual / FEW - both, mixed;

	*doubt = 0;
	if (!(missing > 0))
		return local;
	mixed = (local * both + e->count / e->seen * missing) / (both + missing);
	*doubt = mixed - local;
	return mixed;
}

/* The rate changed from .rate to @rate over a gap. */
static void add_gap(struct nti_estimate *e, double gap, double length, double rate)
{
	double d2 = (rate - e->rate) * (rate - e->rate), both = length + e->length, doubt;
	double shares = length * e->length / (both * both);
	double between = rate_of_gap(e, gap, length, rate, &doubt);
	double v = d2 * shares * (gap * both + 2 * gap * gap) + gap * gap * doubt * doubt;

	e->guessed += gap * between;
	e->jumps += d2;
	e->variance += v;
	e->variance2 += v * v;
}

void nti_estimate_step(struct nti_estimate *e, double measure, double seen, double count)
{
	double length = seen - e->seen, unseen = fmax(measure - seen, e->unseen);
	double gap = unseen - e->unseen, rate;

	/*
	 * What ran for a moment more while its turn was ended is left to the next step: its rate
	 * says nothing.
	 */
	if (!(length > e->length / SLIVER))
		return;
	rate = fmax(count - e->count, 0) / length;
	if (e->steps) {
		add_gap(e, gap, length, rate);
	} else {
		e->head = gap;
		e->first_rate = rate;
	}
	e->longest = fmax(e->longest, gap);
	e->most_rate = fmax(e->most_rate, rate);
	e->least_rate = e->steps ? fmin(e->least_rate, rate) : rate;
	e->most_count = fmax(e->most_count, count - e->count);
	e->rate = rate;
	e->length = length;
	e->unseen = unseen;
	e->measure = measure;
	e->seen = seen;
	e->count = count;
	e->steps++;
}

/* Cornish and Fisher's expansion is good to 1 % from three on (M. Abramowitz, 26.7.5). */
static double quantile(double freedom)
{
	static const double first[] = { 12.706, 4.303, 3.182 };
	const double z = 1.959964;
	double z3 = z * z * z, z5 = z3 * z * z;
	unsigned int i;

	if (freedom < 3) {
		i = freedom < 2 ? 0 : 1;
		freedom = fmax(freedom, 1) - (i + 1);
		return first[i] + freedom * (first[i + 1] - first[i]);
	}
	return z + (z3 + z) / (4 * freedom) +
	       (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
	       (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

struct nti_estimated nti_estimate_bounds(double value, double unseen, double count,
					 double hard_rate)
{
	double most = unseen > 0 ? count + unseen * hard_rate : count;

	value = fmax(fmin(value, most), count);
	return (struct nti_estimated){ value, value - count, most - value };
}

/* What the steps show of the scatter, with head and tail of which only one side is known. */
static double scatter(const struct nti_estimate *e, double tail)
{
	double end = e->jumps / (e->steps - 1) * (e->head * e->head + tail * tail);
	double variance = e->variance + end, squares = e->variance2 + end * end;

	if (!(variance > 0))
		return 0;
	return quantile(variance * variance / squares) * sqrt(variance);
}

double nti_estimate_contrast(const struct nti_estimate *e)
{
	if (e->most_count < MANY)
		return 1;
	return e->least_rate > 0 ? e->most_rate / e->least_rate : INFINITY;
}

/* The rate of what may have been missed. */
static double missed_rate(const struct nti_estimate *e, bool is_small, struct nti_rates rates)
{
	double rate = rates.seen > 0 ? fmin(HIGHER * rates.seen, rates.hard) : rates.hard;

	if (e->most_rate > 0)
		rate = fmin(rate, e->most_rate * (is_small ? 1 : HIGHER * rates.contrast));
	return rate;
}

struct nti_estimated nti_estimate_get(const struct nti_estimate *e, double measure, double seen,
				      double count, struct nti_rates rates)
{
	double unseen = fmax(measure - seen, 0), tail, longest, spread, value;
	struct nti_estimated out;

	if (e->steps < 2 || !(unseen > 0))
		return nti_estimate_bounds(seen > 0 ? count * (measure / seen) : count, unseen,
					   count, rates.hard);
	tail = fmax(unseen - e->unseen, 0);
	longest = fmax(e->longest, tail);
	spread = scatter(e, tail);
	value = count + e->guessed + e->head * e->first_rate + tail * e->rate;
	out = nti_estimate_bounds(value, unseen, count, rates.hard);
	out.below = fmin(spread + longest * e->most_rate, out.below);
	out.above = fmin(spread + longest * missed_rate(e, longest <= measure * SMALL_SHARE, rates),
			 out.above);
	return out;
}
