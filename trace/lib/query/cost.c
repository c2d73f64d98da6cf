// SPDX-License-Identifier: MIT
/* How much tracing slowed down what was traced. */
#include <errno.h>
#include <stdlib.h>

#include <ntime/trace/cost.h>

#include "base/common/error.h"
#include "base/common/grow.h"
#include "trace/lib/base/context.h"
#include "trace/lib/query/diff.h"

/* Fewer than this have no quartiles worth the name. */
#define FEW_RUNS 4

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Of @n sorted numbers: the one at @part of the way, between two of them where need be. */
static double quantile(const double *sorted, size_t n, double part)
{
	double at = part * (double)(n - 1);
	size_t below = (size_t)at;

	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Median and spread of some runs. 0 or -ENOMEM. */
static int sum_up(const uint64_t *ns, size_t n, double *median, double *spread)
{
	double *sorted = calloc(n, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		sorted[i] = (double)ns[i];
	qsort(sorted, n, sizeof(*sorted), compare);
	*median = quantile(sorted, n, 0.5);
	*spread = n < FEW_RUNS ? sorted[n - 1] - sorted[0]
			       : quantile(sorted, n, 0.75) - quantile(sorted, n, 0.25);
	free(sorted);
	return 0;
}

static void compare_times(struct ntime_trace_cost *c)
{
	c->cost_ns = c->with_ns - c->without_ns;
	c->ratio = c->without_ns > 0 ? c->with_ns / c->without_ns : 0;
}

int ntime_trace_cost_runs(struct ntime_trace_ctx *ctx, const uint64_t *with_ns, size_t with_runs,
			  const uint64_t *without_ns, size_t without_runs, uint64_t accesses,
			  struct ntime_trace_cost *out)
{
	struct ntime_trace_cost c = { .size = sizeof(c),
				      .with_runs = with_runs,
				      .without_runs = without_runs,
				      .accesses = accesses };
	double spread;
	int ret;

	if (out->size != sizeof(*out))
		return -EINVAL;
	if (with_runs < 2 || without_runs < 2)
		return nti_error(&ctx->error, -ENODATA,
				 "%zu run%s with tracing and %zu without do not show how much "
				 "runs vary; at least two of each are needed",
				 with_runs, with_runs == 1 ? "" : "s", without_runs);
	ret = sum_up(with_ns, with_runs, &c.with_ns, &c.with_spread_ns);
	if (!ret)
		ret = sum_up(without_ns, without_runs, &c.without_ns, &c.without_spread_ns);
	if (ret)
		return ret;
	compare_times(&c);
	spread = c.with_spread_ns > c.without_spread_ns ? c.with_spread_ns : c.without_spread_ns;
	if (c.cost_ns <= spread && -c.cost_ns <= spread)
		c.flags |= NTIME_COST_WITHIN_SPREAD;
	if (accesses) {
		c.flags |= NTIME_COST_PER_ACCESS;
		c.access_ns = c.cost_ns / (double)accesses;
		c.access_low_ns = (c.cost_ns - spread) / (double)accesses;
		c.access_high_ns = (c.cost_ns + spread) / (double)accesses;
	}
	*out = c;
	return 0;
}

/**
 * struct pieces - what lies between accesses that both traces have
 * @cost:	@n costs of one additional access each
 * @first, @last: steps of both traces that belong together: the first and the latest ones with
 *	times
 * @matches:	how many there were
 */
struct pieces {
	const struct ntime_trace_diff *d;
	double *cost;
	size_t n;
	size_t first[2], last[2];
	size_t matches;
};

static double time_between(const struct pieces *p, int side, const size_t *from, const size_t *to)
{
	const struct nti_diff_step *step = p->d->side[side].log.step;

	return (double)(int64_t)(step[to[side]].time_ns - step[from[side]].time_ns);
}

static int add_cost(struct pieces *p, double cost)
{
	if (!nti_grow(&p->cost, p->n))
		return -ENOMEM;
	p->cost[p->n++] = cost;
	return 0;
}

/* The next two steps that belong together and have times. */
static int see_match(struct pieces *p, const size_t at[2])
{
	int ret = 0;

	if (p->matches++) {
		size_t more = at[0] - p->last[0], less = at[1] - p->last[1];
		double took = time_between(p, 0, p->last, at) - time_between(p, 1, p->last, at);

		if (more > less)
			ret = add_cost(p, took / (double)(more - less));
	} else {
		p->first[0] = at[0];
		p->first[1] = at[1];
	}
	p->last[0] = at[0];
	p->last[1] = at[1];
	return ret;
}

static int see_all(struct pieces *p)
{
	const struct nti_diff_log *a = &p->d->side[0].log, *b = &p->d->side[1].log;
	size_t at[2] = { 0, 0 };
	int ret = 0;

	for (; !ret; at[0]++, at[1]++) {
		while (at[0] < a->n && a->changed[at[0]] == NTI_STEP_ONLY)
			at[0]++;
		while (at[1] < b->n && b->changed[at[1]] == NTI_STEP_ONLY)
			at[1]++;
		if (at[0] >= a->n || at[1] >= b->n)
			break;
		if (a->flags[at[0]] & b->flags[at[1]] & NTIME_RECORD_TIMED)
			ret = see_match(p, at);
	}
	return ret;
}

static bool has_times(const struct nti_diff_log *log)
{
	for (size_t i = 0; i < log->n; i++)
		if (log->flags[i] & NTIME_RECORD_TIMED)
			return true;
	return false;
}

/* What cannot be told is refused. */
static int check(const struct pieces *p)
{
	const struct ntime_trace_diff *d = p->d;
	size_t more = p->last[0] - p->first[0], less = p->last[1] - p->first[1];

	for (int i = 0; i < 2; i++)
		if (!has_times(&d->side[i].log))
			return nti_error(&d->ctx->error, -ENODATA,
					 "the %s trace has no times, so it does not show how long "
					 "anything took; QEMU writes them with -msg timestamp=on",
					 i ? "second" : "first");
	if (p->matches < 2)
		return nti_error(
			&d->ctx->error, -ENODATA,
			"the traces have %zu access%s with times in common; at least two are "
			"needed to compare how long the same work took",
			p->matches, p->matches == 1 ? "" : "es");
	if (more < less)
		return nti_error(
			&d->ctx->error, -ENODATA,
			"the first trace has %zu accesses fewer than the second in the same "
			"work; the one with more tracing comes first",
			less - more);
	return 0;
}

static void fill(struct pieces *p, struct ntime_trace_cost *out)
{
	struct ntime_trace_cost c = { .size = sizeof(c), .with_runs = 1, .without_runs = 1 };

	c.with_ns = time_between(p, 0, p->first, p->last);
	c.without_ns = time_between(p, 1, p->first, p->last);
	compare_times(&c);
	c.accesses = p->last[0] - p->first[0] - (p->last[1] - p->first[1]);
	c.pieces = p->n;
	if (p->n) {
		qsort(p->cost, p->n, sizeof(*p->cost), compare);
		c.access_ns = quantile(p->cost, p->n, 0.5);
		c.access_low_ns = quantile(p->cost, p->n, 0.25);
		c.access_high_ns = quantile(p->cost, p->n, 0.75);
		c.flags |= NTIME_COST_PER_ACCESS;
	}
	if (p->n < 2 || (c.access_low_ns <= 0 && c.access_high_ns >= 0))
		c.flags |= NTIME_COST_WITHIN_SPREAD;
	*out = c;
}

int ntime_trace_cost_logs(struct ntime_trace_diff *d, struct ntime_trace_cost *out)
{
	struct pieces p = { .d = d };
	int ret;

	if (out->size != sizeof(*out) || !(d->o.flags & NTIME_DIFF_STRICT))
		return -EINVAL;
	ret = nti_diff_align(d);
	if (!ret)
		ret = see_all(&p);
	if (!ret)
		ret = check(&p);
	if (!ret)
		fill(&p, out);
	free(p.cost);
	return ret;
}
