/* SPDX-License-Identifier: MIT */
/* What is known of each register, and how to find it by its place. */
#ifndef NTI_TRACE_STAT_ROWS_H
#define NTI_TRACE_STAT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/common/hash.h"
#include "trace/lib/query/stat_values.h"

#define NTI_NO_ROW UINT32_MAX

/* Of struct nti_stat_row.flags. */
#define NTI_ROW_TIMED 0x1u
#define NTI_ROW_MASKED 0x2u /* struct nti_stat_masked has more of it */

/**
 * struct nti_stat_row - a register: three lines of the cache, of which most accesses need the first
 * one and look at the others
 * @place:	device << 8 | region
 * @widths:	or of the widths
 * @cover:	of reads and of writes: low bytes that were covered, and << 4 those of the last
 *		access; 0: there was none with a value
 * @now:	the value that each covered bit had last
 * @gap_min, @gap_max: shortest and longest
 * @few:	of @values
 */
struct nti_stat_row {
	uint64_t offset;
	uint32_t place;
	uint8_t widths;
	uint8_t flags;
	uint8_t cover[2];
	uint64_t count[2];
	uint64_t last_ns;
	uint64_t now[2];
	struct nti_value_set values;

	uint64_t gap_min, gap_max;
	uint64_t toggled[2];
	uint64_t first_ns;
	uint64_t first[2];
	uint64_t without_gap;

	uint64_t few[NTI_VALUES_FEW];
};

/* Of registers with masked writes, which cover any bits. */
struct nti_stat_masked {
	uint64_t known[2]; /* bits that were covered */
	uint64_t last[2];
};

/* Of the hash table: the row, and enough of the hash to know it from most others. */
struct nti_stat_slot {
	uint32_t tag;
	uint32_t row; /* 1 + its number */
};

/**
 * struct nti_stat_rows - the registers
 * @row:	@n of them in @room, at most @most
 * @masked:	NULL until there is one; as many as rows
 * @slot:	hash table
 * @order:	binary logarithm of the slots
 */
struct nti_stat_rows {
	struct nti_stat_row *row;
	struct nti_stat_masked *masked;
	size_t n, room, most;
	struct nti_stat_slot *slot;
	unsigned int order;
};

_Static_assert(offsetof(struct nti_stat_row, gap_min) == 64 &&
		       offsetof(struct nti_stat_row, few) == 128 &&
		       sizeof(struct nti_stat_row) == 192,
	       "three lines of the cache");

/* An empty table. 0 or -ENOMEM. */
int nti_stat_rows_init(struct nti_stat_rows *t, size_t most);
void nti_stat_rows_fini(struct nti_stat_rows *t);

/* Number of the row at a place, NTI_NO_ROW when there is none. */
uint32_t nti_stat_rows_find(const struct nti_stat_rows *t, uint64_t hash, uint64_t offset,
			    uint32_t place);

/* A new row; NTI_NO_ROW when the table is full. 0 or -ENOMEM. Rows move, their numbers do not. */
int nti_stat_rows_add(struct nti_stat_rows *t, uint64_t offset, uint32_t place, uint32_t *out);

/* What is known of a row bit by bit: memory for it comes with the first. NULL without memory. */
struct nti_stat_masked *nti_stat_rows_masked(struct nti_stat_rows *t,
					     const struct nti_stat_row *row);

static inline uint64_t nti_stat_hash(uint64_t offset, uint32_t place)
{
	return nti_hash_number(offset, (uint64_t)place << 40);
}

static inline bool nti_stat_is_at(const struct nti_stat_row *row, uint64_t offset, uint32_t place)
{
	return row->offset == offset && row->place == place;
}

#endif
