/* SPDX-License-Identifier: MIT */
/* What is known of PMUs by their names alone: a phrase, and how many counters a box has. */
#ifndef NTI_UNIT_ROWS_H
#define NTI_UNIT_ROWS_H

#include <stdbool.h>
#include <string.h>

#include "count/lib/machine/unit.h"

struct nti_unit_row {
	const char *prefix;
	const char *desc;      /* one phrase for people */
	unsigned int counters; /* general ones of an uncore PMU; 0: not known */
	/* each event has a register of its own that always runs: nothing to plan */
	bool is_free_running;
	/*
	 * A core PMU that cannot count user mode or kernel mode apart. Its driver has no
	 * set_event_filter() (arch/arm/kernel/perf_event_v6.c, perf_event_v7.c,
	 * perf_event_xscale.c): the kernel refuses any exclude_* bit.
	 */
	bool is_mode_blind;
	/* why no event of it can be counted, and what can be done; NULL: some can */
	const char *reason, *remedy;
};

/* The row of a PMU; one without text and numbers where none is known. Static memory. */
const struct nti_unit_row *nti_unit_row(const char *name);
/* "NAME", or "NAME_" and a decimal number. */
static inline bool nti_unit_is_numbered(const char *unit, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(unit, name, length) != 0)
		return false;
	unit += length;
	if (!*unit)
		return true;
	if (*unit++ != '_' || !*unit)
		return false;
	return strspn(unit, "0123456789") == strlen(unit);
}

/* True for a name, alone or numbered, that a driver of the kernel uses on some machine. */
bool nti_unit_row_is_name(const char *name);

#endif
