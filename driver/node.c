// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The names that there are. */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "driver/node.h"
#include "driver/tree.h"

/* Of a listing; 32-bit programs take no more. */
#define POSITIONS XA_LIMIT(NTD_NODE_FIRST, INT_MAX)

struct ntd_folder ntd_node_root = { .names = XARRAY_INIT(ntd_node_root.names, XA_FLAGS_ALLOC),
				    .ino = 1 };
struct ntd_owner ntd_node_status_owner;

/* ---- what is here ---- */

static struct ntd_node *first_here(struct ntd_folder *folder)
{
	struct ntd_node *node;
	unsigned long position;

	xa_for_each(&folder->names, position, node)
		if (ntd_node_is_here(node))
			return node;
	return NULL;
}

/* Folders are four deep at most, and only those above units are asked for what is in them. */
bool ntd_folder_is_here(struct ntd_folder *folder)
{
	const struct ntd_unit *unit;
	bool is_here;

	if (folder == &ntd_node_root)
		return true;
	unit = smp_load_acquire(&folder->unit); /* pairs with ntd_folder_belongs() */
	if (unit)
		return READ_ONCE(unit->is_here);
	rcu_read_lock();
	is_here = first_here(folder);
	rcu_read_unlock();
	return is_here;
}

bool ntd_node_is_here(const struct ntd_node *node)
{
	if (node->unit && (!READ_ONCE(node->unit->is_here) ||
			   READ_ONCE(node->unit->generation) != READ_ONCE(node->generation)))
		return false;
	return !node->folder || ntd_folder_is_here(node->folder);
}

/* ---- finding ---- */

static u32 hash_of(const char *name, size_t length)
{
	return full_name_hash(NULL, name, (unsigned int)length);
}

static bool is_called(const struct ntd_node *node, u32 hash, const char *name, size_t length)
{
	return node->hash == hash && !strncmp(node->name, name, length) && !node->name[length];
}

struct ntd_node *ntd_node_find(struct ntd_folder *in, const char *name, size_t length)
{
	struct ntd_node *node;
	unsigned long position;
	u32 hash = hash_of(name, length);

	rcu_read_lock();
	xa_for_each(&in->names, position, node)
		if (is_called(node, hash, name, length) && ntd_node_is_here(node))
			break;
	rcu_read_unlock();
	return node;
}

static unsigned long ino_of(const struct ntd_node *node)
{
	switch (node->kind) {
	case NTD_NODE_FOLDER:
		return node->folder->ino;
	case NTD_NODE_REGISTER:
		return node->reg->ino;
	case NTD_NODE_LINK:
		return node->link->ino;
	case NTD_NODE_STATUS:
	case NTD_NODE_ALIAS:
		break;
	}
	return node->ino;
}

static unsigned int type_of(const struct ntd_node *node)
{
	switch (node->kind) {
	case NTD_NODE_FOLDER:
		return DT_DIR;
	case NTD_NODE_ALIAS:
	case NTD_NODE_LINK:
		return DT_LNK;
	case NTD_NODE_STATUS:
	case NTD_NODE_REGISTER:
		break;
	}
	return DT_REG;
}

static void entry_fill(struct ntd_entry *entry, const struct ntd_node *node)
{
	entry->ino = ino_of(node);
	entry->type = type_of(node);
	entry->length = (unsigned int)strscpy(entry->name, node->name, sizeof(entry->name));
}

bool ntd_node_next(struct ntd_folder *in, unsigned long *position, struct ntd_entry *entry)
{
	struct ntd_node *node;
	unsigned long at;

	rcu_read_lock();
	xa_for_each_start(&in->names, at, node, *position)
		if (ntd_node_is_here(node))
			break;
	if (node)
		entry_fill(entry, node);
	rcu_read_unlock();
	*position = at;
	return node;
}

/* ---- making ---- */

struct ntd_node *ntd_node_new(enum ntd_node_kind kind, const char *name, const char *target,
			      gfp_t gfp)
{
	size_t length = strlen(name), more = target ? strlen(target) + 1 : 0;
	struct ntd_node *node = kzalloc(struct_size(node, name, length + 1 + more), gfp);

	if (!node)
		return NULL;
	node->kind = kind;
	node->hash = hash_of(name, length);
	node->ino = get_next_ino();
	memcpy(node->name, name, length + 1);
	if (target)
		node->target = memcpy(node->name + length + 1, target, more);
	return node;
}

int ntd_node_add(struct ntd_folder *in, struct ntd_node *node, gfp_t gfp)
{
	int ret = xa_alloc_cyclic(&in->names, &node->position, node, POSITIONS, &in->last, gfp);

	/* 1: the numbers have begun again */
	return ret == 1 ? 0 : ret;
}

