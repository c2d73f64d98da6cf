// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Folders, and the administrator's symbolic links in those that are called "local".
 *
 * Units go and come back, and all may be unmounted: what the administrator did to a folder outlives
 * its nodes in struct folder. Locks, outer first: ntd_nodes_lock, the inode of a folder,
 * folders_lock.
 */
#include <linux/err.h>
#include <linux/fsnotify.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "driver/compat.h"
#include "driver/node.h"
#include "driver/permit.h"
#include "driver/tree.h"

/* Of the administrator, in one folder: enough for names, too few to fill memory. */
#define LINKS_MAX 1024

/* What is remembered of a folder, in i_private of its inodes; lives until the module goes. */
struct folder {
	struct list_head node;
	bool is_local;
	bool has_owner; /* the administrator set owner, group or mode: */
	kuid_t uid;
	kgid_t gid;
	umode_t mode;
	struct list_head links; /* local ones */
	unsigned int link_count;
	char path[];
};

/* One symbolic link below local/, in i_private of its inode. */
struct link {
	struct list_head node;
	char *name;
	char *target;
};

/* Of the list and of all in it but paths. */
static DEFINE_MUTEX(folders_lock);
static LIST_HEAD(folders);

static int folder_setattr(struct ntd_idmap *idmap, struct dentry *dentry, struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);
	struct folder *folder = inode->i_private;
	int ret = setattr_prepare(idmap, dentry, attr);

	if (!ret)
		ret = ntd_permit_change(inode, attr);
	if (ret)
		return ret;
	setattr_copy(idmap, inode, attr);
	if (!(attr->ia_valid & (ATTR_MODE | ATTR_UID | ATTR_GID)))
		return 0;
	mutex_lock(&folders_lock);
	folder->has_owner = true;
	folder->uid = inode->i_uid;
	folder->gid = inode->i_gid;
	folder->mode = inode->i_mode & 07777;
	mutex_unlock(&folders_lock);
	return 0;
}

static const struct inode_operations folder_operations = {
	.lookup = simple_lookup,
	.permission = ntd_permit_folder,
	.setattr = folder_setattr,
};

static void link_free(struct link *link)
{
	if (!link)
		return;
	kfree(link->name);
	kfree(link->target);
	kfree(link);
}

static struct link *link_new(const char *name, const char *target)
{
	struct link *link = kzalloc(sizeof(*link), GFP_KERNEL_ACCOUNT);

	if (!link)
		return NULL;
	link->name = kstrdup(name, GFP_KERNEL_ACCOUNT);
	link->target = kstrdup(target, GFP_KERNEL_ACCOUNT);
	if (!link->name || !link->target) {
		link_free(link);
		return NULL;
	}
	return link;
}

static int folder_remember(struct folder *folder, struct link *link)
{
	int ret = -ENOSPC;

	mutex_lock(&folders_lock);
	if (folder->link_count < LINKS_MAX) {
		list_add_tail(&link->node, &folder->links);
		folder->link_count++;
		ret = 0;
	}
	mutex_unlock(&folders_lock);
	return ret;
}

static void folder_forget(struct folder *folder, struct link *link)
{
	mutex_lock(&folders_lock);
	list_del(&link->node);
	folder->link_count--;
	mutex_unlock(&folders_lock);
	link_free(link);
}

static int local_symlink(struct ntd_idmap *idmap, struct inode *dir, struct dentry *dentry,
			 const char *target)
{
	struct folder *folder = dir->i_private;
	struct link *link = link_new(dentry->d_name.name, target);
	struct inode *inode;
	int ret = -ENOMEM;

	if (!link)
		return -ENOMEM;
	inode = new_inode(dir->i_sb);
	if (!inode)
		goto err_link;
	inode->i_ino = get_next_ino();
	inode_init_owner(idmap, inode, dir, S_IFLNK | 0777);
	ntd_inode_init_times(inode);
	inode->i_op = &simple_symlink_inode_operations;
	inode->i_private = link;
	inode->i_size = strlen(target);
	inode->i_link = kstrdup(target, GFP_KERNEL_ACCOUNT);
	if (!inode->i_link)
		goto err_inode;
	ret = folder_remember(folder, link);
	if (ret)
		goto err_inode;
	d_instantiate(dentry, inode);
	dget(dentry);
	return 0;
err_inode:
	iput(inode);
err_link:
	link_free(link);
	return ret;
}

static int local_unlink(struct inode *dir, struct dentry *dentry)
{
	struct link *link = d_inode(dentry)->i_private;
	int ret = simple_unlink(dir, dentry);

	if (!ret)
		folder_forget(dir->i_private, link);
	return ret;
}

static const struct inode_operations local_operations;

static int local_rename(struct ntd_idmap *idmap, struct inode *old_dir, struct dentry *old,
			struct inode *new_dir, struct dentry *new, unsigned int flags)
{
	struct folder *from = old_dir->i_private, *to = new_dir->i_private;
	struct link *link = d_inode(old)->i_private;
	struct link *replaced = d_really_is_positive(new) ? d_inode(new)->i_private : NULL;
	char *name;
	int ret;

