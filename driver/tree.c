// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The units that there are: found, made, shown and hidden. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "driver/access.h"
#include "driver/names.h"
#include "driver/node.h"
#include "driver/tree.h"

/*
 * Of the list of units, of their lists of registers, and of the driver's names. All only grow, so
 * that they are read without it.
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
	int ret = 0;

	mutex_lock(&ntd_tree_lock);
	unit = unit_find(folder);
	if (!unit) {
		unit = unit_new(kind, number, folder);
		if (!unit) {
			ret = -ENOMEM;
			goto unlock;
		}
		list_add_tail_rcu(&unit->node, &ntd_tree_units);
	}
	if (!unit->is_here) {
		unit->names = names;
		/* Of what was named before, for a coming that failed too, nothing is shown. */
		WRITE_ONCE(unit->generation, unit->generation + 1);
		ret = ntd_names_unit(unit);
	}
	if (!ret)
		ntd_tree_get(unit);
unlock:
	mutex_unlock(&ntd_tree_lock);
	return ret ? ERR_PTR(ret) : unit;
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
		reg->ino = get_next_ino();
		mutex_init(&reg->lock);
		list_add_tail_rcu(&reg->node, &unit->regs);
	}
	WRITE_ONCE(reg->generation, unit->generation);
	ret = ntd_names_reg(reg);
unlock:
	mutex_unlock(&ntd_tree_lock);
	return ret;
}

void ntd_tree_come(struct ntd_unit *unit, struct ntd_device *device)
{
	mutex_lock(&ntd_tree_lock);
	down_write(&unit->lock);
	unit->device = device;
	WRITE_ONCE(unit->is_here, true);
	up_write(&unit->lock);
	mutex_unlock(&ntd_tree_lock);
}

void ntd_tree_go(struct ntd_unit *unit, bool is_reachable)
{
	mutex_lock(&ntd_tree_lock);
	if (unit->is_here)
		ntd_access_cut(unit, is_reachable);
	mutex_unlock(&ntd_tree_lock);
}

void ntd_tree_exit(void)
{
	struct ntd_unit *unit, *next;

	mutex_lock(&ntd_tree_lock);
	ntd_node_exit();
	list_for_each_entry_safe(unit, next, &ntd_tree_units, node) {
		list_del(&unit->node);
		ntd_tree_put(unit);
	}
	mutex_unlock(&ntd_tree_lock);
}
