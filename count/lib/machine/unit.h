/* SPDX-License-Identifier: MIT */
/*
 * Units: blocks of counters of this machine, found in sysfs (perf's PMUs) and made up for ways
 * without one.
 */
#ifndef NTI_UNIT_H
#define NTI_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/regs/x86_cpuid.h"
#include "count/lib/access/box.h"
#include "count/lib/access/method.h"
#include "base/common/absence.h"
#include "base/common/error.h"
#include "base/os/os.h"

enum nti_unit_kind {
	NTI_UNIT_CORE, /* core PMU: "cpu", "cpu_core", "cpu_atom", "armv8_pmuv3_0" */
	/* other hardware PMU opened per CPU of .cpus; "uncore_imc_0", "power", "amd_l3" */
	NTI_UNIT_UNCORE,
	NTI_UNIT_SOFTWARE,   /* "software": the kernel's own counters */
	NTI_UNIT_TRACEPOINT, /* "tracepoint" */
	NTI_UNIT_OTHER, /* "msr", "breakpoint", "uprobe": per task or CPU, no counters to plan */
	NTI_UNIT_CLOCK, /* "clock": time stamp counter */
	NTI_UNIT_PROC,	/* "proc": text files of the kernel (count/lib/access/proc.h) */
	/* "gpu0": counts what the device does, on whatever CPU and for whatever program */
	NTI_UNIT_DEVICE,
};

struct nti_unit {
	size_t number; /* below nti_units.count; stays, whatever is found later */
	char *name;
	char *desc;
	enum nti_unit_kind kind;
	enum nti_method method;
	/*
	 * perf_event_attr.type; of a core PMU also the extended type of PERF_TYPE_HARDWARE on
	 * hybrids
	 */
	uint32_t type;
	char *cpus;		      /* cpumask or cpus file; NULL = any CPU */
	unsigned int counters, fixed; /* 0 = not known */
	bool has_sysfs;	    /* events/ and format/ exist below /sys/bus/event_source/devices/NAME */
	bool is_mode_blind; /* a core PMU that counts for all modes at once: no exclude_* bits */
	bool has_rdpmc_term; /* format/rdpmc: arm64's term that asks for access from user mode */
	struct nti_absence absent; /* unit is known but cannot be used (no core PMU here) */
	/*
	 * Boxes that registers reach, one for each CPU of .cpus in their order; NULL: perf alone
	 * knows the unit (or it is a core PMU, which registers reach on every CPU). .way of a unit
	 * that the kernel does not have is the first usable one of ntimefs, msr, pci.
	 */
	struct nti_unit_box *box;
	size_t boxes;
	struct nti_unit_card *card; /* of a graphics card; else NULL */
	bool is_simulated;	    /* its values are none of hardware */
	/*
	 * Of boxes whose counters always run: those that are there, bit i for .free[i] of the kind;
	 * 0: nobody asked. One that reads 0 on a processor of its family is not wired (Linux leaves
	 * it out as well: perf_msr_probe()).
	 */
	uint64_t frees;
	enum nti_unit_scope scope; /* what one of its counts tells of */
	/* Joules a step, of boxes with energy counters, as their registers say; 0: not known */
	double energy_scale;
};

/* Is it what sessions have of one context of a card? They alone know it. */
static inline bool nti_unit_is_context(const struct nti_unit *unit)
{
	return unit->card && unit->card->is_mps;
}

/*
 * Units of a machine, sorted: core PMUs first, then software, clock, others by name with numbers in
 * order. They are found in two steps, and never move.
 */
struct nti_units {
	struct nthw_x86_cpu cpu;
	struct nti_unit **unit; /* count entries */
	size_t count;
};

/*
 * The units that every machine has, "software" and "clock", into @out, which is all 0. 0, or
 * -ENOMEM with a sentence in @e.
 */
int nti_units_start(struct nti_os *os, struct nti_units *out, struct nti_error *e);
/*
 * Find the others; starts @units if that was not done. A machine without a core PMU gets an absent
 * unit "cpu" whose reason says whether the hypervisor, the kernel or the processor is to blame and
 * whose remedy says what to do. 0, -ENOMEM, or -errno with a sentence in @e; then as it was.
 */
int nti_units_load(struct nti_os *os, struct nti_units *units, struct nti_error *e);
/* As after nti_units_start(). */
void nti_units_restart(struct nti_units *units);
void nti_units_fini(struct nti_units *units);

/* A new unit at the end, name and description filled in; NULL when memory is short. */
struct nti_unit *nti_units_append(struct nti_units *units, const char *name, const char *desc);
/* Put them in order again after that; those that came after the start are numbered anew. */
void nti_units_sort(struct nti_units *units);

/*
 * Are its registers in a space that @method reaches? Whether this user may use them is another
 * question.
 */
bool nti_unit_is_reached(struct nti_os *os, const struct nti_unit *unit, enum nti_method method);

/*
 * True for core PMUs of ARMv6 and ARMv7: there the cycle counter alone counts cycles, and nothing
 * else.
 */
bool nti_unit_keeps_cycles_apart(const struct nti_unit *unit);

/* Exact name, or NULL. */
const struct nti_unit *nti_units_find(const struct nti_units *units, const char *name);
/*
 * Next unit after index @from (start with 0) that perf's rule for "NAME/terms/" selects: the name
 * itself, the name with "uncore_" before it, either followed by "_" and a number, or a glob (*, ?).
 * NULL at the end; *@from moves on.
 */
const struct nti_unit *nti_units_match(const struct nti_units *units, const char *name,
				       size_t *from);

#endif
