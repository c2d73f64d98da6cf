/* SPDX-License-Identifier: MIT */
/* What is known of PMUs by their names alone: a phrase, and how many counters a box has. */
#ifndef NTI_UNIT_ROWS_H
#define NTI_UNIT_ROWS_H

#include <stdbool.h>

#include "lib/machine/unit.h"

/* One phrase for people; static memory, never NULL. */
const char *nti_unit_row_desc(const char *name);
/* True for a name, alone or numbered, that a driver of the kernel uses on some machine. */
bool nti_unit_row_is_name(const char *name);
/* General counters of an uncore PMU; 0 when not known. */
unsigned int nti_unit_row_counters(const char *name);
/* True where each event has a register of its own that always runs: nothing to plan. */
bool nti_unit_row_is_free_running(const char *name);
/* True for a core PMU that cannot count user mode or kernel mode apart. */
bool nti_unit_row_is_mode_blind(const char *name);

#endif
