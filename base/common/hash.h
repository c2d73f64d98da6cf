/* SPDX-License-Identifier: MIT */
/* Hashes of tables in memory, which nothing outlives and no order depends on. */
#ifndef NTI_HASH_H
#define NTI_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a of 32 bits (constants: draft-eastlake-fnv): @h is NTI_HASH_TEXT or what came before. */
#define NTI_HASH_TEXT 2166136261u
static inline uint32_t nti_hash_text(uint32_t h, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	return h;
}

/* Behind @h, 0 at first. The golden ratio (Knuth, TAOCP 3, 6.4) spreads bits up, >> them down. */
static inline uint64_t nti_hash_number(uint64_t h, uint64_t number)
{
	h = (h ^ number) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

#endif
