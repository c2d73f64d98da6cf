// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Folders: names are looked up in node.c each time, and the administrator makes symbolic links in
 * those that are called "local".
 *
 * What a folder shows changes without a call of the VFS, so no name is kept that was not there, and
 * none that is there is trusted without being asked (inode.c, d_revalidate).
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/slab.h>

#include "driver/compat.h"
#include "driver/folder.h"
#include "driver/fs.h"
#include "driver/inode.h"
#include "driver/permit.h"

/* Of the administrator, in one folder: enough for names, too few to fill memory. */
#define LINKS_MAX 1024

static struct dentry *folder_lookup(struct inode *dir, struct dentry *dentry, unsigned int flags)
{
	struct ntd_node *node;

	if (dentry->d_name.len > NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	node = ntd_node_find(dir->i_private, dentry->d_name.name, dentry->d_name.len);
	if (!node)
		return NULL; /* and not hashed */
	/* A folder that went and came again has a dentry already, if somebody is in it. */
	return d_splice_alias(ntd_inode_get(dir->i_sb, node), dentry);
}

/* From the position in @ctx on. */
static void list(struct file *file, struct dir_context *ctx)
{
	struct ntd_folder *folder = file_inode(file)->i_private;
	struct ntd_entry entry;
	unsigned long position;

	if (!dir_emit_dots(file, ctx))
		return;
	for (;;) {
		position = (unsigned long)ctx->pos;
		if (!ntd_node_next(folder, &position, &entry))
			return;
		ctx->pos = position;
		if (!dir_emit(ctx, entry.name, (int)entry.length, entry.ino, entry.type))
			return;
		ctx->pos++;
	}
}

/*
 * Names are written to memory of the program's, which may be another program's to give (FUSE), and
 * that may take for ever. Whoever makes or looks up a name waits for the lock of the folder's inode
 * meanwhile, which the VFS took for us. The list needs none, so it is given back for that time; no
 * folder is ever removed, which is what the VFS has looked for under it.
 */
static int folder_iterate(struct file *file, struct dir_context *ctx)
{
	struct inode *inode = file_inode(file);

	if (!ntd_folder_is_here(inode->i_private))
		return -ENOENT;
	inode_unlock_shared(inode);
	list(file, ctx);
	inode_lock_shared(inode);
	return 0;
}

static const struct file_operations folder_file_operations = {
	.read = generic_read_dir,
	.iterate_shared = folder_iterate,
	.llseek = generic_file_llseek,
};

static int folder_setattr(struct ntd_idmap *idmap, struct dentry *dentry, struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);
	struct ntd_folder *folder = inode->i_private;

	return ntd_permit_setattr(idmap, dentry, attr, &folder->owner);
}

static const struct inode_operations folder_operations = {
	.lookup = folder_lookup,
	.permission = ntd_permit_folder,
	.setattr = folder_setattr,
};

/* ---- local: the inodes of folders are locked for writing ---- */

/* The name of a link that is there. */
static struct ntd_node *local_node(struct inode *dir, const struct dentry *dentry)
{
	struct ntd_node *node = ntd_node_find(dir->i_private, dentry->d_name.name,
					      dentry->d_name.len);

	return node && node->kind == NTD_NODE_LINK && node->link == d_inode(dentry)->i_private ?
		       node :
		       NULL;
}

/* A further name of @link, not yet in a folder; with a reference. */
static struct ntd_node *link_node(struct ntd_link *link, const struct dentry *dentry)
{
	struct ntd_node *node =
		ntd_node_new(NTD_NODE_LINK, dentry->d_name.name, NULL, GFP_KERNEL_ACCOUNT);

	if (!node)
		return NULL;
	kref_get(&link->ref);
	node->link = link;
	return node;
}

static void link_node_free(struct ntd_node *node)
{
	ntd_link_put(node->link);
	kfree(node);
}

static bool is_full(const struct inode *dir)
{
	return ((const struct ntd_folder *)dir->i_private)->links >= LINKS_MAX;
}

static int local_add(struct inode *dir, struct ntd_node *node)
{
	struct ntd_folder *folder = dir->i_private;
	int ret = ntd_node_add(folder, node, GFP_KERNEL_ACCOUNT);

	if (ret)
		return ret;
	folder->links++;
	ntd_inode_init_times(dir);
	return 0;
}

