/* SPDX-License-Identifier: MIT */
/**
 * DOC: Topology: which CPU sits in which core, package and NUMA node (from hwloc)
 */
#ifndef NTIME_TOPOLOGY_H
#define NTIME_TOPOLOGY_H

#include <stdint.h>

#include <ntime/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct ntime_cpu_info - one logical CPU
 * @cpu:	the kernel's number
 * @core, @package, @node: numbers from 0 without holes within the machine (not the kernel's ids)
 * @thread:	number among the threads of its core
 * @l3:		which last level cache (level 3) it has, numbered likewise; -1: none, or not known
 * @is_online:	0 for a CPU that exists but is off line; core, package and node are then -1
 */
struct ntime_cpu_info {
	uint32_t size;
	uint32_t is_online;
	int32_t cpu;
	int32_t core;
	int32_t package;
	int32_t node;
	int32_t thread;
	int32_t l3;
};

/**
 * ntime_cpu_for_each() - walk the CPUs in the kernel's order; loads the topology on first use
 *
 * Return: number of CPUs, first non-zero of @fn, -EIO (hwloc cannot read the machine), -ENOMEM.
 * Since 0.1.
 */
NTIME_API int ntime_cpu_for_each(struct ntime_ctx *ctx,
				 int (*fn)(void *arg, const struct ntime_cpu_info *cpu), void *arg);

/** struct ntime_topology - how many of each; @size must be set */
struct ntime_topology {
	uint32_t size;
	uint32_t cpus;
	uint32_t online_cpus;
	uint32_t cores;
	uint32_t packages;
	uint32_t nodes;
};

/** ntime_topology_get() - 0, -EINVAL (@out->size), -EIO, -ENOMEM */
NTIME_API int ntime_topology_get(struct ntime_ctx *ctx, struct ntime_topology *out);

#ifdef __cplusplus
}
#endif
#endif
