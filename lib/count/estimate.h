/* SPDX-License-Identifier: MIT */
/*
 * A count of which a part was seen: the best estimate of the whole and the interval that holds it.
 * Pure arithmetic on three running totals; estimate.c has the method and its sources.
 *
 *     measure   how much there was to look at: nanoseconds of the program, or the count of an event
 *               that was counted all the time
 *     seen      how much of that passed while the event was on its counter
 *     count     what the counter had then
 */
#ifndef NTI_ESTIMATE_H
#define NTI_ESTIMATE_H

#include <stdint.h>

struct nti_estimate {
	double measure, seen, count; /* totals at the end of the last step */
	double head;		     /* not seen before the first step */
	double unseen;		     /* not seen up to the last step, .head included */
	double guessed;		     /* events put into gaps between steps */
	double first_rate, rate, most_rate, least_rate;
	double most_count; /* of a step */
	double length;	   /* of the last step */
	double longest;
	double variance, variance2; /* sum over the gaps, and that of the squares */
	double jumps;		    /* sum of squared differences of rates */
	uint32_t steps;
};

/* The 95 % interval is .value - .below to .value + .above. */
struct nti_estimated {
	double value, below, above;
};

/* A turn of the event ended, or is looked at: the totals are now these. */
void nti_estimate_step(struct nti_estimate *e, double measure, double seen, double count);

/* Events for one of the measure. */
struct nti_rates {
	double hard; /* no hardware exceeds it; INFINITY: not known */
	double seen; /* the highest that any event of the same counters had in any turn */
	/* the most by which any of them differed between two turns, as a factor; INFINITY from 0 */
	double contrast;
};

/*
 * Of one event, for .contrast; 1 for an event so rare that chance makes the difference.
 */
double nti_estimate_contrast(const struct nti_estimate *e);

/* What is known when the totals are these. */
struct nti_estimated nti_estimate_get(const struct nti_estimate *e, double measure, double seen,
				      double count, struct nti_rates rates);

/*
 * The same where nothing may be supposed about which part was seen: all that is possible is in the
 * interval around @value.
 */
struct nti_estimated nti_estimate_bounds(double value, double unseen, double count,
					 double hard_rate);

#endif
