// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Heat, energy, frequency and idle time of x86 processors. Addresses: Linux 6.1
 * arch/x86/include/asm/msr-index.h; which idle states and energies a processor has: its
 * arch/x86/events/intel/cstate.c (nhm_cstates, snb_cstates) and arch/x86/events/rapl.c
 * (model_snbep); log bits that a written 0 clears: its drivers/thermal/intel/therm_throt.c; bits of
 * CPUID leaf 06H: its cpufeatures.h and Intel's SDM vol. 2, CPUID (from memory: number of
 * thresholds in EBX). What bits 12 to 15 of the thermal status are, and that the units register of
 * Sandy Bridge-EP holds a1003h, is from memory.
 */
#include "core/models/x86_power.h"

#define MSR_MPERF 0xe7u
#define MSR_APERF 0xe8u
#define MSR_THERM_STATUS 0x19cu
#define MSR_TEMPERATURE_TARGET 0x1a2u
#define MSR_PACKAGE_THERM_STATUS 0x1b1u
#define MSR_POWER_UNIT 0x606u

#define VALID (1u << 31)
#define RESOLUTION (1u << 27) /* one degree */
#define READOUT_SHIFT 16
#define READOUT (0x7fu << READOUT_SHIFT)

/* Thresholds and their logs: known, and never crossed here. */
#define THRESHOLDS 0x3c0u

#define OLD_REASONS (NTM_X86_HOT | NTM_X86_PROCHOT | NTM_X86_CRITICAL)

const struct ntm_x86_power_config ntm_x86_power_nehalem = {
	.core_reasons = OLD_REASONS,
	.core_idles = 1u << NTM_X86_CORE_C3 | 1u << NTM_X86_CORE_C6,
	.package_idles =
		1u << NTM_X86_PACKAGE_C3 | 1u << NTM_X86_PACKAGE_C6 | 1u << NTM_X86_PACKAGE_C7,
	.limit = 100,
};
const struct ntm_x86_power_config ntm_x86_power_snbep = {
	.core_reasons =
		OLD_REASONS | NTM_X86_POWER_LIMIT | NTM_X86_CURRENT_LIMIT | NTM_X86_CROSS_DOMAIN,
	.package_reasons = OLD_REASONS | NTM_X86_POWER_LIMIT,
	.core_idles = 1u << NTM_X86_CORE_C3 | 1u << NTM_X86_CORE_C6 | 1u << NTM_X86_CORE_C7,
	.package_idles = 1u << NTM_X86_PACKAGE_C2 | 1u << NTM_X86_PACKAGE_C3 |
			 1u << NTM_X86_PACKAGE_C6 | 1u << NTM_X86_PACKAGE_C7,
	.limit = 95,
	.units = 0xa1003,
	.energies = 1u << NTM_X86_ENERGY_PACKAGE | 1u << NTM_X86_ENERGY_CORES |
		    1u << NTM_X86_ENERGY_RAM,
};

static const uint32_t core_idle_addr[NTM_X86_CORE_IDLES] = { 0x3fc, 0x3fd, 0x3fe };
static const uint32_t package_idle_addr[NTM_X86_PACKAGE_IDLES] = { 0x60d, 0x3f8, 0x3f9, 0x3fa };
static const uint32_t energy_addr[NTM_X86_ENERGIES] = { 0x611, 0x639, 0x619 };

/* Which of @count addresses, of those in @set, @addr is; @count if none. */
static uint32_t find(const uint32_t *addrs, uint32_t count, uint32_t set, uint32_t addr)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (addrs[i] == addr && (set >> i & 1))
			break;
	return i;
}

/* ---- thermal status: core and package are alike ---- */

static uint32_t heat_status(uint32_t before, uint32_t reasons, const struct ntm_x86_heat *heat)
{
	uint32_t now = heat->now & reasons, was = (heat->now | heat->was) & reasons;

	return (before & ~(reasons | READOUT)) | now | was << 1 |
	       (heat->headroom << READOUT_SHIFT & READOUT);
}

/* A written 0 clears a log bit, a 1 leaves it; all else that is not reserved does not care. */
static int write_status(uint32_t *status, uint32_t reasons, uint32_t fixed, uint64_t value)
{
	if (value & ~(uint64_t)(reasons | reasons << 1 | READOUT | fixed))
		return NTM_REFUSED;
	*status &= (uint32_t)value | ~(reasons << 1);
	return 0;
}

/* ---- a core ---- */

void ntm_x86_power_core_reset(struct ntm_x86_power_core *core,
			      const struct ntm_x86_power_config *config)
{
	memset(core, 0, sizeof(*core));
	core->config = config;
	core->thermal = VALID | RESOLUTION;
}

