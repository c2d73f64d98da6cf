// SPDX-License-Identifier: MIT
/*
 * The table of access methods. CONTRIBUTING.md, "Adding things", has what else a further one needs.
 */
#include <errno.h>

#include <ntime/session.h>

#include "core/seq/box.h"
#include "lib/access/handle_inner.h"
#include "lib/access/method.h"
#include "lib/access/why.h"

static const struct nti_method_row rows[NTI_METHOD_COUNT] = {
	[NTI_METHOD_PERF] = {
		.name = "perf",
		.via = NTIME_VIA_PERF,
		.reaches = "core PMU, software, tracepoints, perf's uncore PMUs",
		.cost = "a few instructions for counters of this thread, else one read(2) a group",
	},
	[NTI_METHOD_CLOCK] = {
		.name = "clock",
		.reaches = "the time stamp counter",
		.cost = "one instruction",
	},
	[NTI_METHOD_MSR] = {
		.name = "msr",
		.via = NTIME_VIA_MSR,
		.reaches = "counters of cores, packages and caches in model-specific registers, "
			   "and registers by address",
		.cost = "one pread(2)",
		.ops = &nti_method_msr,
		.access = &nti_access_msr,
	},
	[NTI_METHOD_PCI] = {
		.name = "pci",
		.via = NTIME_VIA_PCI,
		.reaches = "counters in the configuration space of PCI functions, such as memory "
			   "controllers",
		.cost = "three pread(2) of 32 bits",
		.ops = &nti_method_pci,
		.access = &nti_access_pci,
	},
	[NTI_METHOD_MMIO] = {
		.name = "mmio",
		.access = &nti_access_mmio,
	},
	[NTI_METHOD_MODEL] = {
		.name = "model",
		.ops = &nti_method_model,
	},
	[NTI_METHOD_NTIMEFS] = {
		.name = "ntimefs",
		.via = NTIME_VIA_NTIMEFS,
		.reaches = "core PMU of whole CPUs, counters around the cores, and registers by "
			   "name",
		.cost = "the counter's instruction on the CPU to which the thread is pinned, else "
			"one read(2)",
		.ops = &nti_method_ntimefs,
		.access = &nti_access_ntimefs,
	},
	[NTI_METHOD_REPLAY] = {
		.name = "replay",
		.reaches = "a recorded machine",
		.cost = "memory",
	},
};

const struct nti_method_row *nti_method_get(enum nti_method method)
{
	return &rows[method];
}

enum nti_method nti_method_of_via(uint32_t via)
{
	enum nti_method i;

	for (i = 0; i < NTI_METHOD_COUNT; i++) {
		if (via != NTIME_VIA_AUTO && rows[i].via == via)
			break;
	}
	return i;
}

const char *ntime_via_name(uint32_t via)
{
	enum nti_method method = nti_method_of_via(via);

	if (via == NTIME_VIA_AUTO)
		return "auto";
	return method < NTI_METHOD_COUNT ? rows[method].name : NULL;
}

bool nti_method_reaches(struct nti_os *os, const struct nti_unit_box *box, enum nti_method method)
{
	const struct nti_method_ops *ops = rows[method].ops;

	if (!ops)
		return false;
	return box ? ops->reaches(box->kind->space) : ops->reaches_core(os);
}

int nti_method_probe(struct nti_os *os, enum nti_method method, const struct nti_why **why)
{
	if (rows[method].ops)
		return rows[method].ops->probe(os, why);
	*why = &nti_why_no_registers;
	return -ENOTSUP;
}
