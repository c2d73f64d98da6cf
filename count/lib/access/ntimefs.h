/* SPDX-License-Identifier: MIT */
/*
 * The ntimefs access method: registers as files of ntime's driver (include/uapi/ntime.h). Each file
 * that is used is opened once and stays open: closing one that was written gives the register back
 * what it held before.
 */
#ifndef NTI_NTIMEFS_H
#define NTI_NTIMEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/io.h"
#include "include/uapi/ntime.h"
#include "base/common/absence.h"
#include "base/common/error.h"
#include "base/os/os.h"

/* Room for the path of a register file. */
#define NTI_NTIMEFS_PATH_BYTES 96

struct nti_ntimefs; /* register files that are open */

/*
 * @function is the PCI address of what is reached in configuration space, "" for none. @error gets
 * the sentence of each access that fails, as long as this lives; may be NULL. 0, -ENOMEM, -EINVAL.
 */
int nti_ntimefs_new(struct nti_os *os, const char *function, struct nti_error *error,
		    struct nti_ntimefs **out);
/* Close the files, the one opened last first: what was written last is restored first. */
void nti_ntimefs_free(struct nti_ntimefs *fs);

/*
 * Access by address, lent to core/seq; its unit is the CPU. Registers of a package are reached
 * through any CPU of it, those in configuration space as well. Writing opens the
 * file for writing. Errors of struct nthw_io, and those of the driver: -EBUSY (another writer, or
 * perf counts), -EACCES, -EPERM, -EROFS, -ENODEV (the CPU went away). -ENXIO: no such register, or
 * the driver is not there. A short or damaged answer is -EIO, never a number.
 */
struct nthw_io *nti_ntimefs_io(struct nti_ntimefs *fs);

/*
 * Open a register for writing and leave it as it is: nobody else can write it until it is closed. 0
 * or as writing.
 */
int nti_ntimefs_hold(struct nti_ntimefs *fs, enum nthw_space space, unsigned int unit,
		     uint32_t address);

/*
 * Ask the driver for the cheapest way to read a register that can be opened for reading; maps its
 * description. Fields that a driver of another version does not give are 0, a type of which nothing
 * is known is NTIME_PAGE_PLAIN. Who asks for NTIME_PAGE_PMC is pinned to the register's CPU; the
 * mapping then stays until nti_ntimefs_free(), because the permission to use the instruction ends
 * with it. 0 or as reading.
 */
int nti_ntimefs_describe(struct nti_ntimefs *fs, enum nthw_space space, unsigned int unit,
			 uint32_t address, struct ntime_page *out);

/*
 * 0 when the driver's files are there and CPU 0's can be used; else -errno and why in *@why (static
 * memory).
 */
int nti_ntimefs_probe(struct nti_os *os, const struct nti_why **why);
/* Why it is not: the driver is not loaded, or cannot be. */
const struct nti_why *nti_ntimefs_not_loaded(struct nti_os *os);

/*
 * Why the driver has just refused a register that counts at @where, from its own words. 0, -ENOMEM;
 * -ENOENT when they tell nothing of us.
 */
int nti_ntimefs_explain_owner(struct nti_os *os, const char *where, struct nti_absence *out);
/*
 * Why the driver has just refused this process something, in its own words; false where it does not
 * say: in a container it may know us by another number.
 */
bool nti_ntimefs_refusal(struct nti_os *os, char *why, size_t size);
/* What it may be then. */
#define NTI_NTIMEFS_REFUSAL_GUESS                                                                  \
	"the kernel is locked down, or this is a container or root without CAP_SYS_RAWIO"
/*
 * Why a register of @where ("CPU 3", "package 0") could not be opened, read or written, and what to
 * do. 0 or -ENOMEM.
 */
int nti_ntimefs_explain(struct nti_ntimefs *fs, const char *where, int error,
			struct nti_absence *out);
struct nthw_box_kind;
/*
 * Why this user may not read what a box that @cpu reaches always counts, where those rows are
 * secret (all of a box are, or none is): without opening them, which the driver would note as a
 * refusal. @out stays empty where he may. 0 or -ENOMEM.
 */
int nti_ntimefs_explain_secret(struct nti_os *os, const struct nthw_box_kind *kind,
			       unsigned int cpu, struct nti_absence *out);

#endif
