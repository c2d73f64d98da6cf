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
 * By work, neighbours that are less than a third of what is usual beside such a gap say little of
 * it: quiet turns around a busy gap. The rate of all that was seen before has the missing share.
 * All such gaps may be wrong in the same direction: the square of what that changed in all goes
 * into the variance.
 *
 * Scatter: neighbours that differ show how much the rate moves (successive differences: K. M.
 * Wolter, "Introduction to Variance Estimation", 2nd ed., 8.2). With d = r1 - r2 white noise has
 * the variance d^2 / (1 / x1 + 1 / x2) for one of measure, estimated anew at each gap, as a program
 * has quiet parts and wild ones. A gap of length g then adds g times that for itself, and twice
 * g^2 / (x1 + x2) times that for its neighbours, each of which serves a gap on its other side, too:
 *
 *     noise = sum d^2 x1 x2 / (x1 + x2)^2 (g (x1 + x2) + 2 g^2)
 *
 * A program in phases has two rates and an edge between them. If it lies in the gap, anywhere, the
 * gap is off by d^2 g^2 / 12; if it lies in a step, whose rate is then a mixture, two gaps are off
 * by what they had of it. With x = (x1 + x2) / 2:
 *
 *     edges = sum d^2 g^2 (g / 12 + 2 x EDGE) / (g + x)
 *
 * Which of both it is, steps two apart tell (the first two points of a variogram; the idea of J.
 * von Neumann's ratio, Ann. Math. Stat. 12 (1941), 367): in noise they differ as neighbours do, and
 * around edges by twice as much, in squares. So
 *
 *     w = 2 - mean (r3 - r1)^2 / mean (r2 - r1)^2, within 0 and 1
 *     Var = w noise + (1 - w) edges
 *
 * Each PART of the steps is one or the other by itself: programs begin with edges that are higher
 * than all that comes later, and would hide noise there.
 *
 * Head and tail have one neighbour, and d^2 of all gaps or of the one beside them, whichever is
 * more: (2 + w) / 3 g^2 d^2. A rate that falls from the first moment on does so fastest in the
 * head.
 *
 * By work, all is taken for noise: steps are then of any length, and two of them apart by anything.
 *
 * The interval has 1.96 roots of that, with Student's t for few steps, and two corrections. The sum
 * of a few bursts, each as long as a turn or shorter, is skewed: who saw few of them knows neither
 * that there were more nor the scatter (P. Hall, J. R. Stat. Soc. B 54 (1992), 221): on the upper
 * side w SKEW / sqrt(n) more, for as many gaps as (sum v)^2 / 2 sum v^2 says (F. E. Satterthwaite,
 * Biometrics Bulletin 2 (1946), 110). A single edge is nowhere but in its gap: (1 - w) FLAT / n
 * less, which for one is about the 1.65 of the uniform distribution.
 *
 * Chance alone: n counts are never known better than a Poisson variable, and none seen are up to
 * 3.7 (F. Garwood, Biometrika 28 (1936), 437).
 *
 * What was missed: a short phase may lie in gaps alone, and then nothing of it is in the scatter.
 * One of length b at a random place does with the chance sum (g - b)+ / measure, which is at most
 * 0.1055 / b^3 sum g^4 / measure: (g - b) / g^4 is highest at g = 4 b / 3. If that exceeds CHANCE
 * for SMALL_SHARE of the whole - turns are chosen so that it does not, and each change of them may
 * take too long for that -, the upper side has room for the longest gap at HIGHER times the highest
 * rate that any event had in any turn, since some event was on its counter at any time. The rate of
 * the event itself says nothing of what it has in phases of which it was never seen. Of phases that
 * take less than SMALL_SHARE the interval says nothing; the bounds do.
 *
 * The constants EDGE, SKEW, FLAT, PART and CHANCE were chosen with the simulated programs of the
 * test estimate, of which each family is to be held in 94 to 98 %, but where it is easy.
 */
#include <math.h>
#include <stdbool.h>

#include "count/lib/count/estimate.h"

#define SMALL_SHARE 0.01
#define CHANCE 0.05 /* by the bound; in turns of equal length it is a half of that at most */
#define HIGHER 4
#define EDGE 0.13
#define SKEW 2
#define FLAT 0.25
#define NORMAL 1.959964
#define PART 256  /* steps of which together is asked whether they are noise or edges */
#define MANY 12	  /* steps: Student's t is not needed */
#define SLIVER 16 /* of the time of the step before: shorter is none */
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
	if (!e->by_work || !(missing > 0))
		return local;
	mixed = (local * both + e->count / e->seen * missing) / (both + missing);
	*doubt = mixed - local;
	return mixed;
}