	if (flags & ~RENAME_NOREPLACE)
		return -EINVAL;
	if (new_dir->i_op != &local_operations)
		return -EPERM;
	/* Both inodes are locked: no other thread adds to these folders. */
	if (from != to && !replaced && READ_ONCE(to->link_count) >= LINKS_MAX)
		return -ENOSPC;
	name = kstrdup(new->d_name.name, GFP_KERNEL_ACCOUNT);
	if (!name)
		return -ENOMEM;
	ret = simple_rename(idmap, old_dir, old, new_dir, new, flags);
	if (ret) {
		kfree(name);
		return ret;
	}
	mutex_lock(&folders_lock);
	swap(link->name, name);
	list_move_tail(&link->node, &to->links);
	from->link_count--;
	to->link_count++;
	mutex_unlock(&folders_lock);
	kfree(name);
	if (replaced)
		folder_forget(to, replaced);
	return 0;
}

static const struct inode_operations local_operations = {
	.lookup = simple_lookup,
	.permission = ntd_permit_folder,
	.setattr = folder_setattr,
	.symlink = local_symlink,
	.unlink = local_unlink,
	.rename = local_rename,
};

/* What is known of the folder at @path, from before or new. */
static struct folder *folder_known(const char *path, bool is_local)
{
	struct folder *folder;

	mutex_lock(&folders_lock);
	list_for_each_entry(folder, &folders, node)
		if (!strcmp(folder->path, path))
			goto unlock;
	folder = kzalloc(sizeof(*folder) + strlen(path) + 1, GFP_KERNEL);
	if (folder) {
		strcpy(folder->path, path);
		folder->is_local = is_local;
		INIT_LIST_HEAD(&folder->links);
		list_add_tail(&folder->node, &folders);
	}
unlock:
	mutex_unlock(&folders_lock);
	return folder;
}

/* Owner and mode as the administrator set them, if so. */
static void folder_inode_init(struct inode *inode, struct folder *folder)
{
	mutex_lock(&folders_lock);
	if (folder->has_owner) {
		inode->i_uid = folder->uid;
		inode->i_gid = folder->gid;
		inode->i_mode = S_IFDIR | folder->mode;
	}
	mutex_unlock(&folders_lock);
	inode->i_private = folder;
	inode->i_op = folder->is_local ? &local_operations : &folder_operations;
	inode->i_fop = &simple_dir_operations;
	inc_nlink(inode); /* its "." */
}

static struct inode *folder_inode(const char *path, bool is_local)
{
	struct folder *folder = folder_known(path, is_local);
	umode_t mode = ntd_fs_options.mode & 0444;
	struct inode *inode;

	if (!folder)
		return NULL;
	mode |= mode >> 2;
	if (is_local)
		mode |= 0200;
	inode = ntd_inode_new(S_IFDIR | mode, ntd_fs_options.uid, ntd_fs_options.gid);
	if (inode)
		folder_inode_init(inode, folder);
	return inode;
}

static struct dentry *folder_make(struct dentry *parent, const char *name, bool is_local)
{
	struct inode *dir = d_inode(parent), *inode;
	const struct folder *above = dir->i_private;
	struct dentry *dentry = ntd_node_find(parent, name);
	char *path;

	if (dentry)
		return dentry;
	path = kasprintf(GFP_KERNEL, "%s/%s", above->path, name);
	inode = path ? folder_inode(path, is_local) : NULL;
	kfree(path);
	if (!inode)
		return ERR_PTR(-ENOMEM);
	inode_lock(dir);
	dentry = ntd_node_add(parent, name, inode);
	if (!IS_ERR(dentry)) {
		inc_nlink(dir);
		fsnotify_mkdir(dir, dentry);
	}
	inode_unlock(dir);
	return dentry;
}

struct dentry *ntd_folder_make(struct dentry *parent, const char *name)
{
	return folder_make(parent, name, false);
}

struct dentry *ntd_folder_at(const char *path, bool is_made)
{
	struct dentry *dentry = ntd_fs_root;
	char *copy = kstrdup(path, GFP_KERNEL), *rest = copy, *name;

	if (!copy)
		return ERR_PTR(-ENOMEM);
	while (!IS_ERR_OR_NULL(dentry)) {
		name = strsep(&rest, "/");
		if (!name)
			break;
		dentry = is_made ? ntd_folder_make(dentry, name) : ntd_node_find(dentry, name);
	}
	kfree(copy);
	return dentry;
}

int ntd_local_make(struct dentry *parent)
{
	struct dentry *dentry = folder_make(parent, "local", true);
	struct folder *folder;
	struct link *link;
	int ret = 0;

	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	folder = d_inode(dentry)->i_private;
	inode_lock(d_inode(dentry));
	mutex_lock(&folders_lock);
	list_for_each_entry(link, &folder->links, node) {
		if (ntd_node_find(dentry, link->name))
			continue;
		ret = ntd_link_add(dentry, link->name, link->target, link);
		if (ret)
			break;
	}
	mutex_unlock(&folders_lock);
	inode_unlock(d_inode(dentry));
	return ret;
}

int ntd_folder_root(struct inode *inode)
{
	struct folder *folder = folder_known("", false);

	lockdep_assert_held(&ntd_nodes_lock);
	if (!folder)
		return -ENOMEM;
	inode->i_mode = S_IFDIR | 0555;
	inode->i_uid = ntd_fs_options.uid;
	inode->i_gid = ntd_fs_options.gid;
	folder_inode_init(inode, folder);
	return 0;
}

void ntd_folders_exit(void)
{
	struct folder *folder, *next;
	struct link *link, *next_link;

	list_for_each_entry_safe(folder, next, &folders, node) {
		list_for_each_entry_safe(link, next_link, &folder->links, node)
			link_free(link);
		kfree(folder);
	}
}
