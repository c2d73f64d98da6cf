// SPDX-License-Identifier: MIT
/* Arithmetic on values: sums over targets, means over runs. */
#include <math.h>

#include "count/cli/report/tally.h"

#define MISSING (NTIME_ABSENT | NTIME_NOT_COUNTED)

static uint64_t add_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

bool cli_value_is_known(const struct ntime_value *v)
{
	return !(v->flags & MISSING) && !isnan(v->value);
}

bool cli_value_is_lost(const struct ntime_value *v)
{
	const uint32_t flags = NTIME_PROC | NTIME_NOT_COUNTED | NTIME_IMPLAUSIBLE;

	return (v->flags & flags) == flags;
}

void cli_value_add(struct ntime_value *sum, const struct ntime_value *v)
{
	bool has_sum = cli_value_is_known(sum), has_v = cli_value_is_known(v);
	bool is_bounded = (sum->flags | v->flags) & NTIME_BOUNDED;

	/*
	 * Metrics are computed anew from the sums; the length of their period is the same for all
	 * targets.
	 */
	if ((sum->flags | v->flags) & NTIME_METRIC || cli_value_is_lost(sum))
		return;
	if (cli_value_is_lost(v)) {
		*sum = *v;
	} else if (has_sum && has_v) {
		sum->value += v->value;
		sum->below = is_bounded ? sum->below + v->below : hypot(sum->below, v->below);
		sum->above = is_bounded ? sum->above + v->above : hypot(sum->above, v->above);
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
	v->flags &= ~(NTIME_SCALED | NTIME_BOUNDED);
	return true;
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
	if (v->flags & NTIME_BOUNDED) {
		t->below += v->below;
		t->above += v->above;
	} else {
		t->below2 += v->below * v->below;
		t->above2 += v->above * v->above;
	}
	t->count = add_capped(t->count, v->count);
	t->counted_ns = add_capped(t->counted_ns, v->counted_ns);
	t->flags |= v->flags;
}

void cli_tally_fini(struct cli_tally *t)
{
	cli_spread_fini(&t->spread);
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
	out->below = (t->below + sqrt(t->below2)) / (double)n;
	out->above = (t->above + sqrt(t->above2)) / (double)n;
	out->error = fmax(out->below, out->above);
	out->count = t->count / n + (t->count % n * 2 >= n);
	out->counted_ns = t->counted_ns / n;
	out->flags = t->flags;
}
