// SPDX-License-Identifier: MIT
/* Boxes of this machine, attached to its units. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/regs/devices.h"
#include "core/seq/box.h"
#include "count/lib/machine/box_bus.h"
#include "count/lib/machine/boxes.h"
#include "count/lib/access/handle.h"
#include "count/lib/access/pci.h"
#include "count/lib/access/why.h"
#include "base/common/compiler.h"
#include "base/common/grow.h"
#include "base/common/set.h"
#include "base/common/text.h"
#include "count/lib/machine/cpu.h"
#include "count/lib/machine/unit_rows.h"

/* The access method to one space of registers that this user has here. */
struct method {
	bool is_usable;
	enum nti_method method;
	const struct nti_why *why; /* why not */
};

struct finder {
	struct nti_os *os;
	struct nti_units *units;
	const struct nti_boxes_source *lent;
	const struct nti_boxes_cpu *cpu; /* NULL until a unit is to be added */
	size_t cpus;
	char online[4096]; /* CPUs, as the kernel lists them */
	bool is_guest;
	struct method msr, pci;
	struct nti_handles *handles;
	struct nti_pci *bus;
	struct nti_box_pci functions;
	struct nti_box_buses *buses;
	size_t loaded; /* units before any was added: the kernel's */
	bool has_dies; /* packages have several */
};

/* First of the driver's files and the kernel's own devices. */
static void find_methods(struct finder *f)
{
	const struct nti_why *why;

	if (nti_method_probe(f->os, NTI_METHOD_NTIMEFS, &why) == 0) {
		f->msr = f->pci =
			(struct method){ .is_usable = true, .method = NTI_METHOD_NTIMEFS };
		return;
	}
	f->msr.method = NTI_METHOD_MSR;
	f->msr.is_usable = nti_method_probe(f->os, NTI_METHOD_MSR, &f->msr.why) == 0;
	f->pci = (struct method){ .method = NTI_METHOD_PCI,
				  .is_usable = f->os->ops->is_privileged(f->os, false),
				  .why = &nti_why_pci_for_root };
}

/* There is one of the unit for each of these; the rows know no cores, because registers do not. */
static enum nti_unit_scope scope_of(const struct nthw_box_kind *kind)
{
	if (strcmp(kind->unit, "thermal") == 0 || strcmp(kind->unit, "cstate_core") == 0 ||
	    strcmp(kind->unit, "power_core") == 0)
		return NTI_SCOPE_CORE;
	switch (kind->scope) {
	case NTHW_SCOPE_CPU:
		return NTI_SCOPE_CPU;
	case NTHW_SCOPE_L3:
		return NTI_SCOPE_L3;
	default:
		return NTI_SCOPE_PACKAGE;
	}
}

/*
 * "uncore_imc_3" is number 3 of "uncore_imc", "uncore" number 0 of "uncore"; -1: it is none of
 * them.
 */
static int number_of(const char *name, const char *family)
{
	size_t length = strlen(family);
	uint64_t number;

	if (strncmp(name, family, length) != 0)
		return -1;
	if (!name[length])
		return 0;
	if (name[length] != '_' || nti_text_parse_u64(name + length + 1, &number) < 0 ||
	    number > 1000)
		return -1;
	return (int)number;
}

static int add_box(struct nti_unit *unit, const struct nti_unit_box *box)
{
	if (!nti_grow(&unit->box, unit->boxes))
		return -ENOMEM;
	unit->box[unit->boxes++] = *box;
	return 0;
}

/* Registers of CPUs are asked, never written: nobody has to be kept away. */
static struct nti_handle_request request_for(const struct finder *f, const char *name,
					     unsigned int cpu)
{
	return (struct nti_handle_request){
		.name = name, .cpu = cpu, .method = f->msr.method, .reads_only = true
	};
}

/* @out is there as long as *@handle is. */
static int open_box(struct finder *f, const struct nti_unit_box *box, struct nti_handle **handle,
		    struct nthw_box *out)
{
	const struct nti_handle_request what = request_for(f, box->kind->unit, box->cpu);
	int ret = nti_handle_new(f->handles, &what, handle);

