/* SPDX-License-Identifier: MIT */
/* Generic events that the processor itself says it does not have. */
#ifndef NTI_PERF_MISSING_H
#define NTI_PERF_MISSING_H

#include <linux/perf_event.h>

#include "base/common/absence.h"
#include "count/lib/machine/unit.h"
#include "base/os/os.h"

/*
 * The kernel has no event for @attr of @unit. 0: it asked the processor, and @out says what that
 * answered; -ENOMEM; 1: of that nothing is known.
 */
int nti_missing_explain(struct nti_os *os, const struct nti_unit *unit,
			const struct perf_event_attr *attr, struct nti_absence *out);

#endif
