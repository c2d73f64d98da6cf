/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Inodes of names, made when somebody looks one up, and dentries, which are refused when dead. */
#ifndef NTD_INODE_H
#define NTD_INODE_H

#include <linux/dcache.h>
#include <linux/fs.h>

#include "driver/node.h"

/**
 * ntd_inode_get() - the inode of what a name names
 * @sb: the super block
 * @node: which is shown, or was a moment ago
 *
 * All names of a register have one inode in each generation of its unit; it is another one when the
 * unit comes again.
 *
 * Context: for the administrator's names under the lock of their folder's inode.
 * Return: a reference, or ERR_PTR(-ENOMEM).
 */
struct inode *ntd_inode_get(struct super_block *sb, const struct ntd_node *node);

/**
 * ntd_inode_root() - the inode of the root
 * @sb: the super block
 *
 * Return: a reference, or ERR_PTR(-ENOMEM).
 */
struct inode *ntd_inode_root(struct super_block *sb);

/**
 * ntd_inode_free() - the operation "free_inode"
 * @inode: that nobody can see any more
 */
void ntd_inode_free(struct inode *inode);

extern const struct dentry_operations ntd_dentry_operations;

#endif
