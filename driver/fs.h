/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The file system: its type, and the one super block. */
#ifndef NTD_FS_H
#define NTD_FS_H

#include <linux/types.h>
#include <linux/uidgid.h>

/* Of the mount that made the super block; they do not change while there is one. */
struct ntd_fs_options {
	bool has_uid, has_gid, has_mode; /* given, not the default */
	kuid_t uid;
	kgid_t gid;
	umode_t mode;
};

extern struct ntd_fs_options ntd_fs_options;

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
