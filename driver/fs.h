/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The file system: nodes of units in the one super block, while it is mounted. */
#ifndef NTD_FS_H
#define NTD_FS_H

#include "driver/ntd.h"

/**
 * ntd_fs_update() - nodes of a unit that came; none, and no mappings, of one that went
 * @unit: as it is now
 *
 * Context: none of our locks but device.c's, nor cpu_hotplug_lock: programs that read folders can
 * make it wait. Nothing happens while nothing is mounted.
 */
void ntd_fs_update(struct ntd_unit *unit);

/**
 * ntd_fs_update_soon() - the same for all units, in another thread
 *
 * Context: any.
 */
void ntd_fs_update_soon(void);

/**
 * ntd_fs_is_changing() - is that still to be done?
 *
 * Return: false when nodes are as all units were when they last came or went.
 */
bool ntd_fs_is_changing(void);

/**
 * ntd_fs_update_cancel() - wait until that thread is done
 *
 * When no unit comes or goes any more.
 */
void ntd_fs_update_cancel(void);

/**
 * ntd_fs_show_all() - nodes of all units, when the super block is new
 *
 * Context: under ntd_nodes_lock.
 * Return: 0 or -ENOMEM.
 */
int ntd_fs_show_all(void);

/**
 * ntd_fs_init() - the mount point and the type
 *
 * Return: 0 or what the kernel says. From here on files can be opened.
 */
int ntd_fs_init(void);

/**
 * ntd_fs_exit() - take both back
 *
 * Reached when nothing is mounted.
 */
void ntd_fs_exit(void);

#endif
