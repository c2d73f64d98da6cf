// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Units as folders: the files of their registers, under all their names. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/fsnotify.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "core/base/names.h"
#include "driver/access.h"
#include "driver/compat.h"
#include "driver/file.h"
#include "driver/fs.h"
#include "driver/node.h"
#include "driver/permit.h"
#include "driver/tree.h"

static struct inode *reg_inode(struct ntd_reg *reg)
{
	struct inode *inode =
		ntd_inode_new(S_IFREG, ntd_fs_options.uid, ntd_fs_options.gid);

	if (!inode)
		return NULL;
	ntd_tree_get(reg->unit); /* ntd_evict_inode() puts it */
	inode->i_private = reg;
	inode->i_generation = reg->unit->shown;
	inode->i_op = &ntd_permit_register_operations;
	inode->i_fop = &ntd_file_operations;
	inode->i_size = NTD_TEXT_BYTES;
	ntd_permit_register_init(inode);
	return inode;
}

static void reg_file_name(const struct ntd_reg *reg, char *name, size_t size)
{
	switch (reg->row->space) {
	case NTHW_SPACE_PCI:
		scnprintf(name, size, "0x%03x", reg->addr);
		break;
	case NTHW_SPACE_MMIO:
		scnprintf(name, size, "0x%06x", reg->addr);
		break;
	default:
		scnprintf(name, size, "0x%x", reg->addr);
	}
}

/* Folder of registers in a unit of a CPU or package. */
static const char *space_folder(enum nthw_space space)
{
	switch (space) {
	case NTHW_SPACE_MSR:
		return "msr";
	case NTHW_SPACE_CP15:
		return "cp15";
	case NTHW_SPACE_SYSREG:
		return "sysreg";
	case NTHW_SPACE_PMSEL:
		return "pmsel";
	default:
		return "other";
	}
}

/* The register under another name: the same inode, so that its permissions are the same. */
static int reg_hard_link(struct dentry *dir, const char *folder, const char *name,
			 struct inode *inode)
{
	struct dentry *parent = ntd_folder_make(dir, folder), *dentry;

	if (IS_ERR(parent))
		return PTR_ERR(parent);
	ihold(inode);
	inode_lock(d_inode(parent));
	dentry = ntd_node_add(parent, name, inode);
	if (!IS_ERR(dentry)) {
		inc_nlink(inode);
		fsnotify_create(d_inode(parent), dentry);
	}
	inode_unlock(d_inode(parent));
	return PTR_ERR_OR_ZERO(dentry);
}

static int reg_alias(struct dentry *dir, const char *folder, const char *name, const char *target)
{
	struct dentry *parent = ntd_folder_make(dir, folder);
	int ret;

	if (IS_ERR(parent))
		return PTR_ERR(parent);
	ret = ntd_link_make(parent, name, target);
	return ret == -EEXIST ? 0 : ret; /* two rows, one name: the first has it */
}

static int reg_show_aliases(struct dentry *dir, const struct ntd_reg *reg, const char *target)
{
	const struct ntd_unit *unit = reg->unit;
	struct ntd_pmc pmc;
	char name[NTHW_NAME_SIZE];
	int ret = 0;

	nthw_reg_name(reg->row, reg->index, name, sizeof(name));
	if (unit->names)
		ret = reg_alias(dir, unit->names, name, target);
	if (ret || unit->kind == NTD_UNIT_DEVICE)
		return ret;
	nthw_reg_linux_name(reg->row, reg->index, name, sizeof(name));
	if (name[0])
		ret = reg_alias(dir, "perf", name, target);
	if (ret || unit->kind != NTD_UNIT_CORE)
		return ret;
	if (ntd_arch_is_pmc(reg->row, reg->index, &pmc)) {
		scnprintf(name, sizeof(name), "%s%u", pmc.is_fixed ? "fixed" : "", pmc.number);
		ret = reg_hard_link(dir, "pmc", name, reg->inode);
	}
	return ret == -EEXIST ? 0 : ret;
}

static int reg_show(struct dentry *dir, struct ntd_reg *reg)
{
	const char *folder = NULL;
	struct dentry *parent = dir, *dentry;
	struct inode *inode;
	char name[16], target[40];

	if (reg->unit->kind != NTD_UNIT_DEVICE) {
		folder = space_folder(reg->row->space);
		parent = ntd_folder_make(dir, folder);
		if (IS_ERR(parent))
			return PTR_ERR(parent);
	}
	inode = reg_inode(reg);
	if (!inode)
		return -ENOMEM;
	reg_file_name(reg, name, sizeof(name));
	inode_lock(d_inode(parent));
	dentry = ntd_node_add(parent, name, inode);
	if (!IS_ERR(dentry)) {
		reg->inode = inode;
		fsnotify_create(d_inode(parent), dentry);
	}
	inode_unlock(d_inode(parent));
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	scnprintf(target, sizeof(target), "../%s%s%s", folder ?: "", folder ? "/" : "", name);
	return reg_show_aliases(dir, reg, target);
}

/* ---- units ---- */

/* core%u/uncore is there when the package's folder is. */
static int link_package(const struct ntd_unit *core)
{
	struct dentry *dir = ntd_folder_at(core->folder, false), *link, *package;
	char name[24], target[32];

	if (IS_ERR_OR_NULL(dir))
		return PTR_ERR_OR_ZERO(dir);
	scnprintf(name, sizeof(name), "uncore%u", ntd_package_of(core->number));
	package = ntd_node_find(ntd_fs_root, name);
	link = ntd_node_find(dir, "uncore");
	if (package && !link) {
		scnprintf(target, sizeof(target), "../%s", name);
		return ntd_link_make(dir, "uncore", target);
	}
	if (!package && link)
		simple_recursive_removal(link, NULL);
	return 0;
}

