/* SPDX-License-Identifier: MIT */
/*
 * What a core PMU's own registers are told for an event: for access methods that program them
 * without the kernel.
 */
#ifndef NTI_CODE_H
#define NTI_CODE_H

#include "lib/event/event.h"

struct nti_code {
	uint64_t
		/*
		 * bits of the event select register without those for modes and enabling; on Arm
		 * the event's number
		 */
		config;
	bool in_user, in_kernel;
};

/*
 * The code of @part, which is of a core PMU. Generic names are looked up among the events that the
 * kernel's own driver shows in sysfs, so they mean what perf counts for them. 0, or -ENOTSUP with
 * the reason in @absent: needs registers beside the counter, or something that only the kernel does
 * (precise sampling, telling guests from hosts); -ENOMEM.
 */
int nti_code_of(const struct nti_names *names, const struct nti_part *part, struct nti_code *out,
		struct nti_absence *absent);

#endif
