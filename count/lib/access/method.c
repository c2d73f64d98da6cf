// SPDX-License-Identifier: MIT
/*
 * The table of access methods, and those that reach no registers. CONTRIBUTING.md, "Adding things",
 * has what else a further one needs.
 */
#include <errno.h>

#include <ntime/session.h>

#include "core/seq/box.h"
#include "count/lib/access/handle_inner.h"
#include "count/lib/access/method.h"
#include "count/lib/access/why.h"

const struct nti_method_row nti_method_perf = {
	.name = "perf",
	.via = NTIME_VIA_PERF,
	.reaches = "core PMU, software, tracepoints, perf's uncore PMUs",
	.cost = "a few instructions for counters of this thread, else one read(2) a group",
};

const struct nti_method_row nti_method_clock = {
	.name = "clock",
	.reaches = "the time stamp counter",
	.cost = "one instruction",
};

const struct nti_method_row nti_method_replay = {
	.name = "replay",
	.reaches = "a recorded machine",
	.cost = "memory",
};

const struct nti_method_row nti_method_emulator = {
	.name = "emulator",
	.via = NTIME_VIA_EMULATOR,
	.reaches = "what a command that qemu-user runs executes: instructions, branches, loads, "
		   "stores, system calls",
	.cost = "memory; the command takes 4 to 16 times as long",
};

const char *const nti_space_names[NTI_SPACES] = {
	"",
	[NTHW_SPACE_MSR] = "msr",
	[NTHW_SPACE_PCI] = "pci",
	[NTHW_SPACE_CP15] = "cp15",
	[NTHW_SPACE_MMIO] = "mmio",
	[NTHW_SPACE_SYSREG] = "sysreg",
	[NTHW_SPACE_PMSEL] = "pmsel",
};

#define ROW(NAME, name) &nti_method_##name,
static const struct nti_method_row *const rows[] = { NTI_METHODS(ROW) };

const struct nti_method_row *nti_method_get(enum nti_method method)
{
	return rows[method];
}

enum nti_method nti_method_of_via(uint32_t via)
{
	enum nti_method i;

	for (i = 0; i < NTI_METHOD_COUNT; i++) {
		if (via != NTIME_VIA_AUTO && rows[i]->via == via)
			break;
	}
	return i;
}

const char *ntime_via_name(uint32_t via)
{
	enum nti_method method = nti_method_of_via(via);

	if (via == NTIME_VIA_AUTO)
		return "auto";
	return method < NTI_METHOD_COUNT ? rows[method]->name : NULL;
}

enum nti_method nti_method_of_card(const struct nti_unit_card *card)
{
	return card->socket ? NTI_METHOD_MODEL : NTI_METHOD_PCI;
}

bool nti_method_reaches(struct nti_os *os, const struct nti_unit_box *box, enum nti_method method)
{
	const struct nti_method_ops *ops = rows[method]->ops;

	if (!ops)
		return false;
	if (box)
		return ops->spaces >> box->kind->space & 1;
	return ops->reaches_core && ops->reaches_core(os);
}

int nti_method_probe(struct nti_os *os, enum nti_method method, const struct nti_why **why)
{
	if (rows[method]->ops)
		return rows[method]->ops->probe(os, why);
	*why = &nti_why_no_registers;
	return -ENOTSUP;
}
