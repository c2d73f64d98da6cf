// SPDX-License-Identifier: MIT
/*
 * The kernel asks the processor which events it has, and refuses generic ones that it lacks. On x86
 * CPUID leaf 0xa tells (Intel SDM vol. 3B, table 20-1; Linux arch/x86/events/intel/core.c,
 * intel_arch_events_map), on Arm PMCEID0 and PMCEID1, which the kernel alone can read (Linux
 * arch/arm64/kernel/perf_event.c, __armv8_pmuv3_map_event()).
 */
#include <stdio.h>
#include <string.h>

#include "base/common/compiler.h"
#include "count/lib/perf/refusal.h"
#include "count/lib/machine/cpu.h"

/* By the bit of CPUID leaf 0xa, EBX. */
static const struct arch_event {
	uint64_t config;
	const char *name;
} arch_events[] = {
	{ PERF_COUNT_HW_CPU_CYCLES, "core cycles" },
	{ PERF_COUNT_HW_INSTRUCTIONS, "instructions retired" },
	{ PERF_COUNT_HW_BUS_CYCLES, "reference cycles" },
	{ PERF_COUNT_HW_CACHE_REFERENCES, "references to the last-level cache" },
	{ PERF_COUNT_HW_CACHE_MISSES, "misses of the last-level cache" },
	{ PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branches retired" },
	{ PERF_COUNT_HW_BRANCH_MISSES, "branches predicted wrongly" },
};

static int explain_cpuid(struct nti_os *os, const struct nti_unit *unit, uint64_t config,
			 struct nti_absence *out)
{
	struct nthw_x86_cpu cpu;
	char about[64];
	bool is_guest;

	nti_cpu_identify(os, &cpu);
	is_guest = cpu.features & NTHW_X86_GUEST;
	for (unsigned int bit = 0; bit < NTI_ARRAY_SIZE(arch_events); bit++) {
		if (arch_events[bit].config != config || !(cpu.missing >> bit & 1))
			continue;
		/* One for each bit: reasons that are about the same are told once. */
		(void)snprintf(about, sizeof(about), "%s: %s", unit->name, arch_events[bit].name);
		return nti_absence_set(
			out, is_guest ? NTIME_REASON_HYPERVISOR : NTIME_REASON_NO_HARDWARE, about,
			is_guest ? "have the hypervisor show the event, or choose another one of "
				   "this unit (ntime list)"
				 : "choose another event of this unit (ntime list)",
			"the processor%s says that it does not count %s (CPUID leaf 0xa, EBX bit "
			"%u)",
			is_guest ? ", as the hypervisor shows it," : "", arch_events[bit].name,
			bit);
	}
	return 1;
}

int nti_missing_explain(struct nti_os *os, const struct nti_unit *unit,
			const struct perf_event_attr *attr, struct nti_absence *out)
{
	if (attr->type != PERF_TYPE_HARDWARE || unit->kind != NTI_UNIT_CORE)
		return 1;
	if (strncmp(unit->name, "armv8_", strlen("armv8_")) == 0)
		return nti_absence_set(out, NTIME_REASON_NO_HARDWARE, unit->name,
				       "choose another event of this unit (ntime list)",
				       "the processor's %s does not have this event: its registers "
				       "PMCEID0 and PMCEID1 do not name it",
				       unit->name);
	/* The upper half says which kind of core of a hybrid is meant. */
	return explain_cpuid(os, unit, attr->config & UINT32_MAX, out);
}
