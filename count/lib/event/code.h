/* SPDX-License-Identifier: MIT */
/*
 * What a core PMU's own registers are told for an event: for access methods that program them
 * without the kernel.
 */
#ifndef NTI_CODE_H
#define NTI_CODE_H

#include "count/lib/event/event.h"

/*
 * Intel's code behind a generic name, event | umask << 8, also where a processor lacks it; 0: none
 * of its architectural events, nor the kernel's own 0x0300.
 */
uint64_t nti_code_of_intel(uint32_t generic);

/*
 * perf's generic event with the encoding of @part, a core PMU's own event: in *@out, of type
 * PERF_TYPE_HARDWARE and otherwise like @part. Also one that the kernel hides, since the processor
 * says that it lacks it. 1; 0: it is none of them; -ENOMEM. Opens up to ten files of sysfs.
 */
int nti_code_generic(const struct nti_names *names, const struct nti_part *part,
		     struct nti_part *out);

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
