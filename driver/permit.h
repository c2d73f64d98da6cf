/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Who may use registers: owner, group and mode of their files, and what those do not say. */
#ifndef NTD_PERMIT_H
#define NTD_PERMIT_H

#include <linux/fs.h>

#include "driver/ntd.h"

/**
 * ntd_permit_register_init() - owner, group and mode of a register's new inode
 * @inode: whose i_private is the register
 *
 * What the administrator set, else what the mount says, of a secret row root's alone.
 *
 * Context: under ntd_nodes_lock; takes ntd_reg.lock.
 */
void ntd_permit_register_init(struct inode *inode);

/* Of the inodes of registers. */
extern const struct inode_operations ntd_permit_register_operations;

#endif
