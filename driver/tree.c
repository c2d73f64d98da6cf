// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The units that there are: found, made, shown and hidden. */
#include <linux/err.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "driver/access.h"
#include "driver/fs.h"
#include "driver/tree.h"

/*
 * Of the list of units and of their lists of registers. Both only grow, so that who makes nodes
 * walks them without it.
 */
DEFINE_MUTEX(ntd_tree_lock);
LIST_HEAD(ntd_tree_units);

static void unit_free(struct kref *ref)
{
	struct ntd_unit *unit = container_of(ref, struct ntd_unit, ref);
	struct ntd_reg *reg, *next;

	list_for_each_entry_safe(reg, next, &unit->regs, node) {
		mutex_destroy(&reg->lock);
		kfree(reg);
	}
	mutex_destroy(&unit->mapped_lock);
	kfree(unit->folder);
	kfree(unit);
}

struct ntd_unit *ntd_tree_get(struct ntd_unit *unit)
{
	kref_get(&unit->ref);
	return unit;
}

void ntd_tree_put(struct ntd_unit *unit)
{
	if (unit)
		kref_put(&unit->ref, unit_free);
}

static struct ntd_unit *unit_find(const char *folder)
{
	struct ntd_unit *unit;

	lockdep_assert_held(&ntd_tree_lock);
	list_for_each_entry(unit, &ntd_tree_units, node)
		if (!strcmp(unit->folder, folder))
			return unit;
	return NULL;
}

static struct ntd_unit *unit_new(enum ntd_unit_kind kind, unsigned int number, const char *folder)
{
	struct ntd_unit *unit = kzalloc(sizeof(*unit), GFP_KERNEL);

	if (!unit)
		return NULL;
	unit->folder = kstrdup(folder, GFP_KERNEL);
	if (!unit->folder) {
		kfree(unit);
		return NULL;
	}
	kref_init(&unit->ref);
	unit->kind = kind;
	unit->number = number;
	init_rwsem(&unit->lock);
	INIT_LIST_HEAD(&unit->regs);
	INIT_LIST_HEAD(&unit->mapped);
	mutex_init(&unit->mapped_lock);
	return unit;
}

struct ntd_unit *ntd_tree_unit(enum ntd_unit_kind kind, unsigned int number, const char *folder,
			       const char *names)
{
	struct ntd_unit *unit;

	mutex_lock(&ntd_tree_lock);
	unit = unit_find(folder);
	if (!unit) {
		unit = unit_new(kind, number, folder);
		if (!unit) {
			mutex_unlock(&ntd_tree_lock);
			return ERR_PTR(-ENOMEM);
		}
		list_add_tail_rcu(&unit->node, &ntd_tree_units);
	}
	if (!unit->is_here) {
		unit->number = number;
		unit->names = names;
	}
	ntd_tree_get(unit);
	mutex_unlock(&ntd_tree_lock);
	return unit;
}

static struct ntd_reg *reg_find(struct ntd_unit *unit, const struct nthw_reg *row, u32 index)
{
	struct ntd_reg *reg;

	lockdep_assert_held(&ntd_tree_lock);
	list_for_each_entry(reg, &unit->regs, node)
		if (reg->row == row && reg->index == index)
			return reg;
	return NULL;
}

int ntd_tree_add_reg(struct ntd_unit *unit, const struct nthw_table *table,
		     const struct nthw_reg *row, u32 index)
{
	struct ntd_reg *reg;
	int ret = 0;

	mutex_lock(&ntd_tree_lock);
	reg = reg_find(unit, row, index);
	if (!reg) {
		reg = kzalloc(sizeof(*reg), GFP_KERNEL);
		if (!reg) {
			ret = -ENOMEM;
			goto unlock;
		}
		reg->unit = unit;
		reg->table = table;
		reg->row = row;
		reg->index = index;
		reg->addr = row->addr + row->step * index;
		mutex_init(&reg->lock);
		list_add_tail_rcu(&reg->node, &unit->regs);
	}
	WRITE_ONCE(reg->generation, unit->generation + 1);
unlock:
	mutex_unlock(&ntd_tree_lock);
	return ret;
}

/*
 * Nodes of CPUs follow later: their locks may be held by programs that touch memory for as long as
 * they like, and CPUs must not wait for that. The memory of a device must not stay mapped.
 */
static void show_change(struct ntd_unit *unit)
{
	if (unit->kind == NTD_UNIT_DEVICE)
		ntd_fs_update(unit);
	else
		ntd_fs_update_soon();
}

void ntd_tree_come(struct ntd_unit *unit, struct ntd_device *device)
{
	mutex_lock(&ntd_tree_lock);
	down_write(&unit->lock);
	unit->device = device;
	WRITE_ONCE(unit->generation, unit->generation + 1);
	WRITE_ONCE(unit->is_here, true);
	up_write(&unit->lock);
	mutex_unlock(&ntd_tree_lock);
	show_change(unit);
}

void ntd_tree_go(struct ntd_unit *unit, bool is_reachable)
{
	bool was_here;

	mutex_lock(&ntd_tree_lock);
	was_here = unit->is_here;
	if (was_here)
		ntd_access_cut(unit, is_reachable);
	mutex_unlock(&ntd_tree_lock);
	if (was_here)
		show_change(unit);
}

void ntd_tree_exit(void)
{
	struct ntd_unit *unit, *next;

	ntd_fs_update_cancel();
	mutex_lock(&ntd_tree_lock);
	list_for_each_entry_safe(unit, next, &ntd_tree_units, node) {
		list_del(&unit->node);
		ntd_tree_put(unit);
	}
	mutex_unlock(&ntd_tree_lock);
}
