/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Where units and registers are in the tree, and how they are called there. */
#ifndef NTD_NAMES_H
#define NTD_NAMES_H

#include "driver/ntd.h"

/**
 * ntd_names_unit() - the folder of a unit, and what is in it beside registers
 * @unit: not here; .folder, .number and .generation are those of its next coming
 *
 * Context: under ntd_tree_lock.
 * Return: 0 or -ENOMEM.
 */
int ntd_names_unit(struct ntd_unit *unit);

/**
 * ntd_names_reg() - all names of a register
 * @reg: of a unit that is not here, after ntd_names_unit()
 *
 * One that can be neither read nor written has none.
 *
 * Context: under ntd_tree_lock.
 * Return: 0 or -ENOMEM.
 */
int ntd_names_reg(struct ntd_reg *reg);

#endif
