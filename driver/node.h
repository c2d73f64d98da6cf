/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Nodes and folders of the file system: what its files share. All under ntd_nodes_lock. */
#ifndef NTD_NODE_H
#define NTD_NODE_H

#include <linux/dcache.h>
#include <linux/fs.h>

#include "driver/ntd.h"

/* Of the mount that made the super block. */
struct ntd_fs_options {
	bool has_uid, has_gid, has_mode; /* given, not the default */
	kuid_t uid;
	kgid_t gid;
	umode_t mode;
};

/*
 * Of all nodes, and of what is mounted. Outside of the locks of inodes, under which the VFS touches
 * user memory: so nothing may wait for it that others wait for, CPUs that come and go above all.
 */
extern struct mutex ntd_nodes_lock;
extern struct dentry *ntd_fs_root; /* NULL: not mounted */
extern struct ntd_fs_options ntd_fs_options;

/**
 * ntd_inode_new() - an inode in the super block, with a number and the time
 * @mode: type and permissions
 * @uid: owner
 * @gid: group
 *
 * Return: the inode, or NULL without memory.
 */
struct inode *ntd_inode_new(umode_t mode, kuid_t uid, kgid_t gid);

/**
 * ntd_node_add() - put an inode under a name into a folder
 * @parent: the folder, whose inode the caller has locked
 * @name: of the node
 * @inode: consumed, also on failure
 *
 * Return: the dentry, which stays pinned (the pointer is good while ntd_nodes_lock is held),
 * ERR_PTR(-EEXIST) or ERR_PTR(-ENOMEM).
 */
struct dentry *ntd_node_add(struct dentry *parent, const char *name, struct inode *inode);

/**
 * ntd_node_find() - the node of a name
 * @parent: the folder
 * @name: of the node
 *
 * Return: its dentry, good while ntd_nodes_lock is held, or NULL.
 */
struct dentry *ntd_node_find(struct dentry *parent, const char *name);

/**
 * ntd_link_add() - make a symbolic link
 * @parent: the folder, whose inode the caller has locked
 * @name: of the link
 * @target: copied
 * @private: for i_private of its inode
 *
 * Return: 0, -EEXIST or -ENOMEM.
 */
int ntd_link_add(struct dentry *parent, const char *name, const char *target, void *private);

/**
 * ntd_link_make() - make a symbolic link of ours
 * @parent: the folder, whose inode is locked here
 * @name: of the link
 * @target: copied
 *
 * Return: 0, -EEXIST or -ENOMEM.
 */
int ntd_link_make(struct dentry *parent, const char *name, const char *target);

/**
 * ntd_folder_make() - the folder of a name, made if it is not there
 * @parent: where
 * @name: of the folder
 *
 * Return: its dentry, good while ntd_nodes_lock is held, or ERR_PTR(-ENOMEM).
 */
struct dentry *ntd_folder_make(struct dentry *parent, const char *name);

/**
 * ntd_folder_at() - the folder at a path
 * @path: below the root
 * @is_made: make it with all above it, if it is not there
 *
 * Return: its dentry, good while ntd_nodes_lock is held; NULL if it is not there and not made;
 * ERR_PTR(-ENOMEM).
 */
struct dentry *ntd_folder_at(const char *path, bool is_made);

/**
 * ntd_local_make() - the folder "local" with the administrator's links
 * @parent: where
 *
 * Return: 0 or -ENOMEM. The links are those that it had when it was last seen.
 */
int ntd_local_make(struct dentry *parent);

/**
 * ntd_folder_root() - make an inode that of the root
 * @inode: new
 *
 * Return: 0 or -ENOMEM.
 */
int ntd_folder_root(struct inode *inode);

/**
 * ntd_folders_exit() - forget all folders
 *
 * When the module goes, and no inode is left.
 */
void ntd_folders_exit(void);

#endif
