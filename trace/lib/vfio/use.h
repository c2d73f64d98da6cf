/* SPDX-License-Identifier: MIT */
/* Who would miss a PCI function if its driver let go of it. */
#ifndef NTI_VFIO_USE_H
#define NTI_VFIO_USE_H

#include <stddef.h>

#include "trace/lib/vfio/group.h"

/*
 * Is it unsafe to take @f from its driver? 1 and in @why what would be lost ("the disk sda1 on it
 * is mounted on /"), 0, or -ENOMEM. Disks that are in use without being mounted are only seen by
 * root.
 */
int nti_vfio_use(struct nti_os *os, const struct nti_vfio_function *f, char *why, size_t size);

/* Does a program have the group open? 1, 0; -EACCES: only root can know. */
int nti_vfio_group_is_open(struct nti_os *os, unsigned int number);

#endif
