/* SPDX-License-Identifier: MIT */
/*
 * The perf access method: groups of kernel events on one task or CPU, read with one call, and the
 * reasons the kernel gives for refusing.
 */
#ifndef NTI_PERF_H
#define NTI_PERF_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "count/lib/machine/unit.h"
#include "base/os/os.h"

/* Members of one group; more do not fit any PMU, and readings live on the stack. */
#define NTI_PERF_GROUP_MAX 64

/* Where events count: a task (cpu -1) or a CPU (pid -1). pid 0 is the calling thread. */
struct nti_perf_where {
	pid_t pid;
	int cpu;
	int device_cpu; /* of a device, which is neither (pid and cpu -1): where perf has it */
};

struct nti_perf_group {
	struct nti_perf_where where;
	size_t count;
	int fd[NTI_PERF_GROUP_MAX]; /* [0] leads */
};

/* The kernel's layout for the read_format that all groups have: read(2) fills it. */
struct nti_perf_reading {
	uint64_t members;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t count[NTI_PERF_GROUP_MAX]; /* in the order of opening */
	/* Not the kernel's, and set for groups of PMU instances alone, a bit a member: */
	uint64_t overflowed; /* may have missed a wrap */
	uint64_t lost;	     /* somebody else stopped the counter, or programmed it */
	uint64_t missing;    /* hardware says that there is no valid value now */
};

void nti_perf_group_init(struct nti_perf_group *g, struct nti_perf_where where);
/*
 * Open one more member; the first one leads and begins disabled. -errno of perf_event_open(2); the
 * group is then as before.
 */
int nti_perf_group_add(struct nti_os *os, struct nti_perf_group *g,
		       const struct perf_event_attr *attr);
/* Close the member that was opened last. */
void nti_perf_group_drop(struct nti_os *os, struct nti_perf_group *g);
int nti_perf_group_enable(struct nti_os *os, const struct nti_perf_group *g);
int nti_perf_group_disable(struct nti_os *os, const struct nti_perf_group *g);
/*
 * One read(2). 0; -ENODATA (the kernel put the group into its error state: a pinned event that
 * found no counter); -ESTALE (short read); -errno of read(2). @out is worth something on success
 * only.
 */
int nti_perf_group_read(struct nti_os *os, const struct nti_perf_group *g,
			struct nti_perf_reading *out);
/*
 * As nti_perf_group_read() of a group whose CPU went off line: the kernel has taken it apart, and
 * each member shows what it counted until then. Not where the kernel has freed a member.
 */
int nti_perf_group_read_apart(struct nti_os *os, const struct nti_perf_group *g,
			      struct nti_perf_reading *out);
void nti_perf_group_fini(struct nti_os *os, struct nti_perf_group *g);

/*
 * Why perf_event_open(2) refused @attr at @where with @error, and what to do. 0 or -ENOMEM. Kernel
 * facts: perf_event_open(2), ERRORS; kernel/events/core.c.
 */
int nti_perf_explain(struct nti_os *os, const struct nti_unit *unit,
		     const struct perf_event_attr *attr, struct nti_perf_where where, int error,
		     struct nti_absence *out);

/*
 * 0 when this user can open a perf event at all; else -errno, for `ntime doctor` and the list of
 * access methods.
 */
int nti_perf_probe(struct nti_os *os);
/* Why nti_perf_probe() gave @error. 0 or -ENOMEM. */
int nti_perf_explain_probe(struct nti_os *os, int error, struct nti_absence *out);

#endif
