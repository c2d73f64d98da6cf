/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The names that there are, whether mounted or not. The file system looks them up here each time;
 * it keeps none of its own, and nothing here waits for it.
 *
 * A name of a unit is made before the unit comes and stays until the module goes; it is shown while
 * the unit is here in the generation that named it. So a unit comes and goes with all its names at
 * once, by nothing but is_here, and to go takes no memory and no lock that a program can hold up.
 */
#ifndef NTD_NODE_H
#define NTD_NODE_H

#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/rcupdate.h>
#include <linux/xarray.h>

#include "driver/ntd.h"

/* What the administrator's links below local/ lead to; lives as long as its name or an inode. */
struct ntd_link {
	struct kref ref;
	struct rcu_head rcu;
	unsigned long ino;
	struct ntd_owner owner;
	char target[];
};

/* Lives until the module goes, as do all names in it but the administrator's. */
struct ntd_folder {
	/*
	 * struct ntd_node by position, which is what a listing remembers: each name keeps its own
	 * while others come and go, and a new one is behind all. Changed by the driver under
	 * ntd_tree_lock; the administrator's links under the lock of the folder's inode.
	 */
	struct xarray names;
	u32 last; /* where to look for the next free position */
	unsigned long ino;
	struct ntd_unit *unit; /* it is here with this; NULL: while anything in it is */
	struct ntd_owner owner;
	bool is_local;
	unsigned int links; /* of the administrator in it */
};

enum ntd_node_kind {
	NTD_NODE_STATUS,
	NTD_NODE_FOLDER,
	NTD_NODE_REGISTER, /* a register can have several: hard links */
	NTD_NODE_ALIAS, /* symbolic link of the driver's */
	NTD_NODE_LINK, /* symbolic link of the administrator's */
};

/* One name in one folder. */
struct ntd_node {
	enum ntd_node_kind kind;
	u32 hash; /* of the name */
	u32 position; /* in its folder */
	unsigned long ino; /* NTD_NODE_STATUS, NTD_NODE_ALIAS; others: of what they name */
	/* It is shown while this is here in that generation; NULL: always. */
	struct ntd_unit *unit;
	unsigned int generation;
	struct ntd_folder *folder; /* NTD_NODE_FOLDER; NTD_NODE_ALIAS: shown only while this is */
	struct ntd_reg *reg; /* NTD_NODE_REGISTER; NTD_NODE_ALIAS: or NULL */
	struct ntd_link *link; /* NTD_NODE_LINK, with a reference */
	const char *target; /* NTD_NODE_ALIAS: behind the name */
	struct rcu_head rcu;
	char name[];
};

/* First position in a folder: "." and ".." are before. */
#define NTD_NODE_FIRST 2

extern struct ntd_folder ntd_node_root;
extern struct ntd_owner ntd_node_status_owner;

/**
 * ntd_node_init() - the root with "status" in it
 *
 * Return: 0 or -ENOMEM.
 */
int ntd_node_init(void);

/**
 * ntd_node_exit() - forget all names
 *
 * When nothing is mounted any more.
 */
void ntd_node_exit(void);

/**
 * ntd_node_folder() - the folder of a name, made if there is none
 * @in: where
 * @name: of the folder
 *
 * Context: under ntd_tree_lock.
 * Return: the folder, or ERR_PTR(-ENOMEM).
 */
struct ntd_folder *ntd_node_folder(struct ntd_folder *in, const char *name);

/**
 * ntd_folder_belongs() - a folder is of a unit, and is shown while that is here
 * @folder: of no other
 * @unit: whose it is
 * @is_local: the administrator makes links in it
 *
 * The first call decides for ever, before the unit is here for the first time: folders are read
 * without a lock.
 *
 * Context: under ntd_tree_lock.
 */
void ntd_folder_belongs(struct ntd_folder *folder, struct ntd_unit *unit, bool is_local);

/**
 * ntd_node_show() - have a name shown when its unit comes
 * @in: where
 * @name: to be copied
 * @like: what it is of: all but hash, ino and generation
 *
 * If another name of the unit's generation is the same, that one has it and this one is not shown.
 *
 * Context: under ntd_tree_lock, while the unit is not here.
 * Return: 0 or -ENOMEM.
 */
int ntd_node_show(struct ntd_folder *in, const char *name, const struct ntd_node *like);

/**
 * ntd_node_new() - a name that is in no folder yet
 * @kind: what it is
 * @name: to be copied
 * @target: to be copied; NULL: none
 * @gfp: how
 *
 * Return: the node, for ntd_node_add() or kfree(), or NULL.
 */
struct ntd_node *ntd_node_new(enum ntd_node_kind kind, const char *name, const char *target,
			      gfp_t gfp);

/**
 * ntd_node_add() - put it into a folder, behind all others
 * @in: where
 * @node: consumed on success
 * @gfp: how
 *
 * Return: 0, -ENOMEM or -EBUSY (no position is left).
 */
int ntd_node_add(struct ntd_folder *in, struct ntd_node *node, gfp_t gfp);

/**
 * ntd_node_remove() - take an administrator's name out of its folder and forget it
 * @in: where it is
 * @node: NTD_NODE_LINK
 *
 * Context: under the lock of the folder's inode.
 */
void ntd_node_remove(struct ntd_folder *in, struct ntd_node *node);

/**
 * ntd_node_find() - what a folder shows under a name
 * @in: where
 * @name: need not end with a zero byte
 * @length: of @name
 *
 * Context: no lock; for the administrator's names that of the folder's inode.
 * Return: the node, or NULL. It stays; one of the administrator's as long as the lock is held.
 */
struct ntd_node *ntd_node_find(struct ntd_folder *in, const char *name, size_t length);

/* A name as a listing has it: a copy, so that nothing is held while it is passed on. */
struct ntd_entry {
	unsigned long ino;
	unsigned int type; /* DT_* */
	unsigned int length;
	char name[NAME_MAX + 1];
};

/**
 * ntd_node_next() - the next name that a folder shows
 * @in: where
 * @position: from which on to look; set to where it is
 * @entry: filled in
 *
 * Return: whether there is one.
 */
bool ntd_node_next(struct ntd_folder *in, unsigned long *position, struct ntd_entry *entry);

/**
 * ntd_node_is_here() - is a name shown now?
 * @node: any
 *
 * Context: any; it may change at once.
 */
bool ntd_node_is_here(const struct ntd_node *node);

/**
 * ntd_folder_is_here() - is a folder?
 * @folder: any
 *
 * Context: any; it may change at once.
 */
bool ntd_folder_is_here(struct ntd_folder *folder);

/**
 * ntd_link_new() - what an administrator's link leads to
 * @target: to be copied
 *
 * Return: a reference for ntd_link_put(), or NULL.
 */
struct ntd_link *ntd_link_new(const char *target);

/**
 * ntd_link_put() - give back a reference
 * @link: or NULL
 *
 * Context: any. Path walks may read it for a grace period.
 */
void ntd_link_put(struct ntd_link *link);

#endif
