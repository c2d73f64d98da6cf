// SPDX-License-Identifier: MIT
/* The machine's topology, from hwloc, or from the few words of a recording. */
#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "base/common/library.h"
#include "base/os/file.h"
#include "base/os/replay/replay.h"
#include "count/lib/machine/topology.h"

/*
 * What hwloc reads below a root. It opens whatever has the name of a file: in a stranger's tree a
 * pipe would be waited for, and a link would lead to this machine.
 */
static const char *const read_by_hwloc[] = {
	"proc/cpuinfo",
	"proc/meminfo",
	"proc/mounts",
	"proc/self",
	"proc/hwloc-nofile-info",
	"proc/device-tree",
	"sys/devices/system/cpu",
	"sys/devices/system/node",
	"sys/devices/virtual/dmi",
	"sys/class/dmi",
	"sys/kernel/mm",
	"sys/firmware/devicetree",
};

/* hwloc has no other way to be told of a root than its environment. */
static int load_tree(int root, hwloc_topology_t hw)
{
	static const char *const names[] = { "HWLOC_FSROOT", "HWLOC_COMPONENTS",
					     "HWLOC_DUMPED_HWDATA_DIR", "HWLOC_HIDE_ERRORS" };
	char path[64], *before[NTI_ARRAY_SIZE(names)] = { NULL };
	const char *const values[] = { path, "linux,stop", "/nowhere", "2" };
	int ret = nti_file_check_tree(root, read_by_hwloc, NTI_ARRAY_SIZE(read_by_hwloc));

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", root);
	for (size_t i = 0; i < NTI_ARRAY_SIZE(names) && ret == 0; i++) {
		const char *now = getenv(names[i]);

		before[i] = now ? strdup(now) : NULL;
		ret = (now && !before[i]) || setenv(names[i], values[i], 1) < 0 ? -ENOMEM : 0;
	}
	ret = ret < 0 ? ret : hwloc_topology_load(hw);
	for (size_t i = 0; i < NTI_ARRAY_SIZE(names); i++) {
		if (before[i])
			(void)setenv(names[i], before[i], 1);
		else
			(void)unsetenv(names[i]);
		free(before[i]);
	}
	return ret;
}

/* Where hwloc shall look: this machine, or what a recording holds. */
static int choose_source(struct nti_os *os, hwloc_topology_t hw)
{
	const char *xml = NULL, *synthetic = NULL;

	/* Where it finds no sysfs, hwloc's part for Linux writes to stderr and gives up. */
	if (!os->is_elsewhere && !nti_os_exists(os, "/sys/devices/system/cpu"))
		return hwloc_topology_set_components(hw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
						     "linux");
	if (nti_machine_topology(os, &xml, &synthetic) == -ENOTSUP)
		return 0;
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

static void describe_cpu(hwloc_topology_t hw, hwloc_obj_t pu, struct nti_cpu *out)
{
	hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(hw, HWLOC_OBJ_CORE, pu);

	out->is_online = true;
	out->core = core ? (int)core->logical_index : (int)pu->logical_index;
	out->package = ancestor(hw, pu, HWLOC_OBJ_PACKAGE);
	out->l3 = ancestor(hw, pu, HWLOC_OBJ_L3CACHE);
	/* hwloc knows dies only where a package has several. */
	out->die = ancestor(hw, pu, HWLOC_OBJ_DIE);
	if (out->die < 0)
		out->die = out->package;
}

struct nti_cpu *nti_topology_cpu(const struct nti_topology *t, unsigned int cpu)
{
	size_t low = 0, high = t->total.cpus;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if ((unsigned int)t->cpu[middle].cpu == cpu)
			return &t->cpu[middle];
		if ((unsigned int)t->cpu[middle].cpu < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Each node goes to its CPUs; what has several is of the first one. */
static void place_nodes(hwloc_topology_t hw, struct nti_topology *t)
{
	struct nti_cpu *row;
	hwloc_obj_t node = NULL;
	int cpu;

	while ((node = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_NUMANODE, node)) != NULL) {
		for (cpu = hwloc_bitmap_first(node->cpuset); cpu >= 0;
		     cpu = hwloc_bitmap_next(node->cpuset, cpu)) {
			row = nti_topology_cpu(t, (unsigned int)cpu);
			if (row && row->is_online && row->node < 0)
				row->node = (int)node->logical_index;
		}
	}
}

static void place_cpus(hwloc_topology_t hw, struct nti_topology *t)
{
	struct nti_cpu *row;
	hwloc_obj_t pu = NULL;

	while ((pu = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_PU, pu)) != NULL) {
		row = nti_topology_cpu(t, pu->os_index);
		if (row)
			describe_cpu(hw, pu, row);
	}
	place_nodes(hw, t);
}

/* CPUs that exist: all that hwloc's complete set has, on line or not. */
static int flatten(hwloc_topology_t hw, struct nti_topology *t)
{
	hwloc_const_cpuset_t all = hwloc_topology_get_complete_cpuset(hw);
	int n = hwloc_bitmap_weight(all), cpu, i = 0;

	if (n <= 0)
		return -EIO;
	t->cpu = calloc((size_t)n, sizeof(*t->cpu));
	if (!t->cpu)
		return -ENOMEM;
	for (cpu = hwloc_bitmap_first(all); cpu >= 0; cpu = hwloc_bitmap_next(all, cpu))
		t->cpu[i++] = (struct nti_cpu){
			.cpu = cpu, .core = -1, .package = -1, .node = -1, .l3 = -1, .die = -1
		};
	t->total = (struct ntime_topology){
		.size = sizeof(t->total),
		.cpus = (uint32_t)n,
		.online_cpus = (uint32_t)hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_PU),
		.cores = (uint32_t)hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_CORE),
		.packages = (uint32_t)hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_PACKAGE),
		.nodes = (uint32_t)hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_NUMANODE),
	};
	place_cpus(hw, t);
	return 0;
}

