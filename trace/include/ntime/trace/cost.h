/* SPDX-License-Identifier: MIT */
/**
 * DOC: How much tracing slowed down what was traced
 *
 * Either from how long a program ran with tracing and without, several times each, or from two
 * traces with times of which one has more accesses than the other. A difference that the spread of
 * the measurements could explain is flagged as such.
 */
#ifndef NTIME_TRACE_COST_H
#define NTIME_TRACE_COST_H

#include <ntime/trace/diff.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of struct ntime_trace_cost.flags. */
/* the difference is within the spread: the cost is not known */
#define NTIME_COST_WITHIN_SPREAD 0x1u
#define NTIME_COST_PER_ACCESS 0x2u /* .access_ns and its quartiles are known */

/**
 * struct ntime_trace_cost - what tracing costs
 * @flags:	NTIME_COST_*
 * @with_runs, @without_runs: measurements; 1 each of traces
 * @with_ns, @without_ns: medians; of traces the time from the first access that both have to the
 *	last one
 * @with_spread_ns, @without_spread_ns: between the quartiles, of fewer than four runs between the
 *	shortest and the longest; 0 of traces
 * @cost_ns:	@with_ns less @without_ns; may be negative
 * @ratio:	@with_ns / @without_ns, 0 when @without_ns is 0
 * @accesses:	that were traced with and not without
 * @access_ns:	cost of one of them: @cost_ns / @accesses of runs; of traces the median of @pieces
 * @access_low_ns, @access_high_ns: quartiles of traces; of runs @access_ns less and plus the larger
 *	spread / @accesses
 * @pieces:	of traces: places with more accesses in the first than in the second, between two
 *		accesses that both have
 */
struct ntime_trace_cost {
	uint32_t size;
	uint32_t flags;
	uint64_t with_runs;
	uint64_t without_runs;
	double with_ns;
	double without_ns;
	double with_spread_ns;
	double without_spread_ns;
	double cost_ns;
	double ratio;
	uint64_t accesses;
	double access_ns;
	double access_low_ns;
	double access_high_ns;
	uint64_t pieces;
	uint64_t reserved[4];
};

/**
 * ntime_trace_cost_runs() - the cost from times of runs
 * @ctx:	for errors
 * @with_ns:	how long @with_runs runs with tracing took
 * @without_ns:	and @without_runs without
 * @accesses:	how many more accesses a run with tracing writes down than one without; 0: not known
 * @out:	@out->size must be set
 *
 * Runs should alternate, so that other load affects both. The difference is within the spread when
 * the medians are no further apart than the larger spread. Return: 0; -EINVAL (@out->size);
 * -ENODATA (fewer than two runs of either; sentence); -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_trace_cost_runs(struct ntime_trace_ctx *ctx, const uint64_t *with_ns,
				    size_t with_runs, const uint64_t *without_ns,
				    size_t without_runs, uint64_t accesses,
				    struct ntime_trace_cost *out);

/**
 * ntime_trace_cost_logs() - the cost from two traces of the same work
 * @d:		both traces: the first has more accesses. With NTIME_DIFF_STRICT, else folded loops
 *		lack times
 * @out:	@out->size must be set
 *
 * Aligns the traces. Between two accesses in a row that both have, the first trace took longer by
 * what its additional accesses cost. The difference is within the spread when the quartiles of that
 * do not have the same sign, and when there are not two such pieces.
 * Return: 0; -EINVAL (@out->size, options of @d); -ENODATA (no times, no two accesses in both,
 * fewer accesses in the first; sentence); -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_trace_cost_logs(struct ntime_trace_diff *d, struct ntime_trace_cost *out);

#ifdef __cplusplus
}
#endif
#endif
