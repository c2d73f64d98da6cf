// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Inodes of names, made when somebody looks one up, and dentries, which are refused when dead. */
#include <linux/err.h>
#include <linux/fs.h>

#include "driver/compat.h"
#include "driver/file.h"
#include "driver/folder.h"
#include "driver/fs.h"
#include "driver/inode.h"
#include "driver/permit.h"
#include "driver/status.h"

/* What inodes are told apart by; .what is in i_private. */
struct identity {
	void *what;
	u32 generation; /* of the unit; 0 where there is none */
	unsigned long ino;
};

static int is_identity(struct inode *inode, void *arg)
{
	const struct identity *id = arg;

	return inode->i_private == id->what && inode->i_generation == id->generation;
}

static int set_identity(struct inode *inode, void *arg)
{
	const struct identity *id = arg;

	inode->i_private = id->what;
	inode->i_generation = id->generation;
	inode->i_ino = id->ino;
	return 0;
}

static struct inode *inode_of(struct super_block *sb, struct identity *id)
{
	return iget5_locked(sb, id->ino, is_identity, set_identity, id) ?: ERR_PTR(-ENOMEM);
}

static struct identity identity_of(const struct ntd_node *node)
{
	switch (node->kind) {
	case NTD_NODE_FOLDER:
		return (struct identity){ node->folder, 0, node->folder->ino };
	case NTD_NODE_REGISTER:
		return (struct identity){ node->reg, READ_ONCE(node->generation), node->reg->ino };
	case NTD_NODE_LINK:
		return (struct identity){ node->link, 0, node->link->ino };
	case NTD_NODE_STATUS:
	case NTD_NODE_ALIAS:
		break;
	}
	return (struct identity){ (void *)node, READ_ONCE(node->generation), node->ino };
}

/* ---- of each kind ---- */

/* Of the driver's; the text of the name lives as long as that. */
static const struct inode_operations alias_operations = {
	.get_link = simple_get_link,
};

static int link_setattr(struct ntd_idmap *idmap, struct dentry *dentry, struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);
	struct ntd_link *link = inode->i_private;
	int ret = setattr_prepare(idmap, dentry, attr);

	if (ret)
		return ret;
	setattr_copy(idmap, inode, attr);
	ntd_permit_remember(&link->owner, inode);
	return 0;
}

static const struct inode_operations link_operations = {
	.get_link = simple_get_link,
	.setattr = link_setattr,
};

static void symlink_init(struct inode *inode, const char *target)
{
	inode->i_mode = S_IFLNK | 0777;
	inode->i_uid = GLOBAL_ROOT_UID;
	inode->i_gid = GLOBAL_ROOT_GID;
	inode->i_link = (char *)target; /* not to be freed by the VFS */
	inode->i_size = strlen(target);
}

static void alias_init(struct inode *inode, const struct ntd_node *node)
{
	symlink_init(inode, node->target);
	inode->i_op = &alias_operations;
}

static void link_init(struct inode *inode, struct ntd_link *link)
{
	kref_get(&link->ref); /* ntd_inode_free() puts it */
	symlink_init(inode, link->target);
	inode->i_op = &link_operations;
	ntd_permit_recall(inode, &link->owner);
}

static void reg_init(struct inode *inode, struct ntd_reg *reg)
{
	struct ntd_pmc pmc;

	inode->i_op = &ntd_permit_register_operations;
	inode->i_fop = &ntd_file_operations;
	inode->i_size = NTD_TEXT_BYTES;
	if (reg->unit->kind == NTD_UNIT_CORE && ntd_arch_is_pmc(reg->row, reg->index, &pmc))
		set_nlink(inode, 2);
	ntd_permit_register_init(inode);
}

static void status_init(struct inode *inode)
{
	inode->i_mode = S_IFREG | 0444;
	inode->i_uid = ntd_fs_options.uid;
	inode->i_gid = ntd_fs_options.gid;
	inode->i_op = &ntd_permit_status_operations;
	inode->i_fop = &ntd_status_operations;
	ntd_permit_recall(inode, &ntd_node_status_owner);
}

static void node_inode_init(struct inode *inode, const struct ntd_node *node)
{
	switch (node->kind) {
	case NTD_NODE_STATUS:
		status_init(inode);
		break;
	case NTD_NODE_FOLDER:
		ntd_folder_init(inode, node->folder);
		break;
	case NTD_NODE_REGISTER:
		reg_init(inode, node->reg);
		break;
	case NTD_NODE_ALIAS:
		alias_init(inode, node);
		break;
	case NTD_NODE_LINK:
		link_init(inode, node->link);
		break;
	}
}

struct inode *ntd_inode_get(struct super_block *sb, const struct ntd_node *node)
{
	struct identity id = identity_of(node);
	struct inode *inode = inode_of(sb, &id);

	if (IS_ERR(inode) || !(inode->i_state & I_NEW))
		return inode;
	ntd_inode_init_times(inode);
	node_inode_init(inode, node);
	unlock_new_inode(inode);
	return inode;
}

struct inode *ntd_inode_root(struct super_block *sb)
{
	const struct ntd_node root = { .kind = NTD_NODE_FOLDER, .folder = &ntd_node_root };

	return ntd_inode_get(sb, &root);
}

void ntd_inode_free(struct inode *inode)
{
	if (inode->i_op == &link_operations)
		ntd_link_put(inode->i_private);
	free_inode_nonrcu(inode);
}

/* ---- dentries ---- */

static bool is_here(const struct inode *inode)
{
	const struct ntd_node *node;
	const struct ntd_unit *unit;

	/* chmod(2) may write it now, with a plain write of the VFS's, but with the same type. */
	switch (data_race(inode->i_mode) & S_IFMT) {
	case S_IFDIR:
		return ntd_folder_is_here(inode->i_private);
	case S_IFLNK:
		node = inode->i_private;
		/*
		 * The VFS sees to dentries of the administrator's: they change by its calls alone.
		 */
		return inode->i_op == &link_operations ||
		       (READ_ONCE(node->generation) == inode->i_generation &&
			ntd_node_is_here(node));
	}
	if (inode->i_fop == &ntd_status_operations)
		return true;
	unit = ((const struct ntd_reg *)inode->i_private)->unit;
	return READ_ONCE(unit->is_here) && READ_ONCE(unit->generation) == inode->i_generation;
}

/* Also in RCU mode: units and names stay as long as there is a super block. */
static int dentry_revalidate(struct dentry *dentry, unsigned int flags)
{
	const struct inode *inode = d_inode_rcu(dentry);

	return inode && is_here(inode);
}

/* None is kept that is dead, or of a name that was not there: names come by themselves. */
static int dentry_delete(const struct dentry *dentry)
{
	return d_really_is_negative(dentry) || !is_here(d_inode(dentry));
}

const struct dentry_operations ntd_dentry_operations = {
	.d_revalidate = dentry_revalidate,
	.d_delete = dentry_delete,
};
