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
#define NTI_TRIAL_MISSING (1u << 7)	 /* there are none: .cycles in .ns cannot be */

/**
 * struct nti_trial - what was found
 * @event:	per enum nti_trial_event
 * @ratio:	of what was counted to what was to be counted; of cycles to turns of the loop
 * @faults:	of the PMU
 * @twin:	lowest and highest count of the same event at the same time
 * @per_call:	instructions of the kernel that were counted in user mode, per system call
 * @rotation:	the worst estimate of events that took turns, by the truth
 * @kernel:	the worst count of the kernel's part, by the truth
 * @cycles, @ns: of NTI_TRIAL_MISSING: what was counted, and for how long, while the thread ran
 */
struct nti_trial {
	uint32_t event[NTI_TRIAL_EVENTS];
	double ratio[NTI_TRIAL_EVENTS];
	uint32_t faults;
	uint64_t twin[2];
	double per_call;
	double rotation;
	double kernel;
	uint64_t cycles, ns;
};

/*
 * False: it could not be found out (no permission, no free counter, several tasks on the counters);
 * nothing is held against the PMU then. With NTI_TRIAL_MISSING nothing else in @out is worth
 * anything: no cycles were counted, or more than any clock makes. Registers that read as zero, as
 * emulators and hypervisors have them, give both: Linux' Arm drivers let a counter begin at a
 * number of their own and take the difference. That needs no counter for all of the time.
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
 * Try the event of @type and @config of the core PMU, which must count loads that miss all caches,
 * or unpredictable branches if @is_of_branches. The caller knows which events those are.
 */
void nti_trial_misses(struct nti_os *os, const struct nti_unit *unit, uint32_t type,
		      uint64_t config, bool is_of_branches, struct nti_trial_misses *out);

/* What trials are made of: groups of the calling thread, and known work between their readings. */

enum nti_trial_mode {
	NTI_TRIAL_IN_BOTH,
	NTI_TRIAL_IN_KERNEL,
	NTI_TRIAL_IN_USER, /* what every user may count */
	NTI_TRIAL_MODES,
};

/* The hypervisor is left out; not every driver can leave out anything. */
struct perf_event_attr nti_trial_attr(const struct nti_unit *unit, uint32_t type, uint64_t config,
				      enum nti_trial_mode mode);
void nti_trial_group_init(struct nti_perf_group *g);

enum nti_trial_work {
	NTI_TRIAL_NOTHING,
	NTI_TRIAL_LOOP,
	NTI_TRIAL_CALLS,
	NTI_TRIAL_LOADS,
	NTI_TRIAL_GUESSES,
	NTI_TRIAL_FILTER,
	NTI_TRIAL_START, /* the counters */
	NTI_TRIAL_STOP,
};

/* @amount: of those of struct nti_work; @filter: of NTI_TRIAL_FILTER. */
struct nti_trial_step {
	enum nti_trial_work work;
	unsigned long amount;
	const struct nti_filter *filter;
};

/*
 * Do @n steps; @at[0] is read before the first one, @at[i + 1] after step i. False: a step or a
 * reading failed.
 */
bool nti_trial_steps(struct nti_os *os, const struct nti_perf_group *g,
		     const struct nti_trial_step *step, size_t n, struct nti_perf_reading *at);

#define NTI_TRIAL_LEAST_STEPS 4
/*
 * Do at most that many steps @tries times: the least change of each member in each of them, which
 * has no interrupt in it. @g has at most NTI_TRIAL_MODES members, and runs. False as above.
 */
bool nti_trial_least(struct nti_os *os, const struct nti_perf_group *g,
		     const struct nti_trial_step *step, size_t n, unsigned int tries,
		     double (*least)[NTI_TRIAL_MODES]);

/* What member @k counted; counters may go back. */
double nti_trial_change(const struct nti_perf_reading *from, const struct nti_perf_reading *to,
			size_t k);
/* False: others had the counters for a part of the time, so that nothing can be said. */
bool nti_trial_is_whole(const struct nti_perf_reading *from, const struct nti_perf_reading *to);

#endif
