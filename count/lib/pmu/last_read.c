// SPDX-License-Identifier: MIT
/* The register that was read last. */
#include <errno.h>

#include "count/lib/pmu/last_read.h"

static int read_last(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t *value)
{
	struct nti_last_read *last = (struct nti_last_read *)io;
	int ret = 0;

	if (!last->is_valid || last->address != address) {
		ret = last->to->read(last->to, space, unit, address, &last->value);
		last->is_valid = ret == 0;
		last->address = address;
	}
	if (ret == 0)
		*value = last->value;
	return ret;
}

/* Counters that always run are only read. */
static int write_none(struct nthw_io *io, enum nthw_space space, unsigned int unit,
		      uint32_t address, uint64_t value)
{
	(void)io, (void)space, (void)unit, (void)address, (void)value;
	return -EPERM;
}

void nti_last_read_init(struct nti_last_read *last, struct nthw_io *to)
{
	*last = (struct nti_last_read){ .io = { .read = read_last, .write = write_none },
					.to = to };
}
