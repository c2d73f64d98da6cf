/* SPDX-License-Identifier: MIT */
/*
 * What /proc/cpuinfo tells of the processor: all that is known of one in a tree of files, where
 * instructions that ask would be answered by the processor that this runs on.
 */
#ifndef NTI_CPUINFO_H
#define NTI_CPUINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/os/os.h"

/* The text, for free(3): "" where it cannot be read; NULL: no memory. */
char *nti_cpuinfo_read(struct nti_os *os);
/* The first value of @key, "" if there is none. */
void nti_cpuinfo_get(const char *text, const char *key, char *value, size_t size);
/* What CPUID would answer, as far as the text has it; zeros for the rest. */
int nti_cpuinfo_cpuid(const char *text, uint32_t leaf, uint32_t r[4]);
/* MIDR_EL1 of an Arm processor, from sysfs or else from the text. 0 or -errno. */
int nti_cpuinfo_midr(struct nti_os *os, uint64_t *out);
/* uname -m there, static memory; "unknown". */
const char *nti_cpuinfo_arch(struct nti_os *os, const char *text);

#endif
