/* SPDX-License-Identifier: MIT */
/*
 * The register that was read last, for the time of one look: many states are bits of one, and each
 * read of it is a call of the kernel's that interrupts a CPU.
 */
#ifndef NTI_LAST_READ_H
#define NTI_LAST_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/io.h"

struct nti_last_read {
	struct nthw_io io; /* first: its functions get this pointer; writes nothing */
	struct nthw_io *to;
	bool is_valid;
	uint32_t address;
	uint64_t value;
};

void nti_last_read_init(struct nti_last_read *last, struct nthw_io *to);

#endif
