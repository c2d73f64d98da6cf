/* SPDX-License-Identifier: MIT */
/*
 * One PMU instance's hardware as count/lib/pmu/pmu.c and pmu_*.c see it: counters that can be
 * programmed, started, stopped and read. Four kinds: core_hw.c, box_hw.c, and card_hw.c, which has
 * two. Between the files of this folder.
 */
#ifndef NTI_PMU_HW_H
#define NTI_PMU_HW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/seq/box.h"
#include "core/seq/core_pmu.h"
#include "core/seq/nv50_pm.h"
#include "include/uapi/ntime.h"
#include "count/lib/access/handle.h"
#include "count/lib/event/code.h"

/*
 * Counters are numbered as in core/seq: bit of a set, general counters from 0, fixed counters from
 * 32.
 */
#define NTI_PMU_COUNTERS 64

/* What a counter is to count, in the words of its hardware; one of the three. */
struct nti_pmu_event {
	unsigned int counter;
	uint64_t also; /* counters that it takes besides, all of them */
	struct nti_code code;
	struct nthw_box_event box;
	struct nthw_nv50_event card;
};

/* The first member of what each kind allocates: its memory is freed by it. */
struct nti_pmu_hw {
	const struct nti_pmu_hw_ops *ops;
	uint64_t all;	   /* counters that there are */
	uint64_t counters; /* of these, ours */
	bool has_flags;	   /* of overflow */
	/* counters are there to be read: what programs, starts, stops and judges is not called */
	bool always_runs;
	/* reading changes what the hardware has: a forked child must not */
	bool reads_once;
	uint64_t events_per_us; /* nothing that it counts is faster; 0: what it has does not wrap */
};

struct nti_pmu_hw_ops {
	/*
	 * @part in the hardware's words, but for .counter. 0; -ENOTSUP and the reason in @absent;
	 * -ENOMEM.
	 */
	int (*encode)(const struct nti_pmu_hw *hw, const struct nti_names *names,
		      const struct nti_part *part, struct nti_pmu_event *out,
		      struct nti_absence *absent);
	/*
	 * Can both count at one time? They may want different values in a register that counters
	 * share. NULL: none do.
	 */
	bool (*can_share)(const struct nti_pmu_event *a, const struct nti_pmu_event *b);
	/* Are both one set-up, so that one counter counts them? NULL: each has one of its own. */
	bool (*is_same)(const struct nti_pmu_event *a, const struct nti_pmu_event *b);

	/*
	 * All of @event at 0 and standing still, but those of which somebody has taken the counter:
	 * *@taken. Those programmed before are gone.
	 */
	int (*program)(struct nti_pmu_hw *hw, const struct nti_pmu_event *event, size_t n,
		       uint64_t *taken);
	int (*start)(struct nti_pmu_hw *hw);
	int (*stop)(struct nti_pmu_hw *hw);
	/* Which of those programmed wrapped since they were started or asked last. */
	int (*overflows)(struct nti_pmu_hw *hw, uint64_t *counters);
	/*
	 * Which of those that were started somebody else has stopped or programmed since; they are
	 * left alone from now on.
	 */
	int (*check)(struct nti_pmu_hw *hw, uint64_t *lost);

	/* Reading begins: what .read() took from a register before is old. */
	void (*begin)(struct nti_pmu_hw *hw);
	/* -ENODATA: hardware says that it has no valid value now. */
	int (*read)(struct nti_pmu_hw *hw, unsigned int counter, uint64_t *value);
	/* Bits in which it counts; 0: it does not, its value is how things are. */
	unsigned int (*width)(const struct nti_pmu_hw *hw, unsigned int counter);
	/*
	 * Longest time between two looks in which the counter of @event cannot go past its end
	 * unseen, in ns; NULL: .events_per_us and its width tell.
	 */
	uint64_t (*horizon_ns)(const struct nti_pmu_hw *hw, const struct nti_pmu_event *event);
	/* Counters whose counts are lower bounds by now, as the last look found; NULL: none. */
	uint64_t (*unsure)(const struct nti_pmu_hw *hw);
	/*
	 * The driver's description of a counter; -ENOTSUP without one. NULL: it is no CPU's own,
	 * and there is no instruction that reads it.
	 */
	int (*describe)(struct nti_pmu_hw *hw, unsigned int counter, struct ntime_page *out);
	/* Its register by name: "MSR_UNCORE_PMC3". */
	void (*name)(const struct nti_pmu_hw *hw, unsigned int counter, char *text, size_t size);

	/* Stop, and put everything back. 0, or -errno when something could not be restored. */
	int (*release)(struct nti_pmu_hw *hw);
};

/*
 * Find out what the PMU instance of @loan has and hold its counters: from now on they are nobody
 * else's. .counters is 0 where all counters are taken. 0; -ENOTSUP: no sequence for it; or as the
 * handle's io. @loan is borrowed.
 */
int nti_core_hw_new(struct nti_os *os, struct nti_handle *handle, const struct nti_unit *unit,
		    struct nti_pmu_hw **out);
/* -ENOTSUP: there is no such box. */
int nti_box_hw_new(struct nti_handle *handle, const struct nthw_box_kind *kind, uint32_t number,
		   struct nti_pmu_hw **out);
/* -ENOTSUP: it is another chip than @chip. */
int nti_card_hw_new(struct nti_handle *handle, const struct nthw_nv_chip *chip,
		    struct nti_pmu_hw **out);

/* Of a context of a card, whose channel @handle is. */
int nti_mp_hw_new(struct nti_handle *handle, struct nti_pmu_hw **out);

/*
 * What is outside of the cores sees what comes by, not who sent it. 0; -ENOTSUP, and why in
 * @absent, where @part asks for modes of a CPU; -ENOMEM.
 */
int nti_pmu_refuse_modes(const struct nti_part *part, struct nti_absence *absent);
struct nti_unit_card;
/*
 * Number of the unit of @kind that an event is counted in, which says @unit: its number + 1, or 0.
 */
unsigned int nti_card_unit(const struct nti_unit_card *card, uint32_t kind, uint32_t unit);
/* What an event of a card needs: 0, or -ENOTSUP and why in @absent. */
int nti_card_encode(const struct nti_part *part, struct nthw_nv50_event *out,
		    struct nti_absence *absent);

#endif
