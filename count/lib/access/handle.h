/* SPDX-License-Identifier: MIT */
/*
 * Handles: open access to the registers of one PMU instance, for core/seq, by ntime's driver, the
 * msr devices, configuration space or a card's memory. A method without a kernel that keeps owners
 * apart claims the instance (count/lib/access/claim.h) between the sequence and the registers, so
 * that two programs cannot program one and a program that was killed leaves a record of what it
 * changed.
 */
#ifndef NTI_HANDLE_H
#define NTI_HANDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/io.h"
#include "include/uapi/ntime.h"
#include "count/lib/access/box.h"
#include "count/lib/access/method.h"
#include "base/common/absence.h"
#include "base/common/error.h"
#include "base/os/os.h"

/* Room for where an instance is: "package 0", "CPU 3", "PCI function 0000:7f:10.0". */
#define NTI_HANDLE_WHERE_BYTES 64

struct nti_handles;
struct nti_handle; /* the registers of one instance */

/* One a session, and one while boxes are looked for. A method is opened with its first handle. */
int nti_handles_new(struct nti_os *os, struct nti_handles **out);
void nti_handles_free(struct nti_handles *l);

/* What the instance is, for owners and people: "uncore of package 0", "core PMU of CPU 3". */
struct nti_handle_request {
	const char *name; /* of the unit, for people: "uncore" */
	enum nti_unit_scope scope;
	unsigned int cpu;
	enum nti_method method;
	const struct nti_unit_box *box; /* NULL: the core PMU of @cpu, or */
	const struct nti_unit_card *card;
	const char *context; /* of a card's multiprocessors */
	bool reads_only;     /* nobody has to be kept away; msr and pci refuse writes */
};

/*
 * Open. Through ntimefs nothing happens yet (registers are held one by one, nti_handle_hold());
 * through msr and pci the instance is claimed: -EBUSY when another program has it, -EUCLEAN when a
 * leftover record says that it is still programmed, -ENOTSUP when the method does not reach it,
 * -EACCES, -ENOENT and so on as the method says. nti_handles_explain() knows why.
 */
int nti_handle_new(struct nti_handles *l, const struct nti_handle_request *what,
		   struct nti_handle **out);
/*
 * Give back: the claim ends, files are closed. The registers were restored before, else the record
 * stays for `ntime doctor`.
 */
void nti_handle_free(struct nti_handle *handle);

struct nthw_io *nti_handle_io(struct nti_handle *handle);
/*
 * What .unit of struct nthw_box and of the sequences is: the CPU, or the number of the PCI
 * function.
 */
unsigned int nti_handle_unit(const struct nti_handle *handle);
/* The method keeps what belongs to the kernel and restores registers itself: ntime.ko. */
bool nti_handle_is_guarded(const struct nti_handle *handle);
/*
 * Keep others from writing this register from now on (ntimefs); does nothing where the claim does
 * that. 0 or as writing.
 */
int nti_handle_hold(struct nti_handle *handle, enum nthw_space space, uint32_t address);
/*
 * The driver's description of a register, see nti_ntimefs_describe(); -ENOTSUP without the driver.
 */
int nti_handle_describe(struct nti_handle *handle, enum nthw_space space, uint32_t address,
			struct ntime_page *out);
/* All was restored: the record of changes is dropped. */
void nti_handle_settle(struct nti_handle *handle);

/*
 * Why the last call about @what failed with @error, with a remedy that can be typed where there is
 * one. 0 or -ENOMEM.
 */
int nti_handles_explain(struct nti_handles *l, const struct nti_handle_request *what, int error,
			struct nti_absence *out);
/* Where the instance is, for sentences. */
void nti_handle_where(const struct nti_handle_request *what, char *text, size_t size);
/*
 * What failed with @error, if that was the access that failed last: "CPU 3 refuses to read MSR
 * 0x391"; else @error in the system's words.
 */
const char *nti_handles_error(const struct nti_handles *l, int error);

#endif
