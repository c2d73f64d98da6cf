// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Who may use registers: owner, group and mode of their files. */
#include <linux/fs.h>
#include <linux/mutex.h>

#include "driver/access.h"
#include "driver/compat.h"
#include "driver/node.h"
#include "driver/permit.h"

/* Of @mode, the bits that have an effect on this register. */
static umode_t register_mode(const struct ntd_reg *reg, umode_t mode)
{
	umode_t allowed = 0;

	if (ntd_reg_is_readable(reg))
		allowed |= 0444;
	if (ntd_reg_is_writable(reg))
		allowed |= 0222;
	return S_IFREG | (mode & allowed);
}

/*
 * Options of a mount speak of all registers at once, and who gives a group all counts has not said
 * that it may have what the rows call secret.
 */
static void init_by_mount(const struct ntd_reg *reg, struct inode *inode)
{
	bool is_secret = reg->row->secret;

	inode->i_uid = is_secret ? GLOBAL_ROOT_UID : ntd_fs_options.uid;
	inode->i_gid = is_secret ? GLOBAL_ROOT_GID : ntd_fs_options.gid;
	inode->i_mode = register_mode(reg, 0200 | (is_secret ? 0400 : ntd_fs_options.mode));
}

void ntd_permit_register_init(struct inode *inode)
{
	struct ntd_reg *reg = inode->i_private;

	lockdep_assert_held(&ntd_nodes_lock);
	init_by_mount(reg, inode);
	mutex_lock(&reg->lock);
	if (reg->has_owner) {
		inode->i_uid = reg->uid;
		inode->i_gid = reg->gid;
		inode->i_mode = register_mode(reg, reg->mode);
	}
	mutex_unlock(&reg->lock);
}

static int register_setattr(struct ntd_idmap *idmap, struct dentry *dentry, struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);
	struct ntd_reg *reg = inode->i_private;
	struct iattr wanted = *attr;
	int ret;

	/* A register has no length: truncating one, as shells do before they write, is nothing. */
	wanted.ia_valid &= ~ATTR_SIZE;
	if (wanted.ia_valid & ATTR_MODE)
		wanted.ia_mode = register_mode(reg, wanted.ia_mode);
	ret = setattr_prepare(idmap, dentry, &wanted);
	if (ret)
		return ret;
	setattr_copy(idmap, inode, &wanted);
	if (!(wanted.ia_valid & (ATTR_MODE | ATTR_UID | ATTR_GID)))
		return 0;
	mutex_lock(&reg->lock);
	/* Of a file that is still in the tree, not of one that is only held open. */
	if (inode->i_generation == READ_ONCE(reg->unit->generation)) {
		reg->has_owner = true;
		reg->uid = inode->i_uid;
		reg->gid = inode->i_gid;
		reg->mode = inode->i_mode & 07777;
	}
	mutex_unlock(&reg->lock);
	return 0;
}

const struct inode_operations ntd_permit_register_operations = {
	.setattr = register_setattr,
};
