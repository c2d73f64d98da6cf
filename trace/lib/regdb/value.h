/* SPDX-License-Identifier: MIT */
/* Values in words. */
#ifndef NTI_REGDB_VALUE_H
#define NTI_REGDB_VALUE_H

#include "trace/lib/regdb/model.h"

/*
 * Write @value of a register of @type and @bits; of it only @seen was accessed, and what is outside
 * of that is left out. Cut where @size is too small; always ends with a NUL. Returns the length.
 */
size_t nti_value_format(const struct nti_type *type, const struct nti_view *view, uint64_t value,
			uint32_t bits, uint64_t seen, char *buf, size_t size);

#endif
