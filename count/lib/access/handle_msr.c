// SPDX-License-Identifier: MIT
/* Model-specific registers, through /dev/cpu/N/msr. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <ntime/session.h>

#include "count/lib/access/handle_inner.h"
#include "count/lib/access/why.h"

/*
 * A CPU that went away takes the registers of its package not with it: any other one of those that
 * share them will do.
 */
static int access_elsewhere(struct nti_handle *handle, uint32_t address, bool is_write,
			    uint64_t *value)
{
	struct nti_handles *l = handle->handles;
	unsigned int cpu;
	int ret;

	for (cpu = 0; cpu < handle->siblings.bytes * CHAR_BIT; cpu++) {
		if (cpu == handle->cpu || !nti_set_has(&handle->siblings, cpu))
			continue;
		ret = is_write ? nti_msr_write(l->msr, cpu, address, *value, &l->error)
			       : nti_msr_read(l->msr, cpu, address, value, &l->error);
		if (ret == -ENXIO)
			continue;
		handle->cpu = cpu;
		return ret;
	}
	/* For sequences -ENXIO is a register that hardware does not have. */
	return l->error.code = -ENODEV;
}

static int msr_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		    uint64_t *value)
{
	struct nti_handle *handle = nti_handle_of(io);
	struct nti_handles *l = handle->handles;
	int ret;

	if (space != NTHW_SPACE_MSR || unit != handle->unit)
		return -ENOTSUP;
	ret = nti_msr_read(l->msr, handle->cpu, address, value, &l->error);
	return ret == -ENXIO ? access_elsewhere(handle, address, false, value) : ret;
}

static int msr_write(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t value)
{
	struct nti_handle *handle = nti_handle_of(io);
	struct nti_handles *l = handle->handles;
	int ret;

	if (space != NTHW_SPACE_MSR || unit != handle->unit)
		return -ENOTSUP;
	ret = nti_msr_write(l->msr, handle->cpu, address, value, &l->error);
	return ret == -ENXIO ? access_elsewhere(handle, address, true, &value) : ret;
}

/*
 * Which CPUs share what @unit has one of: Linux, Documentation/admin-guide/cputopology.rst and
 * ABI/stable/sysfs-devices-system-cpu.
 */
static const char *sharing_file(const struct nti_handle_request *what)
{
	switch (what->scope) {
	case NTI_SCOPE_PACKAGE:
		return what->box->has_dies ? "topology/die_cpus_list"
					   : "topology/core_siblings_list";
	case NTI_SCOPE_L3:
		return "cache/index3/shared_cpu_list";
	case NTI_SCOPE_CORE:
		return "topology/thread_siblings_list";
	default:
		return NULL;
	}
}

static int find_siblings(struct nti_handle *handle, const struct nti_handle_request *what)
{
	const char *file = what->box ? sharing_file(what) : NULL;
	char *list = NULL;
	int ret = file ? nti_os_dup(handle->handles->os, &list, "/sys/devices/system/cpu/cpu%u/%s",
				    handle->cpu, file)
		       : 0;

	if (list)
		ret = nti_set_add_list(&handle->siblings, list, NTI_CPU_LIMIT);
	free(list);
	/* A kernel that does not tell leaves the one CPU. */
	return ret == -ENOMEM ? ret : 0;
}

static int open_msr(struct nti_handle *handle, const struct nti_handle_request *what)
{
	struct nti_handles *l = handle->handles;
	int ret = l->msr ? 0 : nti_msr_new(l->os, &l->msr);

	handle->io = (struct nthw_io){ .read = msr_read, .write = msr_write };
	if (ret == 0)
		ret = find_siblings(handle, what);
	return ret < 0 ? ret : nti_handle_claim(handle, what);
}

static const struct nti_method_ops ops = {
	.spaces = 1u << NTHW_SPACE_MSR,
	.reaches_core = nti_msr_has,
	.probe = nti_msr_probe,
	.open = open_msr,
	.explain = nti_handle_explain_access,
};

/* ---- one register ---- */

static bool is_msr(const struct nti_access *a)
{
	return a->row->space == NTHW_SPACE_MSR;
}

static int permits_msr(const struct nti_access *a, int mode)
{
	char path[40];

	(void)snprintf(path, sizeof(path), "/dev/cpu/%u/msr", a->cpu);
	return a->os->ops->access(a->os, path, mode);
}

static int open_one(struct nti_access *a)
{
	(void)snprintf(a->place, sizeof(a->place), "/dev/cpu/%u/msr at %#x", a->cpu, a->address);
	return nti_msr_open(a->msr, a->cpu, a->writes, a->e);
}

/* The CPU of a register that is open went away: -ENODEV. */
static int read_one(struct nti_access *a, uint64_t *value)
{
	int ret = nti_msr_read(a->msr, a->cpu, a->address, value, a->e);

	return ret == -ENXIO ? -ENODEV : ret;
}

static int write_one(struct nti_access *a, uint64_t value)
{
	int ret = nti_msr_write(a->msr, a->cpu, a->address, value, a->e);

	return ret == -ENXIO ? -ENODEV : ret;
}

static const struct nti_access_ops access_msr = {
	.reaches = is_msr,
	.permits = permits_msr,
	.open = open_one,
	.read = read_one,
	.write = write_one,
};

const struct nti_method_row nti_method_msr = {
	.name = "msr",
	.via = NTIME_VIA_MSR,
	.reaches = "counters of cores, packages and caches in model-specific registers, "
		   "and registers by address",
	.cost = "one pread(2)",
	.ops = &ops,
	.access = &access_msr,
	.registers = "model-specific registers",
	.missing = &nti_why_msr_not_loaded,
};
