/* SPDX-License-Identifier: MIT */
/* Which errata this machine's processors have. */
#ifndef NTI_CONTEXT_ERRATA_H
#define NTI_CONTEXT_ERRATA_H

#include "count/lib/doubt/erratum.h"

struct ntime_ctx;

/*
 * The next erratum from number *@next (start with 0) on that this machine has; NULL at the end. The
 * processor is looked at when first asked.
 */
const struct nti_erratum *nti_context_erratum(struct ntime_ctx *ctx, size_t *next);

#endif
