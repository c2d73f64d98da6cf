/* SPDX-License-Identifier: MIT */
/* What perf_event_paranoid allows an ordinary user, and the one explanation of what it does not. */
#ifndef NTI_PERMISSION_H
#define NTI_PERMISSION_H

#include <linux/perf_event.h>

#include "base/common/absence.h"
#include "count/lib/machine/unit.h"
#include "base/os/os.h"

/*
 * Highest level at which an ordinary user may count that (Linux,
 * Documentation/admin-guide/sysctl/kernel.rst).
 */
enum {
	NTI_PERF_CPUS = 0,   /* all programs of a CPU, and uncore units */
	NTI_PERF_KERNEL = 1, /* programs of his own in kernel mode */
	NTI_PERF_USER = 2,   /* in user mode; Debian's kernels have a level 3 that forbids all */
};

/* Level of perf_event_paranoid; INT_MAX where it cannot be read. */
int nti_perf_paranoid(struct nti_os *os);
/* Highest level at which an ordinary user can use @unit at all. */
int nti_perf_level_of(const struct nti_unit *unit);

/*
 * An ordinary user may not use @unit at @level; at @wanted, one of those above, he might. 0 or
 * -ENOMEM.
 */
int nti_perf_explain_level(struct nti_os *os, const struct nti_unit *unit, int level, int wanted,
			   struct nti_absence *out);
/* Only user mode is counted at @level. 0 or -ENOMEM. */
int nti_perf_explain_user_only(struct nti_os *os, int level, struct nti_absence *out);
/*
 * What an ordinary user may not count at @level, all of it, into @what, which has room for 128
 * bytes: "" when nothing. And why, with what each lower level permits. 0 or -ENOMEM.
 */
int nti_perf_explain_rest(struct nti_os *os, int level, char *what, size_t size,
			  struct nti_absence *out);

#endif
