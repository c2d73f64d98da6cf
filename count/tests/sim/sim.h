/* SPDX-License-Identifier: MIT */
/*
 * Simulated perf events: what perf_event_open(2) of the recorded machine would accept and refuse,
 * and counts that follow from time and nothing else. The rules are those of Linux 6.1,
 * kernel/events/core.c and the drivers of the PMUs.
 *
 * Time is the caller's: every function gets the number of ns since the replay began.
 *
 * What differs from a kernel:
 * - Events count while they are enabled, whether or not their task runs, on a CPU or at all.
 * - enable_on_exec enables at once: nobody tells a recording of an exec.
 * - Events of different targets (task, CPU) never compete for counters.
 * - No samples, no mmap page; the NMI watchdog takes no counter.
 */
#ifndef TESTS_SIM_H
#define TESTS_SIM_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/os/replay/machine.h"
#include "base/common/set.h"

/*
 * Descriptors of events are SIM_FD + index: no kernel gives out numbers as large (fs.nr_open is at
 * most 2^30).
 */
#define NTI_SIM_FD 0x50000000
#define NTI_SIM_MAX_EVENTS 1048576 /* what fs.nr_open is unless somebody changes it */
#define NTI_SIM_BANK_SLOTS 1024
/* What one read may return; perf_event_validate_size() refuses larger groups. */
#define NTI_SIM_MAX_READ_BYTES 16384

/* An event a rule speaks of: PMU by number, or by a name that may hold * and ?. */
struct nti_sim_named {
	char *pmu; /* NULL: type is used */
	uint32_t type;
	uint64_t config;
};

struct nti_sim_rate {
	struct nti_sim_named event;
	uint64_t per_s;
};

struct nti_sim_counters {
	char *pmu; /* name, may hold * and ? */
	unsigned int general, fixed;
};

/* How events of the simulated kernel count. */
struct nti_sim_counting {
	uint64_t step_ns; /* 0: real clock */
	uint64_t slice_ns;
	uint64_t default_rate; /* events a second */
	uint64_t tsc_hz;       /* 0: no time stamp counter */
	uint64_t wobble_period_ns;
	unsigned int wobble_permille; /* 0: constant rates */
	unsigned int user_permille;
	struct nti_sim_rate *rates;
	size_t rate_count;
	struct nti_sim_counters *counters;
	size_t counters_count;
	struct nti_sim_named *unsupported;
	size_t unsupported_count;
};

enum nti_sim_kind {
	NTI_SIM_CORE,
	NTI_SIM_UNCORE, /* counts for a CPU of its mask only */
	NTI_SIM_SOFTWARE,
	NTI_SIM_TRACEPOINT,
	NTI_SIM_OTHER,
};

struct nti_sim_pmu {
	char *name;
	uint32_t type;
	enum nti_sim_kind kind;
	bool has_cpus; /* core: it belongs to .cpus only, not to all */
	struct nti_set cpus;
	bool is_limited;     /* general and fixed are known */
	bool has_exclude;    /* exclude_user and its like are understood */
	bool can_interrupt;  /* may sample */
	bool is_listed_only; /* accepts only the configs of its events directory */
	unsigned int general, fixed;
	unsigned int max_precise;
	bool has_max_precise;
};

/* Events that compete for the same counters: one PMU on one CPU or task. */
struct nti_sim_bank {
	const struct nti_sim_pmu *pmu;
	pid_t pid;
	int cpu;
	struct nti_sim_bank *next;	/* of those in the same slot of struct nti_sim */
	uint64_t last_ns;		/* counted up to here */
	struct nti_sim_event **leaders; /* in the order of opening */
	size_t count, room;
	size_t events; /* leaders and members: there is always room for all of them as leaders */
};

