/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Every table of rows. */
#ifndef NTHW_REGS_H
#define NTHW_REGS_H

#include "core/base/reg.h"

/* Model-specific registers of x86 processors: architectural PMU, clocks, temperature, energy. */
extern const struct nthw_table nthw_x86;
/* Core counters of AMD: the four of K7 and later; the six of the core extension. */
extern const struct nthw_table nthw_amd_legacy;
extern const struct nthw_table nthw_amd_core;
/* Global control and status of the core counters, from version 2 of AMD's performance monitoring on. */
extern const struct nthw_table nthw_amd_v2;
/* Counters of the L3 and of the data fabric, and energy, of AMD from family 17h on. */
extern const struct nthw_table nthw_amd_l3;
extern const struct nthw_table nthw_amd_df;
extern const struct nthw_table nthw_amd_rapl;
/* Uncore of Nehalem and Westmere: one box a package, in the MSRs of each of its CPUs. */
extern const struct nthw_table nthw_nhm_uncore;
/* Performance monitor of the ARM1176. */
extern const struct nthw_table nthw_arm1176;
/* Architected performance monitor of ARMv7 (32 bit) and ARMv8 (64 bit). */
extern const struct nthw_table nthw_armv7_pmu;
extern const struct nthw_table nthw_armv8_pmu;

/* First 64 bytes of the configuration space of a PCI device. */
extern const struct nthw_table nthw_pci;

/* Monitor of one memory channel of Sandy Bridge-EP, in PCI configuration space. */
extern const struct nthw_table nthw_snbep_imc;

/* What tells which socket a bus of Sandy Bridge-EP, and of Skylake-SP, belongs to. */
extern const struct nthw_table nthw_snbep_ubox;
extern const struct nthw_table nthw_skx_ubox;

/* Monitors of Skylake-SP: of a memory channel, of the way from the mesh to memory, of a UPI link, in PCI configuration space. */
extern const struct nthw_table nthw_skx_imc;
extern const struct nthw_table nthw_skx_m2m;
extern const struct nthw_table nthw_skx_upi;
/* And of all slices of its last level cache, in MSRs. */
extern const struct nthw_table nthw_skx_cha;

/* Time in idle states of Intel's cores and packages. */
extern const struct nthw_table nthw_intel_cstate;

/* BAR 0 of the test device that exists as a model only. */

/* All of them, for who looks for a row by name or checks them. */
extern const struct nthw_table *const nthw_tables[];
extern const size_t nthw_table_count;

#endif
