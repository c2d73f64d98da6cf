/* SPDX-License-Identifier: MIT */
/*
 * What stands in the way of a unit or a formula, for this user on this machine. No counter is
 * started for it.
 */
#ifndef NTI_PROBLEM_H
#define NTI_PROBLEM_H

#include "count/lib/context/context.h"

/*
 * By which way boxes of @unit are counted here: perf where it lets this user, else the first one
 * that does.
 */
enum nti_method nti_unit_method(struct ntime_ctx *ctx, const struct nti_unit *unit);

/* @out is filled anew; both NULL when nothing is in the way. 0 or -ENOMEM. */
int nti_unit_problem(struct ntime_ctx *ctx, const struct nti_unit *unit, struct nti_absence *out);
/*
 * perf's generic names exist on every machine; whether the processor's driver has an event behind
 * one tells only the kernel: opens what the generic names among the parts of @event mean.
 * out->reason stays NULL for other events, when one part can be opened, and in a replay. 0 or
 * -ENOMEM.
 */
int nti_generic_problem(struct ntime_ctx *ctx, const struct nti_event *event,
			struct nti_absence *out);

/* Why no clock can be read, if none can. */
const struct nti_why *nti_clock_problem(const struct ntime_ctx *ctx);

/*
 * Which formula of @metric this machine uses: the first one whose events can all be counted. Where
 * there is none, the one that comes nearest, and in @out, which is filled anew, what is in its way.
 * An unknown event is a reason, not an error. 0 or -ENOMEM.
 */
int nti_metric_problem(struct ntime_ctx *ctx, const struct nti_metric *metric, size_t *chosen,
		       struct nti_absence *out);

/*
 * leftover_program.c: what killed programs left in registers. Call @fn for each program with its
 * PMU instances ("uncore_imc_0 of package 0, ..."), the reason that they are not free, and what
 * removes it; and for each file that cannot be used. 0, first non-zero of @fn, -ENOMEM, or of
 * nti_claim_for_each_leftover().
 */
int nti_leftover_program_for_each(struct ntime_ctx *ctx,
				  int (*fn)(void *arg, const char *what, const char *reason,
					    const char *remedy),
				  void *arg);

#endif
