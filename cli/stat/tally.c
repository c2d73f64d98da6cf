// SPDX-License-Identifier: MIT
/* Arithmetic on values: sums over targets, means and spread over runs. */
#include <math.h>

#include "cli/stat/tally.h"

#define MISSING (NTIME_ABSENT | NTIME_NOT_COUNTED)

static uint64_t add_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

bool cli_value_is_known(const struct ntime_value *v)
{
	return !(v->flags & MISSING) && !isnan(v->value);
}

void cli_value_add(struct ntime_value *sum, const struct ntime_value *v)
{
	bool has_sum = cli_value_is_known(sum), has_v = cli_value_is_known(v);

	/*
	 * Metrics are computed anew from the sums; the length of their period is the same for all
	 * targets.
	 */
	if ((sum->flags | v->flags) & NTIME_METRIC)
		return;
	if (has_sum && has_v) {
		sum->value += v->value;
		sum->below = hypot(sum->below, v->below);
		sum->above = hypot(sum->above, v->above);
		sum->error = fmax(sum->below, sum->above);
		sum->count = add_capped(sum->count, v->count);
		sum->wanted_ns = add_capped(sum->wanted_ns, v->wanted_ns);
		sum->counted_ns = add_capped(sum->counted_ns, v->counted_ns);
		sum->flags |= v->flags;
	} else if (has_v) {
		*sum = *v;
		sum->flags |= NTIME_PARTIAL;
	} else if (has_sum) {
		sum->flags |= NTIME_PARTIAL;
	} else if (!(v->flags & NTIME_ABSENT)) {
		/*
		 * Neither has a number; "did not run" says more of the whole than "cannot be had".
		 */
		*sum = *v;
	}
}

bool cli_value_unscale(struct ntime_value *v, double scale)
{
	if (!(v->flags & NTIME_SCALED) || (v->flags & (NTIME_METRIC | MISSING)))
		return false;
	v->value = (double)v->count * scale;
	v->error = v->below = v->above = 0;
	v->flags &= ~NTIME_SCALED;
	return true;
}

void cli_spread_add(struct cli_spread *s, double number)
{
	double step = number - s->mean;

	s->n++;
	s->mean += step / (double)s->n;
	s->m2 += step * (number - s->mean);
	if (s->n == 1 || number < s->min)
		s->min = number;
	if (s->n == 1 || number > s->max)
		s->max = number;
}

/*
 * T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for Computing the Sample Variance",
 * The American Statistician 37 (1983): the pairwise update.
 */
void cli_spread_join(struct cli_spread *s, const struct cli_spread *more)
{
	double n = (double)s->n, k = (double)more->n, step = more->mean - s->mean;

	if (!more->n)
		return;
	if (!s->n) {
		*s = *more;
		return;
	}
	s->n += more->n;
	s->mean += step * k / (n + k);
	s->m2 += more->m2 + step * step * n * k / (n + k);
	s->min = more->min < s->min ? more->min : s->min;
	s->max = more->max > s->max ? more->max : s->max;
}

/*
 * The 0.975 quantile of Student's t: a table, and from three degrees of freedom on Cornish and
 * Fisher's expansion, which is good to 1 % (M. Abramowitz, I. Stegun, "Handbook of Mathematical
 * Functions", 26.7.5).
 */
static double quantile(uint64_t freedom)
{
	const double z = 1.959964, n = (double)freedom;
	const double z3 = z * z * z, z5 = z3 * z * z;

	if (freedom < 3)
		return freedom < 2 ? 12.706 : 4.303;
	return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
	       (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

double cli_spread_error(const struct cli_spread *s)
{
	if (s->n < 2)
		return 0;
	return quantile(s->n - 1) * sqrt(s->m2 / (double)(s->n - 1) / (double)s->n);
}

void cli_tally_add(struct cli_tally *t, const struct ntime_value *v)
{
	t->runs++;
	t->scale = v->scale;
	t->wanted_ns = add_capped(t->wanted_ns, v->wanted_ns);
	if (!cli_value_is_known(v)) {
		t->missing_flags |= v->flags;
		return;
	}
	cli_spread_add(&t->spread, v->value);
	t->below2 += v->below * v->below;
	t->above2 += v->above * v->above;
	t->count = add_capped(t->count, v->count);
	t->counted_ns = add_capped(t->counted_ns, v->counted_ns);
	t->flags |= v->flags;
}

void cli_tally_mean(const struct cli_tally *t, struct ntime_value *out)
{
	uint64_t n = t->spread.n;

	*out = (struct ntime_value){ .value = NAN, .scale = t->scale, .flags = t->missing_flags };
	/*
	 * Of a metric this is the length of the period, which is wanted even where the metric had
	 * no number.
	 */
	if (t->runs)
		out->wanted_ns = t->wanted_ns / t->runs;
	if (!n) {
		/* A run that found the counter idle shows that it exists. */
		if (out->flags & NTIME_NOT_COUNTED)
			out->flags &= ~NTIME_ABSENT;
		return;
	}
	out->value = t->spread.mean;
	out->below = sqrt(t->below2) / (double)n;
	out->above = sqrt(t->above2) / (double)n;
	out->error = fmax(out->below, out->above);
	out->count = t->count / n + (t->count % n * 2 >= n);
	out->counted_ns = t->counted_ns / n;
	out->flags = t->flags;
}
