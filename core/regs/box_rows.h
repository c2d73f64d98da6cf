/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Rows, and lists of their fields, that descriptions of boxes (core/seq/boxes.c) and of devices (core/regs/devices.c) name. All others are
 * found through their tables.
 */
#ifndef NTHW_BOX_ROWS_H
#define NTHW_BOX_ROWS_H

#include "core/base/reg.h"

extern const struct nthw_reg nthw_nhm_uncore_enable, nthw_nhm_uncore_status, nthw_nhm_uncore_clear;
extern const struct nthw_reg nthw_nhm_uncore_select, nthw_nhm_uncore_counter;
extern const struct nthw_reg nthw_nhm_uncore_fixed_select, nthw_nhm_uncore_fixed_counter;

extern const struct nthw_reg nthw_snbep_imc_control, nthw_snbep_imc_select, nthw_snbep_imc_counter;
extern const struct nthw_reg nthw_snbep_imc_fixed_select, nthw_snbep_imc_fixed_counter;

extern const struct nthw_reg nthw_skx_imc_control, nthw_skx_imc_select, nthw_skx_imc_counter;
extern const struct nthw_reg nthw_skx_imc_fixed_select, nthw_skx_imc_fixed_counter;
extern const struct nthw_reg nthw_skx_m2m_control, nthw_skx_m2m_select, nthw_skx_m2m_counter;
extern const struct nthw_reg nthw_skx_upi_control, nthw_skx_upi_select, nthw_skx_upi_counter;
extern const struct nthw_reg nthw_skx_cha_control, nthw_skx_cha_select, nthw_skx_cha_counter;
extern const struct nthw_reg nthw_skx_cha_filter0, nthw_skx_cha_filter1;

extern const struct nthw_reg nthw_amd_l3_select, nthw_amd_l3_counter;
extern const struct nthw_reg nthw_amd_df_select, nthw_amd_df_counter;

extern const struct nthw_reg nthw_snbep_ubox_node, nthw_snbep_ubox_map;
extern const struct nthw_reg nthw_skx_ubox_node, nthw_skx_ubox_map;

extern const struct nthw_reg nthw_x86_pmc, nthw_x86_evtsel, nthw_x86_fixed_ctr;
extern const struct nthw_reg nthw_x86_fixed_ctr_ctrl;
extern const struct nthw_reg nthw_x86_global_status, nthw_x86_global_ctrl;
extern const struct nthw_reg nthw_x86_global_ovf_ctrl;

extern const struct nthw_reg nthw_x86_tsc, nthw_x86_mperf, nthw_x86_aperf;
extern const struct nthw_field nthw_x86_tsc_fields[], nthw_x86_mperf_fields[];
extern const struct nthw_field nthw_x86_aperf_fields[];

extern const struct nthw_reg nthw_x86_therm_status, nthw_x86_package_therm_status;
extern const struct nthw_reg nthw_x86_temperature_target;
extern const struct nthw_field nthw_x86_therm_status_fields[];
extern const struct nthw_field nthw_x86_package_therm_status_fields[];
extern const struct nthw_field nthw_x86_temperature_target_fields[];

extern const struct nthw_reg nthw_x86_energy_unit;
extern const struct nthw_reg nthw_x86_pp0_energy, nthw_x86_pkg_energy, nthw_x86_dram_energy;
extern const struct nthw_reg nthw_x86_pp1_energy, nthw_x86_platform_energy;
extern const struct nthw_field nthw_x86_energy_unit_fields[], nthw_x86_energy_fields[];

extern const struct nthw_reg nthw_amd_energy_unit, nthw_amd_core_energy, nthw_amd_pkg_energy;
extern const struct nthw_field nthw_amd_energy_unit_fields[], nthw_amd_energy_fields[];

extern const struct nthw_reg nthw_intel_core_c1, nthw_intel_core_c3, nthw_intel_core_c6;
extern const struct nthw_reg nthw_intel_core_c7;
extern const struct nthw_reg nthw_intel_pkg_c2, nthw_intel_pkg_c3, nthw_intel_pkg_c6;
extern const struct nthw_reg nthw_intel_pkg_c7, nthw_intel_pkg_c8, nthw_intel_pkg_c9;
extern const struct nthw_reg nthw_intel_pkg_c10;
extern const struct nthw_field nthw_intel_cstate_fields[];

#endif
