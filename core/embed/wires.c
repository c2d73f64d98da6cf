// SPDX-License-Identifier: MIT
/*
 * Build program: the wires of graphics chips (core/regs/nv50_wires.h) as lines for gpu.py. There
 * they have one table, which the library and the models use as well.
 */
#include <stdio.h>

#include "core/regs/nv50_wires.h"

static void print_families(const uint32_t value[NTHW_NV_FERMI])
{
	for (unsigned int family = 0; family < NTHW_NV_FERMI; family++)
		printf(" %u", value[family]);
}

/* wire NAME DOMAIN COUNT FIRST... MUX SELECT ALSO; FIRST is -1 where there are none */
static void print_wires(const struct nthw_nv_wires *w)
{
	printf("wire %s %u %u", w->name, w->domain, w->count);
	for (unsigned int family = 0; family < NTHW_NV_FERMI; family++)
		printf(" %d", w->first[family] == NTHW_NV_NO_WIRES ? -1 : w->first[family]);
	printf(" %u %u %u\n", w->mux, w->select, w->also);
}

int main(void)
{
	for (size_t i = 0; i < nthw_nv_wires_count; i++)
		print_wires(&nthw_nv_wires[i]);
	/* mux NUMBER ENABLE ADDRESS... MASK...; of domain 3 the groups say it */
	for (unsigned int i = 1; i < NTHW_NV_GROUP; i++) {
		printf("mux %u %u", i, nthw_nv_muxes[i].enable);
		print_families(nthw_nv_muxes[i].address);
		print_families(nthw_nv_muxes[i].mask);
		putchar('\n');
	}
	/* chip NAME FAMILY ZERO..., the constant 0 of each domain */
	for (size_t i = 0; i < nthw_nv_chip_count; i++) {
		const struct nthw_nv_chip *chip = &nthw_nv_chips[i];

		if (!nthw_nv_has_wires(chip))
			continue;
		printf("chip %s %u", chip->name, chip->family);
		for (unsigned int domain = 0; domain < NTHW_NV_DOMAINS; domain++)
			printf(" %d", nthw_nv_zero(chip, domain));
		putchar('\n');
	}
	return 0;
}
