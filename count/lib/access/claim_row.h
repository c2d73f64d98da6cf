/* SPDX-License-Identifier: MIT */
/* Rows of the registers that claims name: what a repair may write. Below the files of claims. */
#ifndef NTI_CLAIM_ROW_H
#define NTI_CLAIM_ROW_H

#include <stdbool.h>

#include "core/base/reg.h"

struct nthw_pci_device;
struct nti_claim_line;

/*
 * The row of the register that @line names, in the table of a PMU or of one of its boxes; NULL when
 * none has that name at that address, in that width. Tables of other machines count: which of them
 * this one has is not known where a recording or another root is looked at.
 */
const struct nthw_reg *nti_claim_row(const struct nti_claim_line *line);

/* Does its register let counters run, and are all its bits such as hardware keeps in it? */
bool nti_claim_is_repairable(const struct nti_claim_line *line);

/*
 * Has the PCI function that is a @device (core/regs/devices.h; NULL: none that is known) a register
 * at @address of its configuration space? A record could name any function.
 */
bool nti_claim_is_of_device(const struct nthw_pci_device *device, uint32_t address);

#endif
