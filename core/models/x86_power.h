/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What x86 processors tell of heat, energy, frequency and idle time: thermal status of core and
 * package with their sticky log bits, MPERF and APERF, residencies in idle states, energy counters
 * of 32 bits. One struct for each core, one for each package.
 *
 *     Nehalem             19ch, 1a2h, e7h, e8h, core 3fch 3fdh, package 3f8h 3f9h 3fah
 *     Sandy Bridge-EP     these, and 1b1h, core 3feh, package 60dh, energy 606h 611h 619h 639h
 *
 * What it does not model:
 * - anything that happens by itself: the caller says what is hot and what was used;
 * - interrupts and their thresholds (19bh, 1b2h): their bits in the status registers are 0, their
 *   registers absent;
 * - log bits of the kind that Linux calls HFI, energy of graphics and platform, power limits,
 *   performance status;
 * - two threads of a core;
 * - which writes fault on silicon: here those of reserved bits and of registers that are read only
 *   do.
 */
#ifndef NTM_X86_POWER_H
#define NTM_X86_POWER_H

#include "core/models/ntm.h"
#include "core/models/x86_pmu.h"

/*
 * Reasons of throttling, as they stand in the thermal status registers; the bit above each is its
 * log.
 */
#define NTM_X86_HOT (1u << 0)
#define NTM_X86_PROCHOT (1u << 2)
#define NTM_X86_CRITICAL (1u << 4)
#define NTM_X86_POWER_LIMIT (1u << 10)
#define NTM_X86_CURRENT_LIMIT (1u << 12)
#define NTM_X86_CROSS_DOMAIN (1u << 14)

enum ntm_x86_core_idle { NTM_X86_CORE_C3, NTM_X86_CORE_C6, NTM_X86_CORE_C7, NTM_X86_CORE_IDLES };
enum ntm_x86_package_idle {
	NTM_X86_PACKAGE_C2,
	NTM_X86_PACKAGE_C3,
	NTM_X86_PACKAGE_C6,
	NTM_X86_PACKAGE_C7,
	NTM_X86_PACKAGE_IDLES
};
enum ntm_x86_energy {
	NTM_X86_ENERGY_PACKAGE,
	NTM_X86_ENERGY_CORES,
	NTM_X86_ENERGY_RAM,
	NTM_X86_ENERGIES
};

struct ntm_x86_power_config {
	uint32_t core_reasons,
		package_reasons;	    /* that the thermal status registers know; 0: no 1b1h */
	uint32_t core_idles, package_idles; /* sets: bit 1 << NTM_X86_CORE_C3 and so on */
	uint32_t limit;	   /* degrees Celsius of what headroom counts down from (TjMax) */
	uint64_t units;	   /* what 606h holds */
	uint32_t energies; /* set: bit 1 << NTM_X86_ENERGY_PACKAGE and so on; 0: no energy at all */
};
extern const struct ntm_x86_power_config ntm_x86_power_nehalem, ntm_x86_power_snbep;

/* Why a core or package is throttled, and how far it is from its limit. */
struct ntm_x86_heat {
	uint32_t now;	   /* reasons that hold */
	uint32_t was;	   /* that held at some moment since the model was told last */
	uint32_t headroom; /* degrees below the limit, to 127 */
};

/* What happened in a core; residencies are in ticks of the TSC. */
struct ntm_x86_core_work {
	uint64_t mperf, aperf;
	uint64_t idle[NTM_X86_CORE_IDLES];
	struct ntm_x86_heat heat;
};

/* And in a package; energies are in steps of their counters. */
struct ntm_x86_package_work {
	uint64_t idle[NTM_X86_PACKAGE_IDLES];
	uint64_t energy[NTM_X86_ENERGIES];
	struct ntm_x86_heat heat;
};

struct ntm_x86_power_core {
	const struct ntm_x86_power_config *config;
	uint64_t mperf, aperf;
	uint64_t idle[NTM_X86_CORE_IDLES];
	uint32_t thermal; /* 19ch */
};

struct ntm_x86_power_package {
	const struct ntm_x86_power_config *config;
	uint64_t idle[NTM_X86_PACKAGE_IDLES];
	uint32_t energy[NTM_X86_ENERGIES];
	uint32_t thermal; /* 1b1h */
};

/* The state after reset; also makes it the first time. @config lives as long. */
void ntm_x86_power_core_reset(struct ntm_x86_power_core *core,
			      const struct ntm_x86_power_config *config);
void ntm_x86_power_package_reset(struct ntm_x86_power_package *package,
				 const struct ntm_x86_power_config *config);

/* Counters wrap: energies at 32 bits, the others at 64. */
void ntm_x86_power_core_advance(struct ntm_x86_power_core *core,
				const struct ntm_x86_core_work *work);
void ntm_x86_power_package_advance(struct ntm_x86_power_package *package,
				   const struct ntm_x86_package_work *work);

/*
 * RDMSR and WRMSR: 0, NTM_NOT_MINE, or NTM_REFUSED for #GP (then nothing changed). Advance first.
 */
int ntm_x86_power_core_rdmsr(const struct ntm_x86_power_core *core, uint32_t addr, uint64_t *value);
int ntm_x86_power_core_wrmsr(struct ntm_x86_power_core *core, uint32_t addr, uint64_t value);
int ntm_x86_power_package_rdmsr(const struct ntm_x86_power_package *package, uint32_t addr,
				uint64_t *value);
int ntm_x86_power_package_wrmsr(struct ntm_x86_power_package *package, uint32_t addr,
				uint64_t value);

/* What CPUID leaf 06H says of these registers; other bits of it are the caller's to add. */
struct ntm_cpuid ntm_x86_power_cpuid(const struct ntm_x86_power_config *config);

#endif