static void node_free(struct ntd_node *node)
{
	ntd_link_put(node->link);
	kfree_rcu(node, rcu);
}

void ntd_node_remove(struct ntd_folder *in, struct ntd_node *node)
{
	xa_erase(&in->names, node->position);
	node_free(node);
}

static struct ntd_folder *folder_new(void)
{
	struct ntd_folder *folder = kzalloc(sizeof(*folder), GFP_KERNEL);

	if (!folder)
		return NULL;
	xa_init_flags(&folder->names, XA_FLAGS_ALLOC);
	folder->ino = get_next_ino();
	return folder;
}

/* Shown or not. */
static struct ntd_folder *folder_find(struct ntd_folder *in, const char *name)
{
	size_t length = strlen(name);
	u32 hash = hash_of(name, length);
	struct ntd_node *node;
	unsigned long position;

	lockdep_assert_held(&ntd_tree_lock);
	xa_for_each(&in->names, position, node)
		if (node->kind == NTD_NODE_FOLDER && is_called(node, hash, name, length))
			return node->folder;
	return NULL;
}

struct ntd_folder *ntd_node_folder(struct ntd_folder *in, const char *name)
{
	struct ntd_folder *folder = folder_find(in, name);
	struct ntd_node *node;

	if (folder)
		return folder;
	folder = folder_new();
	node = ntd_node_new(NTD_NODE_FOLDER, name, NULL, GFP_KERNEL);
	if (!folder || !node)
		goto err_free;
	node->folder = folder;
	if (ntd_node_add(in, node, GFP_KERNEL))
		goto err_free;
	return folder;
err_free:
	kfree(node);
	kfree(folder);
	return ERR_PTR(-ENOMEM);
}

void ntd_folder_belongs(struct ntd_folder *folder, struct ntd_unit *unit, bool is_local)
{
	lockdep_assert_held(&ntd_tree_lock);
	if (folder->unit)
		return;
	folder->is_local = is_local;
	smp_store_release(&folder->unit, unit); /* pairs with ntd_folder_is_here() */
}

static bool is_same(const struct ntd_node *node, const struct ntd_node *like)
{
	return node->kind == like->kind && node->unit == like->unit && node->reg == like->reg &&
	       node->folder == like->folder;
}

int ntd_node_show(struct ntd_folder *in, const char *name, const struct ntd_node *like)
{
	size_t length = strlen(name);
	unsigned int generation = like->unit->generation;
	u32 hash = hash_of(name, length);
	struct ntd_node *node, *known = NULL;
	unsigned long position;
	int ret;

	lockdep_assert_held(&ntd_tree_lock);
	xa_for_each(&in->names, position, node) {
		if (!is_called(node, hash, name, length) || node->unit != like->unit)
			continue;
		if (node->generation == generation)
			return 0;
		if (is_same(node, like))
			known = node;
	}
	if (!known) {
		known = ntd_node_new(like->kind, name, like->target, GFP_KERNEL);
		if (!known)
			return -ENOMEM;
		known->unit = like->unit;
		known->reg = like->reg;
		known->folder = like->folder;
		known->generation = generation;
		ret = ntd_node_add(in, known, GFP_KERNEL);
		if (ret)
			kfree(known);
		return ret;
	}
	WRITE_ONCE(known->generation, generation);
	return 0;
}

/* ---- the administrator's links ---- */

struct ntd_link *ntd_link_new(const char *target)
{
	size_t bytes = strlen(target) + 1;
	struct ntd_link *link = kzalloc(struct_size(link, target, bytes), GFP_KERNEL_ACCOUNT);

	if (!link)
		return NULL;
	kref_init(&link->ref);
	link->ino = get_next_ino();
	memcpy(link->target, target, bytes);
	return link;
}

static void link_free(struct kref *ref)
{
	struct ntd_link *link = container_of(ref, struct ntd_link, ref);

	kfree_rcu(link, rcu);
}

void ntd_link_put(struct ntd_link *link)
{
	if (link)
		kref_put(&link->ref, link_free);
}

/* ---- begin and end ---- */

int ntd_node_init(void)
{
	struct ntd_node *node = ntd_node_new(NTD_NODE_STATUS, "status", NULL, GFP_KERNEL);
	int ret;

	if (!node)
		return -ENOMEM;
	ret = ntd_node_add(&ntd_node_root, node, GFP_KERNEL);
	if (ret)
		kfree(node);
	return ret;
}

static void forget(struct ntd_folder *folder)
{
	struct ntd_node *node;
	unsigned long position;

	xa_for_each(&folder->names, position, node) {
		if (node->kind == NTD_NODE_FOLDER) {
			forget(node->folder);
			kfree(node->folder);
		}
		node_free(node);
	}
	xa_destroy(&folder->names);
}

void ntd_node_exit(void)
{
	forget(&ntd_node_root);
}
