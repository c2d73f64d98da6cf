/* SPDX-License-Identifier: MIT */
/*
 * The ntimefs way in: registers as files of ntime's driver (include/uapi/ntime.h). Each file that is used is opened once and stays open:
 * closing one that was written gives the register back what it held before.
 */
#ifndef NTI_NTIMEFS_H
#define NTI_NTIMEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/io.h"
#include "include/uapi/ntime.h"
#include "lib/event/unit.h"
#include "lib/os/os.h"

/* Room for the path of a register file. */
#define NTI_NTIMEFS_PATH_BYTES 96

struct nti_ntimefs; /* register files that are open */

int nti_ntimefs_new(struct nti_os *os, struct nti_ntimefs **out);
/* Close the files, the one opened last first: what was written last is put back first. */
void nti_ntimefs_free(struct nti_ntimefs *fs);
/* Close those of one CPU. */
void nti_ntimefs_close_unit(struct nti_ntimefs *fs, unsigned int unit);

/*
 * Access by address, lent to core/seq; its unit is the CPU. Registers of a package are reached through any CPU of it. Writing opens the
 * file for writing. Errors of struct nthw_io, and those of the driver: -EBUSY (another writer, or perf counts), -EACCES, -EPERM, -EROFS,
 * -ENODEV (the CPU went away). -ENXIO: no such register, or the driver is not there. A short or damaged answer is -EIO, never a number.
 */
struct nthw_io *nti_ntimefs_io(struct nti_ntimefs *fs);

/* Open a register for writing and leave it as it is: nobody else can write it until it is closed. 0 or as writing. */
int nti_ntimefs_hold(struct nti_ntimefs *fs, enum nthw_space space, unsigned int unit,
		     uint32_t address);

/*
 * Ask the driver for the cheapest way to read a register that can be opened for reading; maps its description. Fields that a driver of
 * another version does not give are 0, a type of which nothing is known is NTIME_PAGE_PLAIN. Who asks for NTIME_PAGE_PMC is pinned to the
 * register's CPU; the mapping then stays until nti_ntimefs_close_unit(), because the permission to use the instruction ends with it.
 * 0 or as reading.
 */
int nti_ntimefs_describe(struct nti_ntimefs *fs, enum nthw_space space, unsigned int unit,
			 uint32_t address, struct ntime_page *out);

/* Path of a register below NTIME_FS_PATH: of CPU @unit, or of its package. -ENOTSUP for a space that has no such files. */
int nti_ntimefs_path(char *path, size_t bytes, enum nthw_space space, unsigned int unit,
		     bool is_of_package, uint32_t address);

/* 0 when the driver's files are there and CPU 0's can be used; else -errno and why in the two texts (static memory). */
int nti_ntimefs_probe(struct nti_os *os, const char **reason, const char **remedy);

/* Why a register of @cpu could not be opened, read or written, and what to do. 0 or -ENOMEM. */
int nti_ntimefs_explain(struct nti_ntimefs *fs, unsigned int cpu, int error,
			struct nti_absence *out);

#endif
