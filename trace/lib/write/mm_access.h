/* SPDX-License-Identifier: MIT */
/* The parts of a line R or W of mmiotrace, as most lines are made of them. */
#ifndef NTI_TRACE_MM_ACCESS_H
#define NTI_TRACE_MM_ACCESS_H

#include "trace/lib/write/mm.h"

/* By the low bits of a width: where nobody told, it is a word. */
static const uint64_t width_masks[16] = {
	UINT32_MAX, 0xff,	0xffff,	    0xffffff,	UINT32_MAX, UINT64_MAX,
	UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
	UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
};

/* "W 4 " */
static inline char *nti_mm_put_head(char *p, const struct ntime_record *r)
{
	static const char heads[2][16][4] = {
		{ "R 4 ", "R 1 ", "R 2 ", "R 3 ", "R 4 ", "R 5 ", "R 6 ", "R 7 ", "R 8 ", "R 4 ",
		  "R 4 ", "R 4 ", "R 4 ", "R 4 ", "R 4 ", "R 4 " },
		{ "W 4 ", "W 1 ", "W 2 ", "W 3 ", "W 4 ", "W 5 ", "W 6 ", "W 7 ", "W 8 ", "W 4 ",
		  "W 4 ", "W 4 ", "W 4 ", "W 4 ", "W 4 ", "W 4 " },
	};

	memcpy(p, heads[r->kind & 1][r->width & 15], 4);
	return p + 4;
}

/* What stands behind the time; @digits of the address, 0: as many as it has. */
static inline char *nti_mm_put_rest(char *p, const struct ntime_record *r,
				    const struct nti_mm_entry *e, unsigned int digits)
{
	const uint64_t address = e->base + r->offset;

	if (!digits)
		digits = nti_hex_digits(address);
	memcpy(p, e->head, sizeof(e->head));
	p += e->head_bytes;
	nti_put_hex16(p, address << (64 - 4 * digits));
	p += digits;
	memcpy(p, " 0x", 4);
	p = nti_put_hex(p + 3, r->value & width_masks[r->width & 15]);
	memcpy(p, " 0x0 0\n", 8);
	return p + 7;
}

#endif
