// SPDX-License-Identifier: MIT
/* What perf_event_paranoid allows an ordinary user. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/perf/permission.h"
#include "base/os/file.h"

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
		return NTI_PERF_KERNEL;
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

/* What each level permits an ordinary user that the one before does not. */
static const struct permit {
	int level;
	const char *what;
} permits[] = {
	{ NTI_PERF_KERNEL, "what the kernel does for your programs" },
	{ NTI_PERF_CPUS, "whole CPUs and uncore units" },
};

/* A file with capabilities gives them to all who may run it: no good for an interpreter. */
static bool is_ntime(void)
{
	return strcmp(program_invocation_short_name, "ntime") == 0;
}

/*
 * @wanted: what the level should be; @may_not: "perf_event_paranoid is 3: an ordinary user may not
 *	count anything"; else @result comes first.
 */
static int explain(struct nti_os *os, int level, const char *wanted, const char *result,
		   const char *may_not, struct nti_absence *out)
{
	char remedy[512], who[64] = "an ordinary user", is[32] = "cannot be read";
	const char *missing = capability(os);

	if (level != INT_MAX)
		(void)snprintf(is, sizeof(is), "is %d", level);
	/* The kernel asks for capabilities of the first namespace: those of another are none. */
	if (nti_os_is_in_user_namespace(os)) {
		(void)snprintf(who, sizeof(who), "root of a user namespace");
		(void)snprintf(remedy, sizeof(remedy),
			       "as root outside of this user namespace (of the container): sysctl "
			       "kernel.perf_event_paranoid=%s",
			       wanted);
	} else if (os->ops->is_privileged(os, false)) {
		(void)snprintf(who, sizeof(who), "root without CAP_%s", missing);
		(void)snprintf(remedy, sizeof(remedy),
			       "give %s CAP_%s (docker, podman: --cap-add %s), or as root "
			       "outside of the container: sysctl kernel.perf_event_paranoid=%s",
			       is_ntime() ? "ntime" : "this program", missing, missing, wanted);
	} else if (is_ntime()) {
		(void)snprintf(remedy, sizeof(remedy),
			       "sysctl kernel.perf_event_paranoid=%s (or, for ntime alone: setcap "
			       "cap_perfmon+ep \"$(command -v ntime)\")",
			       wanted);
	} else {
		(void)snprintf(remedy, sizeof(remedy),
			       "sysctl kernel.perf_event_paranoid=%s (or run this program with "
			       "CAP_%s)",
			       wanted, missing);
	}
	return nti_absence_set(out, NTIME_REASON_PARANOID, NTI_PERF_PARANOID, remedy,
			       "%sperf_event_paranoid %s%s%s%s%s", result, is, *may_not ? ": " : "",
			       *may_not ? who : "", *may_not ? " may not count " : "", may_not);
}

static int explain_at(struct nti_os *os, int level, int wanted, const char *result,
		      const char *may_not, struct nti_absence *out)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", wanted);
	return explain(os, level, text, result, may_not, out);
}

int nti_perf_explain_level(struct nti_os *os, const struct nti_unit *unit, int level, int wanted,
			   struct nti_absence *out)
{
	return explain_at(os, level, wanted, "",
			  wanted == NTI_PERF_CPUS ? "whole CPUs or uncore units"
			  : level > NTI_PERF_USER ? "anything"
			  : unit->is_mode_blind ? "in kernel mode, which this unit cannot leave out"
						: "in kernel mode",
			  out);
}

int nti_perf_explain_user_only(struct nti_os *os, int level, struct nti_absence *out)
{
	return explain_at(os, level, NTI_PERF_KERNEL, "counts user mode only: ", "", out);
}

int nti_perf_explain_rest(struct nti_os *os, int level, char *what, size_t size,
			  struct nti_absence *out)
{
	char wanted[256] = "";
	size_t i, used = 0, told = 0, n = 0;

	*what = '\0';
	for (i = 0; i < NTI_ARRAY_SIZE(permits); i++) {
		const struct permit *p = &permits[i];

		if (level <= p->level)
			continue;
		used += (size_t)snprintf(what + used, size - used, "%s%s", used ? "; " : "",
					 p->what);
		told += (size_t)snprintf(wanted + told, sizeof(wanted) - told,
					 told ? ", %d also %s" : "%d, which permits %s", p->level,
					 p->what);
		n++;
	}
	return n ? explain(os, level, wanted, "", n > 1 ? "all of this" : "this", out) : 0;
}