/* How far the scatter of a part is that of noise, and not of edges: 0 to 1. */
static double noisiness(const struct nti_estimate_part *p)
{
	double ratio;

	if (p->steps < 2 || !(p->jumps > 0))
		return 1;
	ratio = p->jumps2 / p->jumps * p->steps / (p->steps - 1);
	return fmax(fmin(2 - ratio, 1), 0);
}

/* With the part that is under way. */
static void sum_parts(const struct nti_estimate *e, double *noise, double *edges)
{
	double w = e->by_work ? 1 : noisiness(&e->part);

	*noise = e->noise_of_parts + w * e->part.noise;
	*edges = e->edges_of_parts + (1 - w) * e->part.edges;
}

static void add_to_part(struct nti_estimate *e, double noise, double edge, double jump,
			double jump2)
{
	struct nti_estimate_part *p = &e->part;

	p->noise += noise;
	p->edges += edge;
	p->jumps += jump;
	if (p->steps++)
		p->jumps2 += jump2;
	if (p->steps < PART)
		return;
	sum_parts(e, &e->noise_of_parts, &e->edges_of_parts);
	*p = (struct nti_estimate_part){ 0 };
}

/* The rate changed from .rate to @rate over a gap. */
static void add_gap(struct nti_estimate *e, double gap, double length, double rate)
{
	double d = rate - e->rate, both = length + e->length, doubt;
	double between = rate_of_gap(e, gap, length, rate, &doubt);
	double noise = d * d * length * e->length / (both * both) * (gap * both + 2 * gap * gap);
	double edge = d * d * gap * gap * (gap / 12 + both * EDGE) / (gap + both / 2);

	if (e->steps == 1)
		e->first_jump = d * d;
	e->doubted += gap * doubt;
	e->guessed += gap * between;
	e->noise += noise;
	e->noise2 += noise * noise;
	e->edges += edge;
	e->edges2 += edge * edge;
	e->jumps += d * d;
	add_to_part(e, noise, edge, d * d, (rate - e->before) * (rate - e->before));
	e->longest = fmax(e->longest, gap);
	e->gaps4 += gap * gap * gap * gap;
}

void nti_estimate_step(struct nti_estimate *e, double measure, double seen, double count,
		       double seen_ns)
{
	double length = seen - e->seen, unseen = fmax(measure - seen, e->unseen);
	double gap = unseen - e->unseen, length_ns = seen_ns - e->seen_ns, rate;

	/*
	 * What ran for a moment more while its turn was ended is left to the next step: its rate
	 * says nothing. A turn with little work is none of these: it may have most of the events.
	 */
	if (!(length > 0) || !(length_ns > e->length_ns / SLIVER))
		return;
	rate = fmax(count - e->count, 0) / length;
	if (e->steps) {
		add_gap(e, gap, length, rate);
	} else {
		e->head = gap;
		e->first_rate = rate;
	}
	e->most_rate = fmax(e->most_rate, rate);
	e->before = e->rate;
	e->rate = rate;
	e->length = length;
	e->length_ns = length_ns;
	e->seen_ns = seen_ns;
	e->unseen = unseen;
	e->measure = measure;
	e->seen = seen;
	e->count = count;
	e->steps++;
}

