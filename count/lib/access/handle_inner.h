/* SPDX-License-Identifier: MIT */
/*
 * Between the files of this folder: what a handle consists of, and what each access method gives.
 */
#ifndef NTI_HANDLE_INNER_H
#define NTI_HANDLE_INNER_H

#include "count/lib/access/access.h"
#include "count/lib/access/claim.h"
#include "count/lib/access/handle.h"
#include "count/lib/access/msr.h"
#include "count/lib/access/ntimefs.h"
#include "count/lib/access/pci.h"
#include "base/common/set.h"

struct nti_handles {
	struct nti_os *os;
	struct nti_msr *msr;	/* NULL until borrowed from */
	struct nti_pci *pci;	/* likewise, and where PCI is out of reach */
	struct nti_error error; /* of the access that failed last */
	const struct nti_handle
		*recent; /* the one made last, while it lives: calls that fail are its */
	struct nti_claim_owner owner; /* who has the PMU that was asked for last */
	bool was_claim;		      /* it was the claim that failed */
	uint32_t holder;	      /* process that holds the card which was asked for last */
};

struct nti_handle {
	struct nthw_io io; /* of the registers; first: its functions get this pointer */
	struct nti_handles *handles;
	const struct nthw_box_kind *kind;
	enum nti_method method;
	unsigned int unit;	 /* what the sequences say */
	unsigned int cpu;	 /* by which that is reached now */
	struct nti_set siblings; /* CPUs that reach the same registers; empty: that one alone */
	const struct nti_pci_function *function;
	struct nti_ntimefs *fs;
	struct nti_claim *claim;
	int socket; /* of a model; negative: none, and why */
};

static inline struct nti_handle *nti_handle_of(struct nthw_io *io)
{
	return (struct nti_handle *)io;
}

/* What an access method does that reaches registers. */
struct nti_method_ops {
	/* Bit 1 << space of those that are reached, whether this user may use them or not. */
	uint32_t spaces;
	/* Is the core PMU reached too? NULL: no. */
	bool (*reaches_core)(struct nti_os *os);
	/* Here and now, for this user? 0; -ENOMEM; -errno, and why in *@why (static memory). */
	int (*probe)(struct nti_os *os, const struct nti_why **why);
	/* Make @handle ready for access: its .io, or what stands for it. 0 or -errno. */
	int (*open)(struct nti_handle *handle, const struct nti_handle_request *what);
	/*
	 * Why the last call about @what failed with @error; not asked where the claim failed. 0 or
	 * -ENOMEM.
	 */
	int (*explain)(struct nti_handles *l, const struct nti_handle_request *what, int error,
		       struct nti_absence *out);
};

/*
 * Claim what @handle reaches, unless it is only read: nobody else keeps owners apart. Errors of
 * nti_claim_new().
 */
int nti_handle_claim(struct nti_handle *handle, const struct nti_handle_request *what);
/* The .explain of methods whose accesses leave a sentence in .error. */
int nti_handle_explain_access(struct nti_handles *l, const struct nti_handle_request *what,
			      int error, struct nti_absence *out);

#endif
