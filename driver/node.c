// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Nodes of the file system, which stay in memory while they exist. */
#include <linux/err.h>
#include <linux/fsnotify.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "driver/compat.h"
#include "driver/node.h"
#include "driver/tree.h"

/* Of all nodes, and of what is mounted. */
DEFINE_MUTEX(ntd_nodes_lock);
struct dentry *ntd_fs_root;
struct ntd_fs_options ntd_fs_options;

struct inode *ntd_inode_new(umode_t mode, kuid_t uid, kgid_t gid)
{
	struct inode *inode = new_inode(ntd_fs_root->d_sb);

	lockdep_assert_held(&ntd_nodes_lock);
	if (!inode)
		return NULL;
	inode->i_ino = get_next_ino();
	inode->i_mode = mode;
	inode->i_uid = uid;
	inode->i_gid = gid;
	ntd_inode_init_times(inode);
	return inode;
}

/*
 * A lookup may have left a negative dentry of the name in the cache: then that one is used, so that
 * there are never two.
 */
struct dentry *ntd_node_add(struct dentry *parent, const char *name, struct inode *inode)
{
	struct qstr q = QSTR_INIT(name, strlen(name));
	struct dentry *dentry;

	lockdep_assert_held_write(&d_inode(parent)->i_rwsem);
	dentry = d_hash_and_lookup(parent, &q);
	if (IS_ERR(dentry)) {
		iput(inode);
		return dentry;
	}
	if (dentry && d_really_is_positive(dentry)) {
		dput(dentry);
		iput(inode);
		return ERR_PTR(-EEXIST);
	}
	if (dentry) {
		d_instantiate(dentry, inode);
	} else {
		dentry = d_alloc(parent, &q);
		if (!dentry) {
			iput(inode);
			return ERR_PTR(-ENOMEM);
		}
		d_add(dentry, inode);
	}
	return dentry;
}

struct dentry *ntd_node_find(struct dentry *parent, const char *name)
{
	struct qstr q = QSTR_INIT(name, strlen(name));
	struct dentry *dentry = d_hash_and_lookup(parent, &q);
	bool is_node;

	if (IS_ERR_OR_NULL(dentry))
		return NULL;
	is_node = d_really_is_positive(dentry);
	dput(dentry); /* nodes are pinned */
	return is_node ? dentry : NULL;
}

int ntd_link_add(struct dentry *parent, const char *name, const char *target, void *private)
{
	struct inode *inode;
	struct dentry *dentry;
	char *copy = kstrdup(target, GFP_KERNEL);

	if (!copy)
		return -ENOMEM;
	inode = ntd_inode_new(S_IFLNK | 0777, GLOBAL_ROOT_UID, GLOBAL_ROOT_GID);
	if (!inode) {
		kfree(copy);
		return -ENOMEM;
	}
	inode->i_link = copy;
	inode->i_size = strlen(copy);
	inode->i_op = &simple_symlink_inode_operations;
	inode->i_private = private;
	dentry = ntd_node_add(parent, name, inode);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	fsnotify_create(d_inode(parent), dentry);
	return 0;
}

int ntd_link_make(struct dentry *parent, const char *name, const char *target)
{
	int ret;

	inode_lock(d_inode(parent));
	ret = ntd_link_add(parent, name, target, NULL);
	inode_unlock(d_inode(parent));
	return ret;
}
