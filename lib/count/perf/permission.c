// SPDX-License-Identifier: MIT
/* What perf_event_paranoid allows an ordinary user. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/count/perf/permission.h"
#include "lib/os/file.h"

int nti_perf_paranoid(struct nti_os *os)
{
	char line[32];
	char *end;
	long level;

	if (nti_os_line(os, line, sizeof(line), NTI_PERF_PARANOID) < 0)
		return INT_MAX;
	level = strtol(line, &end, 10);
	return end == line ? INT_MAX : (int)level;
}

int nti_perf_level_of(const struct nti_unit *unit)
{
	switch (unit->kind) {
	case NTI_UNIT_UNCORE:
		return NTI_PERF_CPUS;
	case NTI_UNIT_TRACEPOINT:
		return NTI_PERF_TRACEPOINTS;
	default:
		return unit->is_mode_blind ? NTI_PERF_KERNEL : NTI_PERF_USER;
	}
}

/* CAP_PERFMON came with Linux 5.8. */
static const char *capability(struct nti_os *os)
{
	uint64_t last;

	return nti_os_u64(os, &last, "/proc/sys/kernel/cap_last_cap") == 0 && last < NTI_CAP_PERFMON
		       ? "SYS_ADMIN"
		       : "PERFMON";
}

/*
 * @may_not: "perf_event_paranoid is 3: an ordinary user may not count anything"; else @result comes
 *	first.
 */
static int explain(struct nti_os *os, int level, int wanted, const char *result,
		   const char *may_not, struct nti_absence *out)
{
	char remedy[256], who[64] = "an ordinary user", is[32] = "cannot be read";
	const char *missing = capability(os);

	if (level != INT_MAX)
		(void)snprintf(is, sizeof(is), "is %d", level);
	/* The kernel asks for capabilities of the first namespace: those of another are none. */
	if (nti_os_is_in_user_namespace(os)) {
		(void)snprintf(who, sizeof(who), "root of a user namespace");
		(void)snprintf(remedy, sizeof(remedy),
			       "as root outside of this user namespace (of the container): sysctl "
			       "kernel.perf_event_paranoid=%d",
			       wanted);
	} else if (os->ops->is_privileged(os, false)) {
		(void)snprintf(who, sizeof(who), "root without CAP_%s", missing);
		(void)snprintf(remedy, sizeof(remedy),
			       "give ntime CAP_%s (docker, podman: --cap-add %s), or as root "
			       "outside of the container: sysctl kernel.perf_event_paranoid=%d",
			       missing, missing, wanted);
	} else {
		(void)snprintf(remedy, sizeof(remedy),
			       "sysctl kernel.perf_event_paranoid=%d (or, for ntime alone: setcap "
			       "cap_perfmon+ep \"$(command -v ntime)\")",
			       wanted);
	}
	return nti_absence_set(out, NTIME_REASON_PARANOID, NTI_PERF_PARANOID, remedy,
			       "%sperf_event_paranoid %s%s%s%s%s", result, is, *may_not ? ": " : "",
			       *may_not ? who : "", *may_not ? " may not count " : "", may_not);
}

int nti_perf_explain_level(struct nti_os *os, const struct nti_unit *unit, int level, int wanted,
			   struct nti_absence *out)
{
	return explain(os, level, wanted, "",
		       wanted == NTI_PERF_TRACEPOINTS ? "tracepoints"
		       : wanted == NTI_PERF_CPUS      ? "whole CPUs or uncore units"
		       : level > NTI_PERF_USER	      ? "anything"
		       : unit->is_mode_blind ? "in kernel mode, which this unit cannot leave out"
					     : "in kernel mode",
		       out);
}

int nti_perf_explain_user_only(struct nti_os *os, int level, struct nti_absence *out)
{
	return explain(os, level, NTI_PERF_KERNEL, "counts user mode only: ", "", out);
}

int nti_perf_explain_rest(struct nti_os *os, int level, const char **what, struct nti_absence *out)
{
	*what = "";
	if (level <= NTI_PERF_TRACEPOINTS)
		return 0;
	*what = level > NTI_PERF_KERNEL
			? "what the kernel does for your programs; whole CPUs and uncore units; "
			  "tracepoints"
		: level > NTI_PERF_CPUS ? "whole CPUs and uncore units; tracepoints"
					: "tracepoints";
	return explain(os, level, NTI_PERF_TRACEPOINTS, "", "all of this", out);
}
