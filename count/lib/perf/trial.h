/* SPDX-License-Identifier: MIT */
/*
 * Trials: the counters of a core PMU count known work of the calling thread, and what they show is
 * compared with it. A few microseconds, and a few system calls more.
 */
#ifndef NTI_TRIAL_H
#define NTI_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "count/lib/perf/perf.h"
#include "count/lib/machine/unit.h"
#include "base/os/os.h"

enum nti_trial_event {
	NTI_TRIAL_CYCLES,
	NTI_TRIAL_INSTRUCTIONS,
	NTI_TRIAL_BRANCHES,
	NTI_TRIAL_EVENTS,
};

/* What one event did. */
#define NTI_TRIAL_TRIED (1u << 0) /* the kernel counts it */
#define NTI_TRIAL_DEAD (1u << 1)  /* it counted nothing */
#define NTI_TRIAL_RATE (1u << 2)  /* so many times what was to be counted: .ratio */
/* right on the whole, and far off for some of the parts: bits that are stuck, old values */
#define NTI_TRIAL_ROUGH (1u << 3)
#define NTI_TRIAL_FOREIGN (1u << 4) /* it counts other work than its own */
#define NTI_TRIAL_COUNTED (1u << 5) /* not tried: it counted something for somebody */
#define NTI_TRIAL_REFUSED (1u << 6) /* the kernel has none; not for want of a counter */

/* What all of its counters do. */
#define NTI_TRIAL_RUNS_ON (1u << 0)	 /* they count while they are disabled */
#define NTI_TRIAL_UNFILTERED (1u << 1)	 /* user mode alone is not told from the kernel's */
#define NTI_TRIAL_TWINS (1u << 2)	 /* the same event on several counters differs */
#define NTI_TRIAL_ROTATED (1u << 3)	 /* nti_trial_rotate() was made */
#define NTI_TRIAL_ROTATION (1u << 4)	 /* estimates of events that take turns are far off */
#define NTI_TRIAL_KERNEL_TRIED (1u << 5) /* nti_trial_kernel() was made */
#define NTI_TRIAL_KERNEL (1u << 6)	 /* the kernel's part is counted so many times: .kernel */

/**
 * struct nti_trial - what was found
 * @event:	per enum nti_trial_event
 * @ratio:	of what was counted to what was to be counted; of cycles to turns of the loop
 * @faults:	of the PMU
 * @twin:	lowest and highest count of the same event at the same time
 * @per_call:	instructions of the kernel that were counted in user mode, per system call
 * @rotation:	the worst estimate of events that took turns, by the truth
 * @kernel:	the worst count of the kernel's part, by the truth
 */
struct nti_trial {
	uint32_t event[NTI_TRIAL_EVENTS];
	double ratio[NTI_TRIAL_EVENTS];
	uint32_t faults;
	uint64_t twin[2];
	double per_call;
	double rotation;
	double kernel;
};

/*
 * False: it could not be found out (no permission, no free counter, several tasks on the counters);
 * nothing is held against the PMU then.
 */
bool nti_trial_run(struct nti_os *os, const struct nti_unit *unit, struct nti_trial *out);

/*
 * More events than there are counters take turns beside known work that does the same all the time:
 * a tenth of a second and more. NTI_TRIAL_ROTATED in @out if that could be found out.
 */
void nti_trial_rotate(struct nti_os *os, const struct nti_unit *unit, struct nti_trial *out);

/*
 * Known work of the kernel, for whoever may count that: a millisecond. NTI_TRIAL_KERNEL_TRIED
 * in @out if an event could be looked at. Follows nti_trial_run().
 */
void nti_trial_kernel(struct nti_os *os, const struct nti_unit *unit, struct nti_trial *out);

/* perf's number of an event. */
uint64_t nti_trial_config(enum nti_trial_event event);

/**
 * struct nti_trial_misses - what an event of caches or of mispredicted branches did
 * @seen:	NTI_TRIAL_TRIED: it could be found out; and one of DEAD, RATE, FOREIGN at most
 * @per_load:	counted for each load that misses all caches
 * @per_guess:	counted for each unpredictable branch
 */
struct nti_trial_misses {
	uint32_t seen;
	double per_load, per_guess;
};

/*
 * Try @attr, an event of the core PMU that must count loads that miss all caches, or unpredictable
 * branches if @is_of_branches. The caller knows which events those are.
 */
void nti_trial_misses(struct nti_os *os, const struct perf_event_attr *attr, bool is_of_branches,
		      struct nti_trial_misses *out);

#endif
