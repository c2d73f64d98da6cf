/* SPDX-License-Identifier: MIT */
/*
 * One register that is open, through the first access method that lets this user: the driver, whose
 * file it is, else its device. Handles (handle.h) are for sequences over the registers of a PMU.
 */
#ifndef NTI_ACCESS_H
#define NTI_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/reg.h"
#include "count/lib/access/method.h"
#include "count/lib/access/msr.h"
#include "count/lib/access/pci.h"
#include "base/common/error.h"

/**
 * struct nti_access - which register, and how it is reached
 * @function:	PCI function that it is of; NULL: of none
 * @path:	its name, and that of its file below NTIME_FS_PATH, if it @is_in_tree
 * @writes:	to be written too
 * @is_kept:	what is written is to stay, or any bit is written: not through the driver, which
 *	puts back and lets nobody write what is not ours
 * @method:	set when it is open
 * @fd:		of the driver's file; negative: another method is used
 * @place:	what is accessed, for people
 *
 * All that is pointed to is lent; those above @method are the caller's. Errors have their sentence
 * in @e.
 */
struct nti_access {
	struct nti_os *os;
	struct nti_msr *msr;
	struct nti_pci *pci;
	struct nti_error *e;
	const struct nthw_reg *row;
	const struct nti_pci_function *function;
	const char *path;
	uint32_t address;
	unsigned int cpu;
	bool is_in_tree, writes, is_kept;

	enum nti_method method;
	int fd;
	char place[128];
};

/* What an access method does that reaches single registers. */
struct nti_access_ops {
	/* Is it in a space that the method reaches? */
	bool (*reaches)(const struct nti_access *a);
	/* 0, or -errno: may this user read (R_OK) or write (W_OK) it? Opens nothing. */
	int (*permits)(const struct nti_access *a, int mode);
	/* Make ready, fill .place; leaves nothing behind on failure. Nothing is read. */
	int (*open)(struct nti_access *a);
	int (*read)(struct nti_access *a, uint64_t *value);
	int (*write)(struct nti_access *a, uint64_t value);
};

/*
 * Open it by the first method that lets this user; where none does, the error is that of the first
 * one that could have.
 */
int nti_access_open(struct nti_access *a);
void nti_access_close(struct nti_access *a);
int nti_access_read(struct nti_access *a, uint64_t *value);
int nti_access_write(struct nti_access *a, uint64_t value);
/* The first method by which this user may do @mode with it; NTI_METHOD_COUNT: none. */
enum nti_method nti_access_permitted(const struct nti_access *a, int mode);

#endif
