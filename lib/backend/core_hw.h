/* SPDX-License-Identifier: MIT */
/* One CPU's core PMU through ntimefs: what it has, and the sequences of core/seq on it. Between the files of lib/backend. */
#ifndef NTI_CORE_HW_H
#define NTI_CORE_HW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/seq/core_pmu.h"
#include "lib/backend/ntimefs.h"
#include "lib/event/code.h"

/* Counters are numbered as in core/seq: bit of a set, general counters from 0, fixed counters from NTHW_CORE_FIXED. */
#define NTI_CORE_SEATS 64

struct nti_core_hw {
	struct nti_ntimefs *fs;
	unsigned int cpu;
	struct nthw_core_pmu pmu;
	struct nthw_core_state state;
	uint64_t seats;	  /* counters that are ours */
	uint64_t current; /* of these, programmed by the last nti_core_hw_program() */
	bool has_flags;	  /* of overflow */
};

struct nti_core_hw_event {
	struct nti_code code;
	unsigned int seat;
};

/*
 * Find out what the PMU of @cpu, which @unit describes, has, and hold its counters: from now on they are nobody else's. 0; -ENOTSUP: no
 * sequence for it; or as nti_ntimefs_io(). After an error what was opened is closed with nti_ntimefs_close_unit().
 */
int nti_core_hw_take(struct nti_core_hw *hw, struct nti_os *os, struct nti_ntimefs *fs,
		     const struct nti_unit *unit, unsigned int cpu);
/* Stop and put back what can be put back by writing; the driver does the same again when the files are closed. */
void nti_core_hw_release(struct nti_core_hw *hw);

/* All events at 0 and standing still; those programmed before are gone. */
int nti_core_hw_program(struct nti_core_hw *hw, const struct nti_core_hw_event *event, size_t n);
int nti_core_hw_start(struct nti_core_hw *hw);
int nti_core_hw_stop(struct nti_core_hw *hw);
int nti_core_hw_read(struct nti_core_hw *hw, unsigned int seat, uint64_t *value);
/* Which of those programmed wrapped since they were started or asked last. */
int nti_core_hw_overflows(struct nti_core_hw *hw, uint64_t *seats);
unsigned int nti_core_hw_width(const struct nti_core_hw *hw, unsigned int seat);
/* The driver's description of a counter, see nti_ntimefs_describe(). */
int nti_core_hw_describe(struct nti_core_hw *hw, unsigned int seat, struct ntime_page *out);

#endif
