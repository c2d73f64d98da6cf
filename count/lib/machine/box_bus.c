// SPDX-License-Identifier: MIT
/*
 * Which package a PCI bus belongs to. On each package one function, the Ubox, tells its node and
 * which package has which node; buses without a Ubox are those of the next bus that has one. Found
 * out as Linux does it (6.1, arch/x86/events/intel/uncore_snbep.c, snbep_pci2phy_map_init()), so
 * that a box is the same one in its numbering and in ours. Where the Ubox cannot be read (its
 * registers are root's), the CPUs that the kernel calls local to the function tell, if they are of
 * one package.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/regs/devices.h"
#include "count/lib/machine/box_bus.h"
#include "base/common/grow.h"
#include "base/common/text.h"

struct bus {
	uint32_t domain, bus;
	int package;
	bool is_above;
};

struct nti_box_buses {
	struct nti_os *os;
	struct bus *bus;
	size_t count;
};

unsigned int nti_box_package_of(struct nti_os *os, unsigned int cpu)
{
	int package = nti_os_package(os, cpu);

	return package < 0 ? 0 : (unsigned int)package;
}

static int add_ubox(struct nti_box_buses *b, const struct nti_box_pci *pci,
		    const struct nti_pci_function *f, const struct nthw_ubox *ubox)
{
	uint64_t node, map;
	int package;

	if (pci->read(pci->arg, f, ubox->node->addr, &node) < 0 ||
	    pci->read(pci->arg, f, ubox->map->addr, &map) < 0)
		return 0;
	package = nthw_ubox_socket(node, map);
	if (package < 0)
		return 0;
	if (!nti_grow(&b->bus, b->count))
		return -ENOMEM;
	b->bus[b->count++] = (struct bus){
		.domain = f->domain, .bus = f->bus, .package = package, .is_above = ubox->is_above
	};
	return 0;
}

static int is_node_too_high(void *arg, unsigned int node)
{
	(void)arg;
	return node >= NTHW_UBOX_SOCKETS;
}

/* The map has room for so many; Linux does not ask Uboxes either where there are more. */
static bool has_too_many_nodes(struct nti_os *os)
{
	char nodes[4096];

	return nti_os_line(os, nodes, sizeof(nodes), "/sys/devices/system/node/possible") >= 0 &&
	       nti_text_for_each_in_list(nodes, NTI_CPU_LIMIT, is_node_too_high, NULL) == 1;
}

int nti_box_buses_new(struct nti_os *os, const struct nti_box_pci *pci, struct nti_box_buses **out)
{
	struct nti_box_buses *b = calloc(1, sizeof(*b));
	const struct nti_pci_function *f;
	const struct nthw_pci_device *known;
	size_t i;
	int ret = 0;

	*out = b;
	if (!b)
		return -ENOMEM;
	b->os = os;
	if (has_too_many_nodes(os))
		return 0;
	for (i = 0; ret == 0 && (f = pci->get(pci->arg, i)); i++) {
		known = nthw_pci_device(f->vendor_id, f->device_id);
		if (known && known->is_ubox)
			ret = add_ubox(b, pci, f, known->ubox);
	}
	if (ret < 0) {
		nti_box_buses_free(b);
		*out = NULL;
	}
	return ret;
}

void nti_box_buses_free(struct nti_box_buses *b)
{
	if (!b)
		return;
	free(b->bus);
	free(b);
}

/*
 * The bus with a Ubox that speaks for @f's: itself, or the next one on the side where Linux looks.
 */
static const struct bus *find_bus(const struct nti_box_buses *b, const struct nti_pci_function *f)
{
	const struct bus *best = NULL;
	size_t i;

	for (i = 0; i < b->count; i++) {
		const struct bus *bus = &b->bus[i];

		if (bus->domain != f->domain ||
		    (bus->is_above ? bus->bus < f->bus : bus->bus > f->bus))
			continue;
		if (!best || (bus->is_above ? bus->bus < best->bus : bus->bus > best->bus))
			best = bus;
	}
	return best;
}

/* State of walking the CPUs near a function: the package of all of them. */
struct near_walk {
	struct nti_os *os;
	int package;
};

static int see_cpu(void *arg, unsigned int cpu)
{
	struct near_walk *w = arg;
	int package = (int)nti_box_package_of(w->os, cpu);

	if (w->package >= 0 && w->package != package)
		return 1;
	w->package = package;
	return 0;
}

static int package_of_local_cpus(struct nti_os *os, const struct nti_pci_function *f)
{
	struct near_walk walk = { .os = os, .package = -1 };
	char cpus[4096];

	if (nti_os_line(os, cpus, sizeof(cpus), "/sys/bus/pci/devices/%s/local_cpulist",
			f->address) < 0 ||
	    nti_text_for_each_in_list(cpus, NTI_CPU_LIMIT, see_cpu, &walk) != 0)
		return -1;
	return walk.package;
}

int nti_box_buses_package(const struct nti_box_buses *b, const struct nti_pci_function *f)
{
	const struct bus *bus = find_bus(b, f);

	return bus ? bus->package : package_of_local_cpus(b->os, f);
}
