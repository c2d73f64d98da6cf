/* SPDX-License-Identifier: MIT */
/* The machine's topology, from hwloc, flattened to one row per CPU. */
#ifndef NTI_TOPOLOGY_H
#define NTI_TOPOLOGY_H

#include <stddef.h>

#include <ntime/topology.h>

#include "lib/context/context.h"

struct nti_topology {
	struct ntime_topology total;
	struct ntime_cpu_info *cpu; /* total.cpus rows, ascending by number */
	int *die; /* of each row: number of the die, or of the package where packages have one each; -1 off line */
	char *xml; /* hwloc's export, for recordings */
};

/* Load on first use; the result belongs to @ctx. 0, -EIO, -ENOMEM with a sentence. */
int nti_topology_get(struct ntime_ctx *ctx, const struct nti_topology **out);
void nti_topology_free(struct nti_topology *t);

/* The row of CPU @cpu, or NULL. */
const struct ntime_cpu_info *nti_topology_cpu(const struct nti_topology *t, unsigned int cpu);
/* Number of the core, cache or package of @cpu, which is on line; -1: not known, or off line. */
int nti_topology_domain(const struct ntime_cpu_info *cpu, enum nti_unit_scope scope);

/*
 * scope.c: find out of what the uncore units of @ctx have one instance each, from the CPUs that they are counted on. Once; 0 or as
 * nti_topology_get().
 */
int nti_topology_scopes(struct ntime_ctx *ctx);

#endif
