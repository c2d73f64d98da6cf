// SPDX-License-Identifier: MIT
/* Units: blocks of counters of this machine, found in sysfs and made up for ways without one. */
#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/common/grow.h"
#include "base/common/text.h"
#include "count/lib/machine/cpu.h"
#include "count/lib/access/handle.h"
#include "count/lib/machine/unit.h"
#include "count/lib/machine/unit_rows.h"

struct loader {
	struct nti_os *os;
	struct nti_units *units;
};

/* How many units nti_units_start() makes. */
#define OWN 2

static void unit_free(struct nti_unit *unit)
{
	if (!unit)
		return;
	free(unit->name);
	free(unit->desc);
	free(unit->cpus);
	free(unit->box);
	if (unit->card)
		free(unit->card->socket);
	free(unit->card);
	nti_absence_fini(&unit->absent);
	free(unit);
}

void nti_units_restart(struct nti_units *units)
{
	size_t i, kept = 0;

	for (i = 0; i < units->count; i++) {
		if (units->unit[i]->number < OWN)
			units->unit[kept++] = units->unit[i];
		else
			unit_free(units->unit[i]);
	}
	units->count = kept;
}

void nti_units_fini(struct nti_units *units)
{
	size_t i;

	for (i = 0; i < units->count; i++)
		unit_free(units->unit[i]);
	free(units->unit);
	memset(units, 0, sizeof(*units));
}

struct nti_unit *nti_units_append(struct nti_units *units, const char *name, const char *desc)
{
	struct nti_unit *unit;

	if (!nti_grow(&units->unit, units->count))
		return NULL;
	unit = calloc(1, sizeof(*unit));
	if (!unit)
		return NULL;
	unit->name = strdup(name);
	unit->desc = strdup(desc);
	if (!unit->name || !unit->desc) {
		unit_free(unit);
		return NULL;
	}
	unit->number = units->count;
	units->unit[units->count++] = unit;
	return unit;
}

/*
 * The CPUs that file @name of @unit lists; an empty list is none. Whether there is that file, or
 * -ENOMEM.
 */
static int read_cpus(struct nti_os *os, struct nti_unit *unit, const char *name)
{
	int ret = nti_os_dup(os, &unit->cpus, NTI_SYSFS_DEVICES "/%s/%s", unit->name, name);

	if (unit->cpus && !*unit->cpus) {
		free(unit->cpus);
		unit->cpus = NULL;
	}
	return ret == -ENOMEM ? ret : ret == 0;
}

/*
 * Which PMU counts what the cores do: x86 and s390 call it "cpu"; hybrids (cpu_core, cpu_atom) and
 * every Arm core PMU have a file "cpus" instead of "cpumask". The same rule as perf's, see
 * is_pmu_core() in the kernel's tools/perf/util/pmu.c. 0 or -ENOMEM.
 */
static int find_kind(struct nti_os *os, struct nti_unit *unit)
{
	int has_cpus = read_cpus(os, unit, "cpus"), has_mask = 0;

	if (!has_cpus)
		has_mask = read_cpus(os, unit, "cpumask");
	if (has_cpus < 0 || has_mask < 0)
		return -ENOMEM;
	if (strcmp(unit->name, "tracepoint") == 0)
		unit->kind = NTI_UNIT_TRACEPOINT;
	else if (strcmp(unit->name, "cpu") == 0 || has_cpus)
		unit->kind = NTI_UNIT_CORE;
	/* Samplers name their CPUs too, but have nothing that counts. */
	else if (strncmp(unit->name, "arm_spe", 7) == 0)
		unit->kind = NTI_UNIT_OTHER;
	else
		unit->kind = has_mask ? NTI_UNIT_UNCORE : NTI_UNIT_OTHER;
	return 0;
}

static int stop_at_first(void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return 1;
}

static bool has_entries(struct nti_os *os, const char *unit, const char *directory)
{
	return nti_os_list(os, stop_at_first, NULL, NTI_SYSFS_DEVICES "/%s/%s", unit, directory) ==
	       1;
}

static bool has_files(struct nti_os *os, const char *unit)
{
	return has_entries(os, unit, "format") || has_entries(os, unit, "events");
}

/* Core PMUs say which design they know: caps/pmu_name, "skylake". */
static char *describe_unit(struct nti_os *os, const struct nti_unit *unit, const char *desc)
{
	char design[64];

	if (unit->kind != NTI_UNIT_CORE ||
	    nti_os_line(os, design, sizeof(design), NTI_SYSFS_DEVICES "/%s/caps/pmu_name",
			unit->name) < 0 ||
	    !design[0])
		return strdup(desc);
	return nti_text_format("%s (%s)", desc, design);
}