static void local_remove(struct inode *dir, struct ntd_node *node)
{
	struct ntd_folder *folder = dir->i_private;

	folder->links--;
	ntd_node_remove(folder, node);
	ntd_inode_init_times(dir);
}

static int link_make(struct ntd_idmap *idmap, struct inode *dir, struct dentry *dentry,
		     struct ntd_link *link)
{
	struct ntd_node *node = link_node(link, dentry);
	struct inode *inode;
	int ret;

	if (!node)
		return -ENOMEM;
	inode = ntd_inode_get(dir->i_sb, node);
	if (IS_ERR(inode)) {
		ret = PTR_ERR(inode);
		goto err_node;
	}
	inode_init_owner(idmap, inode, dir, S_IFLNK | 0777);
	ntd_permit_remember(&link->owner, inode);
	ret = local_add(dir, node);
	if (ret)
		goto err_inode;
	d_instantiate(dentry, inode);
	if (d_unhashed(dentry))
		d_rehash(dentry);
	return 0;
err_inode:
	iput(inode);
err_node:
	link_node_free(node);
	return ret;
}

static int local_symlink(struct ntd_idmap *idmap, struct inode *dir, struct dentry *dentry,
			 const char *target)
{
	struct ntd_link *link;
	int ret;

	if (!ntd_folder_is_here(dir->i_private))
		return -ENOENT;
	if (is_full(dir))
		return -ENOSPC;
	link = ntd_link_new(target);
	if (!link)
		return -ENOMEM;
	ret = link_make(idmap, dir, dentry, link);
	ntd_link_put(link);
	return ret;
}

static int local_unlink(struct inode *dir, struct dentry *dentry)
{
	struct ntd_node *node = local_node(dir, dentry);

	if (!node)
		return -ENOENT;
	local_remove(dir, node);
	drop_nlink(d_inode(dentry));
	d_drop(dentry);
	return 0;
}

static const struct inode_operations local_operations;

static int local_rename(struct ntd_idmap *idmap, struct inode *old_dir, struct dentry *old,
			struct inode *new_dir, struct dentry *new, unsigned int flags)
{
	struct ntd_node *from, *replaced = NULL, *to;
	int ret;

	if (flags & ~RENAME_NOREPLACE)
		return -EINVAL;
	if (new_dir->i_op != &local_operations)
		return -EPERM;
	from = local_node(old_dir, old);
	if (d_really_is_positive(new))
		replaced = local_node(new_dir, new);
	if (!from || (d_really_is_positive(new) && !replaced))
		return -ENOENT;
	if (old_dir != new_dir && !replaced && is_full(new_dir))
		return -ENOSPC;
	to = link_node(from->link, new);
	if (!to)
		return -ENOMEM;
	ret = local_add(new_dir, to);
	if (ret) {
		link_node_free(to);
		return ret;
	}
	local_remove(old_dir, from);
	if (replaced) {
		local_remove(new_dir, replaced);
		drop_nlink(d_inode(new));
	}
	return 0;
}

static const struct inode_operations local_operations = {
	.lookup = folder_lookup,
	.permission = ntd_permit_folder,
	.setattr = folder_setattr,
	.symlink = local_symlink,
	.unlink = local_unlink,
	.rename = local_rename,
};

/* ---- inodes ---- */

void ntd_folder_init(struct inode *inode, struct ntd_folder *folder)
{
	umode_t mode = ntd_fs_options.mode & 0444;

	mode |= mode >> 2;
	if (folder->is_local)
		mode |= 0200;
	if (folder == &ntd_node_root)
		mode = 0555;
	inode->i_mode = S_IFDIR | mode;
	inode->i_uid = ntd_fs_options.uid;
	inode->i_gid = ntd_fs_options.gid;
	ntd_permit_recall(inode, &folder->owner);
	inode->i_op = folder->is_local ? &local_operations : &folder_operations;
	inode->i_fop = &folder_file_operations;
	/* 1: how many folders are in it is not known. "." is not counted. */
	set_nlink(inode, 1);
}