	if (ret == 0)
		*out = (struct nthw_box){ .kind = box->kind,
					  .io = nti_handle_io(*handle),
					  .unit = nti_handle_unit(*handle),
					  .number = box->number };
	return ret;
}

/*
 * Joules a step, as the registers say; counters that have a step of their own (memory of servers)
 * tell it themselves.
 */
static void find_energy(struct finder *f, struct nti_unit *unit)
{
	const struct nthw_box_kind *kind = unit->boxes ? unit->box[0].kind : NULL;
	struct nti_handle *handle;
	struct nthw_box box;
	uint32_t i, bits;

	if (!kind || !f->msr.is_usable || open_box(f, &unit->box[0], &handle, &box) < 0)
		return;
	for (i = 0; i < kind->frees; i++) {
		if (!kind->free[i].has_unit && nthw_box_energy_bits(&box, i, &bits) == 0 &&
		    bits < 64) {
			unit->energy_scale = 1 / (double)((uint64_t)1 << bits);
			break;
		}
	}
	nti_handle_free(handle);
}

/* Package and die of @box's CPU. */
static void find_place(struct finder *f, struct nti_unit_box *box)
{
	box->package = nti_box_package_of(f->os, box->cpu);
	if (scope_of(box->kind) == NTI_SCOPE_PACKAGE)
		box->has_dies = nti_os_die(f->os, box->cpu, &box->die);
}

/* State of attaching boxes to one unit of the kernel's: a box for each of its CPUs. */
struct attach_walk {
	struct finder *f;
	struct nti_unit *unit;
	const struct nthw_box_kind *kind;
	uint32_t number;
	int ret;
};

static int attach_cpu(void *arg, unsigned int cpu)
{
	struct attach_walk *w = arg;
	struct nti_unit_box box = { .kind = w->kind, .number = w->number, .cpu = cpu };

	find_place(w->f, &box);
	w->ret = add_box(w->unit, &box);
	return w->ret;
}

/* The unit of the kernel's called @name, which can count. */
static struct nti_unit *kernel_unit(struct finder *f, const char *name)
{
	size_t i;

	for (i = 0; i < f->loaded; i++) {
		if (strcmp(f->units->unit[i]->name, name) == 0 && !f->units->unit[i]->absent.reason)
			return f->units->unit[i];
	}
	return NULL;
}

/*
 * Units of the kernel's that are boxes of @kind: all of those that it has. Returns whether there is
 * one, or -ENOMEM.
 */
static int attach_to_kernel(struct finder *f, const struct nthw_box_kind *kind)
{
	struct attach_walk walk = { .f = f, .kind = kind };
	bool is_there = false;
	size_t i;

	for (i = 0; i < f->loaded; i++) {
		int number = number_of(f->units->unit[i]->name, kind->unit);

		if (number < 0 || f->units->unit[i]->absent.reason || f->units->unit[i]->box)
			continue;
		is_there = true;
		/*
		 * In a recording registers are there or not, and nobody can do anything about it.
		 */
		if (f->os->is_simulated && !f->msr.is_usable)
			continue;
		walk.unit = f->units->unit[i];
		walk.number = (uint32_t)number;
		(void)nti_text_for_each_in_list(walk.unit->cpus ? walk.unit->cpus : f->online,
						NTI_CPU_LIMIT, attach_cpu, &walk);
		if (walk.ret < 0)
			return walk.ret;
		walk.unit->scope = scope_of(kind);
		find_energy(f, walk.unit);
	}
	return is_there;
}

static int get_topology(struct finder *f)
{
	if (f->cpu)
		return 0;
	return f->lent->cpus(f->lent->arg, &f->cpu, &f->cpus);
}

/*
 * Core, cache or package (its die, where it has several) of @cpu, of which there is one box;
 * without caches of level 3, what shares a package shares all.
 */
static int domain_of(const struct nti_boxes_cpu *cpu, enum nti_unit_scope scope)
{
	switch (scope) {
	case NTI_SCOPE_CPU:
		return (int)cpu->cpu;
	case NTI_SCOPE_CORE:
		return cpu->core;
	case NTI_SCOPE_L3:
		return cpu->l3 >= 0 ? cpu->l3 : cpu->package;
	default:
		return cpu->package;
	}
}

