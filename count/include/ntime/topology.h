/* SPDX-License-Identifier: MIT */
/**
 * DOC: Topology: CPUs, cores, packages and NUMA nodes of the machine (from hwloc)
 */
#ifndef NTIME_TOPOLOGY_H
#define NTIME_TOPOLOGY_H

#include <stdint.h>

#include <ntime/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** struct ntime_topology - how many the machine has of each; @size must be set */
struct ntime_topology {
	uint32_t size;
	uint32_t cpus;
	uint32_t online_cpus;
	uint32_t cores;
	uint32_t packages;
	uint32_t nodes;
};

/**
 * ntime_topology_get() - loads the topology on first use
 *
 * Return: 0, -EINVAL (@out->size), -EIO (hwloc cannot read the machine), -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_topology_get(struct ntime_ctx *ctx, struct ntime_topology *out);

#ifdef __cplusplus
}
#endif
#endif