/* Cornish and Fisher's expansion is good to 1 % from three on (M. Abramowitz, 26.7.5). */
static double quantile(unsigned int freedom)
{
	static const double first[] = { NAN, 12.706, 4.303 };
	const double z = NORMAL, n = freedom;
	double z3 = z * z * z, z5 = z3 * z * z;

	if (freedom < 3)
		return first[freedom];
	return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
	       (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

/*
 * What the steps show of the scatter, with head and tail of which only one side is known: the
 * sides of the interval.
 */
static void add_scatter(const struct nti_estimate *e, double tail, struct nti_estimated *out)
{
	double usual = e->jumps / (e->steps - 1);
	double last = (e->rate - e->before) * (e->rate - e->before);
	double ends =
		e->head * e->head * fmax(usual, e->first_jump) + tail * tail * fmax(usual, last);
	double noise, edges, variance, w, root, sides;

	sum_parts(e, &noise, &edges);
	w = noise + edges > 0 ? noise / (noise + edges) : 1;
	variance = noise + edges + ends * (2 + w) / 3 + e->doubted * e->doubted;
	if (!(variance > 0))
		return;
	root = sqrt(variance);
	sides = e->steps < MANY ? quantile(e->steps - 1) : NORMAL;
	if (e->edges > 0)
		sides -= (1 - w) * FLAT * e->edges2 / (e->edges * e->edges);
	out->below = out->above = root * sides;
	if (e->noise > 0)
		out->above += root * w * SKEW * sqrt(2 * e->noise2) / e->noise;
}

/* What gaps alone may have had, if they are long enough for that. */
static double missed(const struct nti_estimate *e, double measure, double tail, double most_rate)
{
	double longest = fmax(fmax(e->longest, e->head), tail), small = measure * SMALL_SHARE;
	double gaps4 = e->gaps4 + pow(e->head, 4) + pow(tail, 4);

	if (longest <= small || 0.1055 * gaps4 <= CHANCE * small * small * small * measure)
		return 0;
	return most_rate > 0 ? longest * HIGHER * most_rate : INFINITY;
}

struct nti_estimated nti_estimate_chance(double count, double ratio)
{
	return (struct nti_estimated){ .below = ratio * NORMAL * sqrt(count),
				       .above = ratio * (NORMAL * sqrt(count + 1) + 1.73) };
}

struct nti_estimated nti_estimate_get(const struct nti_estimate *e, double measure, double seen,
				      double count, double most_rate)
{
	double unseen = fmax(measure - seen, 0), tail = fmax(unseen - e->unseen, 0);
	struct nti_estimated chance, out = { .value = seen > 0 ? count * (measure / seen) : count };

	if (e->steps < 2 || !(unseen > 0)) {
		out.below = out.above = INFINITY;
		return out;
	}
	out.value = count + e->guessed + e->head * e->first_rate + tail * e->rate;
	add_scatter(e, tail, &out);
	chance = nti_estimate_chance(count, unseen / seen);
	out.below = fmax(out.below, chance.below);
	out.above = fmax(out.above, chance.above);
	out.missed = missed(e, measure, tail, most_rate);
	return out;
}

struct nti_estimated nti_estimate_narrower(const struct nti_estimated *by_time,
					   const struct nti_estimated *by_work)
{
	double half = (by_time->below + fmax(by_time->above, by_time->missed)) / 2;
	struct nti_estimated out = by_work->below + by_work->above < half ? *by_work : *by_time;

	out.missed = fmin(by_time->missed, by_work->missed);
	return out;
}

struct nti_estimated nti_estimate_bounds(double value, double unseen_ns, double count,
					 double hard_rate)
{
	double most = unseen_ns > 0 ? count + unseen_ns * hard_rate : count;

	value = fmax(fmin(value, most), count);
	return (struct nti_estimated){ value, value - count, most - value, 0 };
}

struct nti_estimated nti_estimate_finish(const struct nti_estimated *got, double unseen_ns,
					 double count, double hard_rate)
{
	struct nti_estimated out = nti_estimate_bounds(got->value, unseen_ns, count, hard_rate);

	out.below = fmin(got->below, out.below);
	out.above = fmin(fmax(got->above, got->missed), out.above);
	return out;
}
