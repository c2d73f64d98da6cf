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
	char *xml;		    /* hwloc's export, for recordings */
};

/* Load on first use; the result belongs to @ctx. 0, -EIO, -ENOMEM with a sentence. */
int nti_topology_get(struct ntime_ctx *ctx, const struct nti_topology **out);
void nti_topology_free(struct nti_topology *t);

#endif
