/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Folders as the kernel's file system layer has them. */
#ifndef NTD_FOLDER_H
#define NTD_FOLDER_H

#include <linux/fs.h>

#include "driver/node.h"

/**
 * ntd_folder_init() - make a new inode that of a folder
 * @inode: whose owner and mode are what the administrator set, or else what the mount says
 * @folder: its
 */
void ntd_folder_init(struct inode *inode, struct ntd_folder *folder);

#endif