bool nti_unit_keeps_cycles_apart(const struct nti_unit *unit)
{
	return strncmp(unit->name, "armv7_", 6) == 0 || strncmp(unit->name, "armv6_", 6) == 0;
}

static void count_core(struct loader *l, struct nti_unit *unit)
{
	if (strcmp(unit->name, "cpu_core") == 0)
		nti_cpu_hybrid_counters(&l->units->cpu, 'c', &unit->counters, &unit->fixed);
	else if (strcmp(unit->name, "cpu_atom") == 0)
		nti_cpu_hybrid_counters(&l->units->cpu, 'a', &unit->counters, &unit->fixed);
	else if (strncmp(unit->name, "armv8_", 6) == 0 || nti_unit_keeps_cycles_apart(unit))
		/* The cycle counter; PMCR.N, the number of the others, is the kernel's secret. */
		unit->fixed = 1;
	else {
		unit->counters = l->units->cpu.general;
		unit->fixed = nthw_x86_fixed_count(&l->units->cpu);
	}
	/* Linux arch/arm/kernel/perf_event_v6.c: num_events 3, the cycle counter is one of them. */
	if (strncmp(unit->name, "armv6_", 6) == 0)
		unit->counters = 2;
}

static void count_unit(struct loader *l, struct nti_unit *unit)
{
	if (unit->kind == NTI_UNIT_CORE)
		count_core(l, unit);
	else if (strcmp(unit->name, "amd_df") == 0)
		unit->counters = l->units->cpu.df;
	else if (unit->kind == NTI_UNIT_UNCORE)
		unit->counters = nti_unit_row(unit->name)->counters;
}

static int load_pmu(void *arg, const char *name)
{
	struct loader *l = arg;
	const struct nti_unit_row *row;
	struct nti_unit *unit;
	uint64_t type;
	int ret;

	/* The first unit is there already; sysfs may have events of it. */
	if (strcmp(name, l->units->unit[0]->name) == 0) {
		l->units->unit[0]->has_sysfs = has_files(l->os, name);
		return 0;
	}
	/*
	 * A PMU without a type cannot be opened; a driver that is being unloaded looks like that.
	 */
	if (!nti_os_is_component(name) ||
	    nti_os_u64(l->os, &type, NTI_SYSFS_DEVICES "/%s/type", name) < 0 || type > UINT32_MAX)
		return 0;
	unit = nti_units_append(l->units, name, "");
	if (!unit)
		return -ENOMEM;
	ret = find_kind(l->os, unit);
	if (ret < 0)
		return ret;
	unit->method = NTI_METHOD_PERF;
	unit->type = (uint32_t)type;
	unit->has_sysfs = has_files(l->os, name);
	row = nti_unit_row(name);
	unit->is_mode_blind = unit->kind == NTI_UNIT_CORE && row->is_mode_blind;
	unit->has_rdpmc_term = unit->kind == NTI_UNIT_CORE &&
			       nti_os_exists(l->os, NTI_SYSFS_DEVICES "/%s/format/rdpmc", name);
	free(unit->desc);
	unit->desc = describe_unit(l->os, unit, row->desc);
	if (!unit->desc)
		return -ENOMEM;
	count_unit(l, unit);
	if (!row->reason)
		return 0;
	return nti_absence_set(&unit->absent, NTIME_REASON_NOT_SUPPORTED, name, row->remedy, "%s",
			       row->reason);
}

/*
 * Are the kernel's settings to be seen? Each Linux has this one; where it is missing, as in a
 * chroot without /proc, other files that are missing there mean nothing.
 */
static bool has_settings(struct nti_os *os)
{
	return os->is_elsewhere || nti_os_exists(os, "/proc/sys/kernel/ostype");
}

/* Of no event; -ENOSYS comes before anything is looked at. */
static bool can_open_perf(struct nti_os *os)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_MAX };
	int fd = os->ops->perf_open(os, &attr, 0, -1, -1, 0);

	if (fd >= 0)
		os->ops->close(os, fd);
	return fd != -ENOSYS;
}

/* Containers may hide one of the two files; where both can be hidden, the kernel is asked. */
static bool has_perf(struct nti_os *os)
{
	return os->ops->access(os, NTI_PERF_PARANOID, F_OK) != -ENOENT ||
	       nti_os_exists(os, NTI_SYSFS_DEVICES "/software/type") ||
	       (!has_settings(os) && can_open_perf(os));
}

static bool has_core(const struct nti_units *units)
{
	size_t i;

	for (i = 0; i < units->count; i++)
		if (units->unit[i]->kind == NTI_UNIT_CORE)
			return true;
	return false;
}