static int export_xml(hwloc_topology_t hw, char **out)
{
	char *xml;
	int bytes;

	if (hwloc_topology_export_xmlbuffer(hw, &xml, &bytes, 0) < 0)
		return -EIO;
	*out = strdup(xml);
	hwloc_free_xmlbuffer(hw, xml);
	return *out ? 0 : -ENOMEM;
}

static int load(struct nti_os *os, hwloc_topology_t *out)
{
	int root = nti_os_linux_root(os), ret;
	hwloc_topology_t hw;

	if (hwloc_topology_init(&hw) < 0)
		return -ENOMEM;
	/* The whole machine, also when this process is confined to a part of it. */
	ret = hwloc_topology_set_flags(hw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	if (ret == 0)
		ret = choose_source(os, hw);
	if (ret == 0)
		ret = root >= 0 ? load_tree(root, hw) : hwloc_topology_load(hw);
	if (ret < 0) {
		hwloc_topology_destroy(hw);
		return ret == -1 ? -EIO : ret;
	}
	*out = hw;
	return 0;
}

static const char *why_no_tree(int error)
{
	switch (error) {
	case -EINVAL:
		return "what it reads holds a pipe or a device, which is no regular file";
	case -EXDEV:
		return "a link in what it reads leads out of the tree";
	case -EACCES:
		return "this user may not read all of /sys/devices/system/cpu there";
	case -E2BIG:
		return "there are more than a million files in what it reads";
	case -EIO:
		return "/sys/devices/system/cpu is missing there, or not whole";
	default:
		return strerror(-error);
	}
}

/* @t or @xml, whichever is not NULL, from hwloc. */
static int ask_hwloc(struct nti_os *os, struct nti_topology *t, char **xml, struct nti_error *e)
{
	hwloc_topology_t hw;
	int ret = nti_library_need(&nti_lazy_hwloc, "the topology", e);

	if (ret < 0)
		return ret;
	ret = load(os, &hw);
	if (ret == 0) {
		ret = t ? flatten(hw, t) : export_xml(hw, xml);
		hwloc_topology_destroy(hw);
	}
	if (ret < 0 && nti_os_linux_root(os) >= 0)
		return nti_error(e, ret, "hwloc cannot read the tree's topology: %s",
				 why_no_tree(ret));
	return ret < 0 ? nti_error(e, ret,
				   "hwloc cannot find this machine's topology (try: lstopo)")
		       : 0;
}

int nti_topology_new(struct nti_os *os, struct nti_topology **out, struct nti_error *e)
{
	struct nti_topology *t = calloc(1, sizeof(*t));
	const char *xml = NULL, *synthetic = NULL;
	int ret;

	*out = NULL;
	if (!t)
		return -ENOMEM;
	/* A recording may hold the topology in a few words. */
	(void)nti_machine_topology(os, &xml, &synthetic);
	ret = synthetic ? nti_topology_from_synthetic(synthetic, t) : -ENOTSUP;
	if (ret == -ENOTSUP)
		ret = ask_hwloc(os, t, NULL, e);
	if (ret < 0) {
		nti_topology_free(t);
		return ret;
	}
	*out = t;
	return 0;
}

int nti_topology_xml(struct nti_os *os, char **out, struct nti_error *e)
{
	*out = NULL;
	return ask_hwloc(os, NULL, out, e);
}

void nti_topology_free(struct nti_topology *t)
{
	if (!t)
		return;
	free(t->cpu);
	free(t);
}

int nti_topology_domain(const struct nti_cpu *cpu, enum nti_unit_scope scope)
{
	switch (scope) {
	case NTI_SCOPE_CORE:
		return cpu->core;
	case NTI_SCOPE_L3:
		/*
		 * Without caches of level 3, what shares a package shares all;
		 * count/lib/machine/boxes.c says so as well.
		 */
		return cpu->l3 >= 0 ? cpu->l3 : cpu->package;
	case NTI_SCOPE_PACKAGE:
		return cpu->package;
	default:
		return cpu->is_online ? cpu->cpu : -1;
	}
}
