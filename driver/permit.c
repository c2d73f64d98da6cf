// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Who may use registers: owner, group and mode of their files, and what those do not say.
 *
 * Root owns the files, and root is also who has nothing but that name: in a container that sees
 * /sys, or after it dropped its capabilities. So writing, and reading what is secret, is for who
 * has CAP_SYS_RAWIO, as /dev/cpu/N/msr asks, or was given it: a user who is not root as owner,
 * anybody by group or by the bits of all others. From outside of the initial user namespace neither
 * is for anybody, because who is root there has chosen his users and groups himself.
 *
 * Asked at each open(2), also of a descriptor's file anew by /proc/self/fd, and of whom the thread
 * is then. A descriptor that is passed on passes on what it may, as everywhere.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>

#include "driver/access.h"
#include "driver/fs.h"
#include "driver/node.h"
#include "driver/permit.h"
#include "driver/status.h"

/* Of every struct ntd_owner. */
static DEFINE_SPINLOCK(owner_lock);

static bool is_outside(void)
{
	return current_user_ns() != &init_user_ns;
}

bool ntd_permit_is_real_root(void)
{
	return !is_outside() && capable(CAP_SYS_RAWIO);
}

/* The owner, unless that is root's name alone. */
static bool is_owner(const struct inode *inode)
{
	return uid_eq(current_fsuid(), inode->i_uid) && !uid_eq(inode->i_uid, GLOBAL_ROOT_UID);
}

/* Do owner, group or mode let this user, without a capability and without the name of root? */
static bool is_given(const struct inode *inode, int mask)
{
	umode_t mode = inode->i_mode;

	if (is_owner(inode))
		mode >>= 6;
	else if (in_group_p(inode->i_gid))
		mode >>= 3;
	return (mode & mask & (MAY_READ | MAY_WRITE)) == (mask & (MAY_READ | MAY_WRITE));
}

/* Beyond what the mode says; why not, in words that end a sentence, or NULL. */
static const char *why_not(const struct inode *inode, int mask)
{
	if (is_outside())
		return "only the initial user namespace may, and this is another";
	if (is_given(inode, mask) || capable(CAP_SYS_RAWIO))
		return NULL;
	return "without CAP_SYS_RAWIO owner, group or mode must give it, to root too";
}

void ntd_permit_recall(struct inode *inode, const struct ntd_owner *owner)
{
	spin_lock(&owner_lock);
	if (owner->is_set) {
		inode->i_uid = owner->uid;
		inode->i_gid = owner->gid;
		inode->i_mode = (inode->i_mode & S_IFMT) | owner->mode;
	}
	spin_unlock(&owner_lock);
}

void ntd_permit_remember(struct ntd_owner *owner, const struct inode *inode)
{
	spin_lock(&owner_lock);
	owner->is_set = true;
	owner->uid = inode->i_uid;
	owner->gid = inode->i_gid;
	owner->mode = inode->i_mode & ~S_IFMT;
	spin_unlock(&owner_lock);
}

static bool changes_owner(const struct iattr *attr)
{
	return attr->ia_valid & (ATTR_MODE | ATTR_UID | ATTR_GID);
}

/* May this thread change them? Beyond what setattr_prepare() asks. */
static int may_change(const struct inode *inode, const struct iattr *attr)
{
	if (!changes_owner(attr))
		return 0;
	if (is_outside() || !(is_owner(inode) || capable(CAP_SYS_RAWIO)))
		return -EPERM;
	return 0;
}

/* To be remembered by the caller. */
static int change(struct ntd_idmap *idmap, struct dentry *dentry, struct iattr *attr)
{
	int ret = setattr_prepare(idmap, dentry, attr);

	if (!ret)
		ret = may_change(d_inode(dentry), attr);
	if (!ret)
		setattr_copy(idmap, d_inode(dentry), attr);
	return ret;
}

int ntd_permit_setattr(struct ntd_idmap *idmap, struct dentry *dentry, struct iattr *attr,
		       struct ntd_owner *owner)
{
	int ret = change(idmap, dentry, attr);

	if (!ret && changes_owner(attr))
		ntd_permit_remember(owner, d_inode(dentry));
	return ret;
}

int ntd_permit_folder(struct ntd_idmap *idmap, struct inode *inode, int mask)
{
	int ret = generic_permission(idmap, inode, mask);

	if (ret || !(mask & MAY_WRITE))
		return ret;
	return why_not(inode, mask) ? -EPERM : 0;
}

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

	init_by_mount(reg, inode);
	ntd_permit_recall(inode, &reg->owner);
	inode->i_mode = register_mode(reg, inode->i_mode);
}

static int register_permission(struct ntd_idmap *idmap, struct inode *inode, int mask)
{
	const struct ntd_reg *reg = inode->i_private;
	int ret = generic_permission(idmap, inode, mask);
	const char *why;

	if (ret || !(mask & (MAY_WRITE | (reg->row->secret ? MAY_READ : 0))))
		return ret;
	why = why_not(inode, mask);
	if (!why)
		return 0;
	/* Whoever only asks, as access(2) does, was refused nothing. */
	if (mask & MAY_OPEN)
		ntd_status_refuse(reg, -EPERM, why);
	return -EPERM;
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
	ret = change(idmap, dentry, &wanted);
	/* Of a file that is still in the tree, not of one that is only held open. */
	if (!ret && changes_owner(&wanted) &&
	    inode->i_generation == READ_ONCE(reg->unit->generation))
		ntd_permit_remember(&reg->owner, inode);
	return ret;
}

const struct inode_operations ntd_permit_register_operations = {
	.permission = register_permission,
	.setattr = register_setattr,
};

static int status_setattr(struct ntd_idmap *idmap, struct dentry *dentry, struct iattr *attr)
{
	return ntd_permit_setattr(idmap, dentry, attr, &ntd_node_status_owner);
}

const struct inode_operations ntd_permit_status_operations = {
	.setattr = status_setattr,
};
