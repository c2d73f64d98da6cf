/* SPDX-License-Identifier: MIT */
/* The machine's topology, from hwloc or a recording, flattened to one row per CPU. */
#ifndef NTI_TOPOLOGY_H
#define NTI_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

#include <ntime/topology.h>

#include "base/common/error.h"
#include "count/lib/machine/unit.h"
#include "base/os/os.h"

/*
 * One CPU, which may be off line: @cpu is the kernel's number. The others count from 0 without
 * holes within the machine, and are -1 off line or where there is none.
 */
struct nti_cpu {
	int cpu, core, package, node;
	int l3;	 /* its last level cache, of level 3 */
	int die; /* or the package, where packages have one each */
	bool is_online;
};

struct nti_topology {
	struct ntime_topology total;
	struct nti_cpu *cpu; /* total.cpus rows, ascending by number */
};

/*
 * Ask hwloc, for this machine or for the recording that @os plays. 0, -EIO, -ELIBACC (no hwloc),
 * -ENOMEM with a sentence.
 */
int nti_topology_new(struct nti_os *os, struct nti_topology **out, struct nti_error *e);
void nti_topology_free(struct nti_topology *t);
/* The same as hwloc exports it, for recordings; the caller frees *@out. */
int nti_topology_xml(struct nti_os *os, char **out, struct nti_error *e);

/*
 * synthetic.c: @t of a synthetic description such as "package:2 [numa] core:28 pu:2", without
 * hwloc, whose time grows with the square of the CPUs and more. 0; -ENOTSUP: hwloc is to read it;
 * -ENOMEM.
 */
int nti_topology_from_synthetic(const char *text, struct nti_topology *t);

/* The row of CPU @cpu, or NULL. */
struct nti_cpu *nti_topology_cpu(const struct nti_topology *t, unsigned int cpu);
/* Number of the core, cache or package of @cpu, which is on line; -1: not known, or off line. */
int nti_topology_domain(const struct nti_cpu *cpu, enum nti_unit_scope scope);

/*
 * scope.c: find out of what the uncore units have one instance each, from the CPUs that they are
 * counted on. 0 or -ENOMEM.
 */
int nti_topology_scopes(const struct nti_topology *t, struct nti_units *units);

#endif