static int blame(struct loader *l, struct nti_absence *absent)
{
	const struct nti_hypervisor *hypervisor;
	char remedy[512];

	if (!has_perf(l->os) && !has_settings(l->os))
		return nti_absence_set(
			absent, NTIME_REASON_KERNEL, "perf_event_open(2)",
			"as root: mount -t proc proc /proc; in a container: allow "
			"perf_event_open(2) in its seccomp profile",
			"perf_event_open(2) does not exist here, and without "
			"/proc/sys it is not known whether the kernel lacks it or it "
			"is refused");
	if (nti_os_linux_root(l->os) >= 0)
		return nti_absence_set(
			absent, NTIME_REASON_KERNEL, NTI_SYSFS_DEVICES,
			"copy /proc/sys/kernel and " NTI_SYSFS_DEVICES " of that machine into the "
			"tree, if it has them",
			has_perf(l->os) ? "the tree has no core PMU in " NTI_SYSFS_DEVICES
					: "the tree has neither " NTI_PERF_PARANOID
					  " nor " NTI_SYSFS_DEVICES "/software/type");
	if (!has_perf(l->os))
		return nti_absence_set(absent, NTIME_REASON_KERNEL, NTI_PERF_PARANOID,
				       "boot a kernel built with CONFIG_PERF_EVENTS=y",
				       "the kernel has no perf events (neither " NTI_PERF_PARANOID
				       " nor " NTI_SYSFS_DEVICES "/software/type exists)");
	hypervisor = nti_cpu_hypervisor(l->os, &l->units->cpu);
	if (hypervisor) {
		(void)snprintf(remedy, sizeof(remedy),
			       "%s; or count in an emulated guest: ntime lab list; or, "
			       "instructions alone: ntime --via emulator PROGRAM",
			       hypervisor->remedy);
		return nti_absence_set(absent, NTIME_REASON_HYPERVISOR, "core PMU", remedy,
				       "the hypervisor (%s) exposes no core PMU to this guest",
				       hypervisor->name);
	}
	return nti_absence_set(absent, NTIME_REASON_KERNEL, "core PMU",
			       "boot a newer kernel, or one with this processor's PMU driver",
			       "the kernel has no driver for the core PMU of this processor");
}

static bool is_arm64(struct nti_os *os)
{
	return strcmp(os->ops->arch(os), "aarch64") == 0;
}

/*
 * Events of a core PMU keep their names on a machine without one: they need a unit that says why
 * they are absent.
 */
static int add_absent_core(struct loader *l)
{
	const char *name = is_arm64(l->os) ? "armv8_pmuv3_0" : "cpu";
	struct nti_unit *unit = nti_units_append(l->units, name, nti_unit_row(name)->desc);

	if (!unit)
		return -ENOMEM;
	unit->kind = NTI_UNIT_CORE;
	unit->method = NTI_METHOD_PERF;
	unit->type = PERF_TYPE_RAW;
	return blame(l, &unit->absent);
}

/*
 * The kernel's own counters exist wherever perf_event_open(2) does, also where sysfs is not
 * mounted.
 */
static int add_software(struct loader *l)
{
	struct nti_unit *unit =
		nti_units_append(l->units, "software", nti_unit_row("software")->desc);

	if (!unit)
		return -ENOMEM;
	unit->kind = NTI_UNIT_SOFTWARE;
	unit->method = NTI_METHOD_PERF;
	unit->type = PERF_TYPE_SOFTWARE;
	return has_perf(l->os) ? 0 : blame(l, &unit->absent);
}

static int add_clock(struct loader *l)
{
	const char *desc = is_arm64(l->os) ? "virtual counter of the generic timer (CNTVCT)"
					   : "time stamp counter (TSC)";
	struct nti_unit *unit = nti_units_append(l->units, "clock", desc);

	if (!unit)
		return -ENOMEM;
	unit->kind = NTI_UNIT_CLOCK;
	unit->method = NTI_METHOD_CLOCK;
	return 0;
}

/*
 * A recording has no such files. Where it is not known whether there are (ENOMEM, EIO), reading
 * them tells why it fails.
 */
static int add_proc(struct loader *l)
{
	int ret = l->os->ops->access(l->os, "/proc/stat", F_OK);
	struct nti_unit *unit;

	if (ret < 0 && ret != -ENOMEM && ret != -EIO)
		return 0;
	unit = nti_units_append(l->units, "proc", nti_unit_row("proc")->desc);
	if (!unit)
		return -ENOMEM;
	unit->kind = NTI_UNIT_PROC;
	unit->method = NTI_METHOD_PROC;
	unit->type = UINT32_MAX;
	return 0;
}