/* 1: @cpu is the first one of its domain, which @seen has from now on; 0; -ENOMEM. */
static int see_domain(struct nti_set *seen, const struct nti_boxes_cpu *cpu,
		      enum nti_unit_scope scope)
{
	/* -1 is a domain, too: that of the CPUs of which it is not known. */
	unsigned int domain = (unsigned int)(domain_of(cpu, scope) + 1);

	if (nti_set_has(seen, domain))
		return 0;
	return nti_set_add(seen, domain) < 0 ? -ENOMEM : 1;
}

static void unit_name(char *name, size_t size, const struct nthw_box_kind *kind, uint32_t number)
{
	if (kind->boxes > 1)
		(void)snprintf(name, size, "%s_%u", kind->unit, number);
	else
		(void)snprintf(name, size, "%s", kind->unit);
}

/* A unit that the kernel lacks, without boxes; NULL when memory is short. */
static struct nti_unit *new_unit(struct finder *f, const struct nthw_box_kind *kind,
				 const char *name, const struct method *method)
{
	struct nti_unit *unit = nti_units_append(f->units, name, nti_unit_row(kind->unit)->desc);

	if (!unit)
		return NULL;
	unit->kind = NTI_UNIT_UNCORE;
	unit->method = method->method;
	unit->type = UINT32_MAX;
	unit->scope = scope_of(kind);
	if (!kind->frees) {
		unit->counters = kind->counter ? kind->counter->count : 0;
		unit->fixed = kind->fixed_counter != NULL;
	}
	return unit;
}

/* How many of the boxes from @from on are of CPUs one after the other. */
static size_t run_of(const struct nti_unit *unit, size_t from)
{
	size_t n = 1;

	while (from + n < unit->boxes && unit->box[from + n].cpu == unit->box[from].cpu + n)
		n++;
	return n;
}

/*
 * Its CPUs are those of its boxes, which are in their order; written as the kernel does, "0-3,8".
 */
static int name_cpus(struct nti_unit *unit)
{
	size_t i, n, at = 0, size = unit->boxes * 12 + 1;

	unit->cpus = calloc(1, size);
	if (!unit->cpus)
		return -ENOMEM;
	for (i = 0; i < unit->boxes; i += n) {
		n = run_of(unit, i);
		at += (size_t)snprintf(unit->cpus + at, size - at, "%s%u", i ? "," : "",
				       unit->box[i].cpu);
		if (n > 1)
			at += (size_t)snprintf(unit->cpus + at, size - at, "-%u",
					       unit->box[i + n - 1].cpu);
	}
	return 0;
}

/*
 * The kernel lacks it and registers are out of reach: it says why. One speaks for all of its kind
 * when nobody tells how many there are.
 */
static int add_absent(struct finder *f, const struct nthw_box_kind *kind, const char *name,
		      const struct method *method)
{
	const struct nti_unit_box box = { .kind = kind };
	struct nti_unit *unit;

	/*
	 * Hypervisors do not show such things; a recording, or another root directory, was asked
	 * for what it has.
	 */
	if (f->is_guest || f->os->is_elsewhere)
		return 0;
	unit = new_unit(f, kind, name, method);
	if (!unit || add_box(unit, &box) < 0)
		return -ENOMEM;
	/* The unit's name is no part of it: dozens of boxes share one sentence. */
	return nti_absence_set(
		&unit->absent, method->why->code, method->why->about, method->why->remedy,
		"the kernel does not count this unit, and its registers are out of reach: %s",
		method->why->reason);
}

/*
 * The register is not there (or its CPU no longer); any other error leaves open whether it is. A
 * recording has what was recorded.
 */
static bool is_refusal(const struct finder *f, int error)
{
	return error == -EIO || error == -ENXIO || error == -ENODEV || error == -ENOTSUP ||
	       (f->os->is_simulated && error != -ENOMEM);
}

/*
 * Of counters that always run one that reads 0 is not wired, or a hypervisor's: Linux 6.1
 * arch/x86/events/probe.c, perf_msr_probe(), leaves it out as well.
 */
