/* SPDX-License-Identifier: MIT */
/* PCI functions, and the IOMMU group that they are lent with: what sysfs says of them now. */
#ifndef NTI_VFIO_GROUP_H
#define NTI_VFIO_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/common/error.h"
#include "base/os/os.h"

#define NTI_VFIO_DEVICES "/sys/bus/pci/devices"
#define NTI_VFIO_DRIVERS "/sys/bus/pci/drivers"
#define NTI_VFIO_DRIVER "vfio-pci"

/* "10000:e1:00.0": domains of Intel's VMD have five digits. */
#define NTI_VFIO_NAME_BYTES 16
#define NTI_VFIO_DRIVER_BYTES 64
/*
 * More functions than one bus has do not share a group without a bridge that is broken for this
 * purpose.
 */
#define NTI_VFIO_FUNCTIONS_MAX 256

struct nti_vfio_function {
	char name[NTI_VFIO_NAME_BYTES];
	char driver[NTI_VFIO_DRIVER_BYTES];   /* "": none */
	char override[NTI_VFIO_DRIVER_BYTES]; /* driver_override, "": none */
	uint32_t vendor_device, pci_class;
	bool is_bridge; /* stays where it is */
};

struct nti_vfio_group {
	unsigned int number;
	size_t n;
	struct nti_vfio_function function[];
};

/* "5:0.0" has the name "0000:05:00.0". 0, -EINVAL. */
int nti_vfio_place(const char *text, char *name);

/* As it is now. 0, -ENODEV. */
int nti_vfio_function_load(struct nti_os *os, const char *name, struct nti_vfio_function *out);

/*
 * The group of @card, a place as people write it, into new memory that the caller frees. 0, or with
 * a sentence -EINVAL, -ENODEV, -ENOTSUP (no group, or one with devices that are none of PCI),
 * -E2BIG, -ENOMEM.
 */
int nti_vfio_group_load(struct nti_os *os, const char *card, struct nti_vfio_group **out,
			struct nti_error *e);

bool nti_vfio_is_lent(const struct nti_vfio_function *f);

#endif