static int link_packages(void)
{
	struct ntd_unit *unit;
	int ret = 0;

	list_for_each_entry_lockless(unit, &ntd_tree_units, node)
		if (!ret && unit->kind == NTD_UNIT_CORE)
			ret = link_package(unit);
	return ret;
}

static int unit_show(struct ntd_unit *unit)
{
	struct dentry *dir = NULL;
	struct ntd_reg *reg;
	int ret;

	if (unit->kind == NTD_UNIT_CORE) {
		dir = ntd_folder_at(unit->folder, true);
		if (IS_ERR(dir))
			return PTR_ERR(dir);
		ret = ntd_local_make(dir);
		if (ret)
			return ret;
	}
	list_for_each_entry_lockless(reg, &unit->regs, node) {
		if (READ_ONCE(reg->generation) != unit->shown)
			continue;
		if (!ntd_reg_is_readable(reg) && !ntd_reg_is_writable(reg))
			continue;
		if (!dir)
			dir = ntd_folder_at(unit->folder, true);
		if (IS_ERR(dir))
			return PTR_ERR(dir);
		ret = reg_show(dir, reg);
		if (ret)
			return ret;
	}
	return 0;
}

/* Folders above a unit that has gone, as far as nothing else is in them. */
static void prune(const char *path)
{
	char *copy = kstrdup(path, GFP_KERNEL), *slash;
	struct dentry *dentry;

	while (copy) {
		dentry = ntd_folder_at(copy, false);
		if (IS_ERR(dentry) || (dentry && !simple_empty(dentry)))
			break;
		if (dentry)
			simple_recursive_removal(dentry, NULL);
		slash = strrchr(copy, '/');
		if (!slash)
			break;
		*slash = '\0';
	}
	kfree(copy);
}

static void remove_in(struct dentry *dir, const char *name)
{
	struct dentry *dentry = ntd_node_find(dir, name);

	if (dentry)
		simple_recursive_removal(dentry, NULL);
}

static void unit_hide(struct ntd_unit *unit)
{
	struct dentry *dir;
	struct ntd_reg *reg;

	list_for_each_entry_lockless(reg, &unit->regs, node) {
		if (!reg->inode)
			continue;
		/* No fault maps it again: the unit is not here, or another generation. */
		unmap_mapping_range(reg->inode->i_mapping, PAGE_SIZE, 0, 1);
		reg->inode = NULL;
	}
	unit->shown = 0;
	dir = ntd_folder_at(unit->folder, false);
	if (IS_ERR_OR_NULL(dir))
		return;
	if (unit->kind == NTD_UNIT_PACKAGE) {
		/* Functions on the PCI bus have their folders beside these. */
		remove_in(dir, "msr");
		remove_in(dir, "perf");
		if (unit->names)
			remove_in(dir, unit->names);
	} else {
		simple_recursive_removal(dir, NULL);
	}
	prune(unit->folder);
}

/* ---- following what comes and goes ---- */

/* 0: it is not here. */
static unsigned int unit_generation(struct ntd_unit *unit)
{
	unsigned int generation;

	down_read(&unit->lock);
	generation = unit->is_here ? unit->generation : 0;
	up_read(&unit->lock);
	return generation;
}

/* It may have gone and come back since. */
static int unit_update(struct ntd_unit *unit)
{
	unsigned int generation = unit_generation(unit);

	lockdep_assert_held(&ntd_nodes_lock);
	if (unit->shown == generation)
		return 0;
	if (unit->shown)
		unit_hide(unit);
	unit->shown = generation;
	return generation ? unit_show(unit) : 0;
}

int ntd_fs_show_all(void)
{
	struct ntd_unit *unit;
	int ret = 0;

	list_for_each_entry_lockless(unit, &ntd_tree_units, node)
		if (!ret)
			ret = unit_update(unit);
	return ret ?: link_packages();
}

static void update(struct ntd_unit *unit)
{
	int ret = unit_update(unit);

	if (!ret)
		return;
	pr_err("%s cannot be shown (%d)\n", unit->folder, ret);
	unit_hide(unit);
}

/* Of @only, or of all. */
static void update_units(struct ntd_unit *only)
{
	struct ntd_unit *unit;

	mutex_lock(&ntd_nodes_lock);
	if (!ntd_fs_root)
		goto unlock;
	list_for_each_entry_lockless(unit, &ntd_tree_units, node)
		if (!only || unit == only)
			update(unit);
	if (link_packages())
		pr_err("a link from a CPU to its package could not be made\n");
unlock:
	mutex_unlock(&ntd_nodes_lock);
}

static void update_all(struct work_struct *work)
{
	update_units(NULL);
}

static DECLARE_WORK(update_work, update_all);

void ntd_fs_update(struct ntd_unit *unit)
{
	update_units(unit);
}

void ntd_fs_update_soon(void)
{
	queue_work(system_unbound_wq, &update_work);
}

bool ntd_fs_is_changing(void)
{
	return work_busy(&update_work);
}

void ntd_fs_update_cancel(void)
{
	cancel_work_sync(&update_work);
}