static int drop_unwired(struct finder *f, const struct nthw_box *box, uint64_t *counters)
{
	uint64_t value;
	uint32_t i;
	int ret;

	for (i = 0; i < box->kind->frees; i++) {
		if (box->kind->free[i].is_state || !(*counters >> i & 1))
			continue;
		ret = nthw_box_read(box, i, &value);
		if (ret < 0 && !is_refusal(f, ret))
			return ret;
		if (ret == 0 && !value)
			*counters &= ~((uint64_t)1 << i);
	}
	return 0;
}

/* Counters that always run and whose fields the processor does not say to have. */
static void drop_unsaid(const struct finder *f, const struct nthw_box_kind *kind,
			uint64_t *counters)
{
	uint32_t i;

	for (i = 0; i < kind->frees; i++)
		if (!nthw_cpu_has_state(&f->units->cpu, kind->name, kind->free[i].name))
			*counters &= ~((uint64_t)1 << i);
}

/* Counters of @box that are there; none: no such box. An error: nobody knows. */
static int discover(struct finder *f, const struct nthw_box *box, uint64_t *counters)
{
	int ret = nthw_box_discover(box, counters);

	if (ret < 0) {
		*counters = 0;
		return is_refusal(f, ret) ? 0 : ret;
	}
	drop_unsaid(f, box->kind, counters);
	return drop_unwired(f, box, counters);
}

/* What one box has of @kind's; the first one tells how many counters there are. */
static void note_counters(struct nti_unit *unit, const struct nthw_box_kind *kind,
			  uint64_t counters)
{
	if (kind->frees) {
		unit->frees |= counters;
	} else if (unit->boxes == 1) {
		unit->counters = (unsigned int)__builtin_popcount((uint32_t)counters);
		unit->fixed = counters >> NTHW_BOX_FIXED & 1;
	}
}

/* Which core PMU has @cpu: kinds of core differ in their counters. 0 where there is one kind. */
static size_t kind_of_core(const struct finder *f, unsigned int cpu)
{
	size_t i;

	for (i = 0; i < f->loaded; i++) {
		const struct nti_unit *unit = f->units->unit[i];

		if (unit->kind == NTI_UNIT_CORE && unit->cpus && nti_text_list_has(unit->cpus, cpu))
			return i;
	}
	return 0;
}

/*
 * What was found on one CPU holds for its like: the others are not woken for it. That there is
 * nothing two say, as one may be going off line.
 */
struct likes {
	size_t count;
	struct like {
		int package;
		size_t kind;
		uint64_t counters;
		unsigned int refusals;
	} like[16];
};

static int discover_like(struct finder *f, const struct nti_boxes_cpu *cpu,
			 const struct nthw_box *box, struct likes *likes, uint64_t *counters)
{
	struct like found = { .package = cpu->package, .kind = kind_of_core(f, cpu->cpu) };
	struct like *like = likes->like, *end = likes->like + likes->count;
	int ret;

	while (like < end && (like->package != found.package || like->kind != found.kind))
		like++;
	if (like < end && (like->counters || like->refusals > 1)) {
		*counters = like->counters;
		return 0;
	}
	ret = discover(f, box, counters);
	if (ret < 0 || like == likes->like + NTI_ARRAY_SIZE(likes->like))
		return ret;
	if (like == end) {
		*like = found;
		likes->count++;
	}
	like->counters = *counters;
	like->refusals += !*counters;
	return 0;
}

/*
 * Boxes of @unit could not all be asked: a part of them would be taken for the whole, so none is
 * counted, and the unit says why.
 */
static int give_up(struct finder *f, struct nti_unit *unit, const struct nti_unit_box *box,
		   int error)
{
	const struct nti_unit_box nameless = { .kind = box->kind, .number = box->number };
	struct nti_handle_request what;

	if (error == -ENOMEM || !unit)
		return -ENOMEM;
	unit->boxes = 0;
	unit->frees = 0;
	if (add_box(unit, &nameless) < 0)
		return -ENOMEM;
	what = request_for(f, unit->name, box->cpu);
	return nti_handles_explain(f->handles, &what, error, &unit->absent);
}

