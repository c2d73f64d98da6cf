/* SPDX-License-Identifier: MIT */
/*
 * What functions had before ntime gave them to vfio-pci: a file of /run/ntime-vfio for each IOMMU
 * group, written before the first of its functions is taken and removed when all are given back.
 * Unlike a claim (docs/adr/0011-claims.md) it outlives the command; the lock of the file only keeps
 * two commands apart. Records of an earlier boot are nobody's: the kernel has forgotten the
 * bindings as well.
 *
 *     ntime-vfio-1  BOOT  GROUP
 *     0000:05:00.0  nouveau  -          place, driver, driver_override; separated by tabs, "-" is
 *                                       none
 *     end  1
 */
#ifndef NTI_VFIO_RECORD_H
#define NTI_VFIO_RECORD_H

#include <stdbool.h>

#include "trace/lib/vfio/group.h"

#define NTI_VFIO_DIRECTORY "/run/ntime-vfio"
#define NTI_VFIO_BOOT_BYTES 40

struct nti_vfio_had {
	char name[NTI_VFIO_NAME_BYTES];
	char driver[NTI_VFIO_DRIVER_BYTES], override[NTI_VFIO_DRIVER_BYTES];
};

struct nti_vfio_record {
	char boot[NTI_VFIO_BOOT_BYTES];
	unsigned int group;
	size_t n;
	struct nti_vfio_had had[NTI_VFIO_FUNCTIONS_MAX];
};

/* Length of the text in @text, or -E2BIG. */
int nti_vfio_record_format(const struct nti_vfio_record *r, char *text, size_t size);
/* 0; -EBADMSG and in *@reason (static memory) what is wrong with it. @text ends with a NUL. */
int nti_vfio_record_parse(const char *text, struct nti_vfio_record *out, const char **reason);

/* An open record; all zero is none. */
struct nti_vfio_store {
	int dir, fd; /* -1: none */
	char file[32];
	struct nti_vfio_record record; /* .n is 0 where there is none of this boot */
};

/*
 * The record of a group, locked where @lock; where @make, its file is made when there is none. 0,
 * also when there is no record; with a sentence -EBUSY, -EACCES, -EBADMSG, -ENOTDIR, and of the
 * files. Close it in any case.
 */
int nti_vfio_store_open(struct nti_os *os, struct nti_vfio_store *s, unsigned int group, bool lock,
			bool make, struct nti_error *e);
/*
 * Write the record, or remove the file of one that is empty. 0 or -errno with a sentence: the file
 * is as it was, or empty.
 */
int nti_vfio_store_save(struct nti_vfio_store *s, struct nti_error *e);
void nti_vfio_store_close(struct nti_vfio_store *s);

const struct nti_vfio_had *nti_vfio_record_find(const struct nti_vfio_record *r, const char *name);

#endif
