/* SPDX-License-Identifier: MIT */
/* What killed programs left in registers, program by program. */
#ifndef NTI_KILLED_H
#define NTI_KILLED_H

#include "count/lib/context/context.h"

/*
 * Call @fn for each program with its PMU instances ("uncore_imc_0 of package 0, ..."), the reason
 * that they are not free, and what removes it; and for each file that cannot be used. 0, first
 * non-zero of @fn, -ENOMEM, or of nti_claim_for_each_leftover().
 */
int nti_leftover_program_for_each(struct ntime_ctx *ctx,
				  int (*fn)(void *arg, const char *what, const char *reason,
					    const char *remedy),
				  void *arg);

#endif
