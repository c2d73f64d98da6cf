/* SPDX-License-Identifier: MIT */
/*
 * The msr access method: model-specific registers through /dev/cpu/N/msr (Linux,
 * arch/x86/kernel/msr.c), or a recording of them.
 */
#ifndef NTI_MSR_H
#define NTI_MSR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/common/absence.h"
#include "base/common/error.h"
#include "base/os/os.h"

/* Does the processor of @os have such registers? */
bool nti_msr_has(struct nti_os *os);

struct nti_msr; /* devices that are open, one per CPU used */

int nti_msr_new(struct nti_os *os, struct nti_msr **out);
void nti_msr_free(struct nti_msr *m);

/*
 * 0; -ENOENT, -EACCES, -ENXIO, -EIO, -EPERM, -ENOTSUP with a sentence in @e that names CPU and
 * register.
 */
/* Open the device of @cpu, for writing too if @for_write; what follows needs no permission. */
int nti_msr_open(struct nti_msr *m, unsigned int cpu, bool for_write, struct nti_error *e);
int nti_msr_read(struct nti_msr *m, unsigned int cpu, uint32_t address, uint64_t *value,
		 struct nti_error *e);
int nti_msr_write(struct nti_msr *m, unsigned int cpu, uint32_t address, uint64_t value,
		  struct nti_error *e);

/* 0 when CPU 0's device can be read and written; else -errno and why in *@why (static memory). */
int nti_msr_probe(struct nti_os *os, const struct nti_why **why);

#endif
