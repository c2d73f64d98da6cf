/* SPDX-License-Identifier: MIT */
/* Why registers cannot be reached, each told once. */
#ifndef NTI_WHY_H
#define NTI_WHY_H

#include <stdbool.h>
#include <sys/types.h>

#include "count/lib/access/method.h"
#include "base/common/absence.h"

extern const struct nti_why nti_why_no_msrs;	    /* of this architecture */
extern const struct nti_why nti_why_msr_not_loaded; /* the kernel's driver */
extern const struct nti_why nti_why_msr_no_modules;
extern const struct nti_why nti_why_msr_for_root;
extern const struct nti_why nti_why_no_pci;
extern const struct nti_why nti_why_pci_for_root;
extern const struct nti_why nti_why_driver_not_loaded; /* ntime's */
extern const struct nti_why nti_why_driver_no_modules;
extern const struct nti_why nti_why_driver_not_mounted;
extern const struct nti_why nti_why_driver_closed; /* its tree, to this user */
extern const struct nti_why nti_why_driver_secret; /* one register of it, which is root's */
extern const struct nti_why nti_why_driver_empty;
extern const struct nti_why nti_why_recording;
extern const struct nti_why nti_why_no_registers; /* behind such an access method */

/*
 * Code and remedy of an access to registers that failed with @error; the sentence is the caller's,
 * who knows which. @missing: what a file that is not there means; NULL: a device is gone. Static
 * memory.
 */
const struct nti_why *nti_why_of_access(const struct nti_why *missing, int error);

/* Who uses something that was asked for. */
struct nti_user {
	pid_t pid; /* 0: not known */
	const char *command;
	bool has_ended; /* and a process that it started has it */
	/* Where @pid is 0: who it may be, and what ends that; NULL: nobody knows. */
	const char *guess, *remedy;
};

/* What @format gives ("counter %s of %s") is in use by @user. 0 or -ENOMEM. */
int nti_why_in_use(struct nti_absence *out, const struct nti_user *user, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
