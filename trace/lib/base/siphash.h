/* SPDX-License-Identifier: MIT */
/* SipHash-2-4: a hash whose collisions nobody can make who does not know the key. */
#ifndef NTI_TRACE_SIPHASH_H
#define NTI_TRACE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t nti_siphash(const uint64_t key[2], const void *bytes, size_t n);

#endif
