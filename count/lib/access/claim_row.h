/* SPDX-License-Identifier: MIT */
/* Rows of the registers that claims name: what a repair may write. Below the files of claims. */
#ifndef NTI_CLAIM_ROW_H
#define NTI_CLAIM_ROW_H

#include <stdbool.h>

#include "core/base/reg.h"

struct nti_claim_line;

/*
 * The row of the register that @line names, in the table of a PMU, of one of its boxes or of a
 * graphics chip; NULL when none has that name at that address, in that width. Tables of other
 * machines count: which of them this one has is not known where a recording or another root is
 * looked at.
 */
const struct nthw_reg *nti_claim_row(const struct nti_claim_line *line);

/* Does its register let counters run, and are all its bits such as hardware keeps in it? */
bool nti_claim_is_repairable(const struct nti_claim_line *line);

/*
 * Has the PCI function of these ids the register @name, which lets counters run, at @address of its
 * configuration space, or of BAR 0 of a graphics card? A record could name any function.
 */
bool nti_claim_is_of_device(uint32_t vendor_id, uint32_t device_id, const char *name,
			    uint32_t address);

#endif
