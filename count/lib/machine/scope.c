// SPDX-License-Identifier: MIT
/*
 * Of what a unit has one instance each. The kernel does not say so, but names the CPUs on which a
 * unit is counted: one of each package, of each last level cache, or of each core (Linux,
 * Documentation/ABI/testing/sysfs-bus-event_source-devices: cpumask).
 */
#include <errno.h>
#include <stdlib.h>

#include "base/common/text.h"
#include "count/lib/machine/topology.h"

/* State of walking a unit's CPUs: how many there are in each domain so far. */
struct domain_walk {
	const struct nti_topology *topology;
	enum nti_unit_scope scope;
	unsigned char *seen; /* per domain; there are at most as many as CPUs */
};

/* 1: a second CPU of one domain, or one of none. */
static int see_cpu(void *arg, unsigned int number)
{
	struct domain_walk *w = arg;
	const struct nti_cpu *cpu = nti_topology_cpu(w->topology, number);
	int domain = cpu ? nti_topology_domain(cpu, w->scope) : -1;

	if (domain < 0 || (uint32_t)domain >= w->topology->total.cpus)
		return 1;
	return w->seen[domain]++ ? 1 : 0;
}

/* At most one CPU of @cpus in each domain? 1, 0 or -ENOMEM. */
static int has_one_each(const struct nti_topology *t, const char *cpus, enum nti_unit_scope scope)
{
	struct domain_walk walk = { .topology = t, .scope = scope };
	int ret;

	walk.seen = calloc(t->total.cpus, 1);
	if (!walk.seen)
		return -ENOMEM;
	ret = nti_text_for_each_in_list(cpus, NTI_CPU_LIMIT, see_cpu, &walk);
	free(walk.seen);
	return ret == 0;
}

/*
 * The widest that fits: on a machine whose packages have one core each, a package says all that a
 * core does.
 */
static int find_scope(const struct nti_topology *t, struct nti_unit *unit)
{
	static const enum nti_unit_scope scopes[] = { NTI_SCOPE_PACKAGE, NTI_SCOPE_L3,
						      NTI_SCOPE_CORE };
	size_t i;
	int ret;

	for (i = 0; i < NTI_ARRAY_SIZE(scopes); i++) {
		ret = has_one_each(t, unit->cpus, scopes[i]);
		if (ret < 0)
			return ret;
		if (ret) {
			unit->scope = scopes[i];
			return 0;
		}
	}
	unit->scope = NTI_SCOPE_CPU;
	return 0;
}

int nti_topology_scopes(const struct nti_topology *t, struct nti_units *units)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < units->count; i++) {
		struct nti_unit *unit = units->unit[i];

		/* Boxes know it themselves. */
		if (unit->kind == NTI_UNIT_UNCORE && unit->cpus && !unit->box)
			ret = find_scope(t, unit);
	}
	return ret;
}
