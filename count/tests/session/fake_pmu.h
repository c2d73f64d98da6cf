/* SPDX-License-Identifier: MIT */
/*
 * A kernel and a core PMU that are made up, whose true counts are known, and which can be made to
 * lie. Work happens when a test says so, and in the readings themselves, as in a real machine.
 */
#ifndef FAKE_PMU_H
#define FAKE_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "count/lib/context/context.h"
#include "count/lib/perf/work.h"
#include "base/os/os.h"

#define FAKE_PMU_EVENTS 32

/* What happens, in each of two modes. */
enum fake_code {
	FAKE_CYCLES,
	FAKE_INSTRUCTIONS,
	FAKE_BRANCHES,
	FAKE_BRANCH_MISSES,
	FAKE_REFERENCES,
	FAKE_MISSES,
	FAKE_NS,     /* task-clock */
	FAKE_JOULES, /* in steps of 2^-32 J, of the package */
	FAKE_CODES,
};

enum { FAKE_USER, FAKE_KERNEL, FAKE_MODES };

struct fake_amounts {
	uint64_t of[FAKE_MODES][FAKE_CODES];
};

enum fake_lie {
	LIE_NONE,
	LIE_DEAD,
	LIE_STUCK, /* from a moment on */
	LIE_TIMES_16,
	LIE_TIMES_8,
	LIE_TIMES_3,
	LIE_SIXTEENTH,
	LIE_HALF,
	LIE_UNFILTERED,	  /* user mode alone has the kernel's too */
	LIE_ONE_COUNTER,  /* what another event counts */
	LIE_SWAPPED,	  /* likewise, both ways */
	LIE_TWINS_ZERO,	  /* of several of the same all but one read 0 */
	LIE_TWINS_DIFFER, /* one of several of the same counts less */
	LIE_JUMP,	  /* of 2^47 and more, once */
	LIE_NO_SIGN,	  /* 2^48 too much from a moment on */
	LIE_BACK,	  /* goes back by a part of it, once */
	LIE_WRAP_32,	  /* loses what is above 32 bits */
	LIE_READS_0,	  /* from a moment on */
	LIE_ALL_ONES,	  /* from a moment on */
	LIE_PREVIOUS,	  /* shows what it had at the reading before */
	LIE_RUNS_ON,	  /* counts while it is disabled */
	LIE_NOT_STARTED,
	LIE_NOT_STOPPED,
	LIE_RESETS,	/* begins anew at 0, once */
	LIE_BIT_1,	/* a bit is always 1 */
	LIE_BIT_0,	/* a bit is always 0 */
	LIE_BIT_MOMENT, /* a high bit becomes 1 for a moment */
	LIE_BUSY,	/* the task's clock runs twice as fast */
	LIE_NO_ENERGY,	/* the energy counter stands still */
	LIE_MUCH_ENERGY,
	LIE_FROZEN_ALL,	      /* all counters stand still from a moment on */
	LIE_KERNEL_TWICE,     /* the kernel's part is counted twice */
	LIE_KERNEL_TWICE_SUM, /* likewise, where both modes are counted alone */
	LIE_KERNEL_HALF,      /* half of the kernel's part is lost */
	LIE_1024TH,	      /* so little of it is counted */
	LIE_5_PERCENT,	      /* so much too much */
	LIE_1_PERCENT,
	LIE_ENDS, /* stands still at an amount */
	LIES,
};

struct fake_event {
	bool is_open, is_enabled, is_hardware;
	int group; /* leader's number */
	enum fake_code code;
	bool modes[FAKE_MODES];
	uint64_t config;
	uint32_t type;
	uint64_t raw, last_shown, previous, enabled_ns, running_ns;
	uint64_t rest; /* of what was divided, see ratios in fake_pmu.c */
	bool was_hit;  /* by what happens once */
};

struct fake_pmu {
	struct nti_os os; /* first: ops get this pointer */
	struct ntime_ctx ctx;
	struct nti_unit unit[3], *units[3];
	struct fake_event event[FAKE_PMU_EVENTS];
	struct nti_work work;
	uint64_t now_ns, total_ns;
	unsigned int counters, turn;
	/* what a reading and a switch take */
	struct fake_amounts read_amounts;
	/* the lie: what it is about, from when on, and how much */
	enum fake_lie lie;
	enum fake_code code, other;
	uint64_t from_ns, amount;
	unsigned int bit;
	const char *cpus;   /* on line; NULL: 0 */
	const char *boot;   /* boot_id; NULL: there is none */
	char directory[64]; /* in place of /run/ntime; "": there is none */
	bool loses_turns;   /* what took turns counts a half from then on */
	unsigned int opens;
	/*
	 * What disturbs known work: of interrupts, a clock that changes and a host that takes time
	 * away; 0: nothing does. And a kernel that interprets filters.
	 */
	uint64_t noise;
	double clock;
	uint64_t exit_ns; /* what the host does for each counter that is read, and counts not */
	bool is_interpreted;
	/* what a load that misses fetches, with its neighbours; of 100 guesses so many are wrong */
	unsigned int lines, wrong_guesses;
	/* a reading showed less than the one before: else nobody can know that a count went back */
	bool was_seen_back;
	bool was_seen_ended; /* a reading showed more than 1 % too little */
};

void fake_pmu_init(struct fake_pmu *p, unsigned int counters);
void fake_pmu_fini(struct fake_pmu *p);
/* A context of its own for the same machine: what was learned is forgotten. */
void fake_pmu_new_context(struct fake_pmu *p);
/* So much happens in so long. */
void fake_pmu_work(struct fake_pmu *p, const struct fake_amounts *amounts, uint64_t ns);

#endif