/*
 * The box of @cpu, as far as it is there; 0 or -ENOMEM. *@unit is made when the first one is, and
 * absent when one cannot be asked.
 */
static int add_msr_box(struct finder *f, const struct nti_boxes_cpu *cpu,
		       struct nti_unit_box *found, const struct nthw_box *box, struct likes *likes,
		       struct nti_unit **unit)
{
	uint64_t counters = 0;
	char name[64];
	int ret = discover_like(f, cpu, box, likes, &counters);

	if (ret == 0 && !counters)
		return 0;
	unit_name(name, sizeof(name), found->kind, found->number);
	if (!*unit)
		*unit = new_unit(f, found->kind, name, &f->msr);
	if (ret < 0)
		return give_up(f, *unit, found, ret);
	find_place(f, found);
	if (!*unit || add_box(*unit, found) < 0)
		return -ENOMEM;
	note_counters(*unit, found->kind, counters);
	return 0;
}

/*
 * Box number @number in each domain that has one. 1: a unit was added that counts; 0: no CPU has
 * it, or nobody knows; -ENOMEM.
 */
static int add_msr_unit(struct finder *f, const struct nthw_box_kind *kind, uint32_t number)
{
	struct nti_unit *unit = NULL;
	struct likes likes = { 0 };
	struct nti_set seen = { 0 };
	struct nti_handle *handle;
	struct nthw_box box;
	size_t i;
	int ret = 0;

	for (i = 0; ret >= 0 && i < f->cpus && !(unit && unit->absent.reason); i++) {
		struct nti_unit_box found = { .kind = kind,
					      .number = number,
					      .cpu = f->cpu[i].cpu };

		if (nti_is_interrupted(f->os->interrupt)) {
			ret = -EINTR;
			break;
		}
		ret = see_domain(&seen, &f->cpu[i], scope_of(kind));
		if (ret <= 0)
			continue;
		ret = open_box(f, &found, &handle, &box);
		if (ret < 0)
			break;
		ret = add_msr_box(f, &f->cpu[i], &found, &box, &likes, &unit);
		nti_handle_free(handle);
	}
	nti_set_fini(&seen);
	if (ret < 0 || !unit || unit->absent.reason)
		return ret;
	find_energy(f, unit);
	return name_cpus(unit) < 0 ? -ENOMEM : 1;
}

static int add_msr_kind(struct finder *f, const struct nthw_box_kind *kind)
{
	uint32_t number, most = kind->boxes ? kind->boxes : 1;
	int ret = attach_to_kernel(f, kind);

	if (ret)
		return ret < 0 ? ret : 0;
	if (!f->msr.is_usable)
		return add_absent(f, kind, kind->unit, &f->msr);
	/* Without a topology nobody knows how many to ask: then there are none. */
	ret = get_topology(f);
	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	for (number = 0; number < most; number++) {
		ret = add_msr_unit(f, kind, number);
		if (ret <= 0)
			return ret;
	}
	return 0;
}

static int add_msr_kinds(struct finder *f)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < nthw_box_kind_count; i++) {
		const struct nthw_box_kind *kind = nthw_box_kinds[i];

		if (kind->space == NTHW_SPACE_MSR && nthw_cpu_has_box(&f->units->cpu, kind->name))
			ret = add_msr_kind(f, kind);
	}
	return ret;
}

/* State of looking for the CPU of a unit's list that is in one package. */
struct package_walk {
	struct nti_os *os;
	unsigned int package, cpu;
};

static int is_of_package(void *arg, unsigned int cpu)
{
	struct package_walk *w = arg;

	w->cpu = cpu;
	return nti_box_package_of(w->os, cpu) == w->package;
}

/*
 * The kernel counts @unit on one CPU of each package; a box of a package that has none stays out of
 * reach.
 */
static int attach_function(struct finder *f, struct nti_unit *unit, struct nti_unit_box *box)
{
	struct package_walk walk = { .os = f->os, .package = box->package };

	if (!unit->cpus ||
	    nti_text_for_each_in_list(unit->cpus, NTI_CPU_LIMIT, is_of_package, &walk) != 1)
		return 0;
	box->cpu = walk.cpu;
	unit->scope = NTI_SCOPE_PACKAGE;
	return add_box(unit, box);
}

