/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Who may use registers: owner, group and mode of their files, and what those do not say
 * (docs/adr/0017).
 */
#ifndef NTD_PERMIT_H
#define NTD_PERMIT_H

#include <linux/fs.h>

#include "driver/compat.h"
#include "driver/ntd.h"

/**
 * ntd_permit_is_real_root() - may this thread make the policy?
 *
 * Return: whether it is in the initial user namespace and has CAP_SYS_RAWIO.
 */
bool ntd_permit_is_real_root(void);

/**
 * ntd_permit_recall() - owner, group and mode as the administrator set them, if so
 * @inode: new, with what it has otherwise
 * @owner: of what it is the inode of
 */
void ntd_permit_recall(struct inode *inode, const struct ntd_owner *owner);

/**
 * ntd_permit_remember() - they are as this inode has them
 * @owner: of what it is the inode of
 * @inode: locked, or new
 */
void ntd_permit_remember(struct ntd_owner *owner, const struct inode *inode);

/**
 * ntd_permit_setattr() - the operation "setattr" of what has an owner
 * @idmap: the mount's
 * @dentry: of what
 * @attr: what is to change
 * @owner: remembers it
 *
 * Return: 0, -EPERM.
 */
int ntd_permit_setattr(struct ntd_idmap *idmap, struct dentry *dentry, struct iattr *attr,
		       struct ntd_owner *owner);

/**
 * ntd_permit_folder() - the operation "permission" of folders
 * @idmap: the mount's
 * @inode: the folder's
 * @mask: MAY_*
 *
 * Names are given to registers by whom the folder's permissions let write, as registers are
 * written.
 *
 * Return: 0, -EACCES, -EPERM, -ECHILD (ask again without RCU).
 */
int ntd_permit_folder(struct ntd_idmap *idmap, struct inode *inode, int mask);

/**
 * ntd_permit_register_init() - owner, group and mode of a register's new inode
 * @inode: whose i_private is the register
 *
 * What the administrator set, else what the mount says, of a secret row root's alone.
 */
void ntd_permit_register_init(struct inode *inode);

/* Of the inodes of registers. */
extern const struct inode_operations ntd_permit_register_operations;
/* Of the inode of "status", which all may read unless the administrator says otherwise. */
extern const struct inode_operations ntd_permit_status_operations;

#endif
