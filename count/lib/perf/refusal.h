/* SPDX-License-Identifier: MIT */
/*
 * Who refused perf_event_open(2). Several may: a filter in front of the kernel with any error; with
 * EPERM or EACCES its setting, the rights over another process, a security module. Each is named
 * only where it is one.
 */
#ifndef NTI_REFUSAL_H
#define NTI_REFUSAL_H

#include <linux/perf_event.h>

#include "base/common/absence.h"
#include "count/lib/perf/perf.h"
#include "count/lib/machine/unit.h"
#include "base/os/os.h"

/*
 * Why @attr at @where was refused by the kernel with @error, which is -EPERM or -EACCES, and what
 * to do. Calls perf_event_open(2) once more. 0 or -ENOMEM.
 */
int nti_refusal_explain(struct nti_os *os, const struct nti_unit *unit,
			const struct perf_event_attr *attr, struct nti_perf_where where, int error,
			struct nti_absence *out);

/*
 * Does something else than the kernel answer perf_event_open(2) here? Then no setting of the
 * kernel's is the cause of anything. False for a recording.
 */
bool nti_refusal_is_filtered(struct nti_os *os);
/* What to do about that. 0 or -ENOMEM. */
int nti_refusal_explain_filter(struct nti_os *os, struct nti_absence *out);

/*
 * missing.c: the kernel has no event for @attr of @unit. 0: it asked the processor, and @out says
 * what that answered; -ENOMEM; 1: of that nothing is known.
 */
int nti_missing_explain(struct nti_os *os, const struct nti_unit *unit,
			const struct perf_event_attr *attr, struct nti_absence *out);

#endif
