/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The units that there are, whether mounted or not. */
#ifndef NTD_TREE_H
#define NTD_TREE_H

#include "driver/ntd.h"

extern struct mutex ntd_tree_lock;

/**
 * ntd_tree_unit() - the unit of a folder, found again or new
 * @kind: what it is
 * @number: of CPU or package, which all accesses go to; NTD_UNIT_DEVICE: yours
 * @folder: from the root of the tree; copied. Folders above it are made as needed
 * @names: folder in @folder for the vendor's names as symbolic links, a string that stays; NULL:
 *        none
 *
 * To be called before each coming. Of a unit that is here nothing is changed.
 *
 * Return: a reference for ntd_tree_put(), or ERR_PTR(-ENOMEM). The unit is not shown before
 * ntd_tree_come().
 */
struct ntd_unit *ntd_tree_unit(enum ntd_unit_kind kind, unsigned int number, const char *folder,
			       const char *names);

/**
 * ntd_tree_add_reg() - say that a unit, when it comes, has this register
 * @unit: not here now
 * @table: of @row
 * @row: what the register is
 * @index: which instance of it
 *
 * To be called for all registers between ntd_tree_unit() and ntd_tree_come(), each time: those that
 * are not named again are not shown.
 *
 * Return: 0 or -ENOMEM.
 */
int ntd_tree_add_reg(struct ntd_unit *unit, const struct nthw_table *table,
		     const struct nthw_reg *row, u32 index);

/**
 * ntd_tree_come() - the hardware of a unit is there: show it
 * @unit: not here now
 * @device: lent until ntd_tree_go() returns; NULL for registers of CPUs
 *
 * Its registers have all their files when it returns. Nothing can fail.
 */
void ntd_tree_come(struct ntd_unit *unit, struct ntd_device *device);

/**
 * ntd_tree_go() - the hardware of a unit goes or has gone
 * @unit: here or not
 * @is_reachable: it still answers, so give registers back what they held before their writers
 *
 * When it returns no access is under way and none begins, and its files are gone. Pages of a device
 * are still mapped (ntd_file_unmap()), and none comes to be any more. It takes no memory.
 */
void ntd_tree_go(struct ntd_unit *unit, bool is_reachable);

/**
 * ntd_tree_put() - give back a reference
 * @unit: or NULL
 */
void ntd_tree_put(struct ntd_unit *unit);

/**
 * ntd_tree_get() - take another reference
 * @unit: that the caller has one of
 *
 * Return: @unit.
 */
struct ntd_unit *ntd_tree_get(struct ntd_unit *unit);

/* All units, by ntd_tree_lock. */
extern struct list_head ntd_tree_units;

/**
 * ntd_tree_exit() - forget all units and their names
 *
 * When the module goes, and nothing is open.
 */
void ntd_tree_exit(void);

#endif