/* Texts with numbers inside in the order people expect: imc_2 before imc_10. */
static int compare_names(const char *a, const char *b)
{
	while (*a && *b) {
		unsigned long na, nb;
		char *end_a, *end_b;

		if (!isdigit((unsigned char)*a) || !isdigit((unsigned char)*b)) {
			if (*a != *b)
				return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
			a++;
			b++;
			continue;
		}
		na = strtoul(a, &end_a, 10);
		nb = strtoul(b, &end_b, 10);
		if (na != nb)
			return na < nb ? -1 : 1;
		a = end_a;
		b = end_b;
	}
	return *a ? 1 : *b ? -1 : 0;
}

static int rank(const struct nti_unit *unit)
{
	switch (unit->kind) {
	case NTI_UNIT_CORE:
		return 0;
	case NTI_UNIT_SOFTWARE:
		return 1;
	case NTI_UNIT_CLOCK:
		return 2;
	default:
		return 3;
	}
}

static int compare_units(const void *a, const void *b)
{
	const struct nti_unit *ua = *(struct nti_unit *const *)a,
			      *ub = *(struct nti_unit *const *)b;
	int order = rank(ua) - rank(ub);

	if (order)
		return order;
	/* cpu_core before cpu_atom: sums and messages begin with the core people think of. */
	if (ua->kind == NTI_UNIT_CORE)
		order = (strcmp(ua->name, "cpu_atom") == 0) - (strcmp(ub->name, "cpu_atom") == 0);
	if (!order)
		order = compare_names(ua->name, ub->name);
	return order ? order : strcmp(ua->name, ub->name);
}

void nti_units_sort(struct nti_units *units)
{
	size_t i, number = OWN;

	qsort(units->unit, units->count, sizeof(units->unit[0]), compare_units);
	for (i = 0; i < units->count; i++) {
		if (units->unit[i]->number >= OWN)
			units->unit[i]->number = number++;
	}
}

int nti_units_start(struct nti_os *os, struct nti_units *out, struct nti_error *e)
{
	struct loader l = { .os = os, .units = out };

	if (add_software(&l) == 0 && add_clock(&l) == 0)
		return 0;
	nti_units_fini(out);
	return nti_error(e, -ENOMEM, "not enough memory for the list of PMUs");
}

int nti_units_load(struct nti_os *os, struct nti_units *units, struct nti_error *e)
{
	struct loader l = { .os = os, .units = units };
	int ret = units->count ? 0 : nti_units_start(os, units, e);

	if (ret < 0)
		return ret;
	nti_cpu_identify(os, &units->cpu);
	ret = os->ops->list(os, NTI_SYSFS_DEVICES, load_pmu, &l);
	if (ret == -ENOENT)
		ret = 0;
	if (ret == 0 && !has_core(units))
		ret = add_absent_core(&l);
	if (ret == 0)
		ret = add_proc(&l);
	if (ret == 0)
		nti_units_sort(units);
	else
		nti_units_restart(units);
	return ret == 0 ? 0
			: nti_error(e, ret,
				    ret == -ENOMEM ? "not enough memory for the list of PMUs"
						   : "cannot list the PMUs in " NTI_SYSFS_DEVICES);
}

const struct nti_unit *nti_units_find(const struct nti_units *units, const char *name)
{
	size_t i;

	for (i = 0; i < units->count; i++) {
		const struct nti_unit *unit = units->unit[i];

		if (strcmp(unit->name, name) == 0 && !nti_unit_is_context(unit))
			return unit;
	}
	return NULL;
}

static bool is_match(const char *unit, const char *name)
{
	static const char prefix[] = "uncore_";

	if (nti_text_fits(name, unit) || nti_unit_is_numbered(unit, name))
		return true;
	if (strncmp(unit, prefix, sizeof(prefix) - 1) != 0)
		return false;
	unit += sizeof(prefix) - 1;
	return nti_text_fits(name, unit) || nti_unit_is_numbered(unit, name);
}

const struct nti_unit *nti_units_match(const struct nti_units *units, const char *name,
				       size_t *from)
{
	while (*from < units->count) {
		const struct nti_unit *unit = units->unit[(*from)++];

		if (is_match(unit->name, name))
			return unit;
	}
	return NULL;
}

bool nti_unit_is_reached(struct nti_os *os, const struct nti_unit *unit, enum nti_method method)
{
	if (unit->card)
		return method == nti_method_of_card(unit->card);
	if (!unit->boxes && unit->kind != NTI_UNIT_CORE)
		return false;
	return nti_method_reaches(os, unit->boxes ? unit->box : NULL, method);
}
