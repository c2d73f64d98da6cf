/* SPDX-License-Identifier: MIT */
/*
 * Do the counters of a core PMU count? A driver that binds does not mean that there is anything
 * behind its registers.
 */
#ifndef NTI_SELFTEST_H
#define NTI_SELFTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "count/lib/machine/unit.h"
#include "base/os/os.h"

struct nti_selftest {
	uint64_t cycles;
	uint64_t ns; /* for which they were counted, while the thread ran */
};

/*
 * True when the calling thread's own cycles were counted for some time and cannot be: none at all,
 * or more than any clock makes. Registers that read as zero, as emulators and hypervisors have
 * them, give both: Linux' Arm drivers let a counter begin at a number of their own and take the
 * difference. A large number is asked for again, up to three times. @out is what was seen last.
 * False also when that cannot be found out: no permission, no free counter.
 */
bool nti_selftest_is_missing(struct nti_os *os, const struct nti_unit *unit,
			     struct nti_selftest *out);

#endif
