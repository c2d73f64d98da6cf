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

#include <stdbool.h>
#include <stdint.h>

/* Steps that are under way: variance if all is noise, and if rates are constant between edges. */
struct nti_estimate_part {
	double noise, edges;
	/* sums of squared differences of rates: of neighbours, and of steps two apart */
	double jumps, jumps2;
	uint32_t steps; /* differences of neighbours */
};

struct nti_estimate {
	double measure, seen, count; /* totals at the end of the last step */
	double seen_ns, length_ns;   /* time that .seen took, and of it the last step */
	double head;		     /* not seen before the first step */
	double unseen;		     /* not seen up to the last step, .head included */
	double guessed;		     /* events put into gaps between steps */
	double doubted;		     /* of these because of neighbours that say little */
	double first_rate, before, rate, most_rate; /* .before: of the step before the last */
	double length;				    /* of the last step */
	double longest, gaps4;	  /* of the gaps between steps: the longest, sum of fourth powers */
	double noise, noise2;	  /* variance if all is noise: sum over the gaps, and of squares */
	double edges, edges2;	  /* the same if rates are constant between edges */
	double jumps, first_jump; /* squared differences of neighbouring rates: sum, the first */
	/* of .noise and .edges what each was believed to be */
	double noise_of_parts, edges_of_parts;
	struct nti_estimate_part part;
	uint32_t steps;
	bool by_work; /* set before the first step: the measure is the count of an event */
};

/*
 * The 95 % interval is .value - .below to .value + .above. .missed: what gaps alone may have had,
 * if that is more than .above; nti_estimate_finish() puts it there.
 */
struct nti_estimated {
	double value, below, above, missed;
};

/*
 * A turn of the event ended, or is looked at: the totals are now these. @seen_ns: how long it was
 * on its counter, by time the same as @seen. What is too short to be a step is left to the next.
 */
void nti_estimate_step(struct nti_estimate *e, double measure, double seen, double count,
		       double seen_ns);
/* Something was seen that is in no step yet, up to these totals. */
static inline bool nti_estimate_is_pending(const struct nti_estimate *e, double seen, double count)
{
	return seen > e->seen || count > e->count;
}

/*
 * What is known when the totals are these. @most_rate: the most events for one of the measure that
 * any event of the same counters had in any turn. To be finished.
 */
struct nti_estimated nti_estimate_get(const struct nti_estimate *e, double measure, double seen,
				      double count, double most_rate);
/*
 * What chance alone does to @count, where @ratio is what was not seen to what was: in .below and
 * .above.
 */
struct nti_estimated nti_estimate_chance(double count, double ratio);
/*
 * One event by two measures: by work if that interval is less than half as wide, with the least
 * that was missed. By time a phase may have been missed in any gap, by work only where there was
 * some. Of two that are nearly alike the narrower one is too often narrow by chance.
 */
struct nti_estimated nti_estimate_narrower(const struct nti_estimated *by_time,
					   const struct nti_estimated *by_work);
/*
 * With what may have been missed, within what is possible at all: in @unseen_ns the hardware has at
 * most @hard_rate events a nanosecond; INFINITY: not known.
 */
struct nti_estimated nti_estimate_finish(const struct nti_estimated *got, double unseen_ns,
					 double count, double hard_rate);
/* Where nothing may be supposed about which part was seen: all that is possible, around @value. */
struct nti_estimated nti_estimate_bounds(double value, double unseen_ns, double count,
					 double hard_rate);

#endif