/* A unit that this module has added. */
static struct nti_unit *added_unit(struct finder *f, const char *name)
{
	size_t i;

	for (i = f->loaded; i < f->units->count; i++) {
		if (strcmp(f->units->unit[i]->name, name) == 0)
			return f->units->unit[i];
	}
	return NULL;
}

/* The first CPU on line of the box's package; -1: none is, then nobody reads it. */
static int first_cpu_of(struct finder *f, unsigned int package)
{
	size_t i;

	for (i = 0; i < f->cpus; i++) {
		if (nti_box_package_of(f->os, f->cpu[i].cpu) == package)
			return (int)f->cpu[i].cpu;
	}
	return -1;
}

static int add_function(struct finder *f, const char *name, struct nti_unit_box *box)
{
	struct nti_unit *unit = added_unit(f, name);
	int ret, cpu;

	if (!f->pci.is_usable)
		return unit ? 0 : add_absent(f, box->kind, name, &f->pci);
	ret = get_topology(f);
	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	cpu = first_cpu_of(f, box->package);
	if (cpu < 0)
		return 0;
	box->cpu = (unsigned int)cpu;
	if (!unit)
		unit = new_unit(f, box->kind, name, &f->pci);
	return unit ? add_box(unit, box) : -ENOMEM;
}

/*
 * Nodes of Uboxes are then dies in an order that only the kernel knows (Linux 6.1,
 * snbep_pci2phy_map_init(): topology_max_die_per_package()).
 */
static int add_dieless(struct finder *f, const struct nthw_box_kind *kind, const char *name)
{
	static const struct nti_why why = {
		NTIME_REASON_NOT_SUPPORTED,
		"dies",
		"packages have several dies, and it is not known to which of them a PCI function "
		"is of",
		"use a kernel that counts it (perf)",
	};
	const struct method method = { .method = NTI_METHOD_PCI, .why = &why };

	return added_unit(f, name) ? 0 : add_absent(f, kind, name, &method);
}

static int see_function(struct finder *f, const struct nti_pci_function *function,
			const char *name_of_kind, uint32_t number)
{
	const struct nthw_box_kind *kind = nthw_box_kind(name_of_kind);
	/* .number tells boxes apart that one function has; here each has a function. */
	struct nti_unit_box box = { .kind = kind };
	struct nti_unit *unit;
	char name[64];
	int package;

	if (!kind)
		return 0;
	package = nti_box_buses_package(f->buses, function);
	if (package < 0)
		return 0;
	box.package = (unsigned int)package;
	(void)snprintf(box.function, sizeof(box.function), "%s", function->address);
	unit_name(name, sizeof(name), kind, number);
	unit = kernel_unit(f, name);
	if (f->has_dies)
		return unit ? 0 : add_dieless(f, kind, name);
	return unit ? attach_function(f, unit, &box) : add_function(f, name, &box);
}

static int by_cpu(const void *left, const void *right)
{
	const struct nti_unit_box *a = left, *b = right;

	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

/*
 * A function that says the same package as the one before it; @unit's boxes are in order. NULL:
 * none does.
 */
static const struct nti_unit_box *find_double(const struct nti_unit *unit)
{
	size_t i;

	for (i = 1; i < unit->boxes; i++) {
		if (unit->box[i].package == unit->box[i - 1].package)
			return &unit->box[i];
	}
	return NULL;
}

/*
 * Uboxes that all read 0 (a hypervisor's) put several functions into one package: which is which
 * nobody knows, and one would never be counted.
 */
static int drop_doubles(struct finder *f, struct nti_unit *unit)
{
	const struct nti_unit_box *box = unit->boxes ? unit->box : NULL, *second;
	char first[sizeof(box->function)], other[sizeof(box->function)];
	unsigned int package;

	if (!box)
		return 0;
	qsort(unit->box, unit->boxes, sizeof(*unit->box), by_cpu);
	if (box->kind->space != NTHW_SPACE_PCI || unit->absent.reason)
		return 0;
	second = find_double(unit);
	if (!second)
		return 0;
	if (unit->number < f->loaded) {
		/* The kernel counts it all the same. */
		free(unit->box);
		unit->box = NULL;
		unit->boxes = 0;
		return 0;
	}
	memcpy(first, second[-1].function, sizeof(first));
	memcpy(other, second->function, sizeof(other));
	package = second->package;
	unit->boxes = 1;
	unit->box[0] = (struct nti_unit_box){ .kind = unit->box[0].kind };
	return nti_absence_set(&unit->absent, NTIME_REASON_NOT_SUPPORTED, unit->name,
			       "use a kernel that counts it (perf)",
			       "PCI functions %s and %s both say that they are %s of package %u",
			       first, other, unit->name, package);
}

/* Functions come in the order of their buses. */
static int settle_functions(struct finder *f)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < f->units->count; i++)
		ret = drop_doubles(f, f->units->unit[i]);
	for (i = f->loaded; ret == 0 && i < f->units->count; i++) {
		struct nti_unit *unit = f->units->unit[i];

		if (unit->cpus || unit->absent.reason)
			continue;
		ret = name_cpus(unit);
	}
	return ret;
}

