// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The file system: one super block for all mounts. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/fs_parser.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/user_namespace.h>

#include "driver/compat.h"
#include "driver/fs.h"
#include "driver/inode.h"
#include "driver/permit.h"
#include "include/uapi/ntime.h"

struct ntd_fs_options ntd_fs_options;

static int ntd_show_options(struct seq_file *m, struct dentry *root)
{
	/* They do not change while there is a super block. */
	if (ntd_fs_options.has_uid)
		seq_printf(m, ",uid=%u", from_kuid_munged(&init_user_ns, ntd_fs_options.uid));
	if (ntd_fs_options.has_gid)
		seq_printf(m, ",gid=%u", from_kgid_munged(&init_user_ns, ntd_fs_options.gid));
	if (ntd_fs_options.has_mode)
		seq_printf(m, ",mode=%04o", ntd_fs_options.mode);
	return 0;
}

static const struct super_operations super_operations = {
	.statfs = simple_statfs,
	.drop_inode = generic_delete_inode,
	.free_inode = ntd_inode_free,
	.show_options = ntd_show_options,
};

enum { OPTION_UID, OPTION_GID, OPTION_MODE };

static const struct fs_parameter_spec parameters[] = {
	fsparam_u32("uid", OPTION_UID),
	fsparam_u32("gid", OPTION_GID),
	fsparam_u32oct("mode", OPTION_MODE),
	{}
};

static int ntd_parse_param(struct fs_context *fc, struct fs_parameter *param)
{
	struct ntd_fs_options *options = fc->fs_private;
	struct fs_parse_result result;
	int option = fs_parse(fc, parameters, param, &result);

	if (option < 0)
		return option;
	switch (option) {
	case OPTION_UID:
		options->uid = make_kuid(fc->user_ns, result.uint_32);
		if (!uid_valid(options->uid))
			return invalfc(fc, "uid %u does not exist here", result.uint_32);
		options->has_uid = true;
		break;
	case OPTION_GID:
		options->gid = make_kgid(fc->user_ns, result.uint_32);
		if (!gid_valid(options->gid))
			return invalfc(fc, "gid %u does not exist here", result.uint_32);
		options->has_gid = true;
		break;
	case OPTION_MODE:
		if (result.uint_32 & ~0666)
			return invalfc(fc, "mode %o has more than read and write bits",
				       result.uint_32);
		options->mode = result.uint_32;
		options->has_mode = true;
		break;
	}
	return 0;
}

static int ntd_fill_super(struct super_block *sb, struct fs_context *fc)
{
	const struct ntd_fs_options *options = fc->fs_private;
	struct inode *root;

	/* CAP_SYS_ADMIN alone, which the kernel has asked for, makes no policy. */
	if (!ntd_permit_is_real_root()) {
		errorfc(fc, "the first mount needs CAP_SYS_RAWIO in the initial user namespace");
		return -EPERM;
	}
	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_magic = NTIME_FS_MAGIC;
	sb->s_op = &super_operations;
	sb->s_d_op = &ntd_dentry_operations;
	sb->s_time_gran = 1;
	sb->s_maxbytes = MAX_LFS_FILESIZE;
	sb->s_iflags |= SB_I_NOEXEC | SB_I_NODEV;

	ntd_fs_options = *options;
	root = ntd_inode_root(sb);
	if (IS_ERR(root))
		return PTR_ERR(root);
	sb->s_root = d_make_root(root);
	return sb->s_root ? 0 : -ENOMEM;
}

/* Is what was asked for what there is? Under s_umount. */
static bool options_agree(const struct ntd_fs_options *options)
{
	return (!options->has_uid || uid_eq(options->uid, ntd_fs_options.uid)) &&
	       (!options->has_gid || gid_eq(options->gid, ntd_fs_options.gid)) &&
	       (!options->has_mode || options->mode == ntd_fs_options.mode);
}

static int ntd_get_tree(struct fs_context *fc)
{
	struct super_block *sb;
	int ret = get_tree_single(fc, ntd_fill_super);

	if (ret || options_agree(fc->fs_private))
		return ret;
	/* s_umount is held, and goes with the reference. */
	sb = fc->root->d_sb;
	dput(fc->root);
	fc->root = NULL;
	deactivate_locked_super(sb);
	errorfc(fc, "it is mounted already, with another uid, gid or mode");
	return -EBUSY;
}

static int ntd_reconfigure(struct fs_context *fc)
{
	if (options_agree(fc->fs_private))
		return 0; /* "ro" is the caller's to do */
	return invalfc(fc, "uid, gid and mode are the first mount's: use chown and chmod");
}

static void ntd_free_fc(struct fs_context *fc)
{
	kfree(fc->fs_private);
}

static const struct fs_context_operations context_operations = {
	.parse_param = ntd_parse_param,
	.get_tree = ntd_get_tree,
	.reconfigure = ntd_reconfigure,
	.free = ntd_free_fc,
};

static int ntd_init_fs_context(struct fs_context *fc)
{
	struct ntd_fs_options *options = kzalloc(sizeof(*options), GFP_KERNEL);

	if (!options)
		return -ENOMEM;
	options->uid = GLOBAL_ROOT_UID;
	options->gid = GLOBAL_ROOT_GID;
	options->mode = 0400;
	fc->fs_private = options;
	fc->ops = &context_operations;
	return 0;
}

/*
 * Without MODULE_ALIAS_FS: the kernel looks for a type before it asks whether the caller may mount
 * it (Linux 6.1 fs/namespace.c, do_new_mount()), so that root of any user namespace could load the
 * module. Who wants it loads it by its name.
 */
static struct file_system_type fs_type = {
	.owner = THIS_MODULE,
	.name = NTIME_FS_TYPE,
	.init_fs_context = ntd_init_fs_context,
	.parameters = parameters,
	.kill_sb = kill_anon_super,
};

/* /sys/devices, whose own object modules cannot name: the folder in which the platform bus lies. */
static struct kobject *mount_parent(void)
{
	return platform_bus.kobj.parent;
}

int ntd_fs_init(void)
{
	int ret = sysfs_create_mount_point(mount_parent(), "ntime");

	if (ret)
		return ret;
	ret = register_filesystem(&fs_type);
	if (ret)
		sysfs_remove_mount_point(mount_parent(), "ntime");
	return ret;
}

void ntd_fs_exit(void)
{
	unregister_filesystem(&fs_type);
	sysfs_remove_mount_point(mount_parent(), "ntime");
	rcu_barrier(); /* ntd_inode_free() of the last inodes */
}
