/* SPDX-License-Identifier: MIT */
/* Ways in: how registers are reached. */
#ifndef NTI_METHOD_H
#define NTI_METHOD_H

enum nti_method {
	NTI_METHOD_PERF,
	NTI_METHOD_CLOCK,
	/* We program the counters, through registers that are reached by */
	NTI_METHOD_NTIMEFS, /* ntime's driver */
	NTI_METHOD_MSR,	    /* /dev/cpu/N/msr */
	NTI_METHOD_PCI,	    /* configuration space */
};

#endif