static const struct nti_pci_function *get_function(void *arg, size_t index)
{
	return nti_pci_get(arg, index);
}

static int read_function(void *arg, const struct nti_pci_function *f, uint32_t address,
			 uint64_t *value)
{
	(void)arg;
	return nti_pci_read(f, NTHW_SPACE_PCI, address, 32, value, NULL);
}

static int open_functions(struct finder *f)
{
	int ret;

	if (f->lent->pci) {
		f->functions = *f->lent->pci;
		return 0;
	}
	ret = nti_pci_new(f->os, &f->bus);
	f->functions =
		(struct nti_box_pci){ .arg = f->bus, .get = get_function, .read = read_function };
	return ret;
}

static int is_of_dies(void *arg, unsigned int cpu)
{
	struct finder *f = arg;
	unsigned int die;

	f->has_dies = nti_os_die(f->os, cpu, &die);
	/* One CPU tells for all. */
	return 1;
}

static int add_pci_kinds(struct finder *f)
{
	const struct nti_pci_function *function;
	const struct nthw_pci_device *known;
	const struct nthw_pci_slot *slot;
	size_t i;
	int ret;

	/* A look at the bus loads a library and reads six files a function. */
	if (!nthw_cpu_has_pci_box(&f->units->cpu))
		return settle_functions(f);
	ret = open_functions(f);
	if (ret == 0)
		ret = nti_box_buses_new(f->os, &f->functions, &f->buses);
	(void)nti_text_for_each_in_list(f->online, NTI_CPU_LIMIT, is_of_dies, f);
	for (i = 0; ret == 0 && (function = f->functions.get(f->functions.arg, i)); i++) {
		known = nthw_pci_device(function->vendor_id, function->device_id);
		slot = known ? nthw_pci_slot(known, function->device, function->function) : NULL;
		if (slot)
			ret = see_function(f, function, known->box, slot->number);
	}
	return ret < 0 ? ret : settle_functions(f);
}

int nti_boxes_add(struct nti_os *os, const struct nti_boxes_source *lent, struct nti_units *units,
		  struct nti_error *e)
{
	struct finder f = {
		.os = os, .units = units, .lent = lent, .loaded = units->count, .online = "0"
	};
	int ret;

	/* All kinds of boxes are of processors that have CPUID. */
	if (!units->cpu.family)
		return 0;
	f.is_guest = units->cpu.features & NTHW_X86_GUEST;
	(void)nti_os_online(os, f.online, sizeof(f.online));
	find_methods(&f);
	ret = nti_handles_new(os, &f.handles);
	if (ret == 0)
		ret = add_msr_kinds(&f);
	if (ret == 0)
		ret = add_pci_kinds(&f);
	nti_box_buses_free(f.buses);
	nti_pci_free(f.bus);
	nti_handles_free(f.handles);
	nti_units_sort(units);
	if (ret == -EINTR)
		return nti_error(e, ret, "interrupted while the units were looked for");
	return ret < 0 ? nti_error(e, -ENOMEM, "not enough memory for the list of units") : 0;
}
