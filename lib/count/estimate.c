// SPDX-License-Identifier: MIT
/*
 * How far an extrapolated count may be off.
 *
 * A rotated event is a sample: it ran for X of E nanoseconds. Each read of the session ends a step
 * with count c and running time x. With the overall rate r = C / X the residual of a step is u =
 * c - r x. Neighbouring residuals are compared (successive difference estimator), so that slow
 * phases of the program, which rotation samples evenly, do not count as error:
 *
 *     s^2 = sum (u_j - u_(j-1))^2 / (2 (n - 1)),   Var(value) = (E / X)^2 * n * s^2 * (1 - X / E)
 *
 * W. G. Cochran, "Sampling Techniques", 3rd ed. (ratio estimator, 6.4; finite population
 * correction, 2.6); K. M. Wolter, "Introduction to Variance Estimation", 2nd ed., 8.2 (successive
 * differences). u is expanded so that r may be known only at the end. With fewer than MIN_STEPS
 * steps each slice of the kernel's rotation counts as one observation of a rate that scatters as
 * much as it is large: relative error sqrt((1 - X / E) / (X / slice)), at most 1.
 */
#include <math.h>

#include "lib/count/session.h"

#define MIN_STEPS 5

void nti_estimate_step(struct nti_estimate *e, uint64_t count, uint64_t running_ns)
{
	double d_count = (double)count - (double)e->last_count;
	double d_running = (double)running_ns - (double)e->last_running_ns;
	double dc, dr;

	if (d_running <= 0)
		return;
	if (e->steps) {
		dc = d_count - e->last_d_count;
		dr = d_running - e->last_d_running;
		e->dcc += dc * dc;
		e->dcr += dc * dr;
		e->drr += dr * dr;
	}
	e->steps++;
	e->last_count = count;
	e->last_running_ns = running_ns;
	e->last_d_count = d_count;
	e->last_d_running = d_running;
}

double nti_estimate_error(const struct nti_estimate *e, const struct nti_item_sum *sum,
			  double slice_ns)
{
	double share, rate, variance, slices;

	if (!sum->counted_ns || sum->counted_ns >= sum->wanted_ns)
		return 0;
	share = (double)sum->counted_ns / (double)sum->wanted_ns;
	if (e->steps < MIN_STEPS) {
		slices = fmax((double)sum->counted_ns / slice_ns, 1);
		return sum->value * fmin(sqrt((1 - share) / slices), 1);
	}
	rate = (double)sum->count / (double)sum->counted_ns;
	variance = (e->dcc - 2 * rate * e->dcr + rate * rate * e->drr) / (2.0 * (e->steps - 1));
	return sqrt(fmax(variance, 0) * e->steps * (1 - share)) / share;
}
