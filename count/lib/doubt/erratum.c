// SPDX-License-Identifier: MIT
/* Which errata a processor has. */
#include <string.h>

#include "count/lib/doubt/erratum.h"

static bool is_in(uint16_t number, const uint16_t range[2])
{
	return number >= range[0] && number <= range[1];
}

bool nti_erratum_has_cpu(const struct nti_erratum *e, const struct nti_erratum_cpu *cpu)
{
	size_t i;

	for (i = 0; i < e->cpus; i++) {
		const struct nti_erratum_cpu *row = &e->cpu[i];

		if (strcmp(row->vendor, cpu->vendor) == 0 && row->family == cpu->family &&
		    is_in(cpu->model[0], row->model) && is_in(cpu->stepping[0], row->stepping))
			return true;
	}
	return false;
}