void ntm_x86_power_core_advance(struct ntm_x86_power_core *core,
				const struct ntm_x86_core_work *work)
{
	uint32_t i;

	core->mperf += work->mperf;
	core->aperf += work->aperf;
	for (i = 0; i < NTM_X86_CORE_IDLES; i++)
		core->idle[i] += work->idle[i];
	core->thermal = heat_status(core->thermal, core->config->core_reasons, &work->heat);
}

int ntm_x86_power_core_rdmsr(const struct ntm_x86_power_core *core, uint32_t addr, uint64_t *value)
{
	uint32_t idle = find(core_idle_addr, NTM_X86_CORE_IDLES, core->config->core_idles, addr);

	switch (addr) {
	case MSR_MPERF:
		*value = core->mperf;
		return 0;
	case MSR_APERF:
		*value = core->aperf;
		return 0;
	case MSR_THERM_STATUS:
		*value = core->thermal;
		return 0;
	}
	if (idle == NTM_X86_CORE_IDLES)
		return NTM_NOT_MINE;
	*value = core->idle[idle];
	return 0;
}

int ntm_x86_power_core_wrmsr(struct ntm_x86_power_core *core, uint32_t addr, uint64_t value)
{
	switch (addr) {
	case MSR_MPERF:
		core->mperf = value;
		return 0;
	case MSR_APERF:
		core->aperf = value;
		return 0;
	case MSR_THERM_STATUS:
		return write_status(&core->thermal, core->config->core_reasons,
				    THRESHOLDS | VALID | 0xfu * RESOLUTION, value);
	}
	if (find(core_idle_addr, NTM_X86_CORE_IDLES, core->config->core_idles, addr) ==
	    NTM_X86_CORE_IDLES)
		return NTM_NOT_MINE;
	return NTM_REFUSED;
}

/* ---- a package ---- */

void ntm_x86_power_package_reset(struct ntm_x86_power_package *package,
				 const struct ntm_x86_power_config *config)
{
	memset(package, 0, sizeof(*package));
	package->config = config;
}

void ntm_x86_power_package_advance(struct ntm_x86_power_package *package,
				   const struct ntm_x86_package_work *work)
{
	uint32_t i;

	for (i = 0; i < NTM_X86_PACKAGE_IDLES; i++)
		package->idle[i] += work->idle[i];
	for (i = 0; i < NTM_X86_ENERGIES; i++)
		package->energy[i] += (uint32_t)work->energy[i];
	package->thermal =
		heat_status(package->thermal, package->config->package_reasons, &work->heat);
}

int ntm_x86_power_package_rdmsr(const struct ntm_x86_power_package *package, uint32_t addr,
				uint64_t *value)
{
	const struct ntm_x86_power_config *config = package->config;
	uint32_t idle = find(package_idle_addr, NTM_X86_PACKAGE_IDLES, config->package_idles, addr);
	uint32_t energy = find(energy_addr, NTM_X86_ENERGIES, config->energies, addr);

	if (addr == MSR_TEMPERATURE_TARGET)
		*value = (uint64_t)config->limit << READOUT_SHIFT;
	else if (addr == MSR_PACKAGE_THERM_STATUS && config->package_reasons)
		*value = package->thermal;
	else if (addr == MSR_POWER_UNIT && config->energies)
		*value = config->units;
	else if (idle < NTM_X86_PACKAGE_IDLES)
		*value = package->idle[idle];
	else if (energy < NTM_X86_ENERGIES)
		*value = package->energy[energy];
	else
		return NTM_NOT_MINE;
	return 0;
}

int ntm_x86_power_package_wrmsr(struct ntm_x86_power_package *package, uint32_t addr,
				uint64_t value)
{
	uint64_t before;

	if (ntm_x86_power_package_rdmsr(package, addr, &before) != 0)
		return NTM_NOT_MINE;
	if (addr == MSR_PACKAGE_THERM_STATUS)
		return write_status(&package->thermal, package->config->package_reasons, THRESHOLDS,
				    value);
	return NTM_REFUSED;
}

/* ---- CPUID ---- */

struct ntm_cpuid ntm_x86_power_cpuid(const struct ntm_x86_power_config *config)
{
	struct ntm_cpuid leaf = { .eax = 1u << 0, .ebx = 2, .ecx = 1u << 0 };

	if (config->core_reasons & NTM_X86_POWER_LIMIT)
		leaf.eax |= 1u << 4;
	if (config->package_reasons)
		leaf.eax |= 1u << 6;
	return leaf;
}
