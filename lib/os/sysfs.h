/* SPDX-License-Identifier: MIT */
/*
 * The files below /sys/bus/event_source/devices, read through struct nti_os: one small text each.
 */
#ifndef NTI_SYSFS_H
#define NTI_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/compiler.h"
#include "lib/os/os.h"

#define NTI_SYSFS_DEVICES "/sys/bus/event_source/devices"
#define NTI_SYSFS_LINE_BYTES 4096 /* sysfs shows at most one page */
#define NTI_SYSFS_PATH_BYTES 512

/* List a directory, see nti_os_ops.list. */
int nti_sysfs_list(struct nti_os *os, int (*fn)(void *arg, const char *name), void *arg,
		   const char *path, ...) NTI_PRINTF(4, 5);

/*
 * True when @name may become one component of a path: not empty, no slash, not . or .., of sane
 * length.
 */
bool nti_sysfs_is_component(const char *name);

#endif
