// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Where units and registers are in the tree, and how they are called there. */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/base/names.h"
#include "driver/access.h"
#include "driver/names.h"
#include "driver/node.h"
#include "driver/tree.h"

/* The folder at a path, made with all above it as needed. */
static struct ntd_folder *folder_at(const char *path)
{
	struct ntd_folder *folder = &ntd_node_root;
	char *copy = kstrdup(path, GFP_KERNEL), *rest = copy, *name;

	if (!copy)
		return ERR_PTR(-ENOMEM);
	while (!IS_ERR(folder) && (name = strsep(&rest, "/")))
		folder = ntd_node_folder(folder, name);
	kfree(copy);
	return folder;
}

/* ---- units ---- */

/* core%u/uncore is there when the package's folder is. */
static int link_package(struct ntd_unit *core)
{
	struct ntd_node like = { .kind = NTD_NODE_ALIAS, .unit = core };
	char target[32];

	scnprintf(target, sizeof(target), "../uncore%u", ntd_package_of(core->number));
	like.target = target;
	like.folder = ntd_node_folder(&ntd_node_root, target + 3);
	if (IS_ERR(like.folder))
		return PTR_ERR(like.folder);
	return ntd_node_show(core->dir, "uncore", &like);
}

int ntd_names_unit(struct ntd_unit *unit)
{
	struct ntd_folder *dir = folder_at(unit->folder), *local;

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	unit->dir = dir;
	if (unit->kind != NTD_UNIT_CORE)
		return 0;
	local = ntd_node_folder(dir, "local");
	if (IS_ERR(local))
		return PTR_ERR(local);
	ntd_folder_belongs(local, unit, true);
	ntd_folder_belongs(dir, unit, false);
	return link_package(unit);
}

/* ---- registers ---- */

static void file_name(const struct ntd_reg *reg, char *name, size_t size)
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

/* In @folder of the unit's, NULL: in the unit's itself. */
static int show(struct ntd_reg *reg, enum ntd_node_kind kind, const char *folder, const char *name,
		const char *target)
{
	struct ntd_node like = { .kind = kind, .unit = reg->unit, .reg = reg, .target = target };
	struct ntd_folder *dir = reg->unit->dir;

	if (folder)
		dir = ntd_node_folder(dir, folder);
	return IS_ERR(dir) ? PTR_ERR(dir) : ntd_node_show(dir, name, &like);
}

static int show_aliases(struct ntd_reg *reg, const char *target)
{
	const struct ntd_unit *unit = reg->unit;
	struct ntd_pmc pmc;
	char name[NTHW_NAME_SIZE];
	int ret = 0;

	nthw_reg_name(reg->row, reg->index, name, sizeof(name));
	if (unit->names)
		ret = show(reg, NTD_NODE_ALIAS, unit->names, name, target);
	if (ret || unit->kind == NTD_UNIT_DEVICE)
		return ret;
	nthw_reg_linux_name(reg->row, reg->index, name, sizeof(name));
	if (name[0])
		ret = show(reg, NTD_NODE_ALIAS, "perf", name, target);
	if (ret || unit->kind != NTD_UNIT_CORE || !ntd_arch_is_pmc(reg->row, reg->index, &pmc))
		return ret;
	scnprintf(name, sizeof(name), "%s%u", pmc.is_fixed ? "fixed" : "", pmc.number);
	return show(reg, NTD_NODE_REGISTER, "pmc", name, NULL);
}

int ntd_names_reg(struct ntd_reg *reg)
{
	const char *folder = NULL;
	char name[16], target[40];
	int ret;

	lockdep_assert_held(&ntd_tree_lock);
	if (!ntd_reg_is_readable(reg) && !ntd_reg_is_writable(reg))
		return 0;
	if (reg->unit->kind != NTD_UNIT_DEVICE)
		folder = space_folder(reg->row->space);
	file_name(reg, name, sizeof(name));
	ret = show(reg, NTD_NODE_REGISTER, folder, name, NULL);
	if (ret)
		return ret;
	scnprintf(target, sizeof(target), "../%s%s%s", folder ?: "", folder ? "/" : "", name);
	return show_aliases(reg, target);
}
