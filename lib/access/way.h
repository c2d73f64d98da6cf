/* SPDX-License-Identifier: MIT */
/* Ways in: how registers are reached. */
#ifndef NTI_WAY_H
#define NTI_WAY_H

enum nti_way {
	NTI_WAY_PERF,
	NTI_WAY_CLOCK,
	/* We program the counters, through registers that are reached by */
	NTI_WAY_NTIMEFS, /* ntime's driver */
	NTI_WAY_MSR,	 /* /dev/cpu/N/msr */
	NTI_WAY_PCI,	 /* configuration space */
};

#endif
