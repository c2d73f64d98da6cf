/* SPDX-License-Identifier: MIT */
/* Which processors and PCI functions have which kinds of boxes (core/seq/box.h). */
#ifndef NTI_BOX_ROWS_H
#define NTI_BOX_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/seq/box.h"
#include "lib/machine/cpu.h"
#include "lib/os/os.h"

/* Does processor @cpu have boxes called @kind, of those that MSRs reach? How many, their registers tell. */
bool nti_box_rows_has(struct nti_os *os, const struct nti_cpu *cpu, const char *kind);
/*
 * Of the counters of @kind that always run (.free) those whose fields the processor says to have, a bit each. The others are reserved bits,
 * which read 0 and would pass for a state.
 */
uint64_t nti_box_rows_frees(struct nti_os *os, const struct nthw_box_kind *kind);
/* Is there a row for @kind at all? */
bool nti_box_rows_knows(const char *kind);

/* A PCI function that is a box. */
struct nti_box_pci_row {
	const char *kind;
	uint16_t device_id;	  /* of vendor 0x8086 */
	int16_t device, function; /* where it sits on its bus; -1: anywhere */
	uint32_t number; /* of the box among those of its kind and package, as Linux numbers them */
};
const struct nti_box_pci_row *nti_box_rows_pci(uint32_t vendor_id, uint32_t device_id,
					       uint32_t device, uint32_t function);

/*
 * PCI functions that tell which package their bus belongs to. Buses that have none belong to the package of the next one that has, downwards
 * from the highest where .is_reverse, else upwards from the lowest.
 */
struct nti_box_ubox_row {
	uint16_t device_id;
	uint16_t node, map; /* registers in configuration space */
	bool is_reverse;
};
const struct nti_box_ubox_row *nti_box_rows_ubox(uint32_t vendor_id, uint32_t device_id);

#endif