struct nti_sim_event {
	struct perf_event_attr attr;
	const struct nti_sim_pmu *pmu;
	struct nti_sim_bank *bank;    /* of its group */
	struct nti_sim_event *leader; /* itself when it leads */
	struct nti_sim_event *next;   /* next member of the group */
	pid_t pid;
	int cpu;
	uint64_t id;
	bool is_enabled;
	bool is_error; /* pinned and could not be scheduled */
	uint64_t rate;
	uint64_t share_permille; /* of the rate that the exclude bits leave */
	uint64_t enabled_ns, running_ns;
	uint64_t weight; /* integral of the wobble over running time, ns * 1000 */
	uint64_t base;	 /* count at the last reset */
};

struct nti_sim {
	const struct nti_machine *m;
	const struct nti_sim_counting *counting; /* the machine's */
	struct nti_sim_pmu *pmus;
	size_t pmu_count;
	struct nti_sim_event **events; /* by descriptor, NULL = closed */
	size_t event_count, event_room;
	size_t first_free;		 /* no descriptor below it is free */
	struct nti_set online, possible; /* CPUs; a recording never changes */
	/* by a hash of what they are for: on a large machine there is one for each CPU */
	struct nti_sim_bank *banks[NTI_SIM_BANK_SLOTS];
	uint64_t next_id;
	bool is_x86;
};

int nti_sim_new(const struct nti_machine *m, struct nti_sim **out);
void nti_sim_free(struct nti_sim *sim);

/* The system calls. */
int nti_sim_open(struct nti_sim *sim, struct perf_event_attr *attr, pid_t pid, int cpu, int group,
		 unsigned long flags, uint64_t now_ns);
ssize_t nti_sim_read(struct nti_sim *sim, int fd, void *buf, size_t size, uint64_t now_ns);
int nti_sim_ioctl(struct nti_sim *sim, int fd, unsigned long request, unsigned long arg,
		  uint64_t now_ns);
int nti_sim_close(struct nti_sim *sim, int fd, uint64_t now_ns);

/* Within the simulation. */
int nti_sim_pmus_load(struct nti_sim *sim);
void nti_sim_pmus_fini(struct nti_sim *sim);
/* The PMU that takes (@type, @config), NULL when there is none. */
const struct nti_sim_pmu *nti_sim_pmu_find(const struct nti_sim *sim, uint32_t type,
					   uint64_t config);
bool nti_sim_pmu_matches(const struct nti_sim_pmu *pmu, const char *glob);

struct nti_sim_event *nti_sim_event_get(const struct nti_sim *sim, int fd);
/* Is the event's rule @r about (@pmu, @attr)? */
bool nti_sim_rule_matches(const struct nti_sim_pmu *pmu, const struct perf_event_attr *attr,
			  const struct nti_sim_named *r);

/* Bring every event of @bank up to @now_ns; must be called before anything about them changes. */
void nti_sim_advance(const struct nti_sim *sim, struct nti_sim_bank *bank, uint64_t now_ns);
uint64_t nti_sim_count(const struct nti_sim_event *event);
/* @number * @by / @unit, rounded down, without what exceeds 64 bits; @unit is below 2^62. */
uint64_t nti_sim_scale(uint64_t number, uint64_t by, uint64_t unit);
/* Can @leader's group, with @more (or NULL) added, ever be on @pmu's counters at once? */
bool nti_sim_group_fits(const struct nti_sim *sim, const struct nti_sim_pmu *pmu,
			const struct nti_sim_event *leader, const struct nti_sim_event *more);
/* Find or make the bank; NULL when memory is short. */
struct nti_sim_bank *nti_sim_bank_get(struct nti_sim *sim, const struct nti_sim_pmu *pmu, pid_t pid,
				      int cpu, uint64_t now_ns);
/*
 * Make room for @more further events; 0 or -ENOMEM. nti_sim_bank_add() must find room that was
 * made.
 */
int nti_sim_bank_reserve(struct nti_sim_bank *bank, size_t more);
void nti_sim_bank_add(struct nti_sim_bank *bank, struct nti_sim_event *leader);
void nti_sim_bank_remove(struct nti_sim_bank *bank, struct nti_sim_event *leader);

#endif
