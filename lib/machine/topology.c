// SPDX-License-Identifier: MIT
/* The machine's topology, from hwloc. */
#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/library.h"
#include "lib/os/replay/replay.h"
#include "lib/machine/topology.h"

/* Where hwloc shall look: this machine, or what a recording holds. */
static int choose_source(struct nti_os *os, hwloc_topology_t hw)
{
	const char *xml = NULL, *synthetic = NULL;

	/* Where it finds no sysfs, hwloc's part for Linux writes to stderr and gives up. */
	if (!os->is_replay && !os->is_elsewhere && !nti_os_exists(os, "/sys/devices/system/cpu"))
		return hwloc_topology_set_components(hw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
						     "linux");
	if (!os->is_replay)
		return 0;
	nti_machine_topology(os, &xml, &synthetic);
	if (xml)
		return hwloc_topology_set_xmlbuffer(hw, xml, (int)strlen(xml) + 1);
	return hwloc_topology_set_synthetic(hw, synthetic ? synthetic : "pu:1");
}

/*
 * Logical number of the ancestor of @type, or of the first NUMA node around @pu; -1 when there is
 * none.
 */
static int ancestor(hwloc_topology_t hw, hwloc_obj_t pu, hwloc_obj_type_t type)
{
	hwloc_obj_t obj = hwloc_get_ancestor_obj_by_type(hw, type, pu);

	return obj ? (int)obj->logical_index : -1;
}

static int numa_node(hwloc_topology_t hw, hwloc_obj_t pu)
{
	hwloc_obj_t node = NULL;

	while ((node = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_NUMANODE, node)) != NULL) {
		if (hwloc_bitmap_isset(node->cpuset, pu->os_index))
			return (int)node->logical_index;
	}
	return -1;
}

static void describe_cpu(hwloc_topology_t hw, unsigned int number, struct ntime_cpu_info *out)
{
	hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(hw, number);
	hwloc_obj_t core;

	*out = (struct ntime_cpu_info){
		.size = sizeof(*out),
		.cpu = (int32_t)number,
		.core = -1,
		.package = -1,
		.node = -1,
		.thread = -1,
		.l3 = -1,
	};
	if (!pu)
		return;
	core = hwloc_get_ancestor_obj_by_type(hw, HWLOC_OBJ_CORE, pu);
	out->is_online = 1;
	out->core = core ? (int32_t)core->logical_index : (int32_t)pu->logical_index;
	out->package = ancestor(hw, pu, HWLOC_OBJ_PACKAGE);
	out->node = numa_node(hw, pu);
	out->l3 = ancestor(hw, pu, HWLOC_OBJ_L3CACHE);
	out->thread = core ? (int32_t)(pu->logical_index - core->children[0]->logical_index) : 0;
}

/* hwloc knows dies only where a package has several. */
static int die_of(hwloc_topology_t hw, unsigned int cpu)
{
	hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(hw, cpu);
	int die = pu ? ancestor(hw, pu, HWLOC_OBJ_DIE) : -1;

	return !pu || die >= 0 ? die : ancestor(hw, pu, HWLOC_OBJ_PACKAGE);
}

/* CPUs that exist: all that hwloc's complete set has, on line or not. */
static int flatten(hwloc_topology_t hw, struct nti_topology *t)
{
	hwloc_const_cpuset_t all = hwloc_topology_get_complete_cpuset(hw);
	int n = hwloc_bitmap_weight(all), cpu, i = 0;

	if (n <= 0)
		return -EIO;
	t->cpu = calloc((size_t)n, sizeof(*t->cpu));
	t->die = calloc((size_t)n, sizeof(*t->die));
	if (!t->cpu || !t->die)
		return -ENOMEM;
	for (cpu = hwloc_bitmap_first(all); cpu >= 0; cpu = hwloc_bitmap_next(all, cpu)) {
		t->die[i] = die_of(hw, (unsigned int)cpu);
		describe_cpu(hw, (unsigned int)cpu, &t->cpu[i++]);
	}
	t->total = (struct ntime_topology){
		.size = sizeof(t->total),
		.cpus = (uint32_t)n,
		.online_cpus = (uint32_t)hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_PU),
		.cores = (uint32_t)hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_CORE),
		.packages = (uint32_t)hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_PACKAGE),
		.nodes = (uint32_t)hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_NUMANODE),
	};
	return 0;
}

static int keep_xml(hwloc_topology_t hw, struct nti_topology *t)
{
	char *xml;
	int bytes;

	if (hwloc_topology_export_xmlbuffer(hw, &xml, &bytes, 0) < 0)
		return -EIO;
	t->xml = strdup(xml);
	hwloc_free_xmlbuffer(hw, xml);
	return t->xml ? 0 : -ENOMEM;
}

static int load(struct nti_os *os, struct nti_topology *t)
{
	hwloc_topology_t hw;
	int ret;

	if (hwloc_topology_init(&hw) < 0)
		return -ENOMEM;
	/* The whole machine, also when this process is confined to a part of it. */
	ret = hwloc_topology_set_flags(hw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	if (ret == 0)
		ret = choose_source(os, hw);
	if (ret == 0)
		ret = hwloc_topology_load(hw);
	ret = ret < 0 ? -EIO : flatten(hw, t);
	if (ret == 0)
		ret = keep_xml(hw, t);
	hwloc_topology_destroy(hw);
	return ret;
}

int nti_topology_new(struct nti_os *os, struct nti_topology **out, struct nti_error *e)
{
	struct nti_topology *t = calloc(1, sizeof(*t));
	int ret;

	*out = NULL;
	if (!t)
		return -ENOMEM;
	ret = nti_library_need(&nti_lazy_hwloc, "the topology", e);
	if (ret < 0) {
		nti_topology_free(t);
		return ret;
	}
	ret = load(os, t);
	if (ret < 0) {
		nti_topology_free(t);
		return nti_error(e, ret, "hwloc cannot find this machine's topology (try: lstopo)");
	}
	*out = t;
	return 0;
}

void nti_topology_free(struct nti_topology *t)
{
	if (!t)
		return;
	free(t->cpu);
	free(t->die);
	free(t->xml);
	free(t);
}

const struct ntime_cpu_info *nti_topology_cpu(const struct nti_topology *t, unsigned int cpu)
{
	uint32_t i;

	for (i = 0; i < t->total.cpus; i++) {
		if (t->cpu[i].cpu == (int32_t)cpu)
			return &t->cpu[i];
	}
	return NULL;
}

int nti_topology_domain(const struct ntime_cpu_info *cpu, enum nti_unit_scope scope)
{
	switch (scope) {
	case NTI_SCOPE_CORE:
		return cpu->core;
	case NTI_SCOPE_L3:
		/*
		 * Without caches of level 3, what shares a package shares all; lib/machine/boxes.c
		 * says so as well.
		 */
		return cpu->l3 >= 0 ? cpu->l3 : cpu->package;
	case NTI_SCOPE_PACKAGE:
		return cpu->package;
	default:
		return cpu->is_online ? cpu->cpu : -1;
	}
}
